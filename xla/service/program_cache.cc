// SPDX-License-Identifier: Apache-2.0
#include "xla/service/program_cache.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "xla/base/instruction_set.h"
#include "xla/base/status_macros.h"
#include "xla/debug_options.pb.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/runtime/build_id.h"
#include "xla/runtime/cache_file.h"
#include "xla/service/saved_program.h"

namespace xla {
namespace {

// Of the module, and of all that its compilation depends on.
absl::StatusOr<std::string> KeyOf(const HloModule& module, const CpuCompileOptions& options) {
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  XLA_ASSIGN_OR_RETURN(const InstructionSet bound,
                       MaxInstructionSetOf(module.config().debug_options()));
  const ScopedMaxInstructionSet scope(bound);
  XLA_ASSIGN_OR_RETURN(const std::string code, CpuCodeDependencies(options));
  std::string bytes = absl::StrCat(
      runtime::BuildId(), "\n", code, "\n", XYLEM_VERSION, "\n", options.least_shared_bytes, " ",
      options.constant_folding != nullptr, " ", module.config().replica_count(), " ",
      module.config().num_partitions(), "\n", module.name(), "\n");
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps by their keys
    (void)proto.SerializeToCodedStream(&coded);
    (void)module.config().debug_options().SerializeToCodedStream(&coded);
  }
  return runtime::CacheFileName(bytes);
}

}  // namespace

absl::StatusOr<std::unique_ptr<CpuProgram>> CompileWithCache(const HloModule& module,
                                                             CpuCompileOptions options,
                                                             const std::string& folder) {
  const PipelineOptions& pipeline = options.pipeline;
  const bool is_watched = !pipeline.instrumentations.empty() || !pipeline.dump_dir.empty() ||
                          !pipeline.disabled.empty() || options.keep_llvm ||
                          options.keep_assembly || options.keep_objects || options.check_work;
  if (folder.empty() || options.target != nullptr || is_watched) {
    return CpuProgram::Compile(module, options);
  }
  absl::StatusOr<std::string> key = KeyOf(module, options);
  // Too large to be a proto, or options that the compiler refuses.
  if (!key.ok()) return CpuProgram::Compile(module, options);
  runtime::MakeCacheFolder(folder);
  const std::string path = absl::StrCat(folder, "/", *key, ".program");
  if (const std::optional<std::string> bytes = runtime::ReadCacheFile(path); bytes.has_value()) {
    if (auto loaded = LoadProgram(module, *bytes, *key, options); loaded.ok()) return loaded;
  }
  options.keep_objects = true;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<CpuProgram> program, CpuProgram::Compile(module, options));
  if (const absl::StatusOr<std::string> bytes = SaveProgram(*program, *key); bytes.ok())
    runtime::WriteCacheFile(path, *bytes);
  return program;
}

}  // namespace xla

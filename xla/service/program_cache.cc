// SPDX-License-Identifier: Apache-2.0
#include "xla/service/program_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "xla/base/instruction_set.h"
#include "xla/base/status_macros.h"
#include "xla/debug_options.pb.h"
#include "xla/debug_options_flags.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/runtime/build_id.h"
#include "xla/service/saved_program.h"

namespace xla {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// FNV-1a, from two starts.
std::string HashOf(std::string_view bytes) {
  uint64_t first = 0xcbf29ce484222325u, second = 0x84222325cbf29ce4u;
  for (const char c : bytes) {
    first = (first ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    second = (second ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return absl::StrFormat("%016x%016x", first, second);
}

// Of the module, and of all that its compilation depends on.
absl::StatusOr<std::string> KeyOf(const HloModule& module, const CpuCompileOptions& options) {
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  XLA_ASSIGN_OR_RETURN(const InstructionSet bound,
                       MaxInstructionSetOf(module.config().debug_options()));
  const ScopedMaxInstructionSet scope(bound);
  XLA_ASSIGN_OR_RETURN(const std::string code, CpuCodeDependencies(options));
  std::string bytes = absl::StrCat(runtime::BuildId(), "\n", code, "\n", XYLEM_VERSION, "\n",
                                   options.flush_subnormals, " ", options.least_shared_bytes, " ",
                                   module.config().replica_count(), " ",
                                   module.config().num_partitions(), "\n", module.name(), "\n");
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps by their keys
    (void)proto.SerializeToCodedStream(&coded);
    (void)module.config().debug_options().SerializeToCodedStream(&coded);
  }
  return HashOf(bytes);
}

std::optional<std::string> ReadFile(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  struct stat status;
  if (file == nullptr || fstat(fileno(file.get()), &status) != 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return std::nullopt;
  return bytes;
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::string temporary = path + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), 0);
  if (descriptor < 0) return;
  const File file(fdopen(descriptor, "wb"));
  const bool is_written = file != nullptr &&
                          std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() &&
                          std::fflush(file.get()) == 0;
  if (!is_written || std::rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace

absl::StatusOr<std::unique_ptr<CpuProgram>> CompileWithCache(const HloModule& module,
                                                             CpuCompileOptions options,
                                                             const std::string& folder) {
  const PipelineOptions& pipeline = options.pipeline;
  if (folder.empty() || options.target != nullptr || options.keep_llvm || options.keep_assembly ||
      options.check_work || pipeline.verify || !pipeline.instrumentations.empty() ||
      !pipeline.disabled.empty()) {
    return CpuProgram::Compile(module, options);
  }
  absl::StatusOr<std::string> key = KeyOf(module, options);
  // Too large to be a proto, or options that the compiler refuses.
  if (!key.ok()) return CpuProgram::Compile(module, options);
  ::mkdir(folder.c_str(), 0700);
  const std::string path = absl::StrCat(folder, "/", *key, ".program");
  if (const std::optional<std::string> bytes = ReadFile(path); bytes.has_value()) {
    if (auto loaded = LoadProgram(module, *bytes, *key, options); loaded.ok()) return loaded;
  }
  options.keep_objects = true;
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<CpuProgram> program, CpuProgram::Compile(module, options));
  if (const absl::StatusOr<std::string> bytes = SaveProgram(*program, *key); bytes.ok())
    WriteFile(path, *bytes);
  return program;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Modules from texts, protos and files, and their configs. Nothing is verified unless it says so.
#ifndef XLA_SERVICE_HLO_MODULE_UTIL_H_
#define XLA_SERVICE_HLO_MODULE_UTIL_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/xla.pb.h"

namespace xla {

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromString(
    absl::string_view text, const DebugOptions& debug_options = DebugOptions::default_instance(),
    const HloParserOptions& options = HloParserOptions());

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(const HloModuleProto& proto,
                                                                 const DebugOptions& debug_options);
// With this config, and verified; mixed precision is allowed in what passes have produced.
absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const HloModuleConfig& config,
    bool is_module_post_optimizations = false);

// Files hold HloProto or, where the name says Module, HloModuleProto. Up to 2 GiB.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromHloTextFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance(),
    const HloParserOptions& options = HloParserOptions());
// Modules number their instructions themselves, whether `remap_instruction_ids` or not.
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromBinaryProtoFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance(),
    bool remap_instruction_ids = true);
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleBinaryProtofile(
    absl::string_view filename, const DebugOptions& debug_options);
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromTextProtoFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance());
absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleTextProtoFile(
    absl::string_view filename,
    const DebugOptions& debug_options = DebugOptions::default_instance());

class AotCompilationOptions;

// The config of a program that is called with arguments of these shapes and layouts. The result has
// the layout that the options say, else the default one. `execution_options` may be null; the
// number of threads and options of ahead-of-time compilation are not part of a config here.
// InvalidArgument if the arguments or the result do not fit the program.
absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateModuleConfig(
    const ProgramShape& program_shape, absl::Span<const Shape* const> argument_shapes,
    const ExecutionOptions* execution_options, int default_num_replicas,
    std::optional<int> num_threads = std::nullopt,
    const AotCompilationOptions* aot_options = nullptr);

}  // namespace xla

#endif  // XLA_SERVICE_HLO_MODULE_UTIL_H_

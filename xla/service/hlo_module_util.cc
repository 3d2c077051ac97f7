// SPDX-License-Identifier: Apache-2.0
#include "xla/service/hlo_module_util.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/text_format.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/shape_util.h"
#include "xla/tsl/platform/file_system.h"

namespace xla {
namespace {

constexpr size_t kMaxFileBytes = size_t{1} << 31;

absl::StatusOr<std::unique_ptr<HloModule>> WithOptions(
    absl::StatusOr<std::unique_ptr<HloModule>> module, const DebugOptions& debug_options) {
  if (module.ok()) (*module)->config().set_debug_options(debug_options);
  return module;
}

absl::Status ReadProto(absl::string_view filename, bool is_text,
                       google::protobuf::Message& message) {
  XLA_ASSIGN_OR_RETURN(const std::string content,
                       tsl::ReadWholeFile(std::string(filename), kMaxFileBytes));
  if (is_text) {
    const absl::Status status = ParseTextFormat(content, message);
    if (status.ok()) return status;
    return absl::DataLossError(absl::StrCat(filename, " does not hold a ", message.GetTypeName(),
                                            " in text format: ", status.message()));
  }
  if (message.ParseFromString(content)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(filename, " does not hold a ", message.GetTypeName()));
}

template <typename Message>
absl::StatusOr<std::unique_ptr<HloModule>> ReadModule(absl::string_view filename, bool is_text,
                                                      const DebugOptions& debug_options) {
  Message message;
  XLA_RETURN_IF_ERROR(ReadProto(filename, is_text, message));
  if constexpr (std::is_same_v<Message, HloProto>) {
    return CreateModuleFromProto(message.hlo_module(), debug_options);
  } else {
    return CreateModuleFromProto(message, debug_options);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromString(absl::string_view text,
                                                                  const DebugOptions& debug_options,
                                                                  const HloParserOptions& options) {
  return WithOptions(ParseAndReturnUnverifiedModule({text.data(), text.size()}, options),
                     debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const DebugOptions& debug_options) {
  return WithOptions(CreateModuleFromProto(proto), debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(
    const HloModuleProto& proto, const HloModuleConfig& config, bool is_module_post_optimizations) {
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                       HloModule::CreateFromProto(proto, config));
  HloVerifierOptions options;
  options.allow_mixed_precision = is_module_post_optimizations;
  XLA_RETURN_IF_ERROR(VerifyModule(*module, options));
  return module;
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromHloTextFile(
    absl::string_view filename, const DebugOptions& debug_options,
    const HloParserOptions& options) {
  XLA_ASSIGN_OR_RETURN(const std::string text,
                       tsl::ReadWholeFile(std::string(filename), kMaxFileBytes));
  return CreateModuleFromString(text, debug_options, options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromBinaryProtoFile(
    absl::string_view filename, const DebugOptions& debug_options, bool) {
  return ReadModule<HloProto>(filename, /*is_text=*/false, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleBinaryProtofile(
    absl::string_view filename, const DebugOptions& debug_options) {
  return ReadModule<HloModuleProto>(filename, /*is_text=*/false, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromTextProtoFile(
    absl::string_view filename, const DebugOptions& debug_options) {
  return ReadModule<HloProto>(filename, /*is_text=*/true, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadModuleFromModuleTextProtoFile(
    absl::string_view filename, const DebugOptions& debug_options) {
  return ReadModule<HloModuleProto>(filename, /*is_text=*/true, debug_options);
}

absl::StatusOr<std::unique_ptr<HloModuleConfig>> CreateModuleConfig(
    const ProgramShape& program_shape, absl::Span<const Shape* const> argument_shapes,
    const ExecutionOptions* execution_options, int default_num_replicas, std::optional<int>,
    const AotCompilationOptions*) {
  if (program_shape.parameters_size() != static_cast<int>(argument_shapes.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("computation takes ", program_shape.parameters_size(), " parameters, but ",
                     argument_shapes.size(), " given"));
  }
  auto config = std::make_unique<HloModuleConfig>();
  config->set_entry_computation_layout(program_shape);
  ComputationLayout& layout = *config->mutable_entry_computation_layout();
  for (int i = 0; i < program_shape.parameters_size(); ++i) {
    const Shape& argument = *argument_shapes[static_cast<size_t>(i)];
    if (!ShapeUtil::Compatible(argument, program_shape.parameters(i))) {
      return absl::InvalidArgumentError(
          absl::StrCat("Argument does not match shape of computation parameter ", i, ": want ",
                       ShapeUtil::HumanString(program_shape.parameters(i)), ", got ",
                       ShapeUtil::HumanString(argument)));
    }
    XLA_RETURN_IF_ERROR(layout.mutable_parameter_layout(i)->CopyLayoutFromShape(argument));
  }
  config->set_replica_count(default_num_replicas);
  layout.mutable_result_layout()->SetToDefaultLayout();
  if (execution_options == nullptr) return config;
  if (execution_options->has_shape_with_output_layout()) {
    XLA_ASSIGN_OR_RETURN(const Shape result,
                         Shape::FromProto(execution_options->shape_with_output_layout()));
    XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(result));
    if (!ShapeUtil::Compatible(result, program_shape.result())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Shape used to set computation result layout ", ShapeUtil::HumanStringWithLayout(result),
          " is not compatible with result shape ",
          ShapeUtil::HumanStringWithLayout(program_shape.result())));
    }
    XLA_RETURN_IF_ERROR(layout.mutable_result_layout()->CopyLayoutFromShape(result));
  }
  config->TakeExecutionOptions(*execution_options);
  config->set_debug_options(execution_options->debug_options());
  return config;
}

}  // namespace xla

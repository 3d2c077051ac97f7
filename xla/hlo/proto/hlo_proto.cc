// SPDX-License-Identifier: Apache-2.0
// Modules to and from protos, and from serialized protos of an unknown message type.
#include "xla/hlo/proto/hlo_proto.h"

#include <limits>
#include <utility>

#include "google/protobuf/arena.h"
#include "google/protobuf/stubs/common.h"
#if GOOGLE_PROTOBUF_VERSION < 4022000
#include "google/protobuf/stubs/logging.h"
#endif
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/module_proto.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(const HloModuleProto& proto) {
  return proto::ReadModule(proto, /*depth=*/0);
}

absl::StatusOr<HloModuleProto> ModuleToProto(const HloModule& module) {
  return proto::WriteModule(module, /*depth=*/0);
}

absl::StatusOr<HloModuleProto> BuiltModuleToProto(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(
      HloModuleProto proto,
      proto::WriteModule(module, /*depth=*/0, {.creation_order = true, .first_local_id = 1}));
  // A built program keeps the names that its parameters were given.
  const ProgramShape& shape = module.config().entry_computation_layout();
  for (int i = 0; i < shape.parameters_size(); ++i) {
    if (shape.parameter_names(i).empty()) continue;
    proto.mutable_host_program_shape()->set_parameter_names(i, shape.parameter_names(i));
  }
  return proto;
}

namespace {

// What a message has besides a module, of the same arena.
struct Recorded {
  const google::protobuf::RepeatedPtrField<LiteralProto>* arguments = nullptr;
  const LiteralProto* result = nullptr;
};

// All these messages begin with field 1, so bytes of one may parse as another with unknown or empty
// fields. A valid module has computations, so the message in which some are found is the right one.
// Wrappers are tried first, because a module name rarely parses as a module.
absl::StatusOr<const HloModuleProto*> FindModule(std::string_view bytes,
                                                 google::protobuf::Arena* arena,
                                                 Recorded* recorded) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("%d bytes are too many for a proto", bytes.size());
  }
#if GOOGLE_PROTOBUF_VERSION < 4022000
  // Bytes of one message are no valid text of another, which libprotobuf would print.
  const google::protobuf::LogSilencer silencer;
#endif
  const int size = static_cast<int>(bytes.size());
  auto* hlo = google::protobuf::Arena::CreateMessage<HloProto>(arena);
  if (hlo->ParseFromArray(bytes.data(), size) && hlo->hlo_module().computations_size() > 0) {
    // A HloUnoptimizedSnapshot has the module in the same field.
    auto* unoptimized = google::protobuf::Arena::CreateMessage<HloUnoptimizedSnapshot>(arena);
    if (unoptimized->ParseFromArray(bytes.data(), size) && unoptimized->partitions_size() == 1)
      recorded->arguments = &unoptimized->partitions(0).arguments();
    return &hlo->hlo_module();
  }
  auto* snapshot = google::protobuf::Arena::CreateMessage<HloSnapshot>(arena);
  if (snapshot->ParseFromArray(bytes.data(), size) &&
      snapshot->hlo().hlo_module().computations_size() > 0) {
    recorded->arguments = &snapshot->arguments();
    if (snapshot->has_result()) recorded->result = &snapshot->result();
    return &snapshot->hlo().hlo_module();
  }
  auto* module = google::protobuf::Arena::CreateMessage<HloModuleProto>(arena);
  if (module->ParseFromArray(bytes.data(), size) && module->computations_size() > 0) return module;
  return absl::InvalidArgumentError(
      "the bytes are not a HloModuleProto, HloProto or HloSnapshot with computations");
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ParseModuleFromProtoBytes(std::string_view bytes) {
  google::protobuf::Arena arena;
  Recorded recorded;
  XLA_ASSIGN_OR_RETURN(const HloModuleProto* const proto, FindModule(bytes, &arena, &recorded));
  return CreateModuleFromProto(*proto);
}

absl::StatusOr<ModuleAndValues> ParseSnapshotFromProtoBytes(std::string_view bytes) {
  google::protobuf::Arena arena;
  Recorded recorded;
  XLA_ASSIGN_OR_RETURN(const HloModuleProto* const proto, FindModule(bytes, &arena, &recorded));
  ModuleAndValues read;
  XLA_ASSIGN_OR_RETURN(read.module, CreateModuleFromProto(*proto));
  for (int i = 0; recorded.arguments != nullptr && i < recorded.arguments->size(); ++i) {
    auto argument = Literal::CreateFromProto(recorded.arguments->Get(i));
    if (!argument.ok()) {
      return InvalidArgument("argument %d of the snapshot: %s", i, argument.status().message());
    }
    read.arguments.push_back(*std::move(argument));
  }
  if (recorded.result != nullptr) {
    auto result = Literal::CreateFromProto(*recorded.result);
    if (!result.ok()) {
      return InvalidArgument("the result of the snapshot: %s", result.status().message());
    }
    read.result = *std::move(result);
  }
  return read;
}

absl::StatusOr<std::string> SnapshotToProtoBytes(const HloModule& module,
                                                 absl::Span<const Literal* const> arguments,
                                                 const Literal* result) {
  int64_t bytes = result != nullptr ? result->size_bytes() : 0;
  for (const Literal* argument : arguments) bytes += argument->size_bytes();
  if (bytes > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the values of the snapshot have ", bytes, " bytes; a proto holds 2 GB"));
  }
  HloSnapshot snapshot;
  XLA_ASSIGN_OR_RETURN(*snapshot.mutable_hlo()->mutable_hlo_module(), ModuleToProto(module));
  for (const Literal* argument : arguments) *snapshot.add_arguments() = argument->ToProto();
  if (result != nullptr) *snapshot.mutable_result() = result->ToProto();
  snapshot.set_execution_platform("cpu");
  std::string serialized;
  if (!snapshot.SerializeToString(&serialized))
    return absl::ResourceExhaustedError("the snapshot has more than 2 GB");
  return serialized;
}

}  // namespace xla

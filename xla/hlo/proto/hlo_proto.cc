// SPDX-License-Identifier: Apache-2.0
// Modules to and from protos, and from serialized protos of an unknown message type.
#include "xla/hlo/proto/hlo_proto.h"

#include <limits>
#include <utility>

#include "google/protobuf/arena.h"
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

// All three messages begin with field 1, so bytes of one may parse as another with unknown or empty
// fields. A valid module has computations, so the message in which some are found is the right one.
// Wrappers are tried first, because a module name rarely parses as a module.
absl::StatusOr<std::unique_ptr<HloModule>> ParseModuleFromProtoBytes(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("%d bytes are too many for a proto", bytes.size());
  }
  const int size = static_cast<int>(bytes.size());
  google::protobuf::Arena arena;
  auto* hlo = google::protobuf::Arena::CreateMessage<HloProto>(&arena);
  if (hlo->ParseFromArray(bytes.data(), size) && hlo->hlo_module().computations_size() > 0) {
    return CreateModuleFromProto(hlo->hlo_module());
  }
  auto* snapshot = google::protobuf::Arena::CreateMessage<HloSnapshot>(&arena);
  if (snapshot->ParseFromArray(bytes.data(), size) &&
      snapshot->hlo().hlo_module().computations_size() > 0) {
    return CreateModuleFromProto(snapshot->hlo().hlo_module());
  }
  auto* module = google::protobuf::Arena::CreateMessage<HloModuleProto>(&arena);
  if (module->ParseFromArray(bytes.data(), size) && module->computations_size() > 0) {
    return CreateModuleFromProto(*module);
  }
  return absl::InvalidArgumentError(
      "the bytes are not a HloModuleProto, HloProto or HloSnapshot with computations");
}

}  // namespace xla

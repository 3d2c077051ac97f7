// SPDX-License-Identifier: Apache-2.0
// HloModule to and from XLA's protos (hlo.proto): HloModuleProto, HloProto, HloSnapshot.
#ifndef XLA_HLO_PROTO_HLO_PROTO_H_
#define XLA_HLO_PROTO_HLO_PROTO_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/hlo.pb.h"

namespace xla {

// Errors name the computation and instruction at fault. The module is complete but not verified.
absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(const HloModuleProto& proto);
absl::StatusOr<HloModuleProto> ModuleToProto(const HloModule& module);
// As XlaBuilder writes programs: instructions in order of creation, numbered from 1.
absl::StatusOr<HloModuleProto> BuiltModuleToProto(const HloModule& module);

// Parses a serialized HloModuleProto, HloProto or HloSnapshot, detected by content.
absl::StatusOr<std::unique_ptr<HloModule>> ParseModuleFromProtoBytes(std::string_view bytes);

}  // namespace xla

#endif  // XLA_HLO_PROTO_HLO_PROTO_H_

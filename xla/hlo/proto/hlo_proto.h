// SPDX-License-Identifier: Apache-2.0
// HloModule to and from XLA's protos (hlo.proto): HloModuleProto, HloProto, HloSnapshot.
#ifndef XLA_HLO_PROTO_HLO_PROTO_H_
#define XLA_HLO_PROTO_HLO_PROTO_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"

namespace xla {

// Errors name the computation and instruction at fault. The module is complete but not verified.
absl::StatusOr<std::unique_ptr<HloModule>> CreateModuleFromProto(const HloModuleProto& proto);
absl::StatusOr<HloModuleProto> ModuleToProto(const HloModule& module);
// As XlaBuilder writes programs: instructions in order of creation, numbered from 1.
absl::StatusOr<HloModuleProto> BuiltModuleToProto(const HloModule& module);

// Parses a serialized HloModuleProto, HloProto, HloSnapshot or HloUnoptimizedSnapshot, detected by
// content.
absl::StatusOr<std::unique_ptr<HloModule>> ParseModuleFromProtoBytes(std::string_view bytes);

// The same with what a snapshot recorded of a run: the arguments (of a HloUnoptimizedSnapshot with
// one partition, too) and the result. Whether they are those of the module is not checked.
struct ModuleAndValues {
  std::unique_ptr<HloModule> module;
  std::vector<Literal> arguments;
  std::optional<Literal> result;
};
absl::StatusOr<ModuleAndValues> ParseSnapshotFromProtoBytes(std::string_view bytes);
// A serialized HloSnapshot; `result` may be null. RESOURCE_EXHAUSTED beyond the 2 GB that a proto
// can have.
absl::StatusOr<std::string> SnapshotToProtoBytes(const HloModule& module,
                                                 absl::Span<const Literal* const> arguments,
                                                 const Literal* result);

}  // namespace xla

#endif  // XLA_HLO_PROTO_HLO_PROTO_H_

// SPDX-License-Identifier: Apache-2.0
// Optional data of instructions (metadata, sharding, backend_config, ...) to and from protos.
// Internal to xla/hlo/proto.
#ifndef XLA_HLO_PROTO_EXTRAS_PROTO_H_
#define XLA_HLO_PROTO_EXTRAS_PROTO_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/service/hlo.pb.h"
#include "xla/xla_data.pb.h"

namespace xla::proto {

// All but control dependencies. `module_proto` holds payloads and stack frames referred to.
absl::Status ReadExtras(const HloInstructionProto& proto, const HloModuleProto& module_proto,
                        HloInstruction* instruction);
absl::Status WriteExtras(const HloInstruction& instruction, HloInstructionProto* proto);

// Error: an invalid mode.
absl::StatusOr<AccuracySpec> ReadAccuracy(const ResultAccuracy& proto);

// A leaf that names an array, as in recovery tables.
OriginalValueNode ReadOriginalArray(const OriginalArrayProto& proto);
OriginalArrayProto WriteOriginalArray(const OriginalValueNode& node);

}  // namespace xla::proto

#endif  // XLA_HLO_PROTO_EXTRAS_PROTO_H_

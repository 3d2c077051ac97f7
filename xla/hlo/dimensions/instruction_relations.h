// SPDX-License-Identifier: Apache-2.0
// The dimension relations of HLO instructions: a rule for each opcode, in the file of its family.
// Facts: Shardy's registry of sharding rules, and for operations that StableHLO does not have,
// what the operation computes.
#ifndef XLA_HLO_DIMENSIONS_INSTRUCTION_RELATIONS_H_
#define XLA_HLO_DIMENSIONS_INSTRUCTION_RELATIONS_H_

#include <optional>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/dimensions/dimension_relations.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

struct RelationOptions {
  // Shardy's conservative propagation: dimensions whose slices would have to be permuted are not
  // related.
  bool is_conservative = false;
};

// The relations between the leaves of the operands and of the result. Nothing for instructions that
// move values through control flow, tuples or other programs, custom calls that nothing is known
// of, and arrays without a bound. The frontend attribute kShardingRuleAttribute
// (sharding_attributes.h) takes the place of the table's rule. Factors are numbered as Shardy
// numbers them. The instruction must be verified. InvalidArgument if the frontend attribute does
// not parse or does not fit the shapes.
absl::StatusOr<std::optional<DimensionRelations>> RelateDimensions(
    const HloInstruction& instruction, const RelationOptions& options = {});

// The relations of a broadcast whose operand's dimension i is the result's dimensions[i], or
// stretches to it from size 1: StableHLO's broadcast_in_dim, in HLO a reshape before a broadcast.
DimensionRelations RelateBroadcastInDim(const Shape& operand, const Shape& result,
                                        absl::Span<const int64_t> dimensions);

// HLO writes StableHLO's broadcast_in_dim that stretches dimensions as a broadcast of a reshape
// that drops them. The reshape's operand, and its relations to the broadcast, as of one operation.
// Nothing for other instructions.
struct StretchingBroadcast {
  HloInstruction* operand = nullptr;
  DimensionRelations relations;
};
std::optional<StretchingBroadcast> MatchStretchingBroadcast(const HloInstruction& instruction);

// Whether a rule of the table describes operations of the opcode; false for those that have nothing
// to relate, whatever their attributes.
bool HasDimensionRelations(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_HLO_DIMENSIONS_INSTRUCTION_RELATIONS_H_

// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/free_values.h"

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/reshape_rules.h"

namespace xla::spmd {
namespace {

constexpr int kFewInstructions = 4;

bool IsMadeOfFullParameters(const HloInstruction& full, const HloComputation* entry, int depth) {
  if (IsMadeAnywhere(full)) return true;
  if (full.opcode() == HloOpcode::kParameter) return full.parent() == entry;
  switch (full.opcode()) {
    case HloOpcode::kSlice:
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
      break;
    default:
      if (!full.info().Has(op_traits::kElementwiseTrait) || full.operand_count() == 0) return false;
  }
  return depth > 0 && absl::c_all_of(full.operands(), [&](HloInstruction* operand) {
           return IsMadeOfFullParameters(*WithoutAnnotations(operand), entry, depth - 1);
         });
}

// The dimension of a reshape's operand of which the shards are those of the result; -1 if there is
// none: both are the major ones of their groups.
int64_t MajorBeforeReshape(const HloInstruction& reshape, int64_t dimension) {
  for (const ReshapeGroup& group : ReshapeGroups(reshape.operand(0)->shape(), reshape.shape())) {
    if (group.to_begin == dimension && group.from_begin < group.from_end) return group.from_begin;
  }
  return -1;
}

bool HasEqualShards(const HloInstruction& full, int64_t dimension, int64_t count, int depth) {
  if (count == 1) return true;
  if (depth == 0 || dimension < 0 || dimension >= full.shape().rank() ||
      full.shape().dimensions(static_cast<int>(dimension)) % count != 0) {
    return false;
  }
  const auto of_operand = [&](int64_t of, int64_t at) {
    return HasEqualShards(*WithoutAnnotations(full.operands()[static_cast<size_t>(of)]), at, count,
                          depth - 1);
  };
  switch (full.opcode()) {
    case HloOpcode::kIota:
      return full.attributes<IotaAttributes>().iota_dimension != dimension;
    case HloOpcode::kBroadcast: {
      const auto& kept = full.attributes<DimensionListAttributes>().dimensions;
      const auto at = absl::c_find(kept, dimension);
      return at == kept.end() || of_operand(0, at - kept.begin());
    }
    case HloOpcode::kTranspose: {
      const auto& order = full.attributes<DimensionListAttributes>().dimensions;
      return of_operand(0, order[static_cast<size_t>(dimension)]);
    }
    case HloOpcode::kReshape:
      return of_operand(0, MajorBeforeReshape(full, dimension));
    default:
      break;
  }
  if (!full.info().Has(op_traits::kElementwiseTrait) || full.operand_count() == 0) return false;
  for (int64_t i = 0; i < full.operand_count(); ++i) {
    if (full.operand(i)->shape().rank() != 0 && !of_operand(i, dimension)) return false;
  }
  return true;
}

}  // namespace

bool IsMadeAnywhere(const HloInstruction& full) {
  return full.opcode() == HloOpcode::kIota || full.opcode() == HloOpcode::kConstant ||
         (full.opcode() == HloOpcode::kBroadcast && full.operand(0)->shape().rank() == 0);
}

bool IsMadeOfFullParameters(const HloInstruction& full, const HloComputation* entry) {
  return IsMadeOfFullParameters(full, entry, kFewInstructions);
}

bool HasEqualShards(const HloInstruction& full, int64_t dimension, int64_t count) {
  constexpr int kDepth = 8;
  return HasEqualShards(full, dimension, count, kDepth);
}

}  // namespace xla::spmd

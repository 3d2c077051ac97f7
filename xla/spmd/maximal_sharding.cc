// SPDX-License-Identifier: Apache-2.0
// Conditionals on the number of the partition, and a broadcast of what they give.
#include "xla/spmd/maximal_sharding.h"

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

std::optional<int64_t> MaximalPartition(const HloInstruction& call) {
  if (!call.has_sharding() || IsCall(call, "Sharding") || call.opcode() != HloOpcode::kCustomCall) {
    return std::nullopt;
  }
  const HloSharding& sharding = *call.extras().sharding;
  const HloSharding& first =
      sharding.tuple_elements().empty() ? sharding : sharding.tuple_elements()[0];
  return first.UniqueDevice();
}

HloComputation* CallComputation(const HloInstruction& call, const Shape& state) {
  HloComputation* computation = call.parent()->parent()->AddComputation("on_one_partition");
  HloInstruction* parameter =
      computation->AddInstruction(HloInstruction::CreateParameter(0, state, "operands"));
  Instructions operands;
  for (int64_t i = 0; i < call.operand_count(); ++i) operands.push_back(Element(parameter, i));
  HloInstruction* copy =
      computation->AddInstruction(call.CloneWithNewOperands(call.shape(), operands));
  copy->mutable_extras().sharding.reset();
  computation->set_root_instruction(copy);
  return computation;
}

HloComputation* ZeroComputation(HloModule* module, const Shape& shape, const Shape& state) {
  HloComputation* computation = module->AddComputation("on_other_partitions");
  computation->AddInstruction(HloInstruction::CreateParameter(0, state, "operands"));
  computation->set_root_instruction(Zero(computation, shape));
  return computation;
}

// The value of one partition.
HloInstruction* SharedByAll(HloInstruction* value, int64_t partition, int64_t partitions,
                            int64_t* next_channel) {
  if (value->shape().IsTuple()) {
    Instructions elements;
    for (int64_t i = 0; i < value->shape().tuple_shapes_size(); ++i) {
      elements.push_back(SharedByAll(Element(value, i), partition, partitions, next_channel));
    }
    // Without elements the call itself must stay.
    if (elements.empty()) return value;
    return Add(value->parent(), HloOpcode::kTuple, value->shape(), elements);
  }
  if (!value->shape().IsArray()) return value;
  CollectiveAttributes attributes;
  attributes.channel_id = (*next_channel)++;
  std::vector<int64_t>& group = attributes.replica_groups.groups.emplace_back();
  group.push_back(partition);
  for (int64_t p = 0; p < partitions; ++p) {
    if (p != partition) group.push_back(p);
  }
  return Add(value->parent(), HloOpcode::kCollectiveBroadcast, value->shape(), {value}, attributes);
}

absl::Status CallOn(HloInstruction* call, int64_t partition, int64_t* next_channel) {
  HloComputation* computation = call->parent();
  HloModule* module = computation->parent();
  const int64_t partitions = module->config().num_partitions();
  if (partition < 0 || partition >= partitions) {
    return absl::InvalidArgumentError(
        absl::StrCat(call->ToShortString(), ": there is no partition ", partition));
  }
  const Instructions operands(call->operands().begin(), call->operands().end());
  std::vector<Shape> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(operand->shape());
  const Shape state = ShapeUtil::MakeTupleShape(shapes);
  HloInstruction* tuple = Add(computation, HloOpcode::kTuple, state, operands);
  HloInstruction* chosen = ScalarS32(computation, partition);
  HloInstruction* is_here = computation->AddInstruction(HloInstruction::Create(
      HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}), {PartitionNumber(computation), chosen}));
  HloInstruction* made = computation->AddInstruction(HloInstruction::Create(
      HloOpcode::kConditional, call->shape(), {is_here, tuple, tuple}, NoAttributes{},
      {CallComputation(*call, state), ZeroComputation(module, call->shape(), state)}));
  return computation->ReplaceInstruction(call,
                                         SharedByAll(made, partition, partitions, next_channel));
}

}  // namespace

absl::Status PartitionMaximalCalls(HloModule* module, int64_t* next_channel) {
  const std::vector<HloComputation*> computations(module->computations().begin(),
                                                  module->computations().end());
  for (HloComputation* computation : computations) {
    for (HloInstruction* call : computation->MakeInstructionPostOrder()) {
      const std::optional<int64_t> partition = MaximalPartition(*call);
      if (!partition.has_value()) continue;
      XLA_RETURN_IF_ERROR(CallOn(call, *partition, next_channel));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::spmd

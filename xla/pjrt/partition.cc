// SPDX-License-Identifier: Apache-2.0
// The order of partitioning; manual computations and results.
#include "xla/pjrt/partition.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/literal.h"
#include "xla/passes/dce.h"
#include "xla/pjrt/differing_values.h"
#include "xla/pjrt/one_partition.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/partitioner.h"
#include "xla/pjrt/tuple_state.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

// Zeros behind the end of each dimension.
HloInstruction* WithPadding(HloInstruction* value, const Shape& shape) {
  PadAttributes attributes;
  for (int d = 0; d < shape.rank(); ++d) {
    attributes.padding.push_back({0, shape.dimensions(d) - value->shape().dimensions(d), 0});
  }
  HloInstruction* zero = Zero(value->parent(), ShapeUtil::MakeShape(shape.element_type(), {}));
  return Add(value->parent(), HloOpcode::kPad, shape, {value, zero}, std::move(attributes));
}

absl::Status Malformed(const HloInstruction& call) {
  return absl::InvalidArgumentError(
      absl::StrCat(call.ToShortString(), ": a border of a manual computation has one operand"));
}

// Annotations have a value that they annotate.
absl::Status CheckAnnotations(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* call : computation->instructions()) {
      const bool is_sharding = IsCall(*call, "Sharding");
      if (!is_sharding && !IsCall(*call, "InspectSharding")) continue;
      if (call->operand_count() != 1 ||
          (is_sharding && !ShapeUtil::Compatible(call->shape(), call->operand(0)->shape()))) {
        return absl::InvalidArgumentError(absl::StrCat(
            call->ToShortString(), ": an annotation has one operand, of the shape of the result"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProgramShardings> Partitioner::Run() {
  XLA_RETURN_IF_ERROR(CheckAnnotations(module_));
  XLA_RETURN_IF_ERROR(InlineAllCalls(&module_).status());
  XLA_RETURN_IF_ERROR(PassTuples(&module_));
  entry_ = module_.entry_computation();
  XLA_RETURN_IF_ERROR(DivideParameters());
  for (HloComputation* computation : module_.computations()) {
    XLA_RETURN_IF_ERROR(EnterAndLeaveManual(computation));
  }
  XLA_RETURN_IF_ERROR(CallOnOnePartition(&module_, emit_.next_channel()));
  FindDifferingConditionals();
  XLA_RETURN_IF_ERROR(DivideOperations(entry_));
  XLA_RETURN_IF_ERROR(DivideResults());
  XLA_RETURN_IF_ERROR(FinishCalls());
  XLA_RETURN_IF_ERROR(RemoveAnnotations(&module_));
  XLA_RETURN_IF_ERROR(SetShardSignature(&module_));
  XLA_RETURN_IF_ERROR(EliminateDeadCode(&module_).status());
  return std::move(shardings_);
}

absl::Status Partitioner::DivideEvenly(const Shape& whole, Tiles& tiles,
                                       HloSharding& sharding) const {
  if (!module_.config().use_shardy_partitioner() || DividesEvenly(whole, tiles) ||
      !tiles.sums.empty()) {
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(tiles, EvenTiles(tiles, whole));
  XLA_ASSIGN_OR_RETURN(sharding, ShardingOfTiles(tiles));
  return absl::OkStatus();
}

absl::Status Partitioner::EnterAndLeaveManual(HloComputation* computation) {
  for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
    if (instruction->IsDead()) continue;
    if (IsCall(*instruction, "SPMDFullToShardShape")) {
      XLA_RETURN_IF_ERROR(EnterManual(instruction));
    } else if (IsCall(*instruction, "SPMDShardToFullShape")) {
      XLA_RETURN_IF_ERROR(LeaveManual(instruction));
    }
  }
  return absl::OkStatus();
}

absl::Status Partitioner::EnterManual(HloInstruction* call) {
  if (call->operand_count() != 1) return Malformed(*call);
  HloInstruction* whole = WithoutAnnotations(call->operand(0));
  HloSharding full = ShardingOf(*call->operand(0));
  // A parameter needs no annotation: it has its sharding itself.
  if (const auto known = divided_.find(whole);
      !call->operand(0)->has_sharding() && known != divided_.end()) {
    full = known->second.sharding;
  }
  XLA_ASSIGN_OR_RETURN(const Tiles all, TilesOf(full, whole->shape(), partitions_));
  XLA_ASSIGN_OR_RETURN(const Tiles tiles, ManualTiles(all, whole->shape(), call->shape()));
  // What is read here says how a group is divided, before what makes its values does.
  const std::string* group = GroupOf(*whole);
  const bool is_manual = full.IsManualSubgroup();
  if (group != nullptr && !is_manual && !all.IsOne() && all.sums.empty())
    groups_.emplace(*group, Alike{all, full});
  const auto known = divided_.find(whole);
  HloInstruction* local;
  if (known != divided_.end() && known->second.tiles == tiles) {
    local = known->second.shard;
  } else {
    XLA_ASSIGN_OR_RETURN(local, emit_.Cut(whole, tiles));
  }
  return call->parent()->ReplaceInstruction(call, local);
}

absl::Status Partitioner::LeaveManual(HloInstruction* call) {
  if (call->operand_count() != 1) return Malformed(*call);
  const HloSharding full = ShardingOf(*call);
  HloInstruction* local = WithoutAnnotations(call->operand(0));
  XLA_ASSIGN_OR_RETURN(const Tiles all, TilesOf(full, call->shape(), partitions_));
  XLA_ASSIGN_OR_RETURN(const Tiles tiles, ManualTiles(all, call->shape(), local->shape()));
  HloInstruction* whole = emit_.Gather(local, call->shape(), tiles);
  // Of a computation within another one, only the partitions of a group have the same.
  const bool is_whole = !full.IsManualSubgroup();
  if (is_whole) gathered_.insert(whole);
  if (!tiles.IsOne()) {
    divided_[whole] = Divided{local, tiles, full};
  } else if (const auto known = divided_.find(whole); is_whole && known != divided_.end()) {
    // The result of a computation within, of which the sharding names manual axes.
    XLA_ASSIGN_OR_RETURN(known->second.sharding, ShardingOfTiles(known->second.tiles));
  }
  return call->parent()->ReplaceInstruction(call, whole);
}

void Partitioner::FindDifferingConditionals() {
  Instructions sources;
  for (HloInstruction* parameter : entry_->parameter_instructions()) {
    const auto number = static_cast<size_t>(parameter->parameter_number());
    if (!shardings_.parameters[number].IsReplicated()) sources.push_back(parameter);
  }
  const auto differing = DifferingValues(module_, sources, gathered_);
  for (const HloComputation* computation : module_.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kConditional &&
          differing.contains(instruction->operand(0))) {
        differing_.insert(instruction);
      }
    }
  }
}

absl::StatusOr<HloInstruction*> Partitioner::DivideResult(HloInstruction* value,
                                                          const HloSharding& of_all) {
  if (value->shape().IsTuple()) return DivideTupleResult(value, of_all);
  const size_t number = shardings_.outputs.size();
  if (!value->shape().IsArray()) {
    shardings_.outputs.push_back(HloSharding::Replicate());
    return value;
  }
  HloSharding sharding = LeafSharding(of_all, number);
  const bool may_choose = !may_choose_output_.empty() &&
                          may_choose_output_[may_choose_output_.size() == 1
                                                 ? 0
                                                 : std::min(number, may_choose_output_.size() - 1)];
  XLA_RETURN_IF_ERROR(DivideAlike(value));  // its group may be known by now
  const Divided* known = FindDivided(value);
  XLA_ASSIGN_OR_RETURN(Tiles tiles, TilesOf(sharding, value->shape(), partitions_));
  XLA_RETURN_IF_ERROR(DivideEvenly(value->shape(), tiles, sharding));
  if (may_choose && !DividesEvenly(value->shape(), tiles)) {
    XLA_ASSIGN_OR_RETURN(tiles, TilesOf(HloSharding::Replicate(), value->shape(), partitions_));
  }
  if (tiles.IsOne() && may_choose) {
    if (const Alike* alike = AlikeOf(*value)) {
      tiles = alike->tiles;
      sharding = alike->sharding;
    } else if (known != nullptr && known->tiles.sums.empty()) {
      tiles = known->tiles;
      sharding = known->sharding;
    }
  }
  shardings_.outputs.push_back(tiles.IsOne() ? HloSharding::Replicate() : sharding);
  if (DividesEvenly(value->shape(), tiles)) return ShardOfAnnotated(value, tiles);
  return emit_.Cut(WithPadding(WithoutAnnotations(value), PaddedShape(value->shape(), tiles)),
                   tiles);
}

absl::Status Partitioner::DivideResults() {
  HloInstruction* root = entry_->root_instruction();
  const HloSharding sharding = ShardingOf(*root);
  root->mutable_extras().sharding.reset();
  if (!root->shape().IsTuple()) {
    // One result is the element of a tuple of one, which has its sharding.
    HloInstruction* value = root;
    if (root->opcode() == HloOpcode::kGetTupleElement &&
        root->operand(0)->opcode() == HloOpcode::kTuple) {
      value = root->operand(0)->operand(root->tuple_index());
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, DivideResult(value, sharding));
    entry_->set_root_instruction(result);
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * result, DivideResult(root, sharding));
  entry_->set_root_instruction(result);
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> Partitioner::DivideTupleResult(HloInstruction* tuple,
                                                               const HloSharding& sharding) {
  Instructions results;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < tuple->shape().tuple_shapes_size(); ++i) {
    HloInstruction* value =
        tuple->opcode() == HloOpcode::kTuple ? tuple->operand(i) : Element(tuple, i);
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, DivideResult(value, sharding));
    results.push_back(result);
    shapes.push_back(result->shape());
  }
  return Add(entry_, HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), results);
}

absl::StatusOr<ProgramShardings> PartitionModule(HloModule* module,
                                                 const std::vector<bool>& may_choose_output) {
  return Partitioner(module, may_choose_output).Run();
}

}  // namespace xla::pjrt

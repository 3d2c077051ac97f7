// SPDX-License-Identifier: Apache-2.0
// The order of partitioning; results.
#include "xla/spmd/partition.h"

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
#include "xla/passes/collective_group.h"
#include "xla/passes/dce.h"
#include "xla/passes/expand.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/divergence.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/maximal_sharding.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/plain_operations.h"
#include "xla/spmd/shift_calls.h"
#include "xla/spmd/tuple_state.h"
#include "xla/xla_data.pb.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// A result of several values that one instruction gives becomes a tuple of its elements, which may
// be divided one by one.
void SplitResult(HloComputation* entry) {
  HloInstruction* root = entry->root_instruction();
  if (!root->shape().IsTuple() || root->opcode() == HloOpcode::kTuple ||
      root->opcode() == HloOpcode::kParameter || root->HasControlDependencies() ||
      root->shape().tuple_shapes_size() == 0) {
    return;
  }
  Instructions elements;
  for (int64_t i = 0; i < root->shape().tuple_shapes_size(); ++i) {
    elements.push_back(Element(root, i));
  }
  HloInstruction* tuple = Add(entry, HloOpcode::kTuple, root->shape(), elements);
  tuple->mutable_extras().sharding = root->extras().sharding;
  entry->set_root_instruction(tuple);
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
  // Collectives that are unused may be removed then.
  module_.config().set_use_spmd_partitioning(true);
  XLA_RETURN_IF_ERROR(CheckAnnotations(module_));
  XLA_RETURN_IF_ERROR(WritePlainOperations(&module_));
  XLA_RETURN_IF_ERROR(PassTuples(&module_));
  unstated_results_ = UnstatedOutputs(module_);
  XLA_RETURN_IF_ERROR(PropagateModuleShardings(options_.may_choose_parameter,
                                               options_.may_choose_output, &module_));
  XLA_RETURN_IF_ERROR(InlineAllCalls(&module_).status());
  XLA_RETURN_IF_ERROR(ExpandBatchNorms(&module_).status());
  entry_ = module_.entry_computation();
  XLA_RETURN_IF_ERROR(ExpandShiftCalls(&module_, /*keeps_slices=*/true));
  SplitResult(entry_);
  result_sharding_ = ShardingOf(*entry_->root_instruction());
  XLA_RETURN_IF_ERROR(PartitionParameters());
  for (HloComputation* computation : module_.computations()) {
    XLA_RETURN_IF_ERROR(EnterAndLeaveManual(computation));
  }
  XLA_RETURN_IF_ERROR(PartitionMaximalCalls(&module_, emit_.next_channel()));
  FindDivergentInstructions();
  XLA_RETURN_IF_ERROR(PartitionOperations(entry_));
  XLA_RETURN_IF_ERROR(PartitionResults());
  XLA_RETURN_IF_ERROR(FinishCalls());
  XLA_RETURN_IF_ERROR(RemoveAnnotations(&module_));
  XLA_RETURN_IF_ERROR(SetShardSignature(&module_));
  XLA_RETURN_IF_ERROR(EliminateDeadCode(&module_).status());
  while (RemoveUnusedBroadcasts()) {
    XLA_RETURN_IF_ERROR(EliminateDeadCode(&module_).status());
  }
  return std::move(shardings_);
}

bool Partitioner::RemoveUnusedBroadcasts() {
  bool changed = false;
  for (HloComputation* computation : module_.computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kCollectiveBroadcast || instruction->IsRoot() ||
          !instruction->users().empty() || instruction->HasControlDependencies() ||
          !(emit_.IsOwnChannel(ChannelOf(*instruction).value_or(0)) ||
            sharded_.contains(instruction))) {
        continue;
      }
      sharded_.erase(instruction);
      changed |= computation->RemoveInstruction(instruction).ok();
    }
  }
  return changed;
}

absl::Status Partitioner::MakeEven(const Shape& full, ShardLayout& layout,
                                   HloSharding& sharding) const {
  if (full.is_dynamic() && !layout.IsUndivided()) {
    std::vector<int64_t> dynamic;
    for (int d = 0; d < full.rank(); ++d) {
      if (full.is_dynamic_dimension(d)) dynamic.push_back(d);
    }
    ShardLayout kept = LayoutWithWhole(layout, dynamic, partitions_);
    kept.partial_groups = layout.partial_groups;
    kept.reduction = layout.reduction;
    layout = std::move(kept);
    sharding = HloSharding::V3ToV2Sharding(ToNamedSharding(layout));
  }
  if (!module_.config().use_shardy_partitioner() || IsEven(full, layout) ||
      !layout.partial_groups.empty()) {
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(layout, EvenShardLayout(layout, full));
  XLA_ASSIGN_OR_RETURN(sharding, ToHloSharding(layout));
  return absl::OkStatus();
}

void Partitioner::FindDivergentInstructions() {
  Instructions sources;
  for (HloInstruction* parameter : entry_->parameter_instructions()) {
    const auto number = static_cast<size_t>(parameter->parameter_number());
    if (!shardings_.parameters[number].IsReplicated()) sources.push_back(parameter);
  }
  for (HloInstruction* instruction : entry_->instructions()) {
    if (IsCall(*instruction, "SPMDFullToShardShape")) sources.push_back(instruction);
  }
  const auto divergent = DivergentValues(module_, sources, gathered_);
  const auto diverges = [&](const HloInstruction& instruction) {
    const absl::Span<HloInstruction* const> operands = instruction.operands();
    const auto any = [&](absl::Span<HloInstruction* const> chosen) {
      return absl::c_any_of(
          chosen, [&](const HloInstruction* operand) { return divergent.contains(operand); });
    };
    switch (instruction.opcode()) {
      case HloOpcode::kConditional:
        return any(operands.first(1));
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
        return any(operands.subspan(1));
      case HloOpcode::kDynamicUpdateSlice:
        return any(operands.subspan(2));
      case HloOpcode::kScatter:
        return any(operands.subspan(operands.size() / 2, 1));
      default:
        return false;
    }
  };
  for (const HloComputation* computation : module_.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (diverges(*instruction)) divergent_.insert(instruction);
    }
  }
}

absl::StatusOr<std::pair<ShardLayout, HloSharding>> Partitioner::LayoutOfResult(
    const HloInstruction& value, size_t number, const HloSharding& of_all) const {
  const bool may_choose = MayChoose(options_.may_choose_output, number);
  HloSharding sharding = may_choose || !MayChoose(unstated_results_, number)
                             ? LeafSharding(of_all, number)
                             : HloSharding::Replicate();
  XLA_ASSIGN_OR_RETURN(ShardLayout layout, ShardLayoutOf(sharding, value.shape(), partitions_));
  XLA_RETURN_IF_ERROR(MakeEven(value.shape(), layout, sharding));
  if (may_choose && !IsEven(value.shape(), layout)) {
    XLA_ASSIGN_OR_RETURN(layout,
                         ShardLayoutOf(HloSharding::Replicate(), value.shape(), partitions_));
  }
  if (options_.complete_outputs && !layout.partial_groups.empty()) {
    layout.partial_groups.clear();
    XLA_ASSIGN_OR_RETURN(sharding, ToHloSharding(layout));
  }
  return std::pair(std::move(layout), std::move(sharding));
}

bool Partitioner::MayStayAsItIs(const ShardLayout& result, size_t number) const {
  return result.IsReplicated() && MayChoose(options_.may_choose_output, number) &&
         !module_.config().use_shardy_partitioner();
}

absl::StatusOr<HloInstruction*> Partitioner::PartitionResult(HloInstruction* value,
                                                             const HloSharding& of_all) {
  if (value->shape().IsTuple()) return PartitionTupleResult(value, of_all);
  const size_t number = shardings_.outputs.size();
  if (!value->shape().IsArray()) {
    shardings_.outputs.push_back(HloSharding::Replicate());
    return value;
  }
  XLA_ASSIGN_OR_RETURN(auto result, LayoutOfResult(*value, number, of_all));
  auto& [layout, sharding] = result;
  const Sharded* known = FindSharded(value);
  // What propagation leaves open, XLA's tiles do not: the result is as it is at hand.
  if (MayStayAsItIs(layout, number) && known != nullptr && value->shape().is_static() &&
      known->layout.partial_groups.empty() && IsEven(value->shape(), known->layout)) {
    layout = known->layout;
    sharding = known->sharding;
  }
  emit_.set_cause(*value);
  shardings_.outputs.push_back(layout.IsReplicated() ? HloSharding::Replicate() : sharding);
  if (options_.collect_values) {
    shardings_.values.push_back({absl::StrCat("result ", number), value->shape().ToString(),
                                 shardings_.outputs.back().ToString(), /*is_boundary=*/true});
  }
  return ShardOfAnnotated(value, layout);
}

absl::Status Partitioner::PartitionResults() {
  HloInstruction* root = entry_->root_instruction();
  root->mutable_extras().sharding.reset();
  if (!root->shape().IsTuple()) {
    // One result is the element of a tuple of one, which has its sharding.
    HloInstruction* value = root;
    if (root->opcode() == HloOpcode::kGetTupleElement &&
        root->operand(0)->opcode() == HloOpcode::kTuple) {
      value = root->operand(0)->operand(root->tuple_index());
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, PartitionResult(value, result_sharding_));
    entry_->set_root_instruction(result);
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * result, PartitionResult(root, result_sharding_));
  entry_->set_root_instruction(result);
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> Partitioner::PartitionTupleResult(HloInstruction* tuple,
                                                                  const HloSharding& sharding) {
  Instructions results;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < tuple->shape().tuple_shapes_size(); ++i) {
    HloInstruction* value =
        tuple->opcode() == HloOpcode::kTuple ? tuple->operand(i) : Element(tuple, i);
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, PartitionResult(value, sharding));
    results.push_back(result);
    shapes.push_back(result->shape());
  }
  return Add(entry_, HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), results);
}

bool HasShardings(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->has_sharding()) return true;
    }
  }
  return false;
}

int64_t CountShardedDevices(const HloModule& module) {
  int64_t devices = 1;
  const auto count = [&](const HloSharding& sharding) {
    if (sharding.UseNamedShardingLeaf() || sharding.kind() == HloSharding::Kind::kTiled) {
      devices = std::max(devices, sharding.num_devices());
    }
  };
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!instruction->has_sharding()) continue;
      const HloSharding& sharding = *instruction->extras().sharding;
      count(sharding);
      for (const HloSharding& element : sharding.tuple_elements()) count(element);
    }
  }
  return devices;
}

absl::StatusOr<bool> SpmdPartition(HloModule* module) {
  const HloModuleConfig& config = module->config();
  if (config.num_partitions() < 2 || !HasShardings(*module)) return false;
  PartitionOptions options;
  options.may_choose_output = config.allow_spmd_sharding_propagation_to_output();
  options.may_choose_parameter = config.allow_spmd_sharding_propagation_to_parameters();
  if (HasNamedShardings(*module)) {
    options.may_choose_output = UnstatedOutputs(*module);
    options.may_choose_parameter = {true};
  }
  XLA_RETURN_IF_ERROR(PartitionModule(module, options).status());
  return true;
}

absl::StatusOr<ProgramShardings> PartitionModule(HloModule* module,
                                                 const PartitionOptions& options) {
  return Partitioner(module, options).Run();
}

}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/generated_functions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/combiner_emitter.h"
#include "xla/cpu/codegen/comparator.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/lower/compiled_while.h"
#include "xla/cpu/lower/kernel_request.h"
#include "xla/cpu/lower/scalar_while.h"
#include "xla/cpu/plan/lowering.h"

namespace xla::cpu {
namespace {

// Returns the entries of a map from addresses in the order of names: addresses differ from run to
// run, and equal programs should give equal code.
template <typename Key>
std::vector<std::pair<std::string, Key>> ByName(const std::map<Key, std::string>& names) {
  std::vector<std::pair<std::string, Key>> sorted;
  for (const auto& [key, name] : names) sorted.emplace_back(name, key);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Whether two instructions with generated kernels compute the same function.
bool ComputesTheSame(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode()) return false;
  if (a.opcode() == HloOpcode::kFusion)
    return a.to_apply()->Equal(*b.to_apply(), /*layout_sensitive=*/false);
  return a.Identical(b, /*layout_sensitive=*/false);
}

size_t HashOf(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kFusion ? instruction.to_apply()->Hash()
                                                    : instruction.Hash();
}

}  // namespace

GeneratedFunctions::GeneratedFunctions(const ProgramSchedule& schedule, const Target& target,
                                       std::string prefix)
    : schedule_(schedule),
      target_(target),
      prefix_(std::move(prefix)),
      loops_(PlanLoops(schedule, target)) {
  PlanItems(schedule.items);
}

bool GeneratedFunctions::empty() const {
  return kernels_.empty() && comparators_.empty() && scalar_loops_.empty() &&
         element_loops_.empty() && compiled_loops_.empty() && combiners_.empty();
}

void GeneratedFunctions::PlanItems(absl::Span<const ScheduledItem> items) {
  for (const ScheduledItem& item : items) {
    if (item.kind == ScheduledItem::Kind::kWhile) {
      PlanLoop(item);
      continue;
    }
    for (const auto& body : item.bodies) PlanItems(body);
    if (item.kind != ScheduledItem::Kind::kInstruction) continue;
    const Lowering& lowering = LoweringOf(*item.instruction);
    if (lowering.needs_comparator) {
      const size_t number = comparators_.size();
      comparators_[item.instruction] = absl::StrCat(prefix_, "comparator_", number);
    }
    PlanCombiners(*item.instruction);
    if (lowering.kind != Lowering::Kind::kKernel) continue;
    const size_t found = FindOrPlanKernel(item);
    ++kernels_[found].uses;
    kernel_of_[&item] = found;
  }
}

void GeneratedFunctions::PlanLoop(const ScheduledItem& loop) {
  const LoopPlan& plan = loops_.at(&loop);
  const size_t number = scalar_loops_.size() + element_loops_.size();
  switch (plan.kind) {
    case LoopPlan::Kind::kElements:
      element_loops_[&loop] = absl::StrCat(prefix_, "elementwise_while_", number);
      [[fallthrough]];
    case LoopPlan::Kind::kScalars:
      if (plan.HasScalarFunction())
        scalar_loops_[&loop] = absl::StrCat(prefix_, "scalar_while_", number);
      break;
    case LoopPlan::Kind::kCompiled:
      for (const CompiledWhilePlan::Entry& entry : plan.function->entries) {
        if (entry.item != nullptr) PlanItems({entry.item, 1});
      }
      compiled_loops_[&loop] = absl::StrCat(prefix_, "while_", compiled_order_.size());
      compiled_order_.push_back(&loop);
      break;
    case LoopPlan::Kind::kThunks:
      for (const auto& body : loop.bodies) PlanItems(body);
      break;
    case LoopPlan::Kind::kInlined:
      break;
  }
}

// Returns the number of the kernel that computes an item.
size_t GeneratedFunctions::FindOrPlanKernel(const ScheduledItem& item) {
  const KernelRequest request = RequestOf(schedule_, item, target_);
  auto& candidates = by_hash_[HashOf(*item.instruction)];
  for (const size_t candidate : candidates) {
    const KernelPlan& plan = *kernels_[candidate].plan;
    if (plan.is_written == request.is_written && plan.is_unused == request.is_unused &&
        plan.epilogue_of == request.epilogue_of &&
        ComputesTheSame(*plan.instruction, *item.instruction)) {
      return candidate;
    }
  }
  candidates.push_back(kernels_.size());
  UniqueKernel kernel;
  kernel.plan = PlanKernel(request);
  kernel.name = absl::StrCat(prefix_, "kernel_", kernels_.size());
  kernels_.push_back(std::move(kernel));
  return kernels_.size() - 1;
}

void GeneratedFunctions::PlanCombiners(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kAllReduce &&
      instruction.opcode() != HloOpcode::kReduceScatter) {
    return;
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = FirstShape(*instruction.operand(i));
    if (!CanEmitCombiner(*instruction.to_apply(), shape.element_type())) continue;
    const size_t number = combiners_.size();
    combiners_[{&instruction, i}] = absl::StrCat(prefix_, "combiner_", number);
  }
}

absl::Status GeneratedFunctions::EmitKernelAt(Ir& ir, size_t kernel) {
  return EmitKernel(ir, *kernels_[kernel].plan, kernels_[kernel].name.c_str());
}

absl::Status GeneratedFunctions::EmitOthers(Ir& ir) const {
  for (const auto& [name, loop] : ByName(scalar_loops_))
    XLA_RETURN_IF_ERROR(EmitScalarWhile(ir, schedule_, *loop, name.c_str()));
  for (const auto& [name, loop] : ByName(element_loops_)) {
    XLA_RETURN_IF_ERROR(
        EmitElementwiseWhile(ir, schedule_, *loop, loops_.at(loop).elements, name.c_str()));
  }
  for (const ScheduledItem* loop : compiled_order_) {
    XLA_RETURN_IF_ERROR(EmitCompiledWhile(ir, schedule_, *loops_.at(loop).function,
                                          compiled_loops_.at(loop).c_str()));
  }
  for (const auto& [name, sort] : ByName(comparators_))
    XLA_RETURN_IF_ERROR(EmitComparator(ir, *sort->to_apply(), name.c_str()));
  for (const auto& [name, key] : ByName(combiners_)) {
    const HloInstruction& instruction = *key.first;
    const Shape& shape = FirstShape(*instruction.operand(key.second));
    XLA_RETURN_IF_ERROR(
        EmitCombiner(ir, *instruction.to_apply(), shape.element_type(), name.c_str()));
  }
  return absl::OkStatus();
}

void GeneratedFunctions::AddPlans(std::vector<std::string>& plans) const {
  for (const UniqueKernel& kernel : kernels_)
    plans.push_back(absl::StrCat(kernel.name, " ", PlanText(*kernel.plan)));
  for (const auto& [name, loop] : ByName(element_loops_)) {
    const ElementwiseWhileUnits& units = loops_.at(loop).elements;
    plans.push_back(
        absl::StrCat(name, " lanes ", units.lanes, " units ", units.count, " chunk ", units.chunk));
  }
  for (const ScheduledItem* loop : compiled_order_) {
    plans.push_back(
        absl::StrCat(compiled_loops_.at(loop), " ", PlanText(*loops_.at(loop).function)));
  }
}

absl::Status GeneratedFunctions::FindKernel(size_t k, const NativeCode& code) {
  kernels_[k].function = reinterpret_cast<KernelFunction>(code.Find(kernels_[k].name));
  return kernels_[k].function != nullptr ? absl::OkStatus()
                                         : absl::InternalError("a kernel was not compiled");
}

LoopFunction GeneratedFunctions::Loop(const LoopNames& names, const ScheduledItem& loop) const {
  const auto name = names.find(&loop);
  return name == names.end() ? nullptr : reinterpret_cast<LoopFunction>(code_->Find(name->second));
}

void* GeneratedFunctions::ComparatorOf(const HloInstruction& sort) const {
  const auto name = comparators_.find(&sort);
  return name == comparators_.end() ? nullptr : code_->Find(name->second);
}

std::vector<CombinerFunction> GeneratedFunctions::CombinersOf(
    const HloInstruction& instruction) const {
  std::vector<CombinerFunction> functions;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const auto found = combiners_.find({&instruction, i});
    if (found == combiners_.end()) continue;
    functions.resize(static_cast<size_t>(i) + 1, nullptr);
    functions.back() = reinterpret_cast<CombinerFunction>(code_->Find(found->second));
  }
  return functions;
}

}  // namespace xla::cpu

// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/thunk_builder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/plan/entry_layouts.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/run/library_calls.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/runtime/custom_call.h"

namespace xla::cpu {

absl::StatusOr<Steps> ThunkBuilder::Build() {
  Steps steps;
  XLA_RETURN_IF_ERROR(BuildItems(schedule_.items, steps));
  for (size_t k = 0; k < schedule_.results.size(); ++k) {
    const ValueId value = schedule_.results[k];
    if (value == kNoValue) continue;
    const Place place = {Place::Memory::kResult, static_cast<int32_t>(k), 0};
    AddCopy(schedule_.At(value).place, place, schedule_.At(value).bytes, steps);
  }
  return steps;
}

void ThunkBuilder::AddCopy(const Place& from, const Place& to, int64_t bytes, Steps& steps) const {
  if (from == to || bytes == 0) return;
  steps.push_back(std::make_unique<CopyStep>(SlotAt(from), SlotAt(to), bytes));
}

void ThunkBuilder::AddCopy(ValueId from, ValueId to, Steps& steps) const {
  AddCopy(schedule_.At(from).place, schedule_.At(to).place, schedule_.At(to).bytes, steps);
}

Slot ThunkBuilder::SlotAt(const Place& place) const {
  return memories_.SlotOf(ExchangedPlace(schedule_, exchanges_, place));
}

std::vector<Slot> ThunkBuilder::SlotsOf(const std::vector<ValueId>& values) const {
  std::vector<Slot> slots;
  for (const ValueId value : values) {
    slots.push_back(value == kNoValue ? Slot() : SlotAt(schedule_.At(value).place));
  }
  return slots;
}

std::vector<std::optional<Slot>> ThunkBuilder::PresentSlots(
    const std::vector<ValueId>& values) const {
  std::vector<std::optional<Slot>> slots;
  for (const ValueId value : values) {
    slots.emplace_back();
    if (value != kNoValue) slots.back() = memories_.SlotOf(schedule_.At(value).place);
  }
  return slots;
}

absl::Status ThunkBuilder::BuildItems(const std::vector<ScheduledItem>& items, Steps& steps) {
  for (const ScheduledItem& item : items) XLA_RETURN_IF_ERROR(BuildItem(item, steps));
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildItem(const ScheduledItem& item, Steps& steps) {
  switch (item.kind) {
    case ScheduledItem::Kind::kCopy:
      AddCopy(item.operands[0], item.results[0], steps);
      return absl::OkStatus();
    case ScheduledItem::Kind::kWhile:
      return BuildWhile(item, steps);
    case ScheduledItem::Kind::kConditional:
      return BuildConditional(item, steps);
    case ScheduledItem::Kind::kInstruction:
      break;
  }
  return BuildInstruction(item, steps);
}

absl::Status ThunkBuilder::BuildConditional(const ScheduledItem& item, Steps& steps) {
  std::vector<Steps> branches(item.bodies.size());
  for (size_t i = 0; i < branches.size(); ++i) {
    XLA_RETURN_IF_ERROR(BuildItems(item.bodies[i], branches[i]));
  }
  const bool is_predicate = item.instruction->operand(0)->shape().element_type() == PRED;
  steps.push_back(std::make_unique<ConditionalStep>(
      is_predicate, memories_.SlotOf(schedule_.At(item.operands[0]).place), std::move(branches)));
  steps.back()->set_instruction(item.instruction);
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildWhile(const ScheduledItem& loop, Steps& steps) {
  const LoopPlan& plan = functions_.loops().at(&loop);
  switch (plan.kind) {
    case LoopPlan::Kind::kElements:
    case LoopPlan::Kind::kScalars:
      BuildLoopFunctions(loop, plan, steps);
      return absl::OkStatus();
    case LoopPlan::Kind::kCompiled:
      return BuildCompiledWhile(loop, *plan.function, steps);
    case LoopPlan::Kind::kThunks:
      return BuildPhases(loop, steps);
    case LoopPlan::Kind::kInlined:
      break;
  }
  return absl::InternalError("a loop within the function of another one has no thunk");
}

void ThunkBuilder::BuildLoopFunctions(const ScheduledItem& loop, const LoopPlan& plan,
                                      Steps& steps) {
  const ScalarLoopArrays arrays = ArraysOfScalarLoop(loop);
  std::vector<Slot> slots = SlotsOf(arrays.state);
  const std::vector<Slot> inputs = SlotsOf(arrays.inputs);
  slots.insert(slots.end(), inputs.begin(), inputs.end());
  if (plan.kind == LoopPlan::Kind::kElements) {
    steps.push_back(std::make_unique<ScalarLoopStep>(functions_.ElementLoopOf(loop), slots,
                                                     plan.elements.count, plan.elements.chunk));
    steps.back()->set_instruction(loop.instruction);
  }
  if (plan.HasScalarFunction()) {
    steps.push_back(
        std::make_unique<ScalarLoopStep>(functions_.ScalarLoopOf(loop), std::move(slots)));
    steps.back()->set_instruction(loop.instruction);
  }
}

absl::Status ThunkBuilder::BuildCompiledWhile(const ScheduledItem& loop,
                                              const CompiledWhilePlan& plan, Steps& steps) {
  using Entry = CompiledWhilePlan::Entry;
  std::vector<CompiledWhileStep::Entry> table;
  std::vector<std::unique_ptr<Steps>> inner;
  for (size_t t = 0; t <= plan.tables.size(); ++t) {
    if (t > 0) exchanges_ = plan.items.at(plan.tables[t - 1]).exchanges;
    for (const Entry& entry : plan.entries) {
      CompiledWhileStep::Entry& added = table.emplace_back();
      switch (entry.kind) {
        case Entry::Kind::kValue:
          if (entry.value != kNoValue) added.slot = SlotAt(schedule_.At(entry.value).place);
          break;
        case Entry::Kind::kFunction:
          added.kind = CompiledWhileStep::Entry::Kind::kAddress;
          added.address = reinterpret_cast<void*>(functions_.KernelOf(*entry.item).function);
          break;
        case Entry::Kind::kSteps: {
          added.kind = CompiledWhileStep::Entry::Kind::kAddress;
          if (t > 0) break;  // loops that exchange buffers run no thunks
          auto built = std::make_unique<Steps>();
          XLA_RETURN_IF_ERROR(BuildItem(*entry.item, *built));
          added.address = built.get();
          inner.push_back(std::move(built));
          break;
        }
        case Entry::Kind::kRun:
          added.kind = CompiledWhileStep::Entry::Kind::kRun;
          break;
      }
    }
  }
  exchanges_.clear();
  steps.push_back(std::make_unique<CompiledWhileStep>(functions_.CompiledLoopOf(loop),
                                                      std::move(table), std::move(inner)));
  steps.back()->set_instruction(loop.instruction);
  return absl::OkStatus();
}

// One phase, or two whose iterations alternate, with the buffers of the state exchanged.
absl::Status ThunkBuilder::BuildPhases(const ScheduledItem& loop, Steps& steps) {
  const std::vector<Exchange> exchanges = ExchangesOf(schedule_, loop);
  std::vector<WhileStep::Phase> phases(exchanges.empty() ? 1 : 2);
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    if (phase == 1) exchanges_ = exchanges;
    XLA_RETURN_IF_ERROR(BuildItems(loop.bodies[0], phases[phase].condition));
    for (const ScheduledItem& part : loop.bodies[1]) {
      const bool is_exchanged =
          part.kind == ScheduledItem::Kind::kCopy &&
          std::any_of(exchanges.begin(), exchanges.end(), [&](const Exchange& exchange) {
            return part.operands[0] == exchange.next && part.results[0] == exchange.state;
          });
      if (!is_exchanged) XLA_RETURN_IF_ERROR(BuildItem(part, phases[phase].body));
    }
  }
  exchanges_.clear();
  Steps finish;
  for (const Exchange& exchange : exchanges) AddCopy(exchange.next, exchange.state, finish);
  steps.push_back(std::make_unique<WhileStep>(memories_.SlotOf(schedule_.At(loop.predicate).place),
                                              std::move(phases), std::move(finish)));
  steps.back()->set_instruction(loop.instruction);
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildInstruction(const ScheduledItem& item, Steps& steps) {
  if (item.contraction != nullptr) return BuildContraction(item, steps);
  const HloInstruction& instruction = *item.instruction;
  if (LoweringOf(instruction).kind == Lowering::Kind::kKernel) {
    BuildKernel(item, steps);
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const bool is_prepared, BuildPrepared(item, steps));
  if (is_prepared) return absl::OkStatus();
  if (instruction.opcode() == HloOpcode::kCustomCall &&
      instruction.custom_call_target() == kBitcastTarget) {
    XLA_ASSIGN_OR_RETURN(Shape to, BitcastResult(instruction));
    steps.push_back(std::make_unique<BitcastStep>(
        &instruction,
        instruction.attributes<CustomCallAttributes>().operand_layout_constraints->front(),
        std::move(to), SlotsOf(item.operands)[0], SlotsOf(item.results)[0]));
    return absl::OkStatus();
  }
  return BuildLibraryCall(item, steps);
}

void ThunkBuilder::BuildKernel(const ScheduledItem& item, Steps& steps) {
  std::vector<Slot> arrays = SlotsOf(item.operands);
  const std::vector<Slot> results = SlotsOf(item.results);
  const std::vector<int64_t>& updated = LoweringOf(*item.instruction).updated;
  for (size_t r = 0; r < updated.size(); ++r) {
    const auto operand = static_cast<size_t>(updated[r]);
    AddCopy(item.operands[operand], item.results[r], steps);
    arrays[operand] = results[r];
  }
  arrays.insert(arrays.end(), results.begin(), results.end());
  const UniqueKernel& kernel = functions_.KernelOf(item);
  if (kernel.plan->units == 0) return;
  steps.push_back(std::make_unique<KernelStep>(kernel.function, std::move(arrays),
                                               kernel.plan->units, kernel.plan->chunk));
  steps.back()->set_instruction(item.instruction);
}

absl::StatusOr<bool> ThunkBuilder::BuildPrepared(const ScheduledItem& item, Steps& steps) {
  const HloInstruction& instruction = *item.instruction;
  if (IsLapackCall(instruction) && options_.custom_calls != nullptr &&
      options_.custom_calls->Contains(instruction.custom_call_target())) {
    return false;
  }
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<const kernels::Kernel> prepared,
                       MakePreparedKernel(instruction, reinterpret_cast<SortComparator>(
                                                           functions_.ComparatorOf(instruction))));
  if (prepared == nullptr) return false;
  prepared_.push_back(prepared.get());
  if (HasForms(instruction)) chosen_.push_back({&instruction, {}});
  std::vector<Slot> buffers = SlotsOf(item.operands);
  const std::vector<Slot> results = SlotsOf(item.results);
  buffers.insert(buffers.end(), results.begin(), results.end());
  steps.push_back(
      MakePreparedThunk(std::move(prepared), std::move(buffers), schedule_.scratch_bytes));
  steps.back()->set_instruction(&instruction);
  if (IsLapackCall(instruction)) {
    steps.back() = std::make_unique<OverridableStep>(
        &instruction, std::move(steps.back()),
        std::make_unique<LibraryStep>(CallCustom, &instruction, PresentSlots(item.operands),
                                      PresentSlots(item.results), std::vector<FoldFunction>()));
  }
  return true;
}

absl::Status ThunkBuilder::BuildLibraryCall(const ScheduledItem& item, Steps& steps) {
  const HloInstruction& instruction = *item.instruction;
  const LibraryFunction function = FindLibraryFunction(instruction);
  if (function == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the CPU compiler does not implement ", instruction.ToShortString()));
  }
  steps.push_back(std::make_unique<LibraryStep>(
      function, &instruction, PresentSlots(item.operands), PresentSlots(item.results),
      functions_.CombinersOf(instruction), MakeCallSite(instruction)));
  return absl::OkStatus();
}

// A dot or convolution that a fusion finishes.
absl::Status ThunkBuilder::BuildContraction(const ScheduledItem& item, Steps& steps) {
  const std::vector<Slot> operands = SlotsOf(item.operands), results = SlotsOf(item.results);
  const auto own = operands.begin() + item.instruction->operand_count();
  std::vector<Slot> buffers(own, operands.end());
  buffers.push_back(results[0]);
  buffers.insert(buffers.end(), operands.begin(), own);
  kernels::KernelEpilogue epilogue;
  epilogue.store = reinterpret_cast<decltype(epilogue.store)>(
      reinterpret_cast<void*>(functions_.KernelOf(item).function));
  epilogue.in_place =
      item.contraction->shape().element_type() == item.instruction->shape().element_type();
  XLA_ASSIGN_OR_RETURN(auto prepared, MakePreparedKernel(*item.contraction, nullptr, epilogue));
  prepared_.push_back(prepared.get());
  chosen_.push_back({item.contraction, epilogue});
  steps.push_back(
      MakePreparedThunk(std::move(prepared), std::move(buffers), schedule_.scratch_bytes));
  steps.back()->set_instruction(item.instruction);
  return absl::OkStatus();
}

}  // namespace xla::cpu

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
#include "xla/cpu/run/library_custom_calls.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/runtime/custom_call.h"

namespace xla::cpu {

absl::StatusOr<ThunkSequence> ThunkBuilder::Build() {
  ThunkSequence thunks;
  XLA_RETURN_IF_ERROR(BuildItems(schedule_.items, thunks));
  for (size_t k = 0; k < schedule_.results.size(); ++k) {
    const ValueId value = schedule_.results[k];
    if (value == kNoValue) continue;
    const BufferSlice slice = {BufferSlice::Memory::kResult, static_cast<int32_t>(k), 0};
    AddCopy(schedule_.At(value).slice, slice, schedule_.At(value).bytes, thunks);
  }
  return thunks;
}

void ThunkBuilder::AddCopy(const BufferSlice& from, const BufferSlice& to, int64_t bytes,
                           ThunkSequence& thunks) const {
  if (from == to || bytes == 0) return;
  thunks.push_back(std::make_unique<CopyThunk>(SlotAt(from), SlotAt(to), bytes));
}

void ThunkBuilder::AddCopy(ValueId from, ValueId to, ThunkSequence& thunks) const {
  AddCopy(schedule_.At(from).slice, schedule_.At(to).slice, schedule_.At(to).bytes, thunks);
}

Slot ThunkBuilder::SlotAt(const BufferSlice& slice) const {
  return memories_.SlotOf(SwappedSlice(schedule_, pairs_, slice));
}

std::vector<Slot> ThunkBuilder::SlotsOf(const std::vector<ValueId>& values) const {
  std::vector<Slot> slots;
  for (const ValueId value : values) {
    slots.push_back(value == kNoValue ? Slot() : SlotAt(schedule_.At(value).slice));
  }
  return slots;
}

std::vector<std::optional<Slot>> ThunkBuilder::PresentSlots(
    const std::vector<ValueId>& values) const {
  std::vector<std::optional<Slot>> slots;
  for (const ValueId value : values) {
    slots.emplace_back();
    if (value != kNoValue) slots.back() = memories_.SlotOf(schedule_.At(value).slice);
  }
  return slots;
}

absl::Status ThunkBuilder::BuildItems(const std::vector<ScheduledItem>& items,
                                      ThunkSequence& thunks) {
  for (const ScheduledItem& item : items) XLA_RETURN_IF_ERROR(BuildItem(item, thunks));
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildItem(const ScheduledItem& item, ThunkSequence& thunks) {
  switch (item.kind) {
    case ScheduledItem::Kind::kCopy:
      AddCopy(item.operands[0], item.results[0], thunks);
      return absl::OkStatus();
    case ScheduledItem::Kind::kWhile:
      return BuildWhile(item, thunks);
    case ScheduledItem::Kind::kConditional:
      return BuildConditional(item, thunks);
    case ScheduledItem::Kind::kInstruction:
      break;
  }
  return BuildInstruction(item, thunks);
}

absl::Status ThunkBuilder::BuildConditional(const ScheduledItem& item, ThunkSequence& thunks) {
  std::vector<ThunkSequence> branches(item.bodies.size());
  for (size_t i = 0; i < branches.size(); ++i) {
    XLA_RETURN_IF_ERROR(BuildItems(item.bodies[i], branches[i]));
  }
  const bool is_predicate = item.instruction->operand(0)->shape().element_type() == PRED;
  thunks.push_back(std::make_unique<ConditionalThunk>(
      is_predicate, memories_.SlotOf(schedule_.At(item.operands[0]).slice), std::move(branches)));
  thunks.back()->set_instruction(item.instruction);
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildWhile(const ScheduledItem& loop, ThunkSequence& thunks) {
  const LoopPlan& plan = functions_.loops().at(&loop);
  switch (plan.kind) {
    case LoopPlan::Kind::kElements:
    case LoopPlan::Kind::kScalars:
      BuildLoopFunctions(loop, plan, thunks);
      return absl::OkStatus();
    case LoopPlan::Kind::kCompiled:
      return BuildCompiledWhile(loop, *plan.function, thunks);
    case LoopPlan::Kind::kThunks:
      return BuildPhases(loop, thunks);
    case LoopPlan::Kind::kInlined:
      break;
  }
  return absl::InternalError("a loop within the function of another one has no thunk");
}

void ThunkBuilder::BuildLoopFunctions(const ScheduledItem& loop, const LoopPlan& plan,
                                      ThunkSequence& thunks) {
  const ScalarWhileArrays arrays = ArraysOfScalarWhile(loop);
  std::vector<Slot> slots = SlotsOf(arrays.state);
  const std::vector<Slot> inputs = SlotsOf(arrays.inputs);
  slots.insert(slots.end(), inputs.begin(), inputs.end());
  if (plan.kind == LoopPlan::Kind::kElements) {
    thunks.push_back(std::make_unique<LoopFunctionThunk>(functions_.ElementLoopOf(loop), slots,
                                                         plan.elements.count, plan.elements.chunk));
    thunks.back()->set_instruction(loop.instruction);
  }
  if (plan.HasScalarFunction()) {
    thunks.push_back(
        std::make_unique<LoopFunctionThunk>(functions_.ScalarLoopOf(loop), std::move(slots)));
    thunks.back()->set_instruction(loop.instruction);
  }
}

absl::Status ThunkBuilder::BuildCompiledWhile(const ScheduledItem& loop,
                                              const CompiledWhilePlan& plan,
                                              ThunkSequence& thunks) {
  using Entry = CompiledWhilePlan::Entry;
  std::vector<CompiledWhileThunk::Entry> table;
  std::vector<std::unique_ptr<ThunkSequence>> inner;
  for (size_t t = 0; t <= plan.tables.size(); ++t) {
    if (t > 0) pairs_ = plan.items.at(plan.tables[t - 1]).pairs;
    for (const Entry& entry : plan.entries) {
      CompiledWhileThunk::Entry& added = table.emplace_back();
      switch (entry.kind) {
        case Entry::Kind::kValue:
          if (entry.value != kNoValue) added.slot = SlotAt(schedule_.At(entry.value).slice);
          break;
        case Entry::Kind::kFunction:
          added.kind = CompiledWhileThunk::Entry::Kind::kAddress;
          added.address = reinterpret_cast<void*>(functions_.KernelOf(*entry.item).function);
          break;
        case Entry::Kind::kThunks: {
          added.kind = CompiledWhileThunk::Entry::Kind::kAddress;
          if (t > 0) break;  // loops with ping-pong state run no thunks
          auto built = std::make_unique<ThunkSequence>();
          XLA_RETURN_IF_ERROR(BuildItem(*entry.item, *built));
          added.address = built.get();
          inner.push_back(std::move(built));
          break;
        }
        case Entry::Kind::kRun:
          added.kind = CompiledWhileThunk::Entry::Kind::kRun;
          break;
      }
    }
  }
  pairs_.clear();
  thunks.push_back(std::make_unique<CompiledWhileThunk>(functions_.CompiledLoopOf(loop),
                                                        std::move(table), std::move(inner)));
  thunks.back()->set_instruction(loop.instruction);
  return absl::OkStatus();
}

// Builds one phase, or two that alternate, with the buffers of the state swapped.
absl::Status ThunkBuilder::BuildPhases(const ScheduledItem& loop, ThunkSequence& thunks) {
  const std::vector<PingPongPair> pairs = PingPongPairsOf(schedule_, loop);
  std::vector<WhileThunk::Phase> phases(pairs.empty() ? 1 : 2);
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    if (phase == 1) pairs_ = pairs;
    XLA_RETURN_IF_ERROR(BuildItems(loop.bodies[0], phases[phase].condition));
    for (const ScheduledItem& part : loop.bodies[1]) {
      const bool is_swapped_copy =
          part.kind == ScheduledItem::Kind::kCopy &&
          std::any_of(pairs.begin(), pairs.end(), [&](const PingPongPair& pair) {
            return part.operands[0] == pair.next && part.results[0] == pair.state;
          });
      if (!is_swapped_copy) XLA_RETURN_IF_ERROR(BuildItem(part, phases[phase].body));
    }
  }
  pairs_.clear();
  ThunkSequence finish;
  for (const PingPongPair& pair : pairs) AddCopy(pair.next, pair.state, finish);
  thunks.push_back(std::make_unique<WhileThunk>(
      memories_.SlotOf(schedule_.At(loop.predicate).slice), std::move(phases), std::move(finish)));
  thunks.back()->set_instruction(loop.instruction);
  return absl::OkStatus();
}

absl::Status ThunkBuilder::BuildInstruction(const ScheduledItem& item, ThunkSequence& thunks) {
  if (item.contraction != nullptr) return BuildContraction(item, thunks);
  const HloInstruction& instruction = *item.instruction;
  if (LoweringOf(instruction).kind == Lowering::Kind::kKernel) {
    BuildKernel(item, thunks);
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const bool is_prepared, BuildPrepared(item, thunks));
  if (is_prepared) return absl::OkStatus();
  if (instruction.opcode() == HloOpcode::kCustomCall &&
      instruction.custom_call_target() == kBitcastTarget) {
    XLA_ASSIGN_OR_RETURN(Shape to, BitcastResult(instruction));
    thunks.push_back(std::make_unique<BitcastThunk>(
        &instruction,
        instruction.attributes<CustomCallAttributes>().operand_layout_constraints->front(),
        std::move(to), SlotsOf(item.operands)[0], SlotsOf(item.results)[0]));
    return absl::OkStatus();
  }
  return BuildLibraryCall(item, thunks);
}

void ThunkBuilder::BuildKernel(const ScheduledItem& item, ThunkSequence& thunks) {
  std::vector<Slot> arrays = SlotsOf(item.operands);
  const std::vector<Slot> results = SlotsOf(item.results);
  const std::vector<int64_t>& updated = LoweringOf(*item.instruction).updated;
  for (size_t r = 0; r < updated.size(); ++r) {
    const auto operand = static_cast<size_t>(updated[r]);
    AddCopy(item.operands[operand], item.results[r], thunks);
    arrays[operand] = results[r];
  }
  arrays.insert(arrays.end(), results.begin(), results.end());
  const UniqueKernel& kernel = functions_.KernelOf(item);
  if (kernel.plan->units == 0) return;
  thunks.push_back(std::make_unique<KernelThunk>(kernel.function, std::move(arrays),
                                                 kernel.plan->units, kernel.plan->chunk));
  thunks.back()->set_instruction(item.instruction);
}

absl::StatusOr<bool> ThunkBuilder::BuildPrepared(const ScheduledItem& item, ThunkSequence& thunks) {
  const HloInstruction& instruction = *item.instruction;
  if (IsLapackCall(instruction) && options_.custom_calls != nullptr &&
      options_.custom_calls->Contains(instruction.custom_call_target())) {
    return false;
  }
  XLA_ASSIGN_OR_RETURN(std::optional<kernels::Recipe> recipe,
                       RecipeOf(instruction, reinterpret_cast<SortComparator>(
                                                 functions_.ComparatorOf(instruction))));
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<const kernels::Kernel> prepared,
                       MakePreparedKernel(instruction, recipe));
  if (prepared == nullptr) return false;
  prepared_.push_back(prepared.get());
  if (HasForms(instruction)) chosen_.push_back({&instruction, {}});
  std::vector<Slot> buffers = SlotsOf(item.operands);
  const std::vector<Slot> results = SlotsOf(item.results);
  buffers.insert(buffers.end(), results.begin(), results.end());
  thunks.push_back(std::make_unique<PreparedThunk>(std::move(prepared), std::move(recipe),
                                                   std::move(buffers), schedule_.scratch_bytes));
  thunks.back()->set_instruction(&instruction);
  if (IsLapackCall(instruction)) {
    thunks.back() = std::make_unique<OverridableThunk>(
        &instruction, std::move(thunks.back()),
        std::make_unique<LibraryThunk>(CallCustom, &instruction, PresentSlots(item.operands),
                                       PresentSlots(item.results),
                                       std::vector<CombinerFunction>()));
  }
  return true;
}

absl::Status ThunkBuilder::BuildLibraryCall(const ScheduledItem& item, ThunkSequence& thunks) {
  const HloInstruction& instruction = *item.instruction;
  const LibraryFunction function = FindLibraryFunction(instruction);
  if (function == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the CPU compiler does not implement ", instruction.ToShortString()));
  }
  thunks.push_back(std::make_unique<LibraryThunk>(
      function, &instruction, PresentSlots(item.operands), PresentSlots(item.results),
      functions_.CombinersOf(instruction), MakeCallSite(instruction)));
  return absl::OkStatus();
}

// Builds a dot or convolution that a fusion finishes.
absl::Status ThunkBuilder::BuildContraction(const ScheduledItem& item, ThunkSequence& thunks) {
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
  XLA_ASSIGN_OR_RETURN(std::optional<kernels::Recipe> recipe,
                       RecipeOf(*item.contraction, nullptr, epilogue));
  XLA_ASSIGN_OR_RETURN(auto prepared, MakePreparedKernel(*item.contraction, recipe));
  prepared_.push_back(prepared.get());
  chosen_.push_back({item.contraction, epilogue});
  thunks.push_back(std::make_unique<PreparedThunk>(std::move(prepared), std::move(recipe),
                                                   std::move(buffers), schedule_.scratch_bytes));
  thunks.back()->set_instruction(item.instruction);
  return absl::OkStatus();
}

}  // namespace xla::cpu

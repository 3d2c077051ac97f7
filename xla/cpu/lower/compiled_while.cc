// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/compiled_while.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/machine.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/lower/kernel_request.h"
#include "xla/cpu/lower/scalar_while.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

using Mode = CompiledWhilePlan::Mode;
using Entry = CompiledWhilePlan::Entry;

bool IsListed(const std::vector<ValueId>& values, ValueId value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Calls visit(value, is_made) for the values that items, and the items within them, read or make.
void VisitValues(absl::Span<const ScheduledItem> items,
                 absl::FunctionRef<void(ValueId, bool)> visit) {
  for (const ScheduledItem& item : items) {
    for (const ValueId value : item.operands) {
      if (value != kNoValue) visit(value, false);
    }
    for (const ValueId value : item.results) {
      if (value != kNoValue) visit(value, true);
    }
    for (const auto& body : item.bodies) VisitValues(body, visit);
    if (item.predicate != kNoValue) visit(item.predicate, false);
  }
}

// Whether this item contains at most `left` items, no more than `depth` deep. Subtracts their
// number from `left`.
bool HasFewItems(const ScheduledItem& item, int64_t depth, int64_t& left) {
  for (const auto& body : item.bodies) {
    left -= static_cast<int64_t>(body.size());
    if (left < 0 || depth == 0) return false;
    for (const ScheduledItem& inner : body) {
      if (!HasFewItems(inner, depth - 1, left)) return false;
    }
  }
  return true;
}

class CompiledWhilePlanner {
 public:
  CompiledWhilePlanner(const ProgramSchedule& schedule, const Target& target)
      : schedule_(schedule), target_(target) {}

  std::optional<CompiledWhilePlan> Plan(const ScheduledItem& loop) {
    if (loop.kind != ScheduledItem::Kind::kWhile) return std::nullopt;
    // Keeps the time linear for deep nests, and the stack small.
    constexpr int64_t kMostItems = 1000, kDeepest = 16;
    int64_t items = kMostItems;
    if (!HasFewItems(loop, kDeepest, items)) return std::nullopt;
    plan_.loop = &loop;
    AddItem(loop);
    if (plan_.items.at(&loop).mode != Mode::kLoop || generated_ == 0 || thunks_ > generated_)
      return std::nullopt;
    return std::move(plan_);
  }

 private:
  void AddItems(absl::Span<const ScheduledItem> items) {
    for (const ScheduledItem& item : items) AddItem(item);
  }

  void AddItem(const ScheduledItem& item) {
    CompiledWhilePlan::Item planned;
    planned.mode = ModeOf(item, &planned.kernel);
    planned.entry = plan_.entries.size();
    switch (planned.mode) {
      case Mode::kCopy:
        break;
      case Mode::kScalar:
      case Mode::kInline:
        ++generated_;
        instructions_ += item.instruction->to_apply()->instruction_count();
        break;
      case Mode::kCall: {
        ++generated_;
        plan_.entries.push_back({Entry::Kind::kFunction, kNoValue, &item});
        for (const ValueId value : ArraysOfKernel(item))
          plan_.entries.push_back({Entry::Kind::kValue, value, nullptr});
        plan_.entries.push_back({Entry::Kind::kRun, kNoValue, nullptr});
        break;
      }
      case Mode::kThunks:
        ++thunks_;
        plan_.entries.push_back({Entry::Kind::kThunks, kNoValue, &item});
        break;
      case Mode::kLoop:
        planned.pairs = PingPongPairsOf(schedule_, item);
        if (!planned.pairs.empty()) {
          plan_.tables.push_back(&item);
          planned.table = plan_.tables.size();
        }
        break;
      case Mode::kBranches:
        break;
    }
    const bool has_bodies = planned.mode == Mode::kLoop || planned.mode == Mode::kBranches;
    plan_.items[&item] = std::move(planned);
    if (!has_bodies) return;
    for (const auto& body : item.bodies) AddItems(body);
  }

  Mode ModeOf(const ScheduledItem& item, std::unique_ptr<const KernelPlan>* planned) const {
    constexpr int64_t kMostInstructions = 800;
    constexpr size_t kMostBranches = 16;
    constexpr double kMostOperations = 1 << 14;
    switch (item.kind) {
      case ScheduledItem::Kind::kCopy:
        return Mode::kCopy;
      case ScheduledItem::Kind::kConditional:
        return item.bodies.size() <= kMostBranches ? Mode::kBranches : Mode::kThunks;
      case ScheduledItem::Kind::kWhile:
        return IsLoopOfFunction(item) ? Mode::kLoop : Mode::kThunks;
      case ScheduledItem::Kind::kInstruction:
        break;
    }
    const HloInstruction& instruction = *item.instruction;
    if (instruction.opcode() != HloOpcode::kFusion || item.contraction != nullptr ||
        IsListed(item.operands, kNoValue)) {
      return Mode::kThunks;
    }
    const HloComputation& computation = *instruction.to_apply();
    const bool fits = instructions_ + computation.instruction_count() <= kMostInstructions;
    if (fits && IsScalar(item)) return Mode::kScalar;
    *planned = PlanKernel(RequestOf(schedule_, item, target_));
    const KernelPlan& kernel = **planned;
    if (kernel.units > kernel.chunk) return Mode::kThunks;
    const bool is_small = kernel.bytes <= static_cast<double>(target_.machine.page_bytes) &&
                          kernel.operations <= kMostOperations;
    return fits && is_small && !kernel.streams ? Mode::kInline : Mode::kCall;
  }

  // Whether a loop is run by this function rather than by other means.
  bool IsLoopOfFunction(const ScheduledItem& loop) const {
    if (loop.predicate == kNoValue) return false;
    if (ElementwiseWhileLength(schedule_, loop) > 0) return false;  // vectors stay in registers
    // Thunks find each array in one place.
    if (PingPongPairsOf(schedule_, loop).empty()) return true;
    for (const auto& body : loop.bodies) {
      for (const ScheduledItem& item : body) {
        std::unique_ptr<const KernelPlan> kernel;
        if (ModeOf(item, &kernel) == Mode::kThunks) return false;
      }
    }
    return true;
  }

  bool IsScalar(const ScheduledItem& item) const {
    if (!LoweringOf(*item.instruction).updated.empty()) return false;
    for (const ValueId result : item.results) {
      if (result != kNoValue && !IsOneElement(schedule_, result)) return false;
    }
    const auto& instructions = item.instruction->to_apply()->instructions();
    return std::none_of(instructions.begin(), instructions.end(), [](const auto* instruction) {
      constexpr int64_t kShortSum = 16;
      return (instruction->opcode() == HloOpcode::kReduce ||
              instruction->opcode() == HloOpcode::kDot) &&
             CountOf(instruction->operand(0)->shape()) > kShortSum;
    });
  }

  // Returns operands and results; operands that are updated in place are in the memory of the
  // results.
  static std::vector<ValueId> ArraysOfKernel(const ScheduledItem& item) {
    std::vector<ValueId> arrays = item.operands;
    const std::vector<int64_t>& updated = LoweringOf(*item.instruction).updated;
    for (size_t r = 0; r < updated.size(); ++r)
      arrays[static_cast<size_t>(updated[r])] = item.results[r];
    arrays.insert(arrays.end(), item.results.begin(), item.results.end());
    return arrays;
  }

  const ProgramSchedule& schedule_;
  const Target& target_;
  CompiledWhilePlan plan_;
  int64_t instructions_ = 0;  // of the function
  int64_t generated_ = 0, thunks_ = 0;
};

// Adds the addresses of all values that the function's own code reads or writes.
void AddValueEntries(CompiledWhilePlan& plan) {
  std::vector<ValueId> values;
  VisitValues({plan.loop, 1}, [&](ValueId value, bool) { values.push_back(value); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const ValueId value : values) {
    plan.value_entries[value] = plan.entries.size();
    plan.entries.push_back({Entry::Kind::kValue, value, nullptr});
  }
}

class CompiledWhileEmitter {
 public:
  CompiledWhileEmitter(Ir& ir, const ProgramSchedule& schedule, const CompiledWhilePlan& plan)
      : ir_(ir), ops_(ir), schedule_(schedule), plan_(plan) {}

  absl::Status Emit(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    ir_.set_run(ir_.Parameter(1));
    table_ = ir_.Parameter(0);
    std::vector<ValueId> read;
    VisitValues({plan_.loop, 1},
                [&](ValueId value, bool is_made) { (is_made ? made_ : read).push_back(value); });
    std::sort(made_.begin(), made_.end());
    FindValuesInMemory();
    for (const ValueId value : read) {
      if (IsOneElement(schedule_, value) && !IsMade(value) && !elements_.contains(value))
        elements_[value] = Load(value, true);
    }
    count_ = ir_.Index(kBudget);
    EmitLoop(*plan_.loop);
    for (const ValueId value : StateOf(*plan_.loop)) Store(value);
    ir_.Return();
    return status_;
  }

 private:
  // Estimated nanoseconds between polls for cancellation.
  static constexpr int64_t kBudget = kUsualMachine.nanoseconds_between_polls;

  const CompiledWhilePlan::Item& PlanOf(const ScheduledItem& item) const {
    return plan_.items.at(&item);
  }
  bool IsMade(ValueId value) const { return std::binary_search(made_.begin(), made_.end(), value); }

  // Finds the elements that code outside of the function reads from memory while it runs.
  void FindValuesInMemory() {
    for (const auto& [item, planned] : plan_.items) {
      if (planned.mode == Mode::kThunks) {
        VisitValues({item, 1}, [&](ValueId value, bool) { in_memory_.insert(value); });
      } else if (planned.mode == Mode::kCall) {
        in_memory_.insert(item->operands.begin(), item->operands.end());
      } else if (planned.mode == Mode::kInline) {
        for (const int64_t operand : LoweringOf(*item->instruction).updated)
          in_memory_.insert(item->operands[static_cast<size_t>(operand)]);
      }
    }
  }

  IrValue EntryAt(size_t i, IrType type) const {
    return ir_.Load(type, ir_.Offset(table_, ir_.Index(static_cast<int64_t>(8 * i))), 8, true);
  }
  IrValue PointerTo(ValueId value) const {
    return EntryAt(plan_.value_entries.at(value), ir_.Pointer());
  }

  PrimitiveType TypeOf(ValueId value) const { return schedule_.At(value).shape->element_type(); }
  Element Load(ValueId value, bool is_invariant) {
    ElementAddress address = {PointerTo(value), ir_.Index(0)};
    address.invariant = is_invariant;
    return ops_.Load(TypeOf(value), address, 1);
  }
  void Store(ValueId value) {
    ops_.Store(TypeOf(value), elements_.at(value), PointerTo(value), ir_.Index(0));
  }
  void SetElement(ValueId value, Element element) {
    elements_[value] = element;
    if (in_memory_.contains(value)) Store(value);
  }
  // Reloads elements after other code has written them to memory.
  void LoadElements(absl::Span<const ValueId> values) {
    for (const ValueId value : values) {
      if (IsOneElement(schedule_, value)) elements_[value] = Load(value, false);
    }
  }

  // Returns the elements that the loop carries: those written by copies at the end of its body,
  // rather than by copies before loops within it.
  std::vector<ValueId> StateOf(const ScheduledItem& loop) const {
    std::vector<ValueId> state;
    for (const ScheduledItem& item : loop.bodies[1]) {
      const ValueId value = item.results.empty() ? kNoValue : item.results[0];
      if (item.kind == ScheduledItem::Kind::kCopy && IsOneElement(schedule_, value) &&
          schedule_.At(value).instruction == loop.instruction && !IsListed(state, value)) {
        state.push_back(value);
      }
    }
    return state;
  }

  void Append(absl::Span<const ValueId> values, Ir::Carried& carried) const {
    for (const ValueId value : values) {
      const Element& element = elements_.at(value);
      carried.push_back(element.re);
      if (element.im != nullptr) carried.push_back(element.im);
    }
  }
  void Take(absl::Span<const ValueId> values, const Ir::Carried& carried, size_t next) {
    for (const ValueId value : values) {
      Element element = {carried[next++]};
      if (primitive_util::IsComplexType(TypeOf(value))) element.im = carried[next++];
      elements_[value] = element;
    }
  }

  void EmitLoop(const ScheduledItem& loop) {
    const CompiledWhilePlan::Item& planned = PlanOf(loop);
    const std::vector<ValueId> state = StateOf(loop);
    for (const ValueId value : state) {
      if (!elements_.contains(value)) elements_[value] = Load(value, false);
    }
    const IrValue first_table = table_;
    const std::vector<PingPongPair>* const outer_pairs = std::exchange(pairs_, &planned.pairs);
    // Carries whether to go on, the count, the table, and the state.
    Ir::Carried initial = {ir_.Const(ir_.I1(), int64_t{1}), count_, table_};
    Append(state, initial);
    const auto take = [&](const Ir::Carried& carried) {
      count_ = carried[1];
      if (!planned.pairs.empty()) table_ = carried[2];
      Take(state, carried, 3);
    };
    const Ir::Carried last = ir_.While(
        std::move(initial),
        [&](const Ir::Carried& carried) {
          take(carried);
          EmitItems(loop.bodies[0]);
          return ir_.And(elements_.at(loop.predicate).re, carried[0]);
        },
        [&](const Ir::Carried& carried) {
          EmitItems(loop.bodies[1]);
          const IrValue goes_on = Poll(CostOf(loop));
          Ir::Carried next = {goes_on, count_, carried[2]};
          if (!planned.pairs.empty()) {
            const IrValue second = ir_.Offset(first_table, ir_.Index(BytesOfTables(planned.table)));
            next[2] = ir_.Select(IsSame(table_, first_table), second, first_table);
          }
          Append(state, next);
          return next;
        });
    take(last);
    pairs_ = outer_pairs;
    if (planned.pairs.empty()) return;
    // The state ends in its own buffers.
    table_ = first_table;
    ir_.If(ir_.Not(IsSame(last[2], first_table)), [&] {
      for (const PingPongPair& pair : planned.pairs) EmitCopy(pair.next, pair.state);
    });
  }

  int64_t BytesOfTables(size_t tables) const {
    return static_cast<int64_t>(8 * tables * plan_.entries.size());
  }
  IrValue IsSame(IrValue a, IrValue b) const { return ir_.ICmp(LLVMIntEQ, a, b); }

  // Subtracts the cost from the budget, and polls the run when the budget is negative. It stays
  // negative once the run is to stop, so that outer loops poll again and stop as well.
  IrValue Poll(int64_t cost) {
    const IrValue left = ir_.Sub(count_, ir_.Index(cost));
    const Ir::Carried results = ir_.If(
        ir_.ICmp(LLVMIntSLT, left, ir_.Index(0)),
        [&] {
          const IrValue goes_on = ir_.RunGoesOn();
          return Ir::Carried{goes_on, ir_.Select(goes_on, ir_.Index(kBudget), ir_.Index(-1))};
        },
        [&] {
          return Ir::Carried{ir_.Const(ir_.I1(), int64_t{1}), left};
        });
    count_ = results[1];
    return results[0];
  }

  // Returns the nanoseconds of an iteration, without inner loops.
  int64_t CostOf(const ScheduledItem& loop) const {
    const Machine& machine = ir_.target().machine;
    double cost = 1;
    const auto add = [&](const auto& self, absl::Span<const ScheduledItem> items) -> void {
      for (const ScheduledItem& item : items) {
        const CompiledWhilePlan::Item& planned = PlanOf(item);
        cost += 1;
        if (planned.mode == Mode::kScalar)
          cost += static_cast<double>(item.instruction->to_apply()->instruction_count());
        if (planned.mode == Mode::kCopy)
          cost += machine.Nanoseconds(static_cast<double>(schedule_.At(item.results[0]).bytes), 0);
        if (planned.kernel != nullptr) {
          cost += machine.Nanoseconds(
              planned.kernel->bytes,
              planned.kernel->operations / static_cast<double>(planned.kernel->lanes()));
        }
        if (planned.mode != Mode::kBranches) continue;
        for (const auto& body : item.bodies) self(self, body);
      }
    };
    for (const auto& body : loop.bodies) add(add, body);
    return static_cast<int64_t>(std::min(cost, static_cast<double>(kBudget)));
  }

  void EmitItems(absl::Span<const ScheduledItem> items) {
    for (const ScheduledItem& item : items) {
      const CompiledWhilePlan::Item& planned = PlanOf(item);
      switch (planned.mode) {
        case Mode::kCopy:
          EmitCopyItem(item);
          break;
        case Mode::kScalar:
          EmitScalar(item);
          break;
        case Mode::kInline:
        case Mode::kCall:
          EmitKernel(item, planned);
          break;
        case Mode::kThunks:
          EmitThunks(item, planned);
          break;
        case Mode::kLoop:
          EmitLoop(item);
          break;
        case Mode::kBranches:
          EmitBranches(item, 0);
          break;
      }
    }
  }

  void EmitCopyItem(const ScheduledItem& item) {
    const ValueId from = item.operands[0], to = item.results[0];
    if (IsOneElement(schedule_, to)) return SetElement(to, elements_.at(from));
    const bool is_swapped_copy = std::any_of(
        pairs_->begin(), pairs_->end(),
        [&](const PingPongPair& pair) { return pair.next == from && pair.state == to; });
    if (!is_swapped_copy) EmitCopy(from, to);
  }

  void EmitCopy(ValueId from, ValueId to) {
    const ScheduledValue &a = schedule_.At(from), &b = schedule_.At(to);
    if (a.slice == b.slice || b.bytes == 0) return;
    ir_.Copy(PointerTo(from), PointerTo(to), b.bytes);
  }

  void EmitScalar(const ScheduledItem& item) {
    const HloComputation& computation = *item.instruction->to_apply();
    ElementEmitter::Buffers buffers;
    ElementEmitter::Elements elements;
    for (size_t i = 0; i < item.operands.size(); ++i) {
      const HloInstruction* parameter = computation.parameter_instruction(static_cast<int64_t>(i));
      const ValueId operand = item.operands[i];
      if (IsOneElement(schedule_, operand)) {
        elements[parameter] = elements_.at(operand);
      } else {
        buffers[parameter] = {{PointerTo(operand), !IsMade(operand)}};
      }
    }
    ElementEmitter emitter(ops_, buffers, 1);
    emitter.set_elements(&elements);
    const HloInstruction* root = computation.root_instruction();
    for (size_t r = 0; r < item.results.size(); ++r) {
      if (item.results[r] == kNoValue) continue;
      const bool is_tuple = root->opcode() == HloOpcode::kTuple;
      const HloInstruction* source = is_tuple ? root->operand(static_cast<int64_t>(r)) : root;
      const auto rank = static_cast<size_t>(schedule_.At(item.results[r]).shape->rank());
      const IndexVector index(rank, emitter.math().Constant(0));
      SetElement(item.results[r], emitter.Emit(source, index, is_tuple ? 0 : static_cast<int>(r)));
    }
    if (status_.ok()) status_ = emitter.status();
  }

  void CopyUpdated(const ScheduledItem& item) {
    const std::vector<int64_t>& updated = LoweringOf(*item.instruction).updated;
    for (size_t r = 0; r < updated.size(); ++r)
      EmitCopy(item.operands[static_cast<size_t>(updated[r])], item.results[r]);
  }

  void EmitKernel(const ScheduledItem& item, const CompiledWhilePlan::Item& planned) {
    CopyUpdated(item);
    if (planned.kernel->units > 0) {  // no units: an update without elements
      planned.mode == Mode::kInline ? EmitInline(item, *planned.kernel) : EmitCall(planned);
    }
    LoadElements(item.results);
  }

  void EmitInline(const ScheduledItem& item, const KernelPlan& plan) {
    const HloComputation& computation = *item.instruction->to_apply();
    InlineKernel kernel;
    for (size_t i = 0; i < item.operands.size(); ++i) {
      const ValueId operand = item.operands[i];
      kernel.arrays.push_back(PointerTo(operand));
      kernel.is_invariant.push_back(!IsMade(operand));
      if (IsOneElement(schedule_, operand)) {
        kernel.parameters[computation.parameter_instruction(static_cast<int64_t>(i))] =
            elements_.at(operand);
      }
    }
    for (const ValueId result : item.results)
      kernel.arrays.push_back(result == kNoValue ? table_ : PointerTo(result));
    const absl::Status status = EmitInlineKernel(ir_, plan, kernel);
    if (status_.ok()) status_ = status;
  }

  void EmitCall(const CompiledWhilePlan::Item& planned) {
    const IrValue arrays =
        ir_.Offset(table_, ir_.Index(static_cast<int64_t>(8 * (planned.entry + 1))));
    const IrValue arguments[] = {arrays, ir_.Index(0), ir_.Index(planned.kernel->units)};
    ir_.CallPointer(EntryAt(planned.entry, ir_.Pointer()), ir_.Void(), arguments);
  }

  void EmitThunks(const ScheduledItem& item, const CompiledWhilePlan::Item& planned) {
    const IrValue arguments[] = {EntryAt(planned.entry, ir_.Pointer()), ir_.Parameter(1)};
    const IrValue failed = ir_.Call("XlaCpuRunThunks", ir_.I32(), arguments);
    // A negative budget forces a poll at the next back edge.
    count_ = ir_.Select(IsSame(failed, ir_.Const(ir_.I32(), int64_t{0})), count_, ir_.Index(-1));
    VisitValues({&item, 1}, [&](ValueId value, bool is_made) {
      if (is_made && IsOneElement(schedule_, value)) elements_[value] = Load(value, false);
    });
  }

  // Emits a conditional from this branch on.
  void EmitBranches(const ScheduledItem& item, size_t first) {
    std::vector<ValueId> results;
    for (const ValueId value : item.results) {
      if (IsOneElement(schedule_, value)) results.push_back(value);
    }
    const auto before = elements_;
    const IrValue count = count_;
    const auto branch = [&](absl::FunctionRef<void()> emit) {
      elements_ = before;
      count_ = count;
      emit();
      Ir::Carried made = {count_};
      Append(results, made);
      return made;
    };
    if (first + 1 == item.bodies.size()) return EmitItems(item.bodies[first]);
    const Element selector = elements_.at(item.operands[0]);
    const bool is_predicate = TypeOf(item.operands[0]) == PRED;
    const IrValue chosen =
        is_predicate ? selector.re
                     : IsSame(selector.re, ir_.Const(ir_.I32(), static_cast<int64_t>(first)));
    const Ir::Carried made = ir_.If(
        chosen, [&] { return branch([&] { EmitItems(item.bodies[first]); }); },
        [&] { return branch([&] { EmitBranches(item, first + 1); }); });
    elements_ = before;
    count_ = made[0];
    Take(results, made, 1);
  }

  Ir& ir_;
  ElementOps ops_;
  const ProgramSchedule& schedule_;
  const CompiledWhilePlan& plan_;
  std::vector<ValueId> made_;               // in the loop; sorted
  absl::flat_hash_set<ValueId> in_memory_;  // elements that are stored as well
  IrValue table_ = nullptr, count_ = nullptr;
  const std::vector<PingPongPair>* pairs_ = nullptr;  // of the innermost loop
  absl::flat_hash_map<ValueId, Element> elements_;    // at this point of the code
  absl::Status status_;
};

}  // namespace

std::optional<CompiledWhilePlan> PlanCompiledWhile(const ProgramSchedule& schedule,
                                                   const ScheduledItem& loop,
                                                   const Target& target) {
  std::optional<CompiledWhilePlan> plan = CompiledWhilePlanner(schedule, target).Plan(loop);
  if (plan.has_value()) AddValueEntries(*plan);
  return plan;
}

std::string PlanText(const CompiledWhilePlan& plan) {
  int64_t counts[static_cast<int>(Mode::kBranches) + 1] = {};
  for (const auto& [item, planned] : plan.items) ++counts[static_cast<int>(planned.mode)];
  std::string text = "compiled";
  constexpr const char* kNames[] = {"copies", "scalar", "inline",  "called",
                                    "thunks", "loops",  "branches"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (counts[i] > 0) absl::StrAppend(&text, " ", kNames[i], " ", counts[i]);
  }
  absl::StrAppend(&text, " tables ", plan.tables.size() + 1, " of ", plan.entries.size());
  return text;
}

absl::Status EmitCompiledWhile(Ir& ir, const ProgramSchedule& schedule,
                               const CompiledWhilePlan& plan, const char* name) {
  return CompiledWhileEmitter(ir, schedule, plan).Emit(name);
}

}  // namespace xla::cpu

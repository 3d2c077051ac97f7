// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/scalar_while.h"

#include <algorithm>
#include <map>

#include "absl/functional/function_ref.h"
#include "xla/base/machine.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMostLoopInstructions = 400;

void AddOnce(std::vector<ValueId>& list, ValueId value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class LoopEmitter {
 public:
  // With 0 lanes, computes only the scalars. `finishes`: computes the scalars as well.
  LoopEmitter(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop, int lanes,
              int64_t length, bool finishes)
      : ir_(ir),
        ops_(ir),
        schedule_(schedule),
        loop_(loop),
        arrays_(ArraysOfScalarWhile(loop)),
        widest_(lanes),
        length_(length),
        finishes_(finishes),
        lanes_(std::max(lanes, 1)) {}

  absl::Status Emit(const char* name) {
    const bool is_element_loop = widest_ > 0;
    const IrType parameters[] = {ir_.Pointer(), ir_.Pointer(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    ir_.set_run(ir_.Parameter(1));
    const auto pointer = [&](size_t i) {
      return ir_.Load(ir_.Pointer(),
                      ir_.Offset(ir_.Parameter(0), ir_.Index(static_cast<int64_t>(8 * i))), 8,
                      true);
    };
    for (size_t i = 0; i < arrays_.state.size(); ++i) places_.push_back(pointer(i));
    for (size_t i = 0; i < arrays_.inputs.size(); ++i) {
      inputs_[arrays_.inputs[i]] = pointer(arrays_.state.size() + i);
    }
    for (size_t i = 0; i < arrays_.state.size(); ++i) {
      constexpr int64_t kLargestElement = 16;
      if (finishes_ && !IsArray(arrays_.state[i]))
        last_scalars_[i] = ir_.Alloca(ir_.I8(), kLargestElement);
    }
    if (!is_element_loop) {
      EmitLoop();
    } else {
      // Each vector is a unit.
      ir_.Loop(ir_.Parameter(2), ir_.Parameter(3), 1, [&](IrValue unit) { EmitUnit(unit); });
    }
    // Scalars in memory may be overwritten now: all elements have read them.
    for (const auto& [i, memory] : last_scalars_) {
      const PrimitiveType type = TypeOf(arrays_.state[i]);
      const Element element = ops_.Load(type, {memory, ir_.Index(0)}, 1);
      ops_.Store(type, element, places_[i], ir_.Index(0));
    }
    ir_.Return();
    return status_;
  }

 private:
  PrimitiveType TypeOf(ValueId value) const { return schedule_.At(value).shape->element_type(); }
  bool IsArray(ValueId value) const { return CountOf(*schedule_.At(value).shape) != 1; }
  // Whether the function computes the value.
  bool IsMade(ValueId value) const { return widest_ > 0 || !IsArray(value); }

  // Runs the loop for one vector of elements. What the arrays have after the whole vectors is
  // copied, followed by copies of the last element.
  void EmitUnit(IrValue unit) {
    first_ = ir_.Mul(unit, ir_.Index(widest_));
    const int64_t whole = length_ / widest_ * widest_;
    const IrValue is_rest = ir_.ICmp(LLVMIntEQ, first_, ir_.Index(whole));
    const std::vector<IrValue> places = places_;
    const std::map<ValueId, IrValue> inputs = inputs_;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (IsArray(arrays_.state[i]))
        places_[i] = PlaceOfUnit(arrays_.state[i], places[i], whole, is_rest);
    }
    for (auto& [value, memory] : inputs_) {
      if (IsArray(value)) memory = PlaceOfUnit(value, memory, whole, is_rest);
    }
    EmitLoop();
    if (whole < length_) {
      ir_.If(is_rest, [&] {
        for (size_t i = 0; i < places_.size(); ++i) {
          if (!IsArray(arrays_.state[i])) continue;
          ir_.Loop(ir_.Index(0), ir_.Index(length_ - whole), 1, [&](IrValue element) {
            Copy(arrays_.state[i], places_[i], element, places[i], ir_.Add(element, first_));
          });
        }
      });
    }
    places_ = places;
    inputs_ = inputs;
  }

  // Returns where the elements of the unit are, or their copies if they are those from `whole` on.
  IrValue PlaceOfUnit(ValueId value, IrValue memory, int64_t whole, IrValue is_rest) {
    const auto here = [&] {
      return Ir::Carried{ir_.Offset(memory, ir_.Mul(first_, ir_.Index(BytesOf(value))))};
    };
    if (whole == length_) return here()[0];
    return ir_.If(
        is_rest,
        [&] {
          const IrValue copies = ir_.Alloca(ir_.I8(), widest_ * BytesOf(value));
          ir_.Loop(ir_.Index(0), ir_.Index(widest_), 1, [&](IrValue i) {
            const IrValue element =
                ir_.Binary("llvm.smin", ir_.Add(i, first_), ir_.Index(length_ - 1));
            Copy(value, memory, element, copies, i);
          });
          return Ir::Carried{copies};
        },
        here)[0];
  }

  void Copy(ValueId value, IrValue from, IrValue from_element, IrValue to, IrValue to_element) {
    const IrValue bytes = ir_.Index(BytesOf(value));
    ops_.Store(TypeOf(value), ops_.Load(TypeOf(value), {from, ir_.Mul(from_element, bytes)}, 1), to,
               ir_.Mul(to_element, bytes));
  }

  void EmitLoop() {
    invariant_.clear();
    for (const ValueId value : arrays_.inputs) {
      if (IsMade(value)) invariant_[value] = LoadFrom(value, inputs_[value], true);
    }
    Ir::Carried initial = {ir_.Index(0)};  // steps
    for (size_t i = 0; i < arrays_.state.size(); ++i) {
      if (!IsMade(arrays_.state[i])) continue;
      const Element element = LoadFrom(arrays_.state[i], places_[i], false);
      initial.push_back(element.re);
      if (element.im != nullptr) initial.push_back(element.im);
    }
    const Ir::Carried last = ir_.While(
        initial,
        [&](const Ir::Carried& carried) {
          SetState(carried);
          Run(loop_.bodies[0]);
          return ir_.And(ElementOf(loop_.predicate).re, GoesOn(carried[0]));
        },
        [&](const Ir::Carried& carried) {
          SetState(carried);
          Run(loop_.bodies[1]);
          Ir::Carried next = {ir_.Add(carried[0], ir_.Index(1))};
          for (const ValueId value : arrays_.state) {
            if (!IsMade(value)) continue;
            const Element element = elements_[value];
            next.push_back(element.re);
            if (element.im != nullptr) next.push_back(element.im);
          }
          return next;
        });
    SetState(last);
    for (size_t i = 0; i < arrays_.state.size(); ++i) {
      const ValueId value = arrays_.state[i];
      if (const auto scalar = last_scalars_.find(i); scalar != last_scalars_.end())
        ops_.Store(TypeOf(value), elements_[value], scalar->second, ir_.Index(0));
      if (IsArray(value) != (widest_ > 0)) continue;
      ops_.Store(TypeOf(value), elements_[value], places_[i], ir_.Index(0));
    }
  }

  // Nanoseconds of a step, by which the distance between polls is estimated: a loop over arrays
  // runs to its next poll for each of its vectors.
  static constexpr int64_t kNanosecondsPerStep = 64;
  static constexpr int64_t kStepsBetweenPolls =
      kUsualMachine.nanoseconds_between_polls / kNanosecondsPerStep;
  static_assert((kStepsBetweenPolls & (kStepsBetweenPolls - 1)) == 0);
  IrValue GoesOn(IrValue steps) {
    const IrValue low = ir_.And(steps, ir_.Index(kStepsBetweenPolls - 1));
    const IrValue asks = ir_.ICmp(LLVMIntEQ, low, ir_.Index(kStepsBetweenPolls - 1));
    return ir_.If(
        asks, [&] { return Ir::Carried{ir_.RunGoesOn()}; },
        [&] { return Ir::Carried{ir_.Const(ir_.I1(), int64_t{1})}; })[0];
  }

  void SetState(const Ir::Carried& carried) {
    elements_ = invariant_;
    size_t next = 1;
    for (const ValueId value : arrays_.state) {
      if (!IsMade(value)) continue;
      Element element = {carried[next++]};
      if (primitive_util::IsComplexType(TypeOf(value))) element.im = carried[next++];
      elements_[value] = element;
    }
  }

  void Run(const std::vector<ScheduledItem>& items) {
    for (const ScheduledItem& item : items) {
      if (!IsMade(item.results[0])) continue;
      if (item.kind == ScheduledItem::Kind::kCopy) {
        elements_[item.results[0]] = ElementOf(item.operands[0]);
        continue;
      }
      ElementEmitter::Buffers buffers;
      ElementEmitter::Elements elements;
      const HloComputation& computation = *item.instruction->to_apply();
      for (size_t i = 0; i < item.operands.size(); ++i) {
        const HloInstruction* parameter =
            computation.parameter_instruction(static_cast<int64_t>(i));
        const auto known = elements_.find(item.operands[i]);
        if (known != elements_.end()) {
          elements[parameter] = known->second;
        } else {
          buffers[parameter] = {{inputs_[item.operands[i]], true}};
        }
      }
      const bool is_array = IsArray(item.results[0]);
      ElementEmitter emitter(ops_, buffers, is_array ? lanes_ : 1);
      emitter.set_elements(&elements);
      const HloInstruction* root = computation.root_instruction();
      IndexVector index(static_cast<size_t>(root->shape().rank()), emitter.math().Constant(0));
      if (is_array) {
        emitter.set_linear(true);
        index = {{first_, lanes_ > 1 ? 1 : 0, 1}};
      }
      const Element element = emitter.Emit(root, index);
      elements_[item.results[0]] = is_array ? ops_.Splat(element, lanes_) : element;
      if (status_.ok()) status_ = emitter.status();
    }
  }

  Element ElementOf(ValueId value) const { return elements_.at(value); }

  int64_t BytesOf(ValueId value) const { return primitive_util::ByteWidth(TypeOf(value)); }
  Element LoadFrom(ValueId value, IrValue place, bool is_invariant) {
    ElementAddress address = {place, ir_.Index(0)};
    address.invariant = is_invariant;
    if (!IsArray(value) || lanes_ == 1) return ops_.Load(TypeOf(value), address, 1);
    address.step = BytesOf(value);
    return ops_.Load(TypeOf(value), address, lanes_);
  }

  Ir& ir_;
  ElementOps ops_;
  const ProgramSchedule& schedule_;
  const ScheduledItem& loop_;
  const ScalarWhileArrays arrays_;
  const int widest_;      // lanes of vectors; 0: only the scalars
  const int64_t length_;  // of the arrays
  const bool finishes_;
  const int lanes_;                         // of the code that is emitted
  IrValue first_ = nullptr;                 // element
  std::vector<IrValue> places_;             // memory; of arrays that of the unit, within EmitUnit
  std::map<size_t, IrValue> last_scalars_;  // memory of the final scalars, if finishes
  std::map<ValueId, IrValue> inputs_;       // memory
  std::map<ValueId, Element> invariant_;    // inputs that are loaded once
  std::map<ValueId, Element> elements_;     // of one step
  absl::Status status_;
};

// Returns how many elements an elementwise loop computes at a time.
int LanesOf(const ProgramSchedule& schedule, const ScheduledItem& loop, int64_t length,
            const Target& target) {
  int64_t element_bytes = 4;
  for (const ScheduledItem& item : loop.bodies[1]) {
    const Shape& shape = *schedule.At(item.results[0]).shape;
    if (CountOf(shape) == 1) continue;
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    element_bytes = std::max(
        element_bytes, primitive_util::IsComplexType(shape.element_type()) ? bytes / 2 : bytes);
  }
  int lanes = target.machine.Lanes(element_bytes);
  // Several vectors at a time hide latencies, as long as there are registers.
  const int most_vectors = target.machine.vector_registers * 3 / 4;
  const ScalarWhileArrays arrays = ArraysOfScalarWhile(loop);
  int parts = 0;
  for (const std::vector<ValueId>* values : {&arrays.state, &arrays.inputs}) {
    for (const ValueId value : *values) {
      const Shape& shape = *schedule.At(value).shape;
      if (CountOf(shape) > 1) parts += primitive_util::IsComplexType(shape.element_type()) ? 2 : 1;
    }
  }
  for (int vectors = 2; vectors <= 4 && 2 * lanes <= length && vectors * parts <= most_vectors;
       vectors *= 2) {
    lanes *= 2;
  }
  while (lanes > length) lanes /= 2;
  return lanes;
}

// Whether the bodies consist of copies and generated code of bounded size, and `accepts` each item.
bool ComputesElements(const ScheduledItem& loop,
                      absl::FunctionRef<bool(const ScheduledItem&)> accepts) {
  if (loop.kind != ScheduledItem::Kind::kWhile || loop.predicate == kNoValue) return false;
  int64_t instructions = 0;
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      if (item.kind != ScheduledItem::Kind::kCopy &&
          (item.kind != ScheduledItem::Kind::kInstruction || item.results.size() != 1 ||
           item.instruction->opcode() != HloOpcode::kFusion ||
           !LoweringOf(*item.instruction).updated.empty() ||
           std::find(item.operands.begin(), item.operands.end(), kNoValue) !=
               item.operands.end())) {
        return false;
      }
      if (!accepts(item)) return false;
      if (item.kind == ScheduledItem::Kind::kCopy) continue;
      instructions += item.instruction->to_apply()->instruction_count();
      for (const HloInstruction* i : item.instruction->to_apply()->instructions()) {
        // Long sums are better divided among threads.
        if (i->opcode() == HloOpcode::kReduce && CountOf(i->operand(0)->shape()) > 64) return false;
      }
    }
  }
  return instructions <= kMostLoopInstructions;
}

}  // namespace

bool IsScalarWhile(const ProgramSchedule& schedule, const ScheduledItem& loop) {
  return ComputesElements(loop, [&](const ScheduledItem& item) {
    return std::all_of(item.results.begin(), item.results.end(),
                       [&](ValueId v) { return IsOneElement(schedule, v); });
  });
}

int64_t ElementwiseWhileLength(const ProgramSchedule& schedule, const ScheduledItem& loop) {
  if (loop.kind != ScheduledItem::Kind::kWhile) return 0;
  int64_t length = 1;
  const auto fits = [&](ValueId value) {
    if (value == kNoValue) return false;
    const int64_t count = CountOf(*schedule.At(value).shape);
    if (count == 1 || count == length) return true;
    if (length != 1) return false;
    length = count;
    return true;
  };
  const bool computes = ComputesElements(loop, [&](const ScheduledItem& item) {
    if (item.results.size() != 1 || !fits(item.results[0])) return false;
    if (CountOf(*schedule.At(item.results[0]).shape) == 1) {
      // Scalars are computed from scalars.
      return std::all_of(item.operands.begin(), item.operands.end(),
                         [&](ValueId v) { return IsOneElement(schedule, v); });
    }
    if (!std::all_of(item.operands.begin(), item.operands.end(), fits)) return false;
    return item.kind == ScheduledItem::Kind::kCopy || IsLinear(*item.instruction->to_apply());
  });
  return computes && length > 1 && IsOneElement(schedule, loop.predicate) ? length : 0;
}

ElementwiseWhileUnits UnitsOfElementwiseWhile(const ProgramSchedule& schedule,
                                              const ScheduledItem& loop, const Target& target) {
  const int64_t length = ElementwiseWhileLength(schedule, loop);
  ElementwiseWhileUnits units;
  units.length = length;
  if (length == 0) return units;
  units.lanes = LanesOf(schedule, loop, length, target);
  units.count = (length + units.lanes - 1) / units.lanes;
  // The number of iterations is unknown: assumes some hundreds, of one vector operation each.
  constexpr double kNanosecondsPerElement = 4.8;
  constexpr int64_t kTasks = 16;
  units.chunk = target.machine.IsWorthAThread(kNanosecondsPerElement * static_cast<double>(length))
                    ? (units.count + kTasks - 1) / kTasks
                    : units.count;
  return units;
}

ScalarWhileArrays ArraysOfScalarWhile(const ScheduledItem& loop) {
  ScalarWhileArrays arrays;
  std::vector<ValueId> made;
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      for (const ValueId value : item.results) AddOnce(made, value);
    }
  }
  // The state consists of the values that copies at the end of the body write and that are read
  // before.
  for (const ScheduledItem& item : loop.bodies[1]) {
    if (item.kind == ScheduledItem::Kind::kCopy) AddOnce(arrays.state, item.results[0]);
  }
  const auto read = [&](ValueId value) {
    if (std::find(made.begin(), made.end(), value) == made.end()) AddOnce(arrays.inputs, value);
  };
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      for (const ValueId value : item.operands) read(value);
    }
  }
  read(loop.predicate);
  return arrays;
}

absl::Status EmitScalarWhile(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop,
                             const char* name) {
  return LoopEmitter(ir, schedule, loop, /*lanes=*/0, /*length=*/1, /*finishes=*/false).Emit(name);
}

absl::Status EmitElementwiseWhile(Ir& ir, const ProgramSchedule& schedule,
                                  const ScheduledItem& loop, const ElementwiseWhileUnits& units,
                                  const char* name) {
  return LoopEmitter(ir, schedule, loop, units.lanes, units.length, units.finishes_scalars())
      .Emit(name);
}

}  // namespace xla::cpu

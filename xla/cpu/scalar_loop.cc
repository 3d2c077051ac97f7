// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/scalar_loop.h"

#include <algorithm>
#include <map>

#include "xla/cpu/element_emitter.h"
#include "xla/cpu/kernel_emitter.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

constexpr int64_t kMostInstructions = 400;

const ScheduledValue& ValueAt(const ProgramSchedule& schedule, ValueId value) {
  return schedule.values[static_cast<size_t>(value)];
}

bool IsOneElement(const ProgramSchedule& schedule, ValueId value) {
  return value != kNoValue && CountOf(*ValueAt(schedule, value).shape) == 1;
}

void AddOnce(std::vector<ValueId>& list, ValueId value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class LoopEmitter {
 public:
  LoopEmitter(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop)
      : ir_(ir), ops_(ir), schedule_(schedule), loop_(loop), arrays_(ArraysOfScalarLoop(loop)) {}

  absl::Status Emit(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.Pointer(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    const auto pointer = [&](size_t i) {
      return ir_.Load(ir_.Pointer(),
                      ir_.Offset(ir_.Parameter(0), ir_.Index(static_cast<int64_t>(8 * i))), 8,
                      true);
    };
    Ir::Carried initial = {ir_.Index(0)};  // steps
    std::vector<IrValue> places;
    for (size_t i = 0; i < arrays_.state.size(); ++i) {
      places.push_back(pointer(i));
      const Element element = ops_.Load(TypeOf(arrays_.state[i]), {places[i], ir_.Index(0)}, 1);
      initial.push_back(element.re);
      if (element.im != nullptr) initial.push_back(element.im);
    }
    for (size_t i = 0; i < arrays_.inputs.size(); ++i) {
      inputs_[arrays_.inputs[i]] = pointer(arrays_.state.size() + i);
    }
    const Ir::Carried last = ir_.While(
        initial,
        [&](const Ir::Carried& carried) {
          SetState(carried);
          Run(loop_.bodies[0]);
          return ir_.And(elements_[loop_.predicate].re, GoesOn(carried[0]));
        },
        [&](const Ir::Carried& carried) {
          SetState(carried);
          Run(loop_.bodies[1]);
          Ir::Carried next = {ir_.Add(carried[0], ir_.Index(1))};
          for (const ValueId value : arrays_.state) {
            const Element element = elements_[value];
            next.push_back(element.re);
            if (element.im != nullptr) next.push_back(element.im);
          }
          return next;
        });
    SetState(last);
    for (size_t i = 0; i < arrays_.state.size(); ++i) {
      ops_.Store(TypeOf(arrays_.state[i]), elements_[arrays_.state[i]], places[i], ir_.Index(0));
    }
    ir_.Return();
    return status_;
  }

 private:
  PrimitiveType TypeOf(ValueId value) const {
    return ValueAt(schedule_, value).shape->element_type();
  }

  // Asks every million steps.
  IrValue GoesOn(IrValue steps) {
    const IrValue low = ir_.And(steps, ir_.Index((int64_t{1} << 20) - 1));
    const IrValue asks = ir_.ICmp(LLVMIntEQ, low, ir_.Index((int64_t{1} << 20) - 1));
    return ir_.If(
        asks,
        [&] {
          const IrValue arguments[] = {ir_.Parameter(1)};
          const IrValue stops = ir_.Call("XlaCpuPoll", ir_.I32(), arguments);
          return Ir::Carried{ir_.ICmp(LLVMIntEQ, stops, ir_.Const(ir_.I32(), int64_t{0}))};
        },
        [&] { return Ir::Carried{ir_.Const(ir_.I1(), int64_t{1})}; })[0];
  }

  void SetState(const Ir::Carried& carried) {
    elements_.clear();
    size_t next = 1;
    for (const ValueId value : arrays_.state) {
      Element element = {carried[next++]};
      if (primitive_util::IsComplexType(TypeOf(value))) element.im = carried[next++];
      elements_[value] = element;
    }
  }

  void Run(const std::vector<ScheduledItem>& items) {
    for (const ScheduledItem& item : items) {
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
        const auto input = inputs_.find(item.operands[i]);
        if (input != inputs_.end()) {
          buffers[parameter] = {{input->second, true}};
        } else {
          elements[parameter] = ElementOf(item.operands[i]);
        }
      }
      ElementEmitter emitter(ops_, buffers, 1);
      emitter.set_elements(&elements);
      const HloInstruction* root = computation.root_instruction();
      const IndexVector index(static_cast<size_t>(root->shape().rank()),
                              emitter.math().Constant(0));
      elements_[item.results[0]] = emitter.Emit(root, index);
      if (status_.ok()) status_ = emitter.status();
    }
  }

  Element ElementOf(ValueId value) {
    const auto found = elements_.find(value);
    if (found != elements_.end()) return found->second;
    return ops_.Load(TypeOf(value), {inputs_[value], ir_.Index(0)}, 1);
  }

  Ir& ir_;
  ElementOps ops_;
  const ProgramSchedule& schedule_;
  const ScheduledItem& loop_;
  const ScalarLoopArrays arrays_;
  std::map<ValueId, IrValue> inputs_;    // memory
  std::map<ValueId, Element> elements_;  // of one step
  absl::Status status_;
};

}  // namespace

bool IsScalarLoop(const ProgramSchedule& schedule, const ScheduledItem& loop) {
  if (loop.kind != ScheduledItem::Kind::kWhile) return false;
  int64_t instructions = 0;
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      if (!std::all_of(item.results.begin(), item.results.end(),
                       [&](ValueId v) { return IsOneElement(schedule, v); })) {
        return false;
      }
      if (item.kind == ScheduledItem::Kind::kCopy) continue;
      if (item.kind != ScheduledItem::Kind::kInstruction || item.results.size() != 1 ||
          item.instruction->opcode() != HloOpcode::kFusion ||
          !UpdatedOperands(*item.instruction).empty() ||
          std::find(item.operands.begin(), item.operands.end(), kNoValue) != item.operands.end()) {
        return false;
      }
      instructions += item.instruction->to_apply()->instruction_count();
      for (const HloInstruction* i : item.instruction->to_apply()->instructions()) {
        // Long sums are better divided among threads.
        if (i->opcode() == HloOpcode::kReduce && CountOf(i->operand(0)->shape()) > 64) return false;
      }
    }
  }
  return instructions <= kMostInstructions && loop.predicate != kNoValue;
}

ScalarLoopArrays ArraysOfScalarLoop(const ScheduledItem& loop) {
  ScalarLoopArrays arrays;
  std::vector<ValueId> made;
  for (const auto& body : loop.bodies) {
    for (const ScheduledItem& item : body) {
      for (const ValueId value : item.results) AddOnce(made, value);
    }
  }
  // State is what copies at the end of the body write and something reads before.
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

absl::Status EmitScalarLoop(Ir& ir, const ProgramSchedule& schedule, const ScheduledItem& loop,
                            const char* name) {
  return LoopEmitter(ir, schedule, loop).Emit(name);
}

}  // namespace xla::cpu

// SPDX-License-Identifier: Apache-2.0
// Emits computations that are applied to elements; see nested_computation.h.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Determines how many iterations of a loop pass between polls.
constexpr int64_t kNanosecondsPerIteration = 64;
constexpr int64_t kIterationsBetweenPolls =
    kUsualMachine.nanoseconds_between_polls / kNanosecondsPerIteration;
// Bytes between elements that programs read and write.
// Instructions of branches that are all computed, rather than the chosen one.
constexpr int64_t kCheapBranches = 12;

void AddLeaves(const Shape& shape, std::vector<PrimitiveType>& types) {
  if (!shape.IsTuple()) return types.push_back(shape.element_type());
  for (const Shape& element : shape.tuple_shapes()) AddLeaves(element, types);
}

std::vector<PrimitiveType> LeafTypes(const Shape& shape) {
  std::vector<PrimitiveType> types;
  AddLeaves(shape, types);
  return types;
}

size_t CountLeaves(const Shape& shape) { return LeafTypes(shape).size(); }

void Append(absl::Span<const Element> elements, Ir::Carried& values) {
  for (const Element& element : elements) {
    values.push_back(element.re);
    if (element.im != nullptr) values.push_back(element.im);
  }
}

// Takes elements of these types from values[first] on.
std::vector<Element> Taken(absl::Span<const PrimitiveType> types, const Ir::Carried& values,
                           size_t first) {
  std::vector<Element> elements;
  for (const PrimitiveType type : types) {
    Element element = {values[first++]};
    if (primitive_util::IsComplexType(type)) element.im = values[first++];
    elements.push_back(element);
  }
  return elements;
}

int64_t InstructionsOf(const HloInstruction& instruction) {
  int64_t count = 0;
  for (const HloComputation* called : instruction.called_computations()) {
    count += called->instruction_count();
    for (const HloInstruction* inner : called->instructions()) {
      if (!inner->called_computations().empty()) count += kCheapBranches;
    }
  }
  return count;
}

}  // namespace

std::vector<Element> ElementEmitter::ZerosOf(const HloComputation& computation) {
  std::vector<Element> zeros;
  for (const PrimitiveType type : LeafTypes(computation.root_instruction()->shape()))
    zeros.push_back(ops_.Zero(type));
  return zeros;
}

std::vector<Element> ElementEmitter::Apply(const HloComputation& computation,
                                           std::vector<Element> arguments, IrValue mask) {
  int lanes = 1;
  for (const Element& argument : arguments) lanes = std::max(lanes, ops_.Lanes(argument));
  std::vector<Element> results;
  if (KindOfNested(computation) == NestedKind::kVectors) {
    results = Evaluate(computation, std::move(arguments), lanes);
  } else {
    // Loops might not end for the values in lanes that nothing reads.
    if (mask_ != nullptr && mask == nullptr) {
      mask = mask_;
    } else if (mask_ != nullptr) {
      const int wide = std::max(ir_.Lanes(mask), ir_.Lanes(mask_));
      const auto widen = [&](IrValue bits) {
        return ir_.Lanes(bits) == wide ? bits : ir_.Splat(bits, wide);
      };
      mask = ir_.And(widen(mask), widen(mask_));
    }
    if (mask != nullptr && ir_.Lanes(mask) > 1 && lanes == 1)
      mask = ir_.Intrinsic("llvm.vector.reduce.or", {ir_.TypeOf(mask)}, {mask});
    if (mask != nullptr && ir_.Lanes(mask) == 1) {
      const std::vector<Element> zeros = ZerosOf(computation);
      const auto values = [&](std::vector<Element> elements) {
        for (Element& element : elements) element = ops_.Splat(element, lanes);
        Ir::Carried carried;
        Append(elements, carried);
        return carried;
      };
      const auto apply = [&] {
        return lanes == 1 ? ApplyToElement(computation, arguments)
                          : ApplyToLanes(computation, arguments, lanes, nullptr);
      };
      results = Taken(LeafTypes(computation.root_instruction()->shape()),
                      ir_.If(
                          mask, [&] { return values(apply()); }, [&] { return values(zeros); }),
                      0);
    } else if (lanes == 1) {
      results = ApplyToElement(computation, std::move(arguments));
    } else {
      results = ApplyToLanes(computation, arguments, lanes, mask);
    }
  }
  if (!status_.ok()) results = ZerosOf(computation);
  for (Element& result : results) result = ops_.Splat(result, lanes);
  return results;
}

std::vector<Element> ElementEmitter::ApplyToElement(const HloComputation& computation,
                                                    std::vector<Element> arguments) {
  return KindOfNested(computation) == NestedKind::kProgram
             ? CallProgram(computation, arguments)
             : Evaluate(computation, std::move(arguments), 1);
}

// Applies the computation to one lane after the other, through memory.
std::vector<Element> ElementEmitter::ApplyToLanes(const HloComputation& computation,
                                                  absl::Span<const Element> arguments, int lanes,
                                                  IrValue mask) {
  struct Part {
    IrType type;  // in registers
    IrValue memory;
    bool is_bit;
    int64_t bytes;
  };
  const auto add_part = [&](IrType element) {
    const bool is_bit = ir_.Bits(element) == 1;
    const IrType stored = is_bit ? ir_.I8() : element;
    return Part{element, ir_.Alloca(stored, lanes), is_bit, ir_.Bits(stored) / 8};
  };
  const auto add_lanes = [&](IrValue vector) {
    vector = ir_.Splat(vector, ir_.Lanes(vector) == 1 ? lanes : 1);
    const Part part = add_part(ir_.ElementOf(ir_.TypeOf(vector)));
    if (part.is_bit) vector = ir_.ZExt(vector, ir_.Vector(ir_.I8(), lanes));
    ir_.Store(vector, part.memory, static_cast<int>(part.bytes));
    return part;
  };
  const auto place = [&](const Part& part, IrValue lane) {
    return ir_.Offset(part.memory, ir_.Mul(lane, ir_.Index(part.bytes)));
  };
  const auto load = [&](const Part& part, IrValue pointer, int count) {
    const IrType stored = part.is_bit ? ir_.I8() : part.type;
    const IrValue value =
        ir_.Load(ir_.Vector(stored, count), pointer, static_cast<int>(part.bytes));
    return part.is_bit ? ir_.Trunc(value, ir_.Vector(ir_.I1(), count)) : value;
  };
  std::vector<Part> in, out;
  Ir::Carried parts;
  Append(arguments, parts);
  for (const IrValue part : parts) in.push_back(add_lanes(part));
  std::vector<PrimitiveType> argument_types;
  for (const HloInstruction* parameter : computation.parameter_instructions())
    AddLeaves(parameter->shape(), argument_types);
  const std::vector<PrimitiveType> types = LeafTypes(computation.root_instruction()->shape());
  Ir::Carried zeros;
  Append(ZerosOf(computation), zeros);
  for (const IrValue zero : zeros) out.push_back(add_lanes(zero));
  std::optional<Part> bits;
  if (mask != nullptr) bits = add_lanes(mask);
  ir_.Loop(ir_.Index(0), ir_.Index(lanes), 1, [&](IrValue lane) {
    const Scope scope(this);
    const auto apply = [&] {
      Ir::Carried values;
      for (const Part& part : in) values.push_back(load(part, place(part, lane), 1));
      Ir::Carried results;
      Append(ApplyToElement(computation, Taken(argument_types, values, 0)), results);
      for (size_t i = 0; i < out.size(); ++i) {
        const IrValue result = out[i].is_bit ? ir_.ZExt(results[i], ir_.I8()) : results[i];
        ir_.Store(result, place(out[i], lane), static_cast<int>(out[i].bytes));
      }
    };
    if (!bits.has_value()) return apply();
    ir_.If(load(*bits, place(*bits, lane), 1), apply);
  });
  Ir::Carried results;
  for (const Part& part : out) results.push_back(load(part, part.memory, lanes));
  return Taken(types, results, 0);
}

std::vector<Element> ElementEmitter::CallProgram(const HloComputation& computation,
                                                 absl::Span<const Element> arguments) {
  const int64_t number = ir_.programs() == nullptr ? -1 : ir_.programs()->NumberOf(computation);
  if (number < 0 || ir_.run() == nullptr) {
    Fail(computation.root_instruction(),
         absl::InternalError(
             absl::StrCat("computation ", computation.name(), " is applied without a program")));
    return ZerosOf(computation);
  }
  const std::vector<PrimitiveType> types = LeafTypes(computation.root_instruction()->shape());
  const size_t count = arguments.size() + types.size();
  const IrValue cells = ir_.Alloca(ir_.I8(), static_cast<int64_t>(count) * kCellBytes);
  const auto offset = [&](size_t i) { return ir_.Index(static_cast<int64_t>(i) * kCellBytes); };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = computation.parameter_instruction(static_cast<int64_t>(i))->shape();
    ops_.Store(shape.element_type(), arguments[i], cells, offset(i));
  }
  const IrValue values[] = {ir_.run(), ir_.Index(number), cells};
  ir_.Call("XlaCpuApply", ir_.Void(), values);
  std::vector<Element> results;
  for (size_t k = 0; k < types.size(); ++k)
    results.push_back(ops_.Load(types[k], {cells, offset(arguments.size() + k)}, 1));
  return results;
}

std::vector<Element> ElementEmitter::Evaluate(const HloComputation& computation,
                                              std::vector<Element> arguments, int lanes) {
  for (Element& argument : arguments) argument = ops_.Splat(argument, lanes);
  absl::flat_hash_map<const HloInstruction*, std::vector<Element>> values;
  size_t next = 0;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    const size_t end = next + CountLeaves(parameter->shape());
    values[parameter].assign(arguments.begin() + static_cast<std::ptrdiff_t>(next),
                             arguments.begin() + static_cast<std::ptrdiff_t>(end));
    next = end;
  }
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (!status_.ok()) return ZerosOf(computation);
    if (instruction->opcode() == HloOpcode::kParameter) continue;
    std::vector<std::vector<Element>> operands;
    for (const HloInstruction* operand : instruction->operands())
      operands.push_back(values[operand]);
    values[instruction] = EvaluateInstruction(instruction, operands, lanes);
  }
  std::vector<Element> results = values[computation.root_instruction()];
  if (!status_.ok()) return ZerosOf(computation);
  for (Element& result : results) result = ops_.Splat(result, lanes);
  return results;
}

// Emits the leaves of an instruction's result from those of its operands.
std::vector<Element> ElementEmitter::EvaluateInstruction(
    const HloInstruction* instruction, absl::Span<const std::vector<Element>> operands, int lanes) {
  const auto all_leaves = [&] {
    std::vector<Element> leaves;
    for (const auto& operand : operands)
      leaves.insert(leaves.end(), operand.begin(), operand.end());
    return leaves;
  };
  switch (instruction->opcode()) {
    case HloOpcode::kConstant:
      return {ops_.Splat(EmitConstant(instruction), lanes)};
    case HloOpcode::kTuple:
    case HloOpcode::kOptimizationBarrier:
      return all_leaves();
    case HloOpcode::kGetTupleElement: {
      const Shape& tuple = instruction->operand(0)->shape();
      size_t first = 0;
      for (int i = 0; i < instruction->tuple_index(); ++i)
        first += CountLeaves(tuple.tuple_shapes(i));
      const auto begin = operands[0].begin() + static_cast<std::ptrdiff_t>(first);
      return {begin, begin + static_cast<std::ptrdiff_t>(CountLeaves(instruction->shape()))};
    }
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
    case HloOpcode::kTranspose:
      return operands[0];
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kMap:
      return Evaluate(*instruction->to_apply(), all_leaves(), lanes);
    case HloOpcode::kConditional:
      return EvaluateConditional(instruction, operands, lanes);
    case HloOpcode::kWhile:
      return EvaluateLoop(instruction, operands[0]);
    default:
      break;
  }
  if (!IsElementwise(*instruction)) return {Fail(instruction)};
  std::vector<Element> elements;
  for (const auto& operand : operands) elements.push_back(operand[0]);
  absl::StatusOr<Element> result = EmitElementwise(ops_, *instruction, elements);
  return {result.ok() ? *result : Fail(instruction, result.status())};
}

// A selector out of range selects the last branch.
std::vector<Element> ElementEmitter::EvaluateConditional(
    const HloInstruction* conditional, absl::Span<const std::vector<Element>> operands, int lanes) {
  const IrValue selector = operands[0][0].re;
  const bool is_predicate = conditional->operand(0)->shape().element_type() == PRED;
  const size_t branches = conditional->called_computations().size();
  const std::vector<PrimitiveType> types = LeafTypes(conditional->shape());
  const auto evaluate = [&](size_t branch) {
    return Evaluate(*conditional->branch_computation(static_cast<int64_t>(branch)),
                    operands[branch + 1], lanes);
  };
  const auto chosen = [&](size_t branch) {
    if (is_predicate) return selector;
    const IrType type = ir_.TypeOf(selector);
    return ir_.ICmp(LLVMIntEQ, selector, ir_.Const(type, static_cast<int64_t>(branch)));
  };
  if (lanes > 1 || InstructionsOf(*conditional) <= kCheapBranches) {
    std::vector<Element> value = evaluate(branches - 1);
    for (size_t branch = branches - 1; branch-- > 0;) {
      const std::vector<Element> other = evaluate(branch);
      for (size_t i = 0; i < value.size(); ++i)
        value[i] = ops_.Select(chosen(branch), other[i], value[i]);
    }
    return value;
  }
  const auto from = [&](const auto& self, size_t branch) -> Ir::Carried {
    Ir::Carried values;
    if (branch + 1 == branches) {
      Append(evaluate(branch), values);
      return values;
    }
    return ir_.If(
        chosen(branch),
        [&] {
          Append(evaluate(branch), values);
          return values;
        },
        [&] { return self(self, branch + 1); });
  };
  return Taken(types, from(from, 0), 0);
}

std::vector<Element> ElementEmitter::EvaluateLoop(const HloInstruction* loop,
                                                  std::vector<Element> state) {
  const std::vector<PrimitiveType> types = LeafTypes(loop->shape());
  // Carries whether the run goes on, the iterations until the next poll, and the state.
  Ir::Carried initial = {ir_.Const(ir_.I1(), int64_t{1}), ir_.Index(kIterationsBetweenPolls)};
  Append(state, initial);
  const Ir::Carried last = ir_.While(
      std::move(initial),
      [&](const Ir::Carried& carried) {
        const std::vector<Element> goes_on =
            Evaluate(*loop->while_condition(), Taken(types, carried, 2), 1);
        return ir_.And(goes_on[0].re, carried[0]);
      },
      [&](const Ir::Carried& carried) {
        const std::vector<Element> next =
            Evaluate(*loop->while_body(), Taken(types, carried, 2), 1);
        Ir::Carried values = {carried[0], carried[1]};
        if (ir_.run() != nullptr) {
          const IrValue left = ir_.Sub(carried[1], ir_.Index(1));
          values = ir_.If(
              ir_.ICmp(LLVMIntEQ, left, ir_.Index(0)),
              [&] {
                return Ir::Carried{ir_.RunGoesOn(), ir_.Index(kIterationsBetweenPolls)};
              },
              [&] {
                return Ir::Carried{ir_.Const(ir_.I1(), int64_t{1}), left};
              });
        }
        Append(next, values);
        return values;
      });
  return Taken(types, last, 2);
}

Element ElementEmitter::EmitMap(const HloInstruction* instruction, Index index) {
  std::vector<Element> arguments;
  for (const HloInstruction* operand : instruction->operands())
    arguments.push_back(Emit(operand, index));
  return Apply(*instruction->to_apply(), std::move(arguments))[0];
}

}  // namespace xla::cpu

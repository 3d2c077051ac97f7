// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/combiner_emitter.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Returns the operation of a computation that is one operation on both of its parameters.
const HloInstruction* SingleOperation(const HloComputation& function) {
  const HloInstruction* root = function.root_instruction();
  if (function.num_parameters() != 2 || root->operand_count() != 2 || !IsElementwise(*root) ||
      root->shape().rank() != 0) {
    return nullptr;
  }
  const HloInstruction *a = function.parameter_instruction(0),
                       *b = function.parameter_instruction(1);
  const bool in_order = root->operand(0) == a && root->operand(1) == b;
  const bool reversed =
      root->operand(0) == b && root->operand(1) == a && root->info().Has(op_traits::kCommutative);
  switch (root->opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kMultiply:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      return in_order || reversed ? root : nullptr;
    default:
      return nullptr;
  }
}

// Returns the type in which elements are computed in registers.
PrimitiveType WideType(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32 ? F32
                                                                                          : type;
}

// Elements computed at a time: a vector of the type, or several vectors if its lanes are few, since
// finding the addresses takes as long for one vector as for several.
constexpr int kFewestLanes = 8;
int LanesOf(const Ir& ir, PrimitiveType type) {
  const int64_t bytes = primitive_util::ByteWidth(WideType(type));
  return std::max(kFewestLanes, ir.target().machine.Lanes(
                                    primitive_util::IsComplexType(type) ? bytes / 2 : bytes));
}

class CombinerFunctionEmitter {
 public:
  CombinerFunctionEmitter(Ir& ir, const HloComputation& function, PrimitiveType type)
      : ir_(ir), ops_(ir), function_(function), type_(type), lanes_(LanesOf(ir, type)) {
    if (const HloInstruction* operation = SingleOperation(function)) {
      HloComputation::Builder builder("combiner");
      const Shape scalar(WideType(type), {});
      HloInstruction* const a =
          builder.AddInstruction(HloInstruction::CreateParameter(0, scalar, "a"));
      HloInstruction* const b =
          builder.AddInstruction(HloInstruction::CreateParameter(1, scalar, "b"));
      builder.AddInstruction(HloInstruction::Create(operation->opcode(), scalar, {a, b}));
      wide_ = builder.Build();
    }
  }

  absl::Status Emit(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    if (KindOfNested(function_) != NestedKind::kVectors) {
      // The state of the run follows the parts and the result.
      const IrValue behind = ir_.Mul(ir_.Add(ir_.Parameter(1), ir_.Index(1)), ir_.Index(8));
      ir_.set_run(ir_.Load(ir_.I64(), ir_.Offset(ir_.Parameter(0), behind), 8, true));
    }
    const IrValue begin = ir_.Parameter(2), end = ir_.Parameter(3);
    const IrValue whole =
        ir_.Mul(ir_.UDiv(ir_.Sub(end, begin), ir_.Index(lanes_)), ir_.Index(lanes_));
    const IrValue vector_end = ir_.Add(begin, whole);
    ir_.Loop(begin, vector_end, lanes_, [&](IrValue i) { Combine(i, lanes_); });
    ir_.Loop(vector_end, end, 1, [&](IrValue i) { Combine(i, 1); });
    ir_.Return();
    return status_;
  }

 private:
  Element LoadFrom(IrValue array, IrValue i, int lanes) {
    const int64_t bytes = primitive_util::ByteWidth(type_);
    ElementAddress address;
    address.pointer =
        ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Mul(array, ir_.Index(8))), 8);
    address.bytes = ir_.Mul(i, ir_.Index(bytes));
    address.step = bytes;
    return ops_.Load(type_, address, lanes);
  }

  // Values in memory: of each part of an element an array.
  struct Stack {
    std::vector<IrValue> memory;
    std::vector<IrType> types;
    std::vector<int64_t> bytes;
  };
  Stack MakeStack(const Ir::Carried& like) {
    constexpr int64_t kDepth = 16;  // of 2^16 parts
    Stack stack;
    for (const IrValue value : like) {
      const IrType type = ir_.TypeOf(value);
      const int64_t bytes = (int64_t{ir_.Bits(type)} * ir_.Lanes(type) + 7) / 8;
      int64_t place = 1;  // a power of two, as vectors are aligned
      while (place < bytes) place *= 2;
      stack.types.push_back(type);
      stack.bytes.push_back(place);
      stack.memory.push_back(ir_.Alloca(ir_.I8(), kDepth * place));
    }
    return stack;
  }
  void Push(const Stack& stack, IrValue place, const Ir::Carried& value) {
    for (size_t k = 0; k < value.size(); ++k) {
      ir_.Store(value[k], ir_.Offset(stack.memory[k], ir_.Mul(place, ir_.Index(stack.bytes[k]))),
                1);
    }
  }
  Ir::Carried At(const Stack& stack, IrValue place) {
    Ir::Carried value;
    for (size_t k = 0; k < stack.memory.size(); ++k) {
      value.push_back(
          ir_.Load(stack.types[k],
                   ir_.Offset(stack.memory[k], ir_.Mul(place, ir_.Index(stack.bytes[k]))), 1));
    }
    return value;
  }

  void Combine(IrValue i, int lanes) {
    const ElementEmitter::Buffers buffers;
    ElementEmitter emitter(ops_, buffers, lanes);
    const auto carried = [](const Element& element) {
      Ir::Carried values = {element.re};
      if (element.im != nullptr) values.push_back(element.im);
      return values;
    };
    const auto element = [](const Ir::Carried& values) {
      return Element{values[0], values.size() > 1 ? values[1] : nullptr};
    };
    const auto apply = [&](const Ir::Carried& a, const Ir::Carried& b) {
      ElementEmitter::Scope scope(&emitter);
      const std::vector<Element> combined =
          emitter.Apply(wide_ == nullptr ? function_ : *wide_, {element(a), element(b)});
      return carried(ops_.Splat(combined[0], lanes));
    };
    // A balanced tree: the stack holds the values of whole subtrees, of which there are as many as
    // the number of parts so far has bits that are set.
    const auto bits = [&](IrValue count) { return ir_.Unary("llvm.ctpop", count); };
    const Ir::Carried first = carried(LoadFrom(ir_.Index(0), i, lanes));
    const Stack stack = MakeStack(first);
    Push(stack, ir_.Index(0), first);
    ir_.Loop(ir_.Index(1), ir_.Parameter(1), 1, [&](IrValue part) {
      const IrValue before = bits(part), after = bits(ir_.Add(part, ir_.Index(1)));
      const IrValue joined = ir_.Sub(ir_.Add(before, ir_.Index(1)), after);
      const Ir::Carried value = ir_.Loop(ir_.Index(0), joined, 1, carried(LoadFrom(part, i, lanes)),
                                         [&](IrValue j, const Ir::Carried& so_far) {
                                           const IrValue top =
                                               ir_.Sub(ir_.Sub(before, ir_.Index(1)), j);
                                           return apply(At(stack, top), so_far);
                                         });
      Push(stack, ir_.Sub(after, ir_.Index(1)), value);
    });
    const IrValue last = ir_.Sub(bits(ir_.Parameter(1)), ir_.Index(1));
    const Ir::Carried total =
        ir_.Loop(ir_.Index(0), last, 1, At(stack, last), [&](IrValue j, const Ir::Carried& so_far) {
          return apply(At(stack, ir_.Sub(ir_.Sub(last, ir_.Index(1)), j)), so_far);
        });
    const IrValue out = ir_.Load(
        ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Mul(ir_.Parameter(1), ir_.Index(8))), 8);
    ops_.Store(type_, wide_ == nullptr ? element(total) : ops_.Round(type_, element(total)), out,
               ir_.Mul(i, ir_.Index(primitive_util::ByteWidth(type_))));
    if (status_.ok()) status_ = emitter.status();
  }

  Ir& ir_;
  ElementOps ops_;
  const HloComputation& function_;
  const PrimitiveType type_;
  const int lanes_;
  std::unique_ptr<HloComputation> wide_;
  absl::Status status_;
};

}  // namespace

bool CombinesScalars(const HloComputation& function, PrimitiveType type) {
  const auto is_scalar = [&](const Shape& shape) {
    return shape.IsArray() && shape.rank() == 0 && shape.element_type() == type;
  };
  return function.num_parameters() == 2 && is_scalar(function.parameter_instruction(0)->shape()) &&
         is_scalar(function.parameter_instruction(1)->shape()) &&
         is_scalar(function.root_instruction()->shape());
}

bool CanEmitCombiner(const HloComputation& function, PrimitiveType type) {
  return SingleOperation(function) != nullptr || CombinesScalars(function, type);
}

absl::Status EmitCombiner(Ir& ir, const HloComputation& function, PrimitiveType type,
                          const char* name) {
  return CombinerFunctionEmitter(ir, function, type).Emit(name);
}

}  // namespace xla::cpu

// SPDX-License-Identifier: Apache-2.0
// Inserts conversions between floating-point types of different precision.
#include "xla/passes/mixed_precision.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

enum class Rule : uint8_t {
  kAsIs,        // passes values through, or defines mixed types
  kOperands,    // all floating-point operands in one type
  kResult,      // operands may differ; only the result is rounded
  kDeclared,    // operands are converted to the declared result
  kPairs,       // operands i and n + i with parameters i and n + i of a computation
  kReduceAll,   // every operand with both parameters of the computation
  kSelect,      // select-and-scatter: all operands with both computations
  kParameters,  // operand i is converted to the type of parameter i
  kElements,    // parameters get operands' types: one for map, two for sort
};

// The rule of operations that apply computations to elements.
Rule RuleOf(CalleeRole role) {
  switch (role) {
    case CalleeRole::kReducer:
      return Rule::kPairs;
    case CalleeRole::kBinaryReducer:
      return Rule::kReduceAll;
    case CalleeRole::kSelector:
      return Rule::kSelect;
    case CalleeRole::kScanner:
      return Rule::kParameters;
    default:
      return Rule::kElements;
  }
}

Rule RuleOf(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  if (info.Has(op_traits::kOwnPrecision)) return Rule::kAsIs;
  if (info.Has(op_traits::kDeclaredPrecision)) return Rule::kDeclared;
  if (info.callee_schema().count > 0) return RuleOf(info.callee_schema().slots[0].role);
  return info.Has(op_traits::kMixedOperands) ? Rule::kResult : Rule::kOperands;
}

// Returns the element type of a floating-point array, otherwise PRIMITIVE_TYPE_INVALID.
PrimitiveType FloatType(const Shape& shape) {
  return shape.IsArray() && primitive_util::IsFloatingPointType(shape.element_type())
             ? shape.element_type()
             : PRIMITIVE_TYPE_INVALID;
}

// Returns a type that holds the values of both; either may be PRIMITIVE_TYPE_INVALID for none.
PrimitiveType Join(PrimitiveType a, PrimitiveType b) {
  if (a == b || b == PRIMITIVE_TYPE_INVALID) return a;
  if (a == PRIMITIVE_TYPE_INVALID) return b;
  if (primitive_util::CastPreservesValues(a, b)) return b;
  if (primitive_util::CastPreservesValues(b, a)) return a;
  const bool fit =
      primitive_util::CastPreservesValues(a, F32) && primitive_util::CastPreservesValues(b, F32);
  return fit ? F32 : F64;
}

// Returns the arrays of a result: its elements, or itself.
std::vector<const Shape*> Parts(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  std::vector<const Shape*> parts;
  for (const Shape& part : shape.tuple_shapes()) parts.push_back(&part);
  return parts;
}

// Returns the value in that type; a conversion is inserted directly after the value.
HloInstruction* Converted(HloInstruction* value, PrimitiveType type) {
  const PrimitiveType from = FloatType(value->shape());
  if (from == type || from == PRIMITIVE_TYPE_INVALID || type == PRIMITIVE_TYPE_INVALID)
    return value;
  std::unique_ptr<HloInstruction> convert = HloInstruction::Create(
      HloOpcode::kConvert, ShapeUtil::ChangeElementType(value->shape(), type), {value});
  value->SetupDerivedInstruction(convert.get());
  return value->parent()->InsertAfter(value, std::move(convert));
}

// Returns the value with its floating-point arrays in the types of `shape`; tuples of arrays are
// taken apart and rebuilt, directly after the value.
HloInstruction* Rounded(HloInstruction* value, const Shape& shape) {
  if (!shape.IsTuple()) return Converted(value, FloatType(shape));
  HloComputation* computation = value->parent();
  std::vector<HloInstruction*> parts;
  HloInstruction* last = value;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    last = computation->InsertAfter(
        last, HloInstruction::Create(HloOpcode::kGetTupleElement, value->shape().tuple_shapes(i),
                                     {value}, TupleIndexAttributes{.index = i}));
    parts.push_back(last = Rounded(last, shape.tuple_shapes(i)));
  }
  return computation->InsertAfter(last, HloInstruction::Create(HloOpcode::kTuple, shape, parts));
}

// Sets the floating-point types of `shape` to those of `types`, a shape that differs in nothing
// else.
void TakeFloatTypes(const Shape& types, Shape* shape) {
  if (shape->IsTuple()) {
    for (int i = 0; i < shape->tuple_shapes_size(); ++i)
      TakeFloatTypes(types.tuple_shapes(i), shape->mutable_tuple_shapes(i));
  } else if (FloatType(*shape) != PRIMITIVE_TYPE_INVALID) {
    *shape = ShapeUtil::ChangeElementType(*shape, types.element_type());
  }
}

// Resolves one instruction at a time.
class Resolver {
 public:
  explicit Resolver(HloInstruction* instruction)
      : instruction_(instruction), rule_(RuleOf(instruction->opcode())) {}

  absl::Status Resolve() {
    if (rule_ == Rule::kAsIs) return absl::OkStatus();
    UnifyOperands();
    return RoundResult();
  }

 private:
  using Types = std::vector<PrimitiveType>;

  PrimitiveType OperandType(int64_t i) const {
    return FloatType(instruction_->operand(i)->shape());
  }

  void UnifyOperands() {
    const int64_t count = instruction_->operand_count();
    switch (rule_) {
      case Rule::kOperands: {
        PrimitiveType type = PRIMITIVE_TYPE_INVALID;
        for (int64_t i = 0; i < count; ++i) type = Join(type, OperandType(i));
        ConvertOperands(Types(static_cast<size_t>(count), type));
        break;
      }
      case Rule::kDeclared:
        ConvertOperands(Types(static_cast<size_t>(count), FloatType(instruction_->shape())));
        break;
      case Rule::kPairs:
        UnifyPairs();
        break;
      case Rule::kReduceAll:
      case Rule::kSelect: {
        PrimitiveType type = PRIMITIVE_TYPE_INVALID;
        for (int64_t i = 0; i < count; ++i) type = Join(type, OperandType(i));
        const HloComputation* reducer = instruction_->called_computations().back();
        for (const HloInstruction* parameter : reducer->parameter_instructions())
          type = Join(type, FloatType(parameter->shape()));
        ConvertOperands(Types(static_cast<size_t>(count), type));
        for (size_t i = 0; i < instruction_->called_computations().size(); ++i)
          ApplyTo(i, {type, type}, {type});
        break;
      }
      case Rule::kParameters: {
        Types types;
        for (const HloInstruction* parameter : instruction_->to_apply()->parameter_instructions())
          types.push_back(FloatType(parameter->shape()));
        ConvertOperands(types);
        break;
      }
      case Rule::kElements: {
        const CalleeRole role = instruction_->info().callee_schema().slots[0].role;
        const int64_t each = GetCalleeRoleInfo(role).per_operand;
        Types types;
        for (int64_t i = 0; i < count * each; ++i) types.push_back(OperandType(i / each));
        ApplyTo(0, types, {});
        break;
      }
      case Rule::kAsIs:
      case Rule::kResult:
        break;
    }
  }

  // Unifies operand i, its initial value or update n + i, and the corresponding parameters and
  // results of the computation.
  void UnifyPairs() {
    const bool is_scatter = instruction_->opcode() == HloOpcode::kScatter;
    // The indices of a scatter are between operands and updates.
    const int64_t n = instruction_->operand_count() / 2, second = is_scatter ? n + 1 : n;
    const HloComputation* reducer = instruction_->to_apply();
    const std::vector<const Shape*> results = Parts(reducer->root_instruction()->shape());
    Types operands(static_cast<size_t>(instruction_->operand_count()), PRIMITIVE_TYPE_INVALID),
        parameters(static_cast<size_t>(2 * n)), accumulators(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<size_t>(i), other = static_cast<size_t>(n + i);
      PrimitiveType type = Join(OperandType(i), OperandType(second + i));
      type = Join(type, FloatType(reducer->parameter_instruction(i)->shape()));
      type = Join(type, FloatType(reducer->parameter_instruction(n + i)->shape()));
      if (at < results.size()) type = Join(type, FloatType(*results[at]));
      operands[at] = operands[static_cast<size_t>(second + i)] = type;
      parameters[at] = parameters[other] = accumulators[at] = type;
    }
    ConvertOperands(operands);
    ApplyTo(0, parameters, accumulators);
  }

  // Converts operand i to types[i] if it is of a floating-point type.
  void ConvertOperands(const Types& types) {
    std::vector<HloInstruction*> operands(instruction_->operands().begin(),
                                          instruction_->operands().end());
    bool changed = false;
    for (size_t i = 0; i < operands.size() && i < types.size(); ++i) {
      HloInstruction* converted = Converted(operands[i], types[i]);
      changed |= converted != operands[i];
      operands[i] = converted;
    }
    if (!changed) return;
    for (size_t i = 0; i < operands.size(); ++i) {
      XLA_CHECK_OK(
          instruction_->ReplaceOperandWithDifferentShape(static_cast<int64_t>(i), operands[i]));
    }
  }

  // Makes called computation i take and return these types; without result types, it keeps its own.
  void ApplyTo(size_t i, const Types& parameters, const Types& results) {
    HloComputation* callee = instruction_->called_computations()[i];
    const ProgramShape signature = callee->ComputeProgramShape();
    bool fits = true;
    for (int p = 0; p < signature.parameters_size(); ++p)
      fits &= Fits(signature.parameters(p), parameters, p);
    const std::vector<const Shape*> parts = Parts(signature.result());
    for (size_t r = 0; r < parts.size(); ++r) fits &= Fits(*parts[r], results, static_cast<int>(r));
    if (fits) return;

    HloComputation* adapter =
        callee->parent()->AddComputation(absl::StrCat(callee->name(), ".converting"));
    std::vector<HloInstruction*> arguments;
    for (int p = 0; p < signature.parameters_size(); ++p) {
      Shape shape = signature.parameters(p);
      if (!Fits(shape, parameters, p))
        shape = ShapeUtil::ChangeElementType(shape, parameters[static_cast<size_t>(p)]);
      HloInstruction* parameter =
          adapter->AddInstruction(HloInstruction::CreateParameter(p, shape, "p"));
      arguments.push_back(Converted(parameter, FloatType(signature.parameters(p))));
    }
    HloInstruction* root = adapter->AddInstruction(HloInstruction::Create(
        HloOpcode::kCall, signature.result(), arguments, NoAttributes{}, {&callee, 1}));
    Shape result = signature.result();
    for (size_t r = 0; r < parts.size(); ++r) {
      if (Fits(*parts[r], results, static_cast<int>(r))) continue;
      Shape* part = result.IsTuple() ? result.mutable_tuple_shapes(static_cast<int>(r)) : &result;
      *part = ShapeUtil::ChangeElementType(*part, results[r]);
    }
    if (!ShapeUtil::Compatible(result, root->shape())) root = Rounded(root, result);
    adapter->set_root_instruction(root);
    instruction_->set_called_computation(static_cast<int64_t>(i), adapter);
  }

  // Whether there is nothing to convert between the shape and the i-th type.
  static bool Fits(const Shape& shape, const Types& types, int i) {
    if (static_cast<size_t>(i) >= types.size()) return true;
    const PrimitiveType type = types[static_cast<size_t>(i)], own = FloatType(shape);
    return own == PRIMITIVE_TYPE_INVALID || type == PRIMITIVE_TYPE_INVALID || own == type;
  }

  // The instruction returns the type that follows from its operands; its users get the declared
  // one.
  absl::Status RoundResult() {
    const Shape declared = instruction_->shape();
    XLA_ASSIGN_OR_RETURN(const Shape inferred, InferInstructionShape(*instruction_, declared));
    if (ShapeUtil::Compatible(inferred, declared) ||
        !ShapeUtil::CompatibleIgnoringFpPrecision(inferred, declared)) {
      return absl::OkStatus();
    }
    TakeFloatTypes(inferred, instruction_->mutable_shape());
    // Asynchronous results are rounded at the done.
    if (instruction_->info().async_role == AsyncRole::kStart) return absl::OkStatus();
    const HloInstruction::InstructionVector users = instruction_->users();
    HloInstruction* rounded = Rounded(instruction_, declared);
    if (instruction_->IsRoot()) instruction_->parent()->set_root_instruction(rounded);
    for (HloInstruction* user : users) {
      XLA_RETURN_IF_ERROR(instruction_->ReplaceUseWithDifferentShape(user, rounded));
    }
    return absl::OkStatus();
  }

  HloInstruction* instruction_;
  const Rule rule_;
};

// Whether numbers of the shape, or parts of complex ones, have a floating-point type other than
// `type`, which is set by the first of them.
bool Differs(const Shape& shape, PrimitiveType* type) {
  if (shape.IsTuple()) {
    for (const Shape& part : shape.tuple_shapes())
      if (Differs(part, type)) return true;
    return false;
  }
  if (!shape.IsArray()) return false;
  const PrimitiveType own = primitive_util::ComplexComponentType(shape.element_type());
  if (!primitive_util::IsFloatingPointType(own)) return false;
  if (*type == PRIMITIVE_TYPE_INVALID) *type = own;
  return own != *type;
}

bool MeetsSeveralTypes(const HloInstruction& instruction) {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  if (Differs(instruction.shape(), &type)) return true;
  for (const HloInstruction* operand : instruction.operands())
    if (Differs(operand->shape(), &type)) return true;
  for (const HloComputation* callee : instruction.called_computations()) {
    if (callee->root_instruction() != nullptr &&
        Differs(callee->root_instruction()->shape(), &type))
      return true;
    for (const HloInstruction* parameter : callee->parameter_instructions())
      if (parameter != nullptr && Differs(parameter->shape(), &type)) return true;
  }
  return false;
}

}  // namespace

bool HasMixedPrecision(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (RuleOf(instruction->opcode()) != Rule::kAsIs && MeetsSeveralTypes(*instruction))
        return true;
    }
  }
  return false;
}

absl::Status ResolveMixedPrecision(HloModule* module) {
  for (HloComputation* computation : module->computations()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> instructions, computation->PostOrder());
    for (HloInstruction* instruction : instructions)
      XLA_RETURN_IF_ERROR(Resolver(instruction).Resolve());
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RunResolveMixedPrecision(HloModule* module) {
  const int64_t instructions = module->instruction_count();
  if (HasMixedPrecision(*module)) XLA_RETURN_IF_ERROR(ResolveMixedPrecision(module));
  // Every change comes with a conversion.
  return module->instruction_count() != instructions;
}

}  // namespace xla

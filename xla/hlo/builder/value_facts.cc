// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/builder/value_facts.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/util.h"

namespace xla::value_inference {

Mode Opposite(Mode mode) {
  if (mode == kValue) return kValue;
  return mode == kUpperBound ? kLowerBound : kUpperBound;
}

Shape StaticShape(const Shape& shape) {
  Shape result = shape;
  ShapeUtil::ForEachMutableSubshape(&result, [](Shape* part, const ShapeIndex&) {
    if (!part->IsArray()) return;
    for (int i = 0; i < part->rank(); ++i) part->set_dynamic_dimension(i, false);
  });
  return result;
}

Shape MaskShape(const Shape& shape) {
  Shape result = StaticShape(shape);
  ShapeUtil::ForEachMutableSubshape(&result, [](Shape* part, const ShapeIndex&) {
    if (part->IsTuple()) return;
    *part = part->IsArray() ? ShapeUtil::ChangeElementType(*part, PRED)
                            : ShapeUtil::MakeShape(PRED, {});
  });
  return result;
}

void Fill(Literal* mask, bool value) {
  ShapeUtil::ForEachSubshape(mask->shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    for (bool& element : mask->data<bool>(index)) element = value;
  });
}

bool AllFalse(const Literal& mask) {
  bool any = false;
  ShapeUtil::ForEachSubshape(mask.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    for (const bool element : mask.data<bool>(index)) any |= element;
  });
  return !any;
}

absl::StatusOr<Facts> Unknown(const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(Literal value, Literal::Make(StaticShape(shape)));
  XLA_ASSIGN_OR_RETURN(Literal mask, Literal::Make(MaskShape(shape)));
  Fill(&mask, true);
  return Facts{std::move(value), std::move(mask)};
}

absl::StatusOr<Facts> Known(Literal value) {
  XLA_ASSIGN_OR_RETURN(Literal mask, Literal::Make(MaskShape(value.shape())));
  return Facts{std::move(value), std::move(mask)};
}

absl::StatusOr<Literal> EvaluateOn(const HloInstruction& instruction, const Shape& shape,
                                   absl::Span<const Literal* const> operands) {
  HloModule module("infer");
  HloComputation* computation = module.AddComputation("infer");
  std::vector<HloInstruction*> constants;
  for (const Literal* operand : operands) {
    constants.push_back(
        computation->AddInstruction(HloInstruction::CreateConstant(operand->Clone())));
  }
  CloneMap map;
  for (const HloComputation* callee : instruction.called_computations()) {
    CloneComputation(*callee, &module, &map);
  }
  computation->set_root_instruction(
      computation->AddInstruction(CloneInstruction(instruction, shape, constants, &map)));
  module.set_entry_computation(computation);
  return HloEvaluator().Evaluate(*computation, absl::Span<const Literal* const>());
}

bool MovesElements(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:
      return false;
  }
}

int64_t IndexedOperands(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
      return 1;
    case HloOpcode::kDynamicUpdateSlice:
      return 2;
    default:
      return 0;
  }
}

int Monotonicity(const HloInstruction& instruction, int64_t i) {
  const PrimitiveType type = instruction.operand(i)->shape().element_type();
  if (primitive_util::IsComplexType(type)) return 0;
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kClamp:
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kSign:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSqrt:
    case HloOpcode::kCbrt:
    case HloOpcode::kExp:
    case HloOpcode::kLog:
      return 1;
    case HloOpcode::kConvert:
      return primitive_util::IsComplexType(instruction.shape().element_type()) ? 0 : 1;
    case HloOpcode::kSubtract:
      return i == 0 ? 1 : -1;
    case HloOpcode::kNegate:
      return -1;
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
      return type == PRED ? 1 : 0;
    case HloOpcode::kNot:
      return type == PRED ? -1 : 0;
    case HloOpcode::kCompare:
      switch (instruction.attributes<CompareAttributes>().direction) {
        case ComparisonDirection::kGt:
        case ComparisonDirection::kGe:
          return i == 0 ? 1 : -1;
        case ComparisonDirection::kLt:
        case ComparisonDirection::kLe:
          return i == 0 ? -1 : 1;
        default:
          return 0;
      }
    default:
      return 0;
  }
}

bool IsMonotone(const HloInstruction& instruction) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (Monotonicity(instruction, i) == 0) return false;
  }
  return instruction.operand_count() > 0;
}

bool ReducesMonotonously(const HloInstruction& reduce) {
  switch (reduce.to_apply()->root_instruction()->opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd:
    case HloOpcode::kOr:
      return reduce.operand_count() == 2 && reduce.to_apply()->instructions().size() == 3 &&
             (reduce.shape().element_type() == PRED ||
              IsMonotone(*reduce.to_apply()->root_instruction()));
    default:
      return false;
  }
}

Facts Copy(const Facts& facts) { return {facts.value.Clone(), facts.mask.Clone()}; }

absl::Status Join(const Facts& other, Mode mode, Facts* facts) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(facts->value.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    const absl::Span<bool> mask = facts->mask.data<bool>(index);
    const absl::Span<const bool> other_mask = other.mask.data<bool>(index);
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = mask[i] || other_mask[i];
    if (!part.IsArray()) return;
    if (mode != kValue && !primitive_util::IsComplexType(part.element_type())) {
      const HloOpcode farther = mode == kUpperBound ? HloOpcode::kMaximum : HloOpcode::kMinimum;
      absl::StatusOr<Literal> bound = HloEvaluator().EvaluateElementwiseBinaryOp(
          farther, LiteralSlice(facts->value, index).Clone(),
          LiteralSlice(other.value, index).Clone());
      status = bound.ok() ? facts->value.CopyFrom(*bound, index) : bound.status();
      return;
    }
    const auto width = static_cast<size_t>(primitive_util::ByteWidth(part.element_type()));
    const char* a = static_cast<const char*>(facts->value.untyped_data(index));
    const char* b = static_cast<const char*>(other.value.untyped_data(index));
    for (size_t i = 0; i < mask.size(); ++i) {
      mask[i] = mask[i] || !std::equal(a + i * width, a + (i + 1) * width, b + i * width);
    }
  });
  return status;
}

absl::Status AvoidZero(std::vector<Literal>* bounds, Literal* mask) {
  Literal& lower = (*bounds)[0];
  Literal& upper = (*bounds)[1];
  const bool is_integral = primitive_util::IsIntegralType(lower.shape().element_type());
  const std::vector<int64_t> sizes(lower.shape().dimensions().begin(),
                                   lower.shape().dimensions().end());
  absl::Status status;
  ShapeUtil::ForEachIndexNoStatus(lower.shape(), [&](absl::Span<const int64_t> index) {
    const double low = *lower.GetAsDouble(index), high = *upper.GetAsDouble(index);
    if (low > 0 || high < 0) return true;
    if (!is_integral || low < 0) {
      mask->Set<bool>(index, {}, true);
      if (low == 0 || is_integral) status.Update(lower.SetIntegralAsS64(index, 1));
    } else {
      status.Update(lower.SetIntegralAsS64(index, 1));
    }
    if (high <= 0 && is_integral) status.Update(upper.SetIntegralAsS64(index, 1));
    return true;
  });
  return status;
}

absl::StatusOr<Literal> AnyAlong(const Literal& mask, absl::Span<const int64_t> dimensions,
                                 const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(MaskShape(shape)));
  mask.EachCell<bool>([&](absl::Span<const int64_t> index, bool unknown) {
    if (!unknown) return;
    std::vector<int64_t> rest;
    for (size_t d = 0; d < index.size(); ++d) {
      if (!absl::c_linear_search(dimensions, static_cast<int64_t>(d))) rest.push_back(index[d]);
    }
    result.Set<bool>(rest, {}, true);
  });
  return result;
}

absl::StatusOr<Facts> FarthestAlong(const Facts& facts, int64_t dimension, Mode mode) {
  const Shape& shape = facts.value.shape();
  if (primitive_util::IsComplexType(shape.element_type())) return Unknown(shape);
  Facts result = Copy(facts);
  const HloOpcode farther = mode == kUpperBound ? HloOpcode::kMaximum : HloOpcode::kMinimum;
  std::vector<int64_t> start(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> limit(shape.dimensions().begin(), shape.dimensions().end());
  const auto d = static_cast<size_t>(dimension);
  const int64_t size = limit[d];
  if (size == 0) return result;
  const auto row = [&](const Literal& from, int64_t i) {
    start[d] = i;
    limit[d] = i + 1;
    return from.Slice(start, limit);
  };
  Literal value = row(facts.value, 0), mask = row(facts.mask, 0);
  HloEvaluator evaluator;
  for (int64_t i = 1; i < size; ++i) {
    XLA_ASSIGN_OR_RETURN(
        value, evaluator.EvaluateElementwiseBinaryOp(farther, value, row(facts.value, i)));
    XLA_ASSIGN_OR_RETURN(
        mask, evaluator.EvaluateElementwiseBinaryOp(HloOpcode::kOr, mask, row(facts.mask, i)));
  }
  const std::vector<int64_t> origin(start.size(), 0);
  std::vector<int64_t> to = origin;
  for (int64_t i = 0; i < size; ++i) {
    to[d] = i;
    XLA_RETURN_IF_ERROR(result.value.CopySliceFrom(value, origin, to, value.shape().dimensions()));
    XLA_RETURN_IF_ERROR(result.mask.CopySliceFrom(mask, origin, to, mask.shape().dimensions()));
  }
  return result;
}

}  // namespace xla::value_inference

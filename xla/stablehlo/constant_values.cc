// SPDX-License-Identifier: Apache-2.0
#include "xla/stablehlo/constant_values.h"

#include <algorithm>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::stablehlo {
namespace {

using Values = std::vector<int64_t>;

constexpr int64_t kMaxElements = 64;
constexpr int64_t kMaxConstantElements = 1 << 16;
constexpr int kMaxDepth = 200;

std::optional<Values> Evaluate(const HloInstruction& instruction, int depth);

// Reduced to the width of the type.
int64_t Wrap(int64_t value, PrimitiveType type) {
  if (type == PRED) return value != 0 ? 1 : 0;
  const int width = static_cast<int>(primitive_util::BitWidth(type));
  if (width >= 64) return value;
  const uint64_t moved = static_cast<uint64_t>(value) << (64 - width);
  return primitive_util::IsUnsignedIntegralType(type) ? static_cast<int64_t>(moved >> (64 - width))
                                                      : static_cast<int64_t>(moved) >> (64 - width);
}

std::optional<int64_t> Apply(const HloInstruction& instruction, int64_t a, int64_t b) {
  const auto wrapped = [](uint64_t value) { return static_cast<int64_t>(value); };
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (instruction.opcode()) {
    case HloOpcode::kAdd:
      return wrapped(x + y);
    case HloOpcode::kSubtract:
      return wrapped(x - y);
    case HloOpcode::kMultiply:
      return wrapped(x * y);
    case HloOpcode::kDivide:
      if (b == 0 || b == -1) return b == 0 ? std::nullopt : std::optional<int64_t>(wrapped(0 - x));
      return a / b;
    case HloOpcode::kRemainder:
      if (b == 0) return std::nullopt;
      return b == -1 ? 0 : a % b;
    case HloOpcode::kMaximum:
      return std::max(a, b);
    case HloOpcode::kMinimum:
      return std::min(a, b);
    case HloOpcode::kAnd:
      return a & b;
    case HloOpcode::kOr:
      return a | b;
    case HloOpcode::kXor:
      return a ^ b;
    case HloOpcode::kCompare:
      switch (instruction.attributes<CompareAttributes>().direction) {
        case ComparisonDirection::kEq:
          return a == b;
        case ComparisonDirection::kNe:
          return a != b;
        case ComparisonDirection::kGe:
          return a >= b;
        case ComparisonDirection::kGt:
          return a > b;
        case ComparisonDirection::kLe:
          return a <= b;
        case ComparisonDirection::kLt:
          return a < b;
      }
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<Values> EvaluateConstant(const HloInstruction& instruction) {
  const Literal& literal = instruction.literal();
  Values values;
  const PrimitiveType type = literal.shape().element_type();
  const auto bytes = static_cast<size_t>(ShapeUtil::ByteSizeOfPrimitiveType(type));
  const Literal row_major = literal.Relayout(LayoutUtil::GetDefaultLayoutForShape(literal.shape()));
  const auto* data = static_cast<const char*>(row_major.untyped_data());
  for (int64_t i = 0; i < ShapeUtil::ElementsIn(literal.shape()); ++i) {
    int64_t value = 0;
    std::copy_n(data + static_cast<size_t>(i) * bytes, bytes, reinterpret_cast<char*>(&value));
    values.push_back(Wrap(value, type));
  }
  return values;
}

std::optional<Values> EvaluateSlice(const HloInstruction& instruction, const Values& operand) {
  const auto& slice = instruction.attributes<SliceAttributes>().slice;
  if (slice.size() != 1) return std::nullopt;
  Values values;
  for (int64_t i = slice[0].start; i < slice[0].limit; i += slice[0].stride) {
    if (i < 0 || i >= static_cast<int64_t>(operand.size())) return std::nullopt;
    values.push_back(operand[static_cast<size_t>(i)]);
  }
  return values;
}

std::optional<Values> EvaluateElementwise(const HloInstruction& instruction,
                                          const std::vector<Values>& operands, size_t count) {
  Values values;
  for (size_t i = 0; i < count; ++i) {
    const auto at = [&](size_t k) { return operands[k][operands[k].size() == 1 ? 0 : i]; };
    std::optional<int64_t> value;
    switch (instruction.opcode()) {
      case HloOpcode::kConvert:
        value = at(0);
        break;
      case HloOpcode::kNegate:
        value = static_cast<int64_t>(0 - static_cast<uint64_t>(at(0)));
        break;
      case HloOpcode::kSign:
        value = at(0) > 0 ? 1 : at(0) < 0 ? -1 : 0;
        break;
      case HloOpcode::kAbs:
        value = at(0) < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(at(0))) : at(0);
        break;
      case HloOpcode::kNot:
        value = instruction.shape().element_type() == PRED ? 1 - at(0) : ~at(0);
        break;
      case HloOpcode::kSelect:
        value = at(0) != 0 ? at(1) : at(2);
        break;
      case HloOpcode::kClamp:
        value = std::min(std::max(at(1), at(0)), at(2));
        break;
      default:
        if (operands.size() == 2) value = Apply(instruction, at(0), at(1));
        break;
    }
    if (!value.has_value()) return std::nullopt;
    values.push_back(Wrap(*value, instruction.shape().element_type()));
  }
  return values;
}

std::optional<Values> Evaluate(const HloInstruction& instruction, int depth) {
  const Shape& shape = instruction.shape();
  if (depth > kMaxDepth || !shape.IsArray() || shape.is_dynamic() ||
      (shape.element_type() != PRED && !primitive_util::IsIntegralType(shape.element_type())) ||
      ShapeUtil::ElementsIn(shape) >
          (instruction.opcode() == HloOpcode::kConstant ? kMaxConstantElements : kMaxElements)) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(ShapeUtil::ElementsIn(shape));
  if (instruction.opcode() == HloOpcode::kConstant) return EvaluateConstant(instruction);
  if (instruction.opcode() == HloOpcode::kIota) {
    if (shape.rank() != 1) return std::nullopt;
    Values values;
    for (size_t i = 0; i < count; ++i) values.push_back(static_cast<int64_t>(i));
    return values;
  }
  if (instruction.operands().empty() || !instruction.called_computations().empty()) {
    return std::nullopt;
  }
  std::vector<Values> operands;
  for (const HloInstruction* operand : instruction.operands()) {
    auto values = Evaluate(*operand, depth + 1);
    if (!values.has_value()) return std::nullopt;
    operands.push_back(*std::move(values));
  }
  switch (instruction.opcode()) {
    case HloOpcode::kReshape:
      return operands[0];
    case HloOpcode::kBroadcast:
      if (operands[0].size() == 1) return Values(count, operands[0][0]);
      return operands[0].size() == count ? std::optional<Values>(operands[0]) : std::nullopt;
    case HloOpcode::kConcatenate: {
      if (shape.rank() != 1) return std::nullopt;
      Values values;
      for (const Values& operand : operands) {
        values.insert(values.end(), operand.begin(), operand.end());
      }
      return values;
    }
    case HloOpcode::kSlice:
      return EvaluateSlice(instruction, operands[0]);
    default:
      for (const Values& operand : operands) {
        if (operand.size() != count && operand.size() != 1) return std::nullopt;
      }
      return EvaluateElementwise(instruction, operands, count);
  }
}

}  // namespace

std::optional<std::vector<int64_t>> ConstantValues(const HloInstruction& instruction) {
  return Evaluate(instruction, 0);
}

}  // namespace xla::stablehlo

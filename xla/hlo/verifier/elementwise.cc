// SPDX-License-Identifier: Apache-2.0
// Verifier rules for elementwise operations.
#include "xla/comparison_util.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::verifier {

absl::Status CheckCompare(const HloInstruction& instruction, const Context&) {
  const auto& attributes = instruction.attributes<CompareAttributes>();
  const PrimitiveType type = instruction.operand(1)->shape().element_type();
  const Comparison::Type expected = Comparison::DefaultComparisonType(type);
  if (attributes.type.has_value() && *attributes.type != expected) {
    const bool is_float = primitive_util::IsFloatingPointType(type);
    if (!is_float || *attributes.type != Comparison::Type::kFloatTotalOrder) {
      return InvalidArgumentStrCat("Expected comparison type ", ComparisonTypeToString(expected),
                                   is_float ? " or TOTALORDER.\nactual: " : ".\nactual: ",
                                   ComparisonTypeToString(*attributes.type),
                                   "\noperand: ", instruction.operand(1)->shape().ToString());
    }
  }
  const bool equality = attributes.direction == ComparisonDirection::kEq ||
                        attributes.direction == ComparisonDirection::kNe;
  if (primitive_util::IsComplexType(type) && !equality) {
    return InvalidArgumentStrCat("Complex numbers have no order: direction ",
                                 ComparisonDirectionToString(attributes.direction),
                                 " is not supported for them");
  }
  return absl::OkStatus();
}

}  // namespace xla::verifier

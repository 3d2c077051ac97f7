// SPDX-License-Identifier: Apache-2.0
// Comparators for Sort.
#include "xla/hlo/builder/lib/comparators.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

XlaComputation CompareFirst(const char* name, const std::vector<PrimitiveType>& operand_types,
                            XlaCompareOp compare, XlaBuilder* builder) {
  std::vector<std::optional<XlaCompareOp>> generators(operand_types.size());
  if (!generators.empty()) generators[0] = std::move(compare);
  return CreateScalarComparisonComputation(name, operand_types, generators, builder);
}

}  // namespace

XlaComputation CreateScalarLtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder) {
  return CompareFirst("compare-less-than", operand_types, LtTotalOrder, builder);
}

XlaComputation CreateScalarGtComputation(const std::vector<PrimitiveType>& operand_types,
                                         XlaBuilder* builder) {
  return CompareFirst("compare-greater-than", operand_types, GtTotalOrder, builder);
}

XlaComputation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<PrimitiveType>& operand_types,
    const std::vector<std::optional<XlaCompareOp>>& generators, XlaBuilder* builder) {
  const std::unique_ptr<XlaBuilder> b = builder->CreateSubBuilder(name);
  if (operand_types.empty() || operand_types.size() != generators.size()) {
    b->ReportError(InvalidArgument(
        "A comparator needs a type and a comparison (or none) for each operand; got %u and %u.",
        operand_types.size(), generators.size()));
    return b->BuildAndNoteError();
  }
  XlaOp result, equal_so_far;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    if (!primitive_util::IsArrayType(operand_types[i])) {
      b->ReportError(InvalidArgumentStrCat("There are no scalars of type ",
                                           PrimitiveType_Name(operand_types[i]), "."));
      return b->BuildAndNoteError();
    }
    const Shape scalar = ShapeUtil::MakeScalarShape(operand_types[i]);
    const int64_t number = static_cast<int64_t>(2 * i);
    const XlaOp lhs = Parameter(b.get(), number, scalar, absl::StrCat("p.", i, ".lhs"));
    const XlaOp rhs = Parameter(b.get(), number + 1, scalar, absl::StrCat("p.", i, ".rhs"));
    if (!generators[i].has_value()) continue;
    const XlaOp decision = (*generators[i])(lhs, rhs);
    result = result.IsUninitialized() ? decision : Select(equal_so_far, decision, result);
    const XlaOp equal = EqTotalOrder(lhs, rhs);
    equal_so_far = equal_so_far.IsUninitialized() ? equal : And(equal_so_far, equal);
  }
  if (result.IsUninitialized()) {
    b->ReportError(InvalidArgument("A comparator needs a comparison."));
    return b->BuildAndNoteError();
  }
  absl::StatusOr<XlaComputation> built = b->Build(result);
  if (built.ok()) return *std::move(built);
  b->ReportError(built.status());
  return b->BuildAndNoteError();
}

}  // namespace xla

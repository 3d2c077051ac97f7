// SPDX-License-Identifier: Apache-2.0
// Rules of CHLO.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeKind;
using mlir::TypeRef;

bool SameAsOperands(Check& check) {
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!TypesAgree(check.operand(i), check.result(0))) {
      return check.Fail("requires compatible types for all operands and results, but they are ",
                        mlir::ToString(check.operand(i)), " and ", mlir::ToString(check.result(0)));
    }
  }
  return true;
}

bool PredicateRule(Check& check) {
  return check.Require(
      ShapesAgree(check.operand(0), check.result(0)) && check.result(0)->element->IsInteger(1),
      "the result must be i1 of the operand's shape, but is ", check.result(0));
}

bool BroadcastingRule(Check& check) {
  const bool is_compare = check.Is("chlo.broadcast_compare");
  const bool is_complex = check.Is("chlo.broadcast_complex");
  const size_t first = check.Is("chlo.broadcast_select") ? 1 : 0;
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!IsShaped(check.operand(i))) return check.Fail("operands must be tensors");
  }
  const TypeRef element = check.operand(first)->element;
  if (!ElementsAgree(element, check.operand(first + 1)->element)) {
    if (first == 1) return check.Fail("mismatched operand types");
    return check.Fail("requires compatible element types for all operands and results");
  }
  const TypeRef result = check.result(0)->element;
  const bool agrees = is_compare ? result->IsInteger(1)
                      : is_complex
                          ? result->kind == TypeKind::kComplex && result->element == element
                          : ElementsAgree(result, element);
  if (!agrees) {
    return check.Fail("requires compatible element types for all operands and results");
  }
  return true;
}

bool ConstantLikeRule(Check& check) {
  const AttributeRef value = check.operation().Find("value");
  const auto* number = value->As<mlir::FloatAttribute>();
  const auto* integer = value->As<mlir::IntegerAttribute>();
  const TypeRef type = number != nullptr    ? number->type
                       : integer != nullptr ? integer->type
                                            : nullptr;
  TypeRef element = check.result(0)->element;
  if (element->kind == TypeKind::kComplex) return true;
  if (type != element) {
    return check.Fail("value's type doesn't match element return type ", mlir::ToString(element));
  }
  return check.Require(ShapesAgree(check.operand(0), check.result(0)),
                       "the result must have the shape of the operand");
}

bool TopKRule(Check& check) {
  if (!IsTensor(check.operand(0))) return true;
  const int64_t k = check.Integer("k");
  if (check.rank(0) < 1) return check.Fail("operand's rank must be at least 1");
  const int64_t last = check.sizes(0).back();
  if (!IsDynamicSize(last) && last < k) {
    return check.Fail("operand's last dimension must be at least ", k);
  }
  std::vector<int64_t> sizes(check.sizes(0).begin(), check.sizes(0).end());
  sizes.back() = k;
  if (!check.ResultIs(0, sizes, check.operand(0)->element)) return false;
  return check.Require(
      SizesAgree(sizes, check.result(1)->sizes) && check.result(1)->element->IsInteger(32),
      "result #1 must be i32 of the shape ", ListText(sizes));
}

bool RaggedDotRule(Check& check) {
  constexpr std::string_view kNumbers = "ragged_dot_dimension_numbers";
  const auto list = [&](std::string_view name) { return check.Parameter(kNumbers, name); };
  const auto lhs_batch = list("lhs_batching_dimensions");
  const auto rhs_batch = list("rhs_batching_dimensions");
  const auto lhs_contract = list("lhs_contracting_dimensions");
  const auto rhs_contract = list("rhs_contracting_dimensions");
  const auto ragged = list("lhs_ragged_dimensions");
  const auto group = list("rhs_group_dimensions");
  if (!check.AllTensors()) return false;
  if (lhs_batch.size() != rhs_batch.size() || lhs_contract.size() != rhs_contract.size()) {
    return check.Fail(
        "lhs and rhs should have the same number of batching and of contracting "
        "dimensions");
  }
  if (ragged.size() != 1) {
    return check.Fail("There must be exactly one ragged dimension in the lhs");
  }
  if (!check.DistinctIn("lhs_batching_dimensions", lhs_batch, "lhs_contracting_dimensions",
                        lhs_contract) ||
      !check.DistinctIn("rhs_batching_dimensions", rhs_batch, "rhs_contracting_dimensions",
                        rhs_contract) ||
      !check.DistinctIn("rhs_group_dimensions", group, "rhs_batching_dimensions", rhs_batch) ||
      !check.DistinctIn("rhs_group_dimensions", group, "rhs_contracting_dimensions",
                        rhs_contract) ||
      !check.AllInRange("lhs_batching_dimensions", lhs_batch, check.rank(0)) ||
      !check.AllInRange("lhs_contracting_dimensions", lhs_contract, check.rank(0)) ||
      !check.AllInRange("lhs_ragged_dimensions", ragged, check.rank(0)) ||
      !check.AllInRange("rhs_batching_dimensions", rhs_batch, check.rank(1)) ||
      !check.AllInRange("rhs_contracting_dimensions", rhs_contract, check.rank(1)) ||
      !check.AllInRange("rhs_group_dimensions", group, check.rank(1))) {
    return false;
  }
  const auto lhs = [&](int64_t i) { return check.sizes(0)[static_cast<size_t>(i)]; };
  const auto rhs = [&](int64_t i) { return check.sizes(1)[static_cast<size_t>(i)]; };
  for (size_t i = 0; i < lhs_batch.size(); ++i) {
    if (!SizesAgree(lhs(lhs_batch[i]), rhs(rhs_batch[i]))) {
      return check.Fail("batch dimension sizes must match");
    }
  }
  for (size_t i = 0; i < lhs_contract.size(); ++i) {
    if (!SizesAgree(lhs(lhs_contract[i]), rhs(rhs_contract[i]))) {
      return check.Fail("contracting dimension sizes must match");
    }
  }
  const auto has = [](const std::vector<int64_t>& values, int64_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
  };
  const bool is_batch = has(lhs_batch, ragged[0]), is_contracting = has(lhs_contract, ragged[0]);
  if ((is_batch || is_contracting) && !group.empty()) {
    return check.Fail(
        "There must be zero group dimensions in the rhs when the ragged dimension is "
        "batch or contracting");
  }
  if (!is_batch && !is_contracting && group.size() != 1) {
    return check.Fail(
        "There must be exactly one group dimension in the rhs when the lhs ragged "
        "dimension is non-contracting");
  }
  // group_sizes: [groups], or with the batch (and other) dimensions before the ragged one in front.
  const auto sizes = check.sizes(2);
  if (sizes.empty()) return check.Fail("expected group_sizes to have rank 1, got 0");
  const int64_t groups = sizes.back();
  std::vector<int64_t> prefix;
  if (is_batch) {
    for (const int64_t dim : lhs_batch) {
      if (dim == ragged[0]) break;
      prefix.push_back(lhs(dim));
    }
  } else {
    for (const int64_t dim : lhs_batch) prefix.push_back(lhs(dim));
    if (is_contracting) {
      for (const int64_t dim : lhs_contract) {
        if (dim == ragged[0]) break;
        prefix.push_back(lhs(dim));
      }
    } else {
      for (int64_t dim = 0; dim < ragged[0]; ++dim) {
        if (!has(lhs_batch, dim) && !has(lhs_contract, dim)) prefix.push_back(lhs(dim));
      }
    }
  }
  prefix.push_back(groups);
  if (sizes.size() != 1) {
    if (sizes.size() != prefix.size()) {
      return check.Fail("expected group_sizes to have rank ", prefix.size(), ", got ",
                        sizes.size());
    }
    if (!SizesAgree(sizes, prefix)) {
      return check.Fail("group_sizes is expected to have shape ", ListText(prefix), ", got ",
                        ListText(sizes));
    }
  }
  if (!group.empty() && !SizesAgree(rhs(group[0]), groups)) {
    return check.Fail("rhs group dimension is expected to have size=", groups, ", got ",
                      rhs(group[0]));
  }
  return true;
}

bool ScanRule(Check& check) {
  const auto segments = check.List("operandSegmentSizes").value_or(std::vector<int64_t>());
  if (segments.size() != 2) return true;
  const auto inputs = static_cast<size_t>(segments[0]), inits = static_cast<size_t>(segments[1]);
  const int64_t dimension = check.Integer("dimension");
  if (inputs + inits != check.num_operands()) return check.Fail("requires inputs and inits");
  int64_t length = check.Integer("scan_dim_size", mlir::kDynamic);
  for (size_t i = 0; i < inputs; ++i) {
    if (!IsTensor(check.operand(i))) continue;
    if (dimension < 0 || dimension >= check.rank(i)) {
      return check.Fail("scan dimension of operand ", i, " is out of bounds");
    }
    const int64_t size = check.sizes(i)[static_cast<size_t>(dimension)];
    if (!SizesAgree(size, length)) {
      return check.Fail("invalid scan dimension size of operand ", i);
    }
    if (IsDynamicSize(length)) length = size;
  }
  const Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  const auto& arguments = check.operation().regions[0].first->arguments;
  if (arguments.size() != check.num_operands()) {
    return check.Fail("expects ", check.num_operands(), " arguments in the body, but got ",
                      arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TypeRef operand = check.operand(i), argument = arguments[i].type;
    if (!IsTensor(operand) || !IsTensor(argument)) continue;
    std::vector<int64_t> sizes(operand->sizes.begin(), operand->sizes.end());
    if (i < inputs) sizes.erase(sizes.begin() + dimension);
    if (!SizesAgree(sizes, argument->sizes) ||
        !ElementsAgree(operand->element, argument->element)) {
      return check.Fail("operand and body argument ", i,
                        " are incompatible: ", mlir::ToString(operand), " and ",
                        mlir::ToString(argument));
    }
  }
  return true;
}

constexpr uint32_t kChloFloats = kReals | kComplexes;
#define CHLO_UNARY(name, classes) \
  { "chlo." name, 1, 1, 1, 1, 0, classes, "", SameAsOperands }
#define CHLO_BROADCAST(name) \
  { "chlo.broadcast_" name, 2, 2, 1, 1, 0, kAnyElements, "", BroadcastingRule }

constexpr OperationRule kChloRules[] = {
    CHLO_UNARY("acos", kChloFloats),
    CHLO_UNARY("acosh", kChloFloats),
    CHLO_UNARY("asin", kChloFloats),
    CHLO_UNARY("asinh", kChloFloats),
    CHLO_UNARY("atan", kChloFloats),
    CHLO_UNARY("atanh", kChloFloats),
    CHLO_UNARY("bessel_i1e", kReals),
    CHLO_UNARY("conj", kAnyElements),
    CHLO_UNARY("cosh", kChloFloats),
    CHLO_UNARY("digamma", kReals),
    CHLO_UNARY("erf", kReals),
    CHLO_UNARY("erf_inv", kReals),
    CHLO_UNARY("erfc", kReals),
    CHLO_UNARY("lgamma", kReals),
    CHLO_UNARY("sinh", kChloFloats),
    CHLO_UNARY("square", kAnyElements),
    CHLO_UNARY("tan", kChloFloats),
    {"chlo.is_inf", 1, 1, 1, 1, 0, kAnyElements, "", PredicateRule},
    {"chlo.is_neg_inf", 1, 1, 1, 1, 0, kAnyElements, "", PredicateRule},
    {"chlo.is_pos_inf", 1, 1, 1, 1, 0, kAnyElements, "", PredicateRule},
    {"chlo.mulhi", 2, 2, 1, 1, 0, kIntegers, "", SameAsOperands},
    {"chlo.next_after", 2, 2, 1, 1, 0, kReals, "", SameAsOperands},
    {"chlo.polygamma", 2, 2, 1, 1, 0, kReals, "", SameAsOperands},
    {"chlo.zeta", 2, 2, 1, 1, 0, kReals, "", SameAsOperands},
    CHLO_BROADCAST("add"),
    CHLO_BROADCAST("and"),
    CHLO_BROADCAST("atan2"),
    CHLO_BROADCAST("compare"),
    CHLO_BROADCAST("complex"),
    CHLO_BROADCAST("divide"),
    CHLO_BROADCAST("maximum"),
    CHLO_BROADCAST("minimum"),
    CHLO_BROADCAST("multiply"),
    CHLO_BROADCAST("next_after"),
    CHLO_BROADCAST("or"),
    CHLO_BROADCAST("polygamma"),
    CHLO_BROADCAST("power"),
    CHLO_BROADCAST("remainder"),
    CHLO_BROADCAST("shift_left"),
    CHLO_BROADCAST("shift_right_arithmetic"),
    CHLO_BROADCAST("shift_right_logical"),
    CHLO_BROADCAST("subtract"),
    CHLO_BROADCAST("xor"),
    CHLO_BROADCAST("zeta"),
    {"chlo.broadcast_select", 3, 3, 1, 1, 0, kAnyElements, "", BroadcastingRule},
    {"chlo.constant_like", 1, 1, 1, 1, 0, kAnyElements, "value", ConstantLikeRule},
    {"chlo.ragged_dot", 3, 3, 1, 1, 0, kAnyElements, "ragged_dot_dimension_numbers:struct",
     RaggedDotRule},
    {"chlo.scan", 0, -1, 0, -1, 1, kAnyElements, "dimension:i64", ScanRule},
    {"chlo.top_k", 1, 1, 2, 2, 0, kAnyElements, "k:i64*", TopKRule},
};
#undef CHLO_UNARY
#undef CHLO_BROADCAST

}  // namespace

void AddChloRules(RuleTable* table) {
  for (const OperationRule& rule : kChloRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Rules of reductions, windows, sorts and normalizations.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::Operation;
using mlir::TypeRef;

// The first half of the operands are inputs, the second half initial values.
bool InputsAndInits(Check& check, std::vector<TypeRef>* inputs, std::vector<TypeRef>* inits) {
  const size_t count = check.num_operands() / 2;
  if (count == 0 || check.num_operands() % 2 != 0) {
    return check.Fail("requires at least 1 input value, and an initial value for each");
  }
  for (size_t i = 0; i < count; ++i) {
    inputs->push_back(check.operand(i));
    inits->push_back(check.operand(count + i));
    if (!IsShaped(inputs->back()) || !IsShaped(inits->back())) {
      return check.Fail("inputs and initial values must be tensors");
    }
    if (!ShapesAgree(inputs->back(), (*inputs)[0])) {
      return check.Fail("expects all inputs to have compatible shapes, but that of input ", i,
                        " is ", mlir::ToString(inputs->back()), " and that of input 0 ",
                        mlir::ToString((*inputs)[0]));
    }
  }
  return true;
}

// The results have the given sizes and the element types that the reduction returns.
bool ReducedResults(Check& check, absl::Span<const int64_t> sizes, size_t count) {
  const Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  if (check.num_results() != count) {
    return check.Fail("requires ", count, " results, but has ", check.num_results());
  }
  for (size_t i = 0; i < count; ++i) {
    if (!check.ResultIs(i, sizes, last->operands[i]->type->element)) return false;
  }
  return true;
}

bool ReduceRule(Check& check) {
  std::vector<TypeRef> inputs, inits;
  if (!InputsAndInits(check, &inputs, &inits)) return false;
  const auto dimensions = check.List("dimensions").value_or(std::vector<int64_t>());
  const int64_t rank = check.rank(0);
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank) {
      return check.Fail("Out-of-bounds dimension ", dimension, ", expected to be in range [0, ",
                        rank, ")");
    }
  }
  if (!check.Distinct("dimensions", dimensions)) return false;
  if (!check.Reduction(0, inputs, inits, /*inits_are_results=*/true)) return false;
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(dimensions.begin(), dimensions.end(), i) == dimensions.end()) {
      sizes.push_back(check.sizes(0)[static_cast<size_t>(i)]);
    }
  }
  return ReducedResults(check, sizes, inputs.size());
}

bool ReduceWindowRule(Check& check) {
  std::vector<TypeRef> inputs, inits;
  if (!InputsAndInits(check, &inputs, &inits)) return false;
  Check::Window window;
  window.sizes = check.List("window_dimensions").value_or(std::vector<int64_t>());
  if (static_cast<int64_t>(window.sizes.size()) != check.rank(0)) {
    return check.Fail("expects window-dimensions size == input rank, but got ", window.sizes.size(),
                      " and ", check.rank(0));
  }
  if (!check.ReadWindow(&window, "base_dilations", "window_dilations")) return false;
  if (!check.Reduction(0, inputs, inits, /*inits_are_results=*/true)) return false;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < window.sizes.size(); ++i) {
    sizes.push_back(Check::WindowedSize(window, i, check.sizes(0)[i]));
  }
  return ReducedResults(check, sizes, inputs.size());
}

bool SelectAndScatterRule(Check& check) {
  if (!check.AllTensors()) return false;
  Check::Window window;
  const auto rank = static_cast<size_t>(check.rank(0));
  window.sizes = check.List("window_dimensions").value_or(std::vector<int64_t>(rank, 1));
  if (window.sizes.size() != rank) {
    return check.Fail("expects window-dimensions size == operand rank, but got ",
                      window.sizes.size(), " and ", rank);
  }
  if (!check.ReadWindow(&window, "", "")) return false;
  const TypeRef element = check.operand(0)->element;
  if (!ElementsAgree(check.operand(1)->element, element)) {
    return check.Fail("operand and source must have the same element type");
  }
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < rank; ++i) {
    sizes.push_back(Check::WindowedSize(window, i, check.sizes(0)[i]));
  }
  if (!SizesAgree(sizes, check.sizes(1))) {
    return check.Fail("the source must have the shape ", ListText(sizes),
                      " of the windows, but is ", mlir::ToString(check.operand(1)));
  }
  const auto& regions = check.operation().regions;
  const Operation* select = check.Terminator(0);
  if (select == nullptr) return false;
  const auto& arguments = regions[0].first->arguments;
  if (arguments.size() != 2) {
    return check.Fail("expects the select-region to take 2 parameters, but takes ",
                      arguments.size());
  }
  for (size_t i = 0; i < 2; ++i) {
    if (!IsTensor(arguments[i].type) || Rank(arguments[i].type) != 0 ||
        !ElementsAgree(arguments[i].type->element, element)) {
      return check.Fail("parameter #", i, " of the select-region must be a scalar of ",
                        mlir::ToString(element), ", but is ", mlir::ToString(arguments[i].type));
    }
  }
  if (select->operands.size() != 1) {
    return check.Fail("expects the select-region to return single value, but got ",
                      select->operands.size());
  }
  const TypeRef selected = select->operands[0]->type;
  if (!IsTensor(selected) || Rank(selected) != 0 || !selected->element->IsInteger(1)) {
    return check.Fail("expects the select-region to return tensor<i1>, but returns ",
                      mlir::ToString(selected));
  }
  const TypeRef inputs[] = {check.operand(1)};
  const TypeRef inits[] = {check.operand(2)};
  if (!check.Reduction(1, inputs, inits, /*inits_are_results=*/true)) return false;
  const Operation* last = check.Terminator(1);
  return check.ResultIs(0, check.sizes(0), last->operands[0]->type->element);
}

bool MapRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto dimensions = check.List("dimensions").value_or(std::vector<int64_t>());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) {
      return check.Fail("requires monotonically increasing dimension numbers, but got ",
                        ListText(dimensions));
    }
  }
  if (static_cast<int64_t>(dimensions.size()) != check.rank(0)) {
    return check.Fail("must be applied to all dimensions, but the operand has ", check.rank(0),
                      " and ", dimensions.size(), " are given");
  }
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!ShapesAgree(check.operand(0), check.operand(i))) {
      return check.Fail("requires the same shape for all operands");
    }
  }
  const Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  const auto& arguments = check.operation().regions[0].first->arguments;
  if (arguments.size() != check.num_operands()) {
    return check.Fail("expects number of operands to match the arity of map computation, but got ",
                      check.num_operands(), " and ", arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!IsTensor(arguments[i].type) || Rank(arguments[i].type) != 0) {
      return check.Fail("computation arguments must be 0-rank tensors, but argument #", i, " is ",
                        mlir::ToString(arguments[i].type));
    }
    if (!ElementsAgree(arguments[i].type->element, check.operand(i)->element)) {
      return check.Fail("element types of operands and computation arguments must match, but got ",
                        mlir::ToString(check.operand(i)->element), " and ",
                        mlir::ToString(arguments[i].type->element));
    }
  }
  if (last->operands.size() != 1) {
    return check.Fail("computation must return a single output, but got ", last->operands.size());
  }
  const TypeRef type = last->operands[0]->type;
  if (!IsTensor(type) || Rank(type) != 0) {
    return check.Fail("computation must return a 0-rank tensor, but got ", mlir::ToString(type));
  }
  return check.ResultIs(0, check.sizes(0), type->element);
}

bool SortRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t rank = check.rank(0);
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!ShapesAgree(check.operand(0), check.operand(i))) {
      return check.Fail("requires the same shape for all operands");
    }
  }
  const int64_t dimension = check.Integer("dimension", -1);
  if (dimension < -rank || dimension >= rank) {
    return check.Fail("dimension attribute value must be in range [", -rank, ", ", rank,
                      "), but found ", dimension);
  }
  if (check.num_results() != check.num_operands()) {
    return check.Fail("requires as many results as operands");
  }
  for (size_t i = 0; i < check.num_operands(); ++i) {
    if (!check.ResultIs(i, check.operand(i))) return false;
  }
  const Operation* last = check.Terminator(0);
  if (last == nullptr) return false;
  const auto& arguments = check.operation().regions[0].first->arguments;
  if (arguments.size() != 2 * check.num_operands()) {
    return check.Fail("comparator block should have ", 2 * check.num_operands(),
                      " arguments, but has ", arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TypeRef type = arguments[i].type;
    if (!IsTensor(type) || Rank(type) != 0 ||
        !ElementsAgree(type->element, check.operand(i / 2)->element)) {
      return check.Fail("comparator block argument #", i, " should be a scalar of ",
                        mlir::ToString(check.operand(i / 2)->element), ", but is ",
                        mlir::ToString(type));
    }
  }
  if (last->operands.size() != 1) {
    return check.Fail("comparator must return single output but got ", last->operands.size());
  }
  const TypeRef type = last->operands[0]->type;
  return check.Require(IsTensor(type) && Rank(type) == 0 && type->element->IsInteger(1),
                       "comparator must return tensor<i1> but got ", type);
}

bool BatchNormRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t feature = check.Integer("feature_index");
  if (feature >= check.rank(0)) {
    return check.Fail("expects feature_index to be smaller than the rank of the operand; got ",
                      feature, " and rank ", check.rank(0));
  }
  const bool is_grad = check.Is("stablehlo.batch_norm_grad");
  const int64_t count = check.sizes(0)[static_cast<size_t>(feature)];
  const size_t vectors = is_grad ? 4 : check.num_operands();
  for (size_t i = 1; i < vectors; ++i) {
    if (check.rank(i) != 1) {
      return check.Fail("operand #", i, " must be a vector, but is ",
                        mlir::ToString(check.operand(i)));
    }
    if (!SizesAgree(check.sizes(i)[0], check.sizes(1)[0])) {
      return check.Fail("expects single-dimensional operands to have compatible shapes");
    }
    if (!SizesAgree(check.sizes(i)[0], count)) {
      return check.Fail(
          "expects the size of single-dimensional operands to be compatible with "
          "the feature count, but they are ",
          check.sizes(i)[0], " and ", count);
    }
  }
  if (is_grad && !ShapesAgree(check.operand(0), check.operand(4))) {
    return check.Fail("expects multi-dimensional operands to have compatible shapes");
  }
  const TypeRef element = check.operand(0)->element;
  for (size_t i = 1; i < check.num_operands(); ++i) {
    if (!ElementsAgree(check.operand(i)->element, element)) {
      return check.Fail("requires the same element type for all operands");
    }
  }
  if (!check.ResultIs(0, check.operand(0))) return false;
  const int64_t sizes[] = {count};
  for (size_t i = 1; i < check.num_results(); ++i) {
    if (!check.ResultIs(i, sizes, element)) return false;
  }
  return true;
}

constexpr uint32_t kReduceFloats = kReals | kQuantizeds | kPerAxis;
constexpr OperationRule kReduceRules[] = {
    {"stablehlo.reduce", 2, -1, 1, -1, 1, kAnyElements, "dimensions:list", ReduceRule},
    {"stablehlo.reduce_window", 0, -1, 1, -1, 1, kAnyElements,
     "window_dimensions:list window_strides:list? base_dilations:list? window_dilations:list? "
     "padding?",
     ReduceWindowRule},
    {"stablehlo.select_and_scatter", 3, 3, 1, 1, 2, kAnyElements,
     "window_dimensions:list? window_strides:list? padding?", SelectAndScatterRule},
    {"stablehlo.map", 1, -1, 1, 1, 1, kAnyElements, "dimensions:list", MapRule},
    {"stablehlo.sort", 1, -1, 1, -1, 1, kAnyElements, "dimension:i64? is_stable:bool?", SortRule},
    {"stablehlo.batch_norm_grad", 5, 5, 3, 3, 0, kReduceFloats, "epsilon feature_index:i64*",
     BatchNormRule},
    {"stablehlo.batch_norm_inference", 5, 5, 1, 1, 0, kReduceFloats, "epsilon feature_index:i64*",
     BatchNormRule},
    {"stablehlo.batch_norm_training", 3, 3, 3, 3, 0, kReduceFloats, "epsilon feature_index:i64*",
     BatchNormRule},
};

}  // namespace

void AddReduceRules(RuleTable* table) {
  for (const OperationRule& rule : kReduceRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Rules of operations that move, cut and widen.
#include <algorithm>

#include "xla/stablehlo/verify_rules.h"

namespace xla::stablehlo {
namespace {

using mlir::TypeKind;
using mlir::TypeRef;

bool BroadcastRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto sizes = check.List("broadcast_sizes").value_or(std::vector<int64_t>());
  for (const int64_t size : sizes) {
    if (size < 0) return check.Fail("broadcast with the negative dimension size ", size);
  }
  std::vector<int64_t> shape = sizes;
  shape.insert(shape.end(), check.sizes(0).begin(), check.sizes(0).end());
  return check.ResultIs(0, shape, check.operand(0)->element);
}

// broadcast_dimensions of operand 0 in the result; of quantized operands also their axis.
bool BroadcastDimensions(Check& check, const std::vector<int64_t>& dimensions) {
  const TypeRef result = check.result(0);
  const TypeRef from = check.operand(0)->element;
  if (!ElementsAgree(from, result->element) &&
      !(from->kind == TypeKind::kQuantized && result->element->kind == TypeKind::kQuantized &&
        from->storage == result->element->storage)) {
    return check.Fail("expects operand and result to have compatible element types, but they are ",
                      mlir::ToString(check.operand(0)), " and ", mlir::ToString(result));
  }
  if (static_cast<int64_t>(dimensions.size()) != check.rank(0)) {
    return check.Fail("broadcast_dimensions size (", dimensions.size(),
                      ") does not match operand rank (", check.rank(0), ")");
  }
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= Rank(result)) {
      return check.Fail("broadcast_dimensions contains invalid value ", dimension,
                        " for result with rank ", Rank(result));
    }
  }
  if (!check.Distinct("broadcast_dimensions", dimensions)) return false;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = check.sizes(0)[i];
    const int64_t wide = result->sizes[static_cast<size_t>(dimensions[i])];
    if (size != 1 && !SizesAgree(size, wide)) {
      return check.Fail("size of operand dimension ", i, " (", size,
                        ") is not equal to 1 or size of result dimension ", dimensions[i], " (",
                        wide, ")");
    }
  }
  return true;
}

bool BroadcastInDimRule(Check& check) {
  if (!check.AllTensors()) return false;
  const TypeRef result = check.result(0);
  const auto bounds = BoundsOf(result);
  for (size_t i = 0; i < result->sizes.size(); ++i) {
    if (IsDynamicSize(result->sizes[i]) && (i >= bounds.size() || IsDynamicSize(bounds[i]))) {
      return check.Fail("result #0 must be statically shaped or bounded, but is ",
                        mlir::ToString(result));
    }
  }
  if (std::count(result->sizes.begin(), result->sizes.end(), mlir::kDynamic) > 1) {
    return check.Fail("result #0 must be statically shaped or have a single bounded dimension");
  }
  return BroadcastDimensions(check,
                             check.List("broadcast_dimensions").value_or(std::vector<int64_t>()));
}

// An operand of sizes: a vector of integers of static length that states the result's rank.
bool SizesOperand(Check& check, size_t i) {
  const TypeRef type = check.operand(i);
  const bool is_vector =
      IsTensor(type) && Rank(type) == 1 &&
      (type->element->kind == TypeKind::kInteger || type->element->kind == TypeKind::kIndex);
  if (!is_vector) {
    return check.Fail("operand #", i, " must be a vector of integers, but is ",
                      mlir::ToString(type));
  }
  if (IsDynamicSize(type->sizes[0])) {
    return check.Fail("operand #", i, " must be statically shaped, but is ", mlir::ToString(type));
  }
  if (IsTensor(check.result(0)) && type->sizes[0] != Rank(check.result(0))) {
    return check.Fail("the result should have a rank equal to the number of elements of operand #",
                      i, " (", type->sizes[0], "), but is ", mlir::ToString(check.result(0)));
  }
  const auto values = check.ConstantOperand(i);
  if (!values.has_value() || !IsTensor(check.result(0))) return true;
  if (!SizesAgree(*values, check.result(0)->sizes)) {
    return check.Fail("output shape ", ListText(*values),
                      " is incompatible with the type of the result ",
                      mlir::ToString(check.result(0)));
  }
  return true;
}

bool DynamicBroadcastInDimRule(Check& check) {
  if (!check.AllTensors() || !SizesOperand(check, 1)) return false;
  const auto dimensions = check.List("broadcast_dimensions").value_or(std::vector<int64_t>());
  if (!BroadcastDimensions(check, dimensions)) return false;
  if (const auto sizes = check.ConstantOperand(1)) {
    for (size_t i = 0; i < dimensions.size(); ++i) {
      const int64_t size = check.sizes(0)[i];
      const int64_t wide = (*sizes)[static_cast<size_t>(dimensions[i])];
      if (size != 1 && !SizesAgree(size, wide)) {
        return check.Fail("size of operand dimension ", i, " (", size,
                          ") is not equal to 1 or value of shape at index ", dimensions[i], " (",
                          wide, ")");
      }
    }
  }
  std::vector<int64_t> hints;
  for (const char* name : {"known_expanding_dimensions", "known_nonexpanding_dimensions"}) {
    const auto values = check.List(name).value_or(std::vector<int64_t>());
    for (const int64_t value : values) {
      if (value < 0 || value >= check.rank(0)) {
        return check.Fail("the hint ", name, " of dimension ", value,
                          " does not refer to a valid operand dimension");
      }
    }
    hints.insert(hints.end(), values.begin(), values.end());
  }
  return check.Distinct("expansion hints", hints);
}

int64_t Elements(TypeRef type) {
  return IsTensor(type) && mlir::HasStaticSizes(*type) ? mlir::NumElements(*type) : -1;
}

// Element types that agree, and those quantized per axis that differ in the number of the axis.
bool AgreeButForAxis(TypeRef a, TypeRef b) {
  if (ElementsAgree(a, b)) return true;
  const auto is_per_axis = [](TypeRef type) {
    return type->kind == TypeKind::kQuantized && type->quantized->dimensions.size() == 1 &&
           type->quantized->block_sizes.empty();
  };
  if (!is_per_axis(a) || !is_per_axis(b)) return false;
  return a->storage == b->storage && a->signedness == b->signedness && a->element == b->element &&
         a->quantized->storage_min == b->quantized->storage_min &&
         a->quantized->storage_max == b->quantized->storage_max &&
         a->quantized->scales == b->quantized->scales &&
         a->quantized->zero_points == b->quantized->zero_points;
}

bool ReshapeRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto& result_sizes = check.result(0)->sizes;
  if (std::count(result_sizes.begin(), result_sizes.end(), mlir::kDynamic) > 1) {
    return check.Fail("result #0 must be statically shaped or have a single bounded dimension");
  }
  if (!AgreeButForAxis(check.operand(0)->element, check.result(0)->element)) {
    return check.Fail("expects operand and result to have compatible element types");
  }
  const int64_t from = Elements(check.operand(0));
  const int64_t to = Elements(check.result(0));
  if (from >= 0 && to >= 0 && from != to) {
    return check.Fail("number of output elements (", to,
                      ") doesn't match expected number of elements (", from, ")");
  }
  const TypeRef operand = check.operand(0)->element;
  if (operand->kind != TypeKind::kQuantized || operand->quantized->dimensions.empty()) return true;
  // The sizes before, of and behind the quantized dimension stay.
  const auto products = [](TypeRef type, int64_t axis) {
    std::vector<int64_t> result = {1, 1};
    for (int64_t i = 0; i < Rank(type); ++i) {
      if (i < axis) result[0] *= type->sizes[static_cast<size_t>(i)];
      if (i == axis) result[1] = type->sizes[static_cast<size_t>(i)];
    }
    return result;
  };
  const auto& to_axes = check.result(0)->element->quantized->dimensions;
  if (to_axes.empty()) return true;
  return check.Require(
      products(check.operand(0), operand->quantized->dimensions[0]) ==
          products(check.result(0), to_axes[0]),
      "the quantized dimension of operand and result must be the same part of the shape");
}

bool DynamicReshapeRule(Check& check) {
  if (!check.AllTensors() || !SizesOperand(check, 1)) return false;
  if (!ElementsAgree(check.operand(0)->element, check.result(0)->element)) {
    return check.Fail("expects operand and result to have compatible element types");
  }
  const int64_t from = Elements(check.operand(0));
  const int64_t to = Elements(check.result(0));
  if (from >= 0 && to >= 0 && from != to) {
    return check.Fail("number of output elements (", to,
                      ") doesn't match expected number of elements (", from, ")");
  }
  const auto sizes = check.ConstantOperand(1);
  if (!sizes.has_value() || from < 0) return true;
  int64_t product = 1;
  for (const int64_t size : *sizes) {
    if (size < 0 || __builtin_mul_overflow(product, size, &product)) return true;
  }
  return check.Require(product == from,
                       "output_shape is incompatible with the operand: the operand has ", from,
                       " elements, but output_shape has ", product);
}

bool TransposeRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto permutation = check.List("permutation").value_or(std::vector<int64_t>());
  if (!check.IsPermutation("permutation", permutation, check.rank(0))) return false;
  std::vector<int64_t> sizes;
  for (const int64_t i : permutation) sizes.push_back(check.sizes(0)[static_cast<size_t>(i)]);
  const TypeRef from = check.operand(0)->element;
  const TypeRef to = check.result(0)->element;
  if (from->kind == TypeKind::kQuantized && to->kind == TypeKind::kQuantized &&
      !from->quantized->dimensions.empty() && !to->quantized->dimensions.empty()) {
    const int64_t axis = to->quantized->dimensions[0];
    if (axis < 0 || axis >= check.rank(0) ||
        permutation[static_cast<size_t>(axis)] != from->quantized->dimensions[0]) {
      return check.Fail(
          "the permutation does not take the quantized dimension of the operand to "
          "that of the result");
    }
    return check.ResultIs(0, sizes, to);
  }
  return check.ResultIs(0, sizes, from);
}

bool ReverseRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto dimensions = check.List("dimensions").value_or(std::vector<int64_t>());
  return check.AllInRange("dimensions", dimensions, check.rank(0)) &&
         check.Distinct("dimensions", dimensions) && check.ResultIs(0, check.operand(0));
}

bool ConcatenateRule(Check& check) {
  if (!check.AllTensors()) return false;
  const int64_t dimension = check.Integer("dimension");
  if (check.rank(0) == 0) return check.Fail("rank-0 values cannot be concatenated");
  if (dimension >= check.rank(0)) {
    return check.Fail("dimension ", dimension, " is out-of-bounds for input rank ", check.rank(0));
  }
  std::vector<int64_t> sizes(check.sizes(0).begin(), check.sizes(0).end());
  for (size_t k = 1; k < check.num_operands(); ++k) {
    if (check.rank(k) != check.rank(0)) {
      return check.Fail("operands (0) and (", k, ") do not match rank");
    }
    if (!ElementsAgree(check.operand(k)->element, check.operand(0)->element)) {
      return check.Fail("operands (0) and (", k, ") do not match element type");
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t size = check.sizes(k)[i];
      if (static_cast<int64_t>(i) == dimension) {
        if (IsDynamicSize(size) || IsDynamicSize(sizes[i])) {
          sizes[i] = mlir::kDynamic;
          continue;
        }
        const auto sum = shape_inference::ConcatenatedSize(sizes[i], size);
        if (!sum.has_value()) {
          return check.Fail("the sizes ", sizes[i], " and ", size,
                            " of the operands overflow along dimension ", i);
        }
        sizes[i] = *sum;
      } else if (!SizesAgree(size, sizes[i])) {
        return check.Fail("shapes of operand (0) and (", k,
                          ") are not compatible at non-concat index ", i);
      } else if (IsDynamicSize(sizes[i])) {
        sizes[i] = size;
      }
    }
  }
  return check.ResultIs(0, sizes, check.operand(0)->element);
}

bool SliceRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto starts = check.List("start_indices").value_or(std::vector<int64_t>());
  const auto limits = check.List("limit_indices").value_or(std::vector<int64_t>());
  const auto strides = check.List("strides").value_or(std::vector<int64_t>());
  const auto rank = static_cast<size_t>(check.rank(0));
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank) {
    return check.Fail("the number of elements in start_indices (", starts.size(),
                      "), limit_indices (", limits.size(), ") and strides (", strides.size(),
                      ") must be the rank of the operand (", rank, ")");
  }
  std::vector<int64_t> sizes;
  const auto bounds = BoundsOf(check.operand(0));
  for (size_t i = 0; i < rank; ++i) {
    int64_t size = check.sizes(0)[i];
    if (IsDynamicSize(size) && i < bounds.size()) size = bounds[i];
    if (starts[i] < 0) {
      return check.Fail("negative start index ", starts[i], " in dimension ", i);
    }
    if (!IsDynamicSize(size) && limits[i] > size) {
      return check.Fail("limit index ", limits[i], " is larger than dimension size ", size,
                        " in dimension ", i);
    }
    if (starts[i] > limits[i]) {
      return check.Fail("start index ", starts[i], " is larger than limit index ", limits[i],
                        " in dimension ", i);
    }
    if (strides[i] <= 0) {
      return check.Fail("stride must be positive but got ", strides[i], " in dimension ", i);
    }
    sizes.push_back(shape_inference::SliceSize(starts[i], limits[i], strides[i]));
  }
  return check.ResultIs(0, sizes, check.operand(0)->element);
}

bool RealDynamicSliceRule(Check& check) {
  if (!check.AllTensors()) return false;
  for (size_t i = 1; i < 4; ++i) {
    if (check.rank(i) != 1 || !SizesAgree(check.sizes(i)[0], check.rank(0))) {
      return check.Fail("operand #", i, " must have an element for each dimension of the operand");
    }
  }
  return check.Require(Rank(check.result(0)) == check.rank(0) &&
                           ElementsAgree(check.operand(0)->element, check.result(0)->element),
                       "the result must have the rank and element type of the operand");
}

bool PadRule(Check& check) {
  if (!check.AllTensors()) return false;
  const auto low = check.List("edge_padding_low").value_or(std::vector<int64_t>());
  const auto high = check.List("edge_padding_high").value_or(std::vector<int64_t>());
  const auto interior = check.List("interior_padding").value_or(std::vector<int64_t>());
  const auto rank = static_cast<size_t>(check.rank(0));
  if (low.size() != rank || high.size() != rank || interior.size() != rank) {
    return check.Fail("the lengths of edge_padding_low (", low.size(), "), edge_padding_high (",
                      high.size(), ") and interior_padding (", interior.size(),
                      ") must match the operand rank (", rank, ")");
  }
  if (!ElementsAgree(check.operand(0)->element, check.operand(1)->element) || check.rank(1) != 0) {
    return check.Fail("the padding value must be a scalar of the operand's element type, but is ",
                      mlir::ToString(check.operand(1)));
  }
  const auto bounds = BoundsOf(check.operand(0));
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < rank; ++i) {
    if (interior[i] < 0) return check.Fail("interior padding cannot be negative: ", interior[i]);
    const int64_t size = check.sizes(0)[i];
    const bool is_dynamic = IsDynamicSize(size);
    const int64_t known = is_dynamic && i < bounds.size() ? bounds[i] : size;
    int64_t padded = mlir::kDynamic;
    if (!IsDynamicSize(known)) {
      const absl::int128 sum = shape_inference::PaddedSize(known, low[i], high[i], interior[i]);
      if (sum < 0) {
        return check.Fail("padding results in a negative ", is_dynamic ? "bound" : "size",
                          " for dimension ", i);
      }
      const auto fitting = shape_inference::ToSize(sum);
      if (!fitting.has_value()) {
        return check.Fail("padding overflows the ", is_dynamic ? "bound" : "size", " of dimension ",
                          i);
      }
      padded = *fitting;
    }
    sizes.push_back(is_dynamic ? mlir::kDynamic : padded);
  }
  return check.ResultIs(0, sizes, check.operand(0)->element);
}

bool DynamicPadRule(Check& check) {
  if (!check.AllTensors()) return false;
  for (size_t i = 2; i < 5; ++i) {
    if (check.rank(i) != 1 || !SizesAgree(check.sizes(i)[0], check.rank(0))) {
      return check.Fail("the size of padding operand #", i, " (", ListText(check.sizes(i)),
                        ") must match the operand rank (", check.rank(0), ")");
    }
  }
  if (!ElementsAgree(check.operand(0)->element, check.operand(1)->element) || check.rank(1) != 0) {
    return check.Fail("the padding value must be a scalar of the operand's element type");
  }
  const auto low = check.ConstantOperand(2);
  const auto high = check.ConstantOperand(3);
  const auto interior = check.ConstantOperand(4);
  if (interior.has_value()) {
    for (const int64_t value : *interior) {
      if (value < 0) return check.Fail("interior padding must be non-negative, but is ", value);
    }
  }
  if (Rank(check.result(0)) != check.rank(0)) {
    return check.Fail("the result must have the rank of the operand");
  }
  if (!low.has_value() || !high.has_value() || !interior.has_value()) return true;
  for (size_t i = 0; i < check.sizes(0).size(); ++i) {
    const int64_t size = check.sizes(0)[i];
    if (IsDynamicSize(size)) continue;
    const int64_t padded =
        (*low)[i] + (*high)[i] + size + std::max<int64_t>(size - 1, 0) * (*interior)[i];
    if (!SizesAgree(padded, check.result(0)->sizes[i])) {
      return check.Fail("expected output dimension at index ", i, " to equal ", padded,
                        ", but it is ", check.result(0)->sizes[i]);
    }
  }
  return true;
}

bool IotaRule(Check& check) {
  if (!check.AllTensors()) return false;
  const TypeRef result = check.result(0);
  if (check.Is("stablehlo.dynamic_iota")) {
    if (!SizesOperand(check, 0)) return false;
  } else if (!mlir::HasStaticSizes(*result)) {
    return check.Fail("the result must have static sizes, but is ", mlir::ToString(result));
  }
  if (Rank(result) == 0) return check.Fail("does not support scalars");
  if ((ClassOf(result->element) & (kIntegers | kReals | kComplexes | kQuantizeds)) == 0) {
    return check.Fail("the result must be numbers, but is ", mlir::ToString(result));
  }
  return check.Require(check.Integer("iota_dimension") < Rank(result), "iota dimension ",
                       check.Integer("iota_dimension"), " cannot go beyond the output rank ",
                       Rank(result));
}

bool DimensionSizeRule(Check& check) {
  if (!IsTensor(check.operand(0))) return check.AllTensors();
  const int64_t dimension = check.Integer("dimension");
  if (dimension >= check.rank(0)) {
    return check.Fail("requires dimension attribute in range [0, ", check.rank(0), "); found (",
                      dimension, ")");
  }
  if (check.Is("stablehlo.get_dimension_size")) {
    return check.Require(IsTensor(check.result(0)) && Rank(check.result(0)) == 0 &&
                             check.result(0)->element->IsInteger(32),
                         "the result must be tensor<i32>, but is ", check.result(0));
  }
  if (!IsTensor(check.operand(1)) || check.rank(1) != 0) {
    return check.Fail("size operand should be of rank-0");
  }
  if (!check.operand(1)->element->IsInteger(32)) return check.Fail("size operand must be i32");
  return check.Require(IsTensor(check.result(0)) && Rank(check.result(0)) == check.rank(0) &&
                           ElementsAgree(check.operand(0)->element, check.result(0)->element),
                       "the result must have the rank and element type of the operand");
}

constexpr OperationRule kReshapeRules[] = {
    {"stablehlo.broadcast", 1, 1, 1, 1, 0, kAnyElements, "broadcast_sizes:list", BroadcastRule},
    {"stablehlo.broadcast_in_dim", 1, 1, 1, 1, 0, kAnyElements, "broadcast_dimensions:list",
     BroadcastInDimRule},
    {"stablehlo.concatenate", 1, -1, 1, 1, 0, kAnyElements, "dimension:i64*", ConcatenateRule},
    {"stablehlo.dynamic_broadcast_in_dim", 2, 2, 1, 1, 0, kAnyElements,
     "broadcast_dimensions:list known_expanding_dimensions:list? "
     "known_nonexpanding_dimensions:list?",
     DynamicBroadcastInDimRule},
    {"stablehlo.dynamic_iota", 1, 1, 1, 1, 0, kAnyElements, "iota_dimension:i64*", IotaRule},
    {"stablehlo.dynamic_pad", 5, 5, 1, 1, 0, kAnyElements, "", DynamicPadRule},
    {"stablehlo.dynamic_reshape", 2, 2, 1, 1, 0, kAnyElements, "", DynamicReshapeRule},
    {"stablehlo.get_dimension_size", 1, 1, 1, 1, 0, kAnyElements, "dimension:i64*",
     DimensionSizeRule},
    {"stablehlo.iota", 0, 0, 1, 1, 0, kAnyElements, "iota_dimension:i64*", IotaRule},
    {"stablehlo.pad", 2, 2, 1, 1, 0, kAnyElements,
     "edge_padding_low:list edge_padding_high:list interior_padding:list", PadRule},
    {"stablehlo.real_dynamic_slice", 4, 4, 1, 1, 0, kAnyElements, "", RealDynamicSliceRule},
    {"stablehlo.reshape", 1, 1, 1, 1, 0, kAnyElements, "", ReshapeRule},
    {"stablehlo.reverse", 1, 1, 1, 1, 0, kAnyElements, "dimensions:list", ReverseRule},
    {"stablehlo.set_dimension_size", 2, 2, 1, 1, 0, kAnyElements, "dimension:i64*",
     DimensionSizeRule},
    {"stablehlo.slice", 1, 1, 1, 1, 0, kAnyElements,
     "start_indices:list limit_indices:list strides:list", SliceRule},
    {"stablehlo.transpose", 1, 1, 1, 1, 0, kAnyElements, "permutation:list", TransposeRule},
};

}  // namespace

void AddReshapeRules(RuleTable* table) {
  for (const OperationRule& rule : kReshapeRules) table->emplace(rule.name, &rule);
}

}  // namespace xla::stablehlo

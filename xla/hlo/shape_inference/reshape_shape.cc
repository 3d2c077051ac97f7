// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/shape_inference/reshape_shape.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using shape_inference::Str;

// Groups of consecutive dimensions with equal products on both sides: where each starts.
using Boundaries = absl::InlinedVector<std::pair<int64_t, int64_t>, 8>;

// The dimensions of operand and result that share the elements of operand dimension `dimension`.
struct SharedDims {
  int64_t operand_begin, operand_end, result_begin, result_end;
};

SharedDims SharedWith(const Boundaries& boundaries, int64_t dimension) {
  size_t group = 0;
  while (boundaries[group + 1].first <= dimension) ++group;
  SharedDims shared = {boundaries[group].first, boundaries[group + 1].first,
                       boundaries[group].second, boundaries[group + 1].second};
  return shared;
}

// With result dimensions of size 1 beside the group, which are groups without operand dimensions.
SharedDims WithNeighborsOfSizeOne(const Boundaries& boundaries, SharedDims shared) {
  for (const auto& [operand_dim, result_dim] : boundaries) {
    if (operand_dim == shared.operand_begin) {
      shared.result_begin = std::min(shared.result_begin, result_dim);
    }
    if (operand_dim == shared.operand_end) {
      shared.result_end = std::max(shared.result_end, result_dim);
    }
  }
  return shared;
}

// The result dimension that dynamic operand dimension `dimension` becomes, or -1.
absl::StatusOr<int64_t> DynamicResultDimension(const Shape& operand, const Shape& result,
                                               const Boundaries& boundaries, int64_t dimension,
                                               int64_t inferred_dimension) {
  SharedDims shared = SharedWith(boundaries, dimension);
  if (shared.operand_end - shared.operand_begin > 1 &&
      shared.result_end - shared.result_begin > 1) {
    return absl::UnimplementedError(absl::StrCat(
        "Dynamic input dimension to reshape that is both splitted and combined is not supported: "
        "output: ",
        Str(result), ", input: ", Str(operand), ", input_dim: ", dimension));
  }
  shared = WithNeighborsOfSizeOne(boundaries, shared);
  if (operand.dimensions(static_cast<int>(dimension)) == 1 && result.rank() > 0) {
    if (dimension == operand.rank() - 1) return result.rank() - 1;
    if (dimension == 0) return 0;
    return absl::UnimplementedError(absl::StrCat(
        "Dynamic degenerated dimension that's not most-minor nor most-major is not supported: "
        "output: ",
        Str(result), ", input: ", Str(operand), ", input_dim: ", dimension));
  }
  const int64_t candidates = shared.result_end - shared.result_begin;
  if (candidates == 1) return shared.result_begin;
  if (candidates > 1 && inferred_dimension >= 0) return inferred_dimension;
  int64_t larger_than_one = -1;
  for (int64_t i = shared.result_begin; i < shared.result_end; ++i) {
    if (result.dimensions(static_cast<int>(i)) == 1) continue;
    if (larger_than_one >= 0) return -1;
    larger_than_one = i;
  }
  return larger_than_one;
}

}  // namespace

absl::StatusOr<Shape> InferReshapeShape(const Shape& operand, absl::Span<const int64_t> sizes,
                                        int64_t inferred_dimension) {
  XLA_RETURN_IF_ERROR(shape_inference::ExpectArray(operand, "reshape"));
  for (const int64_t size : sizes) {
    if (size == Shape::kUnboundedSize) {
      return InvalidArgument("Reshaping with unbounded result shape is not supported.");
    }
  }
  XLA_ASSIGN_OR_RETURN(Shape result, ShapeUtil::MakeValidatedShape(operand.element_type(), sizes));
  if (operand.is_unbounded_dynamic()) {
    if (operand.is_bounded_dynamic()) {
      return InvalidArgumentStrCat(
          "Reshape operand with bounded and unbounded dynamism not supported. Got ", Str(operand));
    }
    return result;
  }
  if (ShapeUtil::ElementsIn(operand) != ShapeUtil::ElementsIn(result)) {
    return InvalidArgumentStrCat(
        "Reshape operation has mismatched element counts: from=", ShapeUtil::ElementsIn(operand),
        " (", Str(operand), ") to=", ShapeUtil::ElementsIn(result), " (", Str(result), ").");
  }
  if (operand.is_static()) return result;
  if (inferred_dimension >= result.rank()) {
    return InvalidArgumentStrCat("Reshape's inferred_dimension=", inferred_dimension,
                                 " is out of bounds for the result ", Str(result), ".");
  }
  const Boundaries boundaries = CommonFactors(operand.dimensions(), sizes);
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    if (!operand.is_dynamic_dimension(i)) continue;
    XLA_ASSIGN_OR_RETURN(const int64_t dynamic, DynamicResultDimension(operand, result, boundaries,
                                                                       i, inferred_dimension));
    if (dynamic >= 0) result.set_dynamic_dimension(static_cast<int>(dynamic), true);
  }
  return result;
}

}  // namespace xla

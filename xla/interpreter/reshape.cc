// SPDX-License-Identifier: Apache-2.0
// Operations that move elements without changing them: each is one or two strided copies.
//
// Dynamic sizes: an operation works on the elements that exist (Value::existing_dimensions); the
// result's elements that exist lie in the low corner of its bounds again.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

const char* DataAt(const Value& value, int64_t element) {
  return value.data<char>() + element * primitive_util::ByteWidth(value.element_type());
}
char* MutableAt(Value& value, int64_t element) {
  return value.mutable_data<char>() + element * primitive_util::ByteWidth(value.element_type());
}
int64_t ElementBytes(const Value& value) { return primitive_util::ByteWidth(value.element_type()); }

// Existing elements of `operand`, in row-major order, become those of a result with `sizes`, which
// may hold fewer.
absl::StatusOr<Value> ReshapeExisting(EvalContext& ctx, const Shape& shape, const Value& operand,
                                      absl::Span<const int64_t> sizes) {
  const DimensionVector from = operand.existing_dimensions();
  const int64_t count = SaturatingProduct(from);
  if (SaturatingProduct(sizes) > count) {
    return absl::InvalidArgumentError(absl::StrCat("the operand has ", count, " elements in ",
                                                   DimensionsToString(from), ", which do not fill ",
                                                   DimensionsToString(sizes)));
  }
  const int64_t bytes = ElementBytes(operand);
  XLA_ASSIGN_OR_RETURN(Value dense, ctx.AllocateScratch(count * bytes));
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, bytes, from, operand.untyped_data(),
                                  RowMajorStrides(operand.dimensions()),
                                  dense.mutable_untyped_data(), RowMajorStrides(from)));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, bytes, sizes, dense.untyped_data(), RowMajorStrides(sizes),
                                  result.mutable_untyped_data(),
                                  RowMajorStrides(shape.dimensions())));
  SetExistingSizes(sizes, result);
  return result;
}

}  // namespace

absl::StatusOr<Value> EvalBroadcast(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  const Value& operand = operands[0];
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const DimensionVector operand_strides = RowMajorStrides(operand.dimensions());
  DimensionVector strides(static_cast<size_t>(result.rank()), 0);
  DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
  const absl::Span<const int64_t> dimensions = inst.dimensions();
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto to = static_cast<size_t>(dimensions[i]);
    // A dimension of size 1 is broadcast.
    if (operand.dimensions()[i] == 1 && result.dimensions()[to] != 1) continue;
    strides[to] = operand_strides[i];
    sizes[to] = operand.dynamic_size(static_cast<int64_t>(i));
  }
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, ElementBytes(operand), result.dimensions(),
                                  operand.untyped_data(), strides, result.mutable_untyped_data(),
                                  RowMajorStrides(result.dimensions())));
  if (operand.has_dynamic_sizes()) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalReshape(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  const Shape& shape = inst.shape();
  if (!operands[0].has_dynamic_sizes()) return std::move(operands[0]).WithShape(shape);

  // In each group of corresponding dimensions, one dynamic dimension of the result takes the
  // remaining elements.
  const DimensionVector from = operands[0].existing_dimensions();
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  const auto groups = CommonFactors(operands[0].dimensions(), shape.dimensions());
  for (size_t g = 0; g + 1 < groups.size(); ++g) {
    int64_t rest = 1;
    for (int64_t i = groups[g].first; i < groups[g + 1].first; ++i)
      rest *= from[static_cast<size_t>(i)];
    int64_t dynamic = -1;
    int64_t fixed = 1;
    for (int64_t i = groups[g].second; i < groups[g + 1].second; ++i) {
      const int dim = static_cast<int>(i);
      if (shape.is_dynamic_dimension(dim) && (dynamic < 0 || shape.dimensions(dim) > 1)) {
        if (dynamic >= 0) fixed *= shape.dimensions(static_cast<int>(dynamic));
        dynamic = i;
      } else {
        fixed *= shape.dimensions(dim);
      }
    }
    if (dynamic < 0 || fixed == 0) continue;
    if (rest % fixed != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sizes ", DimensionsToString(from),
                       " of the operand at run time do not divide into the result"));
    }
    sizes[static_cast<size_t>(dynamic)] = rest / fixed;
  }
  return ReshapeExisting(ctx, shape, operands[0], sizes);
}

absl::StatusOr<Value> EvalDynamicReshape(EvalContext& ctx, const HloInstruction& inst,
                                         absl::Span<Value> operands) {
  const Shape& shape = inst.shape();
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = operands[i + 1].IntegerAt(0);
    if (size < 0 || size > sizes[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("size ", size, " of dimension ", i, " is not within the bound ", sizes[i]));
    }
    sizes[i] = size;
  }
  return ReshapeExisting(ctx, shape, operands[0], sizes);
}

absl::StatusOr<Value> EvalTranspose(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  Value& operand = operands[0];
  const absl::Span<const int64_t> permutation = inst.dimensions();
  const DimensionVector operand_strides = RowMajorStrides(operand.dimensions());
  const DimensionVector operand_sizes = operand.existing_dimensions();
  DimensionVector strides(permutation.size()), sizes(permutation.size());
  // The order of dimensions larger than 1 decides whether anything moves.
  int64_t last = -1;
  bool moves = false;
  for (size_t i = 0; i < permutation.size(); ++i) {
    strides[i] = operand_strides[static_cast<size_t>(permutation[i])];
    sizes[i] = operand_sizes[static_cast<size_t>(permutation[i])];
    if (operand.dimensions()[static_cast<size_t>(permutation[i])] == 1) continue;
    moves |= permutation[i] < last;
    last = permutation[i];
  }
  Value result;
  const bool is_dynamic = operand.has_dynamic_sizes();
  if (!moves) {
    operand.ClearDynamicSizes();
    result = std::move(operand).WithShape(inst.shape());
  } else {
    XLA_ASSIGN_OR_RETURN(result, ctx.Allocate(inst.shape()));
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, ElementBytes(operand), result.dimensions(),
                                    operand.untyped_data(), strides, result.mutable_untyped_data(),
                                    RowMajorStrides(result.dimensions())));
  }
  if (is_dynamic) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalReverse(EvalContext& ctx, const HloInstruction& inst,
                                  absl::Span<Value> operands) {
  const Value& operand = operands[0];
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const DimensionVector row_major = RowMajorStrides(operand.dimensions());
  const DimensionVector sizes = operand.existing_dimensions();
  DimensionVector strides = row_major;
  int64_t start = 0;
  for (const int64_t dimension : inst.dimensions()) {
    const auto d = static_cast<size_t>(dimension);
    start += (sizes[d] - 1) * row_major[d];
    strides[d] = -row_major[d];
  }
  if (SaturatingProduct(sizes) == 0) start = 0;
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, ElementBytes(operand), sizes, DataAt(operand, start),
                                  strides, result.mutable_untyped_data(), row_major));
  if (operand.has_dynamic_sizes()) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> SliceValue(EvalContext& ctx, const Value& operand,
                                 absl::Span<const SliceDim> slice, const Shape& shape) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
  DimensionVector strides = RowMajorStrides(operand.dimensions());
  DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
  int64_t start = 0;
  for (size_t d = 0; d < slice.size(); ++d) {
    start += slice[d].start * strides[d];
    strides[d] *= slice[d].stride;
    const int64_t limit = std::min(slice[d].limit, operand.dynamic_size(static_cast<int64_t>(d)));
    sizes[d] = std::max<int64_t>(
        0, CeilOfRatio(std::max<int64_t>(0, limit - slice[d].start), slice[d].stride));
  }
  if (result.element_count() > 0) {
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, ElementBytes(operand), result.dimensions(),
                                    DataAt(operand, start), strides, result.mutable_untyped_data(),
                                    RowMajorStrides(result.dimensions())));
  }
  if (operand.has_dynamic_sizes()) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalSlice(EvalContext& ctx, const HloInstruction& inst,
                                absl::Span<Value> operands) {
  return SliceValue(ctx, operands[0], inst.attributes<SliceAttributes>().slice, inst.shape());
}

absl::StatusOr<Value> EvalPad(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const Value& operand = operands[0];
  const std::vector<PadDim>& padding = inst.attributes<PadAttributes>().padding;
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const int64_t bytes = ElementBytes(operand);
  XLA_RETURN_IF_ERROR(FillElements(ctx, bytes, result.element_count(), operands[1].untyped_data(),
                                   result.mutable_untyped_data()));
  const DimensionVector from_strides = RowMajorStrides(operand.dimensions());
  DimensionVector to_strides = RowMajorStrides(result.dimensions());
  const DimensionVector existing = operand.existing_dimensions();
  DimensionVector box(padding.size()), sizes(padding.size());
  int64_t from = 0, to = 0;
  bool is_empty = false;
  for (size_t d = 0; d < padding.size(); ++d) {
    // Element i goes to low + i * step; those with a place inside the result are [first, last).
    const int64_t step = padding[d].interior + 1;
    const int64_t low = padding[d].low;
    const int64_t size = result.dimensions()[d];
    const int64_t first = low < 0 ? CeilOfRatio(-low, step) : 0;
    const int64_t last = low >= size ? 0 : std::min(existing[d], CeilOfRatio(size - low, step));
    box[d] = last - first;
    is_empty |= box[d] <= 0;
    from += first * from_strides[d];
    to += (low + first * step) * to_strides[d];
    to_strides[d] *= step;
    sizes[d] = std::max<int64_t>(
        0, low + existing[d] + std::max<int64_t>(0, existing[d] - 1) * padding[d].interior +
               padding[d].high);
  }
  if (!is_empty) {
    XLA_RETURN_IF_ERROR(StridedCopy(ctx, bytes, box, DataAt(operand, from), from_strides,
                                    MutableAt(result, to), to_strides));
  }
  if (operand.has_dynamic_sizes()) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalConcatenate(EvalContext& ctx, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  const auto dimension = static_cast<size_t>(inst.dimensions()[0]);
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const DimensionVector strides = RowMajorStrides(result.dimensions());
  int64_t position = 0;
  DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
  bool is_dynamic = false;
  for (const Value& operand : operands) {
    const DimensionVector box = operand.existing_dimensions();
    if (operand.has_dynamic_sizes()) {
      is_dynamic = true;
      sizes = box;
    }
    if (SaturatingProduct(box) > 0) {
      XLA_RETURN_IF_ERROR(StridedCopy(ctx, ElementBytes(operand), box, operand.untyped_data(),
                                      RowMajorStrides(operand.dimensions()),
                                      MutableAt(result, position * strides[dimension]), strides));
    }
    position += box[dimension];
  }
  sizes[dimension] = position;
  if (is_dynamic) SetExistingSizes(sizes, result);
  return result;
}

absl::StatusOr<Value> EvalGetDimensionSize(EvalContext& ctx, const HloInstruction& inst,
                                           absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  *result.mutable_data<int32_t>() = static_cast<int32_t>(
      operands[0].dynamic_size(inst.attributes<OneDimensionAttributes>().dimension()));
  return result;
}

absl::StatusOr<Value> EvalSetDimensionSize(EvalContext&, const HloInstruction& inst,
                                           absl::Span<Value> operands) {
  const int64_t dimension = inst.attributes<OneDimensionAttributes>().dimension();
  const int64_t size = operands[1].IntegerAt(0);
  const int64_t bound = inst.shape().dimensions(static_cast<int>(dimension));
  if (size < 0 || size > bound) {
    return absl::InvalidArgumentError(absl::StrCat("size ", size, " of dimension ", dimension,
                                                   " is not within the bound ", bound));
  }
  if (size != bound && !inst.shape().is_dynamic_dimension(static_cast<int>(dimension))) {
    return absl::InvalidArgumentError(absl::StrCat("size ", size, " of dimension ", dimension,
                                                   ", which is static with size ", bound));
  }
  Value result = std::move(operands[0]).WithShape(inst.shape());
  DimensionVector sizes = result.existing_dimensions();
  sizes[static_cast<size_t>(dimension)] = size;
  SetExistingSizes(sizes, result);
  return result;
}

}  // namespace xla::interpreter

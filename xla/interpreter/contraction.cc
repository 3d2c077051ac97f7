// SPDX-License-Identifier: Apache-2.0
// dot and scaled-dot.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/contraction_operands.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/strided_dims.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

using kernels::MatrixView;
using kernels::ResultView;
using kernels::StridedDims;

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The given dimensions of an array, viewed as one.
StridedDims SelectDims(const Value& value, absl::Span<const int64_t> dimensions) {
  const DimensionVector strides = RowMajorStrides(value.dimensions());
  StridedDims selected;
  for (const int64_t d : dimensions) selected.Append(value.dimensions()[d], strides[d]);
  return selected;
}

// The contracted dimensions, viewed as one, over the elements that exist in both arrays.
StridedDims ContractedDims(const Value& value, absl::Span<const int64_t> dimensions,
                           const Value& other, absl::Span<const int64_t> other_dimensions) {
  const DimensionVector strides = RowMajorStrides(value.dimensions());
  StridedDims selected;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    selected.Append(std::min(value.dynamic_size(d), other.dynamic_size(other_dimensions[i])),
                    strides[d]);
  }
  return selected;
}

DimensionVector FreeDims(const Value& value, absl::Span<const int64_t> batch,
                         absl::Span<const int64_t> contracting) {
  DimensionVector free;
  for (int64_t d = 0; d < value.rank(); ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

MatrixView ViewOf(const Value& value, StridedDims batch, StridedDims lines, StridedDims k) {
  return {
      value.element_type(), value.untyped_data(), primitive_util::ByteWidth(value.element_type()),
      std::move(batch),     std::move(lines),     std::move(k)};
}

// The dimension numbers of dot and scaled-dot.
struct DotDims {
  absl::Span<const int64_t> lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
};

// result[batch.., lhs free.., rhs free..]. The algorithm attribute asks for at least some
// precision, which arithmetic in f32 (or wider types) always has.
absl::Status Multiply(EvalContext& ctx, const Value& lhs_operand, const Value& rhs_operand,
                      const DotDims& dims, Value& result) {
  XLA_ASSIGN_OR_RETURN(const ContractionWide type,
                       ContractionType(lhs_operand.element_type(), rhs_operand.element_type(),
                                       result.element_type()));
  return WithWideType(type, [&](auto sample) -> absl::Status {
    using Wide = decltype(sample);
    XLA_ASSIGN_OR_RETURN(const Value lhs, PrepareOperand<Wide>(ctx, lhs_operand));
    XLA_ASSIGN_OR_RETURN(const Value rhs, PrepareOperand<Wide>(ctx, rhs_operand));
    const DimensionVector lhs_free = FreeDims(lhs, dims.lhs_batch, dims.lhs_contracting);
    const DimensionVector rhs_free = FreeDims(rhs, dims.rhs_batch, dims.rhs_contracting);
    const MatrixView lhs_view =
        ViewOf(lhs, SelectDims(lhs, dims.lhs_batch), SelectDims(lhs, lhs_free),
               ContractedDims(lhs, dims.lhs_contracting, rhs, dims.rhs_contracting));
    const MatrixView rhs_view =
        ViewOf(rhs, SelectDims(rhs, dims.rhs_batch), SelectDims(rhs, rhs_free),
               ContractedDims(rhs, dims.rhs_contracting, lhs, dims.lhs_contracting));
    const int64_t m = lhs_view.lines.count(), n = rhs_view.lines.count();
    const ResultView result_view = {result.element_type(),
                                    result.mutable_untyped_data(),
                                    primitive_util::ByteWidth(result.element_type()),
                                    StridedDims({lhs_view.batch.count()}, {m * n}),
                                    StridedDims({m}, {n}),
                                    StridedDims({n}, {1})};
    KernelContext kernel_context(ctx);
    return kernels::MultiplyMatrices<Wide>(kernel_context, lhs_view, rhs_view, result_view);
  });
}

// Sets the dynamic sizes of the result: those of the operands' dimensions that it is made of.
void SetResultSizes(const Value& lhs, const Value& rhs, const DotDims& dims, Value& result) {
  if (!lhs.has_dynamic_sizes() && !rhs.has_dynamic_sizes()) return;
  DimensionVector sizes;
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    sizes.push_back(
        std::min(lhs.dynamic_size(dims.lhs_batch[i]), rhs.dynamic_size(dims.rhs_batch[i])));
  }
  for (const int64_t d : FreeDims(lhs, dims.lhs_batch, dims.lhs_contracting))
    sizes.push_back(lhs.dynamic_size(d));
  for (const int64_t d : FreeDims(rhs, dims.rhs_batch, dims.rhs_contracting))
    sizes.push_back(rhs.dynamic_size(d));
  SetExistingSizes(sizes, result);
}

// operand * scale, where every dimension of the scale divides that of the operand; in f32, f64 for
// f64.
template <typename Wide>
absl::StatusOr<Value> ApplyScale(EvalContext& ctx, const Value& operand, const Value& scale) {
  const Shape shape(primitive_util::NativeToPrimitiveType<Wide>(), operand.dimensions());
  XLA_ASSIGN_OR_RETURN(Value scaled, ctx.Allocate(ctx.InternShape(shape)));
  Wide* out = scaled.mutable_data<Wide>();
  const int64_t rank = operand.rank();
  const int64_t minor = rank == 0 ? 1 : operand.dimensions()[rank - 1];
  const int64_t minor_scales = scale.rank() == 0 ? 1 : scale.dimensions()[scale.rank() - 1];
  scaled.CopyDynamicSizesFrom(operand);
  if (operand.element_count() == 0) return scaled;
  if (scale.element_count() == 0)
    return InvalidArgument("the scale %s has no elements", scale.shape().ToString());
  const kernels::WideLoad<Wide> load = kernels::GetWideLoad<Wide>(operand.element_type());
  const kernels::WideLoad<Wide> load_scale = kernels::GetWideLoad<Wide>(scale.element_type());
  if (load == nullptr || load_scale == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("scaling of ", operand.shape().ToString(), " by ", scale.shape().ToString()));
  }
  const int64_t scale_bytes = primitive_util::ByteWidth(scale.element_type());
  const int64_t operand_bytes = primitive_util::ByteWidth(operand.element_type());
  const int64_t block = minor / minor_scales;
  std::vector<Wide> factors(minor_scales);
  for (int64_t row = 0; row < operand.element_count() / minor; ++row) {
    // The row of scales that applies to this row.
    int64_t rest = row, scale_row = 0, factor = 1;
    for (int64_t d = rank - 2; d >= 0; --d) {
      const int64_t size = operand.dimensions()[d],
                    scale_size = scale.rank() == 0 ? 1 : scale.dimensions()[d];
      scale_row += rest % size / (size / scale_size) * factor;
      factor *= scale_size;
      rest /= size;
    }
    load_scale(
        static_cast<const char*>(scale.untyped_data()) + scale_row * minor_scales * scale_bytes, 1,
        minor_scales, factors.data());
    Wide* out_row = out + row * minor;
    load(static_cast<const char*>(operand.untyped_data()) + row * minor * operand_bytes, 1, minor,
         out_row);
    for (int64_t i = 0; i < minor; ++i) out_row[i] *= factors[i / block];
  }
  return scaled;
}

// The scale of an operand must divide it dimension by dimension; a scalar scales all.
absl::Status CheckScale(const HloInstruction& inst, const Value& operand, const Value& scale,
                        const char* which) {
  bool fits = scale.rank() == 0 || scale.rank() == operand.rank();
  for (int64_t d = 0; fits && d < scale.rank(); ++d) {
    const int64_t size = operand.dimensions()[d], scale_size = scale.dimensions()[d];
    fits = size == 0 || (scale_size > 0 && size % scale_size == 0);
  }
  if (fits) return absl::OkStatus();
  return InstructionError(
      inst, absl::StatusCode::kInvalidArgument,
      absl::StrCat("the scale ", scale.shape().ToString(), " does not divide the ", which, " ",
                   operand.shape().ToString(), " dimension by dimension"));
}

}  // namespace

absl::StatusOr<Value> EvalDot(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<DotAttributes>();
  const DotDims dims = {attributes.lhs_batch_dims, attributes.lhs_contracting_dims,
                        attributes.rhs_batch_dims, attributes.rhs_contracting_dims};
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  XLA_RETURN_IF_ERROR(Multiply(ctx, operands[0], operands[1], dims, result));
  SetResultSizes(operands[0], operands[1], dims, result);
  return result;
}

absl::StatusOr<Value> EvalScaledDot(EvalContext& ctx, const HloInstruction& inst,
                                    absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<DotAttributes>();
  const DotDims dims = {attributes.lhs_batch_dims, attributes.lhs_contracting_dims,
                        attributes.rhs_batch_dims, attributes.rhs_contracting_dims};
  XLA_RETURN_IF_ERROR(CheckScale(inst, operands[0], operands[2], "left operand"));
  XLA_RETURN_IF_ERROR(CheckScale(inst, operands[1], operands[3], "right operand"));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  Value lhs, rhs;
  if (inst.shape().element_type() == F64) {
    XLA_ASSIGN_OR_RETURN(lhs, ApplyScale<double>(ctx, operands[0], operands[2]));
    XLA_ASSIGN_OR_RETURN(rhs, ApplyScale<double>(ctx, operands[1], operands[3]));
  } else {
    XLA_ASSIGN_OR_RETURN(lhs, ApplyScale<float>(ctx, operands[0], operands[2]));
    XLA_ASSIGN_OR_RETURN(rhs, ApplyScale<float>(ctx, operands[1], operands[3]));
  }
  XLA_RETURN_IF_ERROR(Multiply(ctx, lhs, rhs, dims, result));
  SetResultSizes(operands[0], operands[1], dims, result);
  return result;
}

}  // namespace xla::interpreter

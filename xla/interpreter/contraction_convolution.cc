// SPDX-License-Identifier: Apache-2.0
// convolution: attributes and operands as strides of the kernel
// (xla/kernels/reference/convolution.h).
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/sparse_kernel.h"
#include "xla/interpreter/contraction_operands.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/window.h"
#include "xla/kernels/movement/sparse_array.h"
#include "xla/kernels/reference/convolution.h"
#include "xla/kernels/strided_dims.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

using kernels::Convolution;
using kernels::Patches;
using kernels::ResultView;
using kernels::StridedDims;

Convolution MakeConvolution(const ConvolutionAttributes& attributes, const Value& input,
                            const Value& kernel, Value& output) {
  const ConvDims& labels = attributes.dim_labels;
  const DimensionVector input_strides = RowMajorStrides(input.dimensions());
  const DimensionVector kernel_strides = RowMajorStrides(kernel.dimensions());
  const DimensionVector output_strides = RowMajorStrides(output.dimensions());
  const int64_t groups = attributes.feature_group_count * attributes.batch_group_count;
  // Features that exist in only one operand are not summed; spatial elements of the input that do
  // not exist are padding.
  const int64_t all_features = kernel.dimensions()[labels.kernel_input_feature];
  int64_t features = kernel.dynamic_size(labels.kernel_input_feature);
  if (attributes.feature_group_count == 1)
    features = std::min(features, input.dynamic_size(labels.input_feature));
  const int64_t output_features = kernel.dimensions()[labels.kernel_output_feature] / groups;
  const int64_t batch_size = input.dimensions()[labels.input_batch] / attributes.batch_group_count;

  Convolution conv;
  Patches& patches = conv.patches;
  patches.type = input.element_type();
  patches.data = static_cast<const char*>(input.untyped_data());
  patches.element_bytes = primitive_util::ByteWidth(input.element_type());
  patches.batch_size = batch_size;
  patches.batch_stride = input_strides[labels.input_batch];
  patches.features = features;
  patches.feature_stride = input_strides[labels.input_feature];
  patches.group_stride = attributes.batch_group_count > 1 ? batch_size * patches.batch_stride
                                                          : all_features * patches.feature_stride;

  conv.kernel.type = kernel.element_type();
  conv.kernel.element_bytes = primitive_util::ByteWidth(kernel.element_type());
  conv.kernel.batch =
      StridedDims({groups}, {output_features * kernel_strides[labels.kernel_output_feature]});
  conv.kernel.lines =
      StridedDims({output_features}, {kernel_strides[labels.kernel_output_feature]});

  ResultView& result = conv.result;
  result.type = output.element_type();
  result.data = output.mutable_untyped_data();
  result.element_bytes = primitive_util::ByteWidth(output.element_type());
  result.batch = StridedDims({groups}, {output_features * output_strides[labels.output_feature]});
  result.columns = StridedDims({output_features}, {output_strides[labels.output_feature]});
  result.rows.Append(batch_size, output_strides[labels.output_batch]);

  int64_t kernel_origin = 0;
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    const int64_t output_size = output.dimensions()[labels.output_spatial[d]];
    // Existing taps start at the kernel's first element, which is the window's last one if
    // reversed.
    const int64_t taps = std::min(window.size, kernel.dynamic_size(labels.kernel_spatial[d]));
    const int64_t skipped =
        window.window_reversal ? (window.size - taps) * window.window_dilation : 0;
    patches.dims.push_back({.output_size = output_size,
                            .taps = taps,
                            .stride = window.stride,
                            .padding_low = window.padding_low - skipped,
                            .window_dilation = window.window_dilation,
                            .base_dilation = window.base_dilation,
                            .input_size = input.dynamic_size(labels.input_spatial[d]),
                            .input_stride = input_strides[labels.input_spatial[d]]});
    result.rows.Append(output_size, output_strides[labels.output_spatial[d]]);
    const int64_t stride = kernel_strides[labels.kernel_spatial[d]];
    if (window.window_reversal && taps > 0) kernel_origin += (taps - 1) * stride;
    conv.kernel.k.Append(taps, window.window_reversal ? -stride : stride);
  }
  conv.kernel.k.Append(features, kernel_strides[labels.kernel_input_feature]);
  conv.kernel.data =
      static_cast<const char*>(kernel.untyped_data()) + kernel_origin * conv.kernel.element_bytes;
  return conv;
}

// The dynamic sizes of the result.
DimensionVector ConvolvedSizes(const ConvolutionAttributes& attributes, const Value& input,
                               const Value& kernel) {
  const ConvDims& labels = attributes.dim_labels;
  DimensionVector sizes(input.rank());
  sizes[labels.output_batch] =
      input.dynamic_size(labels.input_batch) / attributes.batch_group_count;
  sizes[labels.output_feature] = kernel.dynamic_size(labels.kernel_output_feature);
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    const int64_t size = input.dynamic_size(labels.input_spatial[d]);
    const int64_t padded = (size == 0 ? 0 : (size - 1) * window.base_dilation + 1) +
                           window.padding_low + window.padding_high;
    const int64_t dilated = (window.size - 1) * window.window_dilation + 1;
    sizes[labels.output_spatial[d]] =
        window.size == 0 || padded < dilated ? 0 : (padded - dilated) / window.stride + 1;
  }
  return sizes;
}

}  // namespace

absl::StatusOr<Value> Convolve(EvalContext& ctx, const Shape& shape,
                               const ConvolutionAttributes& attributes,
                               absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(shape));
  if (operands[0].has_dynamic_sizes() || operands[1].has_dynamic_sizes()) {
    SetExistingSizes(ConvolvedSizes(attributes, operands[0], operands[1]), result);
  }
  if (result.element_count() == 0) return result;
  XLA_ASSIGN_OR_RETURN(const ContractionWide type,
                       ContractionType(operands[0].element_type(), operands[1].element_type(),
                                       result.element_type()));
  XLA_RETURN_IF_ERROR(WithWideType(type, [&](auto sample) -> absl::Status {
    using Wide = decltype(sample);
    XLA_ASSIGN_OR_RETURN(const Value input, PrepareOperand<Wide>(ctx, operands[0]));
    XLA_ASSIGN_OR_RETURN(const Value kernel, PrepareOperand<Wide>(ctx, operands[1]));
    const Convolution conv = MakeConvolution(attributes, input, kernel, result);
    KernelContext kernel_context(ctx);
    return kernels::Convolve<Wide>(kernel_context, conv);
  }));
  return result;
}

namespace {

// The array with zeros in place of the elements beyond `sizes`.
absl::StatusOr<Value> ZeroMissing(EvalContext& ctx, const Value& array,
                                  absl::Span<const int64_t> sizes) {
  XLA_ASSIGN_OR_RETURN(Value masked, ctx.Allocate(array.shape()));
  const int64_t bytes = primitive_util::ByteWidth(array.element_type());
  std::memset(masked.mutable_untyped_data(), 0,
              static_cast<size_t>(masked.element_count() * bytes));
  const DimensionVector strides = RowMajorStrides(array.dimensions());
  XLA_RETURN_IF_ERROR(StridedCopy(ctx, bytes, sizes, array.untyped_data(), strides,
                                  masked.mutable_untyped_data(), strides));
  return masked;
}

// The whole kernel that (values, positions in their blocks) stand for. Values that do not exist are
// zeros at the start of their blocks.
absl::StatusOr<Value> WholeKernel(EvalContext& ctx, const HloInstruction& inst,
                                  const Value& sparse) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, WholeKernelShape(inst));
  const Sparsity::Operand& sparsity = *inst.attributes<ConvolutionAttributes>().sparsity.rhs;
  Value parts[] = {sparse.element(0), sparse.element(1)};
  XLA_ASSIGN_OR_RETURN(Value whole, ctx.Allocate(ctx.InternShape(shape)));
  if (AnyHasDynamicSizes(parts)) {
    XLA_ASSIGN_OR_RETURN(DimensionVector sizes, JoinExistingSizes(ctx, absl::MakeSpan(parts)));
    for (Value& part : parts) {
      XLA_ASSIGN_OR_RETURN(part, ZeroMissing(ctx, part, sizes));
    }
    sizes[static_cast<size_t>(sparsity.dimension)] *= sparsity.block_size;
    SetExistingSizes(sizes, whole);
  }
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::ExpandSparseArray(
      kernel_context,
      {.dimensions = parts[0].dimensions(),
       .dimension = sparsity.dimension,
       .block_size = sparsity.block_size,
       .element_bytes = primitive_util::ByteWidth(parts[0].element_type()),
       .position_type = parts[1].element_type()},
      parts[0].untyped_data(), parts[1].untyped_data(), whole.mutable_untyped_data()));
  return whole;
}

}  // namespace

absl::StatusOr<Value> EvalConvolution(EvalContext& ctx, const HloInstruction& inst,
                                      absl::Span<Value> operands) {
  if (HasSparseKernel(inst)) {
    XLA_ASSIGN_OR_RETURN(operands[1], WholeKernel(ctx, inst, operands[1]));
  }
  return Convolve(ctx, inst.shape(), inst.attributes<ConvolutionAttributes>(), operands);
}

}  // namespace xla::interpreter

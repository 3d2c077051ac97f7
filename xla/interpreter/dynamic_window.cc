// SPDX-License-Identifier: Apache-2.0
// Convolutions and windows whose padding depends on dynamic sizes, by the rules of XLA's dynamic
// padder.
//
// The window of the instruction has the padding of the bounds. In a dimension that is dynamic, the
// scheme (SAME or VALID) is applied to the dynamic size instead; elements beyond it are padding.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/denoted_operation.h"
#include "xla/interpreter/builtin_custom_calls.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/window.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

absl::Status Invalid(const HloInstruction& inst, absl::string_view message) {
  return InstructionError(inst, absl::StatusCode::kInvalidArgument, message);
}

// One dimension under a padding scheme.
struct Placement {
  int64_t padding_low, output_size;
};

// A window over `size` elements. Shape inference guarantees that its extent does not overflow.
Placement Place(int64_t size, int64_t taps, int64_t dilation, int64_t stride, PaddingType scheme) {
  const int64_t extent = taps == 0 ? 0 : (taps - 1) * dilation + 1;
  if (scheme == PaddingType::PADDING_VALID)
    return {0, size < extent ? 0 : (size - extent) / stride + 1};
  const int64_t places = CeilOfRatio(size, stride);
  if (places == 0) return {0, 0};
  return {std::max<int64_t>(0, (places - 1) * stride + extent - size) / 2, places};
}

// Checks that the operation that the call denotes has a result of the call's bounds.
absl::Status CheckResult(const HloInstruction& inst, HloOpcode opcode, const Attributes& attributes,
                         absl::Span<const Value> operands) {
  std::vector<const Shape*> shapes;
  for (const Value& operand : operands) shapes.push_back(&operand.shape());
  const absl::Status status = CheckDenotedResult(inst, opcode, attributes, shapes);
  return status.ok() ? status : Invalid(inst, status.message());
}

absl::Status ExpectOperands(const HloInstruction& inst, absl::Span<const Value> operands,
                            size_t count, size_t computations) {
  if (operands.size() != count || inst.called_computations().size() != computations) {
    return Invalid(inst, absl::StrCat("it takes ", count, " operands and ", computations,
                                      " computations, not ", operands.size(), " and ",
                                      inst.called_computations().size()));
  }
  for (const Value& operand : operands) {
    if (!operand.IsArray()) return Invalid(inst, "its operands must be arrays");
  }
  return absl::OkStatus();
}

// Sizes of the result's dynamic dimensions.
absl::StatusOr<Value> WithSizes(const HloInstruction& inst, absl::Span<const int64_t> sizes,
                                Value result) {
  for (int d = 0; d < inst.shape().rank(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    if (!inst.shape().is_dynamic_dimension(d)) continue;
    if (size < 0 || size > inst.shape().dimensions(d)) {
      return Invalid(
          inst, absl::StrCat("the size ", size, " of dimension ", d,
                             " at run time is not within its bound ", inst.shape().dimensions(d)));
    }
  }
  SetExistingSizes(sizes, result);
  return result;
}

// --- Convolutions

bool IsDynamicDimension(const Value& value, int64_t dimension) {
  return value.shape().is_dynamic_dimension(static_cast<int>(dimension));
}

PaddingType SchemeOf(const HloInstruction& inst) {
  return inst.attributes<CustomCallAttributes>().padding_type;
}

// The convolution of lhs and rhs that a call denotes, with the padding of the bounds.
absl::StatusOr<ConvolutionAttributes> ConvolutionOf(const HloInstruction& inst,
                                                    absl::Span<const Value> lhs_and_rhs) {
  const auto& call = inst.attributes<CustomCallAttributes>();
  if (!call.window.has_value() || !call.dim_labels.has_value())
    return Invalid(inst, "it must have a window and dim_labels");
  if (call.padding_type != PaddingType::PADDING_SAME &&
      call.padding_type != PaddingType::PADDING_VALID) {
    return Invalid(inst, "its padding_type must be PADDING_SAME or PADDING_VALID");
  }
  ConvolutionAttributes attributes;
  attributes.window = *call.window;
  attributes.dim_labels = *call.dim_labels;
  attributes.feature_group_count = call.feature_group_count;
  attributes.batch_group_count = call.batch_group_count;
  XLA_RETURN_IF_ERROR(CheckResult(inst, HloOpcode::kConvolution, attributes, lhs_and_rhs));
  return attributes;
}

}  // namespace

absl::StatusOr<Value> EvalDynamicConvolutionForward(EvalContext& ctx, const HloInstruction& inst,
                                                    absl::Span<Value> operands) {
  XLA_RETURN_IF_ERROR(ExpectOperands(inst, operands, 2, 0));
  XLA_ASSIGN_OR_RETURN(ConvolutionAttributes attributes, ConvolutionOf(inst, operands));
  const ConvDims& labels = attributes.dim_labels;
  const Value& input = operands[0];
  DimensionVector sizes(inst.shape().dimensions().begin(), inst.shape().dimensions().end());
  sizes[labels.output_batch] =
      input.dynamic_size(labels.input_batch) / attributes.batch_group_count;
  for (size_t i = 0; i < attributes.window.size(); ++i) {
    if (!IsDynamicDimension(input, labels.input_spatial[i])) continue;
    WindowDim& window = attributes.window[i];
    if (window.base_dilation != 1)
      return Invalid(inst, "a dynamic dimension must not have base dilation (lhs_dilate)");
    const Placement placement = Place(input.dynamic_size(labels.input_spatial[i]), window.size,
                                      window.window_dilation, window.stride, SchemeOf(inst));
    sizes[labels.output_spatial[i]] = placement.output_size;
    if (SchemeOf(inst) == PaddingType::PADDING_SAME) window.padding_low = placement.padding_low;
  }
  XLA_ASSIGN_OR_RETURN(Value result, Convolve(ctx, inst.shape(), attributes, operands));
  return WithSizes(inst, sizes, std::move(result));
}

// (sizes of the result, gradients of the output, kernel). The window's base dilation is the stride
// of the forward convolution, whose padding determines that of this one.
absl::StatusOr<Value> EvalDynamicConvolutionInputGrad(EvalContext& ctx, const HloInstruction& inst,
                                                      absl::Span<Value> operands) {
  XLA_RETURN_IF_ERROR(ExpectOperands(inst, operands, 3, 0));
  XLA_ASSIGN_OR_RETURN(ConvolutionAttributes attributes, ConvolutionOf(inst, operands.subspan(1)));
  const Value &input_sizes = operands[0], &gradients = operands[1];
  if (input_sizes.element_type() != S32 || input_sizes.rank() != 1 ||
      input_sizes.element_count() != inst.shape().rank() || input_sizes.shape().is_dynamic()) {
    return Invalid(inst, absl::StrCat("the sizes of its result are s32[", inst.shape().rank(),
                                      "], not ", input_sizes.shape().ToString()));
  }
  const ConvDims& labels = attributes.dim_labels;
  DimensionVector sizes;
  for (int64_t d = 0; d < inst.shape().rank(); ++d) sizes.push_back(input_sizes.IntegerAt(d));
  for (size_t i = 0; i < attributes.window.size(); ++i) {
    if (!IsDynamicDimension(gradients, labels.input_spatial[i])) continue;
    WindowDim& window = attributes.window[i];
    const int64_t size = std::clamp<int64_t>(sizes[labels.output_spatial[i]], 0,
                                             inst.shape().dimensions()[labels.output_spatial[i]]);
    const Placement forward =
        Place(size, window.size, window.window_dilation, window.base_dilation, SchemeOf(inst));
    if (SchemeOf(inst) == PaddingType::PADDING_SAME)
      window.padding_low = (window.size - 1) * window.window_dilation - forward.padding_low;
  }
  XLA_ASSIGN_OR_RETURN(Value result, Convolve(ctx, inst.shape(), attributes, operands.subspan(1)));
  return WithSizes(inst, sizes, std::move(result));
}

// (input, gradients of the output): the gradients are the kernel. The window's dilation is the
// stride of the forward convolution, and its stride the dilation there. The result is static.
absl::StatusOr<Value> EvalDynamicConvolutionKernelGrad(EvalContext& ctx, const HloInstruction& inst,
                                                       absl::Span<Value> operands) {
  XLA_RETURN_IF_ERROR(ExpectOperands(inst, operands, 2, 0));
  XLA_ASSIGN_OR_RETURN(ConvolutionAttributes attributes, ConvolutionOf(inst, operands));
  const ConvDims& labels = attributes.dim_labels;
  const Value& input = operands[0];
  for (size_t i = 0; i < attributes.window.size(); ++i) {
    if (!IsDynamicDimension(input, labels.input_spatial[i])) continue;
    WindowDim& window = attributes.window[i];
    const Placement forward =
        Place(input.dynamic_size(labels.input_spatial[i]),
              inst.shape().dimensions()[labels.output_spatial[i]], /*dilation=*/window.stride,
              /*stride=*/window.window_dilation, SchemeOf(inst));
    if (SchemeOf(inst) == PaddingType::PADDING_SAME) window.padding_low = forward.padding_low;
  }
  XLA_ASSIGN_OR_RETURN(Value result, Convolve(ctx, inst.shape(), attributes, operands));
  return WithSizes(inst, inst.shape().dimensions(), std::move(result));
}

// --- Windows under SAME padding

namespace {

bool IsTrivialWindow(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.padding_high == 0 &&
         dim.window_dilation == 1 && dim.base_dilation == 1;
}

absl::StatusOr<WindowDims> WindowOf(const HloInstruction& inst, HloOpcode opcode,
                                    absl::Span<const Value> operands) {
  const auto& call = inst.attributes<CustomCallAttributes>();
  if (!call.window.has_value()) return Invalid(inst, "it must have a window");
  const WindowAttributes attributes = {.window = *call.window};
  XLA_RETURN_IF_ERROR(CheckResult(inst, opcode, attributes, operands));
  const PrimitiveType type = inst.shape().element_type();
  bool is_one_type = true;
  for (const Value& operand : operands) is_one_type &= operand.element_type() == type;
  for (const HloComputation* callee : inst.called_computations()) {
    for (const HloInstruction* parameter : callee->parameter_instructions())
      is_one_type &= parameter->shape().element_type() == type;
  }
  if (!is_one_type)
    return Invalid(inst, "its operands, computations and result must have the same element type");
  WindowDims window = *call.window;
  // Without a window, the window is one element.
  if (window.empty()) window.dims.resize(static_cast<size_t>(operands[0].rank()));
  return window;
}

}  // namespace

absl::StatusOr<Value> EvalDynamicReduceWindow(EvalContext& ctx, const HloInstruction& inst,
                                              absl::Span<Value> operands) {
  XLA_RETURN_IF_ERROR(ExpectOperands(inst, operands, 2, 1));
  XLA_ASSIGN_OR_RETURN(WindowDims window, WindowOf(inst, HloOpcode::kReduceWindow, operands));
  const Value& input = operands[0];
  DimensionVector sizes(inst.shape().dimensions().begin(), inst.shape().dimensions().end());
  for (int64_t d = 0; d < input.rank(); ++d) {
    if (!IsDynamicDimension(input, d)) continue;
    sizes[d] = input.dynamic_size(d);
    WindowDim& dim = window[d];
    if (IsTrivialWindow(dim)) continue;
    if (dim.base_dilation != 1)
      return Invalid(inst, "a dynamic dimension must not have base dilation (lhs_dilate)");
    const Placement placement = Place(input.dynamic_size(d), dim.size, dim.window_dilation,
                                      dim.stride, PaddingType::PADDING_SAME);
    sizes[d] = placement.output_size;
    dim.padding_low = placement.padding_low;
  }
  XLA_ASSIGN_OR_RETURN(Value result, ReduceWindow(ctx, inst, window, operands));
  return WithSizes(inst, sizes, std::move(result));
}

absl::StatusOr<Value> EvalDynamicSelectAndScatter(EvalContext& ctx, const HloInstruction& inst,
                                                  absl::Span<Value> operands) {
  XLA_RETURN_IF_ERROR(ExpectOperands(inst, operands, 3, 2));
  XLA_ASSIGN_OR_RETURN(WindowDims window, WindowOf(inst, HloOpcode::kSelectAndScatter, operands));
  const Value &input = operands[0], &source = operands[1];
  const DimensionVector sizes = input.existing_dimensions();
  for (int64_t d = 0; d < input.rank(); ++d) {
    WindowDim& dim = window[d];
    if (IsTrivialWindow(dim) || !IsDynamicDimension(input, d) || !IsDynamicDimension(source, d))
      continue;
    dim.padding_low = Place(input.dynamic_size(d), dim.size, dim.window_dilation, dim.stride,
                            PaddingType::PADDING_SAME)
                          .padding_low;
  }
  XLA_ASSIGN_OR_RETURN(Value result, SelectAndScatter(ctx, inst, window, operands));
  return WithSizes(inst, sizes, std::move(result));
}

}  // namespace xla::interpreter

// SPDX-License-Identifier: Apache-2.0
// XLA's custom calls with windows whose padding depends on dynamic sizes: the operand is moved by
// the padding, and the window has none.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/denoted_operation.h"
#include "xla/passes/dynamic_resolver.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status Misuse(const HloInstruction& inst, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(inst.ToShortString(), ": ", message));
}

absl::Status ExpectCall(const HloInstruction& inst, int64_t operands, size_t computations) {
  if (inst.operand_count() != operands || inst.called_computations().size() != computations) {
    return Misuse(inst, absl::StrCat("it takes ", operands, " operands and ", computations,
                                     " computations, not ", inst.operand_count(), " and ",
                                     inst.called_computations().size()));
  }
  for (const HloInstruction* operand : inst.operands()) {
    if (!operand->shape().IsArray()) return Misuse(inst, "its operands must be arrays");
  }
  return absl::OkStatus();
}

// Checks that the operation that the call represents has a result of the call's bounds.
absl::Status ExpectResult(const HloInstruction& inst, HloOpcode opcode,
                          const Attributes& attributes, int64_t first_operand) {
  std::vector<const Shape*> shapes;
  for (int64_t i = first_operand; i < inst.operand_count(); ++i)
    shapes.push_back(&inst.operand(i)->shape());
  const absl::Status status = CheckDenotedResult(inst, opcode, attributes, shapes);
  return status.ok() ? status : Misuse(inst, status.message());
}

bool IsOneElement(const WindowDim& dim) {
  return dim.size == 1 && dim.stride == 1 && dim.padding_low == 0 && dim.padding_high == 0 &&
         dim.window_dilation == 1 && dim.base_dilation == 1;
}

absl::StatusOr<std::vector<WindowDim>> WindowOfCall(const HloInstruction& inst, HloOpcode opcode) {
  const auto& call = inst.attributes<CustomCallAttributes>();
  if (!call.window.has_value()) return Misuse(inst, "it must have a window");
  XLA_RETURN_IF_ERROR(ExpectResult(inst, opcode, WindowAttributes{.window = *call.window}, 0));
  const PrimitiveType type = inst.shape().element_type();
  bool is_one_type = true;
  for (const HloInstruction* operand : inst.operands())
    is_one_type &= operand->shape().element_type() == type;
  for (const HloComputation* callee : inst.called_computations()) {
    for (const HloInstruction* parameter : callee->parameter_instructions())
      is_one_type &= parameter->shape().element_type() == type;
  }
  if (!is_one_type)
    return Misuse(inst, "its operands, computations and result must have the same element type");
  std::vector<WindowDim> window = call.window->dims;
  // Without a window, the window is one element.
  if (window.empty()) window.resize(static_cast<size_t>(inst.operand(0)->shape().rank()));
  return window;
}

}  // namespace

// Places a window over `size` elements.
DynamicResolver::Placement DynamicResolver::Place(HloInstruction* size, int64_t taps,
                                                  int64_t dilation, int64_t stride, bool same) {
  const int64_t extent = taps == 0 ? 0 : (taps - 1) * dilation + 1;
  if (!same) {
    HloInstruction* const places =
        b_.Plus(FloorDivide(b_.Max(b_.Minus(size, Number(extent)), Number(0)), stride), Number(1));
    return {Number(0), b_.Select(b_.Less(size, Number(extent)), Number(0), places)};
  }
  HloInstruction* const places = CeilDivide(size, stride);
  HloInstruction* const covered =
      b_.Plus(b_.Times(b_.Minus(places, Number(1)), Number(stride)), Number(extent));
  HloInstruction* const padding = b_.Max(b_.Minus(covered, size), Number(0));
  HloInstruction* const none = b_.Compare(places, Number(0), ComparisonDirection::kLe);
  return {b_.Select(none, Number(0), FloorDivide(padding, 2)), places};
}

HloInstruction* DynamicResolver::Moved(HloInstruction* x, absl::Span<const int64_t> bounds,
                                       const Sizes& low, HloInstruction* fill) {
  std::vector<HloInstruction*> starts;
  for (size_t d = 0; d < bounds.size(); ++d)
    starts.push_back(low[d] == nullptr ? Number(0) : low[d]);
  return b_.DynamicUpdateSlice(b_.Splat(fill, bounds), x, starts);
}

// Forward: (input, kernel). Input gradient: (sizes of the result, gradients, kernel), where the
// window's base dilation is the stride of the forward convolution, whose padding determines that of
// this one. Kernel gradient: (input, gradients), where the window's dilation is the stride of the
// forward convolution, and its stride the dilation there.
DynamicResolver::Results DynamicResolver::DynamicConvolution(const HloInstruction& inst,
                                                             SizedArrays operands) {
  const std::string& target = inst.custom_call_target();
  const bool is_input_grad = target == "DynamicConvolutionInputGrad",
             is_kernel_grad = target == "DynamicConvolutionKernelGrad";
  const size_t first = is_input_grad ? 1 : 0;
  XLA_RETURN_IF_ERROR(ExpectCall(inst, is_input_grad ? 3 : 2, 0));
  const auto& call = inst.attributes<CustomCallAttributes>();
  if (!call.window.has_value() || !call.dim_labels.has_value())
    return Misuse(inst, "it must have a window and dim_labels");
  if (call.padding_type != PaddingType::PADDING_SAME &&
      call.padding_type != PaddingType::PADDING_VALID) {
    return Misuse(inst, "its padding_type must be PADDING_SAME or PADDING_VALID");
  }
  const bool same = call.padding_type == PaddingType::PADDING_SAME;
  ConvolutionAttributes attributes;
  attributes.window = *call.window;
  attributes.dim_labels = *call.dim_labels;
  attributes.feature_group_count = call.feature_group_count;
  attributes.batch_group_count = call.batch_group_count;
  XLA_RETURN_IF_ERROR(
      ExpectResult(inst, HloOpcode::kConvolution, attributes, static_cast<int64_t>(first)));
  const ConvDims& labels = attributes.dim_labels;
  SizedArray input = operands[first];
  const Shape& given = inst.operand(static_cast<int64_t>(first))->shape();
  const auto out_bound = [&](int64_t d) { return inst.shape().dimensions(static_cast<int>(d)); };

  Sizes sizes(static_cast<size_t>(inst.shape().rank()), nullptr);
  if (is_input_grad) {
    const Shape& list = inst.operand(0)->shape();
    if (list.element_type() != S32 || list.rank() != 1 ||
        list.dimensions(0) != inst.shape().rank() || list.is_dynamic()) {
      return Misuse(inst, absl::StrCat("the sizes of its result are s32[", inst.shape().rank(),
                                       "], not ", list.ToString()));
    }
    for (int64_t d = 0; d < inst.shape().rank(); ++d) {
      HloInstruction* const size = b_.Reshape(b_.SliceAlong(operands[0].array, 0, d, d + 1), {});
      const bool is_dynamic = inst.shape().is_dynamic_dimension(static_cast<int>(d));
      sizes[static_cast<size_t>(d)] = is_dynamic ? CheckedSize(size, out_bound(d)) : size;
    }
  } else if (!is_kernel_grad) {
    if (HloInstruction* const batch = input.size(labels.input_batch))
      sizes[static_cast<size_t>(labels.output_batch)] =
          FloorDivide(batch, attributes.batch_group_count);
  }

  // Base dilation is written out, so that padding moves the input.
  Sizes low(static_cast<size_t>(input.rank()), nullptr);
  std::vector<PadDim> spread(static_cast<size_t>(input.rank()));
  Sizes existing(static_cast<size_t>(input.rank()), nullptr);
  std::vector<int64_t> needed(given.dimensions().begin(), given.dimensions().end());
  bool moves = false;
  for (size_t i = 0; i < attributes.window.size(); ++i) {
    const int64_t d = labels.input_spatial[i];
    const auto at = static_cast<size_t>(d);
    WindowDim& window = attributes.window.dims[i];
    HloInstruction* const size = input.size(d);
    existing[at] = size;
    if (!given.is_dynamic_dimension(static_cast<int>(d))) continue;
    HloInstruction* const actual = SizeOf(input, d);
    HloInstruction* padding = nullptr;
    if (is_input_grad) {
      HloInstruction* const out = Clamp(sizes[static_cast<size_t>(labels.output_spatial[i])], 0,
                                        out_bound(labels.output_spatial[i]));
      const Placement forward =
          Place(out, window.size, window.window_dilation, window.base_dilation, same);
      if (same) {
        padding = b_.Minus(Number((window.size - 1) * window.window_dilation), forward.padding_low);
      }
    } else if (is_kernel_grad) {
      const Placement forward = Place(actual, out_bound(labels.output_spatial[i]), window.stride,
                                      window.window_dilation, same);
      if (same) padding = forward.padding_low;
    } else {
      if (window.base_dilation != 1)
        return Misuse(inst, "a dynamic dimension must not have base dilation (lhs_dilate)");
      const Placement placement =
          Place(actual, window.size, window.window_dilation, window.stride, same);
      if (same) padding = placement.padding_low;
      sizes[static_cast<size_t>(labels.output_spatial[i])] = placement.output_size;
    }
    if (padding == nullptr) continue;
    moves = true;
    low[at] = padding;
    spread[at].interior = window.base_dilation - 1;
    // The extent that the windows of the result's bound read, and room for the move.
    const int64_t extent = (window.size - 1) * window.window_dilation + 1;
    const int64_t dilated = needed[at] == 0 ? 0 : (needed[at] - 1) * window.base_dilation + 1;
    const int64_t read = (out_bound(labels.output_spatial[i]) - 1) * window.stride + extent;
    needed[at] = std::max<int64_t>(read, dilated + extent);
    window.base_dilation = 1;
    window.padding_low = 0;
    window.padding_high = read - needed[at];
  }
  // A type without a zero is padded in f32.
  if (given.element_type() == F8E8M0FNU) input.array = b_.Convert(input.array, F32);
  HloInstruction* const zero = ZeroOf(input.shape().element_type());
  SizedArray kernel = operands[first + 1];
  // Features that are valid in only one operand are not summed.
  if (attributes.feature_group_count == 1) {
    HloInstruction* const own = input.size(labels.input_feature);
    existing[static_cast<size_t>(labels.input_feature)] = own;
    HloInstruction*& theirs = kernel.sizes[static_cast<size_t>(labels.kernel_input_feature)];
    if (own != nullptr) theirs = theirs == nullptr ? own : b_.Min(own, theirs);
  }
  input.array = MaskBy(input.array, ExistenceMask(given.dimensions(), existing), zero);
  if (moves) input.array = Moved(b_.Pad(input.array, zero, spread), needed, low, zero);
  kernel.array = MaskByZero(kernel.array, ExistenceMask(kernel));
  HloInstruction* const convolution = b_.Make(
      HloOpcode::kConvolution, Shape(inst.shape().element_type(), inst.shape().dimensions()),
      {input.array, kernel.array}, std::move(attributes));
  return std::vector<SizedArray>{WithSizes(inst.shape(), convolution, sizes)};
}

DynamicResolver::Results DynamicResolver::DynamicReduceWindow(const HloInstruction& inst,
                                                              SizedArrays operands) {
  XLA_RETURN_IF_ERROR(ExpectCall(inst, 2, 1));
  XLA_ASSIGN_OR_RETURN(std::vector<WindowDim> window, WindowOfCall(inst, HloOpcode::kReduceWindow));
  const SizedArray& x = operands[0];
  HloInstruction* const init = operands[1].array;
  const Shape& given = inst.operand(0)->shape();
  Sizes sizes(static_cast<size_t>(x.rank()), nullptr), low = sizes;
  std::vector<int64_t> needed(given.dimensions().begin(), given.dimensions().end());
  for (int64_t d = 0; d < x.rank(); ++d) {
    const auto at = static_cast<size_t>(d);
    if (!given.is_dynamic_dimension(static_cast<int>(d))) continue;
    sizes[at] = SizeOf(x, d);
    WindowDim& dim = window[at];
    if (IsOneElement(dim)) continue;
    if (dim.base_dilation != 1)
      return Misuse(inst, "a dynamic dimension must not have base dilation (lhs_dilate)");
    const Placement placement = Place(sizes[at], dim.size, dim.window_dilation, dim.stride, true);
    sizes[at] = placement.output_size;
    low[at] = placement.padding_low;
    const int64_t extent = dim.size == 0 ? 0 : (dim.size - 1) * dim.window_dilation + 1;
    const int64_t read = (inst.shape().dimensions(static_cast<int>(d)) - 1) * dim.stride + extent;
    needed[at] = std::max(read, needed[at] + extent);
    dim.padding_low = 0;
    dim.padding_high = read - needed[at];
  }
  // Padding elements are ignored; they move with the others.
  const auto bounds = x.shape().dimensions();
  HloInstruction* mask = ExistenceMask(x);
  if (mask == nullptr) mask = b_.Splat(b_.Scalar(PRED, 1), bounds);
  SizedArray moved = {Moved(x.array, needed, low, init), {}};
  HloInstruction* const moved_mask = Moved(mask, needed, low, b_.Scalar(PRED, 0));
  const Reduction reduction =
      IgnoreMissing(inst, inst.to_apply(), {moved}, absl::MakeConstSpan(&init, 1), moved_mask);
  const Shape result(inst.shape().element_type(), inst.shape().dimensions());
  const WindowAttributes attributes = {.window = WindowDims{window}};
  HloComputation* called[] = {reduction.function};
  HloInstruction* value = b_.Make(
      HloOpcode::kReduceWindow,
      reduction.is_lifted ? ShapeUtil::MakeTupleShape({result, Shape(PRED, result.dimensions())})
                          : result,
      reduction.operands, attributes, called);
  if (reduction.is_lifted) value = b_.Element(value, 0);
  for (int64_t d = 0; d < inst.shape().rank(); ++d) {
    if (sizes[static_cast<size_t>(d)] != nullptr &&
        inst.shape().is_dynamic_dimension(static_cast<int>(d))) {
      sizes[static_cast<size_t>(d)] =
          CheckedSize(sizes[static_cast<size_t>(d)], inst.shape().dimensions(static_cast<int>(d)));
    }
  }
  return std::vector<SizedArray>{WithSizes(inst.shape(), value, sizes)};
}

DynamicResolver::Results DynamicResolver::DynamicSelectAndScatter(const HloInstruction& inst,
                                                                  SizedArrays operands) {
  XLA_RETURN_IF_ERROR(ExpectCall(inst, 3, 2));
  XLA_ASSIGN_OR_RETURN(const std::vector<WindowDim> window,
                       WindowOfCall(inst, HloOpcode::kSelectAndScatter));
  const SizedArray& x = operands[0];
  Sizes paddings(static_cast<size_t>(x.rank()), nullptr);
  for (int64_t d = 0; d < x.rank(); ++d) {
    const auto i = static_cast<int>(d);
    const WindowDim& dim = window[static_cast<size_t>(d)];
    if (IsOneElement(dim) || !inst.operand(0)->shape().is_dynamic_dimension(i) ||
        !inst.operand(1)->shape().is_dynamic_dimension(i)) {
      continue;
    }
    paddings[static_cast<size_t>(d)] =
        Place(SizeOf(x, d), dim.size, dim.window_dilation, dim.stride, true).padding_low;
  }
  return SelectAndScatter(inst, operands, window, paddings);
}

}  // namespace xla

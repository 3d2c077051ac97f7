// SPDX-License-Identifier: Apache-2.0
// Windows over arrays: reduce-window, select-and-scatter.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether `same` padding depends on a dynamic size, which a window cannot express.
bool DependsOnSizes(const Shape& shape, absl::Span<const int64_t> window_dimensions,
                    absl::Span<const int64_t> window_strides, Padding padding) {
  if (padding != Padding::kSame) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool trivial = window_dimensions[i] == 1 && window_strides[i] == 1;
    if (shape.is_dynamic_dimension(i) && !trivial) return true;
  }
  return false;
}

// The padding of a scheme for the operand.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> PaddingFor(
    const Shape& shape, absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides, Padding padding) {
  if (!shape.IsArray()) {
    return InvalidArgumentStrCat("Expected an array under the window, but got ",
                                 ShapeUtil::HumanString(shape), ".");
  }
  XLA_RETURN_IF_ERROR(ValidatePaddingValues(shape.dimensions(), window_dimensions, window_strides));
  return MakePadding(shape.dimensions(), window_dimensions, window_strides, padding);
}

}  // namespace

absl::StatusOr<XlaOp> XlaBuilder::State::AddDynamicWindow(
    const char* target, HloOpcode opcode, absl::Span<const XlaOp> operands,
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding,
    absl::Span<const XlaComputationRef> callees) {
  XLA_ASSIGN_OR_RETURN(WindowDims window,
                       MakeWindow(window_dimensions, window_strides, padding, {}, {}));
  XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, ShapesOf(operands));
  std::vector<ProgramShape> signatures;
  std::vector<const ProgramShape*> callee_shapes;
  for (const XlaComputationRef& callee : callees) {
    XLA_ASSIGN_OR_RETURN(ProgramShape signature, SignatureOf(callee));
    signatures.push_back(std::move(signature));
  }
  for (const ProgramShape& signature : signatures) callee_shapes.push_back(&signature);
  const Attributes inferred_from = WindowAttributes{.window = window};
  XLA_ASSIGN_OR_RETURN(const Shape result, InferShape({.opcode = opcode,
                                                       .operands = shapes,
                                                       .attributes = inferred_from,
                                                       .callees = callee_shapes}));
  CustomCallAttributes attributes;
  attributes.window = std::move(window);
  attributes.custom_call_target = target;
  return Add(HloOpcode::kCustomCall, operands, std::move(attributes), &result, callees);
}

XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  if (builder == nullptr) return XlaOp();
  return ReduceWindow(absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1),
                      computation, window_dimensions, window_strides, padding);
}

XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReduceWindow", [&]() -> absl::StatusOr<XlaOp> {
    if (operands.empty()) return InvalidArgument("ReduceWindow needs an operand.");
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operands[0]));
    XLA_ASSIGN_OR_RETURN(const auto edges,
                         PaddingFor(*shape, window_dimensions, window_strides, padding));
    if (!DependsOnSizes(*shape, window_dimensions, window_strides, padding)) {
      return ReduceWindowWithGeneralPadding(operands, init_values, computation, window_dimensions,
                                            window_strides, {}, {}, edges);
    }
    return builder->state().AddDynamicWindow("DynamicReduceWindowSamePadding",
                                             HloOpcode::kReduceWindow,
                                             Concatenated(operands, init_values), window_dimensions,
                                             window_strides, edges, {&computation, 1});
  });
}

XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  if (builder == nullptr) return XlaOp();
  return ReduceWindowWithGeneralPadding(
      absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1), computation,
      window_dimensions, window_strides, base_dilations, window_dilations, padding);
}

XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReduceWindowWithGeneralPadding", [&]() -> absl::StatusOr<XlaOp> {
    if (operands.size() != init_values.size()) {
      return InvalidArgument("ReduceWindow has %u operands and %u initial values.", operands.size(),
                             init_values.size());
    }
    XLA_ASSIGN_OR_RETURN(WindowDims window, MakeWindow(window_dimensions, window_strides, padding,
                                                       base_dilations, window_dilations));
    return builder->state().Add(HloOpcode::kReduceWindow, Concatenated(operands, init_values),
                                WindowAttributes{.window = std::move(window)}, nullptr,
                                {&computation, 1});
  });
}

XlaOp SelectAndScatter(XlaOp operand, XlaComputationRef select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationRef scatter) {
  XlaBuilder* builder = XlaBuilder::Of({operand, source, init_value});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SelectAndScatter", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    XLA_ASSIGN_OR_RETURN(const auto edges,
                         PaddingFor(*shape, window_dimensions, window_strides, padding));
    if (!DependsOnSizes(*shape, window_dimensions, window_strides, padding)) {
      return SelectAndScatterWithGeneralPadding(operand, select, window_dimensions, window_strides,
                                                edges, source, init_value, scatter);
    }
    return builder->state().AddDynamicWindow(
        "DynamicSelectAndScatterSamePadding", HloOpcode::kSelectAndScatter,
        {operand, source, init_value}, window_dimensions, window_strides, edges, {select, scatter});
  });
}

XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationRef select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value,
                                         XlaComputationRef scatter) {
  XlaBuilder* builder = XlaBuilder::Of({operand, source, init_value});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SelectAndScatterWithGeneralPadding", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(WindowDims window,
                         MakeWindow(window_dimensions, window_strides, padding, {}, {}));
    return builder->state().Add(HloOpcode::kSelectAndScatter, {operand, source, init_value},
                                WindowAttributes{.window = std::move(window)}, nullptr,
                                {select, scatter});
  });
}

}  // namespace xla

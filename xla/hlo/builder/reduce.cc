// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, maps, batch normalization.
#include <numeric>

#include "xla/hlo/builder/builder_state.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp Reduce(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  if (builder == nullptr) return XlaOp();
  return Reduce(builder, absl::MakeConstSpan(&operand, 1), absl::MakeConstSpan(&init_value, 1),
                computation, dimensions_to_reduce);
}

XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce) {
  return builder->Record("Reduce", [&]() -> absl::StatusOr<XlaOp> {
    if (operands.size() != init_values.size()) {
      return InvalidArgument("Reduce has %u operands and %u initial values.", operands.size(),
                             init_values.size());
    }
    return builder->state().Add(
        HloOpcode::kReduce, Concatenated(operands, init_values),
        DimensionListAttributes{.dimensions = ToInt64s(dimensions_to_reduce)}, nullptr,
        {&computation, 1});
  });
}

XlaOp ReduceAll(XlaOp operand, XlaOp init_value, XlaComputationRef computation) {
  XlaBuilder* builder = XlaBuilder::Of({operand, init_value});
  if (builder == nullptr) return XlaOp();
  return builder->Record("ReduceAll", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    Int64s all(shape->IsArray() ? shape->rank() : 0);
    std::iota(all.begin(), all.end(), 0);
    return Reduce(operand, init_value, computation, all);
  });
}

XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationRef computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size, bool is_reverse, TriState is_associative) {
  XlaBuilder* builder = XlaBuilder::Of(inputs.empty() ? inits : inputs);
  if (builder == nullptr) return XlaOp();
  return builder->Record("Scan", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const std::vector<const Shape*> shapes, builder->state().ShapesOf(inputs));
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Shape& shape = *shapes[i];
      if (!shape.IsArray() || scan_dimension < 0 || scan_dimension >= shape.rank()) {
        return InvalidArgumentStrCat("Scan dimension ", scan_dimension,
                                     " out of bounds for operand ", i, ", ",
                                     ShapeUtil::HumanString(shape), ".");
      }
      const int64_t size = shape.dimensions(static_cast<int>(scan_dimension));
      if (scan_dimension_size.has_value() && *scan_dimension_size != size) {
        return InvalidArgumentStrCat("Mismatching scan dimension sizes: ", *scan_dimension_size,
                                     " and that of operand ", i, ", ",
                                     ShapeUtil::HumanString(shape), ".");
      }
      scan_dimension_size = size;
    }
    if (!scan_dimension_size.has_value()) {
      return InvalidArgument(
          "Scan dimension size cannot be inferred when there are no inputs and "
          "scan_dimension_size is not provided.");
    }
    XLA_ASSIGN_OR_RETURN(const ProgramShape signature, builder->state().SignatureOf(computation));
    std::vector<Shape> results;
    if (signature.result().IsTuple()) {
      results = signature.result().tuple_shapes();
    } else {
      results.push_back(signature.result());
    }
    if (results.size() < inits.size()) {
      return InvalidArgument(
          "Scan computation must return at least %u elements (carries), but got %u.", inits.size(),
          results.size());
    }
    // Slices of outputs are stacked along the scan dimension; carries stay as they are.
    for (size_t i = 0; i < results.size() - inits.size(); ++i) {
      const Shape& slice = results[i];
      if (!slice.IsArray() || scan_dimension < 0 || scan_dimension > slice.rank()) {
        return InvalidArgumentStrCat("Scan along dimension ", scan_dimension, ": output ", i,
                                     " of the computation, ", ShapeUtil::HumanString(slice),
                                     ", cannot be stacked.");
      }
      Int64s sizes = ToInt64s(slice.dimensions());
      sizes.insert(sizes.begin() + scan_dimension, *scan_dimension_size);
      XLA_ASSIGN_OR_RETURN(results[i], ShapeUtil::MakeValidatedShape(slice.element_type(), sizes));
    }
    const Shape declared = ShapeUtil::MakeTupleShape(results);
    ScanAttributes attributes{.dimensions = {scan_dimension},
                              .num_carries = static_cast<int64_t>(inits.size()),
                              .is_reverse = is_reverse};
    if (is_associative == TRI_STATE_TRUE) attributes.is_associative = true;
    if (is_associative == TRI_STATE_FALSE) attributes.is_associative = false;
    return builder->state().Add(HloOpcode::kScan, Concatenated(inputs, inits),
                                std::move(attributes), &declared, {&computation, 1});
  });
}

XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationRef computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands) {
  return builder->Record("Map", [&]() -> absl::StatusOr<XlaOp> {
    if (!static_operands.empty()) {
      return Unimplemented("static_operands is not supported in Map");
    }
    return builder->state().Add(HloOpcode::kMap, operands,
                                MapAttributes{.dimensions = ToInt64s(dimensions)}, nullptr,
                                {&computation, 1});
  });
}

// --- Batch normalization

XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, offset});
  if (builder == nullptr) return XlaOp();
  return builder->Record("BatchNormTraining", [&] {
    return builder->state().Add(
        HloOpcode::kBatchNormTraining, {operand, scale, offset},
        BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
  });
}

XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, offset, mean, variance});
  if (builder == nullptr) return XlaOp();
  return builder->Record("BatchNormInference", [&] {
    return builder->state().Add(
        HloOpcode::kBatchNormInference, {operand, scale, offset, mean, variance},
        BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
  });
}

XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index) {
  XlaBuilder* builder = XlaBuilder::Of({operand, scale, batch_mean, batch_var, grad_output});
  if (builder == nullptr) return XlaOp();
  return builder->Record("BatchNormGrad", [&] {
    return builder->state().Add(
        HloOpcode::kBatchNormGrad, {operand, scale, batch_mean, batch_var, grad_output},
        BatchNormAttributes{.epsilon = epsilon, .feature_index = feature_index});
  });
}

}  // namespace xla

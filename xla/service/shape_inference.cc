// SPDX-License-Identifier: Apache-2.0
#include "xla/service/shape_inference.h"

#include <limits>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/hlo/shape_inference/binary_broadcast.h"
#include "xla/hlo/shape_inference/reshape_shape.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

using Result = ShapeInference::Result;
using Ints = ShapeInference::Ints;
using Shapes = ShapeInference::Shapes;

static Result Infer(HloOpcode opcode, Shapes operands, const Attributes& attributes,
                    std::initializer_list<const ProgramShape*> callees = {},
                    const Shape* declared = nullptr) {
  // Without the description of the operation that InferShape adds: users compare XLA's sentences.
  return shape_inference::ApplyRule({.opcode = opcode,
                                     .operands = operands,
                                     .attributes = attributes,
                                     .callees = callees,
                                     .declared = declared});
}

static Result Infer(HloOpcode opcode, std::initializer_list<const Shape*> operands,
                    const Attributes& attributes,
                    std::initializer_list<const ProgramShape*> callees = {},
                    const Shape* declared = nullptr) {
  return Infer(opcode, absl::MakeConstSpan(operands.begin(), operands.size()), attributes, callees,
               declared);
}

static Int64s List(Ints values) { return Int64s(values.begin(), values.end()); }

static std::vector<const Shape*> ShapesOf(absl::Span<const HloInstruction* const> instructions) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* instruction : instructions) shapes.push_back(&instruction->shape());
  return shapes;
}

// The usual result of a contraction, in the preferred type.
static Result Contraction(HloOpcode opcode, std::initializer_list<const Shape*> operands,
                          const Attributes& attributes,
                          std::optional<PrimitiveType> preferred_element_type) {
  XLA_ASSIGN_OR_RETURN(const Shape usual, Infer(opcode, operands, attributes));
  if (!preferred_element_type.has_value()) return usual;
  const Shape declared = ShapeUtil::ChangeElementType(usual, *preferred_element_type);
  return Infer(opcode, operands, attributes, {}, &declared);
}

// --- Elementwise

Result ShapeInference::InferUnaryOpShape(HloOpcode opcode, const Shape& shape) {
  return Infer(opcode, {&shape}, MakeDefaultAttributes(opcode));
}

Result ShapeInference::InferUnaryOpShape(HloOpcode opcode, const HloInstruction* operand) {
  return InferUnaryOpShape(opcode, operand->shape());
}

absl::StatusOr<std::optional<Shape>> ShapeInference::InferScalarBroadcastShape(
    absl::Span<const Shape> shapes) {
  std::optional<Shape> common;
  for (const Shape& shape : shapes) {
    if (ShapeUtil::IsScalar(shape)) continue;
    if (!common.has_value()) {
      common = shape;
    } else if (!ShapeUtil::SameDimensions(*common, shape)) {
      return std::optional<Shape>();
    }
  }
  return common;
}

Result ShapeInference::InferBinaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                          Ints broadcast_dimensions) {
  return xla::InferBinaryOpShape(opcode, lhs, rhs, broadcast_dimensions);
}

Result ShapeInference::InferBinaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                          const HloInstruction* rhs) {
  return InferBinaryOpShape(opcode, lhs->shape(), rhs->shape(), {});
}

Result ShapeInference::InferTernaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                           const Shape& ehs) {
  return xla::InferTernaryOpShape(opcode, lhs, rhs, ehs);
}

Result ShapeInference::InferTernaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                           const HloInstruction* rhs, const HloInstruction* ehs) {
  return InferTernaryOpShape(opcode, lhs->shape(), rhs->shape(), ehs->shape());
}

Result ShapeInference::InferVariadicOpShape(HloOpcode opcode, Shapes operand_shapes) {
  if (opcode == HloOpcode::kTuple) {
    return ShapeUtil::MakeTupleShapeWithPtrs(operand_shapes);
  }
  if (opcode == HloOpcode::kSort && operand_shapes.size() > 1) {
    for (size_t i = 1; i < operand_shapes.size(); ++i) {
      if (!ShapeUtil::SameDimensions(*operand_shapes[0], *operand_shapes[i])) {
        return InvalidArgument(
            "Sort keys and values dimensions must match. Keys shape is: %s\n, Values shape "
            "(operand index %d) is: %s",
            operand_shapes[0]->ToString(), i, operand_shapes[i]->ToString());
      }
    }
    return ShapeUtil::MakeTupleShapeWithPtrs(operand_shapes);
  }
  if (opcode == HloOpcode::kSort) return *operand_shapes[0];
  return Infer(opcode, operand_shapes, MakeDefaultAttributes(opcode));
}

Result ShapeInference::InferVariadicOpShape(HloOpcode opcode,
                                            absl::Span<const HloInstruction* const> operands) {
  return InferVariadicOpShape(opcode, ShapesOf(operands));
}

Result ShapeInference::InferConvertShape(const Shape& operand, PrimitiveType new_element_type) {
  const Shape declared = ShapeUtil::ChangeElementType(operand, new_element_type);
  return Infer(HloOpcode::kConvert, {&operand}, NoAttributes{}, {}, &declared);
}

Result ShapeInference::InferBitcastConvertShape(const Shape& operand,
                                                PrimitiveType new_element_type) {
  if (!operand.IsArray() || !primitive_util::IsArrayType(new_element_type)) {
    return InvalidArgument(
        "Bitcast convert does not allow non-arrays, so cannot convert from %s "
        "to %s.",
        operand.ToString(), PrimitiveType_Name(new_element_type));
  }
  Shape declared = operand;
  const int old_bits = primitive_util::StorageBitWidth(operand.element_type());
  const int new_bits = primitive_util::StorageBitWidth(new_element_type);
  if (primitive_util::IsComplexType(operand.element_type()) !=
      primitive_util::IsComplexType(new_element_type)) {
    return InvalidArgument("Conversion between complex and real type %s => %s.", operand.ToString(),
                           PrimitiveType_Name(new_element_type));
  }
  if (old_bits > new_bits) {
    ShapeUtil::AppendMinorDimension(old_bits / new_bits, &declared);
  } else if (old_bits < new_bits) {
    const int64_t ratio = new_bits / old_bits;
    if (operand.rank() == 0 || operand.dimensions(static_cast<int>(operand.rank()) - 1) != ratio) {
      return InvalidArgument(
          "Last dimension of input shape=%d is not equal to ratio of bit-widths=%d",
          operand.rank() == 0 ? -1 : operand.dimensions().back(), ratio);
    }
    declared.DeleteDimension(operand.rank() - 1);
  }
  declared.set_element_type(new_element_type);
  return Infer(HloOpcode::kBitcastConvert, {&operand}, NoAttributes{}, {}, &declared);
}

Result ShapeInference::InferStochasticConvertShape(const Shape& operand, const Shape& random,
                                                   PrimitiveType new_element_type) {
  const Shape declared = ShapeUtil::ChangeElementType(operand, new_element_type);
  return Infer(HloOpcode::kStochasticConvert, {&operand, &random}, NoAttributes{}, {}, &declared);
}

Result ShapeInference::InferReducePrecisionShape(const Shape& operand, int exponent_bits,
                                                 int mantissa_bits) {
  return Infer(
      HloOpcode::kReducePrecision, {&operand},
      ReducePrecisionAttributes{.exponent_bits = exponent_bits, .mantissa_bits = mantissa_bits});
}

Result ShapeInference::InferMapShape(Shapes arg_shapes, const ProgramShape& to_apply,
                                     Ints dimensions) {
  return Infer(HloOpcode::kMap, arg_shapes, MapAttributes{.dimensions = List(dimensions)},
               {&to_apply});
}

// --- Arrays

Result ShapeInference::InferReverseShape(const Shape& operand, Ints dimensions) {
  return Infer(HloOpcode::kReverse, {&operand},
               DimensionListAttributes{.dimensions = List(dimensions)});
}

Result ShapeInference::InferSliceShape(const Shape& operand, Ints starts, Ints limits,
                                       Ints strides) {
  if (starts.size() != limits.size()) {
    return InvalidArgument("slice start and limit sizes differ: %d vs %d", starts.size(),
                           limits.size());
  }
  if (starts.size() != strides.size()) {
    return InvalidArgument("slice start and strides sizes differ: %d vs %d", starts.size(),
                           strides.size());
  }
  SliceAttributes attributes;
  for (size_t d = 0; d < starts.size(); ++d) {
    attributes.slice.push_back({starts[d], limits[d], strides[d]});
  }
  return Infer(HloOpcode::kSlice, {&operand}, std::move(attributes));
}

Result ShapeInference::InferDynamicSliceShape(const Shape& operand,
                                              absl::Span<const Shape> start_index_shapes,
                                              Ints slice_sizes, bool) {
  std::vector<const Shape*> shapes = {&operand};
  for (const Shape& shape : start_index_shapes) shapes.push_back(&shape);
  return Infer(HloOpcode::kDynamicSlice, shapes,
               DynamicSliceAttributes{.dynamic_slice_sizes = List(slice_sizes)});
}

Result ShapeInference::InferDynamicUpdateSliceShape(const Shape& operand, const Shape& update,
                                                    absl::Span<const Shape> start_index_shapes,
                                                    bool) {
  std::vector<const Shape*> shapes = {&operand, &update};
  for (const Shape& shape : start_index_shapes) shapes.push_back(&shape);
  return Infer(HloOpcode::kDynamicUpdateSlice, shapes, NoAttributes{});
}

Result ShapeInference::InferBroadcastShape(const Shape& operand, Ints broadcast_sizes) {
  if (!operand.IsArray()) {
    return InvalidArgument("Expected array argument for operand of broadcast, but got %s.",
                           operand.ToString());
  }
  if (operand.is_unbounded_dynamic()) {
    return InvalidArgument("Broadcast requires !operand.is_unbounded_dynamic(); operand is %s.",
                           operand.ToString());
  }
  for (const int64_t size : broadcast_sizes) {
    if (size == Shape::kUnboundedSize) {
      return absl::InvalidArgumentError("Non-broadcast dimensions must not be dynamic.");
    }
    if (size < 0) {
      return InvalidArgument("Broadcast with negative dimension size %d.", size);
    }
  }
  std::vector<int64_t> sizes(broadcast_sizes.begin(), broadcast_sizes.end());
  std::vector<bool> dynamic(sizes.size(), false);
  for (int d = 0; d < operand.rank(); ++d) {
    sizes.push_back(operand.dimensions(d));
    dynamic.push_back(operand.is_dynamic_dimension(d));
  }
  return ShapeUtil::MakeValidatedShape(operand.element_type(), sizes, dynamic);
}

Result ShapeInference::InferBroadcastShape(const Shape& operand, const Shape& output,
                                           Ints broadcast_dimensions) {
  if (output.is_unbounded_dynamic()) {
    return InvalidArgument(
        "Broadcast requires !output_shape.is_unbounded_dynamic(); output_shape is %s.",
        output.ToString());
  }
  return Infer(HloOpcode::kBroadcast, {&operand},
               DimensionListAttributes{.dimensions = List(broadcast_dimensions)}, {}, &output);
}

Result ShapeInference::InferReshapeShape(const Shape& operand, Ints dimensions,
                                         int64_t inferred_dimension) {
  return xla::InferReshapeShape(operand, dimensions, inferred_dimension);
}

Result ShapeInference::InferTransposeShape(const Shape& operand, Ints dimensions) {
  return Infer(HloOpcode::kTranspose, {&operand},
               DimensionListAttributes{.dimensions = List(dimensions)});
}

Result ShapeInference::InferConcatOpShape(Shapes arg_shapes, int64_t dimension) {
  return Infer(HloOpcode::kConcatenate, arg_shapes,
               DimensionListAttributes{.dimensions = {dimension}});
}

Result ShapeInference::InferPadShape(const Shape& operand, const Shape& padding_value,
                                     const PaddingConfig& padding_config) {
  PadAttributes attributes;
  for (const auto& dim : padding_config.dimensions()) {
    attributes.padding.push_back(
        {dim.edge_padding_low(), dim.edge_padding_high(), dim.interior_padding()});
  }
  return Infer(HloOpcode::kPad, {&operand, &padding_value}, std::move(attributes));
}

Result ShapeInference::InferGetDimensionSizeShape(const Shape& shape, int64_t dimension) {
  return Infer(HloOpcode::kGetDimensionSize, {&shape},
               OneDimensionAttributes{.dimensions = {dimension}});
}

Result ShapeInference::InferSetDimensionSizeShape(const Shape& operand, const Shape& value,
                                                  int64_t dimension) {
  return Infer(HloOpcode::kSetDimensionSize, {&operand, &value},
               OneDimensionAttributes{.dimensions = {dimension}});
}

Result ShapeInference::InferTopKShape(const Shape& operand, int64_t k) {
  return Infer(HloOpcode::kTopK, {&operand}, TopKAttributes{.k = k});
}

Result ShapeInference::InferGatherShape(const Shape& input, const Shape& start_indices,
                                        const GatherDimensionNumbers& numbers, Ints slice_sizes) {
  GatherAttributes attributes;
  attributes.offset_dims = proto::ToInt64s(numbers.offset_dims());
  attributes.collapsed_slice_dims = proto::ToInt64s(numbers.collapsed_slice_dims());
  attributes.start_index_map = proto::ToInt64s(numbers.start_index_map());
  attributes.operand_batching_dims = proto::ToInt64s(numbers.operand_batching_dims());
  attributes.start_indices_batching_dims = proto::ToInt64s(numbers.start_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
  attributes.slice_sizes = List(slice_sizes);
  return Infer(HloOpcode::kGather, {&input, &start_indices}, std::move(attributes));
}

Result ShapeInference::InferScatterShape(Shapes arg_shapes, const ProgramShape& to_apply,
                                         const ScatterDimensionNumbers& numbers) {
  ScatterAttributes attributes;
  attributes.update_window_dims = proto::ToInt64s(numbers.update_window_dims());
  attributes.inserted_window_dims = proto::ToInt64s(numbers.inserted_window_dims());
  attributes.scatter_dims_to_operand_dims = proto::ToInt64s(numbers.scatter_dims_to_operand_dims());
  attributes.input_batching_dims = proto::ToInt64s(numbers.input_batching_dims());
  attributes.scatter_indices_batching_dims =
      proto::ToInt64s(numbers.scatter_indices_batching_dims());
  attributes.index_vector_dim = numbers.index_vector_dim();
  return Infer(HloOpcode::kScatter, arg_shapes, std::move(attributes), {&to_apply});
}

// --- Reductions and windows

Result ShapeInference::InferReduceShape(Shapes arg_shapes, Ints dimensions_to_reduce,
                                        const ProgramShape& to_apply) {
  return Infer(HloOpcode::kReduce, arg_shapes,
               DimensionListAttributes{.dimensions = List(dimensions_to_reduce)}, {&to_apply});
}

// A computation that fits: (T, T) -> T of the initial values.
static ProgramShape FittingReducer(Shapes init_values) {
  ProgramShape reducer;
  for (int i = 0; i < 2; ++i) {
    for (const Shape* shape : init_values) reducer.AddParameter(*shape, "");
  }
  *reducer.mutable_result() =
      init_values.size() == 1 ? *init_values[0] : ShapeUtil::MakeTupleShapeWithPtrs(init_values);
  return reducer;
}

Result ShapeInference::InferReduceWindowShape(const Shape& operand, const Shape& init_value,
                                              const Window& window, const ProgramShape& to_apply) {
  return Infer(HloOpcode::kReduceWindow, {&operand, &init_value},
               WindowAttributes{.window = proto::ReadWindow(window)}, {&to_apply});
}

Result ShapeInference::InferReduceWindowShape(const Shape& operand, const Shape& init_value,
                                              const Window& window) {
  return InferReduceWindowShape(operand, init_value, window, FittingReducer({&init_value}));
}

Result ShapeInference::InferReduceWindowShape(Shapes operands, Shapes init_values,
                                              const Window& window, const ProgramShape& to_apply) {
  std::vector<const Shape*> shapes(operands.begin(), operands.end());
  shapes.insert(shapes.end(), init_values.begin(), init_values.end());
  return Infer(HloOpcode::kReduceWindow, shapes,
               WindowAttributes{.window = proto::ReadWindow(window)}, {&to_apply});
}

Result ShapeInference::InferReduceWindowShape(absl::Span<const Shape*> operands,
                                              absl::Span<const Shape*> init_values,
                                              const Window& window) {
  return InferReduceWindowShape(operands, init_values, window, FittingReducer(init_values));
}

Result ShapeInference::InferSelectAndScatterShape(const Shape& operand, const ProgramShape& select,
                                                  const Window& window, const Shape& source,
                                                  const Shape& init_value,
                                                  const ProgramShape& scatter) {
  return Infer(HloOpcode::kSelectAndScatter, {&operand, &source, &init_value},
               WindowAttributes{.window = proto::ReadWindow(window)}, {&select, &scatter});
}

absl::StatusOr<Window> ShapeInference::InferWindowFromDimensions(
    Ints window_dimensions, Ints window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, Ints lhs_dilation, Ints rhs_dilation,
    std::optional<std::vector<bool>> window_reversal) {
  const auto check = [&](size_t count, const char* name) -> absl::Status {
    if (count == 0 || count == window_dimensions.size()) return absl::OkStatus();
    return InvalidArgument(
        "Window has different number of window dimensions than of %s\nNumber of window dimensions: "
        "%d\nNumber of %s: %d.",
        name, window_dimensions.size(), name, count);
  };
  XLA_RETURN_IF_ERROR(check(window_strides.size(), "window strides"));
  XLA_RETURN_IF_ERROR(check(padding.size(), "padding entries"));
  XLA_RETURN_IF_ERROR(check(lhs_dilation.size(), "lhs dilation factors"));
  XLA_RETURN_IF_ERROR(check(rhs_dilation.size(), "rhs dilation factors"));
  XLA_RETURN_IF_ERROR(
      check(window_reversal.has_value() ? window_reversal->size() : 0, "window reversal"));
  Window window;
  for (size_t i = 0; i < window_dimensions.size(); ++i) {
    WindowDimension* dim = window.add_dimensions();
    dim->set_size(window_dimensions[i]);
    dim->set_stride(window_strides.empty() ? 1 : window_strides[i]);
    dim->set_padding_low(padding.empty() ? 0 : padding[i].first);
    dim->set_padding_high(padding.empty() ? 0 : padding[i].second);
    dim->set_base_dilation(lhs_dilation.empty() ? 1 : lhs_dilation[i]);
    dim->set_window_dilation(rhs_dilation.empty() ? 1 : rhs_dilation[i]);
    dim->set_window_reversal(window_reversal.has_value() && !window_reversal->empty() &&
                             (*window_reversal)[i]);
  }
  return window;
}

Result ShapeInference::InferBatchNormTrainingShape(const Shape& operand, const Shape& scale,
                                                   const Shape& offset, int64_t feature_index) {
  return Infer(HloOpcode::kBatchNormTraining, {&operand, &scale, &offset},
               BatchNormAttributes{.feature_index = feature_index});
}

Result ShapeInference::InferBatchNormInferenceShape(const Shape& operand, const Shape& scale,
                                                    const Shape& offset, const Shape& mean,
                                                    const Shape& variance, int64_t feature_index) {
  return Infer(HloOpcode::kBatchNormInference, {&operand, &scale, &offset, &mean, &variance},
               BatchNormAttributes{.feature_index = feature_index});
}

Result ShapeInference::InferBatchNormGradShape(const Shape& operand, const Shape& scale,
                                               const Shape& mean, const Shape& var,
                                               const Shape& output_grad, int64_t feature_index) {
  return Infer(HloOpcode::kBatchNormGrad, {&operand, &scale, &mean, &var, &output_grad},
               BatchNormAttributes{.feature_index = feature_index});
}

// --- Contractions and linear algebra

static DotAttributes ToDotAttributes(const DotDimensionNumbers& numbers) {
  DotAttributes attributes;
  attributes.lhs_batch_dims = proto::ToInt64s(numbers.lhs_batch_dimensions());
  attributes.lhs_contracting_dims = proto::ToInt64s(numbers.lhs_contracting_dimensions());
  attributes.rhs_batch_dims = proto::ToInt64s(numbers.rhs_batch_dimensions());
  attributes.rhs_contracting_dims = proto::ToInt64s(numbers.rhs_contracting_dimensions());
  return attributes;
}

Result ShapeInference::InferDotOpShape(const Shape& lhs, const Shape& rhs,
                                       const DotDimensionNumbers& numbers,
                                       std::optional<PrimitiveType> preferred_element_type) {
  return Contraction(HloOpcode::kDot, {&lhs, &rhs}, ToDotAttributes(numbers),
                     preferred_element_type);
}

Result ShapeInference::InferRaggedDotOpShape(const Shape& lhs, const Shape& rhs,
                                             const Shape& group_sizes,
                                             const RaggedDotDimensionNumbers& numbers,
                                             std::optional<PrimitiveType> preferred_element_type) {
  const DotAttributes dot = ToDotAttributes(numbers.dot_dimension_numbers());
  RaggedDotAttributes attributes;
  attributes.lhs_batch_dims = dot.lhs_batch_dims;
  attributes.lhs_contracting_dims = dot.lhs_contracting_dims;
  attributes.rhs_batch_dims = dot.rhs_batch_dims;
  attributes.rhs_contracting_dims = dot.rhs_contracting_dims;
  attributes.lhs_ragged_dims = proto::ToInt64s(numbers.lhs_ragged_dimensions());
  attributes.rhs_group_dims = proto::ToInt64s(numbers.rhs_group_dimensions());
  return Contraction(HloOpcode::kRaggedDot, {&lhs, &rhs, &group_sizes}, std::move(attributes),
                     preferred_element_type);
}

Result ShapeInference::InferConvolveShape(const Shape& lhs, const Shape& rhs,
                                          int64_t feature_group_count, int64_t batch_group_count,
                                          const Window& window,
                                          const ConvolutionDimensionNumbers& numbers,
                                          const SparsityConfig& sparsity,
                                          std::optional<PrimitiveType> preferred_element_type) {
  ConvolutionAttributes attributes;
  attributes.window = proto::ReadWindow(window);
  XLA_ASSIGN_OR_RETURN(attributes.dim_labels, proto::ReadConvDims(numbers));
  attributes.feature_group_count = feature_group_count;
  attributes.batch_group_count = batch_group_count;
  attributes.sparsity = proto::ReadSparsity(sparsity);
  return Contraction(HloOpcode::kConvolution, {&lhs, &rhs}, std::move(attributes),
                     preferred_element_type);
}

Result ShapeInference::InferFftShape(const Shape& in, FftType fft_type, Ints fft_length) {
  return Infer(HloOpcode::kFft, {&in},
               FftAttributes{.fft_type = fft_type, .fft_length = List(fft_length)});
}

Result ShapeInference::InferTriangularSolveShape(const Shape& a, const Shape& b,
                                                 const TriangularSolveOptions& options) {
  return Infer(HloOpcode::kTriangularSolve, {&a, &b},
               TriangularSolveAttributes{.left_side = options.left_side(),
                                         .lower = options.lower(),
                                         .unit_diagonal = options.unit_diagonal(),
                                         .transpose_a = options.transpose_a()});
}

Result ShapeInference::InferCholeskyShape(const Shape& a) {
  return Infer(HloOpcode::kCholesky, {&a}, CholeskyAttributes{});
}

// --- Across devices

// The operand's shape with dimension `along` multiplied or divided; a tuple for several operands.
static Result ScaledShapes(Shapes operands, int64_t along, int64_t shard_count, bool divide) {
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) {
    if (!operand->IsArray() || along < 0 || along >= operand->rank() || shard_count < 1) {
      return InvalidArgument("Dimension %d of %s cannot be divided by %d shards.", along,
                             operand->ToString(), shard_count);
    }
    const int d = static_cast<int>(along);
    Shape shape = *operand;
    const int64_t size = shape.dimensions(d);
    if (size != Shape::kUnboundedSize) {
      if (divide && size % shard_count != 0) {
        return InvalidArgument(
            "ReduceScatter operand scatter dimension size %d must be dividable by shard_count %d.",
            size, shard_count);
      }
      shape.set_dimensions(d, divide ? size / shard_count : size * shard_count,
                           shape.is_dynamic_dimension(d));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes);
}

static Result SameShapes(Shapes operands) {
  return operands.size() == 1 ? *operands[0] : ShapeUtil::MakeTupleShapeWithPtrs(operands);
}

Result ShapeInference::InferAllGatherShape(Shapes operand_shapes, int64_t all_gather_dimension,
                                           int64_t shard_count) {
  return ScaledShapes(operand_shapes, all_gather_dimension, shard_count, /*divide=*/false);
}

Result ShapeInference::InferAllGatherStartShape(Shapes operand_shapes, int64_t all_gather_dimension,
                                                int64_t shard_count) {
  XLA_ASSIGN_OR_RETURN(const Shape gathered,
                       InferAllGatherShape(operand_shapes, all_gather_dimension, shard_count));
  XLA_ASSIGN_OR_RETURN(const Shape operands, SameShapes(operand_shapes));
  return ShapeUtil::MakeTupleShape({operands, gathered});
}

Result ShapeInference::InferAllGatherDoneShape(const Shape& all_gather_start_shape) {
  return Infer(HloOpcode::kAllGatherDone, {&all_gather_start_shape}, NoAttributes{});
}

Result ShapeInference::InferAllReduceShape(Shapes operand_shapes) {
  for (const Shape* shape : operand_shapes) {
    if (!shape->IsArray()) {
      return InvalidArgument("Expected array argument for operand of CrossReplicaSum, but got %s.",
                             shape->ToString());
    }
  }
  return SameShapes(operand_shapes);
}

Result ShapeInference::InferReduceScatterShape(Shapes operand_shapes, int64_t scatter_dimension,
                                               int64_t shard_count) {
  return ScaledShapes(operand_shapes, scatter_dimension, shard_count, /*divide=*/true);
}

Result ShapeInference::InferAllReduceStartShape(Shapes operand_shapes) {
  return InferAllReduceShape(operand_shapes);
}

Result ShapeInference::InferAllReduceDoneShape(const Shape& operand_shape) { return operand_shape; }

Result ShapeInference::InferAllToAllShape(const Shape& shape, int64_t split_dimension,
                                          int64_t concat_dimension, int64_t split_count) {
  if (!shape.IsArray() || split_dimension < 0 || split_dimension >= shape.rank() ||
      concat_dimension < 0 || concat_dimension >= shape.rank()) {
    return InvalidArgument(
        "AllToAll split_dimension %d or concat_dimension %d is out-of-bounds in "
        "shape %s.",
        split_dimension, concat_dimension, shape.ToString());
  }
  if (shape.is_bounded_dynamic()) {
    return absl::InvalidArgumentError("AllToAll does not support bounded dynamic shapes");
  }
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  int64_t& split = sizes[split_dimension];
  if (split_count <= 0 || (split != Shape::kUnboundedSize && split % split_count != 0)) {
    return InvalidArgument("AllToAll split dimension size %d must be dividable by split_count %d.",
                           split, split_count);
  }
  if (split != Shape::kUnboundedSize) split /= split_count;
  int64_t& concat = sizes[concat_dimension];
  if (concat != Shape::kUnboundedSize) {
    if (concat > std::numeric_limits<int64_t>::max() / split_count) {
      return absl::InvalidArgumentError("AllToAll concat dimension overflow");
    }
    concat *= split_count;
  }
  std::vector<bool> dynamic;
  for (const int64_t size : sizes) dynamic.push_back(size == Shape::kUnboundedSize);
  return ShapeUtil::MakeValidatedShape(shape.element_type(), sizes, dynamic);
}

Result ShapeInference::InferAllToAllTupleShape(Shapes operand_shapes) {
  if (operand_shapes.empty()) {
    return absl::InvalidArgumentError("AllToAll needs at least one operand.");
  }
  for (size_t i = 0; i < operand_shapes.size(); ++i) {
    if (operand_shapes[i]->is_unbounded_dynamic()) {
      return absl::InvalidArgumentError("AllToAllTuple does not support unbounded dynamic shapes");
    }
    if (!Shape::Equal().IgnoreMemorySpaceInLayout()(*operand_shapes[0], *operand_shapes[i])) {
      return InvalidArgument(
          "HLO all-to-all has operands with different shapes: the 0th operand shape %s, but the "
          "%dth operand has shape %s.",
          operand_shapes[0]->ToString(true), i, operand_shapes[i]->ToString(true));
    }
  }
  return ShapeUtil::MakeTupleShapeWithPtrs(operand_shapes);
}

Result ShapeInference::InferRaggedAllToAllShape(Shapes operand_shapes) {
  return Infer(HloOpcode::kRaggedAllToAll, operand_shapes, CollectiveAttributes{});
}

Result ShapeInference::InferCollectiveBroadcastShape(Shapes operand_shapes) {
  return SameShapes(operand_shapes);
}

Result ShapeInference::InferCollectivePermuteShape(Shapes operand_shapes, bool inplace) {
  if (!inplace) return SameShapes(operand_shapes);
  return *operand_shapes[1];
}

Result ShapeInference::InferCollectivePermuteStartShape(Shapes operand_shapes,
                                                        absl::Span<const Shape> context_shapes,
                                                        bool inplace) {
  std::vector<Shape> shapes;
  if (inplace) {
    shapes = {*operand_shapes[0], *operand_shapes[1]};
  } else {
    XLA_ASSIGN_OR_RETURN(const Shape shape, SameShapes(operand_shapes));
    shapes = {shape, shape};
  }
  shapes.insert(shapes.end(), context_shapes.begin(), context_shapes.end());
  return ShapeUtil::MakeTupleShape(shapes);
}

Result ShapeInference::InferCollectivePermuteDoneShape(const Shape& operand_shape) {
  return Infer(HloOpcode::kCollectivePermuteDone, {&operand_shape}, NoAttributes{});
}

// --- Tuples and control

Result ShapeInference::InferGetTupleElementShape(const Shape& operand, int64_t index) {
  return Infer(HloOpcode::kGetTupleElement, {&operand}, TupleIndexAttributes{.index = index});
}

Result ShapeInference::InferWhileShape(const ProgramShape& condition, const ProgramShape& body,
                                       const Shape& init) {
  return Infer(HloOpcode::kWhile, {&init}, NoAttributes{}, {&body, &condition});
}

Result ShapeInference::InferConditionalShape(const Shape& branch_index,
                                             absl::Span<const ProgramShape> branch_computations,
                                             absl::Span<const Shape> branch_operands) {
  std::vector<const Shape*> operands = {&branch_index};
  for (const Shape& shape : branch_operands) operands.push_back(&shape);
  std::vector<const ProgramShape*> callees;
  for (const ProgramShape& branch : branch_computations) callees.push_back(&branch);
  return shape_inference::ApplyRule({.opcode = HloOpcode::kConditional,
                                     .operands = operands,
                                     .attributes = NoAttributes{},
                                     .callees = callees});
}

Result ShapeInference::InferCallShape(Shapes arg_shapes, const ProgramShape& to_apply) {
  return Infer(HloOpcode::kCall, arg_shapes, CallAttributes{}, {&to_apply});
}

}  // namespace xla

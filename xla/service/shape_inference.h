// SPDX-License-Identifier: Apache-2.0
// ShapeInference under XLA's include path and with its signatures: the result shape of each
// operation from operand shapes and attributes. xla/hlo/shape_inference holds the rules themselves.
#ifndef XLA_SERVICE_SHAPE_INFERENCE_H_
#define XLA_SERVICE_SHAPE_INFERENCE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"  // IWYU pragma: export
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Errors are InvalidArgument: operation, shapes, and the rule that is broken.
class ShapeInference {
 public:
  using Result = absl::StatusOr<Shape>;
  using Ints = absl::Span<const int64_t>;
  using Shapes = absl::Span<const Shape* const>;

  static Result InferUnaryOpShape(HloOpcode opcode, const Shape& shape);
  static Result InferUnaryOpShape(HloOpcode opcode, const HloInstruction* operand);
  // The common shape of operands of which some are scalars; nullopt if they have none.
  static absl::StatusOr<std::optional<Shape>> InferScalarBroadcastShape(
      absl::Span<const Shape> shapes);
  static Result InferBinaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                   Ints broadcast_dimensions);
  static Result InferBinaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                   const HloInstruction* rhs);
  static Result InferTernaryOpShape(HloOpcode opcode, const Shape& lhs, const Shape& rhs,
                                    const Shape& ehs);
  static Result InferTernaryOpShape(HloOpcode opcode, const HloInstruction* lhs,
                                    const HloInstruction* rhs, const HloInstruction* ehs);
  static Result InferVariadicOpShape(HloOpcode opcode, Shapes operand_shapes);
  static Result InferVariadicOpShape(HloOpcode opcode,
                                     absl::Span<const HloInstruction* const> operands);
  static Result InferMapShape(Shapes arg_shapes, const ProgramShape& to_apply, Ints dimensions);
  static Result InferBatchNormTrainingShape(const Shape& operand, const Shape& scale,
                                            const Shape& offset, int64_t feature_index);
  static Result InferBatchNormInferenceShape(const Shape& operand, const Shape& scale,
                                             const Shape& offset, const Shape& mean,
                                             const Shape& variance, int64_t feature_index);
  static Result InferBatchNormGradShape(const Shape& operand, const Shape& scale, const Shape& mean,
                                        const Shape& var, const Shape& output_grad,
                                        int64_t feature_index);
  static Result InferConvolveShape(const Shape& lhs, const Shape& rhs, int64_t feature_group_count,
                                   int64_t batch_group_count, const Window& window,
                                   const ConvolutionDimensionNumbers& numbers,
                                   const SparsityConfig& sparsity_config,
                                   std::optional<PrimitiveType> preferred_element_type);
  static Result InferFftShape(const Shape& in, FftType fft_type, Ints fft_length);
  static Result InferTriangularSolveShape(const Shape& a, const Shape& b,
                                          const TriangularSolveOptions& options);
  static Result InferCholeskyShape(const Shape& a);
  static Result InferAllGatherShape(Shapes operand_shapes, int64_t all_gather_dimension,
                                    int64_t shard_count);
  static Result InferAllGatherStartShape(Shapes operand_shapes, int64_t all_gather_dimension,
                                         int64_t shard_count);
  static Result InferAllGatherDoneShape(const Shape& all_gather_start_shape);
  static Result InferAllReduceShape(Shapes operand_shapes);
  static Result InferReduceScatterShape(Shapes operand_shapes, int64_t scatter_dimension,
                                        int64_t shard_count);
  static Result InferAllReduceStartShape(Shapes operand_shapes);
  static Result InferAllReduceDoneShape(const Shape& operand_shape);
  static Result InferAllToAllShape(const Shape& shape, int64_t split_dimension,
                                   int64_t concat_dimension, int64_t split_count);
  static Result InferAllToAllTupleShape(Shapes operand_shapes);
  static Result InferRaggedAllToAllShape(Shapes operand_shapes);
  static Result InferCollectiveBroadcastShape(Shapes operand_shapes);
  static Result InferCollectivePermuteShape(Shapes operand_shapes, bool inplace);
  static Result InferCollectivePermuteStartShape(Shapes operand_shapes,
                                                 absl::Span<const Shape> context_shapes,
                                                 bool inplace);
  static Result InferCollectivePermuteDoneShape(const Shape& operand_shape);
  static Result InferReduceShape(Shapes arg_shapes, Ints dimensions_to_reduce,
                                 const ProgramShape& to_apply);
  static Result InferReduceWindowShape(const Shape& operand, const Shape& init_value,
                                       const Window& window, const ProgramShape& to_apply);
  static Result InferReduceWindowShape(const Shape& operand, const Shape& init_value,
                                       const Window& window);
  static Result InferReduceWindowShape(Shapes operands, Shapes init_values, const Window& window,
                                       const ProgramShape& to_apply);
  static Result InferReduceWindowShape(absl::Span<const Shape*> operands,
                                       absl::Span<const Shape*> init_values, const Window& window);
  static Result InferSelectAndScatterShape(const Shape& operand, const ProgramShape& select,
                                           const Window& window, const Shape& source,
                                           const Shape& init_value, const ProgramShape& scatter);
  static Result InferReverseShape(const Shape& operand, Ints dimensions);
  static Result InferSliceShape(const Shape& operand, Ints starts, Ints limits, Ints strides);
  static Result InferDynamicSliceShape(const Shape& operand,
                                       absl::Span<const Shape> start_index_shapes, Ints slice_sizes,
                                       bool allow_scalar_indices = true);
  static Result InferDynamicUpdateSliceShape(const Shape& operand, const Shape& update,
                                             absl::Span<const Shape> start_index_shapes,
                                             bool allow_scalar_indices = true);
  static Result InferGetTupleElementShape(const Shape& operand, int64_t index);
  static Result InferWhileShape(const ProgramShape& condition, const ProgramShape& body,
                                const Shape& init);
  static Result InferConditionalShape(const Shape& branch_index,
                                      absl::Span<const ProgramShape> branch_computations,
                                      absl::Span<const Shape> branch_operands);
  static Result InferBroadcastShape(const Shape& operand, Ints broadcast_sizes);
  static Result InferBroadcastShape(const Shape& operand, const Shape& output,
                                    Ints broadcast_dimensions);
  static Result InferReshapeShape(const Shape& operand, Ints dimensions,
                                  int64_t inferred_dimension);
  static Result InferTransposeShape(const Shape& operand, Ints dimensions);
  static Result InferConcatOpShape(Shapes arg_shapes, int64_t dimension);
  static Result InferConvertShape(const Shape& operand, PrimitiveType new_element_type);
  static Result InferBitcastConvertShape(const Shape& operand, PrimitiveType new_element_type);
  static Result InferStochasticConvertShape(const Shape& operand, const Shape& random,
                                            PrimitiveType new_element_type);
  static Result InferReducePrecisionShape(const Shape& operand, int exponent_bits,
                                          int mantissa_bits);
  static Result InferPadShape(const Shape& operand, const Shape& padding_value,
                              const PaddingConfig& padding_config);
  static Result InferCallShape(Shapes arg_shapes, const ProgramShape& to_apply);
  static Result InferDotOpShape(const Shape& lhs, const Shape& rhs,
                                const DotDimensionNumbers& numbers,
                                std::optional<PrimitiveType> preferred_element_type);
  static Result InferRaggedDotOpShape(const Shape& lhs, const Shape& rhs, const Shape& group_sizes,
                                      const RaggedDotDimensionNumbers& numbers,
                                      std::optional<PrimitiveType> preferred_element_type);
  static Result InferGatherShape(const Shape& input, const Shape& start_indices,
                                 const GatherDimensionNumbers& numbers, Ints slice_sizes);
  static Result InferScatterShape(Shapes arg_shapes, const ProgramShape& to_apply,
                                  const ScatterDimensionNumbers& numbers);
  static Result InferGetDimensionSizeShape(const Shape& shape, int64_t dimension);
  static Result InferSetDimensionSizeShape(const Shape& operand, const Shape& value,
                                           int64_t dimension);
  static Result InferTopKShape(const Shape& operand, int64_t k);
  // A window from the lists of the builder's functions; empty lists are all defaults.
  static absl::StatusOr<Window> InferWindowFromDimensions(
      Ints window_dimensions, Ints window_strides,
      absl::Span<const std::pair<int64_t, int64_t>> padding, Ints lhs_dilation, Ints rhs_dilation,
      std::optional<std::vector<bool>> window_reversal = std::nullopt);
};

}  // namespace xla

#endif  // XLA_SERVICE_SHAPE_INFERENCE_H_

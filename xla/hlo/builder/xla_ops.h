// SPDX-License-Identifier: Apache-2.0
// Every operation as a free function. Part of xla_builder.h: include that.
//
// The builder is that of the first operand that has one. Without any, the result is uninitialised
// and whoever uses it gets the error. Each function ends in a parameter that callers leave out: the
// place of the call, for error messages. Members of XlaBuilder have the same names and arguments.
#ifndef XLA_HLO_BUILDER_XLA_OPS_H_
#define XLA_HLO_BUILDER_XLA_OPS_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// --- Parameters and constants
// The value passed to the program. Numbers go from 0 without gaps. `replicated_at_leaf_buffers`
// says of each leaf whether all replicas pass the same value.
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, CallSite site = CallSite::Current());
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers,
                CallSite site = CallSite::Current());
// An array of more than one element, all equal, becomes a broadcast scalar.
XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal,
                      CallSite site = CallSite::Current());
// Element values are indices along iota_dimension.
XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension,
           CallSite site = CallSite::Current());
XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size,
           CallSite site = CallSite::Current());

// --- Elementwise, one operand
XlaOp Abs(XlaOp operand, CallSite site = CallSite::Current());
// These have an opcode each; with `expand` they are made of simpler operations.
XlaOp Acos(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false, CallSite site = CallSite::Current());
XlaOp Acosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false, CallSite site = CallSite::Current());
XlaOp Asin(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false, CallSite site = CallSite::Current());
XlaOp Asinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false, CallSite site = CallSite::Current());
XlaOp Atanh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false, CallSite site = CallSite::Current());
XlaOp Cosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false, CallSite site = CallSite::Current());
XlaOp Sinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false, CallSite site = CallSite::Current());
XlaOp Cbrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           CallSite site = CallSite::Current());
XlaOp Ceil(XlaOp operand, CallSite site = CallSite::Current());
// Count of leading zero bits.
XlaOp Clz(XlaOp operand, CallSite site = CallSite::Current());
// Complex conjugate; for a real operand a complex number without imaginary part.
XlaOp Conj(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Copy(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Cos(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Erf(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Exp(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Expm1(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            CallSite site = CallSite::Current());
XlaOp Floor(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Imag(XlaOp operand, CallSite site = CallSite::Current());
// Neither infinite nor NaN; real floating-point operands.
XlaOp IsFinite(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Log(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Log1p(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            CallSite site = CallSite::Current());
XlaOp Logistic(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
               CallSite site = CallSite::Current());
XlaOp Neg(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Not(XlaOp operand, CallSite site = CallSite::Current());
XlaOp PopulationCount(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Real(XlaOp operand, CallSite site = CallSite::Current());
// To the nearest integer, halves away from zero.
XlaOp Round(XlaOp operand, CallSite site = CallSite::Current());
XlaOp RoundNearestAfz(XlaOp operand, CallSite site = CallSite::Current());
XlaOp RoundNearestEven(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Rsqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            CallSite site = CallSite::Current());
XlaOp Sign(XlaOp operand, CallSite site = CallSite::Current());
XlaOp Sin(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Sqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           CallSite site = CallSite::Current());
XlaOp Tan(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp Tanh(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           CallSite site = CallSite::Current());
// A complex operand loses its imaginary part if the new type is real.
XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type,
                         CallSite site = CallSite::Current());
// The same bits. Where the widths differ the last dimension appears or vanishes with their ratio.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type,
                         CallSite site = CallSite::Current());
// Rounds up with the probability that `random`, unsigned and as wide as the operand, makes.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                            CallSite site = CallSite::Current());
XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits,
                      CallSite site = CallSite::Current());

// --- Elementwise, two operands
// Operands have equal sizes, or one is a scalar, or `broadcast_dimensions` says to which dimension
// of the operand of higher rank each dimension of the other belongs; sizes of 1 stretch. See the
// broadcasting document (xla/docs/broadcasting.md).
XlaOp Add(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp And(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Atan2(XlaOp y, XlaOp x, absl::Span<const int64_t> broadcast_dimensions = {},
            CallSite site = CallSite::Current());
XlaOp Complex(XlaOp real, XlaOp imag, absl::Span<const int64_t> broadcast_dimensions = {},
              CallSite site = CallSite::Current());
XlaOp Div(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Max(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Min(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Mul(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
// The high half of the product of integers.
XlaOp Mulhi(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
            CallSite site = CallSite::Current());
XlaOp Or(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Pow(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Rem(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                CallSite site = CallSite::Current());
XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs,
                           absl::Span<const int64_t> broadcast_dimensions = {},
                           CallSite site = CallSite::Current());
XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                        CallSite site = CallSite::Current());
XlaOp Sub(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());
XlaOp Xor(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
          CallSite site = CallSite::Current());

// --- Comparisons
// With ..TotalOrder, floating-point numbers compare in their total order: -NaN < -Inf < .. < -0 <
// +0 < .. < Inf < NaN.
XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
         CallSite site = CallSite::Current());
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {},
                   CallSite site = CallSite::Current());
// Without a type, the usual one of the operands' element type.
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type,
              CallSite site = CallSite::Current());
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, CallSite site = CallSite::Current());
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction,
              CallSite site = CallSite::Current());

// --- Elementwise, three operands
// Scalars are broadcast where another operand is an array. Select of tuples becomes a conditional.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, CallSite site = CallSite::Current());
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, CallSite site = CallSite::Current());

// --- Broadcasting and reshaping
// New dimensions of broadcast_sizes before those of the operand.
XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes,
                CallSite site = CallSite::Current());
// Dimension i of the operand becomes broadcast_dimensions[i] of the result; sizes of 1 stretch.
XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions,
                     CallSite site = CallSite::Current());
// The elements in row-major order under other sizes.
XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
              CallSite site = CallSite::Current());
XlaOp Reshape(const Shape& shape, XlaOp operand, CallSite site = CallSite::Current());
// If there is a dynamic dimension in the result, it is inferred_dimension.
XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension, CallSite site = CallSite::Current());
// Sizes at run time, s32 scalars; dimension i is dynamic if dims_are_dynamic[i].
XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic,
                     CallSite site = CallSite::Current());
// These two become custom-calls that only StableHLO export understands.
XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape,
                         CallSite site = CallSite::Current());
XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape, CallSite site = CallSite::Current());
// Makes one dimension of consecutive ones: f32[2,3,4] collapsing {0,1} gives f32[6,4].
XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions,
               CallSite site = CallSite::Current());

// --- Moving and cutting
XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation,
                CallSite site = CallSite::Current());
XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions, CallSite site = CallSite::Current());
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config,
          CallSite site = CallSite::Current());
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi,
               CallSite site = CallSite::Current());
XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension,
                  CallSite site = CallSite::Current());
XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides,
            CallSite site = CallSite::Current());
// The other dimensions whole.
XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno, CallSite site = CallSite::Current());
// A scalar start index for each dimension, or one vector of them.
XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes, CallSite site = CallSite::Current());
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices,
                         CallSite site = CallSite::Current());
XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false,
             CallSite site = CallSite::Current());
XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, CallSite site = CallSite::Current());
XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false, CallSite site = CallSite::Current());

// --- Sizes at run time
// A constant if the dimension is static.
XlaOp GetDimensionSize(XlaOp operand, int64_t dimension, CallSite site = CallSite::Current());
XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension,
                       CallSite site = CallSite::Current());
// The whole array up to the bound.
XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension, CallSite site = CallSite::Current());

// --- Orders
// The comparator takes two scalars of each operand and returns a pred. Dimension -1 is the last. A
// tuple for more than one operand.
XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator, int64_t dimension = -1,
           bool is_stable = false, CallSite site = CallSite::Current());
// (values, s32 indices) of the k largest or smallest along the last dimension.
XlaOp TopK(XlaOp operand, int64_t k, bool largest, CallSite site = CallSite::Current());

// --- Reductions
XlaOp Reduce(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce, CallSite site = CallSite::Current());
XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce, CallSite site = CallSite::Current());
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                CallSite site = CallSite::Current());
// computation(slices of the inputs, carries) returns (slices of the outputs, new carries); the
// result is (outputs, final carries).
XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationRef computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TRI_STATE_UNSPECIFIED, CallSite site = CallSite::Current());
// A scalar computation for each element; `dimensions` are all, in order. static_operands must be
// empty.
XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationRef computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands = {},
          CallSite site = CallSite::Current());
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding,
                   CallSite site = CallSite::Current());
XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding,
                   CallSite site = CallSite::Current());
// Empty strides and dilations are all 1.
XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding,
                                     CallSite site = CallSite::Current());
XlaOp ReduceWindowWithGeneralPadding(
    absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
    XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
    absl::Span<const int64_t> window_strides, absl::Span<const int64_t> base_dilations,
    absl::Span<const int64_t> window_dilations,
    absl::Span<const std::pair<int64_t, int64_t>> padding, CallSite site = CallSite::Current());
XlaOp SelectAndScatter(XlaOp operand, XlaComputationRef select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationRef scatter,
                       CallSite site = CallSite::Current());
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationRef select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value, XlaComputationRef scatter,
                                         CallSite site = CallSite::Current());
// (normalized, mean, biased variance), the last two for each feature.
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index, CallSite site = CallSite::Current());
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index, CallSite site = CallSite::Current());
// (grad_operand, grad_scale, grad_offset).
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index,
                    CallSite site = CallSite::Current());

// --- Contractions
// Vector or matrix times vector or matrix.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config = nullptr,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt,
          CallSite site = CallSite::Current());
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config = nullptr,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                 CallSite site = CallSite::Current());
XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                CallSite site = CallSite::Current());
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                CallSite site = CallSite::Current());

// --- Convolutions
// Without dimension numbers the default order (CreateDefaultConvDimensionNumbers).
XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count = 1, int64_t batch_group_count = 1,
           const PrecisionConfig* precision_config = nullptr,
           std::optional<PrimitiveType> preferred_element_type = std::nullopt,
           CallSite site = CallSite::Current());
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             CallSite site = CallSite::Current());
XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                                const PrecisionConfig* precision_config = nullptr,
                                std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                                CallSite site = CallSite::Current());
XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers,
                  int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                  const PrecisionConfig* precision_config = nullptr,
                  std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                  CallSite site = CallSite::Current());
XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                         const PrecisionConfig* precision_config = nullptr,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         std::optional<std::vector<bool>> window_reversal = std::nullopt,
                         CallSite site = CallSite::Current());
// Convolutions whose padding depends on sizes at run time: custom-calls.
XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         CallSite site = CallSite::Current());
XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt,
    CallSite site = CallSite::Current());
XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt,
    CallSite site = CallSite::Current());

// --- Linear algebra
XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length,
          CallSite site = CallSite::Current());
// Solves op(a) x = b (left_side) or x op(a) = b for triangular matrices a.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a,
                      CallSite site = CallSite::Current());
XlaOp Cholesky(XlaOp a, bool lower, CallSite site = CallSite::Current());

// --- Random numbers
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, CallSite site = CallSite::Current());
// In [a, b).
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, CallSite site = CallSite::Current());
// (new state, random bits): the bits as unsigned integers as wide as the elements of `shape`.
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                      CallSite site = CallSite::Current());

// --- Tuples and control
XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements,
            CallSite site = CallSite::Current());
XlaOp GetTupleElement(XlaOp tuple_data, int64_t index, CallSite site = CallSite::Current());
XlaOp Call(XlaBuilder* builder, XlaComputationRef computation, absl::Span<const XlaOp> operands,
           CallSite site = CallSite::Current());
// A call that stands for the operation `name`; the computation is what it means. The attributes are
// the text of an MLIR dictionary, {} by default; the version is 0 by default.
XlaOp CompositeCall(XlaBuilder* builder, XlaComputationRef computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes = std::nullopt,
                    std::optional<int64_t> version = std::nullopt,
                    CallSite site = CallSite::Current());
XlaOp While(XlaComputationRef condition, XlaComputationRef body, XlaOp init,
            CallSite site = CallSite::Current());
// On a pred scalar, or on an s32 scalar: a number that is no branch takes the last.
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationRef true_computation,
                  XlaOp false_operand, XlaComputationRef false_computation,
                  CallSite site = CallSite::Current());
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands, CallSite site = CallSite::Current());
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands, CallSite site = CallSite::Current());
XlaOp OptimizationBarrier(XlaOp operand, CallSite site = CallSite::Current());

// --- Custom calls
// Names that begin with '$' are reserved. `opaque` is passed to the code as it is.
XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape,
                 const std::string& opaque = "", bool has_side_effect = false,
                 AliasingPairs output_operand_aliasing = {}, const Literal* literal = nullptr,
                 CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                 CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                 CallSite site = CallSite::Current());
XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                const Shape& shape, const std::string& opaque = "",
                                bool has_side_effect = false,
                                AliasingPairs output_operand_aliasing = {},
                                const Literal* literal = nullptr,
                                CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                                CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                                CallSite site = CallSite::Current());
// The code gets its operands and gives its result in these layouts.
XlaOp CustomCallWithComputationAndLayouts(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    XlaComputationRef computation, const Shape& shape,
    absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque = "",
    bool has_side_effect = false, AliasingPairs output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL, CallSite site = CallSite::Current());
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           AliasingPairs output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                           CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                           CallSite site = CallSite::Current());
// operand_shapes_with_layout may be empty: no layouts fixed.
XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              AliasingPairs output_operand_aliasing, const Literal* literal,
                              Window window, ConvolutionDimensionNumbers dnums,
                              CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                              CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                              CallSite site = CallSite::Current());

// --- Tokens and effects
XlaOp CreateToken(XlaBuilder* builder, CallSite site = CallSite::Current());
XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens,
               CallSite site = CallSite::Current());
// Without tokens, infeeds run in the order in which they are made; so do outfeeds. Shapes must have
// layouts.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config = "",
             CallSite site = CallSite::Current());
// (data, token).
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config = "",
                      CallSite site = CallSite::Current());
void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config,
             CallSite site = CallSite::Current());
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config, CallSite site = CallSite::Current());
// Between devices; the handle of type DEVICE_TO_DEVICE pairs a send with its receive.
void Send(XlaOp operand, const ChannelHandle& handle, CallSite site = CallSite::Current());
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle,
                    CallSite site = CallSite::Current());
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle,
           CallSite site = CallSite::Current());
// (data, token).
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                    CallSite site = CallSite::Current());
// With the host; arrays only. Handle types DEVICE_TO_HOST and HOST_TO_DEVICE.
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, CallSite site = CallSite::Current());
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                   CallSite site = CallSite::Current());

// --- Across replicas and partitions
// Empty groups are one group of all devices. A tuple operand gives the tuple form.
XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Layout>& layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt,
                CallSite site = CallSite::Current());
XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Layout>& layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt,
                              CallSite site = CallSite::Current());
XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Layout>& layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt,
                     CallSite site = CallSite::Current());
XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count, const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt,
                                   CallSite site = CallSite::Current());
XlaOp AllReduce(XlaOp operand, XlaComputationRef computation,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Shape>& shape_with_layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt,
                CallSite site = CallSite::Current());
XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationRef computation,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Shape>& shape_with_layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt,
                              CallSite site = CallSite::Current());
XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Shape>& shape_with_layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt,
                     CallSite site = CallSite::Current());
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& shape_with_layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt,
                                   CallSite site = CallSite::Current());
// An all-reduce with add, or with or for pred.
XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups = {},
                      CallSite site = CallSite::Current());
XlaOp ReduceScatter(XlaOp operand, XlaComputationRef computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    const std::optional<Layout>& layout = std::nullopt,
                    std::optional<bool> use_global_device_ids = std::nullopt,
                    CallSite site = CallSite::Current());
XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationRef computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  std::optional<bool> use_global_device_ids = std::nullopt,
                                  CallSite site = CallSite::Current());
// The array form; with a layout, slices, the tuple form and a concatenation.
XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
               const std::optional<Layout>& layout = std::nullopt,
               const std::optional<ChannelHandle>& channel_id = std::nullopt,
               CallSite site = CallSite::Current());
XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceList& replica_groups,
                             const std::optional<Layout>& layout = std::nullopt,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt,
                             CallSite site = CallSite::Current());
XlaOp AllToAllTuple(absl::Span<const XlaOp> operands,
                    absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    CallSite site = CallSite::Current());
XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  CallSite site = CallSite::Current());
XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    CallSite site = CallSite::Current());
XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count, const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  CallSite site = CallSite::Current());
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     CallSite site = CallSite::Current());
XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   CallSite site = CallSite::Current());
XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt,
                          CallSite site = CallSite::Current());
XlaOp CollectiveBroadcastWithDeviceList(
    XlaOp operand, const CollectiveDeviceList& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt,
    CallSite site = CallSite::Current());
// has_dynamic_root, a root that the last operand tells at run time, is an error: neither HLO text
// nor the proto can say it.
XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt,
                          bool has_dynamic_root = false, CallSite site = CallSite::Current());
XlaOp CollectiveBroadcastWithDeviceList(
    absl::Span<const XlaOp> operands, const CollectiveDeviceList& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt, bool has_dynamic_root = false,
    CallSite site = CallSite::Current());
XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id = std::nullopt,
                        CallSite site = CallSite::Current());
XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt,
                             CallSite site = CallSite::Current());
XlaOp ReplicaId(XlaBuilder* builder, CallSite site = CallSite::Current());
XlaOp PartitionId(XlaBuilder* builder, CallSite site = CallSite::Current());

// Of three operands and more.
inline XlaOp And(XlaOp op1, XlaOp op2, XlaOp op3) { return And(op1, And(op2, op3)); }
template <typename... XlaOps>
XlaOp And(XlaOp op1, XlaOp op2, XlaOp op3, const XlaOps&... operands) {
  return And(op1, And(op2, And(op3, operands...)));
}
inline XlaOp Or(XlaOp op1, XlaOp op2, XlaOp op3) { return Or(op1, Or(op2, op3)); }
template <typename... XlaOps>
XlaOp Or(XlaOp op1, XlaOp op2, XlaOp op3, const XlaOps&... operands) {
  return Or(op1, Or(op2, Or(op3, operands...)));
}

// Between programs that the partitioner cuts and parts that are written for one shard: the value
// with full sizes to that with the sizes of a shard, and back. single_dim is the dimension that is
// cut by hand, or -1 for all.
absl::StatusOr<XlaOp> ConvertSpmdFullToShardShape(XlaBuilder* builder, XlaOp input, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);
absl::StatusOr<XlaOp> ConvertSpmdShardToFullShape(XlaBuilder* builder, XlaOp input,
                                                  const Shape& output_shape, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_OPS_H_

// SPDX-License-Identifier: Apache-2.0
// Every operation as a free function. Part of xla_builder.h: include that.
//
// The builder is that of the first operand that has one. If no operand has one, the result is
// uninitialized, and using it is an error.
#ifndef XLA_HLO_BUILDER_XLA_OPS_H_
#define XLA_HLO_BUILDER_XLA_OPS_H_

#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {

// --- Parameters and constants

// A value passed to the program. Numbers start at 0 and have no gaps.
// `replicated_at_leaf_buffers` tells for each leaf whether all replicas pass the same value.
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name);
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers);
// An array of more than one element, all equal, becomes a broadcast scalar.
XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal);
// Element values are indices along iota_dimension.
XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension);
XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size);

// --- Elementwise, one operand
inline XlaOp Abs(XlaOp operand) { return XlaBuilder::UnaryOp("Abs", HloOpcode::kAbs, operand); }
// Each of these has an opcode; with `expand` they are composed of simpler operations.
XlaOp Acos(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false);
XlaOp Acosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false);
XlaOp Asin(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false);
XlaOp Asinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false);
XlaOp Atanh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
            bool expand = false);
XlaOp Cosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false);
XlaOp Sinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy = std::nullopt,
           bool expand = false);
inline XlaOp Cbrt(XlaOp operand,
                  const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Cbrt", HloOpcode::kCbrt, operand, result_accuracy);
}
inline XlaOp Ceil(XlaOp operand) { return XlaBuilder::UnaryOp("Ceil", HloOpcode::kCeil, operand); }
// Count of leading zero bits.
inline XlaOp Clz(XlaOp operand) { return XlaBuilder::UnaryOp("Clz", HloOpcode::kClz, operand); }
// Complex conjugate; for a real operand a complex number without imaginary part.
XlaOp Conj(XlaOp operand);
inline XlaOp Copy(XlaOp operand) { return XlaBuilder::UnaryOp("Copy", HloOpcode::kCopy, operand); }
inline XlaOp Cos(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Cos", HloOpcode::kCos, operand, result_accuracy);
}
inline XlaOp Erf(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Erf", HloOpcode::kErf, operand, result_accuracy);
}
inline XlaOp Exp(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Exp", HloOpcode::kExp, operand, result_accuracy);
}
inline XlaOp Expm1(XlaOp operand,
                   const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Expm1", HloOpcode::kExpm1, operand, result_accuracy);
}
inline XlaOp Floor(XlaOp operand) {
  return XlaBuilder::UnaryOp("Floor", HloOpcode::kFloor, operand);
}
inline XlaOp Imag(XlaOp operand) { return XlaBuilder::UnaryOp("Imag", HloOpcode::kImag, operand); }
// Neither infinite nor NaN; real floating-point operands.
inline XlaOp IsFinite(XlaOp operand) {
  return XlaBuilder::UnaryOp("IsFinite", HloOpcode::kIsFinite, operand);
}
inline XlaOp Log(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Log", HloOpcode::kLog, operand, result_accuracy);
}
inline XlaOp Log1p(XlaOp operand,
                   const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Log1p", HloOpcode::kLog1p, operand, result_accuracy);
}
inline XlaOp Logistic(XlaOp operand,
                      const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Logistic", HloOpcode::kLogistic, operand, result_accuracy);
}
inline XlaOp Neg(XlaOp operand) { return XlaBuilder::UnaryOp("Neg", HloOpcode::kNegate, operand); }
inline XlaOp Not(XlaOp operand) { return XlaBuilder::UnaryOp("Not", HloOpcode::kNot, operand); }
inline XlaOp PopulationCount(XlaOp operand) {
  return XlaBuilder::UnaryOp("PopulationCount", HloOpcode::kPopulationCount, operand);
}
inline XlaOp Real(XlaOp operand) { return XlaBuilder::UnaryOp("Real", HloOpcode::kReal, operand); }
// To the nearest integer, halves away from zero.
inline XlaOp Round(XlaOp operand) {
  return XlaBuilder::UnaryOp("Round", HloOpcode::kRoundNearestAfz, operand);
}
inline XlaOp RoundNearestAfz(XlaOp operand) {
  return XlaBuilder::UnaryOp("RoundNearestAfz", HloOpcode::kRoundNearestAfz, operand);
}
inline XlaOp RoundNearestEven(XlaOp operand) {
  return XlaBuilder::UnaryOp("RoundNearestEven", HloOpcode::kRoundNearestEven, operand);
}
inline XlaOp Rsqrt(XlaOp operand,
                   const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Rsqrt", HloOpcode::kRsqrt, operand, result_accuracy);
}
inline XlaOp Sign(XlaOp operand) { return XlaBuilder::UnaryOp("Sign", HloOpcode::kSign, operand); }
inline XlaOp Sin(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Sin", HloOpcode::kSin, operand, result_accuracy);
}
inline XlaOp Sqrt(XlaOp operand,
                  const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Sqrt", HloOpcode::kSqrt, operand, result_accuracy);
}
inline XlaOp Tan(XlaOp operand,
                 const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Tan", HloOpcode::kTan, operand, result_accuracy);
}
inline XlaOp Tanh(XlaOp operand,
                  const std::optional<ResultAccuracy>& result_accuracy = std::nullopt) {
  return XlaBuilder::UnaryOp("Tanh", HloOpcode::kTanh, operand, result_accuracy);
}
// A complex operand loses its imaginary part if the new type is real.
XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type);
// The same bits. If the widths differ, the last dimension, of the size of their ratio, is added or
// removed.
XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type);
// Rounds stochastically; `random` has unsigned integers as wide as the elements of the operand.
XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type);
XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits);

// --- Elementwise, two operands
// Operands have equal sizes, or one is a scalar, or `broadcast_dimensions` says to which dimension
// of the operand of higher rank each dimension of the other belongs; sizes of 1 stretch. See the
// broadcasting document (xla/docs/broadcasting.md).
inline XlaOp Add(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Add", HloOpcode::kAdd, lhs, rhs, broadcast_dimensions);
}
inline XlaOp And(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("And", HloOpcode::kAnd, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Atan2(XlaOp y, XlaOp x, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Atan2", HloOpcode::kAtan2, y, x, broadcast_dimensions);
}
inline XlaOp Complex(XlaOp real, XlaOp imag, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Complex", HloOpcode::kComplex, real, imag, broadcast_dimensions);
}
inline XlaOp Div(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Div", HloOpcode::kDivide, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Max(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Max", HloOpcode::kMaximum, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Min(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Min", HloOpcode::kMinimum, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Mul(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Mul", HloOpcode::kMultiply, lhs, rhs, broadcast_dimensions);
}
// The high half of the product of integers.
inline XlaOp Mulhi(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Mulhi", HloOpcode::kMulhi, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Or(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Or", HloOpcode::kOr, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Pow(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Pow", HloOpcode::kPower, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Rem(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Rem", HloOpcode::kRemainder, lhs, rhs, broadcast_dimensions);
}
inline XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("ShiftLeft", HloOpcode::kShiftLeft, lhs, rhs, broadcast_dimensions);
}
inline XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs,
                                  absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("ShiftRightArithmetic", HloOpcode::kShiftRightArithmetic, lhs, rhs,
                              broadcast_dimensions);
}
inline XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs,
                               absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("ShiftRightLogical", HloOpcode::kShiftRightLogical, lhs, rhs,
                              broadcast_dimensions);
}
inline XlaOp Sub(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Sub", HloOpcode::kSubtract, lhs, rhs, broadcast_dimensions);
}
inline XlaOp Xor(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {}) {
  return XlaBuilder::BinaryOp("Xor", HloOpcode::kXor, lhs, rhs, broadcast_dimensions);
}

// --- Comparisons
// With ..TotalOrder, floating-point numbers compare in their total order: -NaN < -Inf < .. < -0 <
// +0 < .. < Inf < NaN.
XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions = {});
// Without a type, the default for the operands' element type.
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type);
XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction);
XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction);

// --- Elementwise, three operands
// Scalars are broadcast where another operand is an array. Select of tuples becomes a conditional.
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max);
XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false);

// --- Broadcasting and reshaping
// New dimensions of broadcast_sizes before those of the operand.
XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes);
// Dimension i of the operand becomes broadcast_dimensions[i] of the result; sizes of 1 stretch.
XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions);
// The elements in row-major order under other sizes.
XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions);
XlaOp Reshape(const Shape& shape, XlaOp operand);
// If there is a dynamic dimension in the result, it is inferred_dimension.
XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension);
// The dynamic sizes are s32 scalars; dimension i is dynamic if dims_are_dynamic[i].
XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic);
// These two become custom calls that only StableHLO export supports.
XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape);
XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape);
// Makes one dimension of consecutive ones: f32[2,3,4] collapsing {0,1} gives f32[6,4].
XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions);

// --- Moving and cutting
XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation);
XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions);
XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config);
XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi);
XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension);
XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides);
// The other dimensions whole.
XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno);
// A scalar start index for each dimension, or one vector of them.
XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes);
XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices);
XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false);
XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false);
XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
              bool unique_indices = false);

// --- Sizes at run time
// A constant if the dimension is static.
XlaOp GetDimensionSize(XlaOp operand, int64_t dimension);
XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension);
// The whole array up to the bound.
XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension);

// --- Orders
// The comparator takes two scalars of each operand and returns a pred. Dimension -1 is the last. A
// tuple for more than one operand.
XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator, int64_t dimension = -1,
           bool is_stable = false);
// (values, s32 indices) of the k largest or smallest along the last dimension.
XlaOp TopK(XlaOp operand, int64_t k, bool largest);

// --- Reductions
XlaOp Reduce(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce);
XlaOp Reduce(XlaBuilder* builder, absl::Span<const XlaOp> operands,
             absl::Span<const XlaOp> init_values, XlaComputationRef computation,
             absl::Span<const int64_t> dimensions_to_reduce);
XlaOp ReduceAll(XlaOp operand, XlaOp init_value, XlaComputationRef computation);
// computation(slices of the inputs, carries) returns (slices of the outputs, new carries); the
// result is (outputs, final carries).
XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
           XlaComputationRef computation, int64_t scan_dimension,
           std::optional<int64_t> scan_dimension_size = std::nullopt, bool is_reverse = false,
           TriState is_associative = TRI_STATE_UNSPECIFIED);
// A scalar computation for each element; `dimensions` are all, in order. static_operands must be
// empty.
XlaOp Map(XlaBuilder* builder, absl::Span<const XlaOp> operands, XlaComputationRef computation,
          absl::Span<const int64_t> dimensions, absl::Span<const XlaOp> static_operands = {});
XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                   absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding);
XlaOp ReduceWindow(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
                   XlaComputationRef computation, absl::Span<const int64_t> window_dimensions,
                   absl::Span<const int64_t> window_strides, Padding padding);
// Empty strides and dilations are all 1.
XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding);
XlaOp ReduceWindowWithGeneralPadding(absl::Span<const XlaOp> operands,
                                     absl::Span<const XlaOp> init_values,
                                     XlaComputationRef computation,
                                     absl::Span<const int64_t> window_dimensions,
                                     absl::Span<const int64_t> window_strides,
                                     absl::Span<const int64_t> base_dilations,
                                     absl::Span<const int64_t> window_dilations,
                                     absl::Span<const std::pair<int64_t, int64_t>> padding);
XlaOp SelectAndScatter(XlaOp operand, XlaComputationRef select,
                       absl::Span<const int64_t> window_dimensions,
                       absl::Span<const int64_t> window_strides, Padding padding, XlaOp source,
                       XlaOp init_value, XlaComputationRef scatter);
XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, XlaComputationRef select,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         XlaOp source, XlaOp init_value, XlaComputationRef scatter);
// (normalized, mean, biased variance), the last two for each feature.
XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                        int64_t feature_index);
XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                         float epsilon, int64_t feature_index);
// (grad_operand, grad_scale, grad_offset).
XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                    XlaOp grad_output, float epsilon, int64_t feature_index);

// --- Contractions
// Vector or matrix times vector or matrix.
XlaOp Dot(XlaOp lhs, XlaOp rhs, const PrecisionConfig* precision_config = nullptr,
          std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                 const PrecisionConfig* precision_config = nullptr,
                 std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                const DotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                const RaggedDotDimensionNumbers& dimension_numbers,
                const PrecisionConfig* precision_config = nullptr,
                std::optional<PrimitiveType> preferred_element_type = std::nullopt);

// --- Convolutions
// Without dimension numbers the default order (CreateDefaultConvDimensionNumbers).
XlaOp Conv(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
           int64_t feature_group_count = 1, int64_t batch_group_count = 1,
           const PrecisionConfig* precision_config = nullptr,
           std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                             const PrecisionConfig* precision_config = nullptr,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                                Padding padding,
                                const ConvolutionDimensionNumbers& dimension_numbers,
                                int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                                const PrecisionConfig* precision_config = nullptr,
                                std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                  absl::Span<const std::pair<int64_t, int64_t>> padding,
                  const ConvolutionDimensionNumbers& dimension_numbers,
                  int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                  const PrecisionConfig* precision_config = nullptr,
                  std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count = 1, int64_t batch_group_count = 1,
                         const PrecisionConfig* precision_config = nullptr,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                         std::optional<std::vector<bool>> window_reversal = std::nullopt);
// Convolutions whose padding depends on dynamic sizes, as custom calls.
XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DynamicConvInputGrad(
    XlaOp input_sizes, XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt);
XlaOp DynamicConvKernelGrad(
    XlaOp activations, XlaOp gradients, absl::Span<const int64_t> window_strides,
    absl::Span<const std::pair<int64_t, int64_t>> padding, absl::Span<const int64_t> lhs_dilation,
    absl::Span<const int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
    int64_t feature_group_count, int64_t batch_group_count, const PrecisionConfig* precision_config,
    PaddingType padding_type, std::optional<PrimitiveType> preferred_element_type = std::nullopt);

// --- Linear algebra
XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length);
// Solves op(a) x = b (left_side) or x op(a) = b for triangular matrices a.
XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                      TriangularSolveOptions::Transpose transpose_a);
XlaOp Cholesky(XlaOp a, bool lower);

// --- Random numbers
XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape);
// In [a, b).
XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape);
// (new state, random bits): the bits as unsigned integers as wide as the elements of `shape`.
XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape);

// --- Tuples and control
XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements);
XlaOp GetTupleElement(XlaOp tuple_data, int64_t index);
XlaOp Call(XlaBuilder* builder, XlaComputationRef computation, absl::Span<const XlaOp> operands);
// A call that represents the operation `name`, which the computation implements. The attributes are
// the text of an MLIR dictionary, {} by default; the version is 0 by default.
XlaOp CompositeCall(XlaBuilder* builder, XlaComputationRef computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes = std::nullopt,
                    std::optional<int64_t> version = std::nullopt);
XlaOp While(XlaComputationRef condition, XlaComputationRef body, XlaOp init);
// Selected by a pred scalar, or by an s32 scalar: an index that is out of range selects the last
// branch.
XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationRef true_computation,
                  XlaOp false_operand, XlaComputationRef false_computation);
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands);
XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands);
XlaOp OptimizationBarrier(XlaOp operand);

// --- Custom calls

// Names that begin with '$' are reserved. `opaque` is passed to the code unchanged.
XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 absl::Span<const XlaOp> operands, const Shape& shape,
                 const std::string& opaque = "", bool has_side_effect = false,
                 AliasingPairs output_operand_aliasing = {}, const Literal* literal = nullptr,
                 CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                 CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                const Shape& shape, const std::string& opaque = "",
                                bool has_side_effect = false,
                                AliasingPairs output_operand_aliasing = {},
                                const Literal* literal = nullptr,
                                CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                                CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
// The code gets its operands and gives its result in these layouts.
XlaOp CustomCallWithComputationAndLayouts(
    XlaBuilder* builder, const std::string& call_target_name, absl::Span<const XlaOp> operands,
    XlaComputationRef computation, const Shape& shape,
    absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque = "",
    bool has_side_effect = false, AliasingPairs output_operand_aliasing = {},
    const Literal* literal = nullptr,
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
    CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           absl::Span<const XlaOp> operands, const Shape& shape_with_layout,
                           absl::Span<const Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           AliasingPairs output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                           CustomCallApiVersion api_version = API_VERSION_ORIGINAL);
// operand_shapes_with_layout may be empty: no layouts fixed.
XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              absl::Span<const XlaOp> operands, const Shape& shape,
                              absl::Span<const Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              AliasingPairs output_operand_aliasing, const Literal* literal,
                              Window window, ConvolutionDimensionNumbers dnums,
                              CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                              CustomCallApiVersion api_version = API_VERSION_ORIGINAL);

// --- Tokens and effects
XlaOp CreateToken(XlaBuilder* builder);
XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens);
// Without tokens, infeeds run in the order in which they are made; so do outfeeds. Shapes must have
// layouts.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config = "");
// (data, token).
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config = "");
void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config);
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config);
// Between devices; the handle of type DEVICE_TO_DEVICE pairs a send with its receive.
void Send(XlaOp operand, const ChannelHandle& handle);
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle);
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle);
// (data, token).
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle);
// With the host; arrays only. Handle types DEVICE_TO_HOST and HOST_TO_DEVICE.
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle);
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle);

// --- Across replicas and partitions
// Empty groups are one group of all devices. A tuple operand gives the tuple form.
XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Layout>& layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherWithDeviceList(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Layout>& layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherTuple(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                     int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Layout>& layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllGatherTupleWithDeviceList(absl::Span<const XlaOp> operands, int64_t all_gather_dimension,
                                   int64_t shard_count, const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Layout>& layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduce(XlaOp operand, XlaComputationRef computation,
                absl::Span<const ReplicaGroup> replica_groups = {},
                const std::optional<ChannelHandle>& channel_id = std::nullopt,
                const std::optional<Shape>& shape_with_layout = std::nullopt,
                std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceWithDeviceList(XlaOp operand, XlaComputationRef computation,
                              const CollectiveDeviceList& replica_groups,
                              const std::optional<ChannelHandle>& channel_id = std::nullopt,
                              const std::optional<Shape>& shape_with_layout = std::nullopt,
                              std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTuple(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                     const std::optional<Shape>& shape_with_layout = std::nullopt,
                     std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                   const std::optional<Shape>& shape_with_layout = std::nullopt,
                                   std::optional<bool> use_global_device_ids = std::nullopt);
// An all-reduce with add, or with or for pred.
XlaOp CrossReplicaSum(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups = {});
XlaOp ReduceScatter(XlaOp operand, XlaComputationRef computation, int64_t scatter_dimension,
                    int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                    const std::optional<Layout>& layout = std::nullopt,
                    std::optional<bool> use_global_device_ids = std::nullopt);
XlaOp ReduceScatterWithDeviceList(XlaOp operand, XlaComputationRef computation,
                                  int64_t scatter_dimension, int64_t shard_count,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  std::optional<bool> use_global_device_ids = std::nullopt);
// The array form; with a layout, slices, the tuple form and a concatenation.
XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
               int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
               const std::optional<Layout>& layout = std::nullopt,
               const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                             int64_t split_count, const CollectiveDeviceList& replica_groups,
                             const std::optional<Layout>& layout = std::nullopt,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTuple(absl::Span<const XlaOp> operands,
                    absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                  const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTuple(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                    int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
                    const std::optional<Layout>& layout = std::nullopt,
                    const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                  int64_t split_count, const CollectiveDeviceList& replica_groups,
                                  const std::optional<Layout>& layout = std::nullopt,
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                     XlaOp output_offsets, XlaOp recv_sizes,
                     absl::Span<const ReplicaGroup> replica_groups = {},
                     const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                                   XlaOp output_offsets, XlaOp recv_sizes,
                                   const CollectiveDeviceList& replica_groups,
                                   const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp CollectiveBroadcast(XlaOp operand, absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp CollectiveBroadcastWithDeviceList(
    XlaOp operand, const CollectiveDeviceList& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt);
// has_dynamic_root, a root given by the last operand at run time, is an error: neither HLO text nor
// the proto can represent it.
XlaOp CollectiveBroadcast(absl::Span<const XlaOp> operands,
                          absl::Span<const ReplicaGroup> replica_groups,
                          const std::optional<ChannelHandle>& channel_id = std::nullopt,
                          bool has_dynamic_root = false);
XlaOp CollectiveBroadcastWithDeviceList(
    absl::Span<const XlaOp> operands, const CollectiveDeviceList& replica_groups,
    const std::optional<ChannelHandle>& channel_id = std::nullopt, bool has_dynamic_root = false);
XlaOp CollectivePermute(XlaOp operand,
                        const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                        const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp MultiCollectivePermute(absl::Span<const XlaOp> operands,
                             const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id = std::nullopt);
XlaOp ReplicaId(XlaBuilder* builder);
XlaOp PartitionId(XlaBuilder* builder);

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

// Converts between values with full sizes, which the partitioner shards, and values with the sizes
// of a shard, for parts that are partitioned manually. single_dim is the manually partitioned
// dimension, or -1 for all.
absl::StatusOr<XlaOp> ConvertSpmdFullToShardShape(XlaBuilder* builder, XlaOp input, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);
absl::StatusOr<XlaOp> ConvertSpmdShardToFullShape(XlaBuilder* builder, XlaOp input,
                                                  const Shape& output_shape, int single_dim,
                                                  const OpSharding& manual_sharding,
                                                  absl::Span<const int64_t> unspecified_dims);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_XLA_OPS_H_

// SPDX-License-Identifier: Apache-2.0
// Free functions: arrays and their elements.
#include "xla/hlo/builder/xla_builder.h"
#include "xla/primitive_util.h"

namespace xla {

// --- Parameters and constants
XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, CallSite site) {
  return builder->Parameter(parameter_number, shape, name, site);
}

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers,
                CallSite site) {
  return builder->Parameter(parameter_number, shape, name, replicated_at_leaf_buffers, site);
}

XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal, CallSite site) {
  return builder->ConstantLiteral(literal, site);
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, int64_t iota_dimension, CallSite site) {
  return builder->Iota(shape, iota_dimension, site);
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, int64_t size, CallSite site) {
  return builder->Iota(type, size, site);
}

// --- Elementwise, one operand
XlaOp Abs(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Abs(operand, site);
}

XlaOp Acos(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Acos(x, result_accuracy, expand, site);
}

XlaOp Acosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
            CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Acosh(x, result_accuracy, expand, site);
}

XlaOp Asin(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Asin(x, result_accuracy, expand, site);
}

XlaOp Asinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
            CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Asinh(x, result_accuracy, expand, site);
}

XlaOp Atanh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
            CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Atanh(x, result_accuracy, expand, site);
}

XlaOp Cosh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Cosh(x, result_accuracy, expand, site);
}

XlaOp Sinh(XlaOp x, const std::optional<ResultAccuracy>& result_accuracy, bool expand,
           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({x});
  return builder == nullptr ? XlaOp() : builder->Sinh(x, result_accuracy, expand, site);
}

XlaOp Cbrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Cbrt(operand, result_accuracy, site);
}

XlaOp Ceil(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Ceil(operand, site);
}

XlaOp Clz(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Clz(operand, site);
}

XlaOp Conj(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Conj(operand, site);
}

XlaOp Copy(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Copy(operand, site);
}

XlaOp Cos(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Cos(operand, result_accuracy, site);
}

XlaOp Erf(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Erf(operand, result_accuracy, site);
}

XlaOp Exp(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Exp(operand, result_accuracy, site);
}

XlaOp Expm1(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Expm1(operand, result_accuracy, site);
}

XlaOp Floor(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Floor(operand, site);
}

XlaOp Imag(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Imag(operand, site);
}

XlaOp IsFinite(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->IsFinite(operand, site);
}

XlaOp Log(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Log(operand, result_accuracy, site);
}

XlaOp Log1p(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Log1p(operand, result_accuracy, site);
}

XlaOp Logistic(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Logistic(operand, result_accuracy, site);
}

XlaOp Neg(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Neg(operand, site);
}

XlaOp Not(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Not(operand, site);
}

XlaOp PopulationCount(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->PopulationCount(operand, site);
}

XlaOp Real(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Real(operand, site);
}

XlaOp Round(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Round(operand, site);
}

XlaOp RoundNearestAfz(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->RoundNearestAfz(operand, site);
}

XlaOp RoundNearestEven(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->RoundNearestEven(operand, site);
}

XlaOp Rsqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Rsqrt(operand, result_accuracy, site);
}

XlaOp Sign(XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Sign(operand, site);
}

XlaOp Sin(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Sin(operand, result_accuracy, site);
}

XlaOp Sqrt(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Sqrt(operand, result_accuracy, site);
}

XlaOp Tan(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Tan(operand, result_accuracy, site);
}

XlaOp Tanh(XlaOp operand, const std::optional<ResultAccuracy>& result_accuracy, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Tanh(operand, result_accuracy, site);
}

XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->ConvertElementType(operand, new_element_type, site);
}

XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->BitcastConvertType(operand, new_element_type, site);
}

XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                            CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, random});
  return builder == nullptr
             ? XlaOp()
             : builder->StochasticConvertType(operand, random, new_element_type, site);
}

XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->ReducePrecision(operand, exponent_bits, mantissa_bits, site);
}

// --- Elementwise, two operands
XlaOp Add(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Add(lhs, rhs, broadcast_dimensions, site);
}

XlaOp And(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->And(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Atan2(XlaOp y, XlaOp x, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({y, x});
  return builder == nullptr ? XlaOp() : builder->Atan2(y, x, broadcast_dimensions, site);
}

XlaOp Complex(XlaOp real, XlaOp imag, absl::Span<const int64_t> broadcast_dimensions,
              CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({real, imag});
  return builder == nullptr ? XlaOp() : builder->Complex(real, imag, broadcast_dimensions, site);
}

XlaOp Div(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Div(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Max(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Max(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Min(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Min(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Mul(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Mul(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Mulhi(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Mulhi(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Or(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Or(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Pow(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Pow(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Rem(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Rem(lhs, rhs, broadcast_dimensions, site);
}

XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->ShiftLeft(lhs, rhs, broadcast_dimensions, site);
}

XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                           CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->ShiftRightArithmetic(lhs, rhs, broadcast_dimensions, site);
}

XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                        CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->ShiftRightLogical(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Sub(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Sub(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Xor(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Xor(lhs, rhs, broadcast_dimensions, site);
}

// --- Comparisons
XlaOp Eq(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Eq(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Ne(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Ne(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Ge(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Ge(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Gt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Gt(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Le(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Le(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Lt(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Lt(lhs, rhs, broadcast_dimensions, site);
}

XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->EqTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->NeTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->GeTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->GtTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->LeTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                   CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->LtTotalOrder(lhs, rhs, broadcast_dimensions, site);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, Comparison::Type compare_type, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr
             ? XlaOp()
             : builder->Compare(lhs, rhs, broadcast_dimensions, direction, compare_type, site);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
              ComparisonDirection direction, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp()
                            : builder->Compare(lhs, rhs, broadcast_dimensions, direction, site);
}

XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({lhs, rhs});
  return builder == nullptr ? XlaOp() : builder->Compare(lhs, rhs, direction, site);
}

// --- Elementwise, three operands
XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({min, operand, max});
  return builder == nullptr ? XlaOp() : builder->Clamp(min, operand, max, site);
}

XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({pred, on_true, on_false});
  return builder == nullptr ? XlaOp() : builder->Select(pred, on_true, on_false, site);
}

// --- Broadcasting and reshaping
XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Broadcast(operand, broadcast_sizes, site);
}

XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                     absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->BroadcastInDim(operand, out_dim_size, broadcast_dimensions, site);
}

XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Reshape(operand, dimensions, site);
}

XlaOp Reshape(const Shape& shape, XlaOp operand, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Reshape(shape, operand, site);
}

XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                   int64_t inferred_dimension, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->ReshapeWithInferredDimension(operand, new_sizes, inferred_dimension, site);
}

XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                     absl::Span<const int64_t> new_size_bounds,
                     const std::vector<bool>& dims_are_dynamic, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->DynamicReshape(operand, dim_sizes, new_size_bounds, dims_are_dynamic, site);
}

XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, output_shape});
  return builder == nullptr ? XlaOp()
                            : builder->MhloDynamicReshape(operand, output_shape, shape, site);
}

XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                absl::Span<const int64_t> broadcast_dimensions,
                                const Shape& output_shape, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, output_dimensions});
  return builder == nullptr
             ? XlaOp()
             : builder->MhloDynamicBroadcastInDim(operand, output_dimensions, broadcast_dimensions,
                                                  output_shape, site);
}

XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Collapse(operand, dimensions, site);
}

// --- Moving and cutting
XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Transpose(operand, permutation, site);
}

XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->Rev(operand, dimensions, site);
}

XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, padding_value});
  return builder == nullptr ? XlaOp() : builder->Pad(operand, padding_value, padding_config, site);
}

XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi,
               CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, padding_value});
  return builder == nullptr
             ? XlaOp()
             : builder->PadInDim(operand, padding_value, dimno, pad_lo, pad_hi, site);
}

XlaOp ConcatInDim(XlaBuilder* builder, absl::Span<const XlaOp> operands, int64_t dimension,
                  CallSite site) {
  return builder->ConcatInDim(operands, dimension, site);
}

XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
            absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides,
            CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->Slice(operand, start_indices, limit_indices, strides, site);
}

XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                 int64_t dimno, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr
             ? XlaOp()
             : builder->SliceInDim(operand, start_index, limit_index, stride, dimno, site);
}

XlaOp DynamicSlice(XlaOp operand, absl::Span<const XlaOp> start_indices,
                   absl::Span<const int64_t> slice_sizes, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp()
                            : builder->DynamicSlice(operand, start_indices, slice_sizes, site);
}

XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, absl::Span<const XlaOp> start_indices,
                         CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, update});
  return builder == nullptr ? XlaOp()
                            : builder->DynamicUpdateSlice(operand, update, start_indices, site);
}

XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
             absl::Span<const int64_t> slice_sizes, bool indices_are_sorted, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({input, start_indices});
  return builder == nullptr ? XlaOp()
                            : builder->Gather(input, start_indices, dimension_numbers, slice_sizes,
                                              indices_are_sorted, site);
}

XlaOp Scatter(XlaOp input, XlaOp scatter_indices, XlaOp updates,
              XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({input, scatter_indices, updates});
  return builder == nullptr
             ? XlaOp()
             : builder->Scatter(input, scatter_indices, updates, update_computation,
                                dimension_numbers, indices_are_sorted, unique_indices, site);
}

XlaOp Scatter(absl::Span<const XlaOp> inputs, XlaOp scatter_indices,
              absl::Span<const XlaOp> updates, XlaComputationRef update_computation,
              const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted,
              bool unique_indices, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({scatter_indices});
  return builder == nullptr
             ? XlaOp()
             : builder->Scatter(inputs, scatter_indices, updates, update_computation,
                                dimension_numbers, indices_are_sorted, unique_indices, site);
}

// --- Sizes at run time
XlaOp GetDimensionSize(XlaOp operand, int64_t dimension, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->GetDimensionSize(operand, dimension, site);
}

XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand, val});
  return builder == nullptr ? XlaOp() : builder->SetDimensionSize(operand, val, dimension, site);
}

XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->RemoveDynamicDimension(operand, dimension, site);
}

// --- Orders
XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator, int64_t dimension,
           bool is_stable, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of(operands);
  return builder == nullptr ? XlaOp()
                            : builder->Sort(operands, comparator, dimension, is_stable, site);
}

XlaOp TopK(XlaOp operand, int64_t k, bool largest, CallSite site) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  return builder == nullptr ? XlaOp() : builder->TopK(operand, k, largest, site);
}

// --- Operators
XlaOp operator+(OperatorOperand x, XlaOp y) { return Add(x.op, y, {}, x.site); }
XlaOp operator-(OperatorOperand x, XlaOp y) { return Sub(x.op, y, {}, x.site); }
XlaOp operator*(OperatorOperand x, XlaOp y) { return Mul(x.op, y, {}, x.site); }
XlaOp operator/(OperatorOperand x, XlaOp y) { return Div(x.op, y, {}, x.site); }
XlaOp operator%(OperatorOperand x, XlaOp y) { return Rem(x.op, y, {}, x.site); }
XlaOp operator&(OperatorOperand x, XlaOp y) { return And(x.op, y, {}, x.site); }
XlaOp operator|(OperatorOperand x, XlaOp y) { return Or(x.op, y, {}, x.site); }
XlaOp operator^(OperatorOperand x, XlaOp y) { return Xor(x.op, y, {}, x.site); }
XlaOp operator<<(OperatorOperand x, XlaOp y) { return ShiftLeft(x.op, y, {}, x.site); }
XlaOp operator>>(OperatorOperand x, XlaOp y) {
  XlaBuilder* builder = XlaBuilder::Of({x.op, y});
  if (builder == nullptr) return XlaOp();
  const absl::StatusOr<const Shape*> shape = builder->GetShapePtr(x.op);
  const bool is_unsigned =
      shape.ok() && primitive_util::IsUnsignedIntegralType((*shape)->element_type());
  return is_unsigned ? ShiftRightLogical(x.op, y, {}, x.site)
                     : ShiftRightArithmetic(x.op, y, {}, x.site);
}
XlaOp operator-(OperatorOperand x) { return Neg(x.op, x.site); }
XlaOp operator~(OperatorOperand x) { return Not(x.op, x.site); }

}  // namespace xla

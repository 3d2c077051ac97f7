// SPDX-License-Identifier: Apache-2.0
// XlaBuilder: makes HLO programs, one operation a call.
//
//   XlaBuilder b("axpy");
//   XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {10}), "x");
//   XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {10}), "y");
//   Add(Mul(ConstantR0<float>(&b, 3), x), y);
//   absl::StatusOr<XlaComputation> axpy = b.Build();
//
// Every operation is a member here and a free function of xla_ops.h, which has the explanations;
// the free function takes the builder first where there may be no operand to tell it.
//
// Each call checks its operands at once, but errors wait for Build(): the first call that fails
// decides, later ones do nothing. The message names that call and the line that made it.
//
// Source: the operation semantics document (xla/docs/operation_semantics.md). What each operation
// computes stands there; here stands what the builder adds: implicit broadcasting, defaults,
// operations made of several instructions.
#ifndef XLA_HLO_BUILDER_XLA_BUILDER_H_
#define XLA_HLO_BUILDER_XLA_BUILDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/builder/call_site.h"
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/builder/xla_op.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/hlo/ir/replica_group.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Pairs of a part of the result and (operand, part of it) that share memory.
using AliasingPairs = absl::Span<const std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;

namespace internal {
struct XlaBuilderFriend;  // builder_friend.h
}  // namespace internal

// Thread-compatible.
class XlaBuilder {
 public:
  // The name becomes that of the program.
  explicit XlaBuilder(const std::string& computation_name);
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;
  virtual ~XlaBuilder();

  const std::string& name() const;

  // --- What is put on every operation made from now on

  void SetOpMetadata(OpMetadata metadata);
  OpMetadata SwapOpMetadata(OpMetadata metadata);  // returns the old one
  void ClearOpMetadata();
  // For the next operation only, instead of that of SetOpMetadata.
  void SetOneShotOpMetadata(OpMetadata metadata);

  // One sharding for the whole result, or a tuple of one for each leaf.
  void SetSharding(const OpSharding& sharding);
  std::optional<OpSharding> SwapSharding(
      std::optional<OpSharding> sharding);  // returns the old one
  void ClearSharding();
  const std::optional<OpSharding>& sharding() const;

  void SetFrontendAttributes(const FrontendAttributes& attributes);
  FrontendAttributes SwapFrontendAttributes(const FrontendAttributes& attributes);
  const FrontendAttributes& frontend_attributes() const;
  void ClearFrontendAttributes();

  void SetOriginalValue(const OriginalValueProto& original_value);
  void ClearOriginalValue();
  const std::optional<OriginalValueProto>& original_value() const;

  // --- What is put on one operation

  absl::Status SetInstructionFrontendAttribute(XlaOp op, std::string attribute, std::string value);
  // nullopt takes the sharding away.
  absl::Status SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding);

  // --- Facts of the program

  // The part output_index of the result lies in the memory of a part of a parameter; with kMayAlias
  // only if the caller donates it. Checked by Build().
  void SetUpAlias(
      const ShapeIndex& output_index, int64_t param_number, const ShapeIndex& param_index,
      HloInputOutputAliasConfig::AliasKind kind = HloInputOutputAliasConfig::AliasKind::kMayAlias);
  // Any result may lie in the memory of that part of the parameter. Checked by Build().
  void AddBufferDonor(int64_t param_number, const ShapeIndex& param_index);
  // At run time dimension target_dim of a part of the target parameter has the size that a part of
  // parameter dynamic_size_param_num, an s32 scalar, tells; the declared size is the bound. Both
  // parameters must have been made, and the target not used yet.
  absl::Status SetDynamicBinding(int64_t dynamic_size_param_num,
                                 const ShapeIndex& dynamic_size_param_index,
                                 int64_t target_param_num, const ShapeIndex& target_param_index,
                                 int64_t target_dim, CallSite site = CallSite::Current());

  // --- Building

  // The program with the given root, by default the operation made last. The builder is empty
  // afterwards; handles made before are invalid. `remove_dynamic_dimensions` makes all shapes
  // static, at their bounds. Errors: that of the first failed call; a gap in the parameter numbers;
  // an alias that does not fit.
  absl::StatusOr<XlaComputation> Build(bool remove_dynamic_dimensions = false);
  absl::StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions = false);
  // The computation of the id as a program. Leaves the builder as it is.
  absl::StatusOr<XlaComputation> Build(XlaComputationId entry);
  // As Build(), but an error is noted in the parent, which then fails with it; the result is null.
  // For sub-builders whose parent lives; without a parent the error stays with this builder.
  XlaComputation BuildAndNoteError();

  // A builder for a computation that this one calls. Metadata and the like are not inherited.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name);
  // Of a sub-builder: as Build(), with the id for operations of the parent as result.
  absl::StatusOr<XlaComputationId> BuildSubComputation(std::optional<XlaOp> root = std::nullopt,
                                                       bool remove_dynamic_dimensions = false);
  // An id for a computation. Invalid if it is null or a call failed before.
  XlaComputationId AddSubComputation(const XlaComputation& computation);

  // Whether the value is known without running: it depends on no parameter, effect or random
  // number. As in XLA, results of call, while, scatter and custom-call do not count as constant.
  absl::StatusOr<bool> IsConstant(XlaOp operand) const;
  // A program without parameters that computes the constant `root`. Sizes of dynamic dimensions
  // become their bounds, or -1. Error: root is not constant. Leaves the builder as it is.
  absl::StatusOr<XlaComputation> BuildConstantSubGraph(XlaOp root,
                                                       bool dynamic_dimension_is_minus_one = false);

  // --- Queries

  absl::StatusOr<Shape> GetShape(XlaOp op) const;
  // Valid until the builder changes.
  absl::StatusOr<const Shape*> GetShapePtr(XlaOp op) const;
  absl::StatusOr<std::vector<Shape>> GetOperandShapes(absl::Span<const XlaOp> operands) const;
  absl::StatusOr<std::optional<OpSharding>> GetOpSharding(XlaOp op) const;
  // Parameters so far, and the shape of the root, by default the last operation.
  absl::StatusOr<ProgramShape> GetProgramShape() const;
  absl::StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;
  // The operation and what it depends on, a line each, operands first.
  std::string OpToString(XlaOp op) const;

  // --- Errors

  // That of the first failed call.
  absl::Status first_error() const;
  absl::Status GetCurrentStatus() const { return first_error(); }
  // Notes an error as a failed call does. The result is invalid, and stands for one in later calls.
  XlaOp ReportError(const absl::Status& error, CallSite site = CallSite::Current());
  XlaOp ReportErrorOrReturn(const absl::StatusOr<XlaOp>& op, CallSite site = CallSite::Current());
  XlaOp ReportErrorOrReturn(absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator,
                            CallSite site = CallSite::Current());
  // What every operation does: `op_creator` makes it, and its error is noted as that of `call` at
  // `site`, unless this happens inside another call, which then is the one to name. For functions
  // that make several operations, as those of xla/hlo/builder/lib.
  XlaOp Record(const char* call, CallSite site,
               absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator);
  // With `enabled` the process ends at the first failed call with the message on stderr: for
  // debuggers, which then show the call. Sub-builders made from now on inherit it.
  void set_die_immediately_on_error(bool enabled);

  // The builder of the first operand that has one, else null.
  static XlaBuilder* Of(absl::Span<const XlaOp> operands);

  // --- Default order of the dimensions of convolutions: {batch, feature, spatial...} for input and
  // output, {output feature, input feature, spatial...} for the kernel

  static constexpr int64_t kConvBatchDimension = 0;
  static constexpr int64_t kConvFeatureDimension = 1;
  static constexpr int64_t kConvFirstSpatialDimension = 2;
  static constexpr int64_t kConvSecondSpatialDimension = 3;
  static constexpr int64_t kConvKernelOutputDimension = 0;
  static constexpr int64_t kConvKernelInputDimension = 1;
  static constexpr int64_t kConvKernelFirstSpatialDimension = 2;
  static constexpr int64_t kConvKernelSecondSpatialDimension = 3;
  static ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2);
  // An error unless there are two spatial dimensions or more, all numbers of an array different.
  static absl::Status Validate(const ConvolutionDimensionNumbers& dnum);

  // --- Parameters and constants
  XlaOp Parameter(int64_t parameter_number, const Shape& shape, const std::string& name,
                  CallSite site = CallSite::Current());
  XlaOp Parameter(int64_t parameter_number, const Shape& shape, const std::string& name,
                  const std::vector<bool>& replicated_at_leaf_buffers,
                  CallSite site = CallSite::Current());
  XlaOp ConstantLiteral(const LiteralSlice& literal, CallSite site = CallSite::Current());
  XlaOp Iota(const Shape& shape, int64_t iota_dimension, CallSite site = CallSite::Current());
  XlaOp Iota(PrimitiveType type, int64_t size, CallSite site = CallSite::Current());

  // --- Elementwise, one operand
  XlaOp Abs(XlaOp operand, CallSite site = CallSite::Current());
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
  XlaOp Clz(XlaOp operand, CallSite site = CallSite::Current());
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
  XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type,
                           CallSite site = CallSite::Current());
  XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type,
                           CallSite site = CallSite::Current());
  XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                              CallSite site = CallSite::Current());
  XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits,
                        CallSite site = CallSite::Current());

  // --- Elementwise, two operands
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
  XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                ComparisonDirection direction, Comparison::Type compare_type,
                CallSite site = CallSite::Current());
  XlaOp Compare(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> broadcast_dimensions,
                ComparisonDirection direction, CallSite site = CallSite::Current());
  XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction,
                CallSite site = CallSite::Current());

  // --- Elementwise, three operands
  XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, CallSite site = CallSite::Current());
  XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, CallSite site = CallSite::Current());

  // --- Broadcasting and reshaping
  XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes,
                  CallSite site = CallSite::Current());
  XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                       absl::Span<const int64_t> broadcast_dimensions,
                       CallSite site = CallSite::Current());
  XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
                CallSite site = CallSite::Current());
  XlaOp Reshape(const Shape& shape, XlaOp operand, CallSite site = CallSite::Current());
  XlaOp ReshapeWithInferredDimension(XlaOp operand, absl::Span<const int64_t> new_sizes,
                                     int64_t inferred_dimension,
                                     CallSite site = CallSite::Current());
  XlaOp DynamicReshape(XlaOp operand, absl::Span<const XlaOp> dim_sizes,
                       absl::Span<const int64_t> new_size_bounds,
                       const std::vector<bool>& dims_are_dynamic,
                       CallSite site = CallSite::Current());
  XlaOp MhloDynamicReshape(XlaOp operand, XlaOp output_shape, const Shape& shape,
                           CallSite site = CallSite::Current());
  XlaOp MhloDynamicBroadcastInDim(XlaOp operand, XlaOp output_dimensions,
                                  absl::Span<const int64_t> broadcast_dimensions,
                                  const Shape& output_shape, CallSite site = CallSite::Current());
  XlaOp Collapse(XlaOp operand, absl::Span<const int64_t> dimensions,
                 CallSite site = CallSite::Current());

  // --- Moving and cutting
  XlaOp Transpose(XlaOp operand, absl::Span<const int64_t> permutation,
                  CallSite site = CallSite::Current());
  XlaOp Rev(XlaOp operand, absl::Span<const int64_t> dimensions,
            CallSite site = CallSite::Current());
  XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config,
            CallSite site = CallSite::Current());
  XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimno, int64_t pad_lo, int64_t pad_hi,
                 CallSite site = CallSite::Current());
  XlaOp ConcatInDim(absl::Span<const XlaOp> operands, int64_t dimension,
                    CallSite site = CallSite::Current());
  XlaOp Slice(XlaOp operand, absl::Span<const int64_t> start_indices,
              absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides,
              CallSite site = CallSite::Current());
  XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                   int64_t dimno, CallSite site = CallSite::Current());
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
  XlaOp GetDimensionSize(XlaOp operand, int64_t dimension, CallSite site = CallSite::Current());
  XlaOp SetDimensionSize(XlaOp operand, XlaOp val, int64_t dimension,
                         CallSite site = CallSite::Current());
  XlaOp RemoveDynamicDimension(XlaOp operand, int64_t dimension,
                               CallSite site = CallSite::Current());

  // --- Orders
  XlaOp Sort(absl::Span<const XlaOp> operands, XlaComputationRef comparator, int64_t dimension = -1,
             bool is_stable = false, CallSite site = CallSite::Current());
  XlaOp TopK(XlaOp operand, int64_t k, bool largest, CallSite site = CallSite::Current());

  // --- Reductions
  XlaOp Reduce(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
               absl::Span<const int64_t> dimensions_to_reduce, CallSite site = CallSite::Current());
  XlaOp Reduce(absl::Span<const XlaOp> operands, absl::Span<const XlaOp> init_values,
               XlaComputationRef computation, absl::Span<const int64_t> dimensions_to_reduce,
               CallSite site = CallSite::Current());
  XlaOp ReduceAll(XlaOp operand, XlaOp init_value, XlaComputationRef computation,
                  CallSite site = CallSite::Current());
  XlaOp Scan(absl::Span<const XlaOp> inputs, absl::Span<const XlaOp> inits,
             XlaComputationRef computation, int64_t scan_dimension,
             std::optional<int64_t> scan_dimension_size = std::nullopt, bool is_reverse = false,
             TriState is_associative = TRI_STATE_UNSPECIFIED, CallSite site = CallSite::Current());
  XlaOp Map(absl::Span<const XlaOp> operands, XlaComputationRef computation,
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
  XlaOp ReduceWindowWithGeneralPadding(
      XlaOp operand, XlaOp init_value, XlaComputationRef computation,
      absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
      absl::Span<const int64_t> base_dilations, absl::Span<const int64_t> window_dilations,
      absl::Span<const std::pair<int64_t, int64_t>> padding, CallSite site = CallSite::Current());
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
                                           XlaOp source, XlaOp init_value,
                                           XlaComputationRef scatter,
                                           CallSite site = CallSite::Current());
  XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon,
                          int64_t feature_index, CallSite site = CallSite::Current());
  XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance,
                           float epsilon, int64_t feature_index,
                           CallSite site = CallSite::Current());
  XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp batch_mean, XlaOp batch_var,
                      XlaOp grad_output, float epsilon, int64_t feature_index,
                      CallSite site = CallSite::Current());

  // --- Contractions
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
  XlaOp ConvWithGeneralDimensions(
      XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides, Padding padding,
      const ConvolutionDimensionNumbers& dimension_numbers, int64_t feature_group_count = 1,
      int64_t batch_group_count = 1, const PrecisionConfig* precision_config = nullptr,
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
  XlaOp DynamicConvForward(XlaOp lhs, XlaOp rhs, absl::Span<const int64_t> window_strides,
                           absl::Span<const std::pair<int64_t, int64_t>> padding,
                           absl::Span<const int64_t> lhs_dilation,
                           absl::Span<const int64_t> rhs_dilation,
                           const ConvolutionDimensionNumbers& dimension_numbers,
                           int64_t feature_group_count, int64_t batch_group_count,
                           const PrecisionConfig* precision_config, PaddingType padding_type,
                           std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                           CallSite site = CallSite::Current());
  XlaOp DynamicConvInputGrad(XlaOp input_sizes, XlaOp lhs, XlaOp rhs,
                             absl::Span<const int64_t> window_strides,
                             absl::Span<const std::pair<int64_t, int64_t>> padding,
                             absl::Span<const int64_t> lhs_dilation,
                             absl::Span<const int64_t> rhs_dilation,
                             const ConvolutionDimensionNumbers& dimension_numbers,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig* precision_config, PaddingType padding_type,
                             std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                             CallSite site = CallSite::Current());
  XlaOp DynamicConvKernelGrad(XlaOp activations, XlaOp gradients,
                              absl::Span<const int64_t> window_strides,
                              absl::Span<const std::pair<int64_t, int64_t>> padding,
                              absl::Span<const int64_t> lhs_dilation,
                              absl::Span<const int64_t> rhs_dilation,
                              const ConvolutionDimensionNumbers& dimension_numbers,
                              int64_t feature_group_count, int64_t batch_group_count,
                              const PrecisionConfig* precision_config, PaddingType padding_type,
                              std::optional<PrimitiveType> preferred_element_type = std::nullopt,
                              CallSite site = CallSite::Current());

  // --- Linear algebra
  XlaOp Fft(XlaOp operand, FftType fft_type, absl::Span<const int64_t> fft_length,
            CallSite site = CallSite::Current());
  XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                        TriangularSolveOptions::Transpose transpose_a,
                        CallSite site = CallSite::Current());
  XlaOp Cholesky(XlaOp a, bool lower, CallSite site = CallSite::Current());

  // --- Random numbers
  XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, CallSite site = CallSite::Current());
  XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, CallSite site = CallSite::Current());
  XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                        CallSite site = CallSite::Current());

  // --- Tuples and control
  XlaOp Tuple(absl::Span<const XlaOp> elements, CallSite site = CallSite::Current());
  XlaOp GetTupleElement(XlaOp tuple_data, int64_t index, CallSite site = CallSite::Current());
  XlaOp Call(XlaComputationRef computation, absl::Span<const XlaOp> operands,
             CallSite site = CallSite::Current());
  XlaOp CompositeCall(XlaComputationRef computation, absl::Span<const XlaOp> operands,
                      const std::string& name,
                      std::optional<absl::string_view> attributes = std::nullopt,
                      std::optional<int64_t> version = std::nullopt,
                      CallSite site = CallSite::Current());
  XlaOp While(XlaComputationRef condition, XlaComputationRef body, XlaOp init,
              CallSite site = CallSite::Current());
  XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationRef true_computation,
                    XlaOp false_operand, XlaComputationRef false_computation,
                    CallSite site = CallSite::Current());
  XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                    absl::Span<const XlaOp> branch_operands, CallSite site = CallSite::Current());
  XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                    absl::Span<const XlaOp> branch_operands, CallSite site = CallSite::Current());
  XlaOp OptimizationBarrier(XlaOp operand, CallSite site = CallSite::Current());

  // --- Custom calls
  XlaOp CustomCall(const std::string& call_target_name, absl::Span<const XlaOp> operands,
                   const Shape& shape, const std::string& opaque = "", bool has_side_effect = false,
                   AliasingPairs output_operand_aliasing = {}, const Literal* literal = nullptr,
                   CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                   CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                   CallSite site = CallSite::Current());
  XlaOp CustomCallWithComputation(const std::string& call_target_name,
                                  absl::Span<const XlaOp> operands, XlaComputationRef computation,
                                  const Shape& shape, const std::string& opaque = "",
                                  bool has_side_effect = false,
                                  AliasingPairs output_operand_aliasing = {},
                                  const Literal* literal = nullptr,
                                  CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                                  CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                                  CallSite site = CallSite::Current());
  XlaOp CustomCallWithComputationAndLayouts(
      const std::string& call_target_name, absl::Span<const XlaOp> operands,
      XlaComputationRef computation, const Shape& shape,
      absl::Span<const Shape> operand_shapes_with_layout, const std::string& opaque = "",
      bool has_side_effect = false, AliasingPairs output_operand_aliasing = {},
      const Literal* literal = nullptr,
      CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
      CustomCallApiVersion api_version = API_VERSION_ORIGINAL, CallSite site = CallSite::Current());
  XlaOp CustomCallWithLayout(const std::string& call_target_name, absl::Span<const XlaOp> operands,
                             const Shape& shape_with_layout,
                             absl::Span<const Shape> operand_shapes_with_layout,
                             const std::string& opaque = "", bool has_side_effect = false,
                             AliasingPairs output_operand_aliasing = {},
                             const Literal* literal = nullptr,
                             CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                             CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                             CallSite site = CallSite::Current());
  XlaOp CustomCallWithConvDnums(const std::string& call_target_name,
                                absl::Span<const XlaOp> operands, const Shape& shape,
                                absl::Span<const Shape> operand_shapes_with_layout,
                                const std::string& opaque, bool has_side_effect,
                                AliasingPairs output_operand_aliasing, const Literal* literal,
                                Window window, ConvolutionDimensionNumbers dnums,
                                CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE,
                                CustomCallApiVersion api_version = API_VERSION_ORIGINAL,
                                CallSite site = CallSite::Current());

  // --- Tokens and effects
  XlaOp CreateToken(CallSite site = CallSite::Current());
  XlaOp AfterAll(absl::Span<const XlaOp> tokens, CallSite site = CallSite::Current());
  XlaOp Infeed(const Shape& shape, const std::string& config = "",
               CallSite site = CallSite::Current());
  XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config = "",
                        CallSite site = CallSite::Current());
  void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config,
               CallSite site = CallSite::Current());
  XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                         const std::string& outfeed_config, CallSite site = CallSite::Current());
  void Send(XlaOp operand, const ChannelHandle& handle, CallSite site = CallSite::Current());
  XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle,
                      CallSite site = CallSite::Current());
  XlaOp Recv(const Shape& shape, const ChannelHandle& handle, CallSite site = CallSite::Current());
  XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                      CallSite site = CallSite::Current());
  XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                   const ChannelHandle& handle, CallSite site = CallSite::Current());
  XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                     CallSite site = CallSite::Current());

  // --- Across replicas and partitions
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
                                     int64_t shard_count,
                                     const CollectiveDeviceList& replica_groups,
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
  XlaOp AllReduceTupleWithDeviceList(absl::Span<const XlaOp> operands,
                                     XlaComputationRef computation,
                                     const CollectiveDeviceList& replica_groups,
                                     const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                     const std::optional<Shape>& shape_with_layout = std::nullopt,
                                     std::optional<bool> use_global_device_ids = std::nullopt,
                                     CallSite site = CallSite::Current());
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
  XlaOp AllToAllTupleWithDeviceList(XlaOp operand, int64_t split_dimension,
                                    int64_t concat_dimension, int64_t split_count,
                                    const CollectiveDeviceList& replica_groups,
                                    const std::optional<Layout>& layout = std::nullopt,
                                    const std::optional<ChannelHandle>& channel_id = std::nullopt,
                                    CallSite site = CallSite::Current());
  XlaOp RaggedAllToAll(XlaOp input, XlaOp input_offsets, XlaOp send_sizes, XlaOp output,
                       XlaOp output_offsets, XlaOp recv_sizes,
                       absl::Span<const ReplicaGroup> replica_groups = {},
                       const std::optional<ChannelHandle>& channel_id = std::nullopt,
                       CallSite site = CallSite::Current());
  XlaOp RaggedAllToAllWithDeviceList(XlaOp input, XlaOp input_offsets, XlaOp send_sizes,
                                     XlaOp output, XlaOp output_offsets, XlaOp recv_sizes,
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
  XlaOp ReplicaId(CallSite site = CallSite::Current());
  XlaOp PartitionId(CallSite site = CallSite::Current());

 private:
  friend struct internal::XlaBuilderFriend;
  struct State;  // builder_state.h

  std::unique_ptr<State> state_;
};

}  // namespace xla

#include "xla/hlo/builder/builder_friend.h"     // IWYU pragma: export
#include "xla/hlo/builder/native_constants.h"   // IWYU pragma: export
#include "xla/hlo/builder/scoped_assignment.h"  // IWYU pragma: export
#include "xla/hlo/builder/xla_ops.h"            // IWYU pragma: export

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_H_

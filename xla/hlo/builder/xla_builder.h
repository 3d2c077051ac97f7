// SPDX-License-Identifier: Apache-2.0
// XlaBuilder: builds HLO programs, one operation per call.
//
//   XlaBuilder b("axpy");
//   XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {10}), "x");
//   XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {10}), "y");
//   Add(Mul(ConstantR0<float>(&b, 3), x), y);
//   absl::StatusOr<XlaComputation> axpy = b.Build();
//
// Every operation is a free function of xla_ops.h. It takes the builder as its first argument where
// there may be no operand.
//
// Each call checks its operands at once, but errors are deferred to Build(), which returns the
// error of the first call that failed; later calls do nothing. The message names the function.
//
// Source: the operation semantics document (xla/docs/operation_semantics.md) for what each
// operation computes. The comments here describe what the builder adds: implicit broadcasting,
// defaults, operations made of several instructions.
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
#include "xla/hlo/builder/padding.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/builder/xla_op.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/hlo/ir/hlo_opcode.h"
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
  // nullopt removes the sharding.
  absl::Status SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding);

  // --- Facts of the program

  // The part output_index of the result lies in the memory of a part of a parameter; with kMayAlias
  // only if the caller donates it. Checked by Build().
  void SetUpAlias(
      const ShapeIndex& output_index, int64_t param_number, const ShapeIndex& param_index,
      HloInputOutputAliasConfig::AliasKind kind = HloInputOutputAliasConfig::AliasKind::kMayAlias);
  // Any result may lie in the memory of that part of the parameter. Checked by Build().
  void AddBufferDonor(int64_t param_number, const ShapeIndex& param_index);
  // Makes dimension target_dim of a part of the target parameter dynamic: its size is given by an
  // s32 scalar, a part of parameter dynamic_size_param_num, and the declared size is its bound.
  // Both parameters must exist, and the target must not have been used yet.
  absl::Status SetDynamicBinding(int64_t dynamic_size_param_num,
                                 const ShapeIndex& dynamic_size_param_index,
                                 int64_t target_param_num, const ShapeIndex& target_param_index,
                                 int64_t target_dim);

  // --- Building

  // The program with the given root, by default the operation made last. The builder is empty
  // afterwards; handles made before are invalid. `remove_dynamic_dimensions` makes all shapes
  // static, at their bounds. Errors: that of the first failed call; a gap in the parameter numbers;
  // an invalid alias.
  absl::StatusOr<XlaComputation> Build(bool remove_dynamic_dimensions = false);
  absl::StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions = false);
  // The computation of the id as a program. Leaves the builder as it is.
  absl::StatusOr<XlaComputation> Build(XlaComputationId entry);
  // As Build(), but an error is recorded in the parent, which then fails with it; the result is
  // null. The parent must outlive the sub-builder; without a parent the error stays with this
  // builder.
  XlaComputation BuildAndNoteError();

  // A builder for a computation that this one calls. Metadata and the like are not inherited.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(const std::string& computation_name);
  // For a sub-builder: as Build(), but returns the id of the computation for operations of the
  // parent.
  absl::StatusOr<XlaComputationId> BuildSubComputation(std::optional<XlaOp> root = std::nullopt,
                                                       bool remove_dynamic_dimensions = false);
  // An id for a computation. Invalid if it is null or a call failed before.
  XlaComputationId AddSubComputation(const XlaComputation& computation);

  // Whether the value is a compile-time constant: it does not depend on parameters, effects or
  // random numbers. As in XLA, results of call, while, scatter and custom-call do not count as
  // constant.
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
  // The operation and its transitive operands, one per line, operands first.
  std::string OpToString(XlaOp op) const;

  // --- Errors

  // That of the first failed call.
  absl::Status first_error() const;
  absl::Status GetCurrentStatus() const { return first_error(); }
  // Records an error as a failed call does. The result is an invalid handle.
  XlaOp ReportError(const absl::Status& error);
  XlaOp ReportErrorOrReturn(const absl::StatusOr<XlaOp>& op);
  XlaOp ReportErrorOrReturn(absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator);
  // Runs `op_creator` and records its error as an error of the function `call`, or of the outermost
  // call if calls are nested. For functions that make operations.
  XlaOp Record(const char* call, absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator);
  // If `enabled`, the first failed call aborts the process with the message on stderr, so that a
  // debugger shows the call. Sub-builders created later inherit the setting.
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
  // An error unless there are at least two spatial dimensions and the numbers of each array are
  // distinct.
  static absl::Status Validate(const ConvolutionDimensionNumbers& dnum);

  // An elementwise operation without attributes. `call` is the name of the function, for errors.
  static XlaOp UnaryOp(const char* call, HloOpcode opcode, XlaOp operand,
                       const std::optional<ResultAccuracy>& result_accuracy = std::nullopt);
  static XlaOp BinaryOp(const char* call, HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                        absl::Span<const int64_t> broadcast_dimensions);

  // Internal to xla/hlo/builder (builder_state.h): the steps that operations are made of.
  struct State;
  State& state() { return *state_; }

 private:
  friend struct internal::XlaBuilderFriend;
  std::unique_ptr<State> state_;
};

}  // namespace xla

#include "xla/hlo/builder/builder_friend.h"     // IWYU pragma: export
#include "xla/hlo/builder/native_constants.h"   // IWYU pragma: export
#include "xla/hlo/builder/scoped_assignment.h"  // IWYU pragma: export
#include "xla/hlo/builder/xla_ops.h"            // IWYU pragma: export

#endif  // XLA_HLO_BUILDER_XLA_BUILDER_H_

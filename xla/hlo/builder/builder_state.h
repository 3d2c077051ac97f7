// SPDX-License-Identifier: Apache-2.0
// The state of an XlaBuilder, and the building blocks of its operations. Internal to
// xla/hlo/builder.
#ifndef XLA_HLO_BUILDER_BUILDER_STATE_H_
#define XLA_HLO_BUILDER_BUILDER_STATE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/builder/computation_data.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/util.h"

namespace xla {

struct XlaBuilder::State {
  State(XlaBuilder* builder, std::string program_name);

  // --- Steps of operations

  XlaOp Record(const char* call, absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator);
  // Records the error, attributed to the current call if there is one.
  XlaOp Fail(const absl::Status& error, const char* call);

  // The instruction of a handle. Errors: an earlier error; a handle that is uninitialized or of
  // another builder.
  absl::StatusOr<HloInstruction*> Find(XlaOp op) const;
  absl::StatusOr<const Shape*> ShapeOf(XlaOp op) const;
  absl::StatusOr<std::vector<const Shape*>> ShapesOf(absl::Span<const XlaOp> ops) const;

  // Adds an instruction with the inferred shape, or with `declared` if that is compatible. Sets the
  // defaults for new operations.
  absl::StatusOr<XlaOp> Add(HloOpcode opcode, absl::Span<const XlaOp> operands,
                            Attributes attributes = NoAttributes{}, const Shape* declared = nullptr,
                            absl::Span<const XlaComputationRef> callees = {});
  absl::StatusOr<XlaOp> Add(HloOpcode opcode, std::initializer_list<XlaOp> operands,
                            Attributes attributes = NoAttributes{}, const Shape* declared = nullptr,
                            std::initializer_list<XlaComputationRef> callees = {}) {
    return Add(opcode, absl::MakeConstSpan(operands.begin(), operands.size()),
               std::move(attributes), declared,
               absl::MakeConstSpan(callees.begin(), callees.size()));
  }
  absl::StatusOr<XlaOp> AddConstant(Literal literal);
  // The last two steps of adding an instruction: setting the defaults for new operations, and
  // taking ownership.
  absl::Status Decorate(HloInstruction* instruction);
  XlaOp Adopt(std::unique_ptr<HloInstruction> instruction);
  // Arrays without layout get the default one.
  static Shape WithLayouts(Shape shape);
  absl::StatusOr<XlaOp> AddToken();

  // The part of a value at the index (dynamic_binding.cc).
  absl::StatusOr<XlaOp> PartOf(XlaOp op, absl::Span<const int64_t> index);
  // In `instructions`.
  absl::StatusOr<int64_t> PositionOfParameter(int64_t number) const;

  // Feeds and transfers (effect.cc).
  absl::StatusOr<XlaOp> FeedToken(XlaOp former);
  absl::StatusOr<XlaOp> AddOutfeed(const char* call, XlaOp operand, XlaOp token,
                                   const Shape& shape_with_layout, const std::string& config);
  absl::StatusOr<XlaOp> AddSend(XlaOp operand, XlaOp token, const SendRecvAttributes& attributes,
                                const Shape* transferred);
  absl::StatusOr<XlaOp> AddRecv(XlaOp token, const Shape& shape,
                                const SendRecvAttributes& attributes);

  // Collectives (collective.cc, all_to_all.cc).
  absl::StatusOr<std::vector<XlaOp>> CollectiveOperands(const char* call, XlaOp operand,
                                                        bool one_element_type);
  absl::Status SetLayout(XlaOp op, const Layout& layout);
  absl::StatusOr<XlaOp> AddAllGather(HloOpcode opcode, XlaOp operand, int64_t all_gather_dimension,
                                     int64_t shard_count, const CollectiveDeviceList& groups,
                                     const std::optional<ChannelHandle>& channel,
                                     const std::optional<Layout>& layout,
                                     std::optional<bool> use_global_device_ids);
  absl::StatusOr<XlaOp> AddAllReduce(HloOpcode opcode, XlaOp operand, XlaComputationRef computation,
                                     const CollectiveDeviceList& groups,
                                     const std::optional<ChannelHandle>& channel,
                                     const std::optional<Shape>& shape_with_layout,
                                     std::optional<bool> use_global_device_ids);
  absl::StatusOr<XlaOp> AddReduceScatter(XlaOp operand, XlaComputationRef computation,
                                         int64_t scatter_dimension, int64_t shard_count,
                                         const CollectiveDeviceList& groups,
                                         const std::optional<ChannelHandle>& channel,
                                         const std::optional<Layout>& layout,
                                         std::optional<bool> use_global_device_ids);
  absl::StatusOr<XlaOp> AddCollective(HloOpcode opcode, absl::Span<const XlaOp> operands,
                                      const CollectiveDeviceList& groups,
                                      const std::optional<ChannelHandle>& channel);
  absl::StatusOr<XlaOp> AddPermute(HloOpcode opcode, absl::Span<const XlaOp> operands,
                                   const std::vector<std::pair<int64_t, int64_t>>& pairs,
                                   const std::optional<ChannelHandle>& channel);
  absl::StatusOr<XlaOp> AddAllToAllTuple(absl::Span<const XlaOp> operands,
                                         const CollectiveDeviceList& groups,
                                         const std::optional<Layout>& layout,
                                         const std::optional<ChannelHandle>& channel);
  absl::StatusOr<XlaOp> AddAllToAllArray(XlaOp operand, int64_t split_dimension,
                                         int64_t concat_dimension, int64_t split_count,
                                         const CollectiveDeviceList& groups,
                                         const std::optional<ChannelHandle>& channel);
  absl::StatusOr<XlaOp> AddAllToAllOfParts(XlaOp operand, int64_t split_dimension,
                                           int64_t concat_dimension, int64_t split_count,
                                           const CollectiveDeviceList& groups,
                                           const std::optional<Layout>& layout,
                                           const std::optional<ChannelHandle>& channel);

  // Elementwise operations as calls of the user (elementwise.cc).
  absl::StatusOr<XlaOp> MakeUnary(HloOpcode opcode, XlaOp operand,
                                  const std::optional<ResultAccuracy>& result_accuracy = {});
  absl::StatusOr<XlaOp> MakeBinary(HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                   absl::Span<const int64_t> broadcast_dimensions = {},
                                   Attributes attributes = NoAttributes{});

  absl::StatusOr<XlaOp> MakeTernary(HloOpcode opcode, XlaOp first, XlaOp second, XlaOp third);
  XlaOp CompareAs(const char* call, XlaOp lhs, XlaOp rhs,
                  absl::Span<const int64_t> broadcast_dimensions, ComparisonDirection direction,
                  std::optional<ComparisonType> type = std::nullopt);
  XlaOp CompareTotalOrder(const char* call, XlaOp lhs, XlaOp rhs,
                          absl::Span<const int64_t> broadcast_dimensions,
                          ComparisonDirection direction);
  static absl::Status CheckArrayAndType(const Shape& operand, PrimitiveType type);

  // A windowed operation whose padding depends on dynamic sizes, as a custom call (window.cc).
  absl::StatusOr<XlaOp> AddDynamicWindow(const char* target, HloOpcode opcode,
                                         absl::Span<const XlaOp> operands,
                                         absl::Span<const int64_t> window_dimensions,
                                         absl::Span<const int64_t> window_strides,
                                         absl::Span<const std::pair<int64_t, int64_t>> padding,
                                         absl::Span<const XlaComputationRef> callees);

  // Contractions with a result of a preferred element type (contraction.cc).
  absl::StatusOr<XlaOp> AddContraction(HloOpcode opcode, absl::Span<const XlaOp> operands,
                                       Attributes attributes,
                                       std::optional<PrimitiveType> preferred_element_type);
  struct ConvolutionArguments {
    absl::Span<const int64_t> strides;
    absl::Span<const std::pair<int64_t, int64_t>> padding;
    absl::Span<const int64_t> lhs_dilation, rhs_dilation;
    const ConvolutionDimensionNumbers& numbers;
    int64_t feature_group_count, batch_group_count;
    const PrecisionConfig* precision_config;
    const std::optional<std::vector<bool>>& window_reversal;
  };
  absl::StatusOr<ConvolutionAttributes> MakeConvolution(
      XlaOp lhs, XlaOp rhs, const ConvolutionArguments& arguments) const;
  absl::StatusOr<XlaOp> AddDynamicConvolution(const char* target, absl::Span<const XlaOp> operands,
                                              XlaOp lhs, XlaOp rhs,
                                              const ConvolutionArguments& arguments,
                                              PaddingType padding_type,
                                              std::optional<PrimitiveType> preferred_element_type,
                                              bool static_result);

  absl::StatusOr<XlaOp> AddConditional(PrimitiveType index_type, XlaOp index,
                                       absl::Span<const XlaComputationRef> branches,
                                       absl::Span<const XlaOp> branch_operands);

  struct CustomCallArguments {
    absl::string_view target, opaque;
    bool has_side_effect = false;
    AliasingPairs aliasing = {};
    const Literal* literal = nullptr;
    CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE;
    CustomCallApiVersion api_version = CustomCallApiVersion::API_VERSION_ORIGINAL;
    const Window* window = nullptr;
    const ConvolutionDimensionNumbers* numbers = nullptr;
    std::optional<absl::Span<const Shape>> operand_layouts = std::nullopt;
    absl::Span<const XlaComputationRef> callees = {};
  };
  absl::StatusOr<XlaOp> AddCustomCall(absl::Span<const XlaOp> operands, const Shape& shape,
                                      const CustomCallArguments& arguments);

  // Parameters and result of a computation to call.
  absl::StatusOr<ProgramShape> SignatureOf(const XlaComputationRef& ref) const;
  // The copy of a computation in this builder's module, made on first use, with all that it calls.
  absl::StatusOr<HloComputation*> Embed(const XlaComputationRef& ref);
  absl::StatusOr<XlaComputation> Resolve(const XlaComputationRef& ref) const;

  // --- Broadcasting (broadcast.cc)

  // broadcast(operand), dimensions[i] of the result being dimension i of the operand.
  absl::StatusOr<XlaOp> InDimBroadcast(const Shape& shape, XlaOp operand,
                                       absl::Span<const int64_t> dimensions);
  // The operand with the sizes of `output`: a scalar, or an array of equal rank whose sizes are
  // those of the output or 1.
  absl::StatusOr<XlaOp> BroadcastTo(const Shape& output, XlaOp operand);
  // Two operands with the sizes of an elementwise operation's result.
  struct Operands {
    XlaOp lhs, rhs;
    Shape shape;
  };
  // The same for unbounded dynamic sizes.
  absl::StatusOr<Operands> BroadcastUnboundedOperands(
      XlaOp lhs, XlaOp rhs, const Shape& shape, absl::Span<const int64_t> broadcast_dimensions);
  absl::StatusOr<Operands> BroadcastOperands(HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                             absl::Span<const int64_t> broadcast_dimensions);

  // --- The program being made

  // Empties the builder, as after construction. Names, scopes and errors stay.
  void Reset();
  absl::Status RemoveDynamicDimensions();
  absl::StatusOr<ProgramShape> SignatureFor(const HloInstruction* root) const;
  absl::StatusOr<const HloInstruction*> LastInstruction() const;
  absl::Status SetAliases(const ProgramShape& signature, HloModuleConfig* config) const;
  absl::StatusOr<XlaComputation> Build(HloInstruction* root, bool remove_dynamic_dimensions);

  XlaBuilder* const self;
  const std::string name;
  XlaBuilder* parent = nullptr;  // of a sub-builder
  std::unique_ptr<HloModule> module;
  HloComputation* computation = nullptr;  // the entry computation of `module`
  // Instruction of handle first_handle + i. Handles of programs already built are not used again.
  std::vector<HloInstruction*> instructions;
  int64_t first_handle = 0;
  absl::flat_hash_set<int64_t> parameter_numbers;
  // Positions whose handle stands for a parameter with sizes set (SetDynamicBinding).
  absl::flat_hash_map<int64_t, int64_t> bound_parameters;
  // Copies of computations in `module`.
  absl::flat_hash_map<ComputationToken, HloComputation*> embedded;
  // The computations of XlaComputationId, shared by a builder and its sub-builders.
  std::shared_ptr<std::vector<XlaComputation>> shared_computations;
  std::vector<InputOutputAlias> aliases;
  std::vector<BufferDonor> donors;
  // What XlaBuilderFriend::GetInstruction has handed out, by position (edited_protos.cc).
  absl::flat_hash_map<int64_t, std::unique_ptr<HloInstructionProto>> protos;
  HloInstructionProto* ProtoOf(XlaOp op);
  HloInstructionProto* ProtoOfHandle(int64_t handle) { return ProtoOf(XlaOp(self, handle)); }
  absl::Status TakeEdits();
  XlaOp infeed_token, outfeed_token;  // of the last infeed and outfeed without explicit token

  // --- What operations get

  OpMetadata metadata;
  std::optional<OpMetadata> one_shot_metadata;
  std::optional<OpSharding> sharding;
  FrontendAttributes frontend_attributes;
  std::optional<OriginalValueProto> original_value;

  // --- Errors

  absl::Status first_error;
  const char* current_call = nullptr;  // of the user; null outside of calls
  bool die_immediately_on_error = false;
};

// Int64s of a proto field or a span.
template <typename List>
Int64s ToInt64s(const List& list) {
  return Int64s(list.begin(), list.end());
}

// (inputs..., inits...)
std::vector<XlaOp> Concatenated(absl::Span<const XlaOp> first, absl::Span<const XlaOp> second);

absl::StatusOr<Precisions> PrecisionsOf(const PrecisionConfig* config, int64_t operand_count);
PrecisionConfig::Algorithm AlgorithmOf(const PrecisionConfig* config);
// One entry for each dimension of the window; empty lists are all 1, padding all 0.
absl::StatusOr<WindowDims> MakeWindow(absl::Span<const int64_t> sizes,
                                      absl::Span<const int64_t> strides,
                                      absl::Span<const std::pair<int64_t, int64_t>> padding,
                                      absl::Span<const int64_t> base_dilations,
                                      absl::Span<const int64_t> window_dilations,
                                      const std::optional<std::vector<bool>>& reversal = {});
absl::StatusOr<ConvDims> ToConvDims(const ConvolutionDimensionNumbers& numbers);
WindowDims ToWindowDims(const Window& window);
std::vector<OutputOperandAlias> ToAliases(AliasingPairs aliasing);
absl::StatusOr<AccuracySpec> ToAccuracy(const ResultAccuracy& proto);

}  // namespace xla

#endif  // XLA_HLO_BUILDER_BUILDER_STATE_H_

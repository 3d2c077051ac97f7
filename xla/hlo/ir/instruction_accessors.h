// SPDX-License-Identifier: Apache-2.0
// Attributes of instructions under XLA's names: thin forms of HloInstruction::attributes. Part of
// hlo_instruction.h; include that.
#ifndef XLA_HLO_IR_INSTRUCTION_ACCESSORS_H_
#define XLA_HLO_IR_INSTRUCTION_ACCESSORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/service/hlo_enums.h"
#include "xla/xla_data_enums.h"

namespace xla {

class HloComputation;
class HloInstruction;
class HloInstructionProto;
struct ShapeIndex;  // xla/shape_util.h

// Base of HloInstruction. Attributes of another operation are a programming error (checked). Protos
// are copies, made by functions in xla/hlo/proto; who calls them includes the proto's header.
struct InstructionAccessors {
  using FusionKind = xla::FusionKind;

  // --- dot, convolution, gather, scatter
  DotDimensionNumbers dot_dimension_numbers() const;
  RaggedDotDimensionNumbers ragged_dot_dimension_numbers() const;
  PrecisionConfig precision_config() const;
  ConvolutionDimensionNumbers convolution_dimension_numbers() const;
  SparsityConfig sparsity_config() const;
  int64_t feature_group_count() const;
  int64_t batch_group_count() const;
  ConvolutionKind convolution_kind() const;
  GatherDimensionNumbers gather_dimension_numbers() const;
  absl::Span<const int64_t> gather_slice_sizes() const;
  ScatterDimensionNumbers scatter_dimension_numbers() const;
  // Of convolution, reduce-window, select-and-scatter and custom-call.
  Window window() const;
  void set_window(const Window& window);
  PaddingConfig padding_config() const;
  TriangularSolveOptions triangular_solve_options() const;
  CholeskyOptions cholesky_options() const;

  // --- Data movement
  int64_t slice_starts(int64_t dimension) const;
  int64_t slice_limits(int64_t dimension) const;
  int64_t slice_strides(int64_t dimension) const;
  const std::vector<int64_t>& dynamic_slice_sizes() const;
  int64_t slice_sizes(int64_t dimension) const { return dynamic_slice_sizes()[dimension]; }
  int64_t concatenate_dimension() const;
  // Of iota, sort, get-dimension-size and others that have one.
  int64_t dimension() const;

  // --- Elementwise, normalization, random, transforms
  ComparisonDirection comparison_direction() const;
  int32_t exponent_bits() const;
  int32_t mantissa_bits() const;
  float epsilon() const;
  int64_t feature_index() const;
  RandomDistribution random_distribution() const;
  FftType fft_type() const;
  const std::vector<int64_t>& fft_length() const;
  bool is_stable() const;

  // --- Calls
  FusionKind fusion_kind() const;
  HloComputation* fused_instructions_computation() const;
  HloInstruction* fused_expression_root() const;
  int64_t fused_instruction_count() const;
  const std::string& opaque() const;
  bool custom_call_has_side_effect() const;
  // Whether this is a custom call of the target, or of one of them.
  bool IsCustomCall(absl::string_view target) const;
  bool IsCustomCall(absl::Span<const absl::string_view> targets) const;
  // Of call, fusion and custom-call: parts of the result, and (operand, part of it) that share
  // memory with them.
  using OutputOperandAliases = std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;
  OutputOperandAliases output_to_operand_aliasing() const;
  void set_output_to_operand_aliasing(OutputOperandAliases aliases);
  // The operation in the computation of an async-start, update or done.
  HloInstruction* async_wrapped_instruction() const;
  HloOpcode async_wrapped_opcode() const;
  HloComputation* async_wrapped_computation() const;
  // The thread of the start's computation; "main" if there is none.
  std::string async_execution_thread() const;
  // The start and the done of the chain to which an async operation belongs.
  HloInstruction* async_chain_start() const;
  HloInstruction* async_chain_done() const;

  // --- Communication
  std::optional<int64_t> channel_id() const;
  void set_channel_id(const std::optional<int64_t>& channel_id);
  const CollectiveDeviceList& device_list() const;
  // The groups of device_list(), one id at a time.
  std::vector<ReplicaGroup> replica_groups() const;
  const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs() const;
  bool constrain_layout() const;
  bool use_global_device_ids() const;
  bool is_host_transfer() const;
  const std::string& infeed_config() const;
  const std::string& outfeed_config() const;

  // --- Optional data
  FrontendAttributes frontend_attributes() const;
  std::optional<std::string> get_frontend_attribute(std::string_view key) const;
  // Replaces a value, or keeps an existing one and returns false.
  void set_frontend_attribute(const std::string& key, std::string value);
  bool add_frontend_attribute(const std::string& key, std::string value);
  void set_frontend_attributes(const FrontendAttributes& attributes);
  StatisticsViz statistics_viz() const;
  ResultAccuracy result_accuracy() const;

  // Refers to operands and computations by their unique ids.
  HloInstructionProto ToProto() const;

  // --- The ids of instructions in protos of modules: the id of the computation above the low 32
  // bits, which number its instructions.
  static constexpr int64_t CalculateUniqueId(int32_t computation_id, int32_t local_id) {
    return (int64_t{computation_id} << 32) | int64_t{local_id};
  }
  static constexpr int32_t CalculateLocalId(int64_t unique_id) {
    return static_cast<int32_t>(unique_id & 0xffffffff);
  }
  static constexpr int32_t CalculateParentId(int64_t unique_id) {
    return static_cast<int32_t>(unique_id >> 32);
  }

 protected:
  InstructionAccessors() = default;

 private:
  const HloInstruction& Self() const;
  HloInstruction& Self();
};

// As HLO text has them; defined in xla/hlo/parser.
std::string PaddingConfigToString(const PaddingConfig& padding);
std::string ConvolutionDimensionNumbersToString(const ConvolutionDimensionNumbers& numbers);
std::string FrontendAttributesToString(const FrontendAttributes& attributes);
std::string ReplicaGroupsToString(absl::Span<const ReplicaGroup> groups);

}  // namespace xla

#endif  // XLA_HLO_IR_INSTRUCTION_ACCESSORS_H_

// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/instruction_accessors.h"

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape_util.h"

namespace xla {

const HloInstruction& InstructionAccessors::Self() const {
  return static_cast<const HloInstruction&>(*this);
}
HloInstruction& InstructionAccessors::Self() { return static_cast<HloInstruction&>(*this); }

// The member that `get` selects, of whichever attribute struct has it.
template <typename Result, typename Get>
static Result Member(const HloInstruction& instruction, const char* name, Get get) {
  const auto* found = instruction.attributes().visit([&](const auto& attributes) -> const Result* {
    if constexpr (requires { get(attributes); }) return &get(attributes);
    return nullptr;
  });
  XLA_CHECK(found != nullptr) << instruction.ToShortString() << " has no " << name;
  return *found;
}

#define XLA_MEMBER(Result, function, member)                                               \
  Result InstructionAccessors::function() const {                                          \
    return Member<Result>(Self(), #function,                                               \
                          [](const auto& a) -> decltype((a.member)) { return a.member; }); \
  }
XLA_MEMBER(int64_t, feature_group_count, feature_group_count)
XLA_MEMBER(int64_t, batch_group_count, batch_group_count)
XLA_MEMBER(bool, constrain_layout, constrain_layout)
XLA_MEMBER(bool, use_global_device_ids, use_global_device_ids)
#undef XLA_MEMBER

ConvolutionKind InstructionAccessors::convolution_kind() const {
  return Self().attributes<ConvolutionAttributes>().kind;
}
absl::Span<const int64_t> InstructionAccessors::gather_slice_sizes() const {
  return Self().attributes<GatherAttributes>().slice_sizes;
}
int64_t InstructionAccessors::slice_starts(int64_t dimension) const {
  return Self().attributes<SliceAttributes>().slice[dimension].start;
}
int64_t InstructionAccessors::slice_limits(int64_t dimension) const {
  return Self().attributes<SliceAttributes>().slice[dimension].limit;
}
int64_t InstructionAccessors::slice_strides(int64_t dimension) const {
  return Self().attributes<SliceAttributes>().slice[dimension].stride;
}
const std::vector<int64_t>& InstructionAccessors::dynamic_slice_sizes() const {
  return Self().attributes<DynamicSliceAttributes>().dynamic_slice_sizes;
}
int64_t InstructionAccessors::concatenate_dimension() const { return Self().dimensions()[0]; }
int64_t InstructionAccessors::dimension() const {
  if (const auto* iota = Self().attributes_if<IotaAttributes>()) return iota->iota_dimension;
  return Self().dimensions()[0];
}

ComparisonDirection InstructionAccessors::comparison_direction() const {
  return Self().attributes<CompareAttributes>().direction;
}
int32_t InstructionAccessors::exponent_bits() const {
  return static_cast<int32_t>(Self().attributes<ReducePrecisionAttributes>().exponent_bits);
}
int32_t InstructionAccessors::mantissa_bits() const {
  return static_cast<int32_t>(Self().attributes<ReducePrecisionAttributes>().mantissa_bits);
}
float InstructionAccessors::epsilon() const {
  return Self().attributes<BatchNormAttributes>().epsilon;
}
int64_t InstructionAccessors::feature_index() const {
  return Self().attributes<BatchNormAttributes>().feature_index;
}
RandomDistribution InstructionAccessors::random_distribution() const {
  return Self().attributes<RngAttributes>().distribution;
}
FftType InstructionAccessors::fft_type() const {
  return Self().attributes<FftAttributes>().fft_type;
}
const std::vector<int64_t>& InstructionAccessors::fft_length() const {
  return Self().attributes<FftAttributes>().fft_length;
}
bool InstructionAccessors::is_stable() const {
  return Self().attributes<SortAttributes>().is_stable;
}

FusionKind InstructionAccessors::fusion_kind() const {
  return Self().attributes<FusionAttributes>().kind;
}
HloComputation* InstructionAccessors::fused_instructions_computation() const {
  XLA_CHECK(Self().opcode() == HloOpcode::kFusion) << Self().ToShortString();
  return Self().called_computations()[0];
}
int64_t InstructionAccessors::fused_instruction_count() const {
  return fused_instructions_computation()->instruction_count();
}
HloInstruction* InstructionAccessors::fused_expression_root() const {
  return fused_instructions_computation()->root_instruction();
}
const std::string& InstructionAccessors::opaque() const {
  return Self().raw_backend_config_string();
}
bool InstructionAccessors::custom_call_has_side_effect() const {
  return Self().attributes<CustomCallAttributes>().has_side_effect;
}

bool InstructionAccessors::IsCustomCall(absl::string_view target) const {
  return IsCustomCall(absl::MakeConstSpan(&target, 1));
}
bool InstructionAccessors::IsCustomCall(absl::Span<const absl::string_view> targets) const {
  const auto* attributes = Self().attributes_if<CustomCallAttributes>();
  return attributes != nullptr && absl::c_any_of(targets, [&](absl::string_view target) {
           return target == attributes->custom_call_target;
         });
}

// The aliases of whichever attribute struct has some.
static std::vector<OutputOperandAlias>& AliasesOf(HloInstruction& instruction) {
  std::vector<OutputOperandAlias>* aliases = nullptr;
  if (instruction.attributes_if<CallAttributes>() != nullptr) {
    aliases = &instruction.mutable_attributes<CallAttributes>()->output_to_operand_aliasing;
  } else if (instruction.attributes_if<FusionAttributes>() != nullptr) {
    aliases = &instruction.mutable_attributes<FusionAttributes>()->output_to_operand_aliasing;
  } else if (instruction.attributes_if<CustomCallAttributes>() != nullptr) {
    aliases = &instruction.mutable_attributes<CustomCallAttributes>()->output_to_operand_aliasing;
  }
  XLA_CHECK(aliases != nullptr) << instruction.ToShortString() << " has no aliases";
  return *aliases;
}

InstructionAccessors::OutputOperandAliases InstructionAccessors::output_to_operand_aliasing()
    const {
  OutputOperandAliases aliases;
  for (const OutputOperandAlias& alias : AliasesOf(const_cast<HloInstruction&>(Self()))) {
    aliases.emplace_back(ShapeIndex(alias.output_index.begin(), alias.output_index.end()),
                         std::pair(alias.operand, ShapeIndex(alias.operand_index.begin(),
                                                             alias.operand_index.end())));
  }
  return aliases;
}
void InstructionAccessors::set_output_to_operand_aliasing(OutputOperandAliases aliases) {
  std::vector<OutputOperandAlias>& own = AliasesOf(Self());
  own.clear();
  for (const auto& [output, operand] : aliases) {
    own.push_back({.output_index = {output.begin(), output.end()},
                   .operand = operand.first,
                   .operand_index = {operand.second.begin(), operand.second.end()}});
  }
}

HloInstruction* InstructionAccessors::async_chain_start() const {
  XLA_CHECK(HloOpcodeIsAsync(Self().opcode())) << Self().ToShortString();
  // Chains may be long: no recursion.
  auto* at = const_cast<HloInstruction*>(&Self());
  while (at->opcode() != HloOpcode::kAsyncStart) {
    at = at->operand(0);
    XLA_CHECK(HloOpcodeIsAsync(at->opcode())) << at->ToShortString();
  }
  return at;
}
HloInstruction* InstructionAccessors::async_chain_done() const {
  XLA_CHECK(HloOpcodeIsAsync(Self().opcode())) << Self().ToShortString();
  auto* at = const_cast<HloInstruction*>(&Self());
  while (at->opcode() != HloOpcode::kAsyncDone) {
    XLA_CHECK(at->user_count() == 1 && HloOpcodeIsAsync(at->users()[0]->opcode()))
        << at->ToShortString();
    at = at->users()[0];
  }
  return at;
}
HloComputation* InstructionAccessors::async_wrapped_computation() const {
  return async_chain_start()->called_computations()[0];
}
HloInstruction* InstructionAccessors::async_wrapped_instruction() const {
  return async_wrapped_computation()->root_instruction();
}
HloOpcode InstructionAccessors::async_wrapped_opcode() const {
  return async_wrapped_instruction()->opcode();
}
std::string InstructionAccessors::async_execution_thread() const {
  const std::string& thread =
      async_chain_start()->attributes<AsyncAttributes>().async_execution_thread;
  return thread.empty() ? "main" : thread;
}

std::optional<int64_t> InstructionAccessors::channel_id() const {
  return Self().attributes().visit([](const auto& attributes) -> std::optional<int64_t> {
    if constexpr (requires { attributes.channel_id; }) return attributes.channel_id;
    return std::nullopt;
  });
}
void InstructionAccessors::set_channel_id(const std::optional<int64_t>& channel_id) {
  Attributes attributes = Self().attributes();
  attributes.visit([&](auto& value) {
    if constexpr (requires { value.channel_id; }) value.channel_id = channel_id;
  });
  Self().set_attributes(std::move(attributes));
}
const CollectiveDeviceList& InstructionAccessors::device_list() const {
  const auto* list =
      Self().attributes().visit([](const auto& attributes) -> const CollectiveDeviceList* {
        if constexpr (requires { attributes.replica_groups; }) return &attributes.replica_groups;
        return nullptr;
      });
  XLA_CHECK(list != nullptr) << Self().ToShortString() << " has no replica groups";
  return *list;
}
const std::vector<std::pair<int64_t, int64_t>>& InstructionAccessors::source_target_pairs() const {
  return Self().attributes<CollectivePermuteAttributes>().source_target_pairs;
}
bool InstructionAccessors::is_host_transfer() const {
  return Self().attributes<SendRecvAttributes>().is_host_transfer;
}
const std::string& InstructionAccessors::infeed_config() const {
  return Self().attributes<InfeedAttributes>().infeed_config;
}
const std::string& InstructionAccessors::outfeed_config() const {
  return Self().attributes<OutfeedAttributes>().outfeed_config;
}

std::optional<std::string> InstructionAccessors::get_frontend_attribute(
    std::string_view key) const {
  const auto& attributes = Self().extras().frontend_attributes;
  const auto found = attributes.find(std::string(key));
  if (found == attributes.end()) return std::nullopt;
  return found->second;
}
void InstructionAccessors::set_frontend_attribute(const std::string& key, std::string value) {
  Self().mutable_extras().frontend_attributes[key] = std::move(value);
}
bool InstructionAccessors::add_frontend_attribute(const std::string& key, std::string value) {
  return Self().mutable_extras().frontend_attributes.emplace(key, std::move(value)).second;
}

}  // namespace xla

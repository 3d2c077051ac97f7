// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_instructions.h"

#include "xla/hlo/ir/hlo_computation.h"

namespace xla {

static absl::Span<HloInstruction* const> FirstHalf(const HloInstruction& instruction) {
  return absl::MakeConstSpan(instruction.operands()).first(instruction.operand_count() / 2);
}
static absl::Span<HloInstruction* const> SecondHalf(const HloInstruction& instruction) {
  return absl::MakeConstSpan(instruction.operands()).subspan(instruction.operand_count() / 2);
}

std::optional<int> HloCopyStartInstruction::cross_program_prefetch_index() const {
  const auto& index = attributes<CopyStartAttributes>().cross_program_prefetch_index;
  if (!index.has_value()) return std::nullopt;
  return static_cast<int>(*index);
}

ComparisonType HloCompareInstruction::type() const {
  return attributes<CompareAttributes>().type.value_or(
      Comparison::DefaultComparisonType(operand(0)->shape().element_type()));
}

std::optional<int64_t> HloAllToAllInstruction::split_dimension() const {
  const std::optional<Int64s>& dimensions = attributes<AllToAllAttributes>().dimensions;
  if (!dimensions.has_value() || dimensions->empty()) return std::nullopt;
  return dimensions->front();
}

absl::Span<HloInstruction* const> HloReduceInstruction::inputs() const { return FirstHalf(*this); }
absl::Span<HloInstruction* const> HloReduceInstruction::init_values() const {
  return SecondHalf(*this);
}
absl::Span<HloInstruction* const> HloReduceWindowInstruction::inputs() const {
  return FirstHalf(*this);
}
absl::Span<HloInstruction* const> HloReduceWindowInstruction::init_values() const {
  return SecondHalf(*this);
}

HloInstruction* HloCallableInstruction::called_computation_root() const {
  return called_computation()->root_instruction();
}

HloCallableInstruction::OutputAliases HloCallableInstruction::output_operand_aliasing() const {
  OutputAliases result;
  attributes().visit([&](const auto& value) {
    if constexpr (requires { value.output_to_operand_aliasing; }) {
      for (const OutputOperandAlias& alias : value.output_to_operand_aliasing) {
        result.emplace_back(ShapeIndex(alias.output_index.begin(), alias.output_index.end()),
                            std::make_pair(alias.operand, ShapeIndex(alias.operand_index.begin(),
                                                                     alias.operand_index.end())));
      }
    }
  });
  return result;
}

void HloCallableInstruction::set_output_to_operand_aliasing(const OutputAliases& aliasing) {
  std::vector<OutputOperandAlias> aliases;
  for (const auto& [output, place] : aliasing) {
    aliases.push_back({Int64s(output.begin(), output.end()), place.first,
                       Int64s(place.second.begin(), place.second.end())});
  }
  Attributes changed = attributes();
  changed.visit([&](auto& value) {
    if constexpr (requires { value.output_to_operand_aliasing; }) {
      value.output_to_operand_aliasing = aliases;
    }
  });
  set_attributes(std::move(changed));
}

std::vector<HloInstruction*> HloFusionInstruction::fused_instructions() const {
  return called_computation()->instructions();
}
const std::vector<HloInstruction*>& HloFusionInstruction::fused_parameters() const {
  return called_computation()->parameter_instructions();
}

const Shape& HloOutfeedInstruction::outfeed_shape() const {
  const std::optional<Shape>& shape = attributes<OutfeedAttributes>().outfeed_shape;
  return shape.has_value() ? *shape : operand(0)->shape();
}

absl::Span<HloInstruction* const> HloDynamicIndexInstruction::index_operands() const {
  return absl::MakeConstSpan(operands()).subspan(first_index_operand_number());
}

absl::Span<HloInstruction* const> HloScatterInstruction::scatter_operands() const {
  return absl::MakeConstSpan(operands()).first(scatter_operand_count());
}
absl::Span<HloInstruction* const> HloScatterInstruction::scatter_updates() const {
  return absl::MakeConstSpan(operands()).last(scatter_operand_count());
}

}  // namespace xla

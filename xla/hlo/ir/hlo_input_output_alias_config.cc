// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/hlo_input_output_alias_config.h"

#include <algorithm>

#include "xla/hlo/ir/hlo_module.h"

namespace xla {
namespace {

bool SameIndex(const std::vector<int64_t>& a, const ShapeIndex& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

const InputOutputAlias* HloInputOutputAliasConfig::Find(int64_t number,
                                                        const ShapeIndex& index) const {
  for (const InputOutputAlias& alias : aliases_) {
    if (alias.parameter_number == number && SameIndex(alias.parameter_index, index)) return &alias;
  }
  return nullptr;
}

bool HloInputOutputAliasConfig::ParameterHasAlias(int64_t number, const ShapeIndex& index) const {
  return Find(number, index) != nullptr;
}

bool HloInputOutputAliasConfig::ParameterMustAlias(int64_t number, const ShapeIndex& index) const {
  const InputOutputAlias* alias = Find(number, index);
  return alias != nullptr && alias->kind == InputOutputAlias::Kind::kMust;
}

bool HloInputOutputAliasConfig::OutputHasAlias(const ShapeIndex& output_index) const {
  return GetAliasedParameter(output_index).has_value();
}

std::optional<ShapeIndex> HloInputOutputAliasConfig::GetAliasedOutput(
    int64_t number, const ShapeIndex& index) const {
  const InputOutputAlias* alias = Find(number, index);
  if (alias == nullptr) return std::nullopt;
  return ShapeIndex(alias->output_index.begin(), alias->output_index.end());
}

std::optional<HloInputOutputAliasConfig::Alias> HloInputOutputAliasConfig::GetAliasedParameter(
    const ShapeIndex& output_index) const {
  for (const InputOutputAlias& alias : aliases_) {
    if (!SameIndex(alias.output_index, output_index)) continue;
    return Alias{alias.parameter_number,
                 ShapeIndex(alias.parameter_index.begin(), alias.parameter_index.end()),
                 alias.kind == InputOutputAlias::Kind::kMust ? kMustAlias : kMayAlias};
  }
  return std::nullopt;
}

bool HloBufferDonorConfig::ParameterIsBufferDonor(int64_t number, const ShapeIndex& index) const {
  return std::any_of(donors_.begin(), donors_.end(), [&](const BufferDonor& donor) {
    return donor.parameter_number == number && SameIndex(donor.parameter_index, index);
  });
}

HloInputOutputAliasConfig HloModule::input_output_alias_config() const {
  return HloInputOutputAliasConfig(config_.input_output_alias);
}

HloBufferDonorConfig HloModule::buffer_donor_config() const {
  return HloBufferDonorConfig(config_.buffer_donor);
}

}  // namespace xla

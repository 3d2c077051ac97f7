// SPDX-License-Identifier: Apache-2.0
// Attribute structs: defaults by opcode, hash by walking the descriptions, names of enumerations.
#include "xla/hlo/ir/attributes.h"

#include <array>
#include <utility>

#include "xla/hlo/ir/hasher.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

using MakeDefault = Attributes (*)();

template <size_t kIndex>
Attributes MakeAlternative() {
  return Attributes(std::in_place_index<kIndex>);
}

template <size_t... kIndices>
constexpr std::array<MakeDefault, sizeof...(kIndices)> Makers(std::index_sequence<kIndices...>) {
  return {&MakeAlternative<kIndices>...};
}

constexpr auto kMakers = Makers(std::make_index_sequence<std::variant_size_v<Attributes>>());

// Visitor of a description: adds each field of one struct.
template <typename S>
struct HashFields {
  const S& attributes;
  ir_internal::Hasher& hasher;
  template <typename T>
  void operator()(const Field& field, T S::*member) {
    if (field.rule != FieldRule::kParseOnly) hasher.Add(attributes.*member);
  }
};

constexpr std::array<std::string_view, 4> kFusionKindNames = {"kLoop", "kInput", "kOutput",
                                                              "kCustom"};

// In order of the wire enumeration.
constexpr std::array<std::string_view, 4> kConvolutionKindNames = {"unset", "fprop", "dgrad",
                                                                   "wgrad"};

template <typename Enum, size_t kSize>
std::optional<Enum> FindName(const std::array<std::string_view, kSize>& names,
                             std::string_view name) {
  for (size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

bool LiteralRef::operator==(const LiteralRef& o) const {
  if (literal == o.literal) return true;
  return literal != nullptr && o.literal != nullptr && *literal == *o.literal;
}

std::string_view FusionKindName(FusionKind kind) {
  return kFusionKindNames[static_cast<size_t>(kind)];
}

std::optional<FusionKind> FusionKindFromName(std::string_view name) {
  return FindName<FusionKind>(kFusionKindNames, name);
}

std::string_view ConvolutionKindName(ConvolutionKind kind) {
  const size_t index = static_cast<size_t>(kind);
  return kConvolutionKindNames[index < kConvolutionKindNames.size() ? index : 0];
}

std::optional<ConvolutionKind> ConvolutionKindFromName(std::string_view name) {
  return FindName<ConvolutionKind>(kConvolutionKindNames, name);
}

Attributes MakeDefaultAttributes(HloOpcode opcode) {
  return kMakers[GetOpInfo(opcode).attributes_index]();
}

size_t HashAttributes(const Attributes& attributes) {
  ir_internal::Hasher hasher;
  hasher.Add(attributes.index());
  std::visit(
      [&hasher](const auto& value) {
        using S = std::decay_t<decltype(value)>;
        HashFields<S> fields{value, hasher};
        S::Describe(fields);
      },
      attributes);
  return hasher.result();
}

}  // namespace xla

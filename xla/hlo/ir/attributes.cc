// SPDX-License-Identifier: Apache-2.0
// Attribute structs: defaults by opcode, hash by walking the descriptions, names of enumerations.
#include "xla/hlo/ir/attributes.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "xla/hlo/ir/hasher.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal.h"

namespace xla {
namespace {

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

// --- Attributes: what depends on the struct held, by its index

struct AttributeTables {
  struct Row {
    bool is_in_place;
    size_t size;
    Attributes (*make_default)();
    void* (*copy)(const void*);
    void (*destroy)(void*);
    bool (*equal)(const void*, const void*);
  };

  template <class T>
  static constexpr Row MakeRow() {
    return {
        .is_in_place = Attributes::kIsInPlace<T>,
        .size = sizeof(T),
        .make_default = [] { return Attributes(T()); },
        .copy = [](const void* object) -> void* { return new T(*static_cast<const T*>(object)); },
        .destroy = [](void* object) { delete static_cast<T*>(object); },
        .equal =
            [](const void* a, const void* b) {
              return *static_cast<const T*>(a) == *static_cast<const T*>(b);
            }};
  }
  template <class... Structs>
  static constexpr std::array<Row, sizeof...(Structs)> MakeRows(AttributeList<Structs...>) {
    return {MakeRow<Structs>()...};
  }
  static const Row& row(size_t index) {
    static constexpr auto kRows = MakeRows(AttributeStructs());
    return kRows[index];
  }
};

Attributes::Attributes(const Attributes& other) : index_(other.index_) {
  const AttributeTables::Row& row = AttributeTables::row(index_);
  if (row.is_in_place) {
    std::memcpy(storage_, other.storage_, sizeof(storage_));
  } else {
    SetHeapObject(row.copy(other.heap_object()));
  }
}

void Attributes::Destroy() {
  const AttributeTables::Row& row = AttributeTables::row(index_);
  if (!row.is_in_place) row.destroy(heap_object());
}

Attributes Attributes::MakeDefault(size_t index) {
  return AttributeTables::row(index).make_default();
}

bool operator==(const Attributes& a, const Attributes& b) {
  if (a.index_ != b.index_) return false;
  const AttributeTables::Row& row = AttributeTables::row(a.index_);
  if (row.is_in_place) return row.equal(a.storage_, b.storage_);
  return row.equal(a.heap_object(), b.heap_object());
}

size_t Attributes::heap_bytes() const {
  const AttributeTables::Row& row = AttributeTables::row(index_);
  return row.is_in_place ? 0 : row.size;
}

Attributes MakeDefaultAttributes(HloOpcode opcode) {
  return Attributes::MakeDefault(GetOpInfo(opcode).attributes_index);
}

size_t HashAttributes(const Attributes& attributes) {
  ir_internal::Hasher hasher;
  hasher.Add(attributes.index());
  attributes.visit([&hasher](const auto& value) {
    using S = std::decay_t<decltype(value)>;
    HashFields<S> fields{value, hasher};
    S::Describe(fields);
  });
  return hasher.result();
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// The attributes of MLIR: immutable nodes in the arena of a context. Each kind has a struct;
// attribute->As<IntegerAttribute>() is null for another kind.
#ifndef XLA_MLIR_ATTRIBUTES_H_
#define XLA_MLIR_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "xla/mlir/types.h"

namespace xla::mlir {

enum class AttributeKind : uint8_t {
  kUnit,
  kInteger,
  kFloat,
  kString,
  kArray,
  kDictionary,
  kSymbolRef,
  kType,
  kDense,
  kDenseStrings,
  kDenseArray,
  kDenseResource,
  kSparse,
  kText,
  kLocation,
  kDialect,
};

struct Attribute {
  AttributeKind kind;

  template <typename T>
  const T* As() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }
};

struct NamedAttribute {
  std::string_view name;
  AttributeRef value;
};

struct UnitAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kUnit;
};

// Booleans are integers of type i1.
struct IntegerAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kInteger;
  TypeRef type;
  // Extended from the type's width: with zeros if it is unsigned, or signless of one bit, else with
  // the sign. The low 64 bits of wider ones.
  int64_t value;
  // All words, the lowest first, of types wider than 64 bits; else empty.
  absl::Span<const uint64_t> words;

  bool IsBool() const { return type->IsInteger(1); }
};

struct FloatAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kFloat;
  TypeRef type;
  FloatBits bits;

  double value() const { return DecodeFloat(type->float_kind, bits); }
};

struct StringAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kString;
  std::string_view value;
  TypeRef type;  // null for the usual strings, which have none
};

struct ArrayAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kArray;
  absl::Span<const AttributeRef> elements;
};

// In the order given. Names are distinct.
struct DictionaryAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDictionary;
  absl::Span<const NamedAttribute> entries;
};

// @root::@nested
struct SymbolRefAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kSymbolRef;
  std::string_view root;
  absl::Span<const std::string_view> nested;
};

struct TypeAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kType;
  TypeRef type;
};

// dense<..>: elements in row-major order, each of ElementBytes(*type->element) bytes, little
// endian; integers narrower than a byte are extended as IntegerAttribute::value is. One element
// only if all are the same and written so.
struct DenseAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDense;
  bool is_splat;
  TypeRef type;
  absl::Span<const char> data;
};

// dense<"text"> of a dialect's type.
struct DenseStringsAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDenseStrings;
  bool is_splat;
  TypeRef type;
  absl::Span<const std::string_view> elements;
};

// array<i64: 1, 2>
struct DenseArrayAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDenseArray;
  TypeRef element;
  int64_t count;
  absl::Span<const char> data;  // as of DenseAttribute
};

// dense_resource<key> : type. The data is in the resources of the source.
struct DenseResourceAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDenseResource;
  TypeRef type;
  std::string_view key;
};

// sparse<indices, values> : type
struct SparseAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kSparse;
  TypeRef type;
  const DenseAttribute* indices;  // i64, [elements, rank]; null if there are none
  AttributeRef values;            // DenseAttribute or DenseStringsAttribute; null if there are none
};

// affine_map<..>, affine_set<..>, strided<..>, distinct[..]<..>: kept as written.
struct TextAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kText;
  std::string_view text;
};

// loc(..)
struct LocationAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kLocation;
  enum class Form : uint8_t {
    kUnknown,   // unknown
    kFile,      // "file":line:column, "file":line:column to end_line:end_column
    kName,      // "name", "name"(child)
    kCallSite,  // callsite(callee at caller)
    kFused,     // fused<metadata>[children]
    kAlias,     // #alias that is defined later: children[0] once it is
  };
  Form form;
  int64_t line;
  int64_t column;
  std::string_view text;  // file, name or alias
  AttributeRef metadata;  // kFused, may be null
  absl::Span<const AttributeRef> children;
  int64_t end_line = 0;  // of a range that is more than one place; else both are 0
  int64_t end_column = 0;
  bool is_range() const { return end_line != 0 || end_column != 0; }
};

// #dialect.name<..>. A dialect's reader may set `parameters` and `elements`.
struct DialectAttribute : Attribute {
  static constexpr AttributeKind kKind = AttributeKind::kDialect;
  std::string_view dialect;
  std::string_view name;
  std::string_view text;  // between < and >, without the name where that is inside
  absl::Span<const NamedAttribute> parameters;
  absl::Span<const AttributeRef> elements;

  bool Is(std::string_view a_dialect, std::string_view a_name) const {
    return dialect == a_dialect && name == a_name;
  }
};

// Null if there is none of that name.
AttributeRef FindAttribute(absl::Span<const NamedAttribute> attributes, std::string_view name);

// Element `index` of dense data of the given element type, extended to 64 bits (integers and
// index).
int64_t DenseInteger(const Type& element, absl::Span<const char> data, int64_t index);
// A float; of complex, `index` counts the parts.
double DenseFloat(const Type& element, absl::Span<const char> data, int64_t index);

// Structural equality.
bool Equal(AttributeRef a, AttributeRef b);

std::string ToString(AttributeRef attribute);
void AppendTo(std::string* out, AttributeRef attribute);
// {a = 1, b}
void AppendTo(std::string* out, absl::Span<const NamedAttribute> attributes);
// @name or @"name".
void AppendSymbol(std::string* out, std::string_view name);
// "text" with escapes.
void AppendQuoted(std::string* out, std::string_view text);
// "a.py":1:2 to :9, of a location in a file.
void AppendFileLocation(std::string* out, const LocationAttribute& location);

}  // namespace xla::mlir

#endif  // XLA_MLIR_ATTRIBUTES_H_

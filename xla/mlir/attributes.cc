// SPDX-License-Identifier: Apache-2.0
// Facts and equality of attributes.
#include "xla/mlir/attributes.h"

#include <cstring>

namespace xla::mlir {
namespace {

bool EqualAll(absl::Span<const AttributeRef> a, absl::Span<const AttributeRef> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a[i], b[i])) return false;
  }
  return true;
}

bool EqualNamed(absl::Span<const NamedAttribute> a, absl::Span<const NamedAttribute> b) {
  if (a.size() != b.size()) return false;
  for (const NamedAttribute& entry : a) {
    const AttributeRef other = FindAttribute(b, entry.name);
    if (other == nullptr || !Equal(entry.value, other)) return false;
  }
  return true;
}

bool EqualData(const DenseAttribute& a, const DenseAttribute& b) {
  if (a.type != b.type) return false;
  if (a.data == b.data) return true;
  // A splat equals the same element written out.
  const DenseAttribute& splat = a.is_splat ? a : b;
  const DenseAttribute& full = a.is_splat ? b : a;
  if (!splat.is_splat || full.is_splat || splat.data.empty()) return false;
  if (full.data.size() % splat.data.size() != 0 || full.data.empty()) return false;
  for (size_t i = 0; i < full.data.size(); i += splat.data.size()) {
    if (std::memcmp(full.data.data() + i, splat.data.data(), splat.data.size()) != 0) return false;
  }
  return true;
}

}  // namespace

AttributeRef FindAttribute(absl::Span<const NamedAttribute> attributes, std::string_view name) {
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.name == name) return attribute.value;
  }
  return nullptr;
}

int64_t DenseInteger(const Type& element, absl::Span<const char> data, int64_t index) {
  const int64_t bytes = ElementBytes(element);
  uint64_t raw = 0;
  const int64_t used = bytes < 8 ? bytes : 8;
  std::memcpy(&raw, data.data() + index * bytes, static_cast<size_t>(used));
  if (used == 8) return static_cast<int64_t>(raw);
  const bool with_zeros = element.signedness == Signedness::kUnsigned || (element.IsInteger(1));
  const int shift = static_cast<int>(64 - 8 * used);
  return with_zeros ? static_cast<int64_t>(raw) : static_cast<int64_t>(raw << shift) >> shift;
}

double DenseFloat(const Type& element, absl::Span<const char> data, int64_t index) {
  const Type& part = element.kind == TypeKind::kComplex ? *element.element : element;
  const int64_t bytes = ElementBytes(part);
  FloatBits bits = {};
  std::memcpy(bits.data(), data.data() + index * bytes, static_cast<size_t>(bytes));
  return DecodeFloat(part.float_kind, bits);
}

bool Equal(AttributeRef a, AttributeRef b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind) return false;
  switch (a->kind) {
    case AttributeKind::kUnit:
      return true;
    case AttributeKind::kInteger: {
      const auto& x = *a->As<IntegerAttribute>();
      const auto& y = *b->As<IntegerAttribute>();
      return x.type == y.type && x.value == y.value && x.words == y.words;
    }
    case AttributeKind::kFloat: {
      const auto& x = *a->As<FloatAttribute>();
      const auto& y = *b->As<FloatAttribute>();
      return x.type == y.type && x.bits == y.bits;
    }
    case AttributeKind::kString: {
      const auto& x = *a->As<StringAttribute>();
      const auto& y = *b->As<StringAttribute>();
      return x.type == y.type && x.value == y.value;
    }
    case AttributeKind::kArray:
      return EqualAll(a->As<ArrayAttribute>()->elements, b->As<ArrayAttribute>()->elements);
    case AttributeKind::kDictionary:
      return EqualNamed(a->As<DictionaryAttribute>()->entries,
                        b->As<DictionaryAttribute>()->entries);
    case AttributeKind::kSymbolRef: {
      const auto& x = *a->As<SymbolRefAttribute>();
      const auto& y = *b->As<SymbolRefAttribute>();
      return x.root == y.root && x.nested == y.nested;
    }
    case AttributeKind::kType:
      return a->As<TypeAttribute>()->type == b->As<TypeAttribute>()->type;
    case AttributeKind::kDense:
      return EqualData(*a->As<DenseAttribute>(), *b->As<DenseAttribute>());
    case AttributeKind::kDenseStrings: {
      const auto& x = *a->As<DenseStringsAttribute>();
      const auto& y = *b->As<DenseStringsAttribute>();
      return x.type == y.type && x.is_splat == y.is_splat && x.elements == y.elements;
    }
    case AttributeKind::kDenseArray: {
      const auto& x = *a->As<DenseArrayAttribute>();
      const auto& y = *b->As<DenseArrayAttribute>();
      return x.element == y.element && x.count == y.count && x.data == y.data;
    }
    case AttributeKind::kDenseResource: {
      const auto& x = *a->As<DenseResourceAttribute>();
      const auto& y = *b->As<DenseResourceAttribute>();
      return x.type == y.type && x.key == y.key;
    }
    case AttributeKind::kSparse: {
      const auto& x = *a->As<SparseAttribute>();
      const auto& y = *b->As<SparseAttribute>();
      return x.type == y.type && Equal(x.indices, y.indices) && Equal(x.values, y.values);
    }
    case AttributeKind::kText:
      return a->As<TextAttribute>()->text == b->As<TextAttribute>()->text;
    case AttributeKind::kLocation: {
      const auto& x = *a->As<LocationAttribute>();
      const auto& y = *b->As<LocationAttribute>();
      return x.form == y.form && x.line == y.line && x.column == y.column &&
             x.end_line == y.end_line && x.end_column == y.end_column && x.text == y.text &&
             Equal(x.metadata, y.metadata) && EqualAll(x.children, y.children);
    }
    case AttributeKind::kDialect: {
      const auto& x = *a->As<DialectAttribute>();
      const auto& y = *b->As<DialectAttribute>();
      if (x.dialect != y.dialect || x.name != y.name) return false;
      const bool is_structured = !x.parameters.empty() || !x.elements.empty() ||
                                 !y.parameters.empty() || !y.elements.empty();
      return is_structured
                 ? EqualNamed(x.parameters, y.parameters) && EqualAll(x.elements, y.elements)
                 : x.text == y.text;
    }
  }
  return false;
}

}  // namespace xla::mlir

// SPDX-License-Identifier: Apache-2.0
// The text of attributes.
#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attributes.h"
#include "xla/mlir/number_text.h"

namespace xla::mlir {
namespace {

bool IsBareName(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (!absl::ascii_isalnum(u) && c != '_' && c != '$' && c != '.') return false;
  }
  return name[0] != '.' && name[0] != '$';
}

void AppendNumber(std::string* out, const Type& element, absl::Span<const char> data,
                  int64_t index) {
  if (element.kind == TypeKind::kFloat) {
    FloatBits bits = {};
    const int64_t bytes = ElementBytes(element);
    std::copy_n(data.data() + index * bytes, bytes, reinterpret_cast<char*>(bits.data()));
    AppendFloatText(out, element.float_kind, bits);
    return;
  }
  if (element.kind == TypeKind::kComplex) {
    out->push_back('(');
    AppendNumber(out, *element.element, data, 2 * index);
    out->append(",");
    AppendNumber(out, *element.element, data, 2 * index + 1);
    out->push_back(')');
    return;
  }
  const bool is_unsigned = element.signedness == Signedness::kUnsigned;
  const int64_t bytes = ElementBytes(element);
  if (bytes > 8) {
    std::vector<uint64_t> words(static_cast<size_t>((bytes + 7) / 8));
    const char* begin = data.data() + index * bytes;
    if (!is_unsigned && static_cast<signed char>(begin[bytes - 1]) < 0) words.back() = ~uint64_t{0};
    std::copy_n(begin, bytes, reinterpret_cast<char*>(words.data()));
    AppendIntegerText(out, words.data(), words.size(), !is_unsigned);
    return;
  }
  const int64_t value = DenseInteger(element, data, index);
  if (element.IsInteger(1) && element.signedness == Signedness::kSignless) {
    out->append(value != 0 ? "true" : "false");
  } else if (is_unsigned) {
    absl::StrAppend(out, static_cast<uint64_t>(value));
  } else {
    absl::StrAppend(out, value);
  }
}

void AppendNested(std::string* out, const DenseAttribute& dense, size_t depth, int64_t* index) {
  if (depth == dense.type->sizes.size()) {
    AppendNumber(out, *dense.type->element, dense.data, (*index)++);
    return;
  }
  out->push_back('[');
  for (int64_t i = 0; i < dense.type->sizes[depth]; ++i) {
    if (i > 0) out->append(", ");
    AppendNested(out, dense, depth + 1, index);
  }
  out->push_back(']');
}

// Longer constants are written in hexadecimal, as MLIR does.
constexpr int64_t kMaxListedElements = 100;

void AppendHex(std::string* out, absl::Span<const char> data) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  out->append("\"0x");
  for (const char c : data) {
    out->push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    out->push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  out->push_back('"');
}

// The elements as MLIR stores them: booleans are bits, narrow integers are not extended.
class StoredBytes {
 public:
  explicit StoredBytes(const DenseAttribute& dense) : bytes_(dense.data) {
    const Type& element = *dense.type->element;
    if (element.kind != TypeKind::kInteger || element.width >= 8) return;
    if (element.width == 1) {
      own_.resize((bytes_.size() + 7) / 8, '\0');
      for (size_t i = 0; i < bytes_.size(); ++i) {
        if (bytes_[i] != 0) own_[i / 8] = static_cast<char>(own_[i / 8] | 1 << (i % 8));
      }
    } else {
      for (const char c : bytes_) {
        own_.push_back(static_cast<char>(c & ((1 << element.width) - 1)));
      }
    }
    bytes_ = absl::MakeConstSpan(own_.data(), own_.size());
  }
  absl::Span<const char> bytes() const { return bytes_; }

 private:
  absl::Span<const char> bytes_;
  std::string own_;
};

void AppendDense(std::string* out, const DenseAttribute& dense) {
  out->append("dense<");
  const bool is_empty = dense.data.empty();
  if (is_empty) {
    // Nothing: the type tells the shape.
  } else if (dense.is_splat) {
    AppendNumber(out, *dense.type->element, dense.data, 0);
  } else if (NumElements(*dense.type) > kMaxListedElements) {
    AppendHex(out, StoredBytes(dense).bytes());
  } else {
    int64_t index = 0;
    AppendNested(out, dense, 0, &index);
  }
  out->append("> : ");
  AppendTo(out, dense.type);
}

void AppendStringsNested(std::string* out, const DenseStringsAttribute& dense, size_t depth,
                         size_t* index) {
  if (depth == dense.type->sizes.size()) {
    AppendQuoted(out, dense.elements[(*index)++]);
    return;
  }
  out->push_back('[');
  for (int64_t i = 0; i < dense.type->sizes[depth]; ++i) {
    if (i > 0) out->append(", ");
    AppendStringsNested(out, dense, depth + 1, index);
  }
  out->push_back(']');
}

void AppendDenseStrings(std::string* out, const DenseStringsAttribute& dense) {
  out->append("dense<");
  size_t index = 0;
  if (dense.is_splat) {
    AppendQuoted(out, dense.elements[0]);
  } else if (!dense.elements.empty()) {
    AppendStringsNested(out, dense, 0, &index);
  }
  out->append("> : ");
  AppendTo(out, dense.type);
}

// The elements without dense<..> and the type, for sparse<..>. A list of one stays a list.
void AppendDenseBody(std::string* out, AttributeRef attribute) {
  if (const auto* dense = attribute->As<DenseAttribute>()) {
    int64_t index = 0;
    if (!dense->is_splat || NumElements(*dense->type) == 1) {
      return AppendNested(out, *dense, 0, &index);
    }
    return AppendNumber(out, *dense->type->element, dense->data, 0);
  }
  const auto& strings = *attribute->As<DenseStringsAttribute>();
  size_t index = 0;
  if (strings.is_splat) return AppendQuoted(out, strings.elements[0]);
  AppendStringsNested(out, strings, 0, &index);
}

void AppendDenseArray(std::string* out, const DenseArrayAttribute& array) {
  out->append("array<");
  AppendTo(out, array.element);
  for (int64_t i = 0; i < array.count; ++i) {
    out->append(i == 0 ? ": " : ", ");
    AppendNumber(out, *array.element, array.data, i);
  }
  out->push_back('>');
}

void AppendInteger(std::string* out, const IntegerAttribute& integer) {
  const Type& type = *integer.type;
  if (type.IsInteger(1) && type.signedness == Signedness::kSignless) {
    out->append(integer.value != 0 ? "true" : "false");
    return;
  }
  const bool is_unsigned = type.signedness == Signedness::kUnsigned;
  if (!integer.words.empty()) {
    AppendIntegerText(out, integer.words.data(), integer.words.size(), !is_unsigned);
  } else if (is_unsigned) {
    absl::StrAppend(out, static_cast<uint64_t>(integer.value));
  } else {
    absl::StrAppend(out, integer.value);
  }
  out->append(" : ");
  AppendTo(out, integer.type);
}

void AppendList(std::string* out, absl::Span<const AttributeRef> elements) {
  const char* separator = "";
  for (const AttributeRef element : elements) {
    out->append(separator);
    AppendTo(out, element);
    separator = ", ";
  }
}

void AppendLocationBody(std::string* out, const LocationAttribute& location);

void AppendLocationChild(std::string* out, AttributeRef child) {
  const auto* location = child->As<LocationAttribute>();
  if (location != nullptr) AppendLocationBody(out, *location);
}

void AppendLocationBody(std::string* out, const LocationAttribute& location) {
  using Form = LocationAttribute::Form;
  switch (location.form) {
    case Form::kUnknown:
      out->append("unknown");
      return;
    case Form::kFile:
      AppendFileLocation(out, location);
      return;
    case Form::kName:
      AppendQuoted(out, location.text);
      if (location.children.empty()) return;
      out->push_back('(');
      AppendLocationChild(out, location.children[0]);
      out->push_back(')');
      return;
    case Form::kCallSite:
      out->append("callsite(");
      AppendLocationChild(out, location.children[0]);
      out->append(" at ");
      AppendLocationChild(out, location.children[1]);
      out->push_back(')');
      return;
    case Form::kFused: {
      out->append("fused");
      if (location.metadata != nullptr) {
        out->push_back('<');
        AppendTo(out, location.metadata);
        out->push_back('>');
      }
      out->push_back('[');
      const char* separator = "";
      for (const AttributeRef child : location.children) {
        out->append(separator);
        AppendLocationChild(out, child);
        separator = ", ";
      }
      out->push_back(']');
      return;
    }
    case Form::kAlias:
      if (location.children.empty()) {
        out->append("unknown");
      } else {
        AppendLocationChild(out, location.children[0]);
      }
      return;
  }
}

bool IsKeyword(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// The value of a parameter of StableHLO's structures: lists in brackets, numbers without types.
void AppendParameter(std::string* out, AttributeRef value) {
  const auto* array = value->As<DenseArrayAttribute>();
  const auto* integer = value->As<IntegerAttribute>();
  const auto* number = value->As<FloatAttribute>();
  if (array != nullptr && array->element->IsInteger(64)) {
    out->push_back('[');
    for (int64_t i = 0; i < array->count; ++i) {
      if (i > 0) out->append(", ");
      AppendNumber(out, *array->element, array->data, i);
    }
    out->push_back(']');
  } else if (integer != nullptr && integer->type->IsInteger(64) &&
             integer->type->signedness == Signedness::kSignless) {
    absl::StrAppend(out, integer->value);
  } else if (number != nullptr && number->type->float_kind == FloatKind::kF64) {
    AppendFloatText(out, FloatKind::kF64, number->bits);
  } else {
    AppendTo(out, value);
  }
}

// Structures that are printed without empty lists and without an index of 0.
bool Elides(const DialectAttribute& attribute) {
  return attribute.name == "dot" || attribute.name == "gather" || attribute.name == "scatter";
}

bool IsElided(const DialectAttribute& attribute, const NamedAttribute& parameter) {
  if (!Elides(attribute)) return false;
  const auto* array = parameter.value->As<DenseArrayAttribute>();
  const auto* integer = parameter.value->As<IntegerAttribute>();
  return (array != nullptr && array->count == 0) || (integer != nullptr && integer->value == 0);
}

void AppendParameters(std::string* out, const DialectAttribute& attribute) {
  out->append(attribute.name == "conv" ? "<raw " : "<");
  const char* separator = "";
  for (const NamedAttribute& parameter : attribute.parameters) {
    if (IsElided(attribute, parameter)) continue;
    absl::StrAppend(out, separator, View(parameter.name), " = ");
    AppendParameter(out, parameter.value);
    separator = ", ";
  }
  out->push_back('>');
}

// (1)2, axes=[<name = "x", size = 2>], device_ids=dense<..>: these have forms of their own.
bool AppendMeshPart(std::string* out, const DialectAttribute& attribute) {
  const absl::Span<const NamedAttribute> parameters = attribute.parameters;
  if (attribute.name == "sub_axis_info" && parameters.size() == 2) {
    out->push_back('(');
    AppendParameter(out, parameters[0].value);
    out->push_back(')');
    AppendParameter(out, parameters[1].value);
    return true;
  }
  const auto* axes = attribute.name != "mesh" || parameters.empty()
                         ? nullptr
                         : parameters[0].value->As<ArrayAttribute>();
  if (axes == nullptr) return false;
  out->append("#stablehlo.mesh<axes=[");
  const char* separator = "";
  for (const AttributeRef element : axes->elements) {
    out->append(separator);
    separator = ", ";
    const auto* axis = element->As<DialectAttribute>();
    if (axis == nullptr) {
      AppendTo(out, element);
    } else {
      AppendParameters(out, *axis);
    }
  }
  out->push_back(']');
  for (const NamedAttribute& parameter : parameters.subspan(1)) {
    absl::StrAppend(out, ", ", View(parameter.name), "=");
    AppendTo(out, parameter.value);
  }
  out->push_back('>');
  return true;
}

// <3, ?>
void AppendBounds(std::string* out, const DenseArrayAttribute& bounds) {
  out->push_back('<');
  for (int64_t i = 0; i < bounds.count; ++i) {
    const int64_t bound = DenseInteger(*bounds.element, bounds.data, i);
    if (i > 0) out->append(", ");
    if (bound == kDynamic) {
      out->push_back('?');
    } else {
      absl::StrAppend(out, bound);
    }
  }
  out->push_back('>');
}

void AppendStableHlo(std::string* out, const DialectAttribute& attribute) {
  const auto* bounds = attribute.name != "type_extensions" || attribute.parameters.size() != 1
                           ? nullptr
                           : attribute.parameters[0].value->As<DenseArrayAttribute>();
  if (bounds != nullptr && bounds->element->IsInteger(64)) {
    out->append("#stablehlo.bounds");
    return AppendBounds(out, *bounds);
  }
  if (AppendMeshPart(out, attribute)) return;
  absl::StrAppend(out, "#stablehlo.", View(attribute.name));
  AppendParameters(out, attribute);
}

// Whether the text of one of Shardy's attributes is within < and >, which are part of it.
bool HasBrackets(const DialectAttribute& attribute) {
  constexpr std::string_view kKinds[] = {"mesh", "op_sharding_rule", "propagation_edges",
                                         "sharding", "sharding_per_value"};
  return attribute.text.empty() ||
         std::find(std::begin(kKinds), std::end(kKinds), attribute.name) != std::end(kKinds);
}

void AppendDialect(std::string* out, const DialectAttribute& attribute) {
  const bool is_stablehlo = attribute.dialect == "stablehlo";
  if (is_stablehlo && !attribute.name.empty() && attribute.text.empty() &&
      (!attribute.parameters.empty() || Elides(attribute))) {
    return AppendStableHlo(out, attribute);
  }
  // Enumerations.
  if ((is_stablehlo || attribute.dialect == "chlo") && IsKeyword(attribute.text) &&
      IsKeyword(attribute.name) && attribute.name != "result_accuracy_mode") {
    absl::StrAppend(out, "#", View(attribute.dialect), "<", View(attribute.name), " ",
                    View(attribute.text), ">");
    return;
  }
  if (attribute.dialect == "sdy" && !HasBrackets(attribute)) {
    const bool is_word = absl::ascii_isalpha(static_cast<unsigned char>(attribute.text[0]));
    absl::StrAppend(out, "#sdy<", View(attribute.name), is_word ? " " : "", View(attribute.text),
                    ">");
    return;
  }
  absl::StrAppend(out, "#", View(attribute.dialect));
  if (!attribute.name.empty()) absl::StrAppend(out, ".", View(attribute.name));
  if (!attribute.text.empty() || attribute.name.empty()) {
    absl::StrAppend(out, "<", View(attribute.text), ">");
  } else if (!attribute.parameters.empty()) {
    out->push_back('<');
    const char* separator = "";
    for (const NamedAttribute& parameter : attribute.parameters) {
      absl::StrAppend(out, separator, View(parameter.name), " = ");
      AppendTo(out, parameter.value);
      separator = ", ";
    }
    out->push_back('>');
  } else if (!attribute.elements.empty()) {
    out->push_back('<');
    AppendList(out, attribute.elements);
    out->push_back('>');
  }
}

}  // namespace

void AppendSymbol(std::string* out, std::string_view name) {
  out->push_back('@');
  if (IsBareName(name)) {
    out->append(name);
  } else {
    AppendQuoted(out, name);
  }
}

void AppendQuoted(std::string* out, std::string_view text) {
  out->push_back('"');
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '\\') {
      out->append("\\\\");
    } else if (absl::ascii_isprint(u) && c != '"') {
      out->push_back(c);
    } else {
      absl::StrAppendFormat(out, "\\%02X", u);
    }
  }
  out->push_back('"');
}

void AppendFileLocation(std::string* out, const LocationAttribute& location) {
  AppendQuoted(out, location.text);
  absl::StrAppend(out, ":", location.line, ":", location.column);
  if (!location.is_range()) return;
  out->append(" to ");
  if (location.end_line != location.line) absl::StrAppend(out, location.end_line);
  absl::StrAppend(out, ":", location.end_column);
}

void AppendTo(std::string* out, absl::Span<const NamedAttribute> attributes) {
  out->push_back('{');
  const char* separator = "";
  for (const NamedAttribute& entry : attributes) {
    out->append(separator);
    separator = ", ";
    if (IsBareName(entry.name)) {
      out->append(entry.name);
    } else {
      AppendQuoted(out, entry.name);
    }
    if (entry.value->kind == AttributeKind::kUnit) continue;
    out->append(" = ");
    AppendTo(out, entry.value);
  }
  out->push_back('}');
}

void AppendTo(std::string* out, AttributeRef attribute) {
  if (out->size() > kMaxTextBytes) return;
  switch (attribute->kind) {
    case AttributeKind::kUnit:
      out->append("unit");
      return;
    case AttributeKind::kInteger:
      return AppendInteger(out, *attribute->As<IntegerAttribute>());
    case AttributeKind::kFloat: {
      const auto& number = *attribute->As<FloatAttribute>();
      AppendFloatText(out, number.type->float_kind, number.bits);
      out->append(" : ");
      AppendTo(out, number.type);
      return;
    }
    case AttributeKind::kString: {
      const auto& string = *attribute->As<StringAttribute>();
      AppendQuoted(out, string.value);
      if (string.type == nullptr) return;
      out->append(" : ");
      AppendTo(out, string.type);
      return;
    }
    case AttributeKind::kArray:
      out->push_back('[');
      AppendList(out, attribute->As<ArrayAttribute>()->elements);
      out->push_back(']');
      return;
    case AttributeKind::kDictionary:
      return AppendTo(out, attribute->As<DictionaryAttribute>()->entries);
    case AttributeKind::kSymbolRef: {
      const auto& symbol = *attribute->As<SymbolRefAttribute>();
      AppendSymbol(out, symbol.root);
      for (const std::string_view name : symbol.nested) {
        out->append("::");
        AppendSymbol(out, name);
      }
      return;
    }
    case AttributeKind::kType:
      return AppendTo(out, attribute->As<TypeAttribute>()->type);
    case AttributeKind::kDense:
      return AppendDense(out, *attribute->As<DenseAttribute>());
    case AttributeKind::kDenseStrings:
      return AppendDenseStrings(out, *attribute->As<DenseStringsAttribute>());
    case AttributeKind::kDenseArray:
      return AppendDenseArray(out, *attribute->As<DenseArrayAttribute>());
    case AttributeKind::kDenseResource: {
      const auto& resource = *attribute->As<DenseResourceAttribute>();
      out->append("dense_resource<");
      if (IsBareName(resource.key)) {
        out->append(resource.key);
      } else {
        AppendQuoted(out, resource.key);
      }
      out->append("> : ");
      AppendTo(out, resource.type);
      return;
    }
    case AttributeKind::kSparse: {
      const auto& sparse = *attribute->As<SparseAttribute>();
      out->append("sparse<");
      if (sparse.indices != nullptr) {
        AppendDenseBody(out, sparse.indices);
        out->append(", ");
        AppendDenseBody(out, sparse.values);
      }
      out->append("> : ");
      AppendTo(out, sparse.type);
      return;
    }
    case AttributeKind::kText:
      out->append(attribute->As<TextAttribute>()->text);
      return;
    case AttributeKind::kLocation:
      out->append("loc(");
      AppendLocationBody(out, *attribute->As<LocationAttribute>());
      out->push_back(')');
      return;
    case AttributeKind::kDialect:
      return AppendDialect(out, *attribute->As<DialectAttribute>());
  }
}

std::string ToString(AttributeRef attribute) {
  std::string out;
  AppendTo(&out, attribute);
  return out;
}

}  // namespace xla::mlir

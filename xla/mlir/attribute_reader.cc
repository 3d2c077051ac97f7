// SPDX-License-Identifier: Apache-2.0
// Attributes in MLIR text. Grammar: MLIR's "Builtin Dialect" page.
#include "xla/mlir/attribute_reader.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/number_text.h"

namespace xla::mlir {
namespace {

// -value where `negative`, if it fits the type as MLIR has it: an iN takes whatever N bits can
// hold, read as signed or unsigned.
bool FitsInteger(const Type& type, bool negative, const std::vector<uint64_t>& magnitude) {
  const uint32_t width = type.kind == TypeKind::kInteger ? type.width : 64;
  const uint64_t top = magnitude.back();
  const uint64_t bits =
      top == 0 ? 0 : 64 * magnitude.size() - static_cast<uint64_t>(__builtin_clzll(top));
  if (bits == 0) return true;
  if (bits > width) return false;
  const bool is_signed = type.kind == TypeKind::kIndex || type.signedness == Signedness::kSigned;
  if (!negative) return !is_signed || bits < width;
  if (type.signedness == Signedness::kUnsigned && type.kind == TypeKind::kInteger) return false;
  if (bits < width) return true;
  // The lowest number alone has as many bits as the type.
  for (size_t i = 0; i + 1 < magnitude.size(); ++i) {
    if (magnitude[i] != 0) return false;
  }
  return (top & (top - 1)) == 0;
}

}  // namespace

bool AttributeReader::Enter() {
  ++nesting_;
  if (nesting_ <= kMaxNesting) return true;
  return cursor_.Fail(absl::StrCat("nested deeper than ", kMaxNesting));
}

const DialectSyntax* AttributeReader::FindDialect(std::string_view dialect) const {
  for (const DialectSyntax& syntax : dialects_) {
    if (syntax.dialect == dialect) return &syntax;
  }
  return nullptr;
}

AttributeRef AttributeReader::ParseAttribute() {
  const AttributeRef result = ParseOptionalAttribute();
  if (result == nullptr && cursor_.ok()) cursor_.FailExpected("an attribute");
  return cursor_.ok() ? result : nullptr;
}

AttributeRef AttributeReader::ParseOptionalAttribute() {
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  ++weight_;
  return AttributeAt();
}

AttributeRef AttributeReader::AttributeAt() {
  switch (cursor_.PeekChar()) {
    case '"':
      return StringWithType();
    case '[':
      return ArrayAttributeAt();
    case '{':
      return DictionaryAt();
    case '@':
      return ParseSymbol();
    case '#':
      return DialectOrAlias();
    case '!':
    case '(': {
      const TypeRef type = ParseType();
      return type == nullptr ? nullptr : context_.TypeOf(type);
    }
    default:
      break;
  }
  if (cursor_.PeekNumber()) return NumberAttribute();
  const std::string_view word = cursor_.PeekWord();
  return word.empty() ? nullptr : WordAttribute(word);
}

AttributeRef AttributeReader::WordAttribute(std::string_view word) {
  const size_t begin = cursor_.offset();
  if (word == "true" || word == "false") {
    cursor_.Word();
    if (!cursor_.Consume(':')) return context_.Bool(word == "true");
    const TypeRef type = ParseType();
    if (type == nullptr) return nullptr;
    if (!type->IsInteger(1)) {
      cursor_.FailAt(begin, absl::StrCat(View(word), " is not of type ", ToString(type)));
      return nullptr;
    }
    return context_.IntegerOf(type, word == "true" ? 1 : 0);
  }
  if (word == "unit") {
    cursor_.Word();
    return context_.Unit();
  }
  if (word == "array") {
    cursor_.Word();
    return ParseDenseArray();
  }
  if (word == "dense") {
    cursor_.Word();
    return ParseDense(nullptr);
  }
  if (word == "dense_resource") {
    cursor_.Word();
    return DenseResource();
  }
  if (word == "sparse") {
    cursor_.Word();
    return Sparse();
  }
  if (word == "loc") return ParseLocation();
  if (word == "affine_map" || word == "affine_set" || word == "strided") {
    cursor_.Word();
    if (!cursor_.Expect('<')) return nullptr;
    return KeptText(begin, '>');
  }
  if (word == "distinct") {
    cursor_.Word();
    std::string_view unused;
    if (!cursor_.Expect('[') || !cursor_.BalancedText(']', &unused) || !cursor_.Expect(']') ||
        !cursor_.Expect('<')) {
      return nullptr;
    }
    return KeptText(begin, '>');
  }
  const TypeRef type = ParseOptionalType();
  return type == nullptr ? nullptr : context_.TypeOf(type);
}

// What was written from `begin` to the closing bracket that is still to come.
AttributeRef AttributeReader::KeptText(size_t begin, char close) {
  std::string_view unused;
  if (!cursor_.BalancedText(close, &unused)) return nullptr;
  const std::string_view text = cursor_.text().substr(begin, cursor_.offset() + 1 - begin);
  cursor_.Expect(close);
  return arena().New<TextAttribute>(xla::mlir::Attribute{AttributeKind::kText}, text);
}

AttributeRef AttributeReader::NumberAttribute() {
  const size_t begin = cursor_.offset();
  std::string_view spelling;
  bool is_float;
  if (!cursor_.Number(&spelling, &is_float)) return nullptr;
  TypeRef type = nullptr;
  if (cursor_.Consume(':')) {
    type = ParseType();
    if (type == nullptr) return nullptr;
  } else {
    type = is_float ? context_.Float(FloatKind::kF64) : context_.Integer(64);
  }
  const size_t after = cursor_.offset();
  cursor_.Seek(begin);
  const AttributeRef result = ParseNumber(type);
  if (result == nullptr) return nullptr;
  cursor_.Seek(after);
  return result;
}

const IntegerAttribute* AttributeReader::ParseInteger(TypeRef type) {
  const AttributeRef number = ParseNumber(type);
  return number == nullptr ? nullptr : number->As<IntegerAttribute>();
}

AttributeRef AttributeReader::ParseNumber(TypeRef type) {
  const size_t begin = cursor_.offset();
  if (type->IsInteger(1) && (cursor_.PeekWord("true") || cursor_.PeekWord("false"))) {
    return context_.IntegerOf(type, cursor_.Word() == "true" ? 1 : 0);
  }
  std::string_view spelling;
  bool is_float;
  if (!cursor_.Number(&spelling, &is_float)) return nullptr;
  const auto fail = [&](const std::string& message) -> AttributeRef {
    cursor_.FailAt(begin, message);
    return nullptr;
  };
  const bool negative = spelling[0] == '-';
  const std::string_view digits = spelling.substr(negative ? 1 : 0);
  const bool is_hex = digits.size() > 1 && digits[1] == 'x';
  if (type->kind == TypeKind::kFloat) {
    if (is_float) {
      double value;
      if (!ParseDecimalFloat(spelling, &value)) {
        return fail(absl::StrCat(View(spelling), " is not a number"));
      }
      return context_.FloatOf(type, EncodeFloat(type->float_kind, value));
    }
    if (!is_hex) {
      return fail(absl::StrCat(ToString(type), " needs a decimal point: ", View(spelling)));
    }
    std::vector<uint64_t> words;
    const int width = GetFloatFormat(type->float_kind).width;
    FloatBits bits = {};
    const bool fits = !negative && ParseMagnitude(digits, &words) && words.size() <= 2;
    if (fits) std::copy(words.begin(), words.end(), bits.begin());
    const unsigned __int128 all = static_cast<unsigned __int128>(bits[1]) << 64 | bits[0];
    if (!fits || (width < 128 && all >> width != 0)) {
      return fail(absl::StrCat(View(spelling), " is not the bits of an ", ToString(type)));
    }
    return context_.FloatOf(type, bits);
  }
  if (type->kind != TypeKind::kInteger && type->kind != TypeKind::kIndex) {
    return fail(absl::StrCat("a number cannot be of type ", ToString(type)));
  }
  if (is_float) return fail(absl::StrCat(View(spelling), " is not of type ", ToString(type)));
  std::vector<uint64_t> magnitude;
  if (!ParseMagnitude(digits, &magnitude)) {
    return fail(absl::StrCat("integers have at most ", kMaxIntegerBits, " bits"));
  }
  if (!FitsInteger(*type, negative, magnitude)) {
    return fail(absl::StrCat(View(spelling), " does not fit ", ToString(type)));
  }
  const uint32_t width = type->kind == TypeKind::kInteger ? type->width : 64;
  if (width <= 64) {
    const uint64_t value = negative ? uint64_t{0} - magnitude[0] : magnitude[0];
    return context_.IntegerOf(type, static_cast<int64_t>(value));
  }
  if (width > kMaxIntegerBits) {
    return fail(absl::StrCat("integers have at most ", kMaxIntegerBits, " bits"));
  }
  magnitude.resize((width + 63) / 64, 0);
  if (negative) {
    uint64_t carry = 1;
    for (uint64_t& word : magnitude) {
      word = ~word + carry;
      carry = carry != 0 && word == 0 ? 1 : 0;
    }
  }
  return arena().New<IntegerAttribute>(xla::mlir::Attribute{AttributeKind::kInteger}, type,
                                       static_cast<int64_t>(magnitude[0]), arena().Copy(magnitude));
}

bool AttributeReader::ParseSignedInteger(int64_t* value) {
  const IntegerAttribute* integer = ParseInteger(context_.Integer(64));
  if (integer == nullptr) return false;
  *value = integer->value;
  return true;
}

AttributeRef AttributeReader::StringWithType() {
  std::string_view value;
  if (!cursor_.String(&value)) return nullptr;
  TypeRef type = nullptr;
  if (cursor_.Peek(':') && cursor_.PeekChar(1) != ':') {
    cursor_.Consume(':');
    type = ParseType();
    if (type == nullptr) return nullptr;
  }
  return arena().New<StringAttribute>(xla::mlir::Attribute{AttributeKind::kString}, value, type);
}

AttributeRef AttributeReader::ArrayAttributeAt() {
  cursor_.Consume('[');
  std::vector<AttributeRef> elements;
  if (!cursor_.Peek(']')) {
    do {
      const AttributeRef element = ParseAttribute();
      if (element == nullptr) return nullptr;
      elements.push_back(element);
    } while (cursor_.Consume(','));
  }
  if (!cursor_.Expect(']')) return nullptr;
  return context_.Array(elements);
}

AttributeRef AttributeReader::DictionaryAt() {
  std::vector<NamedAttribute> entries;
  if (!ParseEntries(&entries)) return nullptr;
  return context_.Dictionary(entries);
}

bool AttributeReader::ParseEntries(std::vector<NamedAttribute>* entries) {
  if (!cursor_.Expect('{')) return false;
  if (cursor_.Consume('}')) return true;
  const size_t first = entries->size();
  absl::flat_hash_set<std::string_view> names;  // used for long dictionaries only
  do {
    const size_t begin = cursor_.offset();
    std::string_view name;
    if (cursor_.Peek('"')) {
      if (!cursor_.String(&name)) return false;
    } else {
      name = cursor_.Word();
      if (name.empty()) return cursor_.FailExpected("the name of an attribute");
    }
    AttributeRef value = context_.Unit();
    if (cursor_.Consume('=')) {
      value = ParseAttribute();
      if (value == nullptr) return false;
    }
    bool is_new = true;
    if (entries->size() - first < 16) {
      for (size_t i = first; i < entries->size(); ++i) {
        if ((*entries)[i].name == name) is_new = false;
      }
    } else {
      if (names.empty()) {
        for (size_t i = first; i < entries->size(); ++i) names.insert((*entries)[i].name);
      }
      is_new = names.insert(name).second;
    }
    if (!is_new) {
      return cursor_.FailAt(begin, absl::StrCat("attribute '", View(name), "' is given twice"));
    }
    entries->push_back({name, value});
  } while (cursor_.Consume(','));
  return cursor_.Expect('}');
}

bool AttributeReader::ParseParameters(std::vector<NamedAttribute>* parameters) {
  if (cursor_.Peek('>')) return true;
  absl::flat_hash_set<std::string_view> seen;
  do {
    if (cursor_.Peek('>') && !parameters->empty()) return true;  // after a trailing comma
    const size_t begin = cursor_.offset();
    const std::string_view name = cursor_.Word();
    if (name.empty()) return cursor_.FailExpected("the name of a parameter");
    if (!seen.insert(name).second) {
      return cursor_.FailAt(begin, absl::StrCat("'", View(name), "' is given twice"));
    }
    if (!cursor_.Expect('=')) return false;
    const AttributeRef value = ParseAttribute();
    if (value == nullptr) return false;
    parameters->push_back({name, value});
  } while (cursor_.Consume(','));
  return cursor_.Peek('>') || cursor_.FailExpected("'>'");
}

const SymbolRefAttribute* AttributeReader::ParseSymbol() {
  std::string_view root;
  if (!cursor_.SymbolName(&root)) return nullptr;
  std::vector<std::string_view> nested;
  while (cursor_.PeekText("::")) {
    cursor_.ConsumeText("::");
    std::string_view name;
    if (!cursor_.SymbolName(&name)) return nullptr;
    nested.push_back(name);
  }
  return context_.Symbol(root, nested);
}

AttributeRef AttributeReader::ParseKnown(std::string_view dialect, std::string_view name,
                                         bool is_bare) {
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  const size_t begin = cursor_.offset();
  const DialectSyntax* syntax = FindDialect(dialect);
  if (!cursor_.Peek('#') && syntax != nullptr && syntax->attribute_text != nullptr) {
    const AttributeRef result = is_bare ? syntax->attribute(*this, name, /*has_body=*/true)
                                        : syntax->attribute_text(*this, name);
    if (result == nullptr && cursor_.ok()) cursor_.FailExpected(absl::StrCat("a ", View(name)));
    return cursor_.ok() ? result : nullptr;
  }
  const AttributeRef result = ParseAttribute();
  if (result == nullptr) return nullptr;
  const auto* attribute = result->As<DialectAttribute>();
  if (attribute != nullptr && attribute->Is(dialect, name)) return result;
  cursor_.FailAt(begin, absl::StrCat("expected #", View(dialect), ".", View(name)));
  return nullptr;
}

std::string_view AttributeReader::AliasOrDialectName(const char* expected) {
  cursor_.Seek(cursor_.offset() + 1);
  const std::string_view name = cursor_.SuffixName();
  if (!name.empty() && name.front() != '.' && name.back() != '.' &&
      name.find("..") == std::string_view::npos) {
    return name;
  }
  cursor_.FailExpected(expected);
  return {};
}

AttributeRef AttributeReader::DialectOrAlias() {
  const size_t begin = cursor_.offset();
  const std::string_view name =
      AliasOrDialectName("the name of an attribute alias or dialect attribute");
  if (name.empty()) return nullptr;
  const size_t point = name.find('.');
  const bool has_body = cursor_.Peek('<');
  if (point == std::string_view::npos) {
    const auto alias = attribute_aliases_.find(name);
    if (alias != attribute_aliases_.end()) {
      weight_ += alias->second.weight;
      return alias->second.value;
    }
    if (!has_body) {
      cursor_.FailAt(begin, absl::StrCat("attribute alias '#", View(name), "' is not defined"));
      return nullptr;
    }
    // #dialect<name body>
    cursor_.Consume('<');
    const size_t start = cursor_.offset();
    const std::string_view word = cursor_.PeekWord();
    if (word.empty() || word.find('.') != std::string_view::npos) {
      cursor_.Seek(start);
      return DialectAttributeNamed(name, "", true);
    }
    cursor_.Word();
    if (!cursor_.Peek('<')) return DialectAttributeNamed(name, word, true);
    // #dialect<name<body>>
    cursor_.Consume('<');
    const AttributeRef result = DialectAttributeNamed(name, word, true);
    return result != nullptr && cursor_.Expect('>') ? result : nullptr;
  }
  if (has_body) cursor_.Consume('<');
  return DialectAttributeNamed(name.substr(0, point), name.substr(point + 1), has_body);
}

AttributeRef AttributeReader::DialectAttributeNamed(std::string_view dialect, std::string_view name,
                                                    bool has_body) {
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  const size_t begin = cursor_.offset();
  const DialectSyntax* syntax = FindDialect(dialect);
  if (syntax != nullptr && syntax->attribute != nullptr) {
    const AttributeRef result = syntax->attribute(*this, name, has_body);
    if (!cursor_.ok()) return nullptr;
    if (result != nullptr) return !has_body || cursor_.Expect('>') ? result : nullptr;
    cursor_.Seek(begin);
  }
  std::string_view text;
  if (has_body && (!cursor_.BalancedText('>', &text) || !cursor_.Expect('>'))) return nullptr;
  return context_.DialectOf(dialect, name, text);
}

template <typename T>
bool AttributeReader::DefineAlias(absl::flat_hash_map<std::string_view, Alias<T>>& aliases,
                                  const char* sigil, std::string_view name, T value) {
  if (weight_ > kMaxExpansion) {
    return cursor_.Fail(absl::StrCat("alias '", sigil, View(name), "' expands to more than ",
                                     kMaxExpansion, " attributes and types"));
  }
  if (aliases.try_emplace(name, Alias<T>{value, weight_}).second) return true;
  return cursor_.Fail(absl::StrCat("alias '", sigil, View(name), "' is defined twice"));
}

bool AttributeReader::DefineAttributeAlias(std::string_view name, AttributeRef value) {
  return DefineAlias(attribute_aliases_, "#", name, value);
}

bool AttributeReader::DefineTypeAlias(std::string_view name, TypeRef value) {
  return DefineAlias(type_aliases_, "!", name, value);
}

absl::StatusOr<AttributeRef> ReadAttribute(std::string_view text, Context* context,
                                           absl::Span<const DialectSyntax> dialects) {
  AttributeReader reader(text, context, dialects);
  const AttributeRef result = reader.ParseAttribute();
  if (result != nullptr && !reader.cursor().AtEnd()) {
    reader.cursor().FailExpected("the end of the text");
  }
  if (reader.cursor().ok()) reader.ResolveLocations();
  if (!reader.cursor().ok()) return reader.cursor().ToStatus("attribute");
  return result;
}

absl::StatusOr<TypeRef> ReadType(std::string_view text, Context* context,
                                 absl::Span<const DialectSyntax> dialects) {
  AttributeReader reader(text, context, dialects);
  const TypeRef result = reader.ParseType();
  if (result != nullptr && !reader.cursor().AtEnd()) {
    reader.cursor().FailExpected("the end of the text");
  }
  if (!reader.cursor().ok()) return reader.cursor().ToStatus("type");
  return result;
}

}  // namespace xla::mlir

// SPDX-License-Identifier: Apache-2.0
// Types in MLIR text.
#include <charconv>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attribute_reader.h"

namespace xla::mlir {
namespace {

constexpr uint32_t kMaxIntegerWidth = (uint32_t{1} << 24) - 1;

// "i32", "si8", "ui4". False if the word is something else.
bool IntegerWord(std::string_view word, Signedness* signedness, uint32_t* width) {
  *signedness = Signedness::kSignless;
  if (word.substr(0, 2) == "si") *signedness = Signedness::kSigned;
  if (word.substr(0, 2) == "ui") *signedness = Signedness::kUnsigned;
  const std::string_view digits = word.substr(*signedness == Signedness::kSignless ? 1 : 2);
  if (word.empty() || (word[0] != 'i' && *signedness == Signedness::kSignless)) return false;
  if (digits.empty() || !TextCursor::IsDigit(digits[0])) return false;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *width);
  return error == std::errc() && stop == digits.data() + digits.size() &&
         *width <= kMaxIntegerWidth;
}

// The length of a type's text that starts with "word<", if it is plain: nested angle brackets but
// neither strings, aliases nor other brackets. 0 otherwise.
size_t PlainTypeLength(std::string_view text) {
  constexpr size_t kMaxLength = 96;
  int depth = 0;
  for (size_t i = 0; i < text.size() && i < kMaxLength; ++i) {
    switch (text[i]) {
      case '<':
        ++depth;
        break;
      case '>':
        if (--depth == 0) return i + 1;
        break;
      case '"':
      case '!':
      case '#':
      case '(':
      case '[':
      case '{':
      case '/':
      case '\n':
        return 0;
      default:
        break;
    }
  }
  return 0;
}

}  // namespace

TypeRef AttributeReader::ParseType() {
  const TypeRef result = ParseOptionalType();
  if (result == nullptr && cursor_.ok()) cursor_.FailExpected("a type");
  return cursor_.ok() ? result : nullptr;
}

bool AttributeReader::AtType() {
  const char c = cursor_.PeekChar();
  if (c == '!' || c == '(') return true;
  const std::string_view word = cursor_.PeekWord();
  Signedness signedness;
  uint32_t width;
  return word == "tensor" || word == "index" || word == "none" || word == "complex" ||
         word == "tuple" || word == "vector" || word == "memref" ||
         IntegerWord(word, &signedness, &width) || FindFloatKind(word).has_value();
}

TypeRef AttributeReader::ParseOptionalType() {
  ++weight_;
  if (cursor_.PeekText("tensor<")) {
    const size_t length = PlainTypeLength(cursor_.text().substr(cursor_.offset()));
    if (length > 0) {
      const std::string_view text = cursor_.text().substr(cursor_.offset(), length);
      const auto seen = seen_types_.find(text);
      if (seen != seen_types_.end()) {
        cursor_.SeekAndSkip(cursor_.offset() + length);
        return seen->second;
      }
      const size_t end = cursor_.offset() + length;
      const NestingScope scope(this);
      if (!scope.ok()) return nullptr;
      const TypeRef type = TypeAt();
      cursor_.SkipSpace();
      if (type != nullptr && cursor_.offset() >= end) seen_types_.emplace(text, type);
      return type;
    }
  }
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  return TypeAt();
}

TypeRef AttributeReader::TypeAt() {
  if (cursor_.Peek('!')) return DialectTypeOrAlias();
  if (cursor_.Peek('(')) return ParseFunctionType();
  const std::string_view word = cursor_.PeekWord();
  if (word.empty()) return nullptr;
  if (word == "tensor") return Tensor();
  if (word == "vector") return Vector();
  if (word == "memref") return MemRef();
  if (word == "complex") {
    cursor_.Word();
    if (!cursor_.Expect('<')) return nullptr;
    const size_t begin = cursor_.offset();
    const TypeRef element = ParseType();
    if (element == nullptr) return nullptr;
    if (element->kind != TypeKind::kFloat && element->kind != TypeKind::kInteger &&
        element->kind != TypeKind::kDialect) {
      cursor_.FailAt(begin, "the element of complex must be an integer or float");
      return nullptr;
    }
    return cursor_.Expect('>') ? context_.Complex(element) : nullptr;
  }
  if (word == "tuple") {
    cursor_.Word();
    std::vector<TypeRef> elements;
    if (!ParseTypeList('<', '>', &elements)) return nullptr;
    return context_.Tuple(elements);
  }
  return SimpleType(word);
}

TypeRef AttributeReader::SimpleType(std::string_view word) {
  Signedness signedness;
  uint32_t width;
  TypeRef result = nullptr;
  if (IntegerWord(word, &signedness, &width)) {
    result = context_.Integer(width, signedness);
  } else if (word == "index") {
    result = context_.Index();
  } else if (word == "none") {
    result = context_.None();
  } else if (const auto kind = FindFloatKind(word); kind.has_value()) {
    result = context_.Float(*kind);
  }
  if (result != nullptr) cursor_.Word();
  return result;
}

bool AttributeReader::ParseTypeList(char open, char close, std::vector<TypeRef>* types) {
  if (!cursor_.Expect(open)) return false;
  if (cursor_.Consume(close)) return true;
  do {
    const TypeRef type = ParseType();
    if (type == nullptr) return false;
    types->push_back(type);
  } while (cursor_.Consume(','));
  return cursor_.Expect(close);
}

TypeRef AttributeReader::ParseFunctionType() {
  std::vector<TypeRef> inputs;
  if (!ParseTypeList('(', ')', &inputs) || !cursor_.ExpectText("->")) return nullptr;
  std::vector<TypeRef> results;
  if (cursor_.Peek('(')) {
    if (!ParseTypeList('(', ')', &results)) return nullptr;
  } else {
    const TypeRef result = ParseType();
    if (result == nullptr) return nullptr;
    results.push_back(result);
  }
  return context_.Function(inputs, results);
}

bool AttributeReader::ParseSizes(bool allow_dynamic, std::vector<int64_t>* sizes) {
  while (true) {
    if (cursor_.Peek('?')) {
      if (!allow_dynamic) return cursor_.Fail("expected a static size");
      cursor_.Consume('?');
      sizes->push_back(kDynamic);
    } else if (cursor_.PeekDigit()) {
      int64_t size;
      if (!cursor_.Digits(&size)) return false;
      cursor_.SkipSpace();
      sizes->push_back(size);
    } else {
      return true;
    }
    if (!cursor_.Peek('x')) return cursor_.FailExpected("'x' after the size");
    cursor_.SeekAndSkip(cursor_.offset() + 1);
  }
}

TypeRef AttributeReader::Tensor() {
  cursor_.Word();
  if (!cursor_.Expect('<')) return nullptr;
  if (cursor_.Consume('*')) {
    if (!cursor_.Peek('x')) {
      cursor_.FailExpected("'x' after '*'");
      return nullptr;
    }
    cursor_.SeekAndSkip(cursor_.offset() + 1);
    const TypeRef element = ParseType();
    return element != nullptr && cursor_.Expect('>') ? context_.UnrankedTensor(element) : nullptr;
  }
  std::vector<int64_t> sizes;
  if (!ParseSizes(/*allow_dynamic=*/true, &sizes)) return nullptr;
  const TypeRef element = ParseType();
  if (element == nullptr) return nullptr;
  AttributeRef encoding = nullptr;
  if (cursor_.Consume(',')) {
    encoding = ParseAttribute();
    if (encoding == nullptr) return nullptr;
  }
  if (!cursor_.Expect('>')) return nullptr;
  return context_.RankedTensor(sizes, element, encoding);
}

// vector<4x[8]xf32>: scalable sizes are kept in the text.
TypeRef AttributeReader::Vector() {
  cursor_.Word();
  if (!cursor_.Expect('<')) return nullptr;
  const size_t begin = cursor_.offset();
  xla::mlir::Type type;
  type.kind = TypeKind::kVector;
  std::vector<int64_t> sizes;
  bool scalable = false;
  while (cursor_.PeekDigit() || cursor_.Peek('[')) {
    const bool bracket = cursor_.Consume('[');
    int64_t size;
    if (!cursor_.Digits(&size)) return nullptr;
    cursor_.SkipSpace();
    if (bracket && !cursor_.Expect(']')) return nullptr;
    scalable = scalable || bracket;
    sizes.push_back(size);
    if (!cursor_.Peek('x')) {
      cursor_.FailExpected("'x' after the size");
      return nullptr;
    }
    cursor_.SeekAndSkip(cursor_.offset() + 1);
  }
  if (scalable) type.text = cursor_.Since(begin);
  type.sizes = sizes;
  type.element = ParseType();
  if (type.element == nullptr || !cursor_.Expect('>')) return nullptr;
  return context_.Intern(type);
}

TypeRef AttributeReader::MemRef() {
  cursor_.Word();
  if (!cursor_.Expect('<')) return nullptr;
  xla::mlir::Type type;
  type.kind = TypeKind::kMemRef;
  std::vector<int64_t> sizes;
  if (cursor_.Consume('*')) {
    type.name = "*";
    if (!cursor_.Peek('x')) {
      cursor_.FailExpected("'x' after '*'");
      return nullptr;
    }
    cursor_.SeekAndSkip(cursor_.offset() + 1);
  } else if (!ParseSizes(/*allow_dynamic=*/true, &sizes)) {
    return nullptr;
  }
  type.sizes = sizes;
  type.element = ParseType();
  if (type.element == nullptr || !cursor_.BalancedText('>', &type.text)) return nullptr;
  return cursor_.Expect('>') ? context_.Intern(type) : nullptr;
}

TypeRef AttributeReader::DialectTypeOrAlias() {
  const size_t begin = cursor_.offset();
  const std::string_view name = AliasOrDialectName("the name of a type alias or dialect type");
  if (name.empty()) return nullptr;
  const size_t point = name.find('.');
  const bool has_body = cursor_.Peek('<');
  if (point == std::string_view::npos) {
    const auto alias = type_aliases_.find(name);
    if (alias != type_aliases_.end()) {
      weight_ += alias->second.weight;
      return alias->second.value;
    }
    if (!has_body) {
      cursor_.FailAt(begin, absl::StrCat("type alias '!", View(name), "' is not defined"));
      return nullptr;
    }
    // !dialect<name body> and !dialect<"text">
    cursor_.Consume('<');
    const std::string_view word = cursor_.Word();
    if (!cursor_.Peek('<')) return DialectTypeNamed(name, word, true);
    cursor_.Consume('<');
    const TypeRef result = DialectTypeNamed(name, word, true);
    return result != nullptr && cursor_.Expect('>') ? result : nullptr;
  }
  if (has_body) cursor_.Consume('<');
  return DialectTypeNamed(name.substr(0, point), name.substr(point + 1), has_body);
}

TypeRef AttributeReader::DialectTypeNamed(std::string_view dialect, std::string_view name,
                                          bool has_body) {
  const NestingScope scope(this);
  if (!scope.ok()) return nullptr;
  if (dialect == "quant" && name == "uniform" && has_body) return QuantizedUniform();
  const size_t begin = cursor_.offset();
  const DialectSyntax* syntax = FindDialect(dialect);
  if (syntax != nullptr && syntax->type != nullptr) {
    const TypeRef result = syntax->type(*this, name, has_body);
    if (!cursor_.ok()) return nullptr;
    if (result != nullptr) return !has_body || cursor_.Expect('>') ? result : nullptr;
    cursor_.Seek(begin);
  }
  std::string_view text;
  if (has_body && (!cursor_.BalancedText('>', &text) || !cursor_.Expect('>'))) return nullptr;
  return context_.Dialect(dialect, name, {}, text);
}

}  // namespace xla::mlir

// SPDX-License-Identifier: Apache-2.0
// The text of MLIR dictionary attributes, as far as typed custom calls use it. Grammar: MLIR's
// "Builtin Dialect" and "Language Reference" pages.
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/runtime/attribute_dictionary.h"

namespace xla {
namespace {

constexpr int kMaxDepth = 64;
constexpr int64_t kMaxElements = int64_t{1} << 24;

// A number as written; its type may follow.
struct Number {
  std::string_view text;  // sign included
  bool is_float = false;
  bool is_hex = false;
  std::optional<bool> boolean;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<AttributeDictionary> ParseAll() {
    SkipSpace();
    if (at_ == text_.size()) return AttributeDictionary();
    XLA_ASSIGN_OR_RETURN(AttributeDictionary result, ParseDictionary(0));
    if (at_ != text_.size()) return Error("expected the end of the text");
    return result;
  }

 private:
  absl::Status Error(absl::string_view what) const {
    const std::string_view rest = text_.substr(at_, 20);
    return absl::InvalidArgumentError(absl::StrCat(
        "attributes of the custom call, position ", at_, ": ", what, ", found ",
        rest.empty() ? std::string("the end")
                     : absl::StrCat("'", absl::CEscape({rest.data(), rest.size()}), "'")));
  }

  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Consume(char c) {
    if (!Peek(c)) return false;
    ++at_;
    SkipSpace();
    return true;
  }
  absl::Status Expect(char c) {
    if (Consume(c)) return absl::OkStatus();
    return Error(absl::StrCat("expected '", std::string(1, c), "'"));
  }

  // A bare word; empty if there is none.
  std::string_view Word() {
    const size_t begin = at_;
    const auto is_word = [&](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
    };
    if (at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_])))
      return {};
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    SkipSpace();
    return word;
  }

  // Escapes: \n \t \" \\ and two hexadecimal digits.
  absl::StatusOr<std::string> ParseString() {
    if (!Peek('"')) return Error("expected a string");
    ++at_;
    std::string out;
    while (true) {
      if (at_ >= text_.size()) return Error("expected '\"' at the end of the string");
      const char c = text_[at_++];
      if (c == '"') break;
      if (c != '\\') {
        out.push_back(c);
        continue;
      }
      const char e = at_ < text_.size() ? text_[at_] : '\0';
      if (e == '"' || e == '\\') {
        out.push_back(e);
        ++at_;
      } else if (e == 'n' || e == 't') {
        out.push_back(e == 'n' ? '\n' : '\t');
        ++at_;
      } else {
        unsigned value = 0;
        const char* begin = text_.data() + at_;
        const char* end = text_.data() + std::min(at_ + 2, text_.size());
        const auto [stop, error] = std::from_chars(begin, end, value, 16);
        if (error != std::errc() || stop != begin + 2) return Error("expected an escape");
        out.push_back(static_cast<char>(value));
        at_ += 2;
      }
    }
    SkipSpace();
    return out;
  }

  absl::StatusOr<AttributeDictionary> ParseDictionary(int depth) {
    if (depth >= kMaxDepth) {
      return Error(absl::StrCat("dictionaries are nested deeper than ", kMaxDepth));
    }
    XLA_RETURN_IF_ERROR(Expect('{'));
    AttributeDictionary::Map values;
    if (Consume('}')) return AttributeDictionary(std::move(values));
    do {
      std::string name;
      if (Peek('"')) {
        XLA_ASSIGN_OR_RETURN(name, ParseString());
      } else {
        name = std::string(Word());
        if (name.empty()) return Error("expected the name of an attribute");
      }
      if (!Peek('=')) return Error(absl::StrCat("expected '=' and the value of '", name, "'"));
      XLA_RETURN_IF_ERROR(Expect('='));
      XLA_ASSIGN_OR_RETURN(AttributeValue value, ParseValue(depth));
      if (!values.emplace(name, std::move(value)).second) {
        return Error(absl::StrCat("attribute '", name, "' is given twice"));
      }
    } while (Consume(','));
    XLA_RETURN_IF_ERROR(Expect('}'));
    return AttributeDictionary(std::move(values));
  }

  absl::StatusOr<AttributeValue> ParseValue(int depth) {
    AttributeValue value;
    if (Peek('"')) {
      value.kind = AttributeValue::Kind::kString;
      XLA_ASSIGN_OR_RETURN(value.string, ParseString());
      return value;
    }
    if (Peek('{')) {
      value.kind = AttributeValue::Kind::kDictionary;
      XLA_ASSIGN_OR_RETURN(AttributeDictionary dictionary, ParseDictionary(depth + 1));
      value.dictionary = std::make_shared<const AttributeDictionary>(std::move(dictionary));
      return value;
    }
    if (text_.substr(at_, 5) == "array") return ParseArray();
    if (text_.substr(at_, 5) == "dense") return ParseDense();
    XLA_ASSIGN_OR_RETURN(const Number number, ParseNumber());
    PrimitiveType type = number.boolean.has_value() ? PRED : number.is_float ? F64 : S64;
    if (Consume(':')) {
      XLA_ASSIGN_OR_RETURN(type, ParseType());
    }
    value.element_type = type;
    XLA_RETURN_IF_ERROR(Append(number, value));
    return value;
  }

  absl::StatusOr<PrimitiveType> ParseType() {
    static constexpr std::pair<std::string_view, PrimitiveType> kTypes[] = {
        {"i1", PRED},  {"i8", S8},    {"i16", S16},  {"i32", S32},  {"i64", S64},
        {"si8", S8},   {"si16", S16}, {"si32", S32}, {"si64", S64}, {"ui8", U8},
        {"ui16", U16}, {"ui32", U32}, {"ui64", U64}, {"f32", F32},  {"f64", F64}};
    const size_t begin = at_;
    const std::string_view word = Word();
    for (const auto& [name, type] : kTypes) {
      if (word == name) return type;
    }
    at_ = begin;
    return Error("expected a type (i1, i8 to i64, ui8 to ui64, f32, f64)");
  }

  absl::StatusOr<Number> ParseNumber() {
    Number number;
    const size_t begin = at_;
    const auto digits = [&](auto is_digit) {
      const size_t first = at_;
      while (at_ < text_.size() && is_digit(static_cast<unsigned char>(text_[at_]))) ++at_;
      return at_ > first;
    };
    if (absl::ascii_isalpha(static_cast<unsigned char>(begin < text_.size() ? text_[begin] : 0))) {
      const std::string_view word = Word();
      if (word == "true" || word == "false") {
        number.boolean = word == "true";
        return number;
      }
      at_ = begin;
      return Error("expected a number, a string, true, false, array<..>, dense<..> or {..}");
    }
    if (Peek('-')) ++at_;
    if (text_.substr(at_, 2) == "0x") {
      at_ += 2;
      number.is_hex = true;
      if (!digits(absl::ascii_isxdigit)) return Error("expected hexadecimal digits");
    } else {
      if (!digits(absl::ascii_isdigit)) {
        at_ = begin;
        return Error("expected a value");
      }
      if (Peek('.')) {
        ++at_;
        number.is_float = true;
        digits(absl::ascii_isdigit);
        if (Peek('e') || Peek('E')) {
          ++at_;
          if (Peek('+') || Peek('-')) ++at_;
          if (!digits(absl::ascii_isdigit)) return Error("expected digits of the exponent");
        }
      }
    }
    number.text = text_.substr(begin, at_ - begin);
    SkipSpace();
    return number;
  }

  // The magnitude of an integer of at most 64 bits.
  absl::StatusOr<std::pair<bool, uint64_t>> Integer(const Number& number) const {
    std::string_view digits = number.text;
    const bool negative = !digits.empty() && digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    if (number.is_hex) digits.remove_prefix(2);
    uint64_t magnitude = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                               magnitude, number.is_hex ? 16 : 10);
    if (error != std::errc() || stop != digits.data() + digits.size()) {
      return Error(absl::StrCat(absl::string_view(number.text.data(), number.text.size()),
                                " does not fit 64 bits"));
    }
    return std::make_pair(negative, magnitude);
  }

  // Appends the number to a scalar or array of value.element_type.
  absl::Status Append(const Number& number, AttributeValue& value) const {
    const PrimitiveType type = value.element_type;
    const std::string shown =
        number.boolean.has_value() ? *number.boolean ? "true" : "false" : std::string(number.text);
    const int bits = type == PRED ? 1 : primitive_util::BitWidth(type);
    const std::string type_name = absl::AsciiStrToLower(PrimitiveType_Name(type));
    uint64_t raw = 0;
    if (number.boolean.has_value()) {
      if (type != PRED) return Error(absl::StrCat(shown, " is not of type ", type_name));
      raw = *number.boolean ? 1 : 0;
    } else if (number.is_float || (type == F32 || type == F64)) {
      if (type != F32 && type != F64) {
        return Error(absl::StrCat(shown, " is not of type ", type_name));
      }
      if (number.is_hex) {  // the bits of the number
        XLA_ASSIGN_OR_RETURN(const auto integer, Integer(number));
        if (integer.first || (type == F32 && integer.second >> 32 != 0)) {
          return Error(absl::StrCat(shown, " is not the bits of an ", type_name));
        }
        raw = integer.second;
      } else if (!number.is_float) {
        return Error(absl::StrCat("an ", type_name, " needs a decimal point: ", shown));
      } else {
        double parsed;
        if (!absl::SimpleAtod({number.text.data(), number.text.size()}, &parsed)) {
          return Error(absl::StrCat(shown, " is not a number"));
        }
        if (type == F32) {
          const float narrow = static_cast<float>(parsed);
          std::memcpy(&raw, &narrow, sizeof(narrow));
        } else {
          std::memcpy(&raw, &parsed, sizeof(parsed));
        }
      }
    } else {
      XLA_ASSIGN_OR_RETURN(const auto integer, Integer(number));
      const auto [negative, magnitude] = integer;
      const uint64_t all_ones = ~uint64_t{0} >> (64 - bits);
      const bool is_unsigned = type == U8 || type == U16 || type == U32 || type == U64;
      // As in MLIR: an iN takes whatever N bits can be, read as signed or unsigned.
      const bool fits =
          negative ? !is_unsigned && magnitude <= all_ones / 2 + 1 : magnitude <= all_ones;
      if (!fits) return Error(absl::StrCat(shown, " does not fit ", type_name));
      raw = (negative ? uint64_t{0} - magnitude : magnitude) & all_ones;
    }
    return AppendBits(raw, value);
  }

  absl::Status AppendBits(uint64_t raw, AttributeValue& value) const {
    if (value.count >= kMaxElements) {
      return Error(absl::StrCat("an array has more than ", kMaxElements, " elements"));
    }
    const auto width = static_cast<size_t>(primitive_util::ByteWidth(value.element_type));
    const size_t offset = static_cast<size_t>(value.count) * width;
    if (offset % 8 == 0) value.storage.push_back(0);
    // Little endian, as the rest of the library.
    std::memcpy(reinterpret_cast<char*>(value.storage.data()) + offset, &raw, width);
    ++value.count;
    return absl::OkStatus();
  }

  // array<i64: 1, 2> or array<i64>
  absl::StatusOr<AttributeValue> ParseArray() {
    Word();
    AttributeValue value;
    value.kind = AttributeValue::Kind::kArray;
    XLA_RETURN_IF_ERROR(Expect('<'));
    XLA_ASSIGN_OR_RETURN(value.element_type, ParseType());
    if (Consume(':')) {
      do {
        XLA_ASSIGN_OR_RETURN(const Number number, ParseNumber());
        XLA_RETURN_IF_ERROR(Append(number, value));
      } while (Consume(','));
    }
    XLA_RETURN_IF_ERROR(Expect('>'));
    return value;
  }

  // dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, dense<0> : tensor<4xi32>, dense<"0x0100.."> : ..
  absl::StatusOr<AttributeValue> ParseDense() {
    Word();
    XLA_RETURN_IF_ERROR(Expect('<'));
    std::vector<Number> numbers;
    std::optional<std::string> hex;
    bool is_splat = false;
    if (Peek('"')) {
      XLA_ASSIGN_OR_RETURN(hex, ParseString());
    } else if (Peek('[')) {
      XLA_RETURN_IF_ERROR(ParseNestedNumbers(numbers));
    } else if (!Peek('>')) {
      XLA_ASSIGN_OR_RETURN(const Number number, ParseNumber());
      numbers.push_back(number);
      is_splat = true;
    }
    XLA_RETURN_IF_ERROR(Expect('>'));
    XLA_RETURN_IF_ERROR(Expect(':'));
    AttributeValue value;
    value.kind = AttributeValue::Kind::kArray;
    XLA_ASSIGN_OR_RETURN(const int64_t elements, ParseTensorType(&value.element_type));
    if (hex.has_value()) return FromHex(*hex, elements, std::move(value));
    if (is_splat) {
      for (int64_t i = 0; i < elements; ++i) XLA_RETURN_IF_ERROR(Append(numbers[0], value));
      return value;
    }
    if (static_cast<int64_t>(numbers.size()) != elements) {
      return Error(
          absl::StrCat("dense<..> has ", numbers.size(), " elements, its type ", elements));
    }
    for (const Number& number : numbers) XLA_RETURN_IF_ERROR(Append(number, value));
    return value;
  }

  // The numbers in brackets; how they nest is left to the type.
  absl::Status ParseNestedNumbers(std::vector<Number>& numbers) {
    int64_t open = 0;
    do {
      while (Consume('[')) ++open;
      if (!Peek(']')) {
        XLA_ASSIGN_OR_RETURN(const Number number, ParseNumber());
        numbers.push_back(number);
      }
      while (open > 0 && Consume(']')) --open;
      if (open == 0) return absl::OkStatus();
    } while (Consume(','));
    return Error("expected ',' or ']'");
  }

  absl::StatusOr<int64_t> ParseTensorType(PrimitiveType* type) {
    if (Word() != "tensor") return Error("expected tensor<..>");
    XLA_RETURN_IF_ERROR(Expect('<'));
    int64_t elements = 1;
    while (at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]))) {
      int64_t size = 0;
      const char* end = text_.data() + text_.size();
      const auto [stop, error] = std::from_chars(text_.data() + at_, end, size);
      if (error != std::errc() || __builtin_mul_overflow(elements, size, &elements) ||
          elements > kMaxElements) {
        return Error(absl::StrCat("a tensor has more than ", kMaxElements, " elements"));
      }
      at_ = static_cast<size_t>(stop - text_.data());
      if (!Peek('x')) return Error("expected 'x' after the size");
      ++at_;
    }
    XLA_ASSIGN_OR_RETURN(*type, ParseType());
    XLA_RETURN_IF_ERROR(Expect('>'));
    return elements;
  }

  // "0x" and the bytes of all elements, or of one that repeats.
  absl::StatusOr<AttributeValue> FromHex(const std::string& hex, int64_t elements,
                                         AttributeValue value) const {
    const auto width = static_cast<size_t>(primitive_util::ByteWidth(value.element_type));
    const bool prefixed = hex.size() >= 2 && hex[0] == '0' && (hex[1] == 'x' || hex[1] == 'X');
    const size_t digits = prefixed ? hex.size() - 2 : 0;
    if (value.element_type == PRED || !prefixed || digits % (2 * width) != 0 ||
        (digits / (2 * width) != static_cast<size_t>(elements) && digits / (2 * width) != 1)) {
      return Error("the string of dense<\"0x..\"> does not fit its type");
    }
    for (size_t i = 2; i < hex.size(); ++i) {
      if (!absl::ascii_isxdigit(static_cast<unsigned char>(hex[i]))) {
        return Error("dense<\"0x..\"> holds something other than hexadecimal digits");
      }
    }
    const std::string bytes = absl::HexStringToBytes(absl::string_view(hex).substr(2));
    for (int64_t i = 0; i < elements; ++i) {
      const size_t offset = bytes.size() == width ? 0 : static_cast<size_t>(i) * width;
      uint64_t raw = 0;
      std::memcpy(&raw, bytes.data() + offset, width);
      XLA_RETURN_IF_ERROR(AppendBits(raw, value));
    }
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<AttributeDictionary> AttributeDictionary::Parse(std::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Tokens of MLIR text. Grammar: MLIR's "Language Reference".
#include "xla/mlir/text_cursor.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::mlir {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

absl::Status ErrorAt(std::string_view file, std::string_view text, size_t offset,
                     std::string_view message) {
  offset = std::min(offset, text.size());
  const size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t end = std::min(text.find('\n', offset), text.size());
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n');
  // Long lines (constants) are shown around the place only.
  constexpr size_t kBefore = 80;
  constexpr size_t kAfter = 60;
  const size_t first = offset - begin > kBefore ? offset - kBefore : begin;
  std::string shown(text.substr(first, std::min(end, offset + kAfter) - first));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  const std::string place = file.empty()
                                ? absl::StrCat("line ", line, ", column ", offset - begin + 1)
                                : absl::StrCat(View(file), ":", line, ":", offset - begin + 1);
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", View(message), "\n", shown, "\n",
                                                 std::string(offset - first, ' '), "^"));
}

bool TextCursor::FailAt(size_t offset, std::string message) {
  if (ok()) {
    message_ = message.empty() ? "syntax error" : std::move(message);
    error_offset_ = offset;
  }
  return false;
}

bool TextCursor::FailExpected(std::string_view what) {
  const std::string_view rest = text_.substr(at_, 20);
  return Fail(absl::StrCat(
      "expected ", View(what), ", found ",
      rest.empty() ? std::string("the end")
                   : absl::StrCat("'", absl::CEscape(View(rest.substr(0, rest.find('\n')))), "'")));
}

absl::Status TextCursor::ToStatus(std::string_view file) const {
  return ok() ? absl::OkStatus() : ErrorAt(file, text_, error_offset_, message_);
}

void TextCursor::SkipLine() {
  const size_t newline = text_.find('\n', at_);
  at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
}

bool TextCursor::Expect(char c) {
  if (Consume(c)) return true;
  return FailExpected(absl::StrCat("'", std::string(1, c), "'"));
}

bool TextCursor::ExpectText(std::string_view token) {
  if (ConsumeText(token)) return true;
  return FailExpected(absl::StrCat("'", View(token), "'"));
}

std::string_view TextCursor::PeekWord() const {
  const char first = PeekChar();
  if (!IsLetter(first) && first != '_') return {};
  size_t end = at_ + 1;
  while (end < text_.size() && IsWordChar(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view TextCursor::Word() {
  const std::string_view word = PeekWord();
  if (!word.empty()) Advance(word.size());
  return word;
}

bool TextCursor::ConsumeWord(std::string_view word) {
  if (PeekWord() != word) return false;
  Advance(word.size());
  return true;
}

bool TextCursor::ExpectWord(std::string_view word) {
  if (ConsumeWord(word)) return true;
  return FailExpected(absl::StrCat("'", View(word), "'"));
}

std::string_view TextCursor::SuffixName() {
  size_t end = at_;
  if (PeekDigit()) {
    while (end < text_.size() && IsDigit(text_[end])) ++end;
  } else {
    while (end < text_.size() && (IsWordChar(text_[end]) || text_[end] == '-')) ++end;
    // "->" is a token of its own.
    if (end > at_ && end < text_.size() && text_[end - 1] == '-' && text_[end] == '>') --end;
  }
  const std::string_view name = text_.substr(at_, end - at_);
  Advance(name.size());
  return name;
}

bool TextCursor::Digits(int64_t* value) {
  if (!PeekDigit()) return FailExpected("a number");
  const size_t begin = at_;
  int64_t result = 0;
  for (; PeekDigit(); ++at_) {
    if (__builtin_mul_overflow(result, int64_t{10}, &result) ||
        __builtin_add_overflow(result, int64_t{text_[at_] - '0'}, &result)) {
      return FailAt(begin, "the number does not fit 64 bits");
    }
  }
  *value = result;
  return true;
}

bool TextCursor::String(std::string_view* value) {
  if (!Peek('"')) return FailExpected("a string");
  const size_t begin = at_ + 1;
  const size_t stop = text_.find_first_of("\"\\\n", begin);
  if (stop == std::string_view::npos || text_[stop] == '\n') {
    at_ = stop == std::string_view::npos ? text_.size() : stop;
    return FailExpected("'\"' at the end of the string");
  }
  if (text_[stop] == '\\') return StringWithEscapes(begin, value);
  *value = text_.substr(begin, stop - begin);
  at_ = stop;
  Advance(1);
  return true;
}

// Escapes: \n \t \" \\ and two hexadecimal digits.
bool TextCursor::StringWithEscapes(size_t begin, std::string_view* value) {
  std::string out;
  at_ = begin;
  while (true) {
    const size_t stop = text_.find_first_of("\"\\\n", at_);
    if (stop == std::string_view::npos || text_[stop] == '\n') {
      at_ = stop == std::string_view::npos ? text_.size() : stop;
      return FailExpected("'\"' at the end of the string");
    }
    out.append(text_.substr(at_, stop - at_));
    at_ = stop + 1;
    if (text_[stop] == '"') break;
    const char e = PeekChar();
    if (e == '"' || e == '\\') {
      out.push_back(e);
      ++at_;
    } else if (e == 'n' || e == 't') {
      out.push_back(e == 'n' ? '\n' : '\t');
      ++at_;
    } else {
      const int high = HexDigit(e);
      const int low = HexDigit(PeekChar(1));
      if (high < 0 || low < 0) return FailExpected("an escape");
      out.push_back(static_cast<char>(high * 16 + low));
      at_ += 2;
    }
  }
  SkipSpace();
  *value = arena_->Copy(std::string_view(out));
  return true;
}

bool TextCursor::SymbolName(std::string_view* value) {
  if (!Peek('@')) return FailExpected("a symbol name ('@')");
  if (PeekChar(1) == '"') {
    ++at_;
    return String(value);
  }
  ++at_;
  size_t end = at_;
  while (end < text_.size() && IsWordChar(text_[end])) ++end;
  if (end == at_) return FailExpected("a symbol name");
  *value = text_.substr(at_, end - at_);
  Advance(value->size());
  return true;
}

bool TextCursor::Number(std::string_view* spelling, bool* is_float) {
  const size_t begin = at_;
  *is_float = false;
  size_t i = at_;
  const auto at = [&](size_t k) { return k < text_.size() ? text_[k] : '\0'; };
  if (at(i) == '-') ++i;
  if (!IsDigit(at(i))) return FailExpected("a number");
  if (at(i) == '0' && at(i + 1) == 'x' && HexDigit(at(i + 2)) >= 0) {
    i += 2;
    while (HexDigit(at(i)) >= 0) ++i;
  } else {
    while (IsDigit(at(i))) ++i;
    if (at(i) == '.') {
      *is_float = true;
      ++i;
      while (IsDigit(at(i))) ++i;
      if (at(i) == 'e' || at(i) == 'E') {
        const size_t sign = at(i + 1) == '+' || at(i + 1) == '-' ? 1 : 0;
        if (IsDigit(at(i + 1 + sign))) {
          i += 1 + sign;
          while (IsDigit(at(i))) ++i;
        }
      }
    }
  }
  *spelling = text_.substr(begin, i - begin);
  Advance(i - begin);
  return true;
}

bool TextCursor::BalancedText(char close, std::string_view* value) {
  const size_t begin = at_;
  std::string open(1, close);  // the closing brackets to come, the innermost last
  size_t i = at_;
  while (i < text_.size()) {
    const char c = text_[i];
    if (c == open.back() && !(c == '>' && i > begin && text_[i - 1] == '-')) {
      open.pop_back();
      if (open.empty()) {
        *value = text_.substr(begin, i - begin);
        at_ = i;
        return true;
      }
      ++i;
      continue;
    }
    switch (c) {
      case '<':
        open.push_back('>');
        break;
      case '(':
        open.push_back(')');
        break;
      case '[':
        open.push_back(']');
        break;
      case '{':
        open.push_back('}');
        break;
      case ')':
      case ']':
      case '}':
        at_ = i;
        return FailExpected(absl::StrCat("'", std::string(1, open.back()), "'"));
      case '"': {
        at_ = i;
        std::string_view unused;
        if (!String(&unused)) return false;
        i = at_;
        continue;
      }
      case '/':
        if (i + 1 < text_.size() && text_[i + 1] == '/') {
          at_ = i;
          SkipLine();
          i = at_;
          continue;
        }
        break;
      default:
        break;
    }
    ++i;
  }
  at_ = text_.size();
  return FailExpected(absl::StrCat("'", std::string(1, open.back()), "'"));
}

}  // namespace xla::mlir

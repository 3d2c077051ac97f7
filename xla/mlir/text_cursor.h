// SPDX-License-Identifier: Apache-2.0
// A place in MLIR text: the tokens there, and the first error.
//
// Functions that read return false, null or an empty view on error, after they have recorded it
// with Fail; callers return at once. Space and comments are skipped after each token.
#ifndef XLA_MLIR_TEXT_CURSOR_H_
#define XLA_MLIR_TEXT_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "xla/mlir/arena.h"

namespace xla::mlir {

// "file:3:7: expected ')'", the line and a caret below the place.
absl::Status ErrorAt(std::string_view file, std::string_view text, size_t offset,
                     std::string_view message);

class TextCursor {
 public:
  // Both must outlive what is read: strings without escapes are views of the text.
  TextCursor(std::string_view text, Arena* arena) : text_(text), arena_(arena) { SkipSpace(); }

  std::string_view text() const { return text_; }
  size_t offset() const { return at_; }
  // Goes back (or on) to the start of a token.
  void Seek(size_t offset) { at_ = offset; }
  void SeekAndSkip(size_t offset) {
    at_ = offset;
    SkipSpace();
  }
  std::string_view Since(size_t begin) const { return text_.substr(begin, at_ - begin); }

  // --- Errors: the first one stays ---
  bool ok() const { return message_.empty(); }
  bool Fail(std::string message) { return FailAt(at_, std::move(message)); }
  bool FailAt(size_t offset, std::string message);
  // Adds to the message of an error that there is.
  void AddContext(std::string_view context) { message_.append(context); }
  // "expected ..., found '...'"
  bool FailExpected(std::string_view what);
  size_t error_offset() const { return error_offset_; }
  const std::string& message() const { return message_; }
  absl::Status ToStatus(std::string_view file) const;

  // --- Tokens ---
  bool AtEnd() const { return at_ == text_.size(); }
  bool Peek(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool PeekText(std::string_view token) const { return text_.substr(at_, token.size()) == token; }
  char PeekChar() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char PeekChar(size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool Consume(char c) {
    if (!Peek(c)) return false;
    Advance(1);
    return true;
  }
  bool ConsumeText(std::string_view token) {
    if (!PeekText(token)) return false;
    Advance(token.size());
    return true;
  }
  bool Expect(char c);
  bool ExpectText(std::string_view token);

  // A bare identifier: a letter or '_', then letters, digits, '_', '$' and '.'. Empty if there is
  // none.
  std::string_view PeekWord() const;
  std::string_view Word();
  bool PeekWord(std::string_view word) const { return PeekWord() == word; }
  bool ConsumeWord(std::string_view word);
  bool ExpectWord(std::string_view word);
  // What follows a sigil ('%', '#', '!', '^'): digits, or letters, digits and "_$.-".
  std::string_view SuffixName();
  bool PeekDigit() const { return IsDigit(PeekChar()); }
  bool PeekNumber() const { return PeekDigit() || (Peek('-') && IsDigit(PeekChar(1))); }

  // Decimal digits, without the space after them. Fails beyond 64 bits.
  bool Digits(int64_t* value);
  // "..." with its escapes replaced.
  bool String(std::string_view* value);
  // @name or @"name", without '@'.
  bool SymbolName(std::string_view* value);
  // "-" and an integer or float as written. `is_float` if it has a point.
  bool Number(std::string_view* spelling, bool* is_float);
  // The text up to the closing bracket of the one just read, which is left unread: brackets nest,
  // strings are skipped.
  bool BalancedText(char close, std::string_view* value);

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool IsWordChar(char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '$' || c == '.';
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '/' && PeekChar(1) == '/') {
        SkipLine();
      } else {
        return;
      }
    }
  }

 private:
  void Advance(size_t count) {
    at_ += count;
    SkipSpace();
  }
  void SkipLine();
  bool StringWithEscapes(size_t begin, std::string_view* value);

  std::string_view text_;
  size_t at_ = 0;
  Arena* arena_;
  std::string message_;
  size_t error_offset_ = 0;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_TEXT_CURSOR_H_

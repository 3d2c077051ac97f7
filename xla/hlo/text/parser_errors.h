// SPDX-License-Identifier: Apache-2.0
// Syntax errors of HLO text and their locations, in XLA's form.
#ifndef XLA_HLO_TEXT_PARSER_ERRORS_H_
#define XLA_HLO_TEXT_PARSER_ERRORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xla/hlo/text/lexer.h"

namespace xla::text {

// Lines and columns of a text, for error messages.
class LineTable {
 public:
  explicit LineTable(std::string_view text) : text_(text) {}
  // Lines count from 1. Columns count from 1, but from 0 on the first line, as XLA counts them.
  std::pair<int64_t, int64_t> LineAndColumn(Loc loc);
  // The line without its end.
  std::string_view Line(Loc loc) const;

 private:
  std::string_view text_;
  // The last answer, as a starting point: queries come mostly in order.
  size_t known_offset_ = 0;
  int64_t known_line_ = 1;
};

// The errors of one parse, innermost first. Adding an error is cheap, because the parser recovers
// from some (an operand that turns out to be a nested instruction); Render computes lines and
// carets.
class ErrorLog {
 public:
  void Add(Loc loc, std::string message) { errors_.push_back({loc, std::move(message)}); }
  size_t size() const { return errors_.size(); }
  // Drops all errors after the first `size`.
  void Truncate(size_t size) { errors_.resize(size, Error{}); }
  // Puts an error before the errors from `position` on.
  void Insert(size_t position, Loc loc, std::string message) {
    errors_.insert(errors_.begin() + position, {loc, std::move(message)});
  }

  // "was parsing L:C: error: MESSAGE", the line, and a caret; errors separated by line ends. Of
  // very many errors only the first and the last are shown, of very long lines the part around the
  // caret.
  std::string Render(std::string_view text) const;

 private:
  struct Error {
    Loc loc = nullptr;
    std::string message;
  };
  std::vector<Error> errors_;
};

}  // namespace xla::text

#endif  // XLA_HLO_TEXT_PARSER_ERRORS_H_

// SPDX-License-Identifier: Apache-2.0
// Lines, columns and carets of syntax errors.
#include "xla/hlo/text/parser_errors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xla::text {
namespace {

constexpr size_t kMostErrorsShown = 100;
constexpr size_t kLongestLineShown = 1024;

// The line with the caret under it. `caret` is the number of characters before the caret; negative:
// no caret.
void AppendLineWithCaret(std::string_view line, int64_t caret, std::string* out) {
  if (line.size() > kLongestLineShown) {
    const size_t middle = static_cast<size_t>(std::max<int64_t>(caret, 0));
    const size_t start =
        std::min(middle > kLongestLineShown / 2 ? middle - kLongestLineShown / 2 : 0,
                 line.size() - kLongestLineShown);
    const std::string_view dots = start > 0 ? "..." : "";
    absl::StrAppend(out, std::string(dots), std::string(line.substr(start, kLongestLineShown)),
                    "...");
    caret -= static_cast<int64_t>(start) - static_cast<int64_t>(dots.size());
  } else {
    out->append(line);
  }
  out->push_back('\n');
  if (caret >= 0) {
    out->append(static_cast<size_t>(caret), ' ');
    out->push_back('^');
  }
}

}  // namespace

std::pair<int64_t, int64_t> LineTable::LineAndColumn(Loc loc) {
  const size_t offset = loc - text_.data();
  if (offset < known_offset_) {
    known_offset_ = 0;
    known_line_ = 1;
  }
  known_line_ += std::count(text_.begin() + known_offset_, text_.begin() + offset, '\n');
  known_offset_ = offset;
  const size_t line_end = text_.substr(0, offset).rfind('\n');
  return {known_line_,
          static_cast<int64_t>(line_end == std::string_view::npos ? offset : offset - line_end)};
}

std::string_view LineTable::Line(Loc loc) const {
  const size_t offset = loc - text_.data();
  // A location at a line end belongs to the line it ends.
  const size_t before = text_.substr(0, offset).rfind('\n');
  const size_t start = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = std::min(text_.find('\n', offset), text_.size());
  return text_.substr(start, end - start);
}

std::string ErrorLog::Render(std::string_view text) const {
  std::string out;
  LineTable lines(text);
  for (size_t i = 0; i < errors_.size(); ++i) {
    if (i > 0) out.push_back('\n');
    if (errors_.size() > kMostErrorsShown && i == kMostErrorsShown / 2) {
      const size_t hidden = errors_.size() - kMostErrorsShown;
      absl::StrAppend(&out, "(", hidden, " more errors)\n");
      i += hidden;
    }
    const auto& [loc, message] = errors_[i];
    const auto [line, column] = lines.LineAndColumn(loc);
    absl::StrAppend(&out, "was parsing ", line, ":", column, ": error: ", message, "\n");
    AppendLineWithCaret(lines.Line(loc), column - 1, &out);
  }
  return out;
}

}  // namespace xla::text

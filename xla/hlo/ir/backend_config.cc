// SPDX-License-Identifier: Apache-2.0
// Backend configs as JSON with sorted members.
#include "xla/hlo/ir/backend_config.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"

namespace xla::ir_internal {
namespace {

// Rewrites JSON-like text: without blanks, members of objects sorted. Values are taken as they are.
class Canonicalizer {
 public:
  explicit Canonicalizer(const std::string& text) : text_(text) {}

  // Nothing if the text is not one well-nested value.
  std::optional<std::string> Run() {
    std::string out;
    if (!Value(&out, 0)) return std::nullopt;
    SkipBlanks();
    if (position_ != text_.size()) return std::nullopt;
    return out;
  }

 private:
  static constexpr int kMaxDepth = 100;

  void SkipBlanks() {
    while (position_ < text_.size() && absl::ascii_isspace(text_[position_])) ++position_;
  }
  char Next() {
    SkipBlanks();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool Value(std::string* out, int depth) {
    const char c = Next();
    if (c == '{' || c == '[') return List(c, out, depth);
    if (c == '"') return String(out);
    const size_t begin = position_;
    position_ = std::min(text_.find_first_of(",:{}[]\"", position_), text_.size());
    size_t end = position_;
    while (end > begin && absl::ascii_isspace(text_[end - 1])) --end;
    out->append(text_, begin, end - begin);
    return end > begin;
  }

  bool String(std::string* out) {
    const size_t begin = position_++;
    while (position_ < text_.size() && text_[position_] != '"') {
      position_ += text_[position_] == '\\' ? 2 : 1;
    }
    if (position_ >= text_.size()) return false;
    ++position_;
    out->append(text_, begin, position_ - begin);
    return true;
  }

  // An object or an array.
  bool List(char open, std::string* out, int depth) {
    if (depth == kMaxDepth) return false;
    const char close = open == '{' ? '}' : ']';
    ++position_;
    std::vector<std::string> elements;
    while (Next() != close) {
      if (!elements.empty()) {
        if (Next() != ',') return false;
        ++position_;
      }
      std::string& element = elements.emplace_back();
      if (!Value(&element, depth + 1)) return false;
      if (open == '[') continue;
      if (Next() != ':') return false;
      ++position_;
      element += ':';
      if (!Value(&element, depth + 1)) return false;
    }
    ++position_;
    if (open == '{') std::sort(elements.begin(), elements.end());
    *out += open;
    *out += absl::StrJoin(elements, ",");
    *out += close;
    return true;
  }

  const std::string& text_;
  size_t position_ = 0;
};

}  // namespace

bool BackendConfigsEqual(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty() || a[0] != '{' || b[0] != '{') return false;
  const std::optional<std::string> canonical = Canonicalizer(a).Run();
  return canonical.has_value() && canonical == Canonicalizer(b).Run();
}

}  // namespace xla::ir_internal

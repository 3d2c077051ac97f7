// SPDX-License-Identifier: Apache-2.0
// Programs that differ from a given one in one place: a number one larger or smaller, another
// element type, an attribute or an operand less, two operands exchanged, an unknown word, a missing
// character.
#ifndef TESTS_VARIANTS_TEXT_VARIANTS_H_
#define TESTS_VARIANTS_TEXT_VARIANTS_H_

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace xla::testing {

struct Variant {
  std::string change;  // "12:7 3 -> 4": line, column, what was replaced and by what
  std::string text;
  size_t line = 0;
  bool is_character = false;  // one character less, or twice
};

class TextVariants {
 public:
  explicit TextVariants(std::string text) : text_(std::move(text)) {}

  // Of the lines for which `selected` is true; single characters are dropped too if `characters`.
  std::vector<Variant> Make(const std::function<bool(absl::string_view)>& selected,
                            bool characters) {
    size_t number = 1;
    for (size_t begin = 0; begin < text_.size(); ++number) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      if (selected(absl::string_view(text_).substr(begin, end - begin))) {
        line_ = number;
        begin_ = begin;
        end_ = end;
        Numbers();
        Types();
        Words();
        Fields();
        Items();
        if (characters) {
          is_character_ = true;
          Characters();
          is_character_ = false;
        }
      }
      begin = end + 1;
    }
    return std::move(variants_);
  }

 private:
  static bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
  static bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
  static bool IsWord(char c) { return IsDigit(c) || IsLetter(c) || c == '_'; }
  char At(size_t i) const { return i >= begin_ && i < end_ ? text_[i] : ' '; }

  void Add(size_t begin, size_t end, const std::string& with) {
    std::string before = text_.substr(begin, end - begin);
    if (before.size() > 30) before = absl::StrCat(before.substr(0, 27), "...");
    Variant variant;
    variant.change =
        absl::StrCat(line_, ":", begin - begin_ + 1, " ", before, " -> ", with.substr(0, 30));
    if (!seen_.insert(variant.change).second) return;
    variant.line = line_;
    variant.is_character = is_character_;
    variant.text = absl::StrCat(text_.substr(0, begin), with, text_.substr(end));
    variants_.push_back(std::move(variant));
  }

  // Whether digits at i are a number rather than part of a name: 3 in "3x4", "pad=1_1", "[3]".
  bool StartsNumber(size_t i) const {
    if (!IsDigit(At(i)) || IsDigit(At(i - 1))) return false;
    const char before = At(i - 1);
    if (before == 'x' || before == '_') return IsDigit(At(i - 2)) || At(i - 2) == '?';
    return !IsLetter(before) && before != '.' && before != '%' && before != '#' && before != '-' &&
           before != '@';
  }

  void Numbers() {
    for (size_t i = begin_; i < end_; ++i) {
      if (!StartsNumber(i)) continue;
      size_t end = i;
      while (IsDigit(At(end))) ++end;
      // Not the first part of a word such as 0xff or 01io.
      if (IsLetter(At(end)) && !(At(end) == 'x')) continue;
      if (end - i > 9) continue;
      const int64_t value = std::stoll(text_.substr(i, end - i));
      Add(i, end, absl::StrCat(value + 1));
      Add(i, end, absl::StrCat(value - 1));
    }
  }

  void Types() {
    constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
        {"pred", "s32"}, {"s32", "f32"},  {"f32", "s32"},   {"f32", "f64"}, {"c64", "f32"},
        {"u32", "f32"},  {"u32", "s32"},  {"bf16", "f16"},  {"f64", "f32"}, {"s8", "u8"},
        {"u8", "pred"},  {"i32", "f32"},  {"i64", "i32"},   {"i1", "i8"},   {"f16", "pred"},
        {"s64", "u64"},  {"ui32", "i32"}, {"token", "f32"}, {"c128", "c64"}};
    for (size_t i = begin_; i < end_; ++i) {
      const char before = At(i - 1);
      if (IsWord(before) && before != 'x') continue;
      for (const auto& [from, to] : kOthers) {
        if (text_.compare(i, from.size(), from) != 0) continue;
        const char after = At(i + from.size());
        if (after == '[' || after == '>' || after == ')' || after == ',' ||
            (before == ':' || At(i - 2) == ':')) {
          Add(i, i + from.size(), std::string(to));
        }
      }
    }
  }

  // Values of attributes: true for false, and words that do not exist.
  void Words() {
    for (size_t i = begin_; i < end_; ++i) {
      if (IsWord(At(i - 1)) || !IsLetter(At(i))) continue;
      size_t end = i;
      while (IsWord(At(end))) ++end;
      const std::string word = text_.substr(i, end - i);
      if (word == "true" || word == "false") {
        Add(i, end, word == "true" ? "false" : "true");
      } else if ((At(i - 1) == '=' || (At(i - 1) == ' ' && At(i - 2) == '=')) && At(end) != '[' &&
                 At(end) != '(' && At(end) != '.' && At(end) != '<') {
        Add(i, end, word + "X");
      }
    }
  }

  // Fields of records that spaces separate: "size=2" of "{size=2 stride=3}".
  void Fields() {
    for (size_t i = begin_; i < end_; ++i) {
      if (!IsLetter(At(i)) || (At(i - 1) != ' ' && At(i - 1) != '{') || At(i - 2) == ',') continue;
      size_t end = i;
      while (IsWord(At(end))) ++end;
      if (At(end) != '=') continue;
      for (int depth = 0; end < end_; ++end) {
        const char c = text_[end];
        if (c == '{' || c == '[' || c == '(') ++depth;
        if (c == '}' || c == ']' || c == ')') --depth;
        if (depth < 0 || (depth == 0 && (c == ' ' || c == ','))) break;
      }
      Add(i, end, "");
    }
  }

  // Items of lists in any brackets: each left out, and each exchanged with the next.
  void Items() {
    std::vector<std::vector<size_t>> open = {{begin_}};  // where the items of each level begin
    for (size_t i = begin_; i <= end_; ++i) {
      const char c = i < end_ ? text_[i] : '\n';
      if (c == '"') {
        do {
          ++i;
        } while (i < end_ && (text_[i] != '"' || text_[i - 1] == '\\'));
      } else if (c == '(' || c == '{' || c == '[' || (c == '<' && IsWord(At(i - 1)))) {
        open.push_back({i + 1});
      } else if (c == ',') {
        open.back().push_back(i + 1);
      } else if (c == ')' || c == '}' || c == ']' || c == '\n' ||
                 (c == '>' && At(i - 1) != '-' && open.size() > 1)) {
        List(open.back(), i);
        if (open.size() > 1) open.pop_back();
      }
    }
  }

  void List(const std::vector<size_t>& begins, size_t end) {
    const auto end_of = [&](size_t k) { return k + 1 < begins.size() ? begins[k + 1] - 1 : end; };
    const auto item = [&](size_t k) { return text_.substr(begins[k], end_of(k) - begins[k]); };
    constexpr size_t kMost = 6;
    for (size_t k = 0; k < std::min(begins.size(), kMost); ++k) {
      if (begins[k] == begin_) continue;  // the instruction itself
      if (item(k).empty()) continue;
      if (begins.size() == 1) {
        Add(begins[k], end, "");
      } else if (k + 1 < begins.size()) {
        Add(begins[k], begins[k + 1], "");
      } else {
        Add(begins[k] - 1, end, "");
      }
      if (k + 1 < begins.size() && item(k) != item(k + 1))
        Add(begins[k], end_of(k + 1), absl::StrCat(item(k + 1), ",", item(k)));
    }
  }

  void Characters() {
    constexpr std::string_view kPunctuation = "(){}[]<>,=:%@#\"/";
    for (size_t i = begin_; i < end_; ++i) {
      if (kPunctuation.find(text_[i]) == std::string_view::npos) continue;
      Add(i, i + 1, "");
      Add(i, i + 1, absl::StrCat(text_.substr(i, 1), text_.substr(i, 1)));
    }
  }

  const std::string text_;
  size_t line_ = 0, begin_ = 0, end_ = 0;
  bool is_character_ = false;
  std::set<std::string> seen_;
  std::vector<Variant> variants_;
};

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_TEXT_VARIANTS_H_

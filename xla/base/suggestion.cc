// SPDX-License-Identifier: Apache-2.0
#include "xla/base/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

// The number of letters to insert, remove, replace or swap with a neighbor.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

// Whether the letters of the word follow each other in the known one, which begins with the first.
bool Abbreviates(std::string_view word, std::string_view known) {
  if (word.size() < 3 || known.empty() || word[0] != known[0]) return false;
  size_t at = 0;
  for (const char c : known) at += at < word.size() && word[at] == c ? 1 : 0;
  return at == word.size();
}

}  // namespace

std::string_view NearestWord(std::string_view word, absl::Span<const std::string_view> known) {
  constexpr size_t kLongestWord = 100;  // longer ones are no slips of the finger
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view nearest;
  // Of the name alone where a dialect stands before it: a third of the letters, three at most.
  const size_t letters = word.size() - (word.rfind('.') + 1);
  size_t least = std::clamp<size_t>(letters / 3, 1, 3) + 1;
  for (const std::string_view candidate : known) {
    const size_t distance = Distance(candidate, word);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  for (const std::string_view candidate : known) {
    if (nearest.empty() && Abbreviates(word, candidate)) nearest = candidate;
  }
  return nearest;
}

std::string Suggestion(std::string_view word, absl::Span<const std::string_view> known) {
  const std::string_view nearest = NearestWord(word, known);
  return nearest.empty() ? "" : absl::StrCat("; did you mean '", View(nearest), "'?");
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Texts of flags whose values are lists, maps and ranges.
#ifndef XLA_DEBUG_OPTIONS_PARSERS_H_
#define XLA_DEBUG_OPTIONS_PARSERS_H_

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "xla/debug_options_enums.h"

namespace xla {

// Sets an entry of a map from strings to strings for each part of "key=value,key,..": the value is
// all that follows the first '=', or empty.
template <typename T>
void parse_comma_separated_values(T* map, std::string comma_separated_values) {
  for (const absl::string_view part : absl::StrSplit(comma_separated_values, ',')) {
    const std::pair<std::string, std::string> entry = absl::StrSplit(part, absl::MaxSplits('=', 1));
    (*map)[entry.first] = entry.second;
  }
}

namespace details {

// A change of a list.
struct RepeatedFlagModifier {
  enum class Op { kAdd, kRemove, kClear };

  Op op;
  std::string value;  // empty for kClear

  bool operator==(const RepeatedFlagModifier& other) const = default;
  friend std::ostream& operator<<(std::ostream& out, const RepeatedFlagModifier& modifier) {
    const char* const names[] = {"add", "remove", "clear"};
    return out << "(" << names[static_cast<int>(modifier.op)] << ", " << modifier.value << ")";
  }
};

// "a,b" replaces the list, "+a,-b" changes it. Values are given in upper case, and with `prefix`
// (in upper case, too) where they do not begin with it. InvalidArgument if some have a sign and
// some not.
absl::StatusOr<std::vector<RepeatedFlagModifier>> ParseRepeatedEnumModifiers(
    absl::string_view text, absl::string_view prefix = "");

// "3", "3:5", "3:" or ":5": whole numbers, both ends included. False for other texts.
bool ParseIntRangeInclusive(absl::string_view text, IntRangeInclusive& range);

}  // namespace details
}  // namespace xla

#endif  // XLA_DEBUG_OPTIONS_PARSERS_H_

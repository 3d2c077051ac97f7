// SPDX-License-Identifier: Apache-2.0
#include "xla/debug_options_parsers.h"

#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/xla.pb.h"

namespace xla::details {

absl::StatusOr<std::vector<RepeatedFlagModifier>> ParseRepeatedEnumModifiers(
    absl::string_view text, absl::string_view prefix) {
  using Op = RepeatedFlagModifier::Op;
  const std::string upper_prefix = absl::AsciiStrToUpper(prefix);
  std::vector<RepeatedFlagModifier> modifiers;
  size_t with_sign = 0;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    part = absl::StripAsciiWhitespace(part);
    const bool removes = part[0] == '-';
    if (removes || part[0] == '+') {
      part.remove_prefix(1);
      ++with_sign;
    }
    std::string value = absl::AsciiStrToUpper(part);
    if (!absl::StartsWith(value, upper_prefix)) value = absl::StrCat(upper_prefix, value);
    modifiers.push_back({removes ? Op::kRemove : Op::kAdd, std::move(value)});
  }
  if (with_sign != 0 && with_sign != modifiers.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("All values of \"", text,
                     "\" must have a sign (+ or -), or none: with signs they change "
                     "a list, without they replace it"));
  }
  if (with_sign == 0 && !modifiers.empty()) modifiers.insert(modifiers.begin(), {Op::kClear, ""});
  return modifiers;
}

bool ParseIntRangeInclusive(absl::string_view text, IntRangeInclusive& range) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, ':');
  if (ends.size() > 2 || text == ":") return false;
  int64_t first = std::numeric_limits<int64_t>::min(), last = std::numeric_limits<int64_t>::max();
  if (ends.size() == 1 || !ends[0].empty()) {
    if (!absl::SimpleAtoi(ends[0], &first)) return false;
  }
  if (ends.size() == 1) {
    last = first;
  } else if (!ends[1].empty() && !absl::SimpleAtoi(ends[1], &last)) {
    return false;
  }
  if (first > last) return false;
  range.set_first(first);
  range.set_last(last);
  return true;
}

}  // namespace xla::details

// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STRINGS_STR_JOIN_H_
#define SHIM_ABSL_STRINGS_STR_JOIN_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename Range, typename Formatter>
std::string StrJoin(const Range& range, string_view separator, Formatter&& format) {
  std::string text;
  bool is_first = true;
  for (const auto& element : range) {
    if (!is_first) text.append(separator);
    is_first = false;
    format(&text, element);
  }
  return text;
}
template <typename Range>
std::string StrJoin(const Range& range, string_view separator) {
  return StrJoin(range, separator,
                 [](std::string* out, const auto& element) { StrAppend(out, element); });
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STRINGS_STR_JOIN_H_

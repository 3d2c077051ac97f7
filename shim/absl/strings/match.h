// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STRINGS_MATCH_H_
#define SHIM_ABSL_STRINGS_MATCH_H_

#include <algorithm>

#include "absl/strings/string_view.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

// Of ASCII letters.
inline bool EqualsIgnoreCase(string_view a, string_view b) {
  const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c | 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STRINGS_MATCH_H_

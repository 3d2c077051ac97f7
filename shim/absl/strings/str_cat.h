// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STRINGS_STR_CAT_H_
#define SHIM_ABSL_STRINGS_STR_CAT_H_

#include <cstdio>
#include <string>
#include <type_traits>

#include "absl/base/config.h"
#include "absl/strings/string_view.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

// Strings, integers and floating-point numbers (six digits, as in Abseil).
template <typename... Args>
void StrAppend(std::string* out, const Args&... args) {
  const auto append = [out](const auto& value) {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<T>) {
      char text[32];
      std::snprintf(text, sizeof(text), "%g", static_cast<double>(value));
      out->append(text);
    } else if constexpr (std::is_integral_v<T>) {
      out->append(std::to_string(value));
    } else {
      out->append(string_view(value));
    }
  };
  (append(args), ...);
}

template <typename... Args>
std::string StrCat(const Args&... args) {
  std::string text;
  StrAppend(&text, args...);
  return text;
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STRINGS_STR_CAT_H_

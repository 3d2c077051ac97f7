// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STRINGS_STR_FORMAT_H_
#define SHIM_ABSL_STRINGS_STR_FORMAT_H_

#include <cstdio>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

struct FormatText {
  FormatText(const char* format_text) : text(format_text) {}
  const char* text;
};
template <typename... Args>
using FormatSpec = FormatText;

// What a variadic function takes for an argument of StrFormat.
template <typename T>
T Printable(const T& value) {
  static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T>);
  return value;
}
inline const char* Printable(const char* text) { return text; }
inline const char* Printable(const std::string& text) { return text.c_str(); }

// Numbers and strings, up to 255 characters.
template <typename... Args>
std::string StrFormat(const FormatText& format, const Args&... args) {
  char text[256];
  std::snprintf(text, sizeof(text), format.text, Printable(args)...);
  return text;
}
template <typename... Args>
void StrAppendFormat(std::string* out, const FormatText& format, const Args&... args) {
  out->append(StrFormat(format, args...));
}

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STRINGS_STR_FORMAT_H_

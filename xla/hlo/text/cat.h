// SPDX-License-Identifier: Apache-2.0
// absl::StrCat for std::string_view: Abseil may be built with a string_view of its own.
#ifndef XLA_HLO_TEXT_CAT_H_
#define XLA_HLO_TEXT_CAT_H_

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"

namespace xla::text {

template <typename T>
auto CatArgument(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return View(value);
  } else {
    return value;
  }
}

template <typename... Args>
std::string Cat(const Args&... args) {
  return absl::StrCat(CatArgument(args)...);
}

}  // namespace xla::text

#endif  // XLA_HLO_TEXT_CAT_H_

// SPDX-License-Identifier: Apache-2.0
// Converts std::string_view to absl::string_view; these differ where Abseil was built for C++14.
#ifndef XLA_BASE_STRING_VIEW_H_
#define XLA_BASE_STRING_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace xla {

inline absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace xla

#endif  // XLA_BASE_STRING_VIEW_H_

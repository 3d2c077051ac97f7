// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STRINGS_STRING_VIEW_H_
#define SHIM_ABSL_STRINGS_STRING_VIEW_H_

#include <string_view>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
using std::string_view;
ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STRINGS_STRING_VIEW_H_

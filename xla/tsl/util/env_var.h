// SPDX-License-Identifier: Apache-2.0
// Values of environment variables, for programs written for XLA. The library itself reads none
// here.
#ifndef XLA_TSL_UTIL_ENV_VAR_H_
#define XLA_TSL_UTIL_ENV_VAR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tsl {

// Each stores the default if the variable is not set, and the default with InvalidArgument if its
// text is not of the type. Booleans are 0, 1, true and false, in any case.
absl::Status ReadBoolFromEnvVar(absl::string_view name, bool default_value, bool* value);
absl::Status ReadInt64FromEnvVar(absl::string_view name, int64_t default_value, int64_t* value);
absl::Status ReadFloatFromEnvVar(absl::string_view name, float default_value, float* value);
absl::Status ReadStringFromEnvVar(absl::string_view name, absl::string_view default_value,
                                  std::string* value);
// Parts between any of `delimiters`, without spaces around them; empty ones are left out.
absl::Status ReadStringsFromEnvVar(absl::string_view name, absl::string_view default_value,
                                   std::vector<std::string>* value,
                                   absl::string_view delimiters = ",");

}  // namespace tsl

#endif  // XLA_TSL_UTIL_ENV_VAR_H_

// SPDX-License-Identifier: Apache-2.0
// Declares absl::Status and absl::StatusOr without defining them: enough for headers whose
// functions return them, at a small part of the compile time of the definitions. Sources that call
// these functions include xla/base/status_macros.h or Abseil's headers.
#ifndef XLA_BASE_STATUS_FWD_H_
#define XLA_BASE_STATUS_FWD_H_

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN
class Status;
template <typename T>
class StatusOr;
ABSL_NAMESPACE_END
}  // namespace absl

#endif  // XLA_BASE_STATUS_FWD_H_

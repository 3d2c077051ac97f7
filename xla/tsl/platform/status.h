// SPDX-License-Identifier: Apache-2.0
// absl::Status and the macros that check it.
#ifndef XLA_TSL_PLATFORM_STATUS_H_
#define XLA_TSL_PLATFORM_STATUS_H_

#include "absl/status/status.h"        // IWYU pragma: export
#include "xla/tsl/platform/logging.h"  // IWYU pragma: export

#endif  // XLA_TSL_PLATFORM_STATUS_H_

// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/logging.h.
#ifndef TSL_PLATFORM_LOGGING_H_
#define TSL_PLATFORM_LOGGING_H_

#include "xla/tsl/platform/logging.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_LOGGING_H_

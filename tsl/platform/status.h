// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/status.h.
#ifndef TSL_PLATFORM_STATUS_H_
#define TSL_PLATFORM_STATUS_H_

#include "xla/tsl/platform/status.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_STATUS_H_

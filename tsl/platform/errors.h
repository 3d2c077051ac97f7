// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/errors.h.
#ifndef TSL_PLATFORM_ERRORS_H_
#define TSL_PLATFORM_ERRORS_H_

#include "xla/tsl/platform/errors.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_ERRORS_H_

// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/macros.h.
#ifndef TSL_PLATFORM_MACROS_H_
#define TSL_PLATFORM_MACROS_H_

#include "xla/tsl/platform/macros.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_MACROS_H_

// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/types.h.
#ifndef TSL_PLATFORM_TYPES_H_
#define TSL_PLATFORM_TYPES_H_

#include "xla/tsl/platform/types.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_TYPES_H_

// SPDX-License-Identifier: Apache-2.0
// tsl::bfloat16.
#ifndef TSL_PLATFORM_BFLOAT16_H_
#define TSL_PLATFORM_BFLOAT16_H_

#include "xla/types.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_BFLOAT16_H_

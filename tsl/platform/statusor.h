// SPDX-License-Identifier: Apache-2.0
// The older path of xla/tsl/platform/statusor.h.
#ifndef TSL_PLATFORM_STATUSOR_H_
#define TSL_PLATFORM_STATUSOR_H_

#include "xla/tsl/platform/statusor.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_STATUSOR_H_

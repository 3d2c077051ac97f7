// SPDX-License-Identifier: Apache-2.0
// The narrow floats in namespace tsl.
#ifndef TSL_PLATFORM_ML_DTYPES_H_
#define TSL_PLATFORM_ML_DTYPES_H_

#include "xla/types.h"  // IWYU pragma: export

#endif  // TSL_PLATFORM_ML_DTYPES_H_

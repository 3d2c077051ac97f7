// SPDX-License-Identifier: Apache-2.0
// Names of integers that older code written for XLA uses.
#ifndef XLA_TSL_PLATFORM_TYPES_H_
#define XLA_TSL_PLATFORM_TYPES_H_

#include <cstdint>
#include <string>

#include "xla/types.h"  // IWYU pragma: export

namespace tsl {
using tstring = std::string;
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;
}  // namespace tsl

#endif  // XLA_TSL_PLATFORM_TYPES_H_

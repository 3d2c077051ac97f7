// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/math.h.
#ifndef XLA_CLIENT_LIB_MATH_H_
#define XLA_CLIENT_LIB_MATH_H_

#include "xla/hlo/builder/lib/math.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_MATH_H_

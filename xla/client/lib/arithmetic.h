// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/arithmetic.h.
#ifndef XLA_CLIENT_LIB_ARITHMETIC_H_
#define XLA_CLIENT_LIB_ARITHMETIC_H_

#include "xla/hlo/builder/lib/arithmetic.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_ARITHMETIC_H_

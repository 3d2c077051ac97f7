// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/prng.h.
#ifndef XLA_CLIENT_LIB_PRNG_H_
#define XLA_CLIENT_LIB_PRNG_H_

#include "xla/hlo/builder/lib/prng.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_PRNG_H_

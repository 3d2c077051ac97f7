// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/loops.h.
#ifndef XLA_CLIENT_LIB_LOOPS_H_
#define XLA_CLIENT_LIB_LOOPS_H_

#include "xla/hlo/builder/lib/loops.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_LOOPS_H_

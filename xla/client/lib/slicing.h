// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/slicing.h.
#ifndef XLA_CLIENT_LIB_SLICING_H_
#define XLA_CLIENT_LIB_SLICING_H_

#include "xla/hlo/builder/lib/slicing.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_SLICING_H_

// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/sorting.h.
#ifndef XLA_CLIENT_LIB_SORTING_H_
#define XLA_CLIENT_LIB_SORTING_H_

#include "xla/hlo/builder/lib/sorting.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_SORTING_H_

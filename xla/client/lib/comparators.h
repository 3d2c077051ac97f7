// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/comparators.h.
#ifndef XLA_CLIENT_LIB_COMPARATORS_H_
#define XLA_CLIENT_LIB_COMPARATORS_H_

#include "xla/hlo/builder/lib/comparators.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_COMPARATORS_H_

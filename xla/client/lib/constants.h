// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/constants.h.
#ifndef XLA_CLIENT_LIB_CONSTANTS_H_
#define XLA_CLIENT_LIB_CONSTANTS_H_

#include "xla/hlo/builder/lib/constants.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_CONSTANTS_H_

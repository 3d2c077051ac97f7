// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/lib/matrix.h.
#ifndef XLA_CLIENT_LIB_MATRIX_H_
#define XLA_CLIENT_LIB_MATRIX_H_

#include "xla/hlo/builder/lib/matrix.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_LIB_MATRIX_H_

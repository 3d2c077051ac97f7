// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/xla_computation.h.
#ifndef XLA_CLIENT_XLA_COMPUTATION_H_
#define XLA_CLIENT_XLA_COMPUTATION_H_

#include "xla/hlo/builder/xla_computation.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_XLA_COMPUTATION_H_

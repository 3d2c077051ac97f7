// SPDX-License-Identifier: Apache-2.0
// The StatusOr macro of XLA's platform library, for programs that use it.
#ifndef XLA_TSL_PLATFORM_STATUSOR_H_
#define XLA_TSL_PLATFORM_STATUSOR_H_

#include "absl/status/statusor.h"     // IWYU pragma: export
#include "xla/tsl/platform/errors.h"  // IWYU pragma: export

#define TF_ASSIGN_OR_RETURN(lhs, ...) XLA_ASSIGN_OR_RETURN(lhs, __VA_ARGS__)

#endif  // XLA_TSL_PLATFORM_STATUSOR_H_

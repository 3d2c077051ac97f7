// SPDX-License-Identifier: Apache-2.0
// The status macro of XLA's platform library, for programs that use it.
#ifndef XLA_TSL_PLATFORM_ERRORS_H_
#define XLA_TSL_PLATFORM_ERRORS_H_

#include "xla/base/status_macros.h"

#define TF_RETURN_IF_ERROR(...) XLA_RETURN_IF_ERROR(__VA_ARGS__)

#endif  // XLA_TSL_PLATFORM_ERRORS_H_

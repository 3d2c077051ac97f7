// SPDX-License-Identifier: Apache-2.0
// RETURN_IF_ERROR and ASSIGN_OR_RETURN, as XLA's newer code writes them.
#ifndef XLA_TSL_PLATFORM_STATUS_MACROS_H_
#define XLA_TSL_PLATFORM_STATUS_MACROS_H_

#include "xla/base/status_macros.h"

#ifndef RETURN_IF_ERROR
#define RETURN_IF_ERROR(...) XLA_RETURN_IF_ERROR(__VA_ARGS__)
#endif
#ifndef ASSIGN_OR_RETURN
#define ASSIGN_OR_RETURN(lhs, ...) XLA_ASSIGN_OR_RETURN(lhs, __VA_ARGS__)
#endif

#endif  // XLA_TSL_PLATFORM_STATUS_MACROS_H_

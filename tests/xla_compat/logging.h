// SPDX-License-Identifier: Apache-2.0
// Stand-in for Abseil's logging headers, which older Abseil lacks.
#ifndef TESTS_XLA_COMPAT_LOGGING_H_
#define TESTS_XLA_COMPAT_LOGGING_H_

#include "tests/xla_compat/test_macros.h"
#include "xla/tsl/platform/logging.h"

#endif  // TESTS_XLA_COMPAT_LOGGING_H_

// SPDX-License-Identifier: Apache-2.0
// Stream under XLA's include path.
#ifndef XLA_STREAM_EXECUTOR_STREAM_H_
#define XLA_STREAM_EXECUTOR_STREAM_H_

#include "xla/stream_executor/stream_executor.h"  // IWYU pragma: export

#endif  // XLA_STREAM_EXECUTOR_STREAM_H_

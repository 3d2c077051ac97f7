// SPDX-License-Identifier: Apache-2.0
// ExecutionOptions with defaults.
#ifndef XLA_EXECUTION_OPTIONS_UTIL_H_
#define XLA_EXECUTION_OPTIONS_UTIL_H_

#include "xla/debug_options_flags.h"
#include "xla/xla.pb.h"

namespace xla {

// One replica, one partition, the debug options of the process.
inline ExecutionOptions CreateDefaultExecutionOptions() {
  ExecutionOptions options;
  *options.mutable_debug_options() = GetDebugOptionsFromFlags();
  return options;
}

}  // namespace xla

#endif  // XLA_EXECUTION_OPTIONS_UTIL_H_

// SPDX-License-Identifier: Apache-2.0
// The process's DebugOptions. The library reads no flags and no XLA_FLAGS: these are the defaults.
#ifndef XLA_DEBUG_OPTIONS_FLAGS_H_
#define XLA_DEBUG_OPTIONS_FLAGS_H_

#include "xla/xla.pb.h"

namespace xla {

// XLA's defaults of the options that tests and users read back.
inline DebugOptions DefaultDebugOptionsIgnoringFlags() {
  DebugOptions options;
  options.set_xla_backend_optimization_level(3);
  options.set_xla_llvm_enable_alias_scope_metadata(true);
  options.set_xla_llvm_enable_noalias_metadata(true);
  options.set_xla_llvm_enable_invariant_load_metadata(true);
  options.set_xla_cpu_multi_thread_eigen(true);
  options.set_xla_cpu_enable_fast_min_max(false);
  options.set_xla_allow_excess_precision(true);
  options.set_xla_dump_max_hlo_modules(-1);
  return options;
}

inline DebugOptions GetDebugOptionsFromFlags() { return DefaultDebugOptionsIgnoringFlags(); }

}  // namespace xla

#endif  // XLA_DEBUG_OPTIONS_FLAGS_H_

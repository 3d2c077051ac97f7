// SPDX-License-Identifier: Apache-2.0
// How programs are compiled unless a caller has reasons of its own: by clients, the plugin, and the
// commands and fuzzers that stand for them.
#ifndef XLA_SERVICE_CPU_COMPILE_OPTIONS_H_
#define XLA_SERVICE_CPU_COMPILE_OPTIONS_H_

#include "xla/cpu/program.h"

namespace xla {

// Constants are folded by the interpreter, which xla/cpu does not know. Subnormal numbers are
// flushed if xla_cpu_ftz of XLA_FLAGS says so.
CpuCompileOptions DefaultCpuCompileOptions();

}  // namespace xla

#endif  // XLA_SERVICE_CPU_COMPILE_OPTIONS_H_

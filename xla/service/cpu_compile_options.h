// SPDX-License-Identifier: Apache-2.0
// How programs are compiled unless a caller has reasons of its own: by clients, the plugin, and the
// commands and fuzzers that stand for them.
#ifndef XLA_SERVICE_CPU_COMPILE_OPTIONS_H_
#define XLA_SERVICE_CPU_COMPILE_OPTIONS_H_

#include "xla/cpu/program.h"
#include "xla/xla.pb.h"

namespace xla {

// Constants are folded by the interpreter, which xla/cpu does not know. Subnormal numbers are
// flushed if xla_cpu_ftz of XLA_FLAGS says so.
CpuCompileOptions DefaultCpuCompileOptions();

// Those of the options that a module's config tells the compiler: the bound on instruction sets
// (xla_cpu_max_isa) and what passes to leave out (xla_disable_hlo_passes).
DebugOptions CompilerOptionsOf(const DebugOptions& options);

}  // namespace xla

#endif  // XLA_SERVICE_CPU_COMPILE_OPTIONS_H_

// SPDX-License-Identifier: Apache-2.0
#include "xla/service/cpu_compile_options.h"

#include "xla/interpreter/constant_folding.h"
#include "xla/service/dump.h"

namespace xla {

CpuCompileOptions DefaultCpuCompileOptions() {
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  options.flush_subnormals = DebugOptionsFromEnv().xla_cpu_ftz();
  return options;
}

DebugOptions CompilerOptionsOf(const DebugOptions& options) {
  DebugOptions result;
  if (!options.xla_cpu_max_isa().empty()) result.set_xla_cpu_max_isa(options.xla_cpu_max_isa());
  *result.mutable_xla_disable_hlo_passes() = options.xla_disable_hlo_passes();
  return result;
}

}  // namespace xla

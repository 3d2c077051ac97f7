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

}  // namespace xla

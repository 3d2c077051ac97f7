// SPDX-License-Identifier: Apache-2.0
#include "xla/service/cpu_compile_options.h"

#include "xla/interpreter/constant_folding.h"

namespace xla {

CpuCompileOptions DefaultCpuCompileOptions() {
  CpuCompileOptions options;
  options.constant_folding = &kConstantFolding;
  return options;
}

}  // namespace xla

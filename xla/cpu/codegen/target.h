// SPDX-License-Identifier: Apache-2.0
// The machine that code is generated for.
#ifndef XLA_CPU_CODEGEN_TARGET_H_
#define XLA_CPU_CODEGEN_TARGET_H_

#include <string>

#include "xla/base/machine.h"

namespace xla::cpu {

struct Target {
  std::string triple, cpu, features;  // as LLVM has them
  Machine machine;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_TARGET_H_

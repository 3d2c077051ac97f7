// SPDX-License-Identifier: Apache-2.0
// LLVM modules to machine code of this machine.
#ifndef XLA_CPU_CODE_GENERATOR_H_
#define XLA_CPU_CODE_GENERATOR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/cpu/ir.h"
#include "xla/cpu/native_code.h"

namespace xla::cpu {

// The machine that this process runs on. Constant for its life.
absl::StatusOr<const Target*> HostTarget();

enum class CodeFormat { kObject, kAssembly };

// Optimises the module and writes it as an object or as assembly.
absl::StatusOr<std::vector<char>> GenerateCode(Ir& ir, CodeFormat format);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODE_GENERATOR_H_

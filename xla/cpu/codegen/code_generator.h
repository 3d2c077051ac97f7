// SPDX-License-Identifier: Apache-2.0
// Compiles LLVM modules to machine code of this machine.
#ifndef XLA_CPU_CODEGEN_CODE_GENERATOR_H_
#define XLA_CPU_CODEGEN_CODE_GENERATOR_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/instruction_set.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/native_code.h"

namespace xla::cpu {

// Returns the machine that this process runs on, without the instructions beyond `bound`; if it has
// fewer, with all that it has. With a bound, code does not depend on the machine. The result is
// constant and valid for the life of the process.
absl::StatusOr<const Target*> HostTarget(InstructionSet bound = InstructionSet::kAny);

// Returns a machine by its name: "native", or one that does not depend on this machine:
// "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64". `bound` is set to its instruction set.
// INVALID_ARGUMENT for other names, with those that are known.
absl::StatusOr<Target> TargetNamed(std::string_view name, InstructionSet* bound);

// "19.1.7"
std::string VersionText(const LlvmApi& llvm);

enum class CodeFormat { kObject, kAssembly };

// Optimizes the module and writes it as an object or as assembly.
absl::StatusOr<std::vector<char>> GenerateCode(Ir& ir, CodeFormat format);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_CODE_GENERATOR_H_

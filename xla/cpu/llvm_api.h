// SPDX-License-Identifier: Apache-2.0
// LLVM's C API, loaded when a program is first compiled: commands that compile nothing do not pay
// for loading LLVM, and nothing links with it.
#ifndef XLA_CPU_LLVM_API_H_
#define XLA_CPU_LLVM_API_H_

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "absl/status/statusor.h"

namespace xla::cpu {

// A pointer to each function of llvm_functions.def, under its own name.
struct LlvmApi {
#define LLVM_FUNCTION(name) decltype(&::name) name;
#include "xla/cpu/llvm_functions.def"
#undef LLVM_FUNCTION

  // Loads libLLVM 19 and the target of this machine, once. UNAVAILABLE if the library is missing.
  // Thread-safe.
  static absl::StatusOr<const LlvmApi*> Get();
};

}  // namespace xla::cpu

#endif  // XLA_CPU_LLVM_API_H_

// SPDX-License-Identifier: Apache-2.0
// LLVM's C API, loaded when a program is first compiled: commands that compile nothing do not pay
// for loading LLVM, and nothing links with it. The headers may be those of any version of
// llvm_versions.h, and another one may be loaded.
#ifndef XLA_CPU_CODEGEN_LLVM_API_H_
#define XLA_CPU_CODEGEN_LLVM_API_H_

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "absl/status/statusor.h"
#include "xla/cpu/codegen/llvm_versions.h"

namespace xla::cpu {

// A pointer to each function of llvm_functions.def, under its own name.
struct LlvmApi {
#define LLVM_FUNCTION(name) decltype(&::name) name;
#include "xla/cpu/codegen/llvm_functions.def"
#undef LLVM_FUNCTION
  const LlvmVersion* version;

  // Loads the first version of LLVM that is installed, and the target of this machine, once.
  // UNAVAILABLE if there is none. Thread-safe.
  static absl::StatusOr<const LlvmApi*> Get();
  // Loads this version, for tests: NOT_FOUND if its library is not installed. Where LLVM is linked
  // in, the only one is that.
  static absl::StatusOr<LlvmApi> Load(const LlvmVersion& version);
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_LLVM_API_H_

// SPDX-License-Identifier: Apache-2.0
// What every LLVM is told once, wherever its functions come from: a library that is loaded, or the
// plugin's own archives.
#ifndef XLA_CPU_CODEGEN_LLVM_OPTIONS_H_
#define XLA_CPU_CODEGEN_LLVM_OPTIONS_H_

#include "xla/cpu/codegen/llvm_api.h"

namespace xla::cpu {

inline void SetLlvmOptions(const LlvmApi& api) {
  // Loop strength reduction takes a sixth of the time of code generation and half of it for some
  // kernels, whose addresses are written as it would make them. There is no other way to leave it
  // out; what does not know the option ignores it.
  const char* const options[] = {"xylem", "-disable-lsr"};
  api.LLVMParseCommandLineOptions(2, options, "");
}

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_LLVM_OPTIONS_H_

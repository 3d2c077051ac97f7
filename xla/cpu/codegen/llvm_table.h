// SPDX-License-Identifier: Apache-2.0
// LLVM's C API for code that must not include its headers.
#ifndef XLA_CPU_CODEGEN_LLVM_TABLE_H_
#define XLA_CPU_CODEGEN_LLVM_TABLE_H_

#include <cstddef>

namespace xla::cpu {

// LlvmApi::Get(), which has `size` bytes; null if it has another size or LLVM cannot be loaded.
const void* LlvmFunctionTable(size_t size);

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_LLVM_TABLE_H_

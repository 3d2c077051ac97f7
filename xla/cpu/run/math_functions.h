// SPDX-License-Identifier: Apache-2.0
// Functions of numbers that generated code calls, because there is no generated code for them.
#ifndef XLA_CPU_RUN_MATH_FUNCTIONS_H_
#define XLA_CPU_RUN_MATH_FUNCTIONS_H_

#include <cstdint>

namespace xla::cpu {

// Computes an operation (HloOpcode) on `n` numbers of a type (PrimitiveType: F32, F64, C64, C128).
// Complex arguments and results have the real parts of all numbers first, then the imaginary parts.
extern "C" void XlaCpuFunction(int32_t opcode, int32_t type, int64_t n, const void* a,
                               const void* b, void* out);

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_MATH_FUNCTIONS_H_

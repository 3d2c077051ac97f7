// SPDX-License-Identifier: Apache-2.0
// The machine that code is generated for.
#ifndef XLA_CPU_CODEGEN_TARGET_H_
#define XLA_CPU_CODEGEN_TARGET_H_

#include <string>

namespace xla::cpu {

struct Target {
  std::string triple, cpu, features;
  int vector_bytes = 16;
  bool has_fma = false;
  bool has_avx512 = false;  // F, VL, BW, DQ, and BMI2
  bool has_half = true;     // conversions between f16 and f32
};

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_TARGET_H_

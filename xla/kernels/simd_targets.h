// SPDX-License-Identifier: Apache-2.0
// The instruction sets that kernels are compiled for, chosen at run time by Highway. To be included
// before any header of Highway.
//
// SSSE3 adds nothing that SSE4 machines lack, and what is beyond AVX3 (the lower bits, more of them
// in newer versions of Highway) nothing that kernels use. Kernels keep arrays of vectors, which
// sets with vectors of unknown length (SVE, RISC-V) do not allow; AArch64 uses NEON.
#ifndef XLA_KERNELS_SIMD_TARGETS_H_
#define XLA_KERNELS_SIMD_TARGETS_H_

// Each set takes long to compile under sanitizers, where the omitted ones would run the same code.
#if defined(XYLEM_THREAD_SANITIZER) || defined(XYLEM_SANITIZE_LESS)
#define XYLEM_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3)
#elif defined(XYLEM_SANITIZER)
#define XYLEM_DISABLED_TARGETS HWY_SSE4
#else
#define XYLEM_DISABLED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS                                                                \
  (XYLEM_DISABLED_TARGETS | (HWY_AVX3 - 1) | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128 | HWY_RVV)

#endif  // XLA_KERNELS_SIMD_TARGETS_H_

// SPDX-License-Identifier: Apache-2.0
// Widening and narrowing of runs of elements: kernels compute in few wide types, whatever the
// arrays hold.
//
//   WideLoad<float> load = GetWideLoad<float>(BF16);
//   load(bf16_data, /*stride=*/1, count, floats);     // exact
//   GetWideStore<float>(BF16)(floats, count, bf16_data, /*stride=*/1);   // rounds to nearest even
//
// Wide types: float (floats of at most 32 bits, integers rounded), double, uint32_t and uint64_t
// (integers, sign-extended on load and wrapped on store; read the latter as int64_t for signed
// types), complex64, complex128.
#ifndef XLA_KERNELS_WIDE_H_
#define XLA_KERNELS_WIDE_H_

#include <cstdint>

#include "xla/xla_data_enums.h"

namespace xla::kernels {

// dst[i] = src[i * stride], in elements of the source type, for i in [0, count).
template <typename Wide>
using WideLoad = void (*)(const void* src, int64_t stride, int64_t count, Wide* dst);

// dst[i * stride] = src[i]. Integers wrap, PRED becomes src != 0, floats round, floats to integers
// saturate.
template <typename Wide>
using WideStore = void (*)(const Wide* src, int64_t count, void* dst, int64_t stride);

// Return null for conversions that make no sense: complex to real, float to uint32_t or uint64_t.
template <typename Wide>
WideLoad<Wide> GetWideLoad(PrimitiveType type);
template <typename Wide>
WideStore<Wide> GetWideStore(PrimitiveType type);

// Converts as many of `count` contiguous numbers as the machine has vector instructions for;
// returns how many.
int64_t WidenF16(const void* from, int64_t count, float* to);
int64_t NarrowF16(const float* from, int64_t count, void* to);
int64_t WidenBF16(const void* from, int64_t count, float* to);
int64_t NarrowBF16(const float* from, int64_t count, void* to);
int64_t WidenS8(const void* from, int64_t count, float* to);
int64_t WidenU8(const void* from, int64_t count, float* to);

// to[i * to_stride + j] = from[i * from_stride + j], for i < rows and j < columns.
using WidenRows = void (*)(int64_t rows, int64_t columns, const void* from, int64_t from_stride,
                           float* to, int64_t to_stride);
// Returns the function of the machine for BF16, S8 and U8; null for other types.
WidenRows GetWidenRows(PrimitiveType type);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_WIDE_H_

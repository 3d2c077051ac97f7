// SPDX-License-Identifier: Apache-2.0
// Products of few rows (at most kMaxSkinnyRows) by a large matrix, which is read once, in place:
// bound by the speed of memory.
#ifndef XLA_KERNELS_PRODUCT_SKINNY_PRODUCT_H_
#define XLA_KERNELS_PRODUCT_SKINNY_PRODUCT_H_

#include <cstdint>
#include <type_traits>

namespace xla::kernels {

inline constexpr int64_t kMaxSkinnyRows = 4;

// The bits of a bf16.
enum class Bf16Bits : uint16_t {};

// What rows consist of, for sums of type T.
template <typename T>
using SkinnyRow = std::conditional_t<std::is_integral_v<T>, int16_t, T>;

// The inner loops of one instruction set. x has 1 to kMaxSkinnyRows rows of contiguous elements.
// The elements of the matrix are of type W, which is widened in registers.
template <typename T, typename W = T>
struct SkinnyKernels {
  // For matrices whose rows are contiguous: sums[r * sum_stride + j] += sum over k of x[r *
  // x_stride + k] * w[k * ldw + j] for j < columns. Elements after these in a row of sums, up to a
  // multiple of 64 bytes, may be changed.
  void (*stream)(int64_t rows, int64_t columns, int64_t depth, const SkinnyRow<T>* x,
                 int64_t x_stride, const W* w, int64_t ldw, T* sums, int64_t sum_stride);
  // For matrices whose columns are contiguous: sums[r * sum_stride + j] = sum over k of x[r *
  // x_stride + k] * w[j * ldw + k], in a fixed number of partial sums.
  void (*dots)(int64_t rows, int64_t columns, int64_t depth, const SkinnyRow<T>* x,
               int64_t x_stride, const W* w, int64_t ldw, T* sums, int64_t sum_stride);
};

// Returns the inner loops of the machine. W: float or double, as T is; Bf16Bits or int8_t with
// float; int8_t or uint8_t with uint32_t, whose sums wrap.
template <typename T, typename W = T>
SkinnyKernels<T, W> FusedSkinnyKernels();

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_SKINNY_PRODUCT_H_

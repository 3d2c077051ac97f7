// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_KERNELS_SCAN_SCAN_BLOCKS_H_
#define XLA_KERNELS_SCAN_SCAN_BLOCKS_H_

#include <cstdint>

namespace xla::kernels {

// Computes running sums of the first whole blocks of 16 elements of four consecutive rows of
// `count` elements. Within each four elements, sums are formed as by CarriedSum of scan_kernel.cc:
// the same bits. carry[r] is the sum before row r, and its last sum on return. Returns how many
// elements of each row are done.
template <typename T>
using FourRowScan = int64_t (*)(int64_t count, const T* x, T* out, T* carry);

// Returns null if the machine lacks AVX-512. T: float, uint32_t.
template <typename T>
FourRowScan<T> GetFourRowScan();

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SCAN_SCAN_BLOCKS_H_

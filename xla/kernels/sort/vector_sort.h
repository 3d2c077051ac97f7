// SPDX-License-Identifier: Apache-2.0
// Sorting by vectors: Highway's quicksort, compiled for each instruction set.
#ifndef XLA_KERNELS_SORT_VECTOR_SORT_H_
#define XLA_KERNELS_SORT_VECTOR_SORT_H_

#include <cstddef>
#include <cstdint>

namespace hwy {
struct uint128_t;  // hwy/base.h
}

namespace xla::kernels {

// Sorts in ascending order, in place, without allocating memory. Few words (32) are sorted more
// quickly by std::sort.
void VectorSort(uint16_t* words, size_t count);
void VectorSort(uint32_t* words, size_t count);
void VectorSort(uint64_t* words, size_t count);
void VectorSort(hwy::uint128_t* words, size_t count);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_VECTOR_SORT_H_

// SPDX-License-Identifier: Apache-2.0
// Sorts of many rows of few elements.
#ifndef XLA_KERNELS_SORT_SHORT_ROWS_H_
#define XLA_KERNELS_SORT_SHORT_ROWS_H_

#include <memory>

#include "xla/kernels/kernel.h"
#include "xla/kernels/sort/sort_kernel.h"

namespace xla::kernels {

// Returns a kernel that sorts many rows at once; null if the rows are too few or too long for that
// to be the fastest, or are not ordered by words of at most 64 bits.
std::unique_ptr<const Kernel> MakeShortRowSort(const SortSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_SHORT_ROWS_H_

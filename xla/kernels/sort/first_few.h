// SPDX-License-Identifier: Apache-2.0
// The first few elements of many short rows.
#ifndef XLA_KERNELS_SORT_FIRST_FEW_H_
#define XLA_KERNELS_SORT_FIRST_FEW_H_

#include <memory>

#include "xla/kernels/kernel.h"
#include "xla/kernels/sort/sort_kernel.h"

namespace xla::kernels {

// A form of top-k that searches for the first element, then for the second, and so on. Returns the
// estimated cycles, or kDoesNotFit for long rows.
double FirstFewCost(const TopKSpec& spec);
std::unique_ptr<const Kernel> MakeFirstFew(const TopKSpec& spec);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_FIRST_FEW_H_

// SPDX-License-Identifier: Apache-2.0
// Integer keys that order elements of any type.
#ifndef XLA_KERNELS_SORT_TOTAL_ORDER_H_
#define XLA_KERNELS_SORT_TOTAL_ORDER_H_

#include <cstdint>

#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Sets keys[i] such that elements compare as their keys do, in XLA's total order: integers by value
// (PRED as 0 and 1); floating-point numbers by value with -0 before +0, NaNs of negative sign
// before -infinity and those of positive sign after +infinity, each ordered by their payload. The
// NaN of types without a negative zero is of negative sign.
// `type` is not complex. If `descending`, keys order in reverse. Different bits have different
// keys.
void TotalOrderKeys(PrimitiveType type, bool descending, int64_t count, const void* elements,
                    int64_t* keys);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_SORT_TOTAL_ORDER_H_

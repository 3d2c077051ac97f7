// SPDX-License-Identifier: Apache-2.0
// Recognizes comparators of sorts that compare one operand in a standard order.
#ifndef XLA_CPU_PLAN_SORT_ORDER_H_
#define XLA_CPU_PLAN_SORT_ORDER_H_

#include <cstdint>
#include <optional>

#include "xla/hlo/ir/hlo_computation.h"
#include "xla/kernels/sort/sort_kernel.h"

namespace xla::cpu {

struct RecognizedOrder {
  kernels::SortOrder order;
  int64_t key;  // the operand that is compared
  bool descending;
};

// Returns nullopt for other comparators, and for those that define no order of NaNs.
std::optional<RecognizedOrder> RecognizeOrder(const HloComputation& comparator);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SORT_ORDER_H_

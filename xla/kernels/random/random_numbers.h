// SPDX-License-Identifier: Apache-2.0
// Random numbers of the stateful generator: one Philox counter for a run, from which instructions
// take ranges.
#ifndef XLA_KERNELS_RANDOM_RANDOM_NUMBERS_H_
#define XLA_KERNELS_RANDOM_RANDOM_NUMBERS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// Whether there are random numbers of the type: uniform floats, integers and PRED; normal floats.
bool HasRandomNumbers(PrimitiveType type, bool normal);

// `count` numbers of the type, for counters from `first` on. Normal: of mean *a and deviation *b.
// Uniform: in [*a, *b); an empty interval of integers gives *a, PRED is a fair coin.
// Precondition: HasRandomNumbers.
absl::Status FillRandomNumbers(Context& context, bool normal, uint64_t first, PrimitiveType type,
                               const void* a, const void* b, int64_t count, void* result);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_RANDOM_RANDOM_NUMBERS_H_

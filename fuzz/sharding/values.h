// SPDX-License-Identifier: Apache-2.0
#ifndef FUZZ_SHARDING_VALUES_H_
#define FUZZ_SHARDING_VALUES_H_

#include "absl/status/status.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::testing {

// Puts two thirds of the operations of the entry into fusions and asynchronous operations.
absl::Status WrapOperations(HloModule* module);

// Partitions a copy of the program, runs it and `undivided` (as one device does) on small integers,
// and prints "equal" if they compute the same bits, "close" if what differs are doubles that may
// have been summed in another order, "undecided: .." of programs that cannot run undivided or are
// of one device, and else "differs:" with both results.
absl::Status CompareValues(const HloModule& module, const HloModule& undivided, bool uses_shardy);

}  // namespace xla::testing

#endif  // FUZZ_SHARDING_VALUES_H_

// SPDX-License-Identifier: Apache-2.0
// Programs with shardings on several devices: full arguments are divided among them, and full
// results are put together from what they return.
#ifndef XYLEM_TOOLS_SHARDED_H_
#define XYLEM_TOOLS_SHARDED_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"

namespace xla {

// Whether ExecuteSharded runs the program: something in it has a sharding, and it has partitions.
bool IsSharded(const HloModule& module, int64_t partitions);

// Runs a program of one partition on all devices, in the order of their numbers.
using ExecuteProgram = std::function<absl::StatusOr<std::vector<Literal>>(
    const HloModule& module, absl::Span<const std::vector<const Literal*>> arguments)>;

// Partitions the program and runs it on replicas x partitions devices. `arguments`: the full ones
// of each device. Returns one full result for each replica.
absl::StatusOr<std::vector<Literal>> ExecuteSharded(
    const HloModule& module, int64_t replicas, int64_t partitions,
    absl::Span<const std::vector<const Literal*>> arguments, const ExecuteProgram& execute);

}  // namespace xla

#endif  // XYLEM_TOOLS_SHARDED_H_

// SPDX-License-Identifier: Apache-2.0
// Collectives of groups with devices in several processes, that send each process what it needs and
// no more. For arrays of static shapes; others go whole (ExchangeParts).
#ifndef XLA_CPU_RUN_REMOTE_COLLECTIVES_H_
#define XLA_CPU_RUN_REMOTE_COLLECTIVES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/run/thunk.h"
#include "xla/passes/collective_group.h"

namespace xla::cpu::collective {

// Whether a group has devices in several processes, and its arrays static shapes.
bool IsDividedStatically(const LibraryCall& call, const DeviceGroup& group);

// Reduces arrays of `count` elements with the combiner of operand i, as a tree.
absl::Status FoldArrays(const LibraryCall& call, size_t i, absl::Span<char* const> arrays,
                        PrimitiveType type, int64_t count, char* result);

absl::Status AllReduceAcross(const LibraryCall& call, const DeviceGroup& group);
absl::Status ReduceScatterAcross(const LibraryCall& call, const DeviceGroup& group,
                                 int64_t dimension);
absl::Status AllGatherAcross(const LibraryCall& call, const DeviceGroup& group, int64_t dimension);
absl::Status AllToAllAcross(const LibraryCall& call, const DeviceGroup& group, int64_t dimension);

}  // namespace xla::cpu::collective

#endif  // XLA_CPU_RUN_REMOTE_COLLECTIVES_H_

// SPDX-License-Identifier: Apache-2.0
// Messages between devices: their sources and targets, and the order in which a device
// communicates.
#ifndef XLA_PASSES_COMMUNICATION_H_
#define XLA_PASSES_COMMUNICATION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/collective_group.h"

namespace xla {

using DevicePairList = std::vector<std::pair<int64_t, int64_t>>;  // (source, target)

// Returns the pairs of a send or recv, as devices, from its frontend attribute
// _xla_send_recv_source_target_pairs={{0,1},{1,2}}, which has ids of replicas, or of partitions if
// there is a channel_id above 0. nullopt without the attribute.
absl::StatusOr<std::optional<DevicePairList>> TransferPairs(const HloInstruction& transfer,
                                                            const DevicePosition& device);

// Returns the pair of a recv whose target is the device; (-1, -1) without the attribute, for any
// sender; nullopt if no device sends to this one. INVALID_ARGUMENT if two do.
absl::StatusOr<std::optional<std::pair<int64_t, int64_t>>> ReceivePair(
    const HloInstruction& recv, const DevicePosition& device);

// Moves every recv-done (and the end of an async operation that receives) as late as its users
// allow, after other communication: a device then first sends everything that does not depend on
// what it waits for. Keeps the order otherwise.
std::vector<const HloInstruction*> ReceivesLast(std::vector<const HloInstruction*> order);

// Returns the computation of the async operation that ends with `done`, if it contains a recv;
// otherwise null.
const HloComputation* AsyncComputationThatReceives(const HloInstruction& done);

}  // namespace xla

#endif  // XLA_PASSES_COMMUNICATION_H_

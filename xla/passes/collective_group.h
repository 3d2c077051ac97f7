// SPDX-License-Identifier: Apache-2.0
// Which devices take part in a collective, and in what order.
//
// A run has R replicas x P partitions; a device's id is replica * P + partition. The ids of
// replica_groups and source_target_pairs denote
//   no channel_id                                  replicas; the partition is the device's own
//   channel_id, no use_global_device_ids           partitions; the replica is the device's own
//   channel_id, use_global_device_ids=false        replicas, each with all its partitions
//   channel_id, use_global_device_ids=true         devices
// (all-gather, all-reduce and reduce-scatter have use_global_device_ids, false unless it is given;
// the others do not.) A channel_id of 0 or less counts as none.
#ifndef XLA_PASSES_COLLECTIVE_GROUP_H_
#define XLA_PASSES_COLLECTIVE_GROUP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

enum class GroupMode : uint8_t { kReplica, kPartition, kReplicaAndPartition, kFlattened };

struct DevicePosition {
  int64_t replicas = 1, partitions = 1;  // of the run
  int64_t replica = 0, partition = 0;    // of the device

  int64_t id() const { return replica * partitions + partition; }
};

// The devices that a device exchanges data with, itself included.
struct DeviceGroup {
  std::vector<int64_t> devices;  // in order of rank; empty if the device does not participate
  int64_t rank = -1;             // of the device: devices[rank]
  // For collective-permute: (source, target) devices, in the order of the text.
  std::vector<std::pair<int64_t, int64_t>> pairs;

  bool empty() const { return devices.empty(); }
  int64_t size() const { return static_cast<int64_t>(devices.size()); }
};

// Returns the instruction's channel_id, if it has one above 0.
std::optional<int64_t> ChannelOf(const HloInstruction& inst);

// Returns the device's group of a collective. Without replica_groups, all devices that the mode
// connects are one group, in order. INVALID_ARGUMENT if ids are out of range or duplicated.
absl::StatusOr<DeviceGroup> FindGroup(const HloInstruction& inst, const DevicePosition& device);

// Checks the instructions with which two devices take part in a collective on the same channel.
// INVALID_ARGUMENT unless they are equivalent: the same operation on the same shapes with equal
// attributes.
absl::Status CheckSameCollective(const HloInstruction& a, const HloInstruction& b);

// Returns the shapes of operands and result, which all devices of a collective must have.
std::string OperationShapes(const HloInstruction& inst);
// Returns the operation with its place in the user's program: "all-reduce.3 (model.py:12)".
std::string OperationText(const HloInstruction& inst);

// Returns (source, target) ids as devices; ids are replicas without a channel, partitions with one.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> DevicePairs(
    absl::Span<const std::pair<int64_t, int64_t>> pairs, bool has_channel,
    const DevicePosition& device);

// Returns the number of updates that each device of a ragged-all-to-all sends to each other device,
// from the shapes of its input, output and offsets. INVALID_ARGUMENT if they do not fit each other
// or the group.
absl::StatusOr<int64_t> RaggedUpdateCount(const Shape& input, const Shape& output,
                                          const Shape& offsets, const DeviceGroup& group);

// One update: rows [source, source + size) of the sender's input become rows
// [target, target + size) of the receiver's output; the receiver expects `expected` rows.
struct RaggedUpdate {
  int64_t source = 0, size = 0, target = 0, expected = 0;
};

// Returns INVALID_ARGUMENT unless the rows of an update exist and the receiver expects as many.
absl::Status CheckRaggedUpdate(const RaggedUpdate& update, int64_t input_rows, int64_t output_rows,
                               int64_t sender, int64_t receiver);

}  // namespace xla

#endif  // XLA_PASSES_COLLECTIVE_GROUP_H_

// SPDX-License-Identifier: Apache-2.0
// Groups of devices without a list of devices: positions in a mixed radix. A group of an iota list
// is { first + k1 * stride1 + k2 * stride2 + ... }, so that its axes in a mesh, its members on each
// level of a machine and its cost follow from a few numbers, however many devices there are.
#ifndef XLA_SPMD_PLAN_GROUPS_H_
#define XLA_SPMD_PLAN_GROUPS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/machine_levels.h"

namespace xla::spmd {

// The axes of a mesh, major first: device ids count them in row-major order.
struct PlanAxis {
  std::string name;
  int64_t size = 1;
};
using PlanMesh = std::vector<PlanAxis>;

// "d=64,m=64". INVALID_ARGUMENT for no axes, names that are not identifiers or are duplicated,
// sizes below 1, more than kMaxDevices devices.
absl::StatusOr<PlanMesh> ParsePlanMesh(std::string_view text);
int64_t DevicesOf(const PlanMesh& mesh);

struct DeviceDigit {
  int64_t stride = 1, size = 1;
  bool operator==(const DeviceDigit&) const = default;
};

struct DeviceGroups {
  int64_t size = 1;  // devices in the largest group
  // All groups are alike: the ranks of a group, minor digit first. Neighboring digits that continue
  // each other are one.
  bool is_regular = true;
  std::vector<DeviceDigit> digits;
  // Else the groups themselves.
  std::vector<std::vector<int64_t>> groups;
};

// How a run counts devices: device = replica * partitions + partition.
struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  int64_t devices() const { return replicas * partitions; }
};

// The groups of a collective other than a permutation. INVALID_ARGUMENT for ids beyond the counts.
absl::StatusOr<DeviceGroups> FindDeviceGroups(const HloInstruction& collective,
                                              const DeviceCounts& counts);

// (source, target) devices of a collective-permute, of the first replica or partition if ids are
// of the other kind.
absl::StatusOr<std::vector<std::pair<int64_t, int64_t>>> FindDevicePairs(
    const HloInstruction& permute, const DeviceCounts& counts);

// The axes that groups span: "d", "d,m", a part of an axis as Shardy writes it, "d:(2)4" (size 4
// where parts before it have 2); "-" for groups of one device. "?" where groups are not sub-axes.
std::string AxesText(const DeviceGroups& groups, const PlanMesh& mesh);
// The same of all axes along which some pair differs.
std::string AxesText(absl::Span<const std::pair<int64_t, int64_t>> pairs, const PlanMesh& mesh);

// Members of a group, by the level of the machine on which they meet: members[l] units of the level
// below l in a unit of level l. Their product is the size, or more where groups are not alike.
std::vector<int64_t> MembersByLevel(const DeviceGroups& groups, const MachineDescription& machine,
                                    int64_t devices);

// The outermost level that a message from one device to another passes.
size_t LevelBetween(const MachineDescription& machine, int64_t from, int64_t to);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_GROUPS_H_

// SPDX-License-Identifier: Apache-2.0
// Axes over the partitions of a program, and the groups of partitions along them.
//
// The mesh of a program has one axis, of all partitions; shardings divide dimensions along sub-axes
// of it. Sub-axis (pre)size of N partitions is the digit p / (N / (pre * size)) % size of the place
// p of a partition. Partitions are in the order of their numbers, but where a sharding lists them
// in an order that is no transposition of digits. So layouts of one program compare and combine
// whatever meshes they were stated over, and cost nothing more for more partitions.
#ifndef XLA_SPMD_PARTITION_GROUPS_H_
#define XLA_SPMD_PARTITION_GROUPS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/mesh_and_axis.h"

namespace xla::spmd {

// The partitions 0, 1, 2, ... along one axis. Precondition: 1 <= partitions <= 2^24.
Mesh PartitionMesh(int64_t partitions);
// The same in another order. Precondition: each number once.
Mesh PartitionMesh(absl::Span<const int64_t> order);

// Groups of partitions that differ only along some axes.
struct PartitionGroups {
  Mesh mesh;
  std::vector<AxisRef> axes;  // the order within a group, major to minor

  // Whether there are none: each partition is for itself.
  bool empty() const { return axes.empty(); }
  void clear() { axes.clear(); }
  int64_t group_size() const { return AxesSize(axes, mesh); }
  // Written out.
  std::vector<std::vector<int64_t>> Lists() const;
};

// Whether the groups have the same partitions, in any order.
bool HaveSameGroups(const PartitionGroups& a, const PartitionGroups& b);

// Replica groups along axes: an iota, but for meshes whose devices are a list.
CollectiveDeviceList GroupsAlong(const Mesh& mesh, absl::Span<const AxisRef> axes);

// The position of this partition along axes, major to minor, an s32: arithmetic on its number if
// the devices of the mesh are in order, a table otherwise.
HloInstruction* PositionAlong(const Mesh& mesh, absl::Span<const AxisRef> axes,
                              HloComputation* computation);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PARTITION_GROUPS_H_

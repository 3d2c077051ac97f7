// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/partition_groups.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "xla/hlo/ir/attributes.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

const std::string kAxisName[] = {"partitions"};

std::vector<std::vector<int64_t>> Sorted(std::vector<std::vector<int64_t>> groups) {
  for (std::vector<int64_t>& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  return groups;
}

HloInstruction* WithConstant(HloOpcode opcode, HloInstruction* value, int64_t constant) {
  return Add(value->parent(), opcode, value->shape(),
             {value, ScalarS32(value->parent(), constant)});
}

}  // namespace

Mesh PartitionMesh(int64_t partitions) { return Mesh({partitions}, kAxisName); }

Mesh PartitionMesh(absl::Span<const int64_t> order) {
  Array<int64_t> devices({static_cast<int64_t>(order.size())});
  std::copy(order.begin(), order.end(), devices.begin());
  return Mesh(TileAssignment(devices), kAxisName);
}

std::vector<std::vector<int64_t>> PartitionGroups::Lists() const {
  const TileAssignment groups = AxesGroups(mesh, axes);
  std::vector<std::vector<int64_t>> lists;
  const Array<int64_t>& devices = groups.array();
  for (auto group = devices.begin(); group != devices.end(); group += groups.dim(1)) {
    lists.emplace_back(group, group + groups.dim(1));
  }
  return lists;
}

bool HaveSameGroups(const PartitionGroups& a, const PartitionGroups& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (a.mesh == b.mesh) {
    std::vector<AxisRef> of_a = a.axes, of_b = b.axes;
    SortAndMergeAxes(of_a, a.mesh);
    SortAndMergeAxes(of_b, b.mesh);
    return of_a == of_b;
  }
  return a.mesh.num_devices() == b.mesh.num_devices() && a.group_size() == b.group_size() &&
         Sorted(a.Lists()) == Sorted(b.Lists());
}

CollectiveDeviceList GroupsAlong(const Mesh& mesh, absl::Span<const AxisRef> axes) {
  const TileAssignment groups = AxesGroups(mesh, axes);
  if (const std::optional<IotaTileAssignment>& iota = groups.iota()) {
    return CollectiveDeviceList::Iota(
        groups.dim(0), groups.dim(1), {iota->reshape_dims().begin(), iota->reshape_dims().end()},
        {iota->transpose_perm().begin(), iota->transpose_perm().end()});
  }
  CollectiveDeviceList list;
  list.groups = PartitionGroups{mesh, {axes.begin(), axes.end()}}.Lists();
  return list;
}

HloInstruction* PositionAlong(const Mesh& mesh, absl::Span<const AxisRef> axes,
                              HloComputation* computation) {
  HloInstruction* number = PartitionNumber(computation);
  if (!mesh.HasIotaDevices()) {
    std::vector<int32_t> table(static_cast<size_t>(mesh.num_devices()));
    const TileAssignment groups = AxesGroups(mesh, axes);
    groups.Each([&](absl::Span<const int64_t> index, int64_t device) {
      table[static_cast<size_t>(device)] = static_cast<int32_t>(index[1]);
    });
    return TableEntry(computation, table, number);
  }
  HloInstruction* position = nullptr;
  for (const AxisRef& axis : axes) {
    int64_t stride = mesh.axis_size(axis.mesh_axis_index()) / axis.next_pre_size(mesh);
    for (int64_t minor = axis.mesh_axis_index() + 1; minor < mesh.num_axes(); ++minor) {
      stride *= mesh.axis_size(minor);
    }
    const int64_t size = axis.size(mesh);
    HloInstruction* digit = number;
    if (stride > 1) digit = WithConstant(HloOpcode::kDivide, digit, stride);
    if (stride * size < mesh.num_devices())
      digit = WithConstant(HloOpcode::kRemainder, digit, size);
    if (position != nullptr) {
      position = WithConstant(HloOpcode::kMultiply, position, size);
      digit = Add(computation, HloOpcode::kAdd, digit->shape(), {position, digit});
    }
    position = digit;
  }
  return position != nullptr ? position : ScalarS32(computation, 0);
}

}  // namespace xla::spmd

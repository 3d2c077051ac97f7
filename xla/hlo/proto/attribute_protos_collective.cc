// SPDX-License-Identifier: Apache-2.0
// Attribute protos of collectives, sends and receives.
#include <optional>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/proto/attribute_protos.h"
#include "xla/util.h"

namespace xla::proto_internal {
namespace {

// Zero and negative ids stand for none.
std::optional<int64_t> ReadChannel(const HloInstructionProto& proto) {
  if (proto.channel_id() > 0) return proto.channel_id();
  return std::nullopt;
}

void WriteChannel(const std::optional<int64_t>& channel_id, HloInstructionProto* proto) {
  if (channel_id.has_value()) proto->set_channel_id(*channel_id);
}

absl::StatusOr<CollectiveDeviceList> ReadGroups(const HloInstructionProto& proto) {
  // The former field counts where it is not empty.
  if (proto.replica_groups_size() > 0) {
    CollectiveDeviceListProto list;
    *list.mutable_replica_groups() = proto.replica_groups();
    return CollectiveDeviceList::FromProto(list);
  }
  switch (proto.replica_group_list_case()) {
    case HloInstructionProto::kCollectiveDeviceList:
      return CollectiveDeviceList::FromProto(proto.collective_device_list());
    case HloInstructionProto::kIotaCollectiveDeviceList:
      return CollectiveDeviceList::FromProto(proto.iota_collective_device_list());
    case HloInstructionProto::kMeshAxesReplicaGroupList:
      return CollectiveDeviceList::FromProto(proto.mesh_axes_replica_group_list());
    case HloInstructionProto::REPLICA_GROUP_LIST_NOT_SET:
      break;
  }
  return CollectiveDeviceList();
}

absl::Status ReadBase(const HloInstructionProto& proto, CollectiveBase* base) {
  base->channel_id = ReadChannel(proto);
  base->constrain_layout = proto.constrain_layout();
  XLA_ASSIGN_OR_RETURN(base->replica_groups, ReadGroups(proto));
  return absl::OkStatus();
}

absl::Status WriteBase(const CollectiveBase& base, HloInstructionProto* proto) {
  WriteChannel(base.channel_id, proto);
  proto->set_constrain_layout(base.constrain_layout);
  const CollectiveDeviceList& groups = base.replica_groups;
  switch (groups.form) {
    case CollectiveDeviceList::Form::kExplicit:
      *proto->mutable_collective_device_list() = groups.ToListProto();
      break;
    case CollectiveDeviceList::Form::kIota:
      *proto->mutable_iota_collective_device_list() = groups.ToIotaProto();
      break;
    case CollectiveDeviceList::Form::kMesh:
      *proto->mutable_mesh_axes_replica_group_list() = groups.ToMeshProto();
      for (const AxisRefProto& axis : proto->mesh_axes_replica_group_list().axes()) {
        if (axis.mesh_axis_index() < 0) {
          return InvalidArgument("replica_groups %s: an axis is not in the mesh",
                                 groups.ToString());
        }
      }
      break;
  }
  return absl::OkStatus();
}

// The ranks of the arrays of a shape: of the array, or of the elements of a tuple.
Int64s Ranks(const Shape& shape) {
  if (!shape.IsTuple()) return {shape.rank()};
  Int64s ranks;
  for (const Shape& element : shape.tuple_shapes()) ranks.push_back(element.rank());
  return ranks;
}

}  // namespace

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, SendRecvAttributes* a) {
  a->channel_id = ReadChannel(proto);
  a->is_host_transfer = proto.is_host_transfer();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const SendRecvAttributes& a, HloInstructionProto* proto) {
  WriteChannel(a.channel_id, proto);
  proto->set_is_host_transfer(a.is_host_transfer);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  CollectiveAttributes* a) {
  return ReadBase(proto, a);
}
absl::Status Write(const HloInstruction&, const CollectiveAttributes& a,
                   HloInstructionProto* proto) {
  return WriteBase(a, proto);
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, AllGatherAttributes* a) {
  XLA_RETURN_IF_ERROR(ReadBase(proto, a));
  XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  a->use_global_device_ids = proto.use_global_device_ids();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const AllGatherAttributes& a,
                   HloInstructionProto* proto) {
  XLA_RETURN_IF_ERROR(WriteBase(a, proto));
  AddAll(a.dimensions, proto->mutable_dimensions());
  proto->set_use_global_device_ids(a.use_global_device_ids);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, AllReduceAttributes* a) {
  XLA_RETURN_IF_ERROR(ReadBase(proto, a));
  // The former name of the channel.
  if (proto.all_reduce_id() > 0) a->channel_id = proto.all_reduce_id();
  a->use_global_device_ids = proto.use_global_device_ids();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const AllReduceAttributes& a,
                   HloInstructionProto* proto) {
  XLA_RETURN_IF_ERROR(WriteBase(a, proto));
  proto->set_use_global_device_ids(a.use_global_device_ids);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&,
                  ReduceScatterAttributes* a) {
  XLA_RETURN_IF_ERROR(ReadBase(proto, a));
  XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  a->use_global_device_ids = proto.use_global_device_ids();
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const ReduceScatterAttributes& a,
                   HloInstructionProto* proto) {
  XLA_RETURN_IF_ERROR(WriteBase(a, proto));
  AddAll(a.dimensions, proto->mutable_dimensions());
  proto->set_use_global_device_ids(a.use_global_device_ids);
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction&, AllToAllAttributes* a) {
  XLA_RETURN_IF_ERROR(ReadBase(proto, a));
  if (proto.dimensions_size() > 0) {
    XLA_ASSIGN_OR_RETURN(a->dimensions, ReadOneDimension(proto));
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const AllToAllAttributes& a, HloInstructionProto* proto) {
  XLA_RETURN_IF_ERROR(WriteBase(a, proto));
  if (a.dimensions.has_value()) AddAll(*a.dimensions, proto->mutable_dimensions());
  return absl::OkStatus();
}

absl::Status Read(const HloInstructionProto& proto, const HloInstruction& instruction,
                  CollectivePermuteAttributes* a) {
  a->channel_id = ReadChannel(proto);
  for (const SourceTarget& pair : proto.source_target_pairs()) {
    a->source_target_pairs.emplace_back(pair.source(), pair.target());
  }
  if (proto.dynamic_slice_sizes().empty()) return absl::OkStatus();
  // All sizes in one list: as many for each slice as its array has dimensions.
  const Int64s ranks =
      instruction.operand_count() > 0 ? Ranks(instruction.operand(0)->shape()) : Int64s();
  int64_t period = 0;
  bool has_scalar = false;
  for (int64_t rank : ranks) {
    period += rank;
    has_scalar |= rank == 0;
  }
  if (period == 0 || has_scalar || proto.dynamic_slice_sizes_size() % period != 0) {
    return InvalidArgument("%d dynamic_slice_sizes do not fit the shape of the operand",
                           proto.dynamic_slice_sizes_size());
  }
  auto next = proto.dynamic_slice_sizes().begin();
  while (next != proto.dynamic_slice_sizes().end()) {
    for (int64_t rank : ranks) {
      a->slice_sizes.emplace_back(next, next + rank);
      next += rank;
    }
  }
  return absl::OkStatus();
}
absl::Status Write(const HloInstruction&, const CollectivePermuteAttributes& a,
                   HloInstructionProto* proto) {
  WriteChannel(a.channel_id, proto);
  for (const auto& [source, target] : a.source_target_pairs) {
    SourceTarget* pair = proto->add_source_target_pairs();
    pair->set_source(source);
    pair->set_target(target);
  }
  for (const Int64s& sizes : a.slice_sizes) AddAll(sizes, proto->mutable_dynamic_slice_sizes());
  return absl::OkStatus();
}

}  // namespace xla::proto_internal

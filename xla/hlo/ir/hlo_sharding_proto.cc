// SPDX-License-Identifier: Apache-2.0
// Shardings as protos.
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

// The reduction of an unreduced sharding is an entry of the metadata, as jaxlib 0.12 has it.
constexpr char kReductionEntry[] = "sdy::reduction_op";
constexpr const char* kReductions[] = {"SUM", "MAX", "MIN"};

OpMetadata ReductionToProto(HloSharding::Reduction reduction) {
  OpMetadata entry;
  entry.set_op_type(kReductionEntry);
  entry.set_op_name(kReductions[static_cast<size_t>(reduction)]);
  return entry;
}

absl::StatusOr<HloSharding::Reduction> ReductionFromProto(const OpMetadata& entry) {
  for (size_t i = 0; i < std::size(kReductions); ++i) {
    if (entry.op_name() == kReductions[i]) return static_cast<HloSharding::Reduction>(i);
  }
  return InvalidArgument("the reduction \"%s\" of a sharding is not known", entry.op_name());
}

template <typename Proto>
void MetadataToProto(const HloSharding& sharding, Proto* proto) {
  for (const InstructionMetadata& entry : sharding.metadata) {
    *proto->add_metadata() = entry.ToProto();
  }
  if (sharding.reduction != HloSharding::Reduction::kSum) {
    *proto->add_metadata() = ReductionToProto(sharding.reduction);
  }
}

template <typename Proto>
absl::Status MetadataFromProto(const Proto& proto, HloSharding* sharding) {
  for (const OpMetadata& entry : proto.metadata()) {
    if (entry.op_type() == kReductionEntry) {
      XLA_ASSIGN_OR_RETURN(sharding->reduction, ReductionFromProto(entry));
    } else {
      sharding->metadata.push_back(InstructionMetadata::FromProto(entry));
    }
  }
  return absl::OkStatus();
}

NamedShardingProto NamedToProto(const HloSharding& sharding) {
  const HloSharding::Named& named = *sharding.named;
  NamedShardingProto proto;
  *proto.mutable_mesh() = named.mesh.ToProto();
  for (const HloSharding::Named::Dim& dim : named.dims) {
    NamedShardingProto::DimensionSharding* dim_proto = proto.add_dim_shardings();
    for (const AxisRef& axis : dim.axes) *dim_proto->add_axes() = axis.ToProto(named.mesh);
    dim_proto->set_is_closed(dim.is_closed);
  }
  for (const AxisRef& axis : named.replicated)
    *proto.add_replicated_axes() = axis.ToProto(named.mesh);
  for (const AxisRef& axis : named.unreduced)
    *proto.add_unreduced_axes() = axis.ToProto(named.mesh);
  for (const AxisRef& axis : named.manual) *proto.add_manual_axes() = axis.ToProto(named.mesh);
  MetadataToProto(sharding, &proto);
  return proto;
}

template <typename Protos>
absl::StatusOr<std::vector<AxisRef>> AxesFromProto(const Protos& protos, const Mesh& mesh) {
  std::vector<AxisRef> axes;
  for (const AxisRefProto& proto : protos) {
    XLA_ASSIGN_OR_RETURN(AxisRef axis, AxisRef::FromProto(proto, mesh));
    axes.push_back(std::move(axis));
  }
  return axes;
}

absl::StatusOr<HloSharding> NamedFromProto(const NamedShardingProto& proto) {
  auto named = std::make_shared<HloSharding::Named>();
  XLA_ASSIGN_OR_RETURN(named->mesh, Mesh::FromProto(proto.mesh()));
  for (const NamedShardingProto::DimensionSharding& dim_proto : proto.dim_shardings()) {
    HloSharding::Named::Dim dim;
    XLA_ASSIGN_OR_RETURN(dim.axes, AxesFromProto(dim_proto.axes(), named->mesh));
    dim.is_closed = dim_proto.is_closed();
    named->dims.push_back(std::move(dim));
  }
  XLA_ASSIGN_OR_RETURN(named->replicated, AxesFromProto(proto.replicated_axes(), named->mesh));
  XLA_ASSIGN_OR_RETURN(named->unreduced, AxesFromProto(proto.unreduced_axes(), named->mesh));
  XLA_ASSIGN_OR_RETURN(named->manual, AxesFromProto(proto.manual_axes(), named->mesh));
  named->fully_replicated = !named->mesh.maximal_device.has_value() && named->dims.empty() &&
                            named->replicated.empty() && named->unreduced.empty() &&
                            named->manual.empty();
  HloSharding sharding;
  sharding.kind = HloSharding::Kind::kNamed;
  sharding.named = std::move(named);
  XLA_RETURN_IF_ERROR(MetadataFromProto(proto, &sharding));
  return sharding;
}

}  // namespace

OpSharding HloSharding::ToProto() const {
  OpSharding proto;
  if (kind == Kind::kNamed) {
    *proto.mutable_named_sharding() = NamedToProto(*this);
    return proto;
  }
  MetadataToProto(*this, &proto);
  if (group != Group::kNone) {
    proto.set_is_shard_group(true);
    proto.set_shard_group_id(group_id);
    proto.set_shard_group_type(group == Group::kAs ? OpSharding::AS : OpSharding::LIKE);
  }
  switch (kind) {
    case Kind::kManual:
      proto.set_type(OpSharding::MANUAL);
      break;
    case Kind::kUnknown:
      proto.set_type(OpSharding::UNKNOWN);
      break;
    case Kind::kUnreduced:
      proto.set_type(OpSharding::UNREDUCED);
      break;
    case Kind::kMaximal:
      proto.set_type(OpSharding::MAXIMAL);
      proto.add_tile_assignment_devices(device);
      break;
    case Kind::kTuple:
      proto.set_type(OpSharding::TUPLE);
      for (const HloSharding& element : elements) *proto.add_tuple_shardings() = element.ToProto();
      break;
    case Kind::kTiled:
      proto.set_type(OpSharding::OTHER);
      proto.mutable_tile_assignment_dimensions()->Add(tile_dims.begin(), tile_dims.end());
      if (!devices.empty()) {
        proto.mutable_tile_assignment_devices()->Add(devices.begin(), devices.end());
      } else {
        proto.mutable_iota_reshape_dims()->Add(reshape_dims.begin(), reshape_dims.end());
        proto.mutable_iota_transpose_perm()->Add(transpose_perm.begin(), transpose_perm.end());
        // The wire always has a permutation.
        if (transpose_perm.empty()) proto.add_iota_transpose_perm(0);
      }
      proto.set_replicate_on_last_tile_dim(last_tile_dim_replicate);
      for (OpSharding::Type type : last_tile_dims) proto.add_last_tile_dims(type);
      break;
    default:
      proto.set_type(OpSharding::REPLICATED);
  }
  return proto;
}

absl::StatusOr<HloSharding> HloSharding::FromProto(const OpSharding& proto) {
  if (proto.has_named_sharding()) return NamedFromProto(proto.named_sharding());
  HloSharding sharding;
  XLA_RETURN_IF_ERROR(MetadataFromProto(proto, &sharding));
  if (proto.is_shard_group()) {
    sharding.group = proto.shard_group_type() == OpSharding::AS ? Group::kAs : Group::kLike;
    sharding.group_id = proto.shard_group_id();
  }
  switch (proto.type()) {
    case OpSharding::REPLICATED:
      return sharding;
    case OpSharding::MANUAL:
      sharding.kind = Kind::kManual;
      return sharding;
    case OpSharding::UNKNOWN:
      sharding.kind = Kind::kUnknown;
      return sharding;
    case OpSharding::UNREDUCED:
      sharding.kind = Kind::kUnreduced;
      return sharding;
    case OpSharding::MAXIMAL:
      if (proto.tile_assignment_devices_size() != 1) {
        return InvalidArgument("a maximal sharding names one device, not %d",
                               proto.tile_assignment_devices_size());
      }
      sharding.kind = Kind::kMaximal;
      // Domains have negative devices, too; Validate refuses those of arrays.
      sharding.device = proto.tile_assignment_devices(0);
      return sharding;
    case OpSharding::TUPLE:
      sharding.kind = Kind::kTuple;
      for (const OpSharding& element_proto : proto.tuple_shardings()) {
        if (element_proto.type() == OpSharding::TUPLE && !element_proto.has_named_sharding()) {
          return InvalidArgument("a tuple sharding holds the sharding of a tuple");
        }
        XLA_ASSIGN_OR_RETURN(HloSharding element, FromProto(element_proto));
        sharding.elements.push_back(std::move(element));
      }
      return sharding;
    case OpSharding::OTHER:
      break;
    default:
      return InvalidArgument("unknown sharding type %d", static_cast<int>(proto.type()));
  }
  sharding.kind = Kind::kTiled;
  sharding.tile_dims.assign(proto.tile_assignment_dimensions().begin(),
                            proto.tile_assignment_dimensions().end());
  sharding.devices.assign(proto.tile_assignment_devices().begin(),
                          proto.tile_assignment_devices().end());
  sharding.reshape_dims.assign(proto.iota_reshape_dims().begin(), proto.iota_reshape_dims().end());
  sharding.transpose_perm.assign(proto.iota_transpose_perm().begin(),
                                 proto.iota_transpose_perm().end());
  if (sharding.devices.empty() == sharding.reshape_dims.empty()) {
    return InvalidArgument("a tiled sharding needs either devices or an iota");
  }
  // One tile is the whole, whatever the last dimension means.
  const auto is_one = [](int64_t size) { return size == 1; };
  if (absl::c_all_of(sharding.tile_dims, is_one) && absl::c_all_of(sharding.reshape_dims, is_one) &&
      sharding.devices.size() <= 1) {
    return Replicate();
  }
  sharding.last_tile_dim_replicate = proto.replicate_on_last_tile_dim();
  for (int type : proto.last_tile_dims())
    sharding.last_tile_dims.push_back(static_cast<OpSharding::Type>(type));
  if (!sharding.last_tile_dims.empty()) sharding.last_tile_dim_replicate = false;
  return sharding.Canonical();
}

}  // namespace xla

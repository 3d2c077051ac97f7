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

OpMetadata ReductionToProto(UnreducedKind reduction) {
  OpMetadata entry;
  entry.set_op_type(kReductionEntry);
  entry.set_op_name(kReductions[static_cast<size_t>(reduction)]);
  return entry;
}

absl::StatusOr<UnreducedKind> ReductionFromProto(const OpMetadata& entry) {
  for (size_t i = 0; i < std::size(kReductions); ++i) {
    if (entry.op_name() == kReductions[i]) return static_cast<UnreducedKind>(i);
  }
  return InvalidArgument("the reduction \"%s\" of a sharding is not known", entry.op_name());
}

template <typename Proto>
void MetadataToProto(const HloSharding& sharding, Proto* proto) {
  for (const InstructionMetadata& entry : sharding.metadata()) {
    *proto->add_metadata() = entry.ToProto();
  }
  if (sharding.unreduced_kind() != UnreducedKind::kSum) {
    *proto->add_metadata() = ReductionToProto(sharding.unreduced_kind());
  }
}

template <typename Proto>
absl::Status MetadataFromProto(const Proto& proto, HloSharding* sharding) {
  for (const OpMetadata& entry : proto.metadata()) {
    if (entry.op_type() == kReductionEntry) {
      XLA_ASSIGN_OR_RETURN(const UnreducedKind kind, ReductionFromProto(entry));
      sharding->set_unreduced_kind(kind);
    } else {
      sharding->metadata().push_back(InstructionMetadata::FromProto(entry));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloSharding> TupleFromProto(const OpSharding& proto) {
  std::vector<HloSharding> elements;
  for (const OpSharding& element_proto : proto.tuple_shardings()) {
    if (element_proto.type() == OpSharding::TUPLE && !element_proto.has_named_sharding()) {
      return InvalidArgument("a tuple sharding holds the sharding of a tuple");
    }
    XLA_ASSIGN_OR_RETURN(HloSharding element, HloSharding::FromProto(element_proto));
    elements.push_back(std::move(element));
  }
  return HloSharding::Tuple(std::move(elements));
}

absl::StatusOr<HloSharding> TiledFromProto(const OpSharding& proto) {
  const auto& dims = proto.tile_assignment_dimensions();
  const auto& devices = proto.tile_assignment_devices();
  const auto& reshape_dims = proto.iota_reshape_dims();
  const auto& transpose_perm = proto.iota_transpose_perm();
  if (devices.empty() == reshape_dims.empty()) {
    return InvalidArgument("a tiled sharding needs either devices or an iota");
  }
  // One tile is the whole, whatever the last dimension means.
  const auto is_one = [](int64_t size) { return size == 1; };
  if (absl::c_all_of(dims, is_one) && absl::c_all_of(reshape_dims, is_one) && devices.size() <= 1) {
    return HloSharding::Replicate();
  }
  absl::StatusOr<TileAssignment> tiles =
      devices.empty() ? TileAssignment::CreateIota(dims, reshape_dims, transpose_perm)
                      : TileAssignment::Create(dims, devices);
  if (!tiles.ok()) return AddContext(tiles.status(), "sharding");
  std::vector<OpSharding_Type> types;
  for (int type : proto.last_tile_dims()) types.push_back(static_cast<OpSharding_Type>(type));
  if (types.empty() && proto.replicate_on_last_tile_dim()) types = {OpSharding::REPLICATED};
  return HloSharding::FromSubgroups(*tiles, types);
}

void TiledToProto(const HloSharding& sharding, OpSharding* proto) {
  const TileAssignment& tiles = sharding.tile_assignment();
  for (const int64_t dim : tiles.dimensions()) proto->add_tile_assignment_dimensions(dim);
  if (const std::optional<IotaTileAssignment>& iota = tiles.iota()) {
    for (const int64_t dim : iota->reshape_dims()) proto->add_iota_reshape_dims(dim);
    for (const int dim : iota->transpose_perm()) proto->add_iota_transpose_perm(dim);
  } else {
    for (const int64_t id : tiles.array()) proto->add_tile_assignment_devices(id);
  }
  if (sharding.ReplicateOnLastTileDim()) {
    proto->set_replicate_on_last_tile_dim(true);
  } else {
    for (const OpSharding_Type type : sharding.subgroup_types()) proto->add_last_tile_dims(type);
  }
}

absl::StatusOr<HloSharding> LeafFromProto(const OpSharding& proto) {
  switch (proto.type()) {
    case OpSharding::REPLICATED:
      return HloSharding::Replicate();
    case OpSharding::MANUAL:
      return HloSharding::Manual();
    case OpSharding::UNKNOWN:
      return HloSharding::Unknown();
    case OpSharding::UNREDUCED:
      return HloSharding::Unreduced();
    case OpSharding::MAXIMAL:
      if (proto.tile_assignment_devices_size() != 1) {
        return InvalidArgument("a maximal sharding names one device, not %d",
                               proto.tile_assignment_devices_size());
      }
      // Domains have negative devices, too; Validate refuses those of arrays.
      return HloSharding::SingleDevice(proto.tile_assignment_devices(0));
    case OpSharding::TUPLE:
      return TupleFromProto(proto);
    case OpSharding::OTHER:
      return TiledFromProto(proto);
    default:
      return InvalidArgument("unknown sharding type %d", static_cast<int>(proto.type()));
  }
}

}  // namespace

OpSharding HloSharding::ToProto() const {
  OpSharding proto;
  if (UseNamedShardingLeaf()) {
    *proto.mutable_named_sharding() = named_sharding().ToProto();
    MetadataToProto(*this, proto.mutable_named_sharding());
    return proto;
  }
  MetadataToProto(*this, &proto);
  if (IsShardGroup()) {
    proto.set_is_shard_group(true);
    proto.set_shard_group_id(shard_group_.id);
    proto.set_shard_group_type(IsShardAs() ? OpSharding::AS : OpSharding::LIKE);
  }
  switch (kind()) {
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
      proto.add_tile_assignment_devices(tile_assignment().first());
      break;
    case Kind::kTuple:
      proto.set_type(OpSharding::TUPLE);
      for (const HloSharding& element : tuple_elements()) {
        *proto.add_tuple_shardings() = element.ToProto();
      }
      break;
    case Kind::kTiled:
      proto.set_type(OpSharding::OTHER);
      TiledToProto(*this, &proto);
      break;
    default:
      proto.set_type(OpSharding::REPLICATED);
  }
  return proto;
}

absl::StatusOr<HloSharding> HloSharding::FromProto(const OpSharding& proto) {
  if (proto.has_named_sharding()) {
    XLA_ASSIGN_OR_RETURN(NamedSharding named, NamedSharding::FromProto(proto.named_sharding()));
    HloSharding sharding(std::move(named));
    XLA_RETURN_IF_ERROR(MetadataFromProto(proto.named_sharding(), &sharding));
    return sharding;
  }
  XLA_ASSIGN_OR_RETURN(HloSharding sharding, LeafFromProto(proto));
  XLA_RETURN_IF_ERROR(MetadataFromProto(proto, &sharding));
  if (proto.is_shard_group()) {
    sharding.SetShardGroup(proto.shard_group_type() == OpSharding::AS
                               ? ShardAs(proto.shard_group_id())
                               : ShardLike(proto.shard_group_id()));
  }
  return sharding;
}

}  // namespace xla

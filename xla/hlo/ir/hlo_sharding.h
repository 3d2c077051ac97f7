// SPDX-License-Identifier: Apache-2.0
// Shardings: how an instruction's result is laid out over devices (HLO text section 6, OpSharding
// proto).
//
//   HloSharding::Tile(TileAssignment({2, 2}))            {devices=[2,2]<=[4]}
//   HloSharding::PartialTile(TileAssignment({2, 1, 2}))  {devices=[2,1,2]<=[4]
//   last_tile_dim_replicate}
#ifndef XLA_HLO_IR_HLO_SHARDING_H_
#define XLA_HLO_IR_HLO_SHARDING_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/instruction_metadata.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla {

// A value type, always in the form in which XLA keeps and prints it: iota order simplified;
// subgroup dimensions of one type merged, those of size 1 dropped, the replicated one last and its
// devices sorted; a subgroup of all devices named outright ({replicated}, {manual}).
//
// Predicates under XLA's names (IsReplicated, IsManual, ...) hold for shardings by tiles and by
// axes alike, and for a tuple if they hold for all of its elements; those that end in Leaf are for
// shardings that are not tuples.
class HloSharding {
 public:
  enum class Kind : uint8_t {
    kReplicated,
    kManual,
    kUnknown,
    kUnreduced,
    kMaximal,
    kTiled,
    kTuple,
    kNamed
  };

  // shard_as N / shard_like N
  struct ShardGroup {
    enum class Type : uint8_t { kNone, kAs, kLike };
    Type type = Type::kNone;
    int64_t id = 0;
    bool operator==(const ShardGroup& other) const {
      return type == other.type && (type == Type::kNone || id == other.id);
    }
  };

  HloSharding() = default;  // replicated
  explicit HloSharding(NamedSharding named) : form_(std::move(named)) {}

  static HloSharding Replicate() { return HloSharding(); }
  static HloSharding Manual() { return HloSharding(ManualForm()); }
  static HloSharding Unknown() { return HloSharding(UnknownForm()); }
  static HloSharding Unreduced(UnreducedKind kind = UnreducedKind::kSum) {
    return HloSharding(UnreducedForm{kind});
  }
  // All of it on one device. Domains name negative devices, too.
  static HloSharding SingleDevice(int64_t device);
  static HloSharding AssignDevice(int64_t device) {
    return SingleDevice(device);
  }  // before XLA 0.9
  // One element for each leaf of the shape (pre-order); one of a tuple without leaves.
  static HloSharding Tuple(std::vector<HloSharding> elements);
  static HloSharding FlatTuple(std::vector<HloSharding> elements) {
    return Tuple(std::move(elements));
  }

  // The dimensions of the assignment are those of the data.
  static HloSharding Tile(TileAssignment tiles);
  static HloSharding IotaTile(absl::Span<const int64_t> tile_dims);
  static HloSharding IotaTile(absl::Span<const int64_t> tile_dims,
                              absl::Span<const int64_t> reshape_dims,
                              absl::Span<const int> transpose_perm);
  // The last dimension of the assignment replicates.
  static HloSharding PartialTile(TileAssignment tiles);
  // The last dimensions of the assignment are of these types: replicated, manual, unreduced or
  // maximal. Other types, or more than there are dimensions, are a programming error (checked).
  static HloSharding Subgroup(const TileAssignment& tiles,
                              absl::Span<const OpSharding_Type> subgroup_types,
                              UnreducedKind unreduced_kind = UnreducedKind::kSum);
  // The same from input, which may be wrong.
  static absl::StatusOr<HloSharding> FromSubgroups(
      const TileAssignment& tiles, absl::Span<const OpSharding_Type> subgroup_types);

  // The tiles that named axes stand for (XLA numbers its three generations of shardings); cost: the
  // number of axes, but for meshes whose devices are a list. What open dimensions and priorities
  // say is lost.
  static HloSharding V3ToV2Sharding(const NamedSharding& sharding);
  // The same for all leaves of this sharding that have named axes.
  static HloSharding V3ToV2Sharding(const HloSharding& sharding);

  Kind kind() const { return static_cast<Kind>(form_.index()); }
  bool IsTuple() const { return kind() == Kind::kTuple; }
  bool UseNamedShardingLeaf() const { return kind() == Kind::kNamed; }
  // Precondition: UseNamedShardingLeaf.
  const NamedSharding& named_sharding() const { return std::get<NamedSharding>(form_); }
  // Empty unless IsTuple.
  const std::vector<HloSharding>& tuple_elements() const;
  // Precondition: IsTuple.
  std::vector<HloSharding>& tuple_elements() { return std::get<TupleForm>(form_).elements; }

  bool IsReplicated() const { return AllLeaves(&HloSharding::IsReplicatedLeaf); }
  bool IsReplicatedLeaf() const;
  bool IsSingleDevice() const { return AllLeaves(&HloSharding::IsSingleDeviceLeaf); }
  bool IsSingleDeviceLeaf() const;
  bool IsReplicatedOrSingleDevice() const { return IsReplicated() || IsSingleDevice(); }
  bool IsTileMaximal() const { return IsReplicatedOrSingleDevice(); }  // before XLA 0.9
  bool IsManual() const { return AllLeaves(&HloSharding::IsManualLeaf); }
  bool IsManualLeaf() const;
  bool IsUnknown() const { return AllLeaves(&HloSharding::IsUnknownLeaf); }
  bool IsUnknownLeaf() const { return kind() == Kind::kUnknown; }
  bool IsUnreduced() const { return AllLeaves(&HloSharding::IsUnreducedLeaf); }
  bool IsUnreducedLeaf() const;
  // By tiles or axes, of which each device has a part.
  bool IsTiled() const { return AllLeaves(&HloSharding::IsTiledLeaf); }
  bool IsTiledLeaf() const;
  bool IsManualSubgroup() const { return AllLeaves(&HloSharding::IsManualSubgroupLeaf); }
  bool IsUnreducedSubgroup() const { return AllLeaves(&HloSharding::IsUnreducedSubgroupLeaf); }
  bool HasPartialReplication() const;  // not of a tuple
  // The last dimension of the tiles replicates, and it is the only one that is not of the data.
  bool ReplicateOnLastTileDim() const;

  // The devices of the tiles (kTiled), or the only device (kMaximal); of others, no devices.
  const TileAssignment& tile_assignment() const;
  // The same; that of named axes is the one of V3ToV2Sharding.
  TileAssignment device_assignment() const;
  // What the last dimensions of the tiles are (kTiled). XLA leaves out a single replicated one.
  absl::Span<const OpSharding_Type> subgroup_types() const;
  // The product of the sizes of the subgroup dimensions of this type.
  int64_t SubgroupSize(OpSharding_Type type) const;
  // The position of the subgroup dimension of this type among those of the tiles, or -1.
  int64_t SubgroupDim(OpSharding_Type type) const;
  // The number of tile dimensions that are of the data. Precondition: kTiled or kNamed.
  int64_t TiledDataRank() const;
  // The number of shards along each dimension of the data. Precondition: kTiled or kNamed.
  std::vector<int64_t> DataDimensions() const;
  // Of the whole sharding and of the data alone. Precondition: not a tuple.
  int64_t num_devices() const;
  int64_t NumTiles() const;
  UnreducedKind unreduced_kind() const;
  // Of shardings that are unreduced along some devices; no effect on others.
  void set_unreduced_kind(UnreducedKind kind);

  // The shape of a tile, rounded up. Precondition of this and the next ones: not a tuple.
  Shape TileShape(const Shape& shape) const;
  // The shape of the tile of a device, which is smaller at the end of a dimension that is not
  // divided evenly.
  Shape TileShape(const Shape& shape, int64_t device) const;
  // The tile of a device, along each dimension of the data. Precondition: IsTiled; it has one.
  std::vector<int64_t> TileIndexForDevice(int64_t device) const;
  // Where the tile of a device begins and ends; an empty one ends where it begins.
  std::vector<int64_t> TileOffsetForDevice(const Shape& shape, int64_t device) const;
  std::vector<int64_t> TileLimitForDevice(const Shape& shape, int64_t device) const;
  // The only device of a value, of a tuple that of all its elements.
  std::optional<int64_t> UniqueDevice() const;

  static ShardGroup ShardAs(int64_t id) { return {ShardGroup::Type::kAs, id}; }
  static ShardGroup ShardLike(int64_t id) { return {ShardGroup::Type::kLike, id}; }
  HloSharding& SetShardGroup(const ShardGroup& group) {
    shard_group_ = group;
    return *this;
  }
  const ShardGroup& GetShardGroup() const { return shard_group_; }
  bool IsShardGroup() const { return shard_group_.type != ShardGroup::Type::kNone; }
  bool IsShardAs() const { return shard_group_.type == ShardGroup::Type::kAs; }
  bool IsShardLike() const { return shard_group_.type == ShardGroup::Type::kLike; }

  // Not part of equality; printed on request only.
  const std::vector<InstructionMetadata>& metadata() const { return metadata_; }
  std::vector<InstructionMetadata>& metadata() { return metadata_; }

  // Tiles that are an iota equal the list of the same devices; tiles never equal named axes.
  bool operator==(const HloSharding& other) const;

  // As HLO text prints it, with braces: "{devices=[2,2]<=[4]}".
  std::string ToString(bool include_metadata = false) const;
  OpSharding ToProto() const;
  static absl::StatusOr<HloSharding> FromProto(const OpSharding& proto);
  // One element for each leaf; a single sharding is spread over the leaves of a tuple shape.
  HloSharding NormalizeTupleSharding(const Shape& shape) const;
  // Rank, device count and tuple arity fit the shape; the message says which does not.
  absl::Status Validate(const Shape& shape,
                        std::optional<int64_t> num_devices = std::nullopt) const;

 private:
  struct ReplicatedForm {};
  struct ManualForm {};
  struct UnknownForm {};
  struct UnreducedForm {
    UnreducedKind kind;
  };
  struct MaximalForm {
    TileAssignment device;
  };
  struct TiledForm {
    TileAssignment tiles;
    std::vector<OpSharding_Type> subgroup_types;  // of the last dimensions of `tiles`
    UnreducedKind unreduced_kind;
  };
  struct TupleForm {
    std::vector<HloSharding> elements;
  };
  // In the order of Kind.
  using Form = std::variant<ReplicatedForm, ManualForm, UnknownForm, UnreducedForm, MaximalForm,
                            TiledForm, TupleForm, NamedSharding>;

  explicit HloSharding(Form form) : form_(std::move(form)) {}
  bool AllLeaves(bool (HloSharding::*is)() const) const;
  bool IsManualSubgroupLeaf() const;
  bool IsUnreducedSubgroupLeaf() const;
  static bool HaveEqualForms(const HloSharding& a, const HloSharding& b);

  Form form_;
  ShardGroup shard_group_;
  std::vector<InstructionMetadata> metadata_;
};

std::ostream& operator<<(std::ostream& out, const HloSharding& sharding);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SHARDING_H_

// SPDX-License-Identifier: Apache-2.0
// Shardings: how an instruction's result is laid out over devices (HLO text section 6, OpSharding
// proto).
#ifndef XLA_HLO_IR_HLO_SHARDING_H_
#define XLA_HLO_IR_HLO_SHARDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/instruction_metadata.h"
#include "xla/hlo/ir/tile_assignment.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla {

// A value type. Tuple shardings hold one element for each leaf of the shape (pre-order).
struct HloSharding {
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
  Kind kind = Kind::kReplicated;

  int64_t device = 0;  // kMaximal

  // kTiled: devices=[tile_dims] in explicit order, or <=[reshape_dims]T(transpose_perm).
  std::vector<int64_t> tile_dims;
  std::vector<int64_t> devices;       // explicit form; empty in the iota form
  std::vector<int64_t> reshape_dims;  // iota form; empty in the explicit form
  std::vector<int> transpose_perm;
  bool last_tile_dim_replicate = false;
  std::vector<OpSharding_Type> last_tile_dims;  // subgroup types of the trailing tile dimensions

  // How the values of an UNREDUCED subgroup, or of kUnreduced, make the whole. Shardy states it;
  // the text of HLO has no place for it and stands for sums.
  enum class Reduction : uint8_t { kSum, kMax, kMin };
  Reduction reduction = Reduction::kSum;

  // shard_as N / shard_like N
  enum class Group : uint8_t { kNone, kAs, kLike };
  Group group = Group::kNone;
  int64_t group_id = 0;

  std::vector<HloSharding> elements;          // kTuple
  std::vector<InstructionMetadata> metadata;  // not part of equality; printed on request only

  // kNamed: {mesh[..], [{'x'}, {'y':(1)2, ?}], replicated={..}, unreduced={..}, manual={..}}
  struct Named {
    Mesh mesh;
    struct Dim {
      std::vector<AxisRef> axes;
      bool is_closed = true;  // false prints a trailing '?'
      bool operator==(const Dim&) const = default;
    };
    std::vector<Dim> dims;
    std::vector<AxisRef> replicated, unreduced, manual;
    // {mesh[..], replicated}. Its relatives {mesh[..], manual} and {mesh[..], unreduced} have no
    // dims, and all axes of the mesh in `manual` or `unreduced`.
    bool fully_replicated = false;
    bool operator==(const Named&) const = default;
  };
  std::shared_ptr<const Named> named;

  static HloSharding Replicate() { return {}; }
  static HloSharding Manual();
  static HloSharding Unknown();
  static HloSharding Unreduced();
  static HloSharding AssignDevice(int64_t device);
  static HloSharding IotaTile(std::vector<int64_t> tile_dims,
                              std::vector<int64_t> reshape_dims = {},
                              std::vector<int> transpose_perm = {});
  static HloSharding Tile(std::vector<int64_t> tile_dims, std::vector<int64_t> devices);
  static HloSharding Tuple(std::vector<HloSharding> elements);

  // Under XLA's names; devices that do not fit the tiles are a programming error (checked).
  static HloSharding Tile(const TileAssignment& assignment);
  // The last dimension of the assignment, or the last ones, are no dimensions of the data.
  static HloSharding PartialTile(const TileAssignment& assignment);
  static HloSharding Subgroup(const TileAssignment& assignment,
                              absl::Span<const OpSharding_Type> subgroup_types);
  struct ShardGroup {
    Group group;
    int64_t id;
  };
  static ShardGroup ShardAs(int64_t id) { return {Group::kAs, id}; }
  static ShardGroup ShardLike(int64_t id) { return {Group::kLike, id}; }
  HloSharding& SetShardGroup(const ShardGroup& shard_group) {
    group = shard_group.group;
    group_id = shard_group.id;
    return *this;
  }

  // The form in which XLA keeps and prints it: iota order simplified; subgroup dimensions of one
  // type merged, those of size 1 dropped, the replicated one last; a subgroup of all devices named
  // outright ({replicated}, {manual}). Readers of text and protos apply this. Errors: tile sizes,
  // devices and iota that do not fit each other.
  absl::StatusOr<HloSharding> Canonical() const;
  // The product of sizes >= 1 if it is at most 2^24.
  static std::optional<int64_t> FlattenedSize(const std::vector<int64_t>& dims);

  bool IsTuple() const { return kind == Kind::kTuple; }
  // The devices of the tiles (kTiled), or the only device (kMaximal); of others, no devices.
  TileAssignment tile_assignment() const;
  bool IsReplicated() const;
  // Under XLA's names. Leaf: not a tuple.
  const std::vector<HloSharding>& tuple_elements() const { return elements; }
  bool UseNamedShardingLeaf() const { return kind == Kind::kNamed; }
  bool IsReplicatedLeaf() const { return !IsTuple() && IsReplicated(); }
  bool IsSingleDeviceLeaf() const {
    return kind == Kind::kMaximal || (kind == Kind::kNamed && named->mesh.maximal_device);
  }
  bool IsManual() const { return kind == Kind::kManual; }
  bool IsUnknown() const { return kind == Kind::kUnknown; }
  bool IsTiled() const { return kind == Kind::kTiled; }
  bool IsTileMaximal() const { return kind == Kind::kMaximal || IsReplicatedLeaf(); }
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
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SHARDING_H_

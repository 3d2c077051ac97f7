// SPDX-License-Identifier: Apache-2.0
// Shardings: canonical form, what they say of devices and tiles.
#include "xla/hlo/ir/hlo_sharding.h"

#include <algorithm>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/tile_assignment_check.h"
#include "xla/layout_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

// Text order of subgroup dimensions: manual, unreduced, the rest; replicated last.
int SubgroupRank(OpSharding_Type type) {
  switch (type) {
    case OpSharding::MANUAL:
      return 0;
    case OpSharding::UNREDUCED:
      return 1;
    case OpSharding::REPLICATED:
      return 3;
    default:
      return 2;
  }
}

// The position of the tile of a device in row-major order; -1 if it has none.
int64_t PositionOf(const TileAssignment& tiles, int64_t device) {
  if (const std::optional<IotaTileAssignment>& iota = tiles.iota()) {
    if (device < 0 || device >= iota->num_elements()) return -1;
    // The index of the device before the transposition, then after it.
    std::vector<int64_t> before(iota->reshape_dims().size());
    for (size_t i = before.size(); i-- > 0;) {
      before[i] = device % iota->reshape_dims()[i];
      device /= iota->reshape_dims()[i];
    }
    int64_t position = 0;
    for (const int dim : iota->transpose_perm()) {
      const auto d = static_cast<size_t>(dim);
      position = position * iota->reshape_dims()[d] + before[d];
    }
    return position < iota->num_elements() ? position : -1;
  }
  const Array<int64_t>& array = tiles.array();
  const auto found = std::find(array.begin(), array.end(), device);
  return found == array.end() ? -1 : found - array.begin();
}

}  // namespace

HloSharding HloSharding::SingleDevice(int64_t device) {
  return HloSharding(MaximalForm{TileAssignment(device)});
}

HloSharding HloSharding::Tuple(std::vector<HloSharding> elements) {
  return HloSharding(TupleForm{std::move(elements)});
}

HloSharding HloSharding::Tile(TileAssignment tiles) { return Subgroup(tiles, {}); }

HloSharding HloSharding::IotaTile(absl::Span<const int64_t> tile_dims) {
  return Tile(TileAssignment(tile_dims));
}

HloSharding HloSharding::IotaTile(absl::Span<const int64_t> tile_dims,
                                  absl::Span<const int64_t> reshape_dims,
                                  absl::Span<const int> transpose_perm) {
  return Tile(TileAssignment(tile_dims, reshape_dims, transpose_perm));
}

HloSharding HloSharding::PartialTile(TileAssignment tiles) {
  return Subgroup(tiles, {OpSharding::REPLICATED});
}

HloSharding HloSharding::Subgroup(const TileAssignment& tiles,
                                  absl::Span<const OpSharding_Type> subgroup_types,
                                  UnreducedKind unreduced_kind) {
  absl::StatusOr<HloSharding> sharding = FromSubgroups(tiles, subgroup_types);
  XLA_CHECK(sharding.ok()) << sharding.status().message();
  sharding->set_unreduced_kind(unreduced_kind);
  return *std::move(sharding);
}

absl::StatusOr<HloSharding> HloSharding::FromSubgroups(
    const TileAssignment& tiles, absl::Span<const OpSharding_Type> subgroup_types) {
  const auto rank = static_cast<size_t>(tiles.num_dimensions());
  if (rank == 0 || subgroup_types.size() > rank) {
    return InvalidArgument("sharding {%s}: more last_tile_dims than tile dimensions",
                           tiles.ToString());
  }
  for (const OpSharding_Type type : subgroup_types) {
    if (type != OpSharding::REPLICATED && type != OpSharding::MANUAL &&
        type != OpSharding::UNREDUCED && type != OpSharding::MAXIMAL) {
      return InvalidArgument("sharding {%s}: a tile dimension cannot be of type %d",
                             tiles.ToString(), static_cast<int>(type));
    }
  }
  if (subgroup_types.empty()) return HloSharding(TiledForm{tiles, {}, UnreducedKind::kSum});
  XLA_RETURN_IF_ERROR(CheckIotaCount(tiles));

  // Subgroup dimensions of one type become one dimension, in a fixed order of types; those of size
  // 1 go.
  const size_t data_rank = rank - subgroup_types.size();
  std::vector<int> perm;
  for (size_t i = 0; i < rank; ++i) perm.push_back(static_cast<int>(i));
  const auto type_of = [&](int dim) {
    return subgroup_types[static_cast<size_t>(dim) - data_rank];
  };
  std::stable_sort(perm.begin() + static_cast<ptrdiff_t>(data_rank), perm.end(), [&](int a, int b) {
    return SubgroupRank(type_of(a)) < SubgroupRank(type_of(b));
  });
  std::vector<int64_t> dims(tiles.dimensions().begin(),
                            tiles.dimensions().begin() + static_cast<ptrdiff_t>(data_rank));
  std::vector<OpSharding_Type> types;
  for (size_t i = data_rank; i < rank; ++i) {
    const int64_t size = tiles.dim(perm[i]);
    if (size == 1) continue;
    if (!types.empty() && types.back() == type_of(perm[i])) {
      dims.back() *= size;
    } else {
      dims.push_back(size);
      types.push_back(type_of(perm[i]));
    }
  }
  // One subgroup that takes in all devices needs no tiles.
  if (dims.empty()) return Replicate();
  if (types.size() == 1 && dims.back() == tiles.num_elements()) {
    if (types[0] == OpSharding::MANUAL) return Manual();
    if (types[0] == OpSharding::UNREDUCED) return Unreduced();
    if (types[0] == OpSharding::REPLICATED) return Replicate();
  }
  TileAssignment ordered =
      absl::c_is_sorted(perm) ? tiles.Reshape(dims) : tiles.Transpose(perm).Reshape(dims);
  // The order of devices that hold the same data says nothing.
  if (!types.empty() && types.back() == OpSharding::REPLICATED) {
    ordered = ordered.SortGroups(dims.back());
  }
  return HloSharding(TiledForm{std::move(ordered), std::move(types), UnreducedKind::kSum});
}

HloSharding HloSharding::V3ToV2Sharding(const NamedSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  if (sharding.IsSingleDevice()) return SingleDevice(mesh.device_assignment().first());
  if (sharding.IsManual()) return Manual();
  // The mesh by the parts that the sharding distinguishes, brought into the order of the tiles.
  const std::vector<AxisRef> used = sharding.UsedAxes();
  const std::vector<AxisRef> parts = RefineAxes(mesh.AllAxes(), used, mesh);
  std::vector<int> perm;
  std::vector<bool> is_placed(parts.size());
  const auto place = [&](absl::Span<const AxisRef> axes) {
    for (const AxisRef& axis : RefineAxes(axes, used, mesh)) {
      const auto part = absl::c_find(parts, axis);
      XLA_CHECK(part != parts.end()) << axis.ToString(&mesh) << " in " << sharding.ToString();
      is_placed[static_cast<size_t>(part - parts.begin())] = true;
      perm.push_back(static_cast<int>(part - parts.begin()));
    }
    return AxesSize(axes, mesh);
  };
  std::vector<int64_t> dims;
  std::vector<OpSharding_Type> types;
  for (const NamedSharding::DimensionSharding& dim : sharding.dim_shardings()) {
    dims.push_back(place(dim.axes()));
  }
  for (const auto& [type, axes] : {std::pair<OpSharding_Type, const std::vector<AxisRef>*>{
                                       OpSharding::MANUAL, &sharding.manual_axes()},
                                   {OpSharding::UNREDUCED, &sharding.unreduced_axes()}}) {
    if (axes->empty()) continue;
    dims.push_back(place(*axes));
    types.push_back(type);
  }
  if (absl::c_all_of(dims, [](int64_t size) { return size == 1; })) return Replicate();
  std::vector<int64_t> sizes;
  int64_t copies = 1;
  for (size_t i = 0; i < parts.size(); ++i) {
    sizes.push_back(parts[i].size(mesh));
    if (is_placed[i]) continue;
    perm.push_back(static_cast<int>(i));
    copies *= sizes.back();
  }
  if (copies > 1) {
    dims.push_back(copies);
    types.push_back(OpSharding::REPLICATED);
  }
  return Subgroup(mesh.device_assignment().Reshape(sizes).Transpose(perm).Reshape(dims), types,
                  sharding.unreduced_kind());
}

HloSharding HloSharding::V3ToV2Sharding(const HloSharding& sharding) {
  HloSharding result = sharding;
  if (result.IsTuple()) {
    for (HloSharding& element : result.tuple_elements()) element = V3ToV2Sharding(element);
  } else if (result.UseNamedShardingLeaf()) {
    result.form_ = V3ToV2Sharding(result.named_sharding()).form_;
  }
  return result;
}

const std::vector<HloSharding>& HloSharding::tuple_elements() const {
  static const std::vector<HloSharding>* const none = new std::vector<HloSharding>();
  const auto* tuple = std::get_if<TupleForm>(&form_);
  return tuple == nullptr ? *none : tuple->elements;
}

bool HloSharding::AllLeaves(bool (HloSharding::*is)() const) const {
  if (!IsTuple()) return (this->*is)();
  return absl::c_all_of(tuple_elements(),
                        [is](const HloSharding& element) { return element.AllLeaves(is); });
}

bool HloSharding::IsReplicatedLeaf() const {
  return kind() == Kind::kReplicated || (UseNamedShardingLeaf() && named_sharding().IsReplicated());
}

bool HloSharding::IsSingleDeviceLeaf() const {
  return kind() == Kind::kMaximal || (UseNamedShardingLeaf() && named_sharding().IsSingleDevice());
}

bool HloSharding::IsManualLeaf() const {
  return kind() == Kind::kManual || (UseNamedShardingLeaf() && named_sharding().IsManual());
}

bool HloSharding::IsUnreducedLeaf() const {
  return kind() == Kind::kUnreduced || (UseNamedShardingLeaf() && named_sharding().IsUnreduced());
}

bool HloSharding::IsTiledLeaf() const {
  return !IsReplicatedLeaf() && !IsSingleDeviceLeaf() && !IsManualLeaf() && !IsUnreducedLeaf() &&
         !IsUnknownLeaf();
}

bool HloSharding::IsManualSubgroupLeaf() const {
  if (UseNamedShardingLeaf()) return !named_sharding().manual_axes().empty();
  return absl::c_linear_search(subgroup_types(), OpSharding::MANUAL);
}

bool HloSharding::IsUnreducedSubgroupLeaf() const {
  if (UseNamedShardingLeaf()) return !named_sharding().unreduced_axes().empty();
  return absl::c_linear_search(subgroup_types(), OpSharding::UNREDUCED);
}

bool HloSharding::HasPartialReplication() const {
  if (UseNamedShardingLeaf()) return named_sharding().HasPartialReplication();
  return absl::c_linear_search(subgroup_types(), OpSharding::REPLICATED);
}

bool HloSharding::ReplicateOnLastTileDim() const {
  return subgroup_types().size() == 1 && subgroup_types()[0] == OpSharding::REPLICATED;
}

const TileAssignment& HloSharding::tile_assignment() const {
  static const TileAssignment* const none = new TileAssignment();
  if (const auto* maximal = std::get_if<MaximalForm>(&form_)) return maximal->device;
  const auto* tiled = std::get_if<TiledForm>(&form_);
  return tiled == nullptr ? *none : tiled->tiles;
}

TileAssignment HloSharding::device_assignment() const {
  if (!UseNamedShardingLeaf()) return tile_assignment();
  return V3ToV2Sharding(named_sharding()).tile_assignment();
}

absl::Span<const OpSharding_Type> HloSharding::subgroup_types() const {
  const auto* tiled = std::get_if<TiledForm>(&form_);
  if (tiled == nullptr) return {};
  return tiled->subgroup_types;
}

int64_t HloSharding::SubgroupDim(OpSharding_Type type) const {
  const absl::Span<const OpSharding_Type> types = subgroup_types();
  const auto found = absl::c_find(types, type);
  return found == types.end() ? -1 : TiledDataRank() + (found - types.begin());
}

int64_t HloSharding::SubgroupSize(OpSharding_Type type) const {
  const int64_t dim = SubgroupDim(type);
  return dim < 0 ? 1 : tile_assignment().dim(dim);
}

int64_t HloSharding::TiledDataRank() const {
  if (UseNamedShardingLeaf()) return named_sharding().num_dimensions();
  return tile_assignment().num_dimensions() - static_cast<int64_t>(subgroup_types().size());
}

std::vector<int64_t> HloSharding::DataDimensions() const {
  if (UseNamedShardingLeaf()) return named_sharding().dimensions();
  const absl::Span<const int64_t> dims = tile_assignment().dimensions();
  return {dims.begin(), dims.begin() + static_cast<ptrdiff_t>(TiledDataRank())};
}

int64_t HloSharding::num_devices() const {
  return UseNamedShardingLeaf() ? named_sharding().num_devices() : tile_assignment().num_elements();
}

int64_t HloSharding::NumTiles() const { return IsTiledLeaf() ? Product(DataDimensions()) : 1; }

UnreducedKind HloSharding::unreduced_kind() const {
  if (UseNamedShardingLeaf()) return named_sharding().unreduced_kind();
  if (const auto* unreduced = std::get_if<UnreducedForm>(&form_)) return unreduced->kind;
  const auto* tiled = std::get_if<TiledForm>(&form_);
  return tiled == nullptr ? UnreducedKind::kSum : tiled->unreduced_kind;
}

void HloSharding::set_unreduced_kind(UnreducedKind kind) {
  if (auto* unreduced = std::get_if<UnreducedForm>(&form_)) unreduced->kind = kind;
  if (!IsUnreducedSubgroupLeaf()) return;
  if (auto* tiled = std::get_if<TiledForm>(&form_)) tiled->unreduced_kind = kind;
  if (auto* named = std::get_if<NamedSharding>(&form_)) {
    *named = NamedSharding(named->mesh(), named->dim_shardings(), named->replicated_axes(),
                           named->unreduced_axes(), named->manual_axes(), kind);
  }
}

Shape HloSharding::TileShape(const Shape& shape) const {
  XLA_CHECK(!IsTuple());
  if (!IsTiledLeaf() || !shape.IsArray()) return shape;
  Shape tile = shape;
  const std::vector<int64_t> counts = DataDimensions();
  for (size_t d = 0; d < counts.size(); ++d) {
    const auto dim = static_cast<int>(d);
    tile.set_dimensions(dim, CeilOfRatio(shape.dimensions(dim), counts[d]));
  }
  return tile;
}

Shape HloSharding::TileShape(const Shape& shape, int64_t device) const {
  Shape tile = TileShape(shape);
  if (!IsTiledLeaf() || !shape.IsArray()) return tile;
  const std::vector<int64_t> offset = TileOffsetForDevice(shape, device);
  const std::vector<int64_t> limit = TileLimitForDevice(shape, device);
  for (size_t d = 0; d < offset.size(); ++d) {
    tile.set_dimensions(static_cast<int>(d), limit[d] - offset[d]);
  }
  return tile;
}

std::vector<int64_t> HloSharding::TileIndexForDevice(int64_t device) const {
  if (UseNamedShardingLeaf()) {
    const HloSharding tiles = V3ToV2Sharding(named_sharding());
    if (tiles.kind() == Kind::kTiled) return tiles.TileIndexForDevice(device);
    return std::vector<int64_t>(static_cast<size_t>(TiledDataRank()), 0);
  }
  int64_t position = PositionOf(tile_assignment(), device);
  XLA_CHECK(position >= 0) << "device " << device << " is not in " << ToString();
  std::vector<int64_t> index(static_cast<size_t>(tile_assignment().num_dimensions()));
  for (size_t i = index.size(); i-- > 0;) {
    index[i] = position % tile_assignment().dim(static_cast<int64_t>(i));
    position /= tile_assignment().dim(static_cast<int64_t>(i));
  }
  index.resize(static_cast<size_t>(TiledDataRank()));
  return index;
}

std::vector<int64_t> HloSharding::TileOffsetForDevice(const Shape& shape, int64_t device) const {
  std::vector<int64_t> offset(static_cast<size_t>(shape.rank()), 0);
  if (!IsTiledLeaf()) return offset;
  const Shape tile = TileShape(shape);
  const std::vector<int64_t> index = TileIndexForDevice(device);
  for (size_t d = 0; d < index.size(); ++d) {
    const auto dim = static_cast<int>(d);
    offset[d] = std::min(index[d] * tile.dimensions(dim), shape.dimensions(dim));
  }
  return offset;
}

std::vector<int64_t> HloSharding::TileLimitForDevice(const Shape& shape, int64_t device) const {
  const Shape tile = TileShape(shape);
  std::vector<int64_t> limit = TileOffsetForDevice(shape, device);
  for (size_t d = 0; d < limit.size(); ++d) {
    const auto dim = static_cast<int>(d);
    limit[d] = std::min(limit[d] + tile.dimensions(dim), shape.dimensions(dim));
  }
  return limit;
}

std::optional<int64_t> HloSharding::UniqueDevice() const {
  if (IsTuple()) {
    if (tuple_elements().empty()) return std::nullopt;
    const std::optional<int64_t> device = tuple_elements()[0].UniqueDevice();
    const auto is_same = [&](const HloSharding& element) {
      return element.UniqueDevice() == device;
    };
    return absl::c_all_of(tuple_elements(), is_same) ? device : std::nullopt;
  }
  if (kind() == Kind::kMaximal) return tile_assignment().first();
  if (IsSingleDeviceLeaf()) return named_sharding().mesh().device_assignment().first();
  return std::nullopt;
}

bool HloSharding::HaveEqualForms(const HloSharding& a, const HloSharding& b) {
  switch (a.kind()) {
    case Kind::kUnreduced:
      return a.unreduced_kind() == b.unreduced_kind();
    case Kind::kMaximal:
      return a.tile_assignment() == b.tile_assignment();
    case Kind::kTiled:
      return a.subgroup_types() == b.subgroup_types() && a.unreduced_kind() == b.unreduced_kind() &&
             a.tile_assignment() == b.tile_assignment();
    case Kind::kTuple:
      return a.tuple_elements() == b.tuple_elements();
    case Kind::kNamed:
      return a.named_sharding() == b.named_sharding();
    default:
      return true;
  }
}

bool HloSharding::operator==(const HloSharding& other) const {
  return kind() == other.kind() && shard_group_ == other.shard_group_ &&
         HaveEqualForms(*this, other);
}

}  // namespace xla

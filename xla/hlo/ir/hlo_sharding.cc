// SPDX-License-Identifier: Apache-2.0
// Shardings: canonical form, text, fit to a shape.
#include "xla/hlo/ir/hlo_sharding.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

HloSharding OfKind(HloSharding::Kind kind) {
  HloSharding sharding;
  sharding.kind = kind;
  return sharding;
}

std::string MetadataToString(const InstructionMetadata& metadata) {
  std::vector<std::string> parts;
  auto add_string = [&](const char* name, const std::string& value) {
    if (!value.empty()) parts.push_back(absl::StrCat(name, "=\"", absl::CEscape(value), "\""));
  };
  auto add_number = [&](const char* name, int64_t value) {
    if (value != 0) parts.push_back(absl::StrCat(name, "=", value));
  };
  add_string("op_type", metadata.op_type());
  add_string("op_name", metadata.op_name());
  add_string("source_file", metadata.source_file());
  add_number("source_line", metadata.source_line());
  add_number("source_end_line", metadata.source_end_line());
  add_number("source_column", metadata.source_column());
  add_number("source_end_column", metadata.source_end_column());
  add_number("stack_frame_id", metadata.stack_frame_id());
  return absl::StrJoin(parts, " ");
}

// {a} for one entry, where `is_list` is false; else {{a}, {b}}.
std::string MetadataListToString(const std::vector<InstructionMetadata>& metadata, bool is_list) {
  if (!is_list && metadata.size() == 1) {
    return absl::StrCat("{", MetadataToString(metadata[0]), "}");
  }
  std::vector<std::string> parts;
  for (const InstructionMetadata& entry : metadata)
    parts.push_back(absl::StrCat("{", MetadataToString(entry), "}"));
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

const char* SubgroupTypeName(OpSharding::Type type) {
  switch (type) {
    case OpSharding::MANUAL:
      return "manual";
    case OpSharding::MAXIMAL:
      return "maximal";
    case OpSharding::UNREDUCED:
      return "unreduced";
    default:
      return "replicated";
  }
}

void AppendAxes(const std::vector<AxisRef>& axes, std::string* out) {
  for (size_t i = 0; i < axes.size(); ++i)
    absl::StrAppend(out, i == 0 ? "" : ", ", axes[i].ToString());
}

// All axes of the mesh, whole and in order.
bool IsWholeMesh(const std::vector<AxisRef>& axes, const Mesh& mesh) {
  if (axes.empty() || axes.size() != mesh.axes.size()) return false;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name != mesh.axes[i].name || axes[i].size.has_value()) return false;
  }
  return true;
}

std::string NamedToString(const HloSharding::Named& named) {
  std::string text = named.mesh.ToString();
  if (named.mesh.maximal_device.has_value()) return text;
  if (named.dims.empty()) {
    if (named.fully_replicated ||
        (named.replicated.empty() && named.unreduced.empty() && named.manual.empty())) {
      return text + ", replicated";
    }
    if (named.replicated.empty() && named.manual.empty() &&
        IsWholeMesh(named.unreduced, named.mesh)) {
      return text + ", unreduced";
    }
    if (named.replicated.empty() && named.unreduced.empty() &&
        IsWholeMesh(named.manual, named.mesh)) {
      return text + ", manual";
    }
  }
  text += ", [";
  for (size_t i = 0; i < named.dims.size(); ++i) {
    text += i == 0 ? "{" : ", {";
    AppendAxes(named.dims[i].axes, &text);
    if (!named.dims[i].is_closed) text += named.dims[i].axes.empty() ? "?" : ", ?";
    text += "}";
  }
  text += "]";
  for (const auto& [name, axes] :
       {std::pair<const char*, const std::vector<AxisRef>*>{"replicated", &named.replicated},
        {"unreduced", &named.unreduced},
        {"manual", &named.manual}}) {
    if (axes->empty()) continue;
    absl::StrAppend(&text, ", ", name, "={");
    AppendAxes(*axes, &text);
    text += "}";
  }
  return text;
}

// The order of device ids or iota after `perm` has been applied to the tile dimensions `dims`.
struct Devices {
  std::vector<int64_t> ids, reshape_dims;
  std::vector<int> transpose_perm;
};

// Splits the transposed iota dimensions so that they refine `dims`, and permutes them. False when
// they do not refine.
bool PermuteIota(const std::vector<int64_t>& dims, const std::vector<int>& perm, Devices* devices) {
  // Transposed iota dimensions: sizes and, for each, its place (dimension, then from major to
  // minor) in the reshape.
  struct Part {
    int64_t size;
    int source;
    int64_t piece;
  };
  std::vector<int> order = devices->transpose_perm;
  if (order.empty()) {
    for (size_t i = 0; i < devices->reshape_dims.size(); ++i) order.push_back(static_cast<int>(i));
  }
  std::vector<std::vector<Part>> parts(dims.size());
  size_t next = 0;
  int64_t rest = 1;
  int64_t piece = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t need = dims[d];
    while (need > 1) {
      if (rest == 1) {
        if (next >= order.size()) return false;
        rest = devices->reshape_dims[order[next++]];
        piece = 0;
        continue;
      }
      int64_t take = 0;
      if (rest % need == 0) {
        take = need;
      } else if (need % rest == 0) {
        take = rest;
      } else {
        return false;
      }
      parts[d].push_back({take, order[next - 1], piece++});
      need /= take;
      rest /= take;
    }
  }
  std::vector<Part> permuted;
  for (int d : perm) permuted.insert(permuted.end(), parts[d].begin(), parts[d].end());
  std::vector<int> by_source(permuted.size());
  for (size_t i = 0; i < permuted.size(); ++i) by_source[i] = static_cast<int>(i);
  std::sort(by_source.begin(), by_source.end(), [&](int a, int b) {
    return std::pair(permuted[a].source, permuted[a].piece) <
           std::pair(permuted[b].source, permuted[b].piece);
  });
  devices->reshape_dims.clear();
  devices->transpose_perm.assign(permuted.size(), 0);
  for (size_t i = 0; i < by_source.size(); ++i) {
    devices->reshape_dims.push_back(permuted[by_source[i]].size);
    devices->transpose_perm[by_source[i]] = static_cast<int>(i);
  }
  if (devices->reshape_dims.empty())
    devices->reshape_dims.push_back(1), devices->transpose_perm.clear();
  CanonicalizeIota(&devices->reshape_dims, &devices->transpose_perm);
  return true;
}

// `ids`, an array of `dims`, transposed.
std::vector<int64_t> PermuteIds(const std::vector<int64_t>& ids, const std::vector<int64_t>& dims,
                                const std::vector<int>& perm) {
  absl::StatusOr<std::vector<int64_t>> positions = FlattenIota(dims, perm);
  if (!positions.ok() || positions->size() != ids.size()) return ids;
  std::vector<int64_t> result;
  result.reserve(ids.size());
  for (int64_t position : *positions) result.push_back(ids[position]);
  return result;
}

// Orders the devices of each group of `size` consecutive ones, which hold the same data: their
// order says nothing. An iota stays one where its dimensions can be cut to the size of a group.
absl::Status SortReplicas(int64_t size, Devices* devices) {
  if (size <= 1) return absl::OkStatus();
  if (devices->ids.empty()) {
    std::vector<int64_t>& dims = devices->reshape_dims;
    std::vector<int>& perm = devices->transpose_perm;
    if (perm.empty()) return absl::OkStatus();  // in order already
    size_t first = perm.size();
    int64_t rest = size;
    while (first > 0 && rest % dims[perm[first - 1]] == 0) rest /= dims[perm[--first]];
    if (rest > 1 && first > 0 && dims[perm[first - 1]] % rest == 0) {
      // The group takes in the minor part of this dimension, which becomes one of its own.
      const int cut = perm[first - 1];
      for (int& dim : perm) dim += dim > cut ? 1 : 0;
      dims[cut] /= rest;
      dims.insert(dims.begin() + cut + 1, rest);
      perm.insert(perm.begin() + static_cast<int64_t>(first), cut + 1);
      rest = 1;
    }
    if (rest == 1) {
      std::sort(perm.begin() + static_cast<int64_t>(first), perm.end());
      CanonicalizeIota(&dims, &perm);
      return absl::OkStatus();
    }
    XLA_ASSIGN_OR_RETURN(devices->ids, FlattenIota(dims, perm));
    dims.clear();
    perm.clear();
  }
  for (auto group = devices->ids.begin(); group != devices->ids.end(); group += size) {
    std::sort(group, group + size);
  }
  return absl::OkStatus();
}

// Text order of subgroup dimensions: manual, unreduced, the rest; replicated last.
int SubgroupRank(OpSharding::Type type) {
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

}  // namespace

HloSharding HloSharding::Manual() { return OfKind(Kind::kManual); }
HloSharding HloSharding::Unknown() { return OfKind(Kind::kUnknown); }
HloSharding HloSharding::Unreduced() { return OfKind(Kind::kUnreduced); }

HloSharding HloSharding::AssignDevice(int64_t device) {
  HloSharding sharding = OfKind(Kind::kMaximal);
  sharding.device = device;
  return sharding;
}

HloSharding HloSharding::IotaTile(std::vector<int64_t> tile_dims, std::vector<int64_t> reshape_dims,
                                  std::vector<int> transpose_perm) {
  HloSharding sharding = OfKind(Kind::kTiled);
  // Sizes whose product overflows are left for Validate to report.
  if (reshape_dims.empty()) reshape_dims = tile_dims;
  sharding.tile_dims = std::move(tile_dims);
  sharding.reshape_dims = std::move(reshape_dims);
  sharding.transpose_perm = std::move(transpose_perm);
  if (FlattenedSize(sharding.reshape_dims).has_value()) {
    CanonicalizeIota(&sharding.reshape_dims, &sharding.transpose_perm);
  }
  return sharding;
}

HloSharding HloSharding::Tile(std::vector<int64_t> tile_dims, std::vector<int64_t> devices) {
  HloSharding sharding = OfKind(Kind::kTiled);
  sharding.tile_dims = std::move(tile_dims);
  sharding.devices = std::move(devices);
  return sharding;
}

HloSharding HloSharding::Tuple(std::vector<HloSharding> elements) {
  HloSharding sharding = OfKind(Kind::kTuple);
  sharding.elements = std::move(elements);
  return sharding;
}

std::optional<int64_t> HloSharding::FlattenedSize(const std::vector<int64_t>& dims) {
  constexpr int64_t kMaxDevices = int64_t{1} << 24;
  int64_t size = 1;
  for (int64_t dim : dims) {
    if (dim < 1 || dim > kMaxDevices / size) return std::nullopt;
    size *= dim;
  }
  return size;
}

static HloSharding OfAssignment(const TileAssignment& assignment) {
  const std::vector<int64_t> dims(assignment.dimensions().begin(), assignment.dimensions().end());
  if (const std::optional<IotaTileAssignment>& iota = assignment.iota()) {
    return HloSharding::IotaTile(dims, {iota->reshape_dims().begin(), iota->reshape_dims().end()},
                                 {iota->transpose_perm().begin(), iota->transpose_perm().end()});
  }
  return HloSharding::Tile(dims, {assignment.array().begin(), assignment.array().end()});
}

static HloSharding CheckedCanonical(const HloSharding& sharding) {
  absl::StatusOr<HloSharding> canonical = sharding.Canonical();
  XLA_CHECK(canonical.ok()) << canonical.status().message();
  return *std::move(canonical);
}

HloSharding HloSharding::Tile(const TileAssignment& assignment) {
  return CheckedCanonical(OfAssignment(assignment));
}

HloSharding HloSharding::PartialTile(const TileAssignment& assignment) {
  HloSharding sharding = OfAssignment(assignment);
  sharding.last_tile_dim_replicate = true;
  return CheckedCanonical(sharding);
}

HloSharding HloSharding::Subgroup(const TileAssignment& assignment,
                                  absl::Span<const OpSharding_Type> subgroup_types) {
  HloSharding sharding = OfAssignment(assignment);
  sharding.last_tile_dims.assign(subgroup_types.begin(), subgroup_types.end());
  return CheckedCanonical(sharding);
}

TileAssignment HloSharding::tile_assignment() const {
  if (kind == Kind::kMaximal) return TileAssignment(device);
  if (kind != Kind::kTiled) return TileAssignment();
  if (devices.empty()) {
    return transpose_perm.empty() ? TileAssignment(absl::MakeConstSpan(tile_dims))
                                  : TileAssignment(tile_dims, reshape_dims, transpose_perm);
  }
  return TileAssignment(
      Array<int64_t>(absl::MakeConstSpan(tile_dims), absl::MakeConstSpan(devices)));
}

bool HloSharding::IsReplicated() const {
  switch (kind) {
    case Kind::kReplicated:
      return true;
    case Kind::kTuple:
      return std::all_of(elements.begin(), elements.end(),
                         [](const HloSharding& e) { return e.IsReplicated(); });
    case Kind::kNamed:
      return !named->mesh.maximal_device.has_value() && named->unreduced.empty() &&
             named->manual.empty() &&
             std::all_of(named->dims.begin(), named->dims.end(),
                         [](const Named::Dim& dim) { return dim.axes.empty(); });
    default:
      return false;
  }
}

bool HloSharding::operator==(const HloSharding& other) const {
  if (kind != other.kind || reduction != other.reduction || group != other.group ||
      (group != Group::kNone && group_id != other.group_id)) {
    return false;
  }
  switch (kind) {
    case Kind::kMaximal:
      return device == other.device;
    case Kind::kTiled:
      return tile_dims == other.tile_dims && devices == other.devices &&
             reshape_dims == other.reshape_dims && transpose_perm == other.transpose_perm &&
             last_tile_dim_replicate == other.last_tile_dim_replicate &&
             last_tile_dims == other.last_tile_dims;
    case Kind::kTuple:
      return elements == other.elements;
    case Kind::kNamed:
      return named == other.named || *named == *other.named;
    default:
      return true;
  }
}

absl::StatusOr<HloSharding> HloSharding::Canonical() const {
  if (kind == Kind::kTuple) {
    HloSharding result = *this;
    for (HloSharding& element : result.elements) {
      if (element.kind == Kind::kTuple)
        return InvalidArgument("a tuple sharding holds the sharding of a tuple");
      XLA_ASSIGN_OR_RETURN(element, element.Canonical());
    }
    return result;
  }
  if (kind != Kind::kTiled) return *this;

  const std::optional<int64_t> count = FlattenedSize(tile_dims);
  if (tile_dims.empty() || !count.has_value()) {
    return InvalidArgument(
        "sharding {devices=[%s]..}: sizes must be positive and name at most 2^24 devices",
        absl::StrJoin(tile_dims, ","));
  }
  HloSharding result = *this;
  Devices order{devices, reshape_dims, transpose_perm};
  if (devices.empty() && reshape_dims.empty()) order.reshape_dims = {*count};
  if (!devices.empty()) {
    if (static_cast<int64_t>(devices.size()) != *count) {
      return InvalidArgument("sharding {devices=[%s]..}: %d devices given for %d tiles",
                             absl::StrJoin(tile_dims, ","), devices.size(), *count);
    }
    absl::flat_hash_set<int64_t> seen;
    for (int64_t id : devices) {
      if (id < 0) return InvalidArgument("sharding %s: device %d is negative", ToString(), id);
      if (!seen.insert(id).second)
        return InvalidArgument("sharding %s: device %d stands twice", ToString(), id);
    }
    order.reshape_dims.clear();
    order.transpose_perm.clear();
  } else {
    const std::optional<int64_t> iota_count = FlattenedSize(order.reshape_dims);
    if (!iota_count.has_value() || *iota_count != *count) {
      return InvalidArgument(
          "sharding %s: the iota does not have as many devices as there are tiles", ToString());
    }
    if (!order.transpose_perm.empty()) {
      std::vector<int> sorted = order.transpose_perm;
      std::sort(sorted.begin(), sorted.end());
      for (size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<int>(i))
          return InvalidArgument("sharding %s: T(..) is no permutation", ToString());
      }
      if (sorted.size() != order.reshape_dims.size()) {
        return InvalidArgument("sharding %s: T(..) has another rank than the iota", ToString());
      }
    }
    CanonicalizeIota(&order.reshape_dims, &order.transpose_perm);
  }

  std::vector<OpSharding::Type> types = last_tile_dims;
  if (last_tile_dim_replicate) {
    if (!types.empty())
      return InvalidArgument("sharding %s: last_tile_dim_replicate and last_tile_dims", ToString());
    types = {OpSharding::REPLICATED};
  }
  if (types.size() > tile_dims.size()) {
    return InvalidArgument("sharding %s: more last_tile_dims than tile dimensions", ToString());
  }
  for (OpSharding::Type type : types) {
    if (type != OpSharding::REPLICATED && type != OpSharding::MANUAL &&
        type != OpSharding::UNREDUCED && type != OpSharding::MAXIMAL) {
      return InvalidArgument("sharding %s: a tile dimension cannot be of type %d", ToString(),
                             static_cast<int>(type));
    }
  }
  if (types.empty()) {
    result.reshape_dims = std::move(order.reshape_dims);
    result.transpose_perm = std::move(order.transpose_perm);
    return result;
  }

  // Subgroup dimensions of one type become one dimension, in a fixed order of types; those of size
  // 1 go.
  const size_t data_rank = tile_dims.size() - types.size();
  std::vector<int> perm;
  for (size_t i = 0; i < tile_dims.size(); ++i) perm.push_back(static_cast<int>(i));
  std::stable_sort(perm.begin() + data_rank, perm.end(), [&](int a, int b) {
    return SubgroupRank(types[a - data_rank]) < SubgroupRank(types[b - data_rank]);
  });
  if (!std::is_sorted(perm.begin(), perm.end())) {
    if (!order.ids.empty()) {
      order.ids = PermuteIds(order.ids, tile_dims, perm);
    } else if (!PermuteIota(tile_dims, perm, &order)) {
      XLA_ASSIGN_OR_RETURN(std::vector<int64_t> ids,
                           FlattenIota(order.reshape_dims, order.transpose_perm));
      order = {PermuteIds(ids, tile_dims, perm), {}, {}};
    }
  }
  result.tile_dims.assign(tile_dims.begin(), tile_dims.begin() + data_rank);
  result.last_tile_dims.clear();
  result.last_tile_dim_replicate = false;
  for (size_t i = data_rank; i < perm.size(); ++i) {
    const int64_t size = tile_dims[perm[i]];
    const OpSharding::Type type = types[perm[i] - data_rank];
    if (size == 1) continue;
    if (!result.last_tile_dims.empty() && result.last_tile_dims.back() == type) {
      result.tile_dims.back() *= size;
    } else {
      result.tile_dims.push_back(size);
      result.last_tile_dims.push_back(type);
    }
  }
  if (!result.last_tile_dims.empty() && result.last_tile_dims.back() == OpSharding::REPLICATED) {
    XLA_RETURN_IF_ERROR(SortReplicas(result.tile_dims.back(), &order));
  }
  result.devices = std::move(order.ids);
  result.reshape_dims = std::move(order.reshape_dims);
  result.transpose_perm = std::move(order.transpose_perm);

  // One subgroup that takes in all devices needs no tiles.
  if (result.tile_dims.empty()) return Replicate();
  const bool is_all = result.last_tile_dims.size() == 1 && result.tile_dims.back() == *count;
  if (is_all && result.last_tile_dims[0] != OpSharding::MAXIMAL) {
    HloSharding whole = result.last_tile_dims[0] == OpSharding::MANUAL      ? Manual()
                        : result.last_tile_dims[0] == OpSharding::UNREDUCED ? Unreduced()
                                                                            : Replicate();
    whole.group = group;
    whole.group_id = group_id;
    whole.metadata = metadata;
    if (whole.kind == Kind::kUnreduced) whole.reduction = reduction;
    return whole;
  }
  if (result.last_tile_dims == std::vector<OpSharding::Type>{OpSharding::REPLICATED}) {
    result.last_tile_dims.clear();
    result.last_tile_dim_replicate = true;
  }
  return result;
}

std::string HloSharding::ToString(bool include_metadata) const {
  if (kind == Kind::kTuple) {
    std::string text = "{";
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) text += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      text += elements[i].ToString(include_metadata);
    }
    return text + "}";
  }
  std::string text = "{";
  switch (kind) {
    case Kind::kManual:
      text += "manual";
      break;
    case Kind::kUnknown:
      text += "unknown";
      break;
    case Kind::kUnreduced:
      text += "unreduced";
      break;
    case Kind::kMaximal:
      absl::StrAppend(&text, "maximal device=", device);
      break;
    case Kind::kNamed:
      text += NamedToString(*named);
      break;
    case Kind::kTiled:
      absl::StrAppend(&text, "devices=[", absl::StrJoin(tile_dims, ","), "]");
      if (!devices.empty()) {
        text += absl::StrJoin(devices, ",");
      } else {
        absl::StrAppend(&text, "<=[", absl::StrJoin(reshape_dims, ","), "]");
        if (transpose_perm.size() > 1)
          absl::StrAppend(&text, "T(", absl::StrJoin(transpose_perm, ","), ")");
      }
      if (last_tile_dim_replicate) text += " last_tile_dim_replicate";
      if (!last_tile_dims.empty()) {
        text += " last_tile_dims={";
        for (size_t i = 0; i < last_tile_dims.size(); ++i) {
          absl::StrAppend(&text, i == 0 ? "" : ", ", SubgroupTypeName(last_tile_dims[i]));
        }
        text += "}";
      }
      break;
    default:
      text += "replicated";
  }
  if (group == Group::kAs) absl::StrAppend(&text, " shard_as ", group_id);
  if (group == Group::kLike) absl::StrAppend(&text, " shard_like ", group_id);
  if (include_metadata && !metadata.empty()) {
    absl::StrAppend(&text, kind == Kind::kNamed ? ", metadata=" : " metadata=",
                    MetadataListToString(metadata, /*is_list=*/kind == Kind::kNamed));
  }
  return text + "}";
}

HloSharding HloSharding::NormalizeTupleSharding(const Shape& shape) const {
  if (!shape.IsTuple() || IsTuple()) return *this;
  // Even a tuple without leaves has one element.
  const int64_t leaves = std::max<int64_t>(1, ShapeUtil::GetLeafCount(shape));
  return Tuple(std::vector<HloSharding>(leaves, *this));
}

namespace {

absl::Status CheckDevice(int64_t device, std::optional<int64_t> num_devices) {
  if (device < 0) return InvalidArgument("device %d is negative in tile assignment", device);
  if (num_devices.has_value() && device >= *num_devices) {
    return InvalidArgument("device %d >= num_devices (%d) in tile assignment", device,
                           *num_devices);
  }
  return absl::OkStatus();
}

// What holds whatever is sharded: else the sharding cannot be read back from its proto.
absl::Status ValidateOfToken(const HloSharding& sharding) {
  if (sharding.kind == HloSharding::Kind::kMaximal)
    return CheckDevice(sharding.device, std::nullopt);
  if (sharding.kind == HloSharding::Kind::kTiled) return sharding.Canonical().status();
  // Outfeeds return a token and have the shardings of what they send, and of the token.
  for (const HloSharding& element : sharding.elements)
    XLA_RETURN_IF_ERROR(ValidateOfToken(element));
  return absl::OkStatus();
}

absl::Status ValidateLeaf(const HloSharding& sharding, const Shape& shape,
                          std::optional<int64_t> num_devices) {
  if (shape.IsTuple())
    return absl::InvalidArgumentError("Validation shape is a tuple but sharding is not.");
  if (shape.IsToken()) return ValidateOfToken(sharding);
  int64_t data_rank = 0;
  int64_t count = 0;
  switch (sharding.kind) {
    case HloSharding::Kind::kMaximal:
      return CheckDevice(sharding.device, num_devices);
    case HloSharding::Kind::kTiled: {
      XLA_RETURN_IF_ERROR(sharding.Canonical().status());
      count = *HloSharding::FlattenedSize(sharding.tile_dims);
      data_rank = static_cast<int64_t>(sharding.tile_dims.size()) -
                  (sharding.last_tile_dim_replicate ? 1 : 0) -
                  static_cast<int64_t>(sharding.last_tile_dims.size());
      if (count == 1) {
        return absl::InvalidArgumentError(
            "Tile assignment only contains a single device. If a replicated sharding was intended, "
            "use {replicated}. "
            "If a device placement was intended, use {maximal device=N}.");
      }
      for (int64_t device : sharding.devices) XLA_RETURN_IF_ERROR(CheckDevice(device, num_devices));
      break;
    }
    case HloSharding::Kind::kNamed: {
      const HloSharding::Named& named = *sharding.named;
      if (named.mesh.maximal_device.has_value())
        return CheckDevice(*named.mesh.maximal_device, num_devices);
      XLA_ASSIGN_OR_RETURN(count, named.mesh.NumDevices());
      if (named.dims.empty()) return absl::OkStatus();
      data_rank = static_cast<int64_t>(named.dims.size());
      break;
    }
    default:
      return absl::OkStatus();
  }
  if (data_rank != shape.rank()) {
    return InvalidArgument(
        "Number of tile assignment dimensions (excluding subgroups) is different than the input "
        "rank. sharding=%s, "
        "input_shape=%s",
        sharding.ToString(), shape.ToString());
  }
  if (num_devices.has_value() && count != *num_devices) {
    return InvalidArgument("sharding should have %d devices but has %d", *num_devices, count);
  }
  return absl::OkStatus();
}

absl::Status ValidateTuple(const HloSharding& sharding, const Shape& shape,
                           std::optional<int64_t> num_devices) {
  if (!shape.IsTuple())
    return absl::InvalidArgumentError("Sharding is tuple-shaped but validation shape is not.");
  const int64_t leaves = ShapeUtil::GetLeafCount(shape);
  const int64_t elements = static_cast<int64_t>(sharding.elements.size());
  // A tuple without leaves may have one sharding, which must be readable.
  if (leaves == 0 && elements <= 1)
    return elements == 0 ? absl::OkStatus() : sharding.elements[0].Canonical().status();
  if (leaves != elements) {
    return InvalidArgument("Shape %s has %d leaf nodes while this sharding has %d",
                           shape.ToString(), leaves, elements);
  }
  size_t next = 0;
  absl::Status status;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex& index) {
    const HloSharding& element = sharding.elements[next++];
    if (!status.ok()) return;
    status = ValidateLeaf(element, leaf, num_devices);
    if (!status.ok()) {
      status =
          AddContext(status, absl::StrCat("sharding tuple element {", absl::StrJoin(index, ","),
                                          "}, which is ", element.ToString()));
    }
  });
  return status;
}

}  // namespace

absl::Status HloSharding::Validate(const Shape& shape, std::optional<int64_t> num_devices) const {
  if (shape.IsToken()) return ValidateOfToken(*this);
  const absl::Status status = IsTuple() ? ValidateTuple(*this, shape, num_devices)
                                        : ValidateLeaf(*this, shape, num_devices);
  if (status.ok()) return status;
  return AddContext(status, absl::StrCat("while validating sharding ", ToString(),
                                         " against shape ", shape.ToString()));
}

}  // namespace xla

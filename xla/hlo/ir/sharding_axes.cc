// SPDX-License-Identifier: Apache-2.0
#include "xla/hlo/ir/sharding_axes.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/util.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace {

// The position of a device in the order of a mesh is a number in mixed radix. A digit of it: the
// positions i * stride, i < size.
struct Digit {
  int64_t stride, size;
};
using Digits = std::vector<Digit>;

// The digits of the positions that a list enumerates, major first. None if it is not an enumeration
// by digits.
std::optional<Digits> DigitsOfList(absl::Span<const int64_t> list) {
  const auto count = static_cast<int64_t>(list.size());
  if (list.empty() || list[0] != 0) return std::nullopt;
  Digits digits;
  for (int64_t block = 1; block < count;) {
    // As many blocks as follow each other at one distance.
    const int64_t stride = list[static_cast<size_t>(block)];
    int64_t size = 1;
    const auto follows = [&] {
      if ((size + 1) * block > count) return false;
      for (int64_t i = 0; i < block; ++i) {
        if (list[static_cast<size_t>(size * block + i)] !=
            list[static_cast<size_t>(i)] + size * stride) {
          return false;
        }
      }
      return true;
    };
    while (follows()) ++size;
    if (size == 1 || count / block % size != 0) return std::nullopt;
    digits.push_back({stride, size});
    block *= size;
  }
  absl::c_reverse(digits);
  // Together they must be all digits of the positions.
  Digits sorted = digits;
  absl::c_sort(sorted, [](const Digit& a, const Digit& b) { return a.stride < b.stride; });
  int64_t stride = 1;
  for (const Digit& digit : sorted) {
    if (digit.stride != stride) return std::nullopt;
    stride *= digit.size;
  }
  return digits;
}

Digits DigitsOfIota(const IotaTileAssignment& iota) {
  std::vector<int64_t> strides(iota.reshape_dims().size(), 1);
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * iota.reshape_dims()[i];
  Digits digits;
  for (const int dim : iota.transpose_perm()) {
    const auto d = static_cast<size_t>(dim);
    digits.push_back({strides[d], iota.reshape_dims()[d]});
  }
  return digits;
}

// The positions in the order of a mesh, listed in the order of the tiles.
std::optional<Digits> DigitsOf(const TileAssignment& tiles, const TileAssignment& order) {
  const bool is_in_order = order.iota().has_value() && order.iota()->reshape_dims().size() == 1;
  if (is_in_order && tiles.iota().has_value()) return DigitsOfIota(*tiles.iota());
  const Array<int64_t>& devices = tiles.array();
  if (is_in_order) return DigitsOfList(absl::MakeConstSpan(devices.data(), devices.num_elements()));
  std::vector<int64_t> position_of(static_cast<size_t>(order.num_elements()), 0), positions;
  int64_t position = 0;
  for (const int64_t device : order.array()) position_of[static_cast<size_t>(device)] = position++;
  for (const int64_t device : devices) {
    if (device < 0 || device >= order.num_elements()) return std::nullopt;
    positions.push_back(position_of[static_cast<size_t>(device)]);
  }
  return DigitsOfList(positions);
}

// The digits of each tile dimension, of which the first may be a part of one. None if a dimension
// is no product of digits.
std::optional<std::vector<Digits>> DigitsOfDimensions(Digits digits,
                                                      absl::Span<const int64_t> dims) {
  std::vector<Digits> result;
  size_t next = 0;
  for (int64_t need : dims) {
    Digits& parts = result.emplace_back();
    while (need > 1) {
      if (next == digits.size()) return std::nullopt;
      Digit& digit = digits[next];
      const int64_t take = std::gcd(need, digit.size);
      if (take != need && take != digit.size) return std::nullopt;
      // The major part of the digit.
      parts.push_back({digit.stride * (digit.size / take), take});
      digit.size /= take;
      need /= take;
      if (digit.size == 1) ++next;
    }
  }
  return result;
}

// Those of the data and of all subgroups but the replicated one.
std::optional<std::vector<Digits>> DigitsOfSharding(const HloSharding& sharding,
                                                    const TileAssignment& order) {
  const TileAssignment& tiles = sharding.tile_assignment();
  if (tiles.num_elements() != order.num_elements()) return std::nullopt;
  std::optional<Digits> digits = DigitsOf(tiles, order);
  if (!digits.has_value()) return std::nullopt;
  const int64_t replicated = sharding.SubgroupDim(OpSharding::REPLICATED);
  const auto rank = static_cast<size_t>(replicated < 0 ? tiles.num_dimensions() : replicated);
  return DigitsOfDimensions(*std::move(digits), tiles.dimensions().subspan(0, rank));
}

// Adds the places where digits begin and end to `cuts`, sorted, unless not each of them would
// divide the next one.
void AddCuts(const std::vector<Digits>& dimensions, std::vector<int64_t>& cuts) {
  std::vector<int64_t> all = cuts;
  for (const Digits& digits : dimensions) {
    for (const Digit& digit : digits) {
      all.push_back(digit.stride);
      all.push_back(digit.stride * digit.size);
    }
  }
  absl::c_sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i] % all[i - 1] != 0) return;
  }
  cuts = std::move(all);
}

// A digit as axes of the mesh, major first. None if it is cut where no sub-axis can be.
std::optional<std::vector<AxisRef>> AxesOf(const Digit& digit, const Mesh& mesh) {
  std::vector<AxisRef> axes;
  int64_t end = digit.stride * digit.size;  // of what is not found yet
  int64_t axis_end = mesh.num_devices();
  for (int64_t i = 0; i < mesh.num_axes() && end > digit.stride; ++i) {
    const int64_t axis_begin = axis_end / mesh.axis_size(i);
    if (end > axis_begin) {
      const int64_t begin = std::max(axis_begin, digit.stride);
      if (axis_end % end != 0 || end % begin != 0 || begin % axis_begin != 0) return std::nullopt;
      axes.push_back(AxisRef::Part(i, axis_end / end, axis_end / begin, mesh));
      end = begin;
    }
    axis_end = axis_begin;
  }
  return axes;
}

absl::Status NoSubAxes(const HloSharding& sharding, const Mesh& mesh) {
  return InvalidArgument("the tiles of sharding %s are no axes of %s", sharding.ToString(),
                         mesh.ToString());
}

absl::StatusOr<NamedSharding> TilesToAxes(const HloSharding& sharding, const Mesh& mesh) {
  const std::optional<std::vector<Digits>> dimensions =
      DigitsOfSharding(sharding, mesh.device_assignment());
  if (!dimensions.has_value()) return NoSubAxes(sharding, mesh);
  const auto data_rank = static_cast<size_t>(sharding.TiledDataRank());
  std::vector<NamedSharding::DimensionSharding> dims;
  std::vector<AxisRef> unreduced, manual;
  for (size_t d = 0; d < dimensions->size(); ++d) {
    std::vector<AxisRef> axes;
    for (const Digit& digit : (*dimensions)[d]) {
      const std::optional<std::vector<AxisRef>> parts = AxesOf(digit, mesh);
      if (!parts.has_value()) return NoSubAxes(sharding, mesh);
      for (const AxisRef& part : *parts) AppendAxis(part, mesh, axes);
    }
    if (d < data_rank) {
      dims.emplace_back(std::move(axes));
      continue;
    }
    SortAndMergeAxes(axes, mesh);
    const OpSharding_Type type = sharding.subgroup_types()[d - data_rank];
    if (type == OpSharding::MAXIMAL) {
      return InvalidArgument("sharding %s: axes cannot be maximal", sharding.ToString());
    }
    (type == OpSharding::MANUAL ? manual : unreduced) = std::move(axes);
  }
  return NamedSharding::Create(mesh, std::move(dims), {}, std::move(unreduced), std::move(manual),
                               sharding.unreduced_kind());
}

}  // namespace

Mesh MakeMeshFor(absl::Span<const HloSharding* const> shardings, int64_t num_devices) {
  std::vector<const HloSharding*> tiled;
  for (const HloSharding* sharding : shardings) {
    const auto add = [&](const HloSharding& leaf) {
      if (leaf.kind() == HloSharding::Kind::kTiled && leaf.num_devices() == num_devices) {
        tiled.push_back(&leaf);
      }
    };
    add(*sharding);
    for (const HloSharding& element : sharding->tuple_elements()) add(element);
  }
  // The order of devices, as a list if no transposition of axes is.
  TileAssignment order(absl::MakeConstSpan(&num_devices, 1));
  for (const HloSharding* sharding : tiled) {
    if (DigitsOfSharding(*sharding, order).has_value()) continue;
    TileAssignment listed = sharding->tile_assignment().Reshape({num_devices});
    const absl::StatusOr<Mesh> mesh = Mesh::Create(listed, {"all"});
    if (!mesh.ok()) continue;  // devices beyond the number of tiles
    order = TileAssignment(listed.array());
    break;
  }
  std::vector<int64_t> cuts = {1};
  if (num_devices > 1) cuts.push_back(num_devices);
  for (const HloSharding* sharding : tiled) {
    const std::optional<std::vector<Digits>> dimensions = DigitsOfSharding(*sharding, order);
    if (dimensions.has_value()) AddCuts(*dimensions, cuts);
  }
  std::vector<int64_t> sizes;
  std::vector<std::string> names;
  for (size_t i = cuts.size(); i-- > 1;) {
    names.push_back(absl::StrCat("_axis_", sizes.size()));
    sizes.push_back(cuts[i] / cuts[i - 1]);
  }
  return Mesh(order.Reshape(sizes), names);
}

absl::StatusOr<NamedSharding> ToNamedSharding(const HloSharding& sharding, const Mesh& mesh,
                                              int64_t rank) {
  std::vector<NamedSharding::DimensionSharding> undivided(static_cast<size_t>(rank));
  switch (sharding.kind()) {
    case HloSharding::Kind::kReplicated:
      return NamedSharding(mesh, std::move(undivided));
    case HloSharding::Kind::kUnknown:
      return NamedSharding::FullyOpen(mesh, rank);
    case HloSharding::Kind::kManual:
      return NamedSharding(mesh, std::move(undivided), {}, {}, mesh.AllAxes());
    case HloSharding::Kind::kUnreduced:
      return NamedSharding(mesh, std::move(undivided), {}, mesh.AllAxes(), {},
                           sharding.unreduced_kind());
    case HloSharding::Kind::kMaximal:
      return NamedSharding::SingleDevice(sharding.tile_assignment().first());
    case HloSharding::Kind::kNamed:
      if (sharding.named_sharding().mesh() == mesh) return sharding.named_sharding();
      return ToNamedSharding(HloSharding::V3ToV2Sharding(sharding), mesh, rank);
    case HloSharding::Kind::kTuple:
      return InvalidArgument("sharding %s of a tuple is none of an array", sharding.ToString());
    case HloSharding::Kind::kTiled:
      break;
  }
  if (sharding.num_devices() != mesh.num_devices() || sharding.TiledDataRank() != rank) {
    return InvalidArgument("sharding %s does not fit rank %d and %s", sharding.ToString(), rank,
                           mesh.ToString());
  }
  return TilesToAxes(sharding, mesh);
}

absl::StatusOr<NamedSharding> ToNamedSharding(const HloSharding& sharding, int64_t num_devices,
                                              int64_t rank) {
  const HloSharding* const all[] = {&sharding};
  return ToNamedSharding(sharding, MakeMeshFor(all, num_devices), rank);
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Shards that become parts of a sum, a maximum or a minimum, and parts that are exchanged as parts.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/mesh_and_axis.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/reshard_emitter.h"
#include "xla/spmd/shard_emitter.h"

namespace xla::spmd {
namespace {

using Axes = std::vector<AxisRef>;

// Those of a layout that divides nothing may be of another mesh.
Axes AxesOf(const ShardLayout& layout, size_t dimension) {
  return layout.IsUndivided() ? Axes() : layout.axes[dimension];
}

void Append(const Axes& axes, Axes& all) { all.insert(all.end(), axes.begin(), axes.end()); }

bool CanAllCoexist(const Axes& axes) {
  return absl::c_all_of(axes, [&](const AxisRef& axis) {
    return absl::c_all_of(axes, [&](const AxisRef& other) { return axis.CanCoexist(other); });
  });
}

// Where the array has no padding along them, the axes of each dimension that are partial later.
std::vector<Axes> PlacedAxes(const Shape& full, const ShardLayout& from, const ShardLayout& to,
                             const Mesh& mesh) {
  std::vector<Axes> placed(static_cast<size_t>(full.rank()));
  for (size_t d = 0; d < placed.size(); ++d) {
    const Axes before = AxesOf(from, d);
    const Axes others = AxesWithout(before, to.partial_groups.axes, mesh);
    Axes axes = AxesWithout(before, others, mesh);
    const int64_t count = AxesSize(AxesOf(to, d), mesh) * AxesSize(axes, mesh);
    if (full.dimensions(static_cast<int>(d)) % count == 0) placed[d] = std::move(axes);
  }
  return placed;
}

// The layout of `to`, divided along these axes as well, and of no parts.
ShardLayout WithPlaced(const ShardLayout& to, const std::vector<Axes>& placed, const Mesh& mesh) {
  ShardLayout layout = to;
  layout.mesh = mesh;
  layout.partial_groups.clear();
  for (size_t d = 0; d < placed.size(); ++d) {
    layout.axes[d] = AxesOf(to, d);
    for (const AxisRef& axis : placed[d]) AppendAxis(axis, mesh, layout.axes[d]);
    layout.counts[d] = AxesSize(layout.axes[d], mesh);
  }
  return layout;
}

// What a partition has of the shards along these axes, in its place among what changes nothing.
HloInstruction* PlacedShard(HloInstruction* shard, const std::vector<Axes>& placed,
                            const Mesh& mesh, UnreducedKind reduction) {
  if (absl::c_all_of(placed, [](const Axes& axes) { return axes.empty(); })) return shard;
  HloComputation* computation = shard->parent();
  Shape shape = shard->shape();
  std::vector<HloInstruction*> operands = {nullptr, shard};
  for (size_t d = 0; d < placed.size(); ++d) {
    const int64_t size = shape.dimensions(static_cast<int>(d));
    shape.set_dimensions(static_cast<int>(d), size * AxesSize(placed[d], mesh));
    HloInstruction* start = ScalarS32(computation, placed[d].empty() ? 0 : size);
    if (!placed[d].empty()) {
      start = Add(computation, HloOpcode::kMultiply, start->shape(),
                  {PositionAlong(mesh, placed[d], computation), start});
    }
    operands.push_back(start);
  }
  operands[0] = NeutralValue(computation, shape, reduction);
  return Add(computation, HloOpcode::kDynamicUpdateSlice, shape, operands);
}

}  // namespace

std::optional<ShardEmitter::UnreducedReshard> ShardEmitter::CheapestUnreducedReshard(
    const Shape& full, const ShardLayout& from, const ShardLayout& to) const {
  std::optional<Mesh> mesh;
  const Axes& wanted = to.partial_groups.axes;
  const Axes& partial = from.partial_groups.axes;
  if (!ShareMesh(from, to, &mesh) || !mesh.has_value() || wanted.empty() ||
      (!partial.empty() && from.reduction != to.reduction)) {
    return std::nullopt;
  }
  Axes all = wanted;
  Append(partial, all);
  for (size_t d = 0; d < from.axes.size(); ++d) {
    Append(AxesOf(from, d), all);
    Append(AxesOf(to, d), all);
  }
  if (!CanAllCoexist(all)) return std::nullopt;
  // Along axes that stay partial, partitions have different arrays, of which each is resharded.
  ShardLayout source = from;
  source.mesh = source.partial_groups.mesh = *mesh;
  source.partial_groups.axes = AxesWithout(partial, wanted, *mesh);
  if (from.IsUndivided()) {
    for (Axes& axes : source.axes) axes.clear();
  }
  std::optional<UnreducedReshard> cheapest;
  std::vector<std::vector<Axes>> choices = {PlacedAxes(full, from, to, *mesh)};
  choices.emplace_back(choices[0].size());  // and none
  for (std::vector<Axes>& placed : choices) {
    const ReshardPlan* plan = PlanOf(full, source, WithPlaced(to, placed, *mesh));
    if (plan == nullptr || (cheapest.has_value() && plan->bytes >= cheapest->plan->bytes)) continue;
    Axes known = AxesWithout(partial, source.partial_groups.axes, *mesh);
    for (const Axes& axes : placed) Append(axes, known);
    PartitionGroups rest = {*mesh, AxesWithout(wanted, known, *mesh)};
    cheapest = UnreducedReshard{plan, std::move(placed), std::move(rest)};
  }
  return cheapest;
}

HloInstruction* ShardEmitter::Unreduce(HloInstruction* shard, const Shape& full,
                                       const ShardLayout& from, const ShardLayout& to) {
  const std::optional<UnreducedReshard> reshard = CheapestUnreducedReshard(full, from, to);
  if (!reshard.has_value()) return nullptr;
  shard = EmitReshard(shard, reshard->plan->from, reshard->plan->steps, full, *this);
  shard = PlacedShard(shard, reshard->placed, to.partial_groups.mesh, to.reduction);
  if (reshard->kept_first.empty()) return shard;
  ShardLayout rest = to;
  rest.partial_groups = reshard->kept_first;
  return KeepFirst(shard, rest);
}

}  // namespace xla::spmd

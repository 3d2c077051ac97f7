// SPDX-License-Identifier: Apache-2.0
// Collectives work along a dimension of their own at the front: what goes to the devices of a group
// is brought there, in the order of the group, and what comes from them is brought to its place.
#include "xla/spmd/reshard_emitter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Kind = ReshardStep::Kind;
using Sizes = std::vector<int64_t>;

Sizes SizesOf(const HloInstruction* value) {
  return {value->shape().dimensions().begin(), value->shape().dimensions().end()};
}

Shape Like(const HloInstruction* value, absl::Span<const int64_t> sizes) {
  return ShapeUtil::MakeShape(value->shape().element_type(), sizes);
}

HloInstruction* Scalar(HloComputation* computation, Literal literal) {
  return computation->AddInstruction(HloInstruction::CreateConstant(std::move(literal)));
}

HloInstruction* Transpose(HloInstruction* value, const Sizes& order) {
  if (absl::c_is_sorted(order)) return value;
  Sizes sizes;
  for (const int64_t d : order) sizes.push_back(value->shape().dimensions(static_cast<int>(d)));
  return Add(value->parent(), HloOpcode::kTranspose, Like(value, sizes), {value},
             Dimensions(order));
}

HloInstruction* Reshaped(HloInstruction* value, const Sizes& sizes) {
  return SizesOf(value) == sizes ? value : Reshape(value, sizes);
}

// With zeros at the end, or without the end.
HloInstruction* PadOrCut(HloInstruction* value, const Sizes& sizes) {
  const Sizes before = SizesOf(value);
  Sizes larger, smaller;
  for (size_t d = 0; d < sizes.size(); ++d) {
    larger.push_back(std::max(before[d], sizes[d]));
  }
  if (larger != before) {
    PadAttributes attributes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      attributes.padding.push_back({.high = larger[d] - before[d]});
    }
    HloInstruction* zero =
        Scalar(value->parent(), LiteralUtil::Zero(value->shape().element_type()));
    value = Add(value->parent(), HloOpcode::kPad, Like(value, larger), {value, zero},
                std::move(attributes));
  }
  if (sizes == larger) return value;
  SliceAttributes attributes;
  for (const int64_t size : sizes) attributes.slice.push_back({.limit = size});
  return Add(value->parent(), HloOpcode::kSlice, Like(value, sizes), {value},
             std::move(attributes));
}

// Parts of axes that a collective moves, of one dimension each before and after it.
struct Part {
  AxisRef axis;
  int64_t size;
  int64_t from_dim, to_dim;
};

class Emitter {
 public:
  Emitter(const Shape& shape, ShardEmitter& emit) : shape_(shape), emit_(emit) {}

  HloInstruction* Step(HloInstruction* shard, const NamedSharding& before,
                       const ReshardStep& step) {
    Sizes padded = SizesOf(shard), result;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      const auto i = static_cast<size_t>(d);
      // A dimension that is divided now may need padding first, one that is not any more has some.
      if (before.dimension(d) == 1) padded[i] = step.padded[i];
      result.push_back(step.padded[i] / step.result.dimension(d));
    }
    shard = PadOrCut(shard, padded);
    shard = Moved(shard, before, step, result);
    return PadOrCut(shard, result);
  }

 private:
  // What the step makes of a shard that has the padding it needs. `result`: the sizes of a slice.
  HloInstruction* Moved(HloInstruction* shard, const NamedSharding& before, const ReshardStep& step,
                        const Sizes& result) {
    const Mesh& mesh = step.result.mesh();
    const std::vector<Part> parts = PartsOf(before, step);
    std::vector<AxisRef> axes;
    for (const Part& part : parts) axes.push_back(part.axis);
    switch (step.kind) {
      case Kind::kAllSlice:
        return Slice(shard, step, mesh, result);
      case Kind::kReduceScatter: {
        ReduceScatterAttributes attributes;
        attributes.use_global_device_ids = true;
        attributes.dimensions = {0};
        HloComputation* combiner = emit_.Combiner(shape_.element_type(), before.unreduced_kind());
        return Collective(HloOpcode::kReduceScatter, shard, parts, before, step.result, axes,
                          std::move(attributes), combiner);
      }
      case Kind::kAllReduce: {
        AllReduceAttributes attributes;
        attributes.channel_id = (*emit_.next_channel())++;
        attributes.use_global_device_ids = true;
        attributes.replica_groups = GroupsAlong(mesh, axes);
        return emit_.WithCause(shard->parent()->AddInstruction(HloInstruction::Create(
            HloOpcode::kAllReduce, shard->shape(), {shard}, std::move(attributes),
            {emit_.Combiner(shape_.element_type(), before.unreduced_kind())})));
      }
      case Kind::kCollectivePermute:
        return Permute(shard, before, step.result);
      case Kind::kAllToAll: {
        AllToAllAttributes attributes;
        attributes.dimensions = Int64s{0};
        return Collective(HloOpcode::kAllToAll, shard, parts, before, step.result, axes,
                          std::move(attributes), nullptr);
      }
      case Kind::kAllGather: {
        AllGatherAttributes attributes;
        attributes.use_global_device_ids = true;
        attributes.dimensions = {0};
        return Collective(HloOpcode::kAllGather, shard, parts, before, step.result, axes,
                          std::move(attributes), nullptr);
      }
      case Kind::kToUnreduced:
        return ToUnreduced(shard, axes, step.result);
    }
    XLA_CHECK(false) << "no kind of step";
    return nullptr;
  }

  // In the order of the moves, cut where the axes of their dimensions are, before and afterwards.
  static std::vector<Part> PartsOf(const NamedSharding& before, const ReshardStep& step) {
    std::vector<Part> parts;
    const Mesh& mesh = step.result.mesh();
    for (const ReshardStep::Move& move : step.moves) {
      std::vector<AxisRef> axes = move.axes;
      if (move.from_dim >= 0) {
        axes = RefineAxes(axes, before.dim_sharding(move.from_dim).axes(), mesh);
      }
      if (move.to_dim >= 0) {
        axes = RefineAxes(axes, step.result.dim_sharding(move.to_dim).axes(), mesh);
      }
      for (const AxisRef& axis : axes) {
        parts.push_back({axis, axis.size(mesh), move.from_dim, move.to_dim});
      }
    }
    return parts;
  }

  HloInstruction* Slice(HloInstruction* shard, const ReshardStep& step, const Mesh& mesh,
                        const Sizes& result) const {
    HloComputation* computation = shard->parent();
    std::vector<HloInstruction*> operands = {shard};
    for (size_t d = 0; d < result.size(); ++d) {
      HloInstruction* start = ScalarS32(computation, 0);
      for (const ReshardStep::Move& move : step.moves) {
        if (move.to_dim != static_cast<int64_t>(d)) continue;
        start =
            Add(computation, HloOpcode::kMultiply, start->shape(),
                {PositionAlong(mesh, move.axes, computation), ScalarS32(computation, result[d])});
      }
      operands.push_back(start);
    }
    DynamicSliceAttributes attributes;
    attributes.dynamic_slice_sizes = result;
    return Add(computation, HloOpcode::kDynamicSlice, Like(shard, result), operands,
               std::move(attributes));
  }

  // Splits dimensions by the parts that go to them, brings these to the front, lets the devices
  // exchange them, and joins the parts that came from dimensions with those.
  template <typename Attributes>
  HloInstruction* Collective(HloOpcode opcode, HloInstruction* shard,
                             const std::vector<Part>& parts, const NamedSharding& before,
                             const NamedSharding& after, const std::vector<AxisRef>& axes,
                             Attributes attributes, HloComputation* combiner) {
    const Mesh& mesh = after.mesh();
    const size_t rank = static_cast<size_t>(shape_.rank());
    const bool splits = opcode != HloOpcode::kAllGather,
               joins = opcode != HloOpcode::kReduceScatter;
    Sizes sizes = SizesOf(shard);
    int64_t group = 1;
    for (const Part& part : parts) group *= part.size;
    if (splits) {
      // [parts to dimension 0, rest of dimension 0, parts to dimension 1, ..]
      Sizes split, order(parts.size()), places;
      for (size_t d = 0; d < rank; ++d) {
        for (const size_t p : InOrderOf(after.dim_sharding(static_cast<int64_t>(d)), parts, mesh,
                                        &Part::to_dim, static_cast<int64_t>(d))) {
          order[p] = static_cast<int64_t>(split.size());
          split.push_back(parts[p].size);
          sizes[d] /= parts[p].size;
        }
        places.push_back(static_cast<int64_t>(split.size()));
        split.push_back(sizes[d]);
      }
      order.insert(order.end(), places.begin(), places.end());
      shard = Transpose(Reshaped(shard, split), order);
    }
    Sizes in = sizes, out = sizes;
    in.insert(in.begin(), splits ? group : 1);
    out.insert(out.begin(), joins ? group : 1);
    attributes.channel_id = (*emit_.next_channel())++;
    attributes.replica_groups = GroupsAlong(mesh, axes);
    std::vector<HloComputation*> called;
    if (combiner != nullptr) called.push_back(combiner);
    HloInstruction* operand = Reshaped(shard, in);
    shard = emit_.WithCause(shard->parent()->AddInstruction(HloInstruction::Create(
        opcode, Like(shard, out), {operand}, std::move(attributes), called)));
    if (!joins) return Reshaped(shard, sizes);
    // [all parts, dimensions] to [parts from dimension 0, dimension 0, parts from dimension 1, ..]
    Sizes all;
    for (const Part& part : parts) all.push_back(part.size);
    all.insert(all.end(), sizes.begin(), sizes.end());
    Sizes order;
    for (size_t d = 0; d < rank; ++d) {
      for (const size_t p : InOrderOf(before.dim_sharding(static_cast<int64_t>(d)), parts, mesh,
                                      &Part::from_dim, static_cast<int64_t>(d))) {
        order.push_back(static_cast<int64_t>(p));
        sizes[d] *= parts[p].size;
      }
      order.push_back(static_cast<int64_t>(parts.size() + d));
    }
    return Reshaped(Transpose(Reshaped(shard, all), order), sizes);
  }

  // The parts that come from or go to a dimension, in the order in which they divide it.
  static std::vector<size_t> InOrderOf(const NamedSharding::DimensionSharding& dim,
                                       const std::vector<Part>& parts, const Mesh& mesh,
                                       int64_t Part::*of, int64_t dimension) {
    std::vector<AxisRef> axes;
    for (const Part& part : parts) axes.push_back(part.axis);
    std::vector<size_t> order;
    for (const AxisRef& axis : RefineAxes(dim.axes(), axes, mesh)) {
      for (size_t p = 0; p < parts.size(); ++p) {
        if (parts[p].*of == dimension && parts[p].axis == axis) order.push_back(p);
      }
    }
    return order;
  }

  // From the devices that have a shard to those that get it. A device keeps what it has, if it can.
  // Along axes that neither sharding names values may differ, within a manual computation: shards
  // stay within groups that differ along other axes.
  HloInstruction* Permute(HloInstruction* shard, const NamedSharding& before,
                          const NamedSharding& after) {
    HloSharding from = HloSharding::V3ToV2Sharding(before);
    HloSharding to = HloSharding::V3ToV2Sharding(after);
    if (from.kind() != HloSharding::Kind::kTiled || from == to) return shard;
    if (before.mesh() == after.mesh()) {
      std::vector<AxisRef> named = before.UsedAxes();
      const std::vector<AxisRef> others = after.UsedAxes();
      named.insert(named.end(), others.begin(), others.end());
      const std::vector<AxisRef> rest = UnusedAxes(named, before.mesh());
      from = HloSharding::V3ToV2Sharding(before.WithManualAxes(rest));
      to = HloSharding::V3ToV2Sharding(after.WithManualAxes(rest));
    }
    const int64_t copies = from.SubgroupSize(OpSharding_Type_REPLICATED);
    const Sizes sources(from.tile_assignment().array().begin(),
                        from.tile_assignment().array().end());
    const Sizes targets(to.tile_assignment().array().begin(), to.tile_assignment().array().end());
    CollectivePermuteAttributes attributes;
    for (size_t i = 0; i < sources.size(); i += static_cast<size_t>(copies)) {
      Sizes left(sources.begin() + static_cast<ptrdiff_t>(i),
                 sources.begin() + static_cast<ptrdiff_t>(i) + copies);
      Sizes open;
      for (size_t j = i; j < i + static_cast<size_t>(copies); ++j) {
        const auto same = absl::c_find(left, targets[j]);
        if (same == left.end()) {
          open.push_back(targets[j]);
          continue;
        }
        attributes.source_target_pairs.emplace_back(targets[j], targets[j]);
        left.erase(same);
      }
      for (size_t j = 0; j < open.size(); ++j) {
        attributes.source_target_pairs.emplace_back(left[j], open[j]);
      }
    }
    attributes.channel_id = (*emit_.next_channel())++;
    return emit_.WithCause(Add(shard->parent(), HloOpcode::kCollectivePermute, shard->shape(),
                               {shard}, std::move(attributes)));
  }

  // The first device along the axes has the value, the others what leaves it as it is.
  HloInstruction* ToUnreduced(HloInstruction* shard, const std::vector<AxisRef>& axes,
                              const NamedSharding& after) const {
    HloComputation* computation = shard->parent();
    const PrimitiveType type = shard->shape().element_type();
    const UnreducedKind kind = after.unreduced_kind();
    HloInstruction* identity =
        Scalar(computation, kind == UnreducedKind::kSum   ? LiteralUtil::Zero(type)
                            : kind == UnreducedKind::kMax ? LiteralUtil::MinValue(type)
                                                          : LiteralUtil::MaxValue(type));
    CompareAttributes attributes;
    attributes.direction = ComparisonDirection::kEq;
    HloInstruction* is_first =
        Add(computation, HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}),
            {PositionAlong(after.mesh(), axes, computation), ScalarS32(computation, 0)},
            std::move(attributes));
    const auto spread = [&](HloInstruction* scalar) {
      return Add(computation, HloOpcode::kBroadcast, Like(scalar, SizesOf(shard)), {scalar},
                 Dimensions({}));
    };
    return Add(computation, HloOpcode::kSelect, shard->shape(),
               {spread(is_first), shard, spread(identity)});
  }

  const Shape& shape_;
  ShardEmitter& emit_;
};

}  // namespace

HloInstruction* EmitReshard(HloInstruction* shard, const NamedSharding& from,
                            absl::Span<const ReshardStep> steps, const Shape& shape,
                            ShardEmitter& emit) {
  Emitter emitter(shape, emit);
  const NamedSharding* before = &from;
  for (const ReshardStep& step : steps) {
    shard = emitter.Step(shard, *before, step);
    before = &step.result;
  }
  return shard;
}

}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
// Gathers on shards: along dimensions that windows have all of, of the batch of indices, those that
// index vectors number, and those in which each partition has some of the positions.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/indexed_loops.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

// Whether indices state all positions of dimensions that are divided.
bool IndicesHold(const HloInstruction& instruction, const HloInstruction& indices,
                 absl::Span<const IndexedLoop> loops) {
  return absl::c_all_of(loops, [&](const IndexedLoop& loop) {
    if (loop.operand < 0 || loop.component < 0) return true;
    const int64_t n = instruction.operand(0)->shape().dimensions(static_cast<int>(loop.operand));
    return Holds(indices.shape().element_type(), n) && n + 2 * loop.size <= INT32_MAX;
  });
}

// A gather from a shard, loop after loop.
struct LocalGather {
  HloInstruction* shard;
  IndexVectors vectors;
  Shape result;
  std::vector<int64_t> batch;      // dimensions of the result
  HloInstruction* mask = nullptr;  // of the elements of the result that are from this shard
};

// The first positions of windows in the dimension of a loop, in a shard of `size` rows: an s32 for
// each index vector.
HloInstruction* LocalStart(const LocalGather& gather, const IndexedLoop& loop, const Shape& full,
                           const ShardLayout& layout, int64_t size) {
  HloComputation* computation = gather.shard->parent();
  const Shape& vectors = gather.vectors.indices->shape();
  const Shape of_batch = ShapeUtil::MakeShape(
      PrimitiveType::S32,
      gather.vectors.IsImplicit()
          ? vectors.dimensions()
          : ShapeUtil::DeleteDimension(gather.vectors.vector_dim, vectors).dimensions());
  const int64_t n = full.dimensions(static_cast<int>(loop.operand));
  HloInstruction* start = loop.component < 0
                              ? Spread(ScalarS32(computation, 0), of_batch)
                              : Clamped(gather.vectors.Component(loop.component), 0, n - loop.size);
  return Binary(HloOpcode::kSubtract, start,
                Spread(ShardStart(computation, layout, static_cast<size_t>(loop.operand), size),
                       start->shape()));
}

// Where the rows of windows that begin at `local` are rows of a shard of `size` rows.
HloInstruction* IsOwnRow(const LocalGather& gather, const IndexedLoop& loop, HloInstruction* local,
                         int64_t size) {
  HloComputation* computation = local->parent();
  const absl::Span<const int64_t> dimensions = gather.result.dimensions();
  if (loop.windows < 0) {
    return Add(computation, HloOpcode::kBroadcast, ShapeUtil::MakeShape(PRED, dimensions),
               {Within(local, size)}, Dimensions(gather.batch));
  }
  const Shape of_result = ShapeUtil::MakeShape(PrimitiveType::S32, dimensions);
  HloInstruction* begin =
      Add(computation, HloOpcode::kBroadcast, of_result, {local}, Dimensions(gather.batch));
  HloInstruction* step = Add(computation, HloOpcode::kIota, of_result, {},
                             IotaAttributes{.iota_dimension = loop.windows});
  return Within(Binary(HloOpcode::kAdd, begin, step), size);
}

// Counts positions in the dimension of a loop from where the shard begins. Whether it can.
bool DivideLoop(const IndexedLoop& loop, const Shape& full, const ShardLayout& layout,
                LocalGather& gather) {
  HloComputation* computation = gather.shard->parent();
  const int64_t size = gather.shard->shape().dimensions(static_cast<int>(loop.operand));
  HloInstruction* local = LocalStart(gather, loop, full, layout, size);
  HloInstruction* own = nullptr;
  const bool is_parallel = loop.kind == IndexedLoop::Kind::kParallel;
  if (loop.windows < 0 || is_parallel) {
    own = Clamped(local, 0, size - 1);
  } else {
    // Windows that lie in several shards: in each, among zeros.
    gather.shard = Padded(gather.shard, loop.operand, loop.size);
    own = Clamped(
        Binary(HloOpcode::kAdd, local, Spread(ScalarS32(computation, loop.size), local->shape())),
        0, size + loop.size);
  }
  if (loop.component >= 0) {
    const PrimitiveType type = gather.vectors.indices->shape().element_type();
    gather.vectors.indices = gather.vectors.WithComponent(loop.component, As(own, type));
  } else if (loop.windows >= 0) {
    return false;  // windows that begin at 0: rare, and of some of the rows
  }
  if (is_parallel) return true;
  HloInstruction* is_own = IsOwnRow(gather, loop, local, size);
  gather.mask = gather.mask == nullptr ? is_own : Binary(HloOpcode::kAnd, gather.mask, is_own);
  return true;
}

}  // namespace

// What the way to divide a gather communicates. `wanted`: the layout of the result; none: any.
int64_t Partitioner::CostOfGather(const HloInstruction& gather, const IndexedLayouts& layouts,
                                  const Source& operand, const Source& indices,
                                  const std::optional<ShardLayout>& wanted) const {
  int64_t cost = 0;
  if (operand.shard != nullptr) {
    cost += emit_.ReshardBytes(gather.operand(0)->shape(), operand.layout, layouts.operand);
  }
  if (indices.shard != nullptr) {
    cost += emit_.ReshardBytes(gather.operand(1)->shape(), indices.layout, layouts.indices);
  }
  if (!layouts.choosing.empty()) {
    const int64_t group = layouts.choosing.group_size();
    const int64_t once = BytesOfShard(gather.shape(), layouts.windows) / group * (group - 1);
    ShardLayout parts = layouts.windows;
    parts.partial_groups = layouts.choosing;
    if (wanted.has_value() && emit_.CanReduceScatter(gather.shape(), parts, *wanted))
      return cost + once;
    cost += 2 * once;
  }
  return wanted.has_value() ? cost + emit_.ReshardBytes(gather.shape(), layouts.windows, *wanted)
                            : cost;
}

absl::StatusOr<bool> Partitioner::PartitionGather(HloInstruction* gather) {
  const Source operand = SourceOf(gather->mutable_operand(0));
  const Source indices = SourceOf(gather->mutable_operand(1));
  const std::optional<ShardLayout> wanted = WantedLayout(*gather);
  if (operand.shard == nullptr && indices.shard == nullptr && !wanted.has_value()) return false;
  const std::vector<IndexedLoop> loops = LoopsOfGather(*gather);
  if (!IndicesHold(*gather, *gather->operand(1), loops)) return false;
  const auto layout_of = [](const Source& source) {
    return source.shard == nullptr ? nullptr : &source.layout;
  };
  const std::vector<IndexedLayouts> candidates = IndexedCandidates(
      loops, layout_of(operand), layout_of(indices), wanted.has_value() ? &*wanted : nullptr,
      nullptr, *gather, /*may_divide_batch=*/true, partitions_);
  const IndexedLayouts* best = nullptr;
  int64_t least = INT64_MAX;
  for (const IndexedLayouts& candidate : candidates) {
    const int64_t cost = CostOfGather(*gather, candidate, operand, indices, wanted);
    if (cost >= least) continue;
    least = cost;
    best = &candidate;
  }
  const bool is_divided = absl::c_any_of(best->loops, [](const auto& s) { return s.count > 1; });
  if (!is_divided) return true;  // all partitions compute all of it
  return GatherOnShards(gather, loops, *best, wanted);
}

absl::StatusOr<bool> Partitioner::GatherOnShards(HloInstruction* gather,
                                                 absl::Span<const IndexedLoop> loops,
                                                 const IndexedLayouts& layouts,
                                                 const std::optional<ShardLayout>& wanted) {
  HloComputation* computation = gather->parent();
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard,
                       ShardOf(gather->mutable_operand(0), layouts.operand));
  XLA_ASSIGN_OR_RETURN(HloInstruction * vectors,
                       ShardOf(gather->mutable_operand(1), layouts.indices));
  XLA_ASSIGN_OR_RETURN(const Shape result, ShardShape(gather->shape(), layouts.windows));
  const auto& numbers = gather->attributes<GatherAttributes>();
  LocalGather local{shard, {vectors, numbers.index_vector_dim}, result, {}};
  for (int64_t e = 0; e < result.rank(); ++e) {
    if (!absl::c_linear_search(numbers.offset_dims, e)) local.batch.push_back(e);
  }
  for (size_t k = 0; k < loops.size(); ++k) {
    if (HasPositions(loops[k], layouts.loops[k]) &&
        !DivideLoop(loops[k], gather->operand(0)->shape(), layouts.operand, local)) {
      return false;
    }
  }
  HloInstruction* part = computation->AddInstruction(
      gather->CloneWithNewOperands(result, {local.shard, local.vectors.indices}));
  auto* local_numbers = part->mutable_attributes<GatherAttributes>();
  for (size_t e = 0; e < local_numbers->slice_sizes.size(); ++e) {
    int64_t& size = local_numbers->slice_sizes[e];
    size = std::min(size, local.shard->shape().dimensions(static_cast<int>(e)));
  }
  local_numbers->indices_are_sorted = false;
  if (local.mask == nullptr) {
    XLA_RETURN_IF_ERROR(SetResult(gather, part, layouts.windows));
    return true;
  }
  part = emit_.Masked(part, local.mask,
                      Zero(computation, ShapeUtil::MakeShape(result.element_type(), {})));
  ShardLayout parts = layouts.windows;
  parts.partial_groups = layouts.choosing;
  if (wanted.has_value() && emit_.CanReduceScatter(gather->shape(), parts, *wanted)) {
    SetShard(gather, emit_.CombineDisjoint(part, gather->shape(), parts, &*wanted), *wanted);
    return true;
  }
  XLA_RETURN_IF_ERROR(SetResult(
      gather, emit_.CombineDisjoint(part, gather->shape(), parts, nullptr), layouts.windows));
  return true;
}

}  // namespace xla::spmd

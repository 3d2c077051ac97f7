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
  const Shape& full = gather->operand(0)->shape();
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard,
                       ShardOf(gather->mutable_operand(0), layouts.operand));
  XLA_ASSIGN_OR_RETURN(HloInstruction * vectors_shard,
                       ShardOf(gather->mutable_operand(1), layouts.indices));
  XLA_ASSIGN_OR_RETURN(const Shape result, ShardShape(gather->shape(), layouts.windows));
  const auto& numbers = gather->attributes<GatherAttributes>();
  IndexVectors vectors = {vectors_shard, numbers.index_vector_dim};
  const PrimitiveType type = vectors_shard->shape().element_type();
  std::vector<int64_t> batch;  // of the result
  for (int64_t e = 0; e < result.rank(); ++e) {
    if (!absl::c_linear_search(numbers.offset_dims, e)) batch.push_back(e);
  }
  HloInstruction* mask = nullptr;  // of the result
  for (size_t k = 0; k < loops.size(); ++k) {
    const IndexedLoop& loop = loops[k];
    if (layouts.loops[k].count == 1 || loop.operand < 0) continue;
    if (loop.kind == IndexedLoop::Kind::kWindow ||
        (loop.kind == IndexedLoop::Kind::kParallel && loop.component < 0)) {
      continue;
    }
    const int dim = static_cast<int>(loop.operand);
    const int64_t n = full.dimensions(dim), size = shard->shape().dimensions(dim);
    const Shape of_batch = ShapeUtil::MakeShape(
        PrimitiveType::S32,
        vectors.IsImplicit()
            ? vectors_shard->shape().dimensions()
            : ShapeUtil::DeleteDimension(vectors.vector_dim, vectors_shard->shape()).dimensions());
    HloInstruction* start = loop.component < 0
                                ? Spread(ScalarS32(computation, 0), of_batch)
                                : Clamped(vectors.Component(loop.component), 0, n - loop.size);
    HloInstruction* local =
        Binary(HloOpcode::kSubtract, start,
               Spread(ShardStart(computation, layouts.operand, static_cast<size_t>(dim), size),
                      start->shape()));
    HloInstruction* own = nullptr;
    HloInstruction* row = nullptr;  // in the shard, of each element of the result
    if (loop.windows < 0 || loop.kind == IndexedLoop::Kind::kParallel) {
      own = Clamped(local, 0, size - 1);
      row = local;
    } else {
      // Windows that lie in several shards: in each, among zeros.
      shard = Padded(shard, loop.operand, loop.size);
      own = Clamped(
          Binary(HloOpcode::kAdd, local, Spread(ScalarS32(computation, loop.size), local->shape())),
          0, size + loop.size);
    }
    if (loop.component >= 0) {
      vectors.indices = vectors.WithComponent(loop.component, As(own, type));
    } else if (loop.windows >= 0) {
      return false;  // windows that begin at 0: rare, and of some of the rows
    }
    if (loop.kind == IndexedLoop::Kind::kParallel) continue;
    const Shape of_result = ShapeUtil::MakeShape(PrimitiveType::S32, result.dimensions());
    HloInstruction* is_own = nullptr;
    if (row != nullptr) {
      is_own =
          Add(computation, HloOpcode::kBroadcast, ShapeUtil::MakeShape(PRED, result.dimensions()),
              {Within(row, size)}, Dimensions(batch));
    } else {
      HloInstruction* begin =
          Add(computation, HloOpcode::kBroadcast, of_result, {local}, Dimensions(batch));
      HloInstruction* step = Add(computation, HloOpcode::kIota, of_result, {},
                                 IotaAttributes{.iota_dimension = loop.windows});
      is_own = Within(Binary(HloOpcode::kAdd, begin, step), size);
    }
    mask = mask == nullptr ? is_own : Binary(HloOpcode::kAnd, mask, is_own);
  }
  HloInstruction* part =
      computation->AddInstruction(gather->CloneWithNewOperands(result, {shard, vectors.indices}));
  auto* local_numbers = part->mutable_attributes<GatherAttributes>();
  for (size_t e = 0; e < local_numbers->slice_sizes.size(); ++e) {
    int64_t& size = local_numbers->slice_sizes[e];
    size = std::min(size, shard->shape().dimensions(static_cast<int>(e)));
  }
  local_numbers->indices_are_sorted = false;
  if (mask == nullptr) {
    XLA_RETURN_IF_ERROR(SetResult(gather, part, layouts.windows));
    return true;
  }
  part =
      emit_.Masked(part, mask, Zero(computation, ShapeUtil::MakeShape(result.element_type(), {})));
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

// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/indexed_loops.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/instructions.h"

namespace xla::spmd {
namespace {

// What gathers and scatters call differently.
struct IndexNumbers {
  const Shape& operand;
  const Shape& windows;
  IndexVectors vectors;
  const std::vector<int64_t>&window_dims, &dropped, &map, &operand_batching, &index_batching;
  std::vector<int64_t> window_sizes;  // by dimensions of the operand; 1 for dropped ones
};

// The dimensions of windows that are those of indices, in order.
std::vector<int64_t> BatchOfWindows(const IndexNumbers& numbers) {
  std::vector<int64_t> batch;
  for (int64_t e = 0; e < numbers.windows.rank(); ++e) {
    if (!absl::c_linear_search(numbers.window_dims, e)) batch.push_back(e);
  }
  return batch;
}

std::vector<IndexedLoop> IndexedLoopsOf(const IndexNumbers& numbers) {
  std::vector<IndexedLoop> loops;
  const std::vector<int64_t> of_indices = numbers.vectors.BatchDimensions();
  const std::vector<int64_t> of_windows = BatchOfWindows(numbers);
  std::vector<bool> is_paired(static_cast<size_t>(numbers.vectors.indices->shape().rank()), false);
  const auto pair = [&](int64_t operand, int64_t indices, int64_t component) {
    const auto place = absl::c_find(of_indices, indices) - of_indices.begin();
    is_paired[static_cast<size_t>(indices)] = true;
    loops.push_back({IndexedLoop::Kind::kParallel, operand, indices,
                     of_windows[static_cast<size_t>(place)], component});
  };
  for (size_t i = 0; i < numbers.operand_batching.size(); ++i) {
    pair(numbers.operand_batching[i], numbers.index_batching[i], -1);
  }
  size_t window = 0;
  for (int64_t d = 0; d < numbers.operand.rank(); ++d) {
    if (absl::c_linear_search(numbers.operand_batching, d)) continue;
    const int64_t n = numbers.operand.dimensions(static_cast<int>(d));
    const int64_t size = numbers.window_sizes[static_cast<size_t>(d)];
    const bool is_dropped = absl::c_linear_search(numbers.dropped, d);
    const int64_t to = is_dropped ? -1 : numbers.window_dims[window++];
    const auto mapped = absl::c_find(numbers.map, d);
    const int64_t component = mapped == numbers.map.end() ? -1 : mapped - numbers.map.begin();
    if (to >= 0 && size == n) {
      loops.push_back({IndexedLoop::Kind::kWindow, d, -1, to});
      continue;
    }
    if (size == 1 && component >= 0) {
      const int64_t parallel = numbers.vectors.ParallelDimension(component);
      if (parallel >= 0 && !is_paired[static_cast<size_t>(parallel)] &&
          numbers.vectors.indices->shape().dimensions(static_cast<int>(parallel)) == n) {
        pair(d, parallel, component);
        continue;
      }
    }
    loops.push_back({IndexedLoop::Kind::kIndexed, d, -1, size == 1 ? -1 : to, component, size});
  }
  for (size_t i = 0; i < of_indices.size(); ++i) {
    if (!is_paired[static_cast<size_t>(of_indices[i])]) {
      loops.push_back({IndexedLoop::Kind::kBatch, -1, of_indices[i], of_windows[i]});
    }
  }
  return loops;
}

int64_t PlaceIn(const IndexedLoop& loop, size_t array) {
  if (array == 0) return loop.operand;
  if (array == 1) return loop.indices;
  return loop.kind == IndexedLoop::Kind::kIndexed ? -1 : loop.windows;
}

std::optional<ShardLayout> LayoutOfArray(absl::Span<const IndexedLoop> loops,
                                         const std::vector<DimensionSharding>& shardings,
                                         size_t array, int64_t rank, int64_t partitions) {
  DimensionShardings dimensions(static_cast<size_t>(rank));
  for (size_t k = 0; k < loops.size(); ++k) {
    const int64_t d = PlaceIn(loops[k], array);
    if (d >= 0) dimensions[static_cast<size_t>(d)] = shardings[k];
  }
  return ShardLayoutFrom(dimensions, partitions);
}

// Ways to divide the loops of a gather or scatter.
class Candidates {
 public:
  Candidates(absl::Span<const IndexedLoop> loops, const HloInstruction& instruction,
             int64_t partitions)
      : loops_(loops), partitions_(partitions) {
    const auto inputs = static_cast<size_t>(instruction.operand_count()) / 2;
    const bool is_gather = instruction.opcode() == HloOpcode::kGather;
    ranks_ = {
        instruction.operand(0)->shape().rank(),
        instruction.operands()[is_gather ? 1 : inputs]->shape().rank(),
        (is_gather ? instruction.shape() : instruction.operands()[inputs + 1]->shape()).rank()};
  }

  // A layout to follow, of the operand (0), the indices (1) or what has windows (2), if it is not
  // null.
  void Follow(size_t array, const ShardLayout* layout) {
    if (layout != nullptr) given_.push_back({array, DimensionShardingsOf(*layout)});
  }

  // That follow the layouts, in all orders.
  std::vector<IndexedLayouts> Make(bool may_divide_batch) {
    std::vector<size_t> order;
    for (size_t i = 0; i < given_.size(); ++i) order.push_back(i);
    do {
      for (const bool may_choose : {true, false}) {
        Add(ShardingsBy(order, may_choose, may_divide_batch));
        if (may_divide_batch) Add(ShardingsBy(order, may_choose, false));
      }
    } while (std::next_permutation(order.begin(), order.end()));
    Add(ShardingsBy({}, false, false));
    return std::move(candidates_);
  }

 private:
  struct Given {
    size_t array;
    DimensionShardings shardings;
  };

  // Each loop as the first of the layouts that divides it.
  DimensionShardings ShardingsBy(absl::Span<const size_t> order, bool may_choose,
                                 bool may_batch) const {
    DimensionShardings shardings(loops_.size());
    for (const size_t source : order) {
      for (size_t k = 0; k < loops_.size(); ++k) {
        const int64_t d = PlaceIn(loops_[k], given_[source].array);
        if (d < 0 || shardings[k].count > 1) continue;
        const bool is_indexed = loops_[k].kind == IndexedLoop::Kind::kIndexed;
        // Windows of the first rows need no exchange, but are not worth a rule.
        if (is_indexed && (!may_choose || loops_[k].component < 0)) continue;
        if (loops_[k].kind == IndexedLoop::Kind::kBatch && !may_batch) continue;
        DimensionSharding& sharding = shardings[k];
        sharding = given_[source].shardings[static_cast<size_t>(d)];
        // Every combination of shards must be on some partition.
        if (sharding.count > 1 && !ShardLayoutFrom(shardings, partitions_).has_value()) {
          sharding = {};
        }
      }
    }
    return shardings;
  }

  void Add(DimensionShardings shardings) {
    if (absl::c_any_of(candidates_, [&](const auto& other) { return other.loops == shardings; })) {
      return;
    }
    DimensionShardings chosen, batch, rest;
    for (size_t k = 0; k < loops_.size(); ++k) {
      const IndexedLoop::Kind kind = loops_[k].kind;
      (kind == IndexedLoop::Kind::kIndexed ? chosen
       : kind == IndexedLoop::Kind::kBatch ? batch
                                           : rest)
          .push_back(shardings[k]);
    }
    DimensionShardings with_batch = rest, with_chosen = rest;
    with_batch.insert(with_batch.end(), batch.begin(), batch.end());
    with_chosen.insert(with_chosen.end(), chosen.begin(), chosen.end());
    auto choosing = PartialGroups(with_batch, chosen, partitions_);
    auto batches = PartialGroups(with_chosen, batch, partitions_);
    const auto layout_of = [&](size_t array) {
      return LayoutOfArray(loops_, shardings, array, ranks_[array], partitions_);
    };
    auto operand = layout_of(0), indices = layout_of(1), windows = layout_of(2);
    if (!choosing || !batches || !operand || !indices || !windows) return;
    candidates_.push_back({std::move(shardings), *std::move(operand), *std::move(indices),
                           *std::move(windows), *std::move(choosing), *std::move(batches)});
  }

  absl::Span<const IndexedLoop> loops_;
  int64_t partitions_;
  std::array<int64_t, 3> ranks_;  // of the operand, the indices, and what has windows
  std::vector<Given> given_;
  std::vector<IndexedLayouts> candidates_;
};

}  // namespace

std::vector<IndexedLoop> LoopsOfGather(const HloInstruction& gather) {
  const auto& numbers = gather.attributes<GatherAttributes>();
  return IndexedLoopsOf({gather.operand(0)->shape(),
                         gather.shape(),
                         {gather.operands()[1], numbers.index_vector_dim},
                         numbers.offset_dims,
                         numbers.collapsed_slice_dims,
                         numbers.start_index_map,
                         numbers.operand_batching_dims,
                         numbers.start_indices_batching_dims,
                         {numbers.slice_sizes.begin(), numbers.slice_sizes.end()}});
}

std::vector<IndexedLoop> LoopsOfScatter(const HloInstruction& scatter) {
  const auto& numbers = scatter.attributes<ScatterAttributes>();
  const auto count = static_cast<size_t>(scatter.operand_count()) / 2;
  const Shape& updates = scatter.operands()[count + 1]->shape();
  const Shape& operand = scatter.operand(0)->shape();
  std::vector<int64_t> sizes;
  size_t window = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const bool is_dropped = absl::c_linear_search(numbers.inserted_window_dims, d) ||
                            absl::c_linear_search(numbers.input_batching_dims, d);
    sizes.push_back(
        is_dropped ? 1
                   : updates.dimensions(static_cast<int>(numbers.update_window_dims[window++])));
  }
  return IndexedLoopsOf({operand,
                         updates,
                         {scatter.operands()[count], numbers.index_vector_dim},
                         numbers.update_window_dims,
                         numbers.inserted_window_dims,
                         numbers.scatter_dims_to_operand_dims,
                         numbers.input_batching_dims,
                         numbers.scatter_indices_batching_dims,
                         std::move(sizes)});
}

bool HasPositions(const IndexedLoop& loop, const DimensionSharding& sharding) {
  return sharding.count > 1 && loop.operand >= 0 && loop.kind != IndexedLoop::Kind::kWindow &&
         (loop.kind != IndexedLoop::Kind::kParallel || loop.component >= 0);
}

std::vector<IndexedLayouts> IndexedCandidates(
    absl::Span<const IndexedLoop> loops, const ShardLayout* operand, const ShardLayout* indices,
    const ShardLayout* windows, const ShardLayout* result_of_scatter,
    const HloInstruction& instruction, bool may_divide_batch, int64_t partitions) {
  Candidates candidates(loops, instruction, partitions);
  candidates.Follow(0, operand);
  candidates.Follow(1, indices);
  candidates.Follow(2, windows);
  candidates.Follow(0, result_of_scatter);
  return candidates.Make(may_divide_batch);
}

}  // namespace xla::spmd

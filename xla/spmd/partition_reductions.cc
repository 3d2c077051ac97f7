// SPDX-License-Identifier: Apache-2.0
// Reductions of several operands and cumulative ones, along dimensions that are divided: of each
// shard first, then of what the shards give.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/reduction_start.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// The dimension along which a reduce-window is a cumulative reduction.
struct Cumulation {
  int64_t dimension;
  bool is_reverse;
};

std::optional<Cumulation> CumulationOf(const HloInstruction& reduce_window) {
  const WindowDims& window = reduce_window.attributes<WindowAttributes>().window;
  std::optional<Cumulation> cumulation;
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d] == WindowDim()) continue;
    const int64_t size = reduce_window.operand(0)->shape().dimensions(static_cast<int>(d));
    WindowDim forward{.size = size, .padding_low = size - 1};
    WindowDim reverse{.size = size, .padding_high = size - 1};
    if (cumulation.has_value() || (window[d] != forward && window[d] != reverse)) {
      return std::nullopt;
    }
    cumulation = Cumulation{static_cast<int64_t>(d), window[d] == reverse};
  }
  return cumulation;
}

// Whether results of shards may be reduced once more. Sums and products count the initial value
// again then; other functions are taken to begin with what changes nothing.
bool MayCombineResults(const HloInstruction& reduce) {
  for (size_t i = 0; i < static_cast<size_t>(reduce.operand_count()) / 2; ++i) {
    if (OperationOf(reduce, i).has_value() && !MayRepeatStart(reduce, i)) return false;
  }
  return true;
}

}  // namespace

bool Partitioner::PartitionCumulative(HloInstruction* reduce_window) {
  if (reduce_window->operand_count() != 2) return false;
  const Source source = SourceOf(reduce_window->mutable_operand(0));
  const auto cumulation = CumulationOf(*reduce_window);
  if (source.shard == nullptr || !cumulation.has_value()) {
    return false;
  }
  const int64_t d = cumulation->dimension;
  const auto dim = static_cast<size_t>(d);
  const int64_t count = source.layout.counts[dim];
  const auto operation = OperationOf(*reduce_window, 0);
  HloInstruction* initial = reduce_window->mutable_operand(1);
  if (count == 1 || !MayRepeatStart(*reduce_window, 0)) return false;
  HloComputation* computation = reduce_window->parent();
  const Shape shape = source.shard->shape();
  const int64_t rows = shape.dimensions(static_cast<int>(d));
  HloInstruction* given =
      FillPadding(source.shard, reduce_window->shape(), source.layout, {d}, initial);
  HloInstruction* local =
      computation->AddInstruction(reduce_window->CloneWithNewOperands(shape, {given, initial}));
  WindowDim& window = local->mutable_attributes<WindowAttributes>()->window[dim];
  window.size = rows;
  (cumulation->is_reverse ? window.padding_high : window.padding_low) = rows - 1;
  // The totals of all shards, of which those before this one count.
  SliceAttributes last;
  for (const int64_t size : shape.dimensions()) last.slice.push_back({0, size, 1});
  last.slice[dim] = cumulation->is_reverse ? SliceDim{0, 1, 1} : SliceDim{rows - 1, rows, 1};
  Shape row = shape;
  row.set_dimensions(static_cast<int>(d), 1);
  HloInstruction* total = Add(computation, HloOpcode::kSlice, row, {local}, std::move(last));
  HloInstruction* totals = emit_.GatherAlong(total, d, source.layout.GroupsAlong({d}));
  std::vector<int64_t> starts;  // by position
  for (int64_t q = 0; q < count; ++q) {
    starts.push_back(cumulation->is_reverse ? -q - 1 : count - q);
  }
  HloInstruction* start = ValueAtPosition(computation, source.layout, dim, starts);
  totals = emit_.Masked(totals, emit_.ValidRows(totals->shape(), d, start, count), initial);
  Shape reduced = ShapeUtil::DeleteDimension(d, row);
  HloInstruction* before = computation->AddInstruction(
      HloInstruction::Create(HloOpcode::kReduce, reduced, {totals, initial}, Dimensions({d}),
                             {reduce_window->to_apply()}));
  std::vector<int64_t> kept;
  for (int64_t e = 0; e < shape.rank(); ++e) {
    if (e != d) kept.push_back(e);
  }
  HloInstruction* all =
      Add(computation, HloOpcode::kBroadcast, shape, {before}, Dimensions(std::move(kept)));
  SetShard(reduce_window, Add(computation, *operation, shape, {all, local}), source.layout);
  return true;
}

absl::StatusOr<bool> Partitioner::PartitionVariadicReduce(HloInstruction* reduce) {
  if (!reduce->shape().IsTuple()) return false;
  const auto inputs = static_cast<size_t>(reduce->operand_count()) / 2;
  const auto& dimensions = reduce->attributes<DimensionListAttributes>().dimensions;
  Source leading;
  for (size_t i = 0; i < inputs && leading.shard == nullptr; ++i) {
    leading = SourceOf(reduce->mutable_operand(static_cast<int64_t>(i)));
  }
  if (leading.shard == nullptr) return false;
  HloComputation* computation = reduce->parent();
  Instructions operands;
  for (size_t i = 0; i < 2 * inputs; ++i) {
    HloInstruction* operand = reduce->mutable_operand(static_cast<int64_t>(i));
    if (i < inputs) {
      XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, leading.layout));
      operand = WithoutPaddingFor(*reduce, i, operand, leading.layout);
    }
    operands.push_back(operand);
  }
  const DimensionShardings given = DimensionShardingsOf(leading.layout);
  DimensionShardings kept;
  std::vector<int64_t> reduced;
  for (size_t d = 0; d < given.size(); ++d) {
    if (!absl::c_linear_search(dimensions, static_cast<int64_t>(d))) {
      kept.push_back(given[d]);
    } else if (given[d].count > 1) {
      reduced.push_back(static_cast<int64_t>(d));
    }
  }
  if (!reduced.empty() && !MayCombineResults(*reduce)) return false;
  const std::optional<ShardLayout> layout = ShardLayoutFrom(kept, partitions_);
  if (!layout.has_value()) return false;
  std::vector<Shape> shapes;
  for (const Shape& element : reduce->shape().tuple_shapes()) {
    XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(element, *layout));
    shapes.push_back(std::move(shard));
  }
  const Shape tuple = ShapeUtil::MakeTupleShape(shapes);
  HloInstruction* shard =
      computation->AddInstruction(reduce->CloneWithNewOperands(tuple, operands));
  if (!reduced.empty()) {
    const auto groups = leading.layout.GroupsAlong(reduced);
    for (size_t i = 0; i < inputs; ++i) {
      std::vector<int64_t> row(shapes[i].dimensions().begin(), shapes[i].dimensions().end());
      row.insert(row.begin(), 1);
      operands[i] =
          emit_.GatherAlong(Reshape(Element(shard, static_cast<int64_t>(i)), row), 0, groups);
    }
    shard = computation->AddInstruction(HloInstruction::Create(
        HloOpcode::kReduce, tuple, operands, Dimensions({0}), {reduce->to_apply()}));
  }
  sharded_tuples_[reduce] = ShardedTuple{shard, std::vector<ShardLayout>(inputs, *layout)};
  return true;
}

}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
// Scatters on shards: each partition works on the updates that fall into its shard of the operands,
// or on some of the updates, whose results are combined.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/index_arithmetic.h"
#include "xla/spmd/indexed_loops.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"

namespace xla::spmd {
namespace {

using Instructions = std::vector<HloInstruction*>;

// How an element is combined with its update: a sum of the two parameters, or another reduction.
std::optional<UnreducedKind> CombinationOf(const HloInstruction& result, int64_t number,
                                           int64_t count) {
  if (result.operand_count() != 2) return std::nullopt;
  for (const int64_t i : {0, 1}) {
    const HloInstruction& operand = *result.operand(i);
    const HloInstruction& other = *result.operand(1 - i);
    if (operand.opcode() != HloOpcode::kParameter || operand.parameter_number() != number ||
        other.opcode() != HloOpcode::kParameter || other.parameter_number() != number + count) {
      continue;
    }
    const PrimitiveType type = result.shape().element_type();
    const std::optional<UnreducedKind> kind = ReductionOf(result);
    // Sums of booleans are none of bits.
    const bool is_none =
        primitive_util::IsComplexType(type) || (kind == UnreducedKind::kSum && type == PRED);
    return is_none ? std::nullopt : kind;
  }
  return std::nullopt;
}

// How updates are combined with what they fall on, if their order does not matter.
std::optional<UnreducedKind> CombinationOf(const HloInstruction& scatter) {
  const int64_t count = scatter.operand_count() / 2;
  const HloInstruction& root = *scatter.to_apply()->root_instruction();
  if (root.opcode() == HloOpcode::kTuple && root.operand_count() != count) return std::nullopt;
  std::optional<UnreducedKind> all;
  for (int64_t i = 0; i < count; ++i) {
    const HloInstruction& result = root.opcode() == HloOpcode::kTuple ? *root.operand(i) : root;
    const std::optional<UnreducedKind> kind = CombinationOf(result, i, count);
    if (!kind.has_value() || (all.has_value() && *kind != *all)) return std::nullopt;
    all = kind;
  }
  return all;
}

// The largest number of the type, which is no position of an array.
HloInstruction* Outside(HloComputation* computation, PrimitiveType type) {
  return computation->AddInstruction(HloInstruction::CreateConstant(LiteralUtil::MaxValue(type)));
}

// A scatter into shards, loop after loop.
struct LocalScatter {
  size_t count;           // of operands
  Instructions operands;  // then indices, then updates
  IndexVectors vectors;
  std::vector<std::pair<int64_t, int64_t>> padded;  // dimensions of the operands, rows
};

// Counts positions in the dimension of a loop, of size `n`, from where the shard begins. Updates
// outside of the array are dropped: so are those outside of the shard.
void DivideLoop(const IndexedLoop& loop, int64_t n, int64_t size, const ShardLayout& layout,
                LocalScatter& scatter) {
  IndexVectors& vectors = scatter.vectors;
  vectors.indices = As(vectors.indices, PrimitiveType::S64);  // -1 is none of unsigned ones
  HloInstruction* component = Clamped(vectors.Component(loop.component), -1, n);
  HloComputation* computation = component->parent();
  HloInstruction* local =
      Binary(HloOpcode::kSubtract, component,
             Spread(ShardStart(computation, layout, static_cast<size_t>(loop.operand), size),
                    component->shape()));
  if (loop.size > 1) {
    // Windows may lie in several shards. Those that leave the array are dropped as a whole.
    const auto spread = [&](int64_t value) {
      return Spread(ScalarS32(computation, value), component->shape());
    };
    local = Add(computation, HloOpcode::kSelect, local->shape(),
                {Within(component, n - loop.size + 1),
                 Binary(HloOpcode::kAdd, local, spread(loop.size)), spread(-1)});
    scatter.padded.emplace_back(loop.operand, loop.size);
    for (size_t i = 0; i < scatter.count; ++i) {
      scatter.operands[i] = Padded(scatter.operands[i], loop.operand, loop.size);
    }
  }
  vectors.indices = vectors.WithComponent(loop.component, As(local, PrimitiveType::S64));
}

// A tuple, or the one value.
Shape ShapeOfResults(const Instructions& results, bool is_tuple) {
  if (!is_tuple) return results[0]->shape();
  std::vector<Shape> shapes;
  for (const HloInstruction* result : results) shapes.push_back(result->shape());
  return ShapeUtil::MakeTupleShape(shapes);
}

}  // namespace

int64_t Partitioner::CostOfScatter(const HloInstruction& scatter, const IndexedLayouts& layouts,
                                   absl::Span<const Source> sources,
                                   const std::optional<ShardLayout>& wanted) const {
  const size_t count = sources.size() / 2;
  int64_t cost = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].shard == nullptr) continue;
    const ShardLayout& layout = i < count    ? layouts.operand
                                : i == count ? layouts.indices
                                             : layouts.windows;
    cost += emit_.ReshardBytes(scatter.operands()[i]->shape(), sources[i].layout, layout);
  }
  const HloInstruction& first = *scatter.operand(0);
  if (!layouts.batches.empty()) {
    const int64_t group = layouts.batches.group_size();
    const int64_t once = static_cast<int64_t>(count) *
                         BytesOfShard(first.shape(), layouts.operand) / group * (group - 1);
    ShardLayout parts = layouts.operand;
    parts.partial_groups = layouts.batches;
    if (count == 1 && wanted.has_value() && emit_.CanReduceScatter(first.shape(), parts, *wanted)) {
      return cost + once;
    }
    cost += 2 * once;
  }
  if (!wanted.has_value()) return cost;
  return cost +
         static_cast<int64_t>(count) * emit_.ReshardBytes(first.shape(), layouts.operand, *wanted);
}

absl::StatusOr<bool> Partitioner::PartitionScatter(HloInstruction* scatter) {
  const auto count = static_cast<size_t>(scatter->operand_count()) / 2;
  std::vector<Source> sources;
  bool is_known = false;
  for (HloInstruction* operand : scatter->operands()) {
    sources.push_back(SourceOf(operand));
    is_known = is_known || sources.back().shard != nullptr;
  }
  const std::optional<ShardLayout> wanted = WantedLayout(
      scatter->shape().IsTuple() && !scatter->users().empty() ? *scatter->users()[0] : *scatter);
  if (!is_known && !wanted.has_value()) return false;
  const std::vector<IndexedLoop> loops = LoopsOfScatter(*scatter);
  const Shape& full = scatter->operand(0)->shape();
  const HloInstruction& indices = *scatter->operands()[count];
  for (const IndexedLoop& loop : loops) {
    if (loop.operand < 0 || loop.component < 0) continue;
    const int64_t n = full.dimensions(static_cast<int>(loop.operand));
    if (!Holds(indices.shape().element_type(), n) || n + 2 * loop.size > INT32_MAX) return false;
  }
  const auto first_of = [&](size_t begin, size_t end) -> const ShardLayout* {
    for (size_t i = begin; i < end; ++i) {
      if (sources[i].shard != nullptr) return &sources[i].layout;
    }
    return nullptr;
  };
  const std::vector<IndexedLayouts> candidates = IndexedCandidates(
      loops, first_of(0, count), first_of(count, count + 1), first_of(count + 1, 2 * count + 1),
      wanted.has_value() ? &*wanted : nullptr, *scatter,
      /*may_divide_batch=*/CombinationOf(*scatter).has_value(), partitions_);
  const IndexedLayouts* best = nullptr;
  int64_t least = INT64_MAX;
  for (const IndexedLayouts& candidate : candidates) {
    const int64_t cost = CostOfScatter(*scatter, candidate, sources, wanted);
    if (cost >= least) continue;
    least = cost;
    best = &candidate;
  }
  const bool is_divided = absl::c_any_of(best->loops, [](const auto& s) { return s.count > 1; });
  if (!is_divided) return true;  // all partitions compute all of it
  XLA_RETURN_IF_ERROR(ScatterOnShards(scatter, loops, *best));
  return true;
}

absl::StatusOr<Instructions> Partitioner::ShardsToScatter(const HloInstruction& scatter,
                                                          const IndexedLayouts& layouts,
                                                          const ShardLayout& parts) {
  const auto count = static_cast<size_t>(scatter.operand_count()) / 2;
  Instructions shards;
  for (size_t i = 0; i < 2 * count + 1; ++i) {
    const ShardLayout& layout = i < count    ? layouts.operand
                                : i == count ? layouts.indices
                                             : layouts.windows;
    XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(scatter.operands()[i], layout));
    // Where results are combined, one partition has the operand.
    if (i < count && !layouts.batches.empty()) shard = emit_.KeepFirst(shard, parts);
    shards.push_back(shard);
  }
  return shards;
}

absl::Status Partitioner::ScatterOnShards(HloInstruction* scatter,
                                          absl::Span<const IndexedLoop> loops,
                                          const IndexedLayouts& layouts) {
  HloComputation* computation = scatter->parent();
  const bool is_tuple = scatter->shape().IsTuple();
  ShardLayout parts = layouts.operand;
  parts.partial_groups = layouts.batches;
  if (!layouts.batches.empty()) parts.reduction = *CombinationOf(*scatter);
  XLA_ASSIGN_OR_RETURN(const Instructions given, ShardsToScatter(*scatter, layouts, parts));
  const auto count = given.size() / 2;
  const auto& numbers = scatter->attributes<ScatterAttributes>();
  LocalScatter local{count, given, {given[count], numbers.index_vector_dim}, {}};
  const Shape& indices = scatter->operands()[count]->shape();
  // Padding of the batch falls outside of the operands.
  local.vectors.indices =
      FillPadding(local.vectors.indices, indices, layouts.indices, local.vectors.BatchDimensions(),
                  Outside(computation, indices.element_type()));
  bool is_changed = !IsEven(indices, layouts.indices);
  for (size_t k = 0; k < loops.size(); ++k) {
    if (!HasPositions(loops[k], layouts.loops[k])) continue;
    if (loops[k].component < 0) {
      return absl::InternalError("a scatter along a dimension without an index");
    }
    const int dim = static_cast<int>(loops[k].operand);
    DivideLoop(loops[k], scatter->operand(0)->shape().dimensions(dim),
               given[0]->shape().dimensions(dim), layouts.operand, local);
    is_changed = true;
  }
  local.operands[count] = local.vectors.indices;
  const Instructions inputs(local.operands.begin(),
                            local.operands.begin() + static_cast<ptrdiff_t>(count));
  HloInstruction* scattered = computation->AddInstruction(
      scatter->CloneWithNewOperands(ShapeOfResults(inputs, is_tuple), local.operands));
  if (is_changed) scattered->mutable_attributes<ScatterAttributes>()->indices_are_sorted = false;
  Instructions results;
  for (size_t i = 0; i < count; ++i) {
    HloInstruction* result = is_tuple ? Element(scattered, static_cast<int64_t>(i)) : scattered;
    for (const auto& [d, rows] : local.padded) {
      result = RowsOf(result, d, rows, given[i]->shape().dimensions(static_cast<int>(d)));
    }
    if (!layouts.batches.empty()) result = CombineScattered(scatter, result, parts);
    results.push_back(result);
  }
  if (!is_tuple) return SetResult(scatter, results[0], layouts.operand);
  sharded_tuples_[scatter] =
      ShardedTuple{Add(computation, HloOpcode::kTuple, ShapeOfResults(results, true), results),
                   std::vector<ShardLayout>(count, layouts.operand)};
  return absl::OkStatus();
}

HloInstruction* Partitioner::CombineScattered(const HloInstruction* scatter, HloInstruction* part,
                                              const ShardLayout& parts) {
  HloInstruction* result = emit_.Combine(
      part, parts.partial_groups, emit_.Combiner(part->shape().element_type(), parts.reduction));
  if (!scatter->shape().IsTuple()) {
    partials_.insert_or_assign(scatter, Made{part, parts});
    partials_.insert_or_assign(result, Made{part, parts});
  }
  return result;
}

}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
// Rules for operations on shards, as relations between the dimensions of operands and results.
#include "xla/spmd/sharding_strategy.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/spmd/batch_rules.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/dot_strategies.h"
#include "xla/spmd/factor_strategies.h"
#include "xla/spmd/reduction_start.h"
#include "xla/spmd/reshape_rules.h"

namespace xla::spmd {
namespace {

size_t FirstKnown(absl::Span<const ShardLayout* const> known) {
  size_t i = 0;
  while (i < known.size() && known[i] == nullptr) ++i;
  return i;
}

// --- The rules. `operands` of the strategy are filled, with as many as there are.

std::optional<ShardingStrategy> ElementwiseStrategy(const HloInstruction& instruction,
                                                    absl::Span<const ShardLayout* const> known) {
  ShardingStrategy strategy;
  strategy.result = *known[FirstKnown(known)];
  for (const HloInstruction* operand : instruction.operands()) {
    const bool is_scalar = operand->shape().rank() == 0;
    strategy.operands.push_back(is_scalar ? std::nullopt
                                          : std::optional<ShardLayout>(strategy.result));
  }
  return strategy;
}

// Dimension i of the result is dimension `source[i]` of the operand, or new if that is -1.
std::optional<ShardingStrategy> MovingStrategy(const ShardLayout& operand,
                                               absl::Span<const int64_t> source,
                                               int64_t partitions) {
  const DimensionShardings from = DimensionShardingsOf(operand);
  DimensionShardings to;
  for (const int64_t d : source)
    to.push_back(d < 0 ? DimensionSharding() : from[static_cast<size_t>(d)]);
  std::optional<ShardLayout> result = ShardLayoutFrom(to, partitions);
  if (!result.has_value()) return std::nullopt;
  return ShardingStrategy{{operand}, *std::move(result), {}};
}

std::optional<ShardingStrategy> BroadcastStrategy(const HloInstruction& instruction,
                                                  const ShardLayout& operand, int64_t partitions) {
  std::vector<int64_t> source(static_cast<size_t>(instruction.shape().rank()), -1);
  const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    source[static_cast<size_t>(dimensions[i])] = static_cast<int64_t>(i);
  }
  return MovingStrategy(operand, source, partitions);
}

std::optional<ShardingStrategy> ReshapeStrategy(const HloInstruction& instruction,
                                                const ShardLayout& operand, int64_t partitions) {
  auto plan =
      PlanReshape(instruction.operand(0)->shape(), instruction.shape(), operand, partitions);
  if (!plan.has_value() || plan->from != operand) return std::nullopt;
  return ShardingStrategy{{std::move(plan->from)}, std::move(plan->to), {}};
}

// The shards of divided dimensions change places, too: the operand's are those of the result,
// counted from the end.
std::optional<ShardingStrategy> ReverseStrategy(const HloInstruction& instruction,
                                                const ShardLayout& result) {
  const auto& reversed = instruction.attributes<DimensionListAttributes>().dimensions;
  return ShardingStrategy{{ReversedLayout(result, reversed)}, result, {}};
}

std::optional<ShardingStrategy> ReduceStrategy(const HloInstruction& instruction,
                                               const ShardLayout& operand, int64_t partitions) {
  if (instruction.operand_count() != 2) return std::nullopt;
  const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
  const DimensionShardings from = DimensionShardingsOf(operand);
  DimensionShardings kept, reduced;
  for (size_t d = 0; d < from.size(); ++d) {
    const bool is_reduced = absl::c_linear_search(dimensions, static_cast<int64_t>(d));
    (is_reduced ? reduced : kept).push_back(from[d]);
  }
  auto partial = PartialGroups(kept, reduced, partitions);
  std::optional<ShardLayout> result = ShardLayoutFrom(kept, partitions);
  if (!partial.has_value() || !result.has_value()) return std::nullopt;
  if (!partial->empty() && !MayCombineParts(instruction)) return std::nullopt;
  return ShardingStrategy{{operand, std::nullopt}, *std::move(result), *std::move(partial)};
}

// The layout with the axes of one dimension at another, behind those that it has. None if that has
// fewer elements.
std::optional<ShardLayout> WithMovedDimension(const ShardLayout& layout, const Shape& shape,
                                              size_t from, size_t to, int64_t partitions) {
  DimensionShardings shardings = DimensionShardingsOf(layout);
  if (from == to || shardings[from].count == 1) return std::nullopt;
  DimensionSharding& target = shardings[to];
  const DimensionSharding moved = std::exchange(shardings[from], {});
  const auto joined = JoinedSharding(target, moved);
  if (!joined.has_value()) return std::nullopt;
  target = *joined;
  if (shape.dimensions(static_cast<int>(to)) < target.count) return std::nullopt;
  return ShardLayoutFrom(shardings, partitions);
}

// Whether dimensions that the operation mixes are better undivided than gathered.
bool MovesDimensions(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kPad:
    case HloOpcode::kSlice:
    case HloOpcode::kSort:
    case HloOpcode::kFft:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kCustomCall:
    case HloOpcode::kTopK:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      return true;
    default:
      return false;
  }
}

std::optional<ShardingStrategy> StrategyOf(const HloInstruction& instruction,
                                           absl::Span<const ShardLayout* const> known,
                                           int64_t partitions) {
  const size_t first = FirstKnown(known);
  if (first == known.size()) return std::nullopt;
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
      return DotStrategy(instruction, known, partitions);
    case HloOpcode::kTranspose:
      return MovingStrategy(*known[0], instruction.attributes<DimensionListAttributes>().dimensions,
                            partitions);
    case HloOpcode::kBroadcast:
      return BroadcastStrategy(instruction, *known[0], partitions);
    case HloOpcode::kReshape:
      return ReshapeStrategy(instruction, *known[0], partitions);
    case HloOpcode::kReverse:
      return ReverseStrategy(instruction, *known[0]);
    case HloOpcode::kMap:
      return ElementwiseStrategy(instruction, known);
    case HloOpcode::kReduce:
      return first == 0 ? ReduceStrategy(instruction, *known[0], partitions) : std::nullopt;
    default:
      if (instruction.info().Has(op_traits::kElementwiseTrait)) {
        return ElementwiseStrategy(instruction, known);
      }
      return BatchStrategy(instruction, known, partitions);
  }
}

}  // namespace

namespace {

// Whether the strategy works on shards that end in padding, if it has such.
bool AllowsPadding(const HloInstruction& instruction, const ShardingStrategy& strategy) {
  const auto divides = [](const ShardLayout& layout, const Shape& shape, int64_t d) {
    return shape.dimensions(static_cast<int>(d)) % layout.counts[static_cast<size_t>(d)] == 0;
  };
  switch (instruction.opcode()) {
    case HloOpcode::kReverse:
      return absl::c_all_of(
          instruction.attributes<DimensionListAttributes>().dimensions,
          [&](int64_t d) { return divides(strategy.result, instruction.shape(), d); });
    default:
      return true;
  }
}

}  // namespace

namespace {

// The operand is divided as the result is wanted, along the dimensions that it has.
void AddMovedStrategy(const HloInstruction& instruction, const ShardLayout& wanted,
                      int64_t partitions, std::vector<ShardingStrategy>& strategies) {
  const auto& dimensions = instruction.attributes<DimensionListAttributes>().dimensions;
  const bool is_transpose = instruction.opcode() == HloOpcode::kTranspose;
  const DimensionShardings of_result = DimensionShardingsOf(wanted);
  DimensionShardings of_operand(dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto d = static_cast<size_t>(dimensions[i]);
    of_operand[is_transpose ? d : i] = of_result[is_transpose ? i : d];
  }
  auto operand = ShardLayoutFrom(of_operand, partitions);
  if (!operand.has_value()) return;
  const bool is_whole = operand->IsUndivided();
  strategies.push_back(
      {{is_whole ? std::nullopt : std::optional(*std::move(operand))}, wanted, {}});
}

// As the operand is divided where that leaves contiguous chunks, and as the result is wanted.
void AddReshapeStrategies(const HloInstruction& reshape, const ShardLayout* known,
                          const ShardLayout* wanted, int64_t partitions,
                          std::vector<ShardingStrategy>& strategies) {
  const Shape& from = reshape.operand(0)->shape();
  if (known != nullptr) {
    auto plan = PlanReshape(from, reshape.shape(), *known, partitions);
    if (plan.has_value() && !plan->from.IsUndivided()) {
      strategies.push_back({{std::move(plan->from)}, std::move(plan->to), {}});
    }
  }
  if (wanted != nullptr) {
    auto plan = PlanReshape(reshape.shape(), from, *wanted, partitions);
    if (plan.has_value() && !plan->from.IsUndivided()) {
      strategies.push_back({{std::move(plan->to)}, std::move(plan->from), {}});
    }
  }
}

}  // namespace

std::vector<ShardingStrategy> ShardingStrategies(const HloInstruction& instruction,
                                                 absl::Span<const ShardLayout* const> known,
                                                 const ShardLayout* wanted, int64_t partitions) {
  std::vector<ShardingStrategy> strategies;
  const auto add = [&](absl::Span<const ShardLayout* const> layouts) {
    if (auto strategy = FindShardingStrategy(instruction, layouts, partitions)) {
      strategies.push_back(*std::move(strategy));
    }
  };
  add(known);
  const auto with_only = [&](size_t operand, const ShardLayout* layout) {
    std::vector<const ShardLayout*> layouts(known.size(), nullptr);
    layouts[operand] = layout;
    add(layouts);
  };
  size_t count = 0;
  for (const ShardLayout* layout : known) count += layout != nullptr ? 1 : 0;
  for (size_t i = 0; i < known.size() && count > 1; ++i) {
    if (known[i] != nullptr) with_only(i, known[i]);
  }
  for (size_t i = 0; i < known.size() && wanted != nullptr; ++i) {
    if (ShapeUtil::SameDimensions(instruction.operand(static_cast<int64_t>(i))->shape(),
                                  instruction.shape())) {
      with_only(i, wanted);
      break;
    }
  }
  if (instruction.opcode() == HloOpcode::kDot) {
    for (ShardingStrategy& strategy : DotStrategies(instruction, known, wanted, partitions)) {
      strategies.push_back(std::move(strategy));
    }
  }
  if (instruction.opcode() == HloOpcode::kReshape) {
    AddReshapeStrategies(instruction, known[0], wanted, partitions, strategies);
  }
  if (wanted != nullptr && (instruction.opcode() == HloOpcode::kBroadcast ||
                            instruction.opcode() == HloOpcode::kTranspose)) {
    AddMovedStrategy(instruction, *wanted, partitions, strategies);
  }
  const bool is_found = !strategies.empty();
  for (ShardingStrategy& strategy : FactorStrategies(instruction, known, wanted, partitions)) {
    strategies.push_back(std::move(strategy));
  }
  if (known.empty() || known[0] == nullptr) return strategies;
  if (is_found && !MovesDimensions(instruction)) return strategies;
  const Shape& first = instruction.operand(0)->shape();
  for (size_t from = 0; from < known[0]->counts.size(); ++from) {
    for (size_t to = 0; to < known[0]->counts.size(); ++to) {
      const auto moved = WithMovedDimension(*known[0], first, from, to, partitions);
      if (moved.has_value()) with_only(0, &*moved);
    }
  }
  return strategies;
}

std::optional<ShardingStrategy> FindShardingStrategy(const HloInstruction& instruction,
                                                     absl::Span<const ShardLayout* const> known,
                                                     int64_t partitions) {
  std::optional<ShardingStrategy> strategy = StrategyOf(instruction, known, partitions);
  if (!strategy.has_value()) return std::nullopt;
  if (!AllowsPadding(instruction, *strategy)) return std::nullopt;
  return strategy;
}

absl::StatusOr<HloSharding> ToHloSharding(const ShardLayout& layout) {
  if (layout.IsUndivided()) return HloSharding::Replicate();
  ShardLayout complete = layout;
  complete.partial_groups.clear();
  return HloSharding::V3ToV2Sharding(ToNamedSharding(complete));
}

}  // namespace xla::spmd

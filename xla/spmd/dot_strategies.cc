// SPDX-License-Identifier: Apache-2.0
// Matrix products on shards.
#include "xla/spmd/dot_strategies.h"

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/spmd/dimension_sharding.h"

namespace xla::spmd {
namespace {

struct DotSide {
  absl::Span<const int64_t> batch, contracting;
  std::vector<int64_t> free;
};

DotSide SideOf(absl::Span<const int64_t> batch, absl::Span<const int64_t> contracting, int rank) {
  DotSide side{batch, contracting, {}};
  for (int64_t d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(batch, d) && !absl::c_linear_search(contracting, d)) {
      side.free.push_back(d);
    }
  }
  return side;
}

bool AreUndivided(const DimensionShardings& shardings, absl::Span<const int64_t> dimensions) {
  return absl::c_all_of(dimensions,
                        [&](int64_t d) { return shardings[static_cast<size_t>(d)].count == 1; });
}

// The product of operands whose dimensions are divided so. None if that cannot be.
std::optional<ShardingStrategy> DotStrategyOf(const DotSide (&sides)[2],
                                              const DimensionShardings* const (&of)[2],
                                              int64_t partitions) {
  DimensionShardings result, reduced;
  for (const int64_t d : sides[0].batch) result.push_back((*of[0])[static_cast<size_t>(d)]);
  for (size_t s = 0; s < 2; ++s) {
    for (const int64_t d : sides[s].free) result.push_back((*of[s])[static_cast<size_t>(d)]);
  }
  for (const int64_t d : sides[0].contracting) {
    reduced.push_back((*of[0])[static_cast<size_t>(d)]);
  }
  DimensionShardings all = result;
  all.insert(all.end(), reduced.begin(), reduced.end());
  // Every combination of shards must be on some partition.
  if (!ShardLayoutFrom(all, partitions).has_value()) return std::nullopt;
  const std::optional<ShardLayout> lhs = ShardLayoutFrom(*of[0], partitions);
  const std::optional<ShardLayout> rhs = ShardLayoutFrom(*of[1], partitions);
  const std::optional<ShardLayout> layout = ShardLayoutFrom(result, partitions);
  auto partial = PartialGroups(result, reduced, partitions);
  if (!lhs || !rhs || !layout || !partial) return std::nullopt;
  return ShardingStrategy{{lhs, rhs}, *layout, *std::move(partial)};
}

DimensionShardings JoinedLists(std::initializer_list<const DimensionShardings*> lists) {
  DimensionShardings all;
  for (const DimensionShardings* list : lists) all.insert(all.end(), list->begin(), list->end());
  return all;
}

// Products whose dimensions are divided as an operand, the result that is wanted, or not at all.
class DotChoices {
 public:
  DotChoices(const HloInstruction& dot, absl::Span<const ShardLayout* const> known,
             const ShardLayout* wanted, int64_t partitions)
      : partitions_(partitions) {
    const auto& numbers = dot.attributes<DotAttributes>();
    const auto sharding_of = [&](const ShardLayout* layout, const Shape& shape) {
      return layout != nullptr ? DimensionShardingsOf(*layout)
                               : DimensionShardings(static_cast<size_t>(shape.rank()));
    };
    sides_[0] = SideOf(numbers.lhs_batch_dims, numbers.lhs_contracting_dims,
                       static_cast<int>(dot.operand(0)->shape().rank()));
    sides_[1] = SideOf(numbers.rhs_batch_dims, numbers.rhs_contracting_dims,
                       static_cast<int>(dot.operand(1)->shape().rank()));
    given_[0] = sharding_of(known[0], dot.operand(0)->shape());
    given_[1] = sharding_of(known[1], dot.operand(1)->shape());
    given_[2] = sharding_of(wanted, dot.shape());
  }

  std::vector<ShardingStrategy> Strategies() const {
    std::vector<ShardingStrategy> strategies;
    using Choices = std::vector<DimensionShardings>;
    const size_t batch = sides_[0].batch.size(), left = sides_[0].free.size(),
                 right = sides_[1].free.size(), contracted = sides_[0].contracting.size();
    const Choices batches =
        Distinct({Pick(0, sides_[0].batch), Pick(1, sides_[1].batch), OfResult(0, batch)});
    const Choices lefts =
        Distinct({Pick(0, sides_[0].free), OfResult(batch, left), DimensionShardings(left)});
    const Choices rights = Distinct(
        {Pick(1, sides_[1].free), OfResult(batch + left, right), DimensionShardings(right)});
    const Choices sums = Distinct({DimensionShardings(contracted), Pick(0, sides_[0].contracting),
                                   Pick(1, sides_[1].contracting)});
    for (const DimensionShardings& b : batches) {
      for (const DimensionShardings& l : lefts) {
        for (const DimensionShardings& r : rights) {
          for (const DimensionShardings& c : sums) {
            if (auto strategy = StrategyFor(b, l, r, c)) {
              strategies.push_back(*std::move(strategy));
            }
          }
        }
      }
    }
    return strategies;
  }

 private:
  static std::vector<DimensionShardings> Distinct(std::vector<DimensionShardings> choices) {
    std::vector<DimensionShardings> kept;
    for (DimensionShardings& choice : choices) {
      if (!absl::c_linear_search(kept, choice)) kept.push_back(std::move(choice));
    }
    return kept;
  }

  // As an operand divides these.
  DimensionShardings Pick(size_t side, absl::Span<const int64_t> dims) const {
    DimensionShardings picked;
    for (const int64_t d : dims) picked.push_back(given_[side][static_cast<size_t>(d)]);
    return picked;
  }
  // As the result is wanted in `count` dimensions from `first` on.
  DimensionShardings OfResult(size_t first, size_t count) const {
    const auto begin = given_[2].begin() + static_cast<int64_t>(first);
    return {begin, begin + static_cast<int64_t>(count)};
  }

  std::optional<ShardLayout> LayoutOfSide(size_t side, const DimensionShardings& batch,
                                          const DimensionShardings& free,
                                          const DimensionShardings& contracted) const {
    DimensionShardings dims(given_[side].size());
    const auto put = [&](absl::Span<const int64_t> places, const DimensionShardings& values) {
      for (size_t i = 0; i < places.size(); ++i) dims[static_cast<size_t>(places[i])] = values[i];
    };
    put(sides_[side].batch, batch);
    put(sides_[side].free, free);
    put(sides_[side].contracting, contracted);
    return ShardLayoutFrom(dims, partitions_);
  }

  // None if that divides nothing, or cannot be.
  std::optional<ShardingStrategy> StrategyFor(const DimensionShardings& batch,
                                              const DimensionShardings& left,
                                              const DimensionShardings& right,
                                              const DimensionShardings& contracted) const {
    // Every combination of shards must be on some partition.
    const DimensionShardings all = JoinedLists({&batch, &left, &right, &contracted});
    if (!ShardLayoutFrom(all, partitions_).has_value()) return std::nullopt;
    const DimensionShardings result = JoinedLists({&batch, &left, &right});
    const auto lhs = LayoutOfSide(0, batch, left, contracted);
    const auto rhs = LayoutOfSide(1, batch, right, contracted);
    auto layout = ShardLayoutFrom(result, partitions_);
    auto partial = PartialGroups(result, contracted, partitions_);
    if (!lhs || !rhs || !layout || !partial) return std::nullopt;
    if (lhs->IsUndivided() && rhs->IsUndivided()) return std::nullopt;
    return ShardingStrategy{{lhs, rhs}, *std::move(layout), *std::move(partial)};
  }

  int64_t partitions_;
  DotSide sides_[2];
  DimensionShardings given_[3];  // of the operands, and of the result as it is wanted
};

}  // namespace

std::optional<ShardingStrategy> DotStrategy(const HloInstruction& dot,
                                            absl::Span<const ShardLayout* const> known,
                                            int64_t partitions) {
  const auto& numbers = dot.attributes<DotAttributes>();
  const DotSide sides[] = {SideOf(numbers.lhs_batch_dims, numbers.lhs_contracting_dims,
                                  static_cast<int>(dot.operand(0)->shape().rank())),
                           SideOf(numbers.rhs_batch_dims, numbers.rhs_contracting_dims,
                                  static_cast<int>(dot.operand(1)->shape().rank()))};
  DimensionShardings divided[2];
  for (size_t s = 0; s < 2; ++s) {
    if (known[s] != nullptr) {
      divided[s] = DimensionShardingsOf(*known[s]);
    } else {
      divided[s].resize(static_cast<size_t>(dot.operand(static_cast<int64_t>(s))->shape().rank()));
    }
  }
  // The leading side says how batch and contracting dimensions are divided, and its free ones; the
  // free ones of the other are divided only if nothing else is in the way.
  const size_t lead = known[0] != nullptr ? 0 : 1;
  const size_t other = 1 - lead;
  const auto strategy_with = [&](bool keeps_other) -> std::optional<ShardingStrategy> {
    DimensionShardings follower(divided[other].size());
    if (keeps_other) {
      for (const int64_t d : sides[other].free) {
        follower[static_cast<size_t>(d)] = divided[other][static_cast<size_t>(d)];
      }
    }
    const auto follow = [&](absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
      for (size_t i = 0; i < from.size(); ++i) {
        follower[static_cast<size_t>(to[i])] = divided[lead][static_cast<size_t>(from[i])];
      }
    };
    follow(sides[lead].batch, sides[other].batch);
    follow(sides[lead].contracting, sides[other].contracting);
    const DimensionShardings* of[2];
    of[lead] = &divided[lead];
    of[other] = &follower;
    return DotStrategyOf(sides, of, partitions);
  };
  const bool may_keep = known[other] != nullptr && !AreUndivided(divided[other], sides[other].free);
  if (may_keep) {
    if (std::optional<ShardingStrategy> strategy = strategy_with(true)) return strategy;
  }
  return strategy_with(false);
}

std::vector<ShardingStrategy> DotStrategies(const HloInstruction& dot,
                                            absl::Span<const ShardLayout* const> known,
                                            const ShardLayout* wanted, int64_t partitions) {
  return DotChoices(dot, known, wanted, partitions).Strategies();
}

}  // namespace xla::spmd

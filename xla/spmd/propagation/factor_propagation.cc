// SPDX-License-Identifier: Apache-2.0
// Basic and aggressive propagation along the factors of an operation. Source: Shardy's propagation
// document, and its implementation for the order of preferences.
#include "xla/spmd/propagation/factor_propagation.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

namespace xla::propagation {
namespace {

std::optional<AxisRef> PrefixWithoutOverlap(AxisRef axis, const Axes& others) {
  for (const AxisRef& other : others) {
    const std::optional<AxisRef> prefix = axis.GetPrefixWithoutOverlap(other);
    if (!prefix.has_value()) return std::nullopt;
    axis = *prefix;
  }
  return axis;
}

// The part of the axis that the array does not use for another factor.
std::optional<AxisRef> PrefixAcrossFactors(AxisRef axis, const ArrayFactorShardings& array,
                                           int64_t factor) {
  for (const auto& [other, sharding] : array.factors) {
    if (other == factor) continue;
    for (const Axes* axes : {&sharding.overflow, &sharding.axes}) {
      const std::optional<AxisRef> prefix = PrefixWithoutOverlap(axis, *axes);
      if (!prefix.has_value()) return std::nullopt;
      axis = *prefix;
    }
  }
  return axis;
}

// The part of the axis by which the array's factor can be divided after `divided` devices.
std::optional<AxisRef> PrefixWithinFactor(const AxisRef& axis, const ArrayFactorShardings& array,
                                          const FactorSharding& sharding, int64_t divided,
                                          int64_t factor_size, const Mesh& mesh) {
  std::optional<AxisRef> prefix = PrefixWithoutOverlap(axis, array.replicated);
  if (prefix.has_value()) prefix = PrefixWithoutOverlap(*prefix, array.unreduced);
  if (!prefix.has_value()) return std::nullopt;
  const auto has_prefix = [&](const AxisRef& own) { return own.Contains(*prefix); };
  if (std::any_of(sharding.axes.begin(), sharding.axes.end(), has_prefix)) return prefix;
  if (!sharding.is_closed && sharding.overflow.empty()) {
    if (sharding.is_minor_most) return prefix;
    // Other factors must be divided evenly, so that the next ones have whole shards.
    if (factor_size % divided == 0) {
      const int64_t size = prefix->size(mesh);
      const int64_t gcd = std::gcd(factor_size / divided, size);
      if (gcd == size) return prefix;
      if (gcd != 1) {
        return AxisRef::Part(prefix->mesh_axis_index(), prefix->pre_size(),
                             prefix->pre_size() * gcd, mesh);
      }
    }
  }
  if (!sharding.axes.empty() &&
      (sharding.axes.back() == *prefix || sharding.axes.back().IsPrefixOf(*prefix))) {
    return sharding.axes.back();
  }
  return std::nullopt;
}

// Cuts the list where `prefix_of(axis, devices of the axes before it)` is not the whole axis.
template <class PrefixOf>
void TruncateAtConflicts(const Mesh& mesh, bool is_conservative, PrefixOf prefix_of, Axes* axes) {
  int64_t divided = 1;
  for (size_t i = 0; i < axes->size(); ++i) {
    const std::optional<AxisRef> prefix = prefix_of((*axes)[i], divided);
    if (!prefix.has_value() || (is_conservative && prefix->IsSubAxis())) {
      axes->erase(axes->begin() + i, axes->end());
      return;
    }
    if (*prefix != (*axes)[i]) {
      (*axes)[i] = *prefix;
      axes->erase(axes->begin() + i + 1, axes->end());
      return;
    }
    divided *= prefix->size(mesh);
  }
}

// The longest list that both agree on; `axes` grows if `*can_expand`, which ends with a conflict.
void MergeMajorAxes(absl::Span<const AxisRef> more, bool* can_expand, Axes* axes) {
  Axes result;
  const absl::Span<const AxisRef> own = *axes;
  const bool may_expand = *can_expand;
  const size_t common = std::min(own.size(), more.size());
  for (size_t i = 0; i < common; ++i) {
    const bool own_is_last = i + 1 == own.size(), more_is_last = i + 1 == more.size();
    if (own[i] == more[i]) {
      result.push_back(own[i]);
    } else if (more[i].IsPrefixOf(own[i])) {
      // What follows a part of an axis is not the next part, since neighbors are one.
      if (!more_is_last) {
        result.push_back(more[i]);
        *can_expand = false;
        *axes = std::move(result);
        return;
      }
      result.push_back(own[i]);
    } else if (own[i].IsPrefixOf(more[i])) {
      if (!may_expand || !own_is_last) {
        result.push_back(own[i]);
        *can_expand = false;
        *axes = std::move(result);
        return;
      }
      result.push_back(more[i]);
    } else {
      *can_expand = false;
      *axes = std::move(result);
      return;
    }
  }
  result.insert(result.end(), own.begin() + common, own.end());
  if (may_expand) result.insert(result.end(), more.begin() + common, more.end());
  *axes = std::move(result);
}

// The axes of the factor that come from the side of the direction and agree with the other side,
// whatever else arrays use them for.
Axes MajorAxes(const ShardingProjection& projection, int64_t factor, Direction direction) {
  Axes axes;
  if (direction == Direction::kNone) return axes;
  bool can_expand = true;
  const auto merge = [&](absl::Span<const ArrayFactorShardings> arrays) {
    for (const ArrayFactorShardings& array : arrays) {
      const FactorSharding* sharding = array.Find(factor);
      if (sharding != nullptr) MergeMajorAxes(sharding->axes, &can_expand, &axes);
    }
  };
  const bool is_backward = direction == Direction::kBackward;
  merge(is_backward ? projection.results() : projection.operands());
  if (direction != Direction::kBoth) can_expand = false;
  merge(is_backward ? projection.operands() : projection.results());
  return axes;
}

std::vector<bool> PropagateBasic(const FactorPropagation& options,
                                 absl::FunctionRef<Direction(int64_t)> direction,
                                 const DimensionRelations& relations, const Mesh& mesh,
                                 ShardingProjection* projection) {
  std::vector<bool> changed(projection->arrays.size());
  for (int64_t factor = 0; factor < relations.num_factors(); ++factor) {
    const int64_t size = relations.factors[factor].size;
    Axes axes = MajorAxes(*projection, factor, direction(factor));
    TruncateAtConflicts(
        mesh, options.is_conservative,
        [&](const AxisRef& axis, int64_t divided) -> std::optional<AxisRef> {
          std::optional<AxisRef> prefix = axis;
          for (const ArrayFactorShardings& array : projection->arrays) {
            prefix = PrefixAcrossFactors(*prefix, array, factor);
            const FactorSharding* sharding = array.Find(factor);
            if (prefix.has_value() && sharding != nullptr) {
              prefix = PrefixWithinFactor(*prefix, array, *sharding, divided, size, mesh);
            }
            if (!prefix.has_value()) return std::nullopt;
          }
          return prefix;
        },
        &axes);
    for (size_t i = 0; i < projection->arrays.size(); ++i) {
      if (projection->arrays[i].Expand(factor, axes)) changed[i] = true;
    }
  }
  return changed;
}

// The largest array that has the axes of the factor.
struct Source {
  int64_t array = -1, size = -1;
};

std::vector<Source> FindSources(const ShardingProjection& projection,
                                const DimensionRelations& relations,
                                const std::vector<Axes>& axes) {
  std::vector<Source> sources(relations.factors.size());
  for (size_t i = 0; i < projection.arrays.size(); ++i) {
    int64_t size = 1;
    for (const auto& [factor, sharding] : projection.arrays[i].factors) {
      // Shapes bound the product, but for relations that users state.
      if (__builtin_mul_overflow(size, relations.factors[factor].size, &size)) size = INT64_MAX;
    }
    for (const auto& [factor, sharding] : projection.arrays[i].factors) {
      Source& source = sources[factor];
      if (!axes[factor].empty() && size > source.size &&
          ComparePrefix(axes[factor], sharding.axes) != PrefixStatus::kNotAPrefix) {
        source = {static_cast<int64_t>(i), size};
      }
    }
  }
  return sources;
}

// The factors in the order in which they take axes: first those of larger arrays; in elementwise
// operations, then those with most devices.
std::vector<int64_t> FactorOrder(const std::vector<Source>& sources, const std::vector<Axes>& axes,
                                 bool is_elementwise, const Mesh& mesh) {
  std::vector<int64_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int64_t> devices(order.size());
  for (size_t i = 0; i < order.size() && is_elementwise; ++i) devices[i] = AxesSize(axes[i], mesh);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::tuple(-sources[a].size, -devices[a], sources[a].array, a) <
           std::tuple(-sources[b].size, -devices[b], sources[b].array, b);
  });
  return order;
}

// What of the axes, if it is more than the array has, it can take for a factor of this size.
Axes AxesToTake(const ArrayFactorShardings& array, int64_t factor, int64_t size, Axes axes,
                bool is_conservative, const Mesh& mesh) {
  const FactorSharding* sharding = array.Find(factor);
  if (sharding == nullptr) return {};
  TruncateAtConflicts(
      mesh, is_conservative,
      [&](const AxisRef& axis, int64_t divided) {
        return PrefixWithinFactor(axis, array, *sharding, divided, size, mesh);
      },
      &axes);
  if (ComparePrefix(sharding->axes, axes) != PrefixStatus::kStrictPrefix) return {};
  TruncateAtConflicts(
      mesh, is_conservative,
      [&](const AxisRef& axis, int64_t) { return PrefixAcrossFactors(axis, array, factor); },
      &axes);
  return axes;
}

std::vector<bool> PropagateAggressive(const FactorPropagation& options,
                                      absl::FunctionRef<Direction(int64_t)> direction,
                                      const DimensionRelations& relations, const Mesh& mesh,
                                      ShardingProjection* projection) {
  std::vector<bool> changed(projection->arrays.size());
  std::vector<Axes> axes;
  bool is_empty = true;
  for (int64_t factor = 0; factor < relations.num_factors(); ++factor) {
    axes.push_back(MajorAxes(*projection, factor, direction(factor)));
    is_empty = is_empty && axes.back().empty();
  }
  if (is_empty) return changed;

  const std::vector<int64_t> order =
      FactorOrder(FindSources(*projection, relations, axes), axes, options.is_elementwise, mesh);
  // Each array takes what it can, in this order.
  const auto new_axes = [&](const ArrayFactorShardings& array, int64_t factor) {
    return AxesToTake(array, factor, relations.factors[factor].size, axes[factor],
                      options.is_conservative, mesh);
  };
  const size_t operands = projection->num_operands;
  for (size_t i = operands; i < projection->arrays.size(); ++i) {
    for (const int64_t factor : order) {
      const Axes more = new_axes(projection->arrays[i], factor);
      if (!more.empty() && projection->arrays[i].Expand(factor, more)) changed[i] = true;
    }
  }
  for (size_t i = 0; i < operands; ++i) {
    for (const int64_t factor : order) {
      Axes more = new_axes(projection->arrays[i], factor);
      if (more.empty()) continue;
      // Operands of elementwise operations share what the result can have, too: nothing goes from
      // one to the other past a result that is replicated.
      if (options.is_elementwise) {
        for (const ArrayFactorShardings& result : projection->results()) {
          const FactorSharding* sharding = result.Find(factor);
          if (sharding != nullptr &&
              ComparePrefix(sharding->axes, more) == PrefixStatus::kStrictPrefix) {
            more = sharding->axes;
          }
        }
      }
      if (projection->arrays[i].Expand(factor, more)) changed[i] = true;
    }
  }
  return changed;
}

}  // namespace

std::vector<bool> PropagateFactors(const FactorPropagation& options,
                                   absl::FunctionRef<Direction(int64_t)> direction,
                                   const DimensionRelations& relations, const Mesh& mesh,
                                   ShardingProjection* projection) {
  return (options.strategy == Strategy::kBasic ? PropagateBasic : PropagateAggressive)(
      options, direction, relations, mesh, projection);
}

}  // namespace xla::propagation

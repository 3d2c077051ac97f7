// SPDX-License-Identifier: Apache-2.0
// From shardings of dimensions to shardings of factors, and back.
#include "xla/spmd/propagation/factor_sharding.h"

#include <algorithm>
#include <numeric>

namespace xla::propagation {
namespace {

// The axes of a dimension while they are given to its factors, major to minor; the first one may be
// cut.
class RemainingAxes {
 public:
  RemainingAxes(absl::Span<const AxisRef> axes, const Mesh& mesh) : axes_(axes), mesh_(mesh) {
    Load();
  }

  bool AtEnd() const { return at_ == axes_.size(); }
  int64_t size() const { return size_; }

  // The major part of this size of the next axis, or all of it.
  AxisRef Take(int64_t size) {
    const int64_t axis = axes_[at_].mesh_axis_index();
    const AxisRef part = AxisRef::Part(axis, pre_size_, pre_size_ * size, mesh_);
    pre_size_ *= size;
    size_ /= size;
    if (size_ == 1) {
      ++at_;
      Load();
    }
    return part;
  }
  void TakeAll(Axes& axes) {
    while (!AtEnd()) AppendAxis(Take(size_), mesh_, axes);
  }

 private:
  void Load() {
    if (AtEnd()) return;
    pre_size_ = axes_[at_].pre_size();
    size_ = axes_[at_].size(mesh_);
  }

  absl::Span<const AxisRef> axes_;
  const Mesh& mesh_;
  size_t at_ = 0;
  int64_t pre_size_ = 1, size_ = 1;
};

// Axes go to the major factor until they do not divide what is left of it; the minor factor takes
// what is left, whether it divides or not.
void ProjectDimension(const ArraySharding::Dimension* dimension, const DimensionFactors& factors,
                      absl::Span<const DimensionFactor> factor_sizes, const Mesh& mesh,
                      ArrayFactorShardings* result) {
  const Axes none;
  RemainingAxes remaining(dimension != nullptr ? dimension->axes : none, mesh);
  const bool is_closed = dimension != nullptr && dimension->is_closed;
  bool has_overflow = false;
  for (size_t i = 0; i < factors.size(); ++i) {
    FactorSharding& sharding = result->factors.emplace_back(factors[i], FactorSharding()).second;
    sharding.is_minor_most = i + 1 == factors.size();
    // What follows a factor that axes overflow cannot be divided.
    sharding.is_closed = is_closed || has_overflow;
    if (has_overflow) break;
    if (sharding.is_minor_most) {
      remaining.TakeAll(sharding.axes);
      continue;
    }
    int64_t size = factor_sizes[factors[i]].size;
    while (!remaining.AtEnd()) {
      const int64_t gcd = std::gcd(size, remaining.size());
      if (gcd == 1 && remaining.size() != 1) break;
      sharding.axes.push_back(remaining.Take(gcd));
      size /= gcd;
    }
    if (size > 1 && !remaining.AtEnd()) {
      has_overflow = true;
      remaining.TakeAll(sharding.overflow);
    }
  }
}

// The first axis may be the next part of the last one that is there.
int64_t AppendAxes(Axes& axes, absl::Span<const AxisRef> more, const Mesh& mesh) {
  int64_t size = 1;
  for (const AxisRef& axis : more) {
    size *= axis.size(mesh);
    AppendAxis(axis, mesh, axes);
  }
  return size;
}

}  // namespace

bool ArraySharding::IsEmpty() const {
  return replicated.empty() && unreduced.empty() &&
         std::all_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& dimension) { return dimension.axes.empty(); });
}

bool ArraySharding::IsFullyClosed() const {
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& dimension) { return dimension.is_closed; });
}

FactorSharding* ArrayFactorShardings::Find(int64_t factor) {
  const auto found = std::lower_bound(factors.begin(), factors.end(), factor,
                                      [](const std::pair<int64_t, FactorSharding>& entry,
                                         int64_t key) { return entry.first < key; });
  return found == factors.end() || found->first != factor ? nullptr : &found->second;
}

bool ArrayFactorShardings::Expand(int64_t factor, absl::Span<const AxisRef> axes) {
  FactorSharding* sharding = Find(factor);
  if (sharding == nullptr || ComparePrefix(sharding->axes, axes) != PrefixStatus::kStrictPrefix) {
    return false;
  }
  sharding->axes.assign(axes.begin(), axes.end());
  return true;
}

ArraySharding ArrayFactorShardings::ToArraySharding(const ArrayFactors& array,
                                                    absl::Span<const DimensionFactor> factor_sizes,
                                                    const Mesh& mesh) const {
  ArraySharding result;
  for (const DimensionFactors& dimension_factors : array) {
    ArraySharding::Dimension& dimension = result.dimensions.emplace_back();
    bool is_cut = false;
    for (const int64_t factor : dimension_factors) {
      if (is_cut) break;
      const FactorSharding& sharding = *Find(factor);
      dimension.is_closed |= sharding.is_closed;
      const int64_t size = AppendAxes(dimension.axes, sharding.axes, mesh);
      AppendAxes(dimension.axes, sharding.overflow, mesh);
      is_cut = !sharding.overflow.empty() || size < factor_sizes[factor].size;
    }
  }
  result.replicated = replicated;
  result.unreduced = unreduced;
  result.unreduced_kind = unreduced_kind;
  return result;
}

PrefixStatus ComparePrefix(absl::Span<const AxisRef> first, absl::Span<const AxisRef> second) {
  if (first.empty()) return second.empty() ? PrefixStatus::kEqual : PrefixStatus::kStrictPrefix;
  if (first.size() > second.size()) return PrefixStatus::kNotAPrefix;
  const size_t last = first.size() - 1;
  if (!std::equal(first.begin(), first.begin() + last, second.begin())) {
    return PrefixStatus::kNotAPrefix;
  }
  if (first.size() == second.size() && first[last] == second[last]) return PrefixStatus::kEqual;
  if (first[last] == second[last] || first[last].IsPrefixOf(second[last])) {
    return PrefixStatus::kStrictPrefix;
  }
  return PrefixStatus::kNotAPrefix;
}

ShardingProjection ShardingProjection::Make(absl::Span<const ArraySharding* const> shardings,
                                            const DimensionRelations& relations, const Mesh& mesh) {
  ShardingProjection projection;
  projection.num_operands = relations.operands.size();
  for (size_t i = 0; i < relations.num_arrays(); ++i) {
    const ArraySharding* sharding = shardings[i];
    ArrayFactorShardings& array = projection.arrays.emplace_back();
    const ArrayFactors& factors = relations.array(i);
    for (size_t d = 0; d < factors.size(); ++d) {
      ProjectDimension(sharding != nullptr ? &sharding->dimensions[d] : nullptr, factors[d],
                       relations.factors, mesh, &array);
    }
    std::sort(array.factors.begin(), array.factors.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    if (sharding == nullptr) continue;
    array.replicated = sharding->replicated;
    array.unreduced = sharding->unreduced;
    array.unreduced_kind = sharding->unreduced_kind;
  }
  return projection;
}

}  // namespace xla::propagation

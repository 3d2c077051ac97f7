// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/propagation/common_axes.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace xla::propagation {
namespace {

using AxesOfFactors = std::vector<Axes>;

bool Overlap(absl::Span<const AxisRef> a, absl::Span<const AxisRef> b) {
  return std::any_of(a.begin(), a.end(), [&](const AxisRef& axis) {
    return std::any_of(b.begin(), b.end(),
                       [&](const AxisRef& other) { return axis.Overlaps(other); });
  });
}

bool HasKind(const DimensionRelations& relations, FactorKind kind) {
  return std::any_of(relations.factors.begin(), relations.factors.end(),
                     [&](const DimensionFactor& factor) { return factor.kind == kind; });
}

// What all arrays have already, if no axis is of two factors; none if they disagree.
std::optional<AxesOfFactors> AgreedAxes(const ShardingProjection& projection,
                                        const DimensionRelations& relations) {
  AxesOfFactors result(relations.factors.size());
  Axes seen;
  for (size_t f = 0; f < result.size(); ++f) {
    const Axes* agreed = nullptr;
    for (const ArrayFactorShardings& array : projection.arrays) {
      const FactorSharding* sharding = array.Find(static_cast<int64_t>(f));
      if (sharding == nullptr) continue;
      if (!sharding->overflow.empty() || (agreed != nullptr && *agreed != sharding->axes)) {
        return std::nullopt;
      }
      agreed = &sharding->axes;
    }
    if (agreed == nullptr || agreed->empty()) continue;
    if (relations.factors[f].kind == FactorKind::kNeedReplication || Overlap(*agreed, seen)) {
      return std::nullopt;
    }
    result[f] = *agreed;
    seen.insert(seen.end(), agreed->begin(), agreed->end());
  }
  return result;
}

// --- operations on one array besides scalars

std::vector<size_t> ArraysWithDimensions(const DimensionRelations& relations) {
  std::vector<size_t> arrays;
  for (size_t i = 0; i < relations.num_arrays(); ++i) {
    if (!relations.array(i).empty()) arrays.push_back(i);
  }
  return arrays;
}

AxesOfFactors AxesOfTwoArrays(const ShardingProjection& projection,
                              const DimensionRelations& relations, absl::Span<const int64_t> sizes,
                              absl::Span<const size_t> arrays, const Mesh& mesh) {
  const auto preference = [&](size_t i) {
    bool is_permuted = false;
    int64_t shards = 1;
    for (const auto& [factor, sharding] : projection.arrays[i].factors) {
      is_permuted |=
          relations.factors[static_cast<size_t>(factor)].kind == FactorKind::kPermutation &&
          !sharding.axes.empty();
      shards *= AxesSize(sharding.axes, mesh);
    }
    return std::make_tuple(!is_permuted, sizes[i], shards);
  };
  const bool is_first = preference(arrays[0]) >= preference(arrays[1]);
  const ArrayFactorShardings& preferred = projection.arrays[arrays[is_first ? 0 : 1]];
  const ArrayFactorShardings& other = projection.arrays[arrays[is_first ? 1 : 0]];
  AxesOfFactors result(relations.factors.size());
  Axes used;
  for (const auto& [factor, sharding] : preferred.factors) {
    result[static_cast<size_t>(factor)] = sharding.axes;
    used.insert(used.end(), sharding.axes.begin(), sharding.axes.end());
  }
  for (const auto& [factor, sharding] : other.factors) {
    if (preferred.Find(factor) != nullptr) continue;
    Axes& axes = result[static_cast<size_t>(factor)];
    axes = sharding.axes;
    TruncateAxesByRemovingOverlaps(axes, used);
  }
  return result;
}

// --- all others: greedily

int Precedence(FactorKind kind) {
  switch (kind) {
    case FactorKind::kPassThrough:
      return 3;
    case FactorKind::kReduction:
      return 2;
    case FactorKind::kPermutation:
      return 1;
    case FactorKind::kNeedReplication:
      return 0;
  }
  return 0;
}

// Axes that a factor may get.
struct Candidate {
  size_t factor;
  Axes axes;
  int64_t elements = 0;  // of the arrays that have them
  int64_t shards = 1;    // that the axes add to what the factor has
};

class Greedy {
 public:
  Greedy(const ShardingProjection& projection, const DimensionRelations& relations,
         absl::Span<const int64_t> sizes, const Mesh& mesh)
      : relations_(relations), mesh_(mesh), result_(relations.factors.size()) {
    for (const ArrayFactorShardings& array : projection.arrays) AddCandidates(array);
    for (size_t i = 0; i < projection.arrays.size(); ++i) {
      for (const auto& [factor, sharding] : projection.arrays[i].factors) {
        CountElements(static_cast<size_t>(factor), sharding.axes, sizes[i]);
      }
    }
    before_.resize(result_.size());
    for (size_t i = 0; i < relations.num_arrays(); ++i) {
      for (const DimensionFactors& dimension : relations.array(i)) {
        for (size_t k = 1; k < dimension.size(); ++k) {
          before_[static_cast<size_t>(dimension[k])].push_back(dimension[k - 1]);
        }
      }
    }
  }

  AxesOfFactors Run() {
    while (const Candidate* best = Best()) {
      const size_t factor = best->factor;
      const Axes axes = best->axes;
      result_[factor] = axes;
      if (AxesSize(axes, mesh_) == relations_.factors[factor].size) {
        for (std::vector<int64_t>& before : before_) {
          std::erase(before, static_cast<int64_t>(factor));
        }
      }
      Take(factor, axes);
    }
    return std::move(result_);
  }

 private:
  // The axes of each factor of the array, and what these begin with.
  void AddCandidates(const ArrayFactorShardings& array) {
    for (const auto& [factor, sharding] : array.factors) {
      for (Axes axes = sharding.axes; !axes.empty(); axes.pop_back()) {
        const auto f = static_cast<size_t>(factor);
        const bool is_known = std::any_of(
            candidates_.begin(), candidates_.end(),
            [&](const Candidate& known) { return known.factor == f && known.axes == axes; });
        if (is_known) continue;
        candidates_.push_back({.factor = f, .axes = axes, .shards = AxesSize(axes, mesh_)});
      }
    }
  }
  void CountElements(size_t factor, const Axes& axes, int64_t elements) {
    for (Candidate& candidate : candidates_) {
      if (candidate.factor == factor &&
          ComparePrefix(candidate.axes, axes) != PrefixStatus::kNotAPrefix) {
        candidate.elements += elements;
      }
    }
  }

  const Candidate* Best() const {
    const auto key = [&](const Candidate& candidate) {
      return std::make_tuple(candidate.elements,
                             Precedence(relations_.factors[candidate.factor].kind),
                             candidate.shards, candidate.factor);
    };
    const Candidate* best = nullptr;
    for (const Candidate& candidate : candidates_) {
      if (!before_[candidate.factor].empty()) continue;
      if (best == nullptr || key(*best) < key(candidate) ||
          (key(*best) == key(candidate) && best->axes < candidate.axes)) {
        best = &candidate;
      }
    }
    return best;
  }

  // Of the candidates, keeps what can still be given once the factor has the axes.
  void Take(size_t factor, const Axes& axes) {
    std::erase_if(candidates_, [&](Candidate& candidate) {
      if (candidate.factor == factor) {
        if (ComparePrefix(axes, candidate.axes) != PrefixStatus::kStrictPrefix) return true;
      } else if (TruncateAxesByRemovingOverlaps(candidate.axes, axes) &&
                 candidate.axes == result_[candidate.factor]) {
        return true;
      }
      candidate.shards =
          AxesSize(candidate.axes, mesh_) / AxesSize(result_[candidate.factor], mesh_);
      return false;
    });
  }

  const DimensionRelations& relations_;
  const Mesh& mesh_;
  AxesOfFactors result_;
  std::vector<Candidate> candidates_;
  // Of each factor the factors before it in a dimension that are not divided fully.
  std::vector<std::vector<int64_t>> before_;
};

// Axes of factors that every device needs whole divide others instead.
void MoveFromReplicated(const DimensionRelations& relations, const Mesh& mesh,
                        AxesOfFactors& axes) {
  const auto is_everywhere = [&](size_t factor) {
    return IsInAllArrays(relations, static_cast<int64_t>(factor));
  };
  for (size_t f = 0; f < axes.size(); ++f) {
    if (relations.factors[f].kind != FactorKind::kNeedReplication) continue;
    const Axes moved = std::exchange(axes[f], {});
    if (!is_everywhere(f)) continue;
    size_t next = 0;
    for (size_t g = 0; g < axes.size() && next < moved.size(); ++g) {
      const DimensionFactor& factor = relations.factors[g];
      if (factor.kind != FactorKind::kPassThrough || factor.size == 0 || !is_everywhere(g)) {
        continue;
      }
      const int64_t shards = AxesSize(axes[g], mesh);
      if (factor.size % shards != 0) continue;
      int64_t left = factor.size / shards;
      for (; next < moved.size() && left % moved[next].size(mesh) == 0; ++next) {
        left /= moved[next].size(mesh);
        AppendAxis(moved[next], mesh, axes[g]);
      }
    }
  }
}

}  // namespace

bool IsInAllArrays(const DimensionRelations& relations, int64_t factor) {
  for (size_t i = 0; i < relations.num_arrays(); ++i) {
    const ArrayFactors& array = relations.array(i);
    const bool has_factor =
        std::any_of(array.begin(), array.end(), [&](const DimensionFactors& dimension) {
          return std::find(dimension.begin(), dimension.end(), factor) != dimension.end();
        });
    if (!array.empty() && !has_factor) return false;
  }
  return true;
}

bool HasCompoundDimensions(const DimensionRelations& relations) {
  for (size_t i = 0; i < relations.num_arrays(); ++i) {
    for (const DimensionFactors& dimension : relations.array(i)) {
      if (dimension.size() > 1) return true;
    }
  }
  return false;
}

std::vector<Axes> CommonAxes(const ShardingProjection& projection,
                             const DimensionRelations& relations, absl::Span<const int64_t> sizes,
                             const Mesh& mesh) {
  if (auto agreed = AgreedAxes(projection, relations)) return *std::move(agreed);
  const std::vector<size_t> arrays = ArraysWithDimensions(relations);
  const bool needs_replication = HasKind(relations, FactorKind::kNeedReplication);
  if (arrays.size() == 2 && !needs_replication && !HasCompoundDimensions(relations)) {
    return AxesOfTwoArrays(projection, relations, sizes, arrays, mesh);
  }
  AxesOfFactors result = Greedy(projection, relations, sizes, mesh).Run();
  if (needs_replication) MoveFromReplicated(relations, mesh, result);
  return result;
}

}  // namespace xla::propagation

// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/reshard_chain.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Kind = ReshardStep::Kind;

}  // namespace

int64_t StepBytes(Kind kind, int64_t bytes_before, int64_t bytes_after, int64_t n) {
  const auto but_own_part = [n](int64_t bytes) { return bytes - bytes / n; };
  switch (kind) {
    case Kind::kAllSlice:
    case Kind::kToUnreduced:
      return 0;
    case Kind::kReduceScatter:
      return bytes_after * (n - 1);
    case Kind::kAllReduce:
      return 2 * but_own_part(bytes_before);
    case Kind::kCollectivePermute:
      return bytes_before;
    case Kind::kAllToAll:
      return but_own_part(std::max(bytes_before, bytes_after));
    case Kind::kAllGather:
      return bytes_before * (n - 1);
  }
  return 0;
}

Chain::Chain(const ReshardProblem& problem) : problem_(problem), layout_(problem.from) {
  for (size_t d = 0; d < layout_.size(); ++d) {
    padded_.push_back(CanonicalSize(d, problem.Count(layout_[d])));
  }
}

int64_t Chain::CanonicalSize(size_t dimension, int64_t shards) const {
  return RoundUpTo(problem_.dimensions[dimension], shards);
}

int64_t Chain::ShardBytes() const {
  int64_t elements = 1;
  for (size_t d = 0; d < layout_.size(); ++d) elements *= padded_[d] / problem_.Count(layout_[d]);
  return CeilOfRatio(elements * problem_.element_bits, int64_t{8});
}

void Chain::Add(Kind kind, std::vector<DigitMove> moves, Layout result) {
  const int64_t bytes_before = ShardBytes();
  for (size_t d = 0; d < result.size(); ++d) {
    const int64_t before = problem_.Count(layout_[d]), after = problem_.Count(result[d]);
    if (after == before) continue;
    if (after == 1) {
      padded_[d] = problem_.dimensions[d];
    } else if (before == 1) {
      // If it can, as the target has it.
      const int64_t wanted = CanonicalSize(d, problem_.Count(problem_.to[d]));
      padded_[d] = wanted % after == 0 ? wanted : CanonicalSize(d, after);
    }
    is_possible_ &= padded_[d] % after == 0;
  }
  layout_ = result;
  int64_t group = 1;
  for (const DigitMove& move : moves) group *= problem_.sizes[static_cast<size_t>(move.digit)];
  cost_ += StepBytes(kind, bytes_before, ShardBytes(), group);
  steps_.push_back({kind, std::move(moves), std::move(result), padded_});
}

bool Chain::ReachesTarget() const {
  if (!is_possible_ || layout_ != problem_.to) return false;
  for (size_t d = 0; d < layout_.size(); ++d) {
    const int64_t shards = problem_.Count(layout_[d]);
    if (shards > 1 && padded_[d] != CanonicalSize(d, shards)) return false;
  }
  return true;
}

void Chain::SliceAndReduce(const Layout& added) {
  std::vector<size_t> next(added.size(), 0);
  std::vector<bool> is_reduced(problem_.sizes.size(), false);
  const auto take = [&](bool unreduced) {
    std::vector<DigitMove> moves;
    Layout result = layout_;
    for (size_t d = 0; d < added.size(); ++d) {
      for (; next[d] < added[d].size(); ++next[d]) {
        const int digit = added[d][next[d]];
        if (problem_.is_unreduced[static_cast<size_t>(digit)] != unreduced) break;
        moves.push_back({digit, ReshardStep::kNone, static_cast<int64_t>(d)});
        is_reduced[static_cast<size_t>(digit)] = true;
        result[d].push_back(digit);
      }
    }
    if (moves.empty()) return false;
    Add(unreduced ? Kind::kReduceScatter : Kind::kAllSlice, std::move(moves), std::move(result));
    return true;
  };
  // Slices first, since they leave less to add up.
  while (take(/*unreduced=*/false) || take(/*unreduced=*/true)) {
  }
  std::vector<DigitMove> rest;
  for (size_t i = 0; i < is_reduced.size(); ++i) {
    if (problem_.is_unreduced[i] && !is_reduced[i]) {
      rest.push_back({static_cast<int>(i), ReshardStep::kNone, ReshardStep::kNone});
    }
  }
  if (rest.empty()) return;
  Add(Kind::kAllReduce, std::move(rest), layout_);
}

void Chain::Permute(const Layout& target) {
  for (size_t d = 0; d < target.size(); ++d) {
    is_possible_ &= problem_.Count(target[d]) == problem_.Count(layout_[d]);
  }
  if (target == layout_ && (has_permuted_ || !problem_.reorders_devices)) return;
  has_permuted_ = true;
  Add(Kind::kCollectivePermute, {}, target);
}

void Chain::AllToAll(const std::vector<std::pair<int, int64_t>>& moves) {
  if (moves.empty()) return;
  Layout result = layout_;
  std::vector<DigitMove> steps;
  std::vector<size_t> removed(result.size(), 0);
  for (const auto& [digit, to] : moves) {
    for (size_t d = 0; d < layout_.size(); ++d) {
      const auto at = absl::c_find(layout_[d], digit);
      if (at == layout_[d].end()) continue;
      ++removed[d];
      steps.push_back({digit, static_cast<int64_t>(d), to});
    }
  }
  XLA_CHECK(steps.size() == moves.size());
  for (const DigitMove& move : steps) {
    DigitList& from = result[static_cast<size_t>(move.from_dim)];
    const auto at = absl::c_find(from, move.digit);
    // Before any is removed, the last ones of the dimension are those that leave.
    const DigitList& before = layout_[static_cast<size_t>(move.from_dim)];
    const size_t position = static_cast<size_t>(absl::c_find(before, move.digit) - before.begin());
    is_possible_ &= position + removed[static_cast<size_t>(move.from_dim)] >= before.size() &&
                    removed[static_cast<size_t>(move.to_dim)] == 0;
    from.erase(at);
  }
  for (const DigitMove& move : steps) {
    result[static_cast<size_t>(move.to_dim)].push_back(move.digit);
  }
  Add(Kind::kAllToAll, std::move(steps), std::move(result));
}

void Chain::AllGather(const std::vector<size_t>& kept) {
  Layout result = layout_;
  std::vector<DigitMove> moves;
  for (size_t d = 0; d < result.size(); ++d) {
    for (size_t i = kept[d]; i < result[d].size(); ++i) {
      moves.push_back({result[d][i], static_cast<int64_t>(d), ReshardStep::kNone});
    }
    result[d].resize(std::min(kept[d], result[d].size()));
  }
  if (moves.empty()) return;
  Add(Kind::kAllGather, std::move(moves), std::move(result));
}

}  // namespace xla::spmd

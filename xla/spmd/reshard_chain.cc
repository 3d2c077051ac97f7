// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/reshard_chain.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "xla/base/check.h"
#include "xla/util.h"

namespace xla::spmd {
namespace {

using Kind = ReshardStep::Kind;

// Whether blocks of `fine` shards make up blocks of `coarse` ones. All of an array is made up of
// any blocks: padding is cut off at its end.
bool Nest(int64_t size, int64_t coarse, int64_t fine) {
  if (coarse == 1 || coarse == fine) return true;
  return CeilOfRatio(size, fine) * (fine / coarse) == CeilOfRatio(size, coarse);
}

}  // namespace

int64_t ReshardProblem::ShardBytes(const Layout& layout) const {
  int64_t elements = 1;
  for (size_t d = 0; d < layout.size(); ++d) {
    elements *= CeilOfRatio(dimensions[d], Count(layout[d]));
  }
  return CeilOfRatio(elements * element_bits, int64_t{8});
}

void Chain::Add(Kind kind, std::vector<DigitMove> moves, Layout result, int64_t cost) {
  if (kind != Kind::kCollectivePermute) {
    for (size_t d = 0; d < result.size(); ++d) {
      const int64_t before = problem_.Count(layout_[d]), after = problem_.Count(result[d]);
      is_possible_ &=
          Nest(problem_.dimensions[d], std::min(before, after), std::max(before, after));
    }
  }
  cost_ += cost;
  layout_ = result;
  steps_.push_back({kind, std::move(moves), std::move(result)});
}

int64_t Chain::GroupSize(const std::vector<DigitMove>& moves) const {
  int64_t size = 1;
  for (const DigitMove& move : moves) size *= problem_.sizes[static_cast<size_t>(move.digit)];
  return size;
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
    const int64_t cost =
        unreduced ? problem_.ShardBytes(result) * (GroupSize(moves) - 1) : int64_t{0};
    Add(unreduced ? Kind::kReduceScatter : Kind::kAllSlice, std::move(moves), std::move(result),
        cost);
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
  const int64_t cost = 2 * ExchangedBytes(problem_.ShardBytes(layout_), GroupSize(rest));
  Add(Kind::kAllReduce, std::move(rest), layout_, cost);
}

void Chain::Permute(const Layout& target) {
  for (size_t d = 0; d < target.size(); ++d) {
    is_possible_ &= problem_.Count(target[d]) == problem_.Count(layout_[d]);
  }
  if (target == layout_ && (has_permuted_ || !problem_.reorders_devices)) return;
  has_permuted_ = true;
  Add(Kind::kCollectivePermute, {}, target, problem_.ShardBytes(layout_));
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
  const int64_t bytes = std::max(problem_.ShardBytes(layout_), problem_.ShardBytes(result));
  const int64_t cost = ExchangedBytes(bytes, GroupSize(steps));
  Add(Kind::kAllToAll, std::move(steps), std::move(result), cost);
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
  const int64_t cost = problem_.ShardBytes(layout_) * (GroupSize(moves) - 1);
  Add(Kind::kAllGather, std::move(moves), std::move(result), cost);
}

}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/device_axes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace xla::spmd {
namespace {

std::vector<int64_t> PrimeFactors(int64_t number) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p * p <= number; ++p) {
    while (number % p == 0) {
      factors.push_back(p);
      number /= p;
    }
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

bool Contains(const std::vector<int>& list, int axis) {
  return std::find(list.begin(), list.end(), axis) != list.end();
}

bool IsUsed(const AxisLists& lists, int axis) {
  return std::any_of(lists.begin(), lists.end(),
                     [&](const std::vector<int>& list) { return Contains(list, axis); });
}

// How many axes at the front are the same.
size_t CommonPrefix(const std::vector<int>& a, const std::vector<int>& b) {
  size_t length = 0;
  while (length < a.size() && length < b.size() && a[length] == b[length]) ++length;
  return length;
}

int64_t CountOf(const DeviceAxes& axes, absl::Span<const int> list) {
  int64_t count = 1;
  for (const int axis : list) count *= axes.size(axis);
  return count;
}

int64_t CountOf(const DeviceAxes& axes, const AxisLists& lists) {
  int64_t count = 1;
  for (const std::vector<int>& list : lists) count *= CountOf(axes, list);
  return count;
}

class ExchangeChain {
 public:
  ExchangeChain(const DeviceAxes& axes, AxisLists from, const AxisLists& to, int64_t bytes)
      : axes_(axes), now_(std::move(from)), to_(to), bytes_(bytes) {}

  std::vector<ExchangeStep> Run() {
    while (now_ != to_) {
      if (!Slice() && !AllToAll() && !Permute()) Gather();
    }
    return std::move(steps_);
  }

 private:
  int64_t ShardBytes() const { return bytes_ / CountOf(axes_, now_); }

  void Add(ExchangeStep step) {
    now_ = step.result;
    steps_.push_back(std::move(step));
  }

  // What only the target has, at the minor end of what there is.
  bool Slice() {
    AxisLists next = now_;
    for (size_t d = 0; d < next.size(); ++d) {
      while (next[d].size() < to_[d].size() && CommonPrefix(next[d], to_[d]) == next[d].size() &&
             !IsUsed(next, to_[d][next[d].size()])) {
        next[d].push_back(to_[d][next[d].size()]);
      }
    }
    if (next == now_) return false;
    Add({.kind = ExchangeStep::Kind::kSlice, .result = std::move(next)});
    return true;
  }

  // The most minor axes of a dimension, which the target has next in another one.
  bool AllToAll() {
    for (size_t i = 0; i < now_.size(); ++i) {
      const size_t kept = CommonPrefix(now_[i], to_[i]);
      for (size_t first = kept; first < now_[i].size(); ++first) {
        const std::vector<int> run(now_[i].begin() + static_cast<int64_t>(first), now_[i].end());
        for (size_t j = 0; j < now_.size(); ++j) {
          if (j == i || CommonPrefix(now_[j], to_[j]) < now_[j].size() ||
              to_[j].size() < now_[j].size() + run.size() ||
              !std::equal(run.begin(), run.end(),
                          to_[j].begin() + static_cast<int64_t>(now_[j].size()))) {
            continue;
          }
          AxisLists next = now_;
          next[i].resize(first);
          next[j].insert(next[j].end(), run.begin(), run.end());
          const int64_t count = CountOf(axes_, run);
          Add({ExchangeStep::Kind::kAllToAll, static_cast<int>(i), static_cast<int>(j), run,
               std::move(next), ShardBytes() / count * (count - 1)});
          return true;
        }
      }
    }
    return false;
  }

  // Shards of one size that are elsewhere.
  bool Permute() {
    for (size_t d = 0; d < now_.size(); ++d) {
      if (CountOf(axes_, now_[d]) != CountOf(axes_, to_[d])) return false;
    }
    Add({.kind = ExchangeStep::Kind::kPermute, .result = to_, .bytes = ShardBytes()});
    return true;
  }

  void Gather() {
    // The dimension that keeps least: what it gives up may be next elsewhere.
    for (size_t d = 0; d < now_.size(); ++d) {
      const size_t kept = CommonPrefix(now_[d], to_[d]);
      if (kept == now_[d].size()) continue;
      const std::vector<int> run(now_[d].begin() + static_cast<int64_t>(kept), now_[d].end());
      AxisLists next = now_;
      next[d].resize(kept);
      const int64_t count = CountOf(axes_, run);
      Add({ExchangeStep::Kind::kAllGather, static_cast<int>(d), 0, run, std::move(next),
           ShardBytes() * (count - 1)});
      return;
    }
  }

  const DeviceAxes& axes_;
  AxisLists now_;
  const AxisLists& to_;
  const int64_t bytes_;
  std::vector<ExchangeStep> steps_;
};

}  // namespace

DeviceAxes::DeviceAxes(std::vector<int64_t> sizes, int64_t partitions)
    : sizes_(std::move(sizes)), strides_(sizes_.size(), 1), partitions_(partitions) {
  for (size_t i = sizes_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * sizes_[i];
}

std::optional<DeviceAxes> DeviceAxes::For(const ShardLayout& a, const ShardLayout& b,
                                          int64_t partitions) {
  // Orders of the factors: 8 devices have one, 24 have four.
  constexpr int kMaxOrders = 64;
  std::vector<int64_t> factors = PrimeFactors(partitions);
  for (int order = 0; order < kMaxOrders; ++order) {
    DeviceAxes axes(factors, partitions);
    if (axes.ListsOf(a).has_value() && axes.ListsOf(b).has_value()) return axes;
    if (!std::next_permutation(factors.begin(), factors.end())) break;
  }
  return std::nullopt;
}

int64_t DeviceAxes::Digit(int64_t partition, int axis) const {
  const auto i = static_cast<size_t>(axis);
  return partition / strides_[i] % sizes_[i];
}

std::optional<AxisLists> DeviceAxes::ListsOf(const ShardLayout& layout) const {
  AxisLists lists(layout.counts.size());
  for (size_t d = 0; d < lists.size(); ++d) {
    if (layout.counts[d] == 1) continue;
    if (layout.Position(0, d) != 0) return std::nullopt;
    // The step of the position along each axis; a minor axis has a smaller one.
    std::map<int64_t, int, std::greater<>> by_step;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int64_t step = layout.Position(strides_[i], d);
      if (step != 0 && !by_step.emplace(step, static_cast<int>(i)).second) return std::nullopt;
    }
    for (const auto& [step, axis] : by_step) lists[d].push_back(axis);
  }
  if (LayoutOf(lists).shard_of != layout.shard_of) return std::nullopt;
  return lists;
}

ShardLayout DeviceAxes::LayoutOf(const AxisLists& lists) const {
  ShardLayout layout;
  std::vector<int> used;
  for (const std::vector<int>& list : lists) {
    layout.counts.push_back(CountOf(*this, list));
    used.insert(used.end(), list.begin(), list.end());
  }
  for (int64_t p = 0; p < partitions_; ++p) {
    int64_t shard = 0;
    for (const int axis : used) shard = shard * size(axis) + Digit(p, axis);
    layout.shard_of.push_back(shard);
  }
  layout.groups = Groups(used);
  return layout;
}

std::vector<std::vector<int64_t>> DeviceAxes::Groups(absl::Span<const int> axes) const {
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> groups;  // by the first partition
  for (int64_t p = 0; p < partitions_; ++p) {
    int64_t first = p, rank = 0;
    for (const int axis : axes) {
      first -= Digit(p, axis) * strides_[static_cast<size_t>(axis)];
      rank = rank * size(axis) + Digit(p, axis);
    }
    groups[first].emplace_back(rank, p);
  }
  std::vector<std::vector<int64_t>> result;
  for (auto& [first, members] : groups) {
    std::sort(members.begin(), members.end());
    std::vector<int64_t>& group = result.emplace_back();
    for (const auto& [rank, p] : members) group.push_back(p);
  }
  return result;
}

std::vector<ExchangeStep> ReshardChain(const DeviceAxes& axes, AxisLists from, const AxisLists& to,
                                       int64_t bytes) {
  return ExchangeChain(axes, std::move(from), to, bytes).Run();
}

}  // namespace xla::spmd

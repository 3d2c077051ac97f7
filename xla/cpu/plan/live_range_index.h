// SPDX-License-Identifier: Apache-2.0
// An index of blocks of memory by their live ranges, in positions of the schedule.
#ifndef XLA_CPU_PLAN_LIVE_RANGE_INDEX_H_
#define XLA_CPU_PLAN_LIVE_RANGE_INDEX_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "xla/cpu/plan/schedule_builder.h"

namespace xla::cpu {

// Holds ranges in buckets of equal numbers of positions, so that overlapping ranges are found
// without looking at all.
class LiveRangeIndex {
 public:
  // Expects about `count` ranges of positions up to `last`.
  LiveRangeIndex(int32_t last, size_t count) {
    const auto buckets = static_cast<int32_t>(std::sqrt(static_cast<double>(count))) + 1;
    width_ = last / buckets + 1;
    buckets_.resize(static_cast<size_t>(last / width_) + 1);
  }

  void Add(const LiveRange& range, size_t block) {
    for (size_t i = BucketOf(range.begin); i <= BucketOf(range.end); ++i)
      buckets_[i].push_back({range, block});
  }

  // Calls f(block) for each block with a range that shares a position with this one, possibly
  // several times.
  template <typename F>
  void ForEachOverlap(const LiveRange& range, F f) const {
    for (size_t i = BucketOf(range.begin); i <= BucketOf(range.end); ++i) {
      for (const Entry& entry : buckets_[i]) {
        if (entry.range.begin <= range.end && range.begin <= entry.range.end) f(entry.block);
      }
    }
  }

 private:
  struct Entry {
    LiveRange range;
    size_t block;
  };

  size_t BucketOf(int32_t position) const { return static_cast<size_t>(position / width_); }

  int32_t width_;
  std::vector<std::vector<Entry>> buckets_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_LIVE_RANGE_INDEX_H_

// SPDX-License-Identifier: Apache-2.0
// Shard layouts as axes: digits of a partition's number in a mixed radix, of which each dimension
// of an array has a list. A chain of collectives moves axes between these lists.
#ifndef XLA_SPMD_DEVICE_AXES_H_
#define XLA_SPMD_DEVICE_AXES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/spmd/shard_layout.h"

namespace xla::spmd {

// The axes of all dimensions of an array, each major to minor.
using AxisLists = std::vector<std::vector<int>>;

class DeviceAxes {
 public:
  // The radix in which both layouts have axes; none if there is none. Neither has partial groups.
  static std::optional<DeviceAxes> For(const ShardLayout& a, const ShardLayout& b,
                                       int64_t partitions);

  // None if some dimension is not divided along axes.
  std::optional<AxisLists> ListsOf(const ShardLayout& layout) const;
  ShardLayout LayoutOf(const AxisLists& lists) const;
  int64_t size(int axis) const { return sizes_[static_cast<size_t>(axis)]; }
  int64_t Digit(int64_t partition, int axis) const;
  // The partitions that differ only along `axes`, in their order, major first.
  std::vector<std::vector<int64_t>> Groups(absl::Span<const int> axes) const;

 private:
  DeviceAxes(std::vector<int64_t> sizes, int64_t partitions);

  std::vector<int64_t> sizes_, strides_;
  int64_t partitions_;
};

// A step of a chain from one layout to another.
struct ExchangeStep {
  enum class Kind : uint8_t { kSlice, kAllToAll, kPermute, kAllGather };
  Kind kind;
  int from = 0, to = 0;   // dimensions: kAllToAll moves axes from the one to the other
  std::vector<int> axes;  // kAllToAll, kAllGather: the minor axes of dimension `from`
  AxisLists result;
  int64_t bytes = 0;  // that a device receives
};

// The chain: slices first, then axes that move between dimensions, permutations of shards of one
// size, and gathers of what is left. `bytes`: of the full array.
std::vector<ExchangeStep> ReshardChain(const DeviceAxes& axes, AxisLists from, const AxisLists& to,
                                       int64_t bytes);

}  // namespace xla::spmd

#endif  // XLA_SPMD_DEVICE_AXES_H_

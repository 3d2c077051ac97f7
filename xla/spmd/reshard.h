// SPDX-License-Identifier: Apache-2.0
// From one sharding of an array to another over the same mesh: the cheapest chain of collectives
// that was found, and what it costs.
//
//   [{'x'}, {}] -> [{}, {'x'}]       all-to-all 'x': 0->1
//   [{'x'}, {}] -> [{'y'}, {}]       collective-permute, if 'x' and 'y' have one size
//   [{}], unreduced={'x'} -> [{'x'}] reduce-scatter 'x': 0
//
// At most: all-slice, reduce-scatter, all-reduce, then moves that keep the size of shards
// (collective-permutes and all-to-alls), all-gather. No step before the all-gather has more data on a
// device than the larger of the shards before and after, unless they are padded differently: then the
// dimension is gathered first.
#ifndef XLA_SPMD_RESHARD_H_
#define XLA_SPMD_RESHARD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/shape.h"

namespace xla::spmd {

struct ReshardStep {
  enum class Kind : uint8_t {
    kAllSlice,           // each device keeps its part along the axes: nothing is sent
    kReduceScatter,      // of unreduced axes, which then divide dimensions
    kAllReduce,          // of unreduced axes
    kCollectivePermute,  // shards go to other devices, whole
    kAllToAll,           // axes move from the minor end of some dimensions to that of others
    kAllGather,          // of axes at the minor end of dimensions
    kToUnreduced,        // replicated axes become unreduced: nothing is sent
  };
  static constexpr int64_t kNone = -1;
  // Axes that leave a dimension, if any, for another, if any.
  struct Move {
    std::vector<AxisRef> axes;
    int64_t from_dim = kNone, to_dim = kNone;
  };

  Kind kind;
  std::vector<Move> moves;  // empty for a collective-permute
  NamedSharding result;     // how the array is sharded afterwards
  // The sizes of the array's dimensions with the padding at their ends, which the shards of the
  // result divide evenly. Shards of the source and the target have ceil(size / number of shards).
  std::vector<int64_t> padded;
};

// The steps, none if both are the same but for what does not matter to where data is: open
// dimensions, priorities, replicated axes. Errors: shardings of other ranks than the shape, over
// meshes of other axes, with different manual axes, or of one device; unreduced axes of two kinds
// of reduction.
// Meshes may order devices differently.
absl::StatusOr<std::vector<ReshardStep>> PlanReshard(const NamedSharding& from,
                                                     const NamedSharding& to, const Shape& shape);

// The bytes of the shard of a device, where dimensions are rounded up; that after a step.
int64_t ShardBytes(const NamedSharding& sharding, const Shape& shape);
int64_t ShardBytes(const ReshardStep& step, const Shape& shape);

// The bytes that the device receives which receives most, with ring or direct algorithms.
int64_t BytesReceived(const NamedSharding& from, absl::Span<const ReshardStep> steps,
                      const Shape& shape);

// "all-to-all {'x':0->1}" for each, on lines of their own.
std::string ReshardToString(absl::Span<const ReshardStep> steps);

}  // namespace xla::spmd

#endif  // XLA_SPMD_RESHARD_H_

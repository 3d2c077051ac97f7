// SPDX-License-Identifier: Apache-2.0
// Rows along a divided dimension that partitions need, and which shards have them.
#ifndef XLA_SPMD_ROW_RANGE_H_
#define XLA_SPMD_ROW_RANGE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace xla::spmd {

// Rows along a dimension that partitions need of a sharded array, by their positions there.
struct RowRange {
  int64_t dimension = 0;
  std::vector<int64_t> starts;  // of each position; may be outside of the array
  int64_t length = 0;           // the same for all
  int64_t limit = 0;            // the rows that the array has, without padding
  int64_t begin = 0;            // those before that are not needed
  // The first and the end of those that matter to each position; empty: all of the range.
  std::vector<std::pair<int64_t, int64_t>> needed;

  // The first and the end of the rows of the array that a position needs; none if these are equal.
  std::pair<int64_t, int64_t> RowsOf(int64_t position) const;
};

// Rows of the shard at some distance, of which some position needs each.
struct RowPiece {
  int64_t low = 0, high = 0;  // in that shard
  std::vector<bool> needed;   // by positions, of any of the rows
};
using RowPieces = std::map<int64_t, RowPiece>;  // by distance
// What ranges need of shards of `size` rows at `count` positions.
RowPieces PiecesOf(const RowRange& range, int64_t size, int64_t count);

}  // namespace xla::spmd

#endif  // XLA_SPMD_ROW_RANGE_H_

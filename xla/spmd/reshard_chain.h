// SPDX-License-Identifier: Apache-2.0
// Chains of collectives over digits: internal to PlanReshard.
//
// A digit is a sub-axis of prime size. A layout says which digits divide each dimension, major to
// minor. Chain applies collectives to a layout, adds up what they cost and checks that each is
// possible; reshard_search.cc looks for the cheapest chain.
#ifndef XLA_SPMD_RESHARD_CHAIN_H_
#define XLA_SPMD_RESHARD_CHAIN_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/spmd/reshard.h"

namespace xla::spmd {

using DigitList = std::vector<int>;     // major to minor
using Layout = std::vector<DigitList>;  // of each dimension

struct ReshardProblem {
  std::vector<int64_t> sizes;       // of digits: primes
  std::vector<bool> is_unreduced;   // digits that the source leaves unreduced and the target not
  std::vector<int64_t> dimensions;  // of the array
  int64_t element_bits = 8;
  Layout from, to;
  bool reorders_devices = false;  // the meshes differ: a collective-permute is needed

  int64_t Count(const DigitList& digits) const {
    int64_t count = 1;
    for (const int digit : digits) count *= sizes[static_cast<size_t>(digit)];
    return count;
  }
};

struct DigitMove {
  int digit;
  int64_t from_dim, to_dim;  // ReshardStep::kNone: none
};

struct ChainStep {
  ReshardStep::Kind kind;
  std::vector<DigitMove> moves;
  Layout result;
  std::vector<int64_t> padded;  // the sizes of dimensions, with padding at the end
};

class Chain {
 public:
  explicit Chain(const ReshardProblem& problem);

  // Appends digits to dimensions, in order: replicated ones by slices, unreduced ones by
  // reduce-scatters; then adds up the unreduced ones that divide no dimension.
  void SliceAndReduce(const Layout& added);
  // To another layout of as many shards in each dimension. No step if it is the same.
  void Permute(const Layout& target);
  // Digits at the minor end of dimensions, in any order there, go to the minor end of others, in
  // the order of `moves`.
  void AllToAll(const std::vector<std::pair<int, int64_t>>& moves);
  // Keeps that many digits of each dimension.
  void AllGather(const std::vector<size_t>& kept);

  // Whether all steps were possible, and the target is reached. A dimension is padded to a multiple
  // of its shards, and keeps that size while it is divided: it must be the one that the target
  // has, too, unless the dimension is undivided in between.
  bool ReachesTarget() const;
  int64_t cost() const { return cost_; }
  const Layout& layout() const { return layout_; }
  const std::vector<ChainStep>& steps() const { return steps_; }
  std::vector<ChainStep> TakeSteps() { return std::move(steps_); }

 private:
  // Goes on with another layout, into which every dimension must be able to change.
  void Add(ReshardStep::Kind kind, std::vector<DigitMove> moves, Layout result);
  int64_t CanonicalSize(size_t dimension, int64_t shards) const;
  int64_t ShardBytes() const;

  const ReshardProblem& problem_;
  Layout layout_;
  std::vector<int64_t> padded_;
  std::vector<ChainStep> steps_;
  int64_t cost_ = 0;
  bool is_possible_ = true;
  bool has_permuted_ = false;
};

// What a device receives in a step with groups of `n` devices.
int64_t StepBytes(ReshardStep::Kind kind, int64_t bytes_before, int64_t bytes_after, int64_t n);

// The cheapest chain that was found. There always is one.
std::vector<ChainStep> CheapestChain(const ReshardProblem& problem);

}  // namespace xla::spmd

#endif  // XLA_SPMD_RESHARD_CHAIN_H_

// SPDX-License-Identifier: Apache-2.0
// The time of a collective by the alpha-beta model, and the bytes that it sends on each level of
// the network. With n bytes, p ranks, and per level alpha (seconds a message), beta (seconds a
// byte), gamma (seconds a byte combined):
//
//   collective       ring                                        doubling
//   all-reduce       2(p-1)a + 2nb(p-1)/p + ng(p-1)/p            lg p (a + nb + ng), or halving:
//                                                                2 lg p a + 2nb(p-1)/p + ng(p-1)/p
//   reduce-scatter   (p-1)a + nb(p-1)/p + ng(p-1)/p              lg p a + the same
//   all-gather       (p-1)a + nb(p-1)/p                          lg p a + the same
//   broadcast        (lg p + p-1)a + 2nb(p-1)/p                  lg p (a + nb)
//   all-to-all       (p-1)a + nb(p-1)/p, pairwise                lg p (a + nb/2)
//   permute          a + nb
//
// n: what a device brings; of all-gather what it gets. lg p is rounded up: for other numbers than
// powers of two, Bruck's algorithms have as many messages. Sources: Thakur, Rabenseifner, Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005; Chan, Heimlich,
// Purkayastha, van de Geijn, "Collective communication: theory, practice, and experience", 2007;
// Bruck et al., "Efficient algorithms for all-to-all communications", 1997.
//
// On several levels: "hierarchy" works level by level, so that a reduction on an outer level has
// what is left of n after those within (Thakur et al., section 6; Chan et al., section 7).
// A flat ring passes each unit's boundary once. Where more devices send from one unit than the
// level has links (width), they share these. The cheapest algorithm counts.
//
// Where devices share memory ("meeting"), one of them moves everything: (p-1)a + mb + (p-1)ng with
// m the bytes of all results that it copies. Where each exchanges with each other one ("direct"), a
// round takes (p-1)a, and each copies what it receives: an all-reduce takes one round of whole
// arrays, or two of parts.
#ifndef XLA_SPMD_PLAN_COLLECTIVES_H_
#define XLA_SPMD_PLAN_COLLECTIVES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "xla/spmd/machine_levels.h"

namespace xla::spmd {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,
  kPermute,
};

struct CollectiveCost {
  std::string algorithm;
  double alpha = 0, beta = 0, gamma = 0;  // seconds: of messages, of bytes, of combining
  // Bytes that a device sends, on average over the group, by the level that they pass.
  std::vector<double> bytes_by_level;

  double seconds() const { return alpha + beta + gamma; }
  double bytes() const;
};

// All groups work at the same time. `members`: see MembersByLevel; `devices`: those of the run.
// Any kind but kPermute. A group of one costs nothing.
CollectiveCost CostOfCollective(CollectiveKind kind, double bytes,
                                absl::Span<const int64_t> members,
                                const MachineDescription& machine, int64_t devices);

// Of a permutation, or of messages from some devices to others. Linear time.
CollectiveCost CostOfPairs(double bytes, absl::Span<const std::pair<int64_t, int64_t>> pairs,
                           const MachineDescription& machine, int64_t devices);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_COLLECTIVES_H_

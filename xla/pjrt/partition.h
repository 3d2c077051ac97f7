// SPDX-License-Identifier: Apache-2.0
// From a program on global values, annotated with shardings, to the program of one partition.
#ifndef XLA_PJRT_PARTITION_H_
#define XLA_PJRT_PARTITION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"

namespace xla::pjrt {

// How the leaves of parameters and results are divided, in order.
struct ProgramShardings {
  std::vector<HloSharding> parameters, outputs;
  bool from_callbacks = false;  // functions of the caller were called
};

// Rewrites the module, of config().num_partitions() partitions, so that parameters and results have
// the shapes of shards, and the custom calls Sharding, SPMDFullToShardShape and
// SPMDShardToFullShape are gone. Manual computations work on shards without further communication.
// Elsewhere, elementwise instructions work on shards where their operands are divided alike; what
// other instructions need is gathered, so that every partition computes them in full.
// `may_choose_output[i]` (one value stands for all) allows another sharding of output i than a
// replicated one.
// Custom calls that have a partitioner become its program; InspectSharding is told the sharding.
//
// A dimension of a parameter or result that its tiles do not divide evenly gets fewer tiles, as
// Shardy makes it, if config().use_shardy_partitioner(), and else shards with padding.
//
// Unimplemented for kinds of shardings without tiles.
absl::StatusOr<ProgramShardings> PartitionModule(HloModule* module,
                                                 const std::vector<bool>& may_choose_output);

// The layout of an entry whose parameters and results have become shards. Aliases of a parameter
// and a result that have different shapes now become donations.
absl::Status SetShardSignature(HloModule* module);

// Removes custom calls that only annotate their operand, of programs that are not divided.
absl::Status RemoveAnnotations(HloModule* module);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PARTITION_H_

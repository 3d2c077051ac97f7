// SPDX-License-Identifier: Apache-2.0
// From a program on full values, annotated with shardings, to the program of one partition.
#ifndef XLA_SPMD_PARTITION_H_
#define XLA_SPMD_PARTITION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/passes/pass.h"
#include "xla/spmd/call_partitioner.h"

namespace xla::spmd {

struct PartitionOptions {
  // may_choose_output[i], or the last one for those beyond, allows another sharding of output i
  // than a replicated one if the program states none. Empty: none.
  std::vector<bool> may_choose_output;
  // The same of the leaves of parameters.
  std::vector<bool> may_choose_parameter;
  // Results that would be unreduced are reduced.
  bool complete_outputs = false;
  // ProgramShardings::values is filled.
  bool collect_values = false;
  // Custom calls that the caller partitions. Null: none.
  const CallPartitioner* call_partitioner = nullptr;
};

// A value of the program before it was partitioned.
struct ValueSharding {
  std::string name, shape, sharding;
  bool is_boundary = false;  // a parameter or a result
};

// The shardings of the leaves of parameters and results, in order.
struct ProgramShardings {
  std::vector<HloSharding> parameters, outputs;
  std::vector<ValueSharding> values;  // if PartitionOptions::collect_values
  bool from_callbacks = false;        // functions of a CallPartitioner were called
};

// Rewrites the module, of config().num_partitions() partitions, so that parameters and results have
// the shapes of shards, and the custom calls Sharding, SPMDFullToShardShape and
// SPMDShardToFullShape are gone. Shardings are propagated to all values first (module_shardings.h).
// Manual computations work on shards without further communication. Elsewhere, instructions work on
// shards as their strategies say (sharding_strategy.h), towards the sharding that propagation gave
// their result; what others need is gathered, so that every partition computes them in full.
// Custom calls that have a partitioner become its program; InspectSharding is told the sharding.
//
// A dimension of a parameter or result that its shards do not divide evenly gets fewer shards, as
// Shardy makes it, if config().use_shardy_partitioner(), and else shards with padding.
//
// Unimplemented for kinds of shardings without tiles.
absl::StatusOr<ProgramShardings> PartitionModule(HloModule* module,
                                                 const PartitionOptions& options = {});

// Whether PartitionModule would change how the module's values are laid out: something in it is
// annotated with a sharding.
bool HasShardings(const HloModule& module);

// The number of devices that the shardings of the module are for; 1 without any.
int64_t CountShardedDevices(const HloModule& module);

// PartitionModule as a pass, of modules of several partitions. Results that state no sharding are
// as the partitioner chooses, if the module's configuration allows it. What parameters and results
// were is not known afterwards.
absl::StatusOr<bool> SpmdPartition(HloModule* module);
inline constexpr Pass kSpmdPartition = {
    "spmd-partition", "makes a program with shardings the program of one partition",
    &SpmdPartition};

// The layout of an entry whose parameters and results have become shards. Aliases of a parameter
// and a result that have different shapes now become donations.
absl::Status SetShardSignature(HloModule* module);

// Removes custom calls that only annotate their operand, of programs that are not partitioned.
absl::Status RemoveAnnotations(HloModule* module);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PARTITION_H_

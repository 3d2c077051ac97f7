// SPDX-License-Identifier: Apache-2.0
#include "tools/sharded.h"

#include <memory>
#include <utility>

#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/shard_literals.h"

namespace xla {
namespace {

using DeviceValues = std::vector<const Literal*>;

absl::StatusOr<std::vector<Literal>> Divide(const DeviceValues& full, int64_t partition,
                                            int64_t partitions,
                                            const spmd::ProgramShardings& shardings) {
  std::vector<Literal> shards;
  for (size_t i = 0; i < full.size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Literal shard, spmd::ShardOfLiteral(*full[i], shardings.parameters[i],
                                                             partition, partitions));
    shards.push_back(std::move(shard));
  }
  return shards;
}

}  // namespace

bool IsSharded(const HloModule& module, int64_t partitions) {
  return partitions > 1 && spmd::HasShardings(module);
}

absl::StatusOr<std::vector<Literal>> ExecuteSharded(const HloModule& module, int64_t replicas,
                                                    int64_t partitions,
                                                    absl::Span<const DeviceValues> arguments,
                                                    const ExecuteProgram& execute) {
  const std::unique_ptr<HloModule> local = module.Clone();
  local->config().set_num_partitions(partitions);
  local->config().set_replica_count(replicas);
  XLA_ASSIGN_OR_RETURN(
      const spmd::ProgramShardings shardings,
      spmd::PartitionModule(local.get(), {.may_choose_output = spmd::UnstatedOutputs(*local),
                                          .may_choose_parameter = {spmd::HasNamedShardings(*local)},
                                          .complete_outputs = true}));
  XLA_RETURN_IF_ERROR(VerifyModule(*local));
  std::vector<std::vector<Literal>> shards;
  std::vector<DeviceValues> pointers;
  for (size_t device = 0; device < arguments.size(); ++device) {
    XLA_ASSIGN_OR_RETURN(std::vector<Literal> own,
                         Divide(arguments[device], static_cast<int64_t>(device) % partitions,
                                partitions, shardings));
    shards.push_back(std::move(own));
    DeviceValues& of_device = pointers.emplace_back();
    for (const Literal& shard : shards.back()) of_device.push_back(&shard);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> results, execute(*local, pointers));
  Shape full = module.entry_computation()->root_instruction()->shape();
  std::vector<Literal> assembled;
  for (int64_t r = 0; r < replicas; ++r) {
    const auto own = absl::MakeConstSpan(results).subspan(static_cast<size_t>(r * partitions),
                                                          static_cast<size_t>(partitions));
    XLA_ASSIGN_OR_RETURN(Literal result, spmd::FullResult(own, shardings.outputs, full));
    assembled.push_back(std::move(result));
  }
  return assembled;
}

}  // namespace xla

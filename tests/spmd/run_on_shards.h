// SPDX-License-Identifier: Apache-2.0
// Programs that are partitioned, one partition for each of four devices, and run.
#ifndef TESTS_SPMD_RUN_ON_SHARDS_H_
#define TESTS_SPMD_RUN_ON_SHARDS_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/spmd/partition.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd::testing {

using Values = std::vector<float>;
using Shards = std::vector<Values>;

inline constexpr int kDevices = 4;

inline absl::StatusOr<Shards> PartitionAndRun(std::string_view body, const Shards& arguments) {
  XLA_ASSIGN_OR_RETURN(
      const std::unique_ptr<HloModule> module,
      stablehlo::ReadStableHlo(
          absl::StrCat("module @program attributes {mhlo.num_partitions = 4 : i32} {",
                       absl::string_view(body.data(), body.size()), "}"),
          "program", {.shardy = stablehlo::ShardyForm::kAxes}));
  XLA_RETURN_IF_ERROR(PartitionModule(module.get()).status());
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  std::vector<Literal> literals;
  for (const Values& values : arguments) literals.push_back(LiteralUtil::CreateR1<float>(values));
  std::vector<std::vector<const Literal*>> pointers;
  for (const Literal& literal : literals) pointers.push_back({&literal});
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> outputs,
                       InterpretReplicated(*module, 1, kDevices, pointers, {}));
  Shards results;
  for (const Literal& output : outputs) {
    const auto values = output.data<float>();
    results.emplace_back(values.begin(), values.end());
  }
  return results;
}

// Runs a program of one argument and one result, in the dialects of StableHLO, on shards of the
// argument. Returns "OK" or an error.
inline std::string RunOnShards(std::string_view body, const Shards& arguments, Shards* results) {
  absl::StatusOr<Shards> shards = PartitionAndRun(body, arguments);
  if (!shards.ok()) return shards.status().ToString();
  *results = *std::move(shards);
  return "OK";
}

inline int CountOf(const HloModule& module, HloOpcode opcode) {
  int count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      count += instruction->opcode() == opcode ? 1 : 0;
  }
  return count;
}

}  // namespace xla::spmd::testing

#endif  // TESTS_SPMD_RUN_ON_SHARDS_H_

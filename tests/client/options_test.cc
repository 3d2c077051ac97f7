// SPDX-License-Identifier: Apache-2.0
// What options are if nothing is said.
#include <gtest/gtest.h>

#include "xla/client/client_library.h"
#include "xla/client/executable_build_options.h"
#include "xla/cpu/program.h"
#include "xla/executable_run_options.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/interpreter/interpreter.h"
#include "xla/passes/constant_folding.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {
namespace {

TEST(OptionDefaults, OfBuilds) {
  const ExecutableBuildOptions options;
  EXPECT_EQ(options.device_ordinal(), -1);
  EXPECT_EQ(options.result_layout(), nullptr);
  EXPECT_FALSE(options.has_debug_options());
  EXPECT_EQ(options.device_allocator(), nullptr);
  EXPECT_EQ(options.num_replicas(), 1);
  EXPECT_EQ(options.num_partitions(), 1);
  EXPECT_FALSE(options.use_spmd_partitioning());
  EXPECT_FALSE(options.deduplicate_hlo());
  EXPECT_FALSE(options.alias_passthrough_params());
  EXPECT_TRUE(options.fdo_profile().empty());
  EXPECT_EQ(options.device_memory_size(), 0);
  EXPECT_FALSE(options.use_shardy_partitioner());
  EXPECT_EQ(options.exec_time_optimization_effort(), 0);
  EXPECT_EQ(options.memory_fitting_effort(), 0);
  EXPECT_EQ(options.optimization_level(), ExecutionOptions::EFFORT_UNKNOWN);
  EXPECT_EQ(options.memory_fitting_level(), ExecutionOptions::EFFORT_UNKNOWN);
  EXPECT_FALSE(options.has_device_assignment());
}

TEST(OptionDefaults, OfRuns) {
  const ExecutableRunOptions options;
  EXPECT_EQ(options.device_ordinal(), -1);
  EXPECT_EQ(options.allocator(), nullptr);
  EXPECT_EQ(options.stream(), nullptr);
  EXPECT_EQ(options.intra_op_thread_pool(), nullptr);
  EXPECT_EQ(options.device_assignment(), nullptr);
  EXPECT_EQ(options.rng_seed(), 0);
  EXPECT_EQ(options.launch_id(), 0);
  EXPECT_EQ(options.completion(), nullptr);
  const CpuRunOptions compiled;
  EXPECT_EQ(compiled.custom_calls, nullptr);
  EXPECT_EQ(compiled.memory_limit_bytes, 0);
  const InterpreterOptions interpreted;
  EXPECT_EQ(interpreted.pool, nullptr);
  EXPECT_EQ(interpreted.num_threads, 0);
  EXPECT_EQ(interpreted.cancel, nullptr);
  EXPECT_EQ(interpreted.memory_limit_bytes, 0);
  EXPECT_EQ(interpreted.feeds, nullptr);
  EXPECT_EQ(interpreted.host_channels, nullptr);
  EXPECT_FALSE(interpreted.outputs_are_kept);
  EXPECT_EQ(interpreted.wait_timeout, absl::Seconds(60));
}

TEST(OptionDefaults, OfCompilations) {
  const CpuCompileOptions options;
  EXPECT_EQ(options.pool, nullptr);
  EXPECT_FALSE(options.keep_llvm || options.keep_assembly || options.keep_objects);
  EXPECT_EQ(options.constant_folding, nullptr);
  EXPECT_TRUE(options.cache_directory.empty());
  EXPECT_EQ(options.cancel, nullptr);
  EXPECT_EQ(options.least_shared_bytes, 65536);
  EXPECT_TRUE(options.pipeline.disabled.empty());
  EXPECT_TRUE(options.pipeline.instrumentations.empty());
  EXPECT_EQ(DefaultCpuCompileOptions().constant_folding, &kConstantFolding);
  const ConstantFoldingOptions folding;
  EXPECT_EQ(folding.max_elements, 4096);
  EXPECT_EQ(folding.budget, 4194304);
}

TEST(OptionDefaults, OfTheVerifier) {
  const HloVerifierOptions options;
  EXPECT_FALSE(options.layout_sensitive);
  EXPECT_TRUE(options.allow_mixed_precision);
  EXPECT_FALSE(options.verify_broadcast_dimensions_order);
  EXPECT_FALSE(options.verify_reshape_is_bitcast);
  EXPECT_FALSE(options.verify_call_nested_computation_thread_name);
  EXPECT_FALSE(options.verify_no_host_memory_space);
  EXPECT_FALSE(options.verify_instruction_name_unchanged);
  EXPECT_FALSE(options.verify_no_collective_deadlocks);
  EXPECT_TRUE(options.verify_sharding_device_numbers);
  EXPECT_TRUE(options.check_replica_groups);
  EXPECT_FALSE(options.allow_bitcast_to_have_different_size);
  EXPECT_TRUE(options.allow_unbounded_dynamism);
}

TEST(OptionDefaults, OfClients) {
  const LocalClientOptions options;
  EXPECT_EQ(options.platform(), nullptr);
  EXPECT_EQ(options.number_of_replicas(), 1);
  EXPECT_EQ(options.intra_op_parallelism_threads(), -1);
  EXPECT_FALSE(options.allowed_devices().has_value());
}

}  // namespace
}  // namespace xla

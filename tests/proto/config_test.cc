// SPDX-License-Identifier: Apache-2.0
// HloModuleConfig as a proto, and from what a caller asks of an execution.
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"
#include "xla/xla.pb.h"

namespace xla {
namespace {

// What ExecutionOptions and the proto of a config share, each field not its default.
void ExpectRequests(const HloModuleConfig& config) {
  EXPECT_EQ(config.seed(), 7);
  EXPECT_EQ(config.replica_count(), 3);
  EXPECT_EQ(config.num_partitions(), 2);
  EXPECT_EQ(config.fdo_profile(), "profile");
  EXPECT_EQ(config.device_memory_size(), 4096);
  EXPECT_TRUE(config.use_shardy_partitioner());
  EXPECT_EQ(config.exec_time_optimization_effort(), -1.5f);
  EXPECT_EQ(config.memory_fitting_effort(), 0.5f);
  EXPECT_EQ(config.optimization_level(), ExecutionOptions::EFFORT_O1);
  EXPECT_EQ(config.memory_fitting_level(), ExecutionOptions::EFFORT_O3);
}

TEST(ModuleConfig, IsTheSameFromItsProto) {
  HloModuleConfig config;
  config.set_seed(7);
  config.set_replica_count(3);
  config.set_num_partitions(2);
  config.set_use_spmd_partitioning(true);
  config.set_alias_passthrough_params(true);
  config.set_allow_spmd_sharding_propagation_to_parameters({true, false, true});
  config.set_allow_spmd_sharding_propagation_to_output({false, true});
  config.set_fdo_profile("profile");
  config.set_device_memory_size(4096);
  config.set_use_shardy_partitioner(true);
  config.set_exec_time_optimization_effort(-1.5f);
  config.set_memory_fitting_effort(0.5f);
  config.set_optimization_level(ExecutionOptions::EFFORT_O1);
  config.set_memory_fitting_level(ExecutionOptions::EFFORT_O3);
  ProgramShape layout;
  layout.AddParameter(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}), "x");
  *layout.mutable_result() = ShapeUtil::MakeShape(S32, {});
  config.set_entry_computation_layout(layout);
  DebugOptions debug_options;
  debug_options.set_xla_dump_to("folder");
  config.set_debug_options(debug_options);
  ASSERT_OK_AND_ASSIGN(const auto again, HloModuleConfig::CreateFromProto(config.ToProto()));
  ExpectRequests(*again);
  EXPECT_EQ(again->debug_options().xla_dump_to(), "folder");
  EXPECT_TRUE(again->use_spmd_partitioning());
  EXPECT_TRUE(again->alias_passthrough_params());
  EXPECT_EQ(again->ToProto().SerializeAsString(), config.ToProto().SerializeAsString());
  EXPECT_EQ(again->entry_computation_layout().parameters(0), layout.parameters(0));
}

TEST(ModuleConfig, OfAnEmptyProtoIsTheDefault) {
  ASSERT_OK_AND_ASSIGN(const auto config, HloModuleConfig::CreateFromProto(HloModuleConfigProto()));
  EXPECT_EQ(config->replica_count(), 1);
  EXPECT_EQ(config->num_partitions(), 1);
  EXPECT_FALSE(config->has_entry_computation_layout());
}

TEST(ModuleConfig, FollowsExecutionOptions) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(
                                              "HloModule m\n"
                                              "ENTRY e { ROOT x = f32[2,3]{0,1} parameter(0) }"));
  const HloModuleProto proto = module->ToProto();
  ASSERT_OK_AND_ASSIGN(HloModuleConfig config,
                       HloModule::CreateModuleConfigFromProto(proto, DebugOptions()));
  EXPECT_EQ(config.replica_count(), 1);
  EXPECT_EQ(config.num_partitions(), 1);
  EXPECT_EQ(config.entry_computation_layout().result().layout().minor_to_major(0), 0);

  ExecutionOptions options;  // without counts: those of the program
  ASSERT_OK_AND_ASSIGN(config,
                       HloModule::CreateModuleConfigFromProto(proto, DebugOptions(), &options));
  EXPECT_EQ(config.replica_count(), 1);
  EXPECT_EQ(config.num_partitions(), 1);

  options.set_seed(7);
  options.set_num_replicas(3);
  options.set_num_partitions(2);
  options.set_fdo_profile("profile");
  options.set_device_memory_size(4096);
  options.set_use_shardy_partitioner(true);
  options.set_exec_time_optimization_effort(-1.5f);
  options.set_memory_fitting_effort(0.5f);
  options.set_optimization_level(ExecutionOptions::EFFORT_O1);
  options.set_memory_fitting_level(ExecutionOptions::EFFORT_O3);
  ASSERT_OK_AND_ASSIGN(config,
                       HloModule::CreateModuleConfigFromProto(proto, DebugOptions(), &options));
  ExpectRequests(config);
}

}  // namespace
}  // namespace xla

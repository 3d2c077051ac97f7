// SPDX-License-Identifier: Apache-2.0
// Custom calls that functions of the caller partition, and calls that report shardings.
#include "xla/pjrt/custom_partitioner.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "tests/pjrt/plugin.h"
#include "tests/pjrt/shards.h"
#include "tests/test_util.h"
#include "xla/shape.h"
#include "xla/xla_data.pb.h"

namespace xla::pjrt::testing {
namespace {

HloSharding ReadSharding(const JAX_CustomCallPartitioner_string& text) {
  OpSharding proto;
  EXPECT_TRUE(proto.ParseFromString(std::string(text.data, text.size)));
  return HloSharding::FromProto(proto).value();
}

std::string ReadShape(const JAX_CustomCallPartitioner_string& text) {
  ShapeProto proto;
  EXPECT_TRUE(proto.ParseFromString(std::string(text.data, text.size)));
  return Shape::FromProto(proto).value().ToString();
}

// A partitioner that is told what to answer, and remembers what it was asked.
struct Partitioner {
  explicit Partitioner(const char* target) {
    callbacks.private_data = this;
    callbacks.partition = &Partition;
    callbacks.infer_sharding = &Infer;
    auto args = New<PJRT_Register_Custom_Partitioner_Args>();
    args.name = target;
    args.name_size = std::strlen(target);
    args.callbacks = &callbacks;
    const PJRT_Extension_Base* extension = Api().extension_start;
    while (extension->type != PJRT_Extension_Type_Custom_Partitioner) extension = extension->next;
    registered = TextOf(reinterpret_cast<const PJRT_Custom_Partitioner_Extension*>(extension)
                            ->register_custom_partitioner(&args));
  }

  static void Partition(JAX_CustomCallPartitioner_Callbacks* callbacks,
                        JAX_CustomCallPartitioner_Partition_Args* args) {
    auto* self = static_cast<Partitioner*>(callbacks->private_data);
    args->header.data = self;
    args->header.cleanup_fn = [](void* data) { ++static_cast<Partitioner*>(data)->cleanups; };
    self->asked.clear();
    for (size_t i = 0; i < args->num_args; ++i) {
      absl::StrAppend(&self->asked, ReadShape(args->op_args[i].shape), " ",
                      ReadSharding(args->op_args[i].sharding).ToString(), ", ");
    }
    absl::StrAppend(&self->asked, "to ", ReadShape(args->op_result.shape), " ",
                    ReadSharding(args->op_result.sharding).ToString(), ": ",
                    std::string(args->backend_config.data, args->backend_config.size));
    if (!self->error.empty()) {
      args->header.has_error = true;
      args->header.code = static_cast<PJRT_Error_Code>(13);
      args->header.error_msg = {self->error.data(), self->error.size()};
      return;
    }
    args->mlir_module = {self->program.data(), self->program.size()};
    self->texts.clear();
    self->shardings.clear();
    self->texts.reserve(self->operands.size() + 1);
    for (const HloSharding& sharding : self->operands) {
      self->texts.push_back(sharding.ToProto().SerializeAsString());
      self->shardings.push_back({self->texts.back().data(), self->texts.back().size()});
    }
    args->args_sharding = self->shardings.data();
    self->texts.push_back(self->result.ToProto().SerializeAsString());
    args->result_sharding = {self->texts.back().data(), self->texts.back().size()};
  }

  static void Infer(JAX_CustomCallPartitioner_Callbacks* callbacks,
                    JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args) {
    auto* self = static_cast<Partitioner*>(callbacks->private_data);
    self->inferred = self->operands[0].ToProto().SerializeAsString();
    args->has_result_sharding = true;
    args->result_sharding = {self->inferred.data(), self->inferred.size()};
  }

  JAX_CustomCallPartitioner_Callbacks callbacks = {};
  std::string registered;
  std::string program, error;
  std::vector<HloSharding> operands;
  HloSharding result = HloSharding::Replicate();
  std::string asked, inferred;
  int cleanups = 0;
  std::vector<std::string> texts;
  std::vector<JAX_CustomCallPartitioner_string> shardings;
};

// One for all tests: a partitioner stays until the process ends.
Partitioner& TestPartitioner() {
  static auto* const partitioner = new Partitioner("test_partitioned");
  partitioner->error.clear();
  return *partitioner;
}

HloSharding Tiled(std::vector<int64_t> dims) {
  std::vector<int64_t> devices;
  for (int64_t d = 0; d < kDevices; ++d) devices.push_back(d);
  return HloSharding::Tile(TileAssignment::Create(dims, devices).value());
}

// Each partition adds the sum of all shards to its own.
constexpr char kAddSum[] = R"(
module @local {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %sum = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %sum : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = call @add(%a, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @add(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

// Two calls, so that two collectives need channels of their own.
std::string TwoCalls(std::string_view rule) {
  return absl::Substitute(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0 = stablehlo.custom_call @test_partitioned(%a) {backend_config = "key"$0}
        : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @test_partitioned(%0) {backend_config = "key"$0}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  })",
                          absl::string_view(rule.data(), rule.size()));
}

constexpr char kRule[] = ", sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}, custom>";
const Shards kArguments = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
// The columns add up to 16 and 20; then to 80 and 100.
const Shards kResults = {{97, 122}, {99, 124}, {101, 126}, {103, 128}};

TEST(CustomPartitionerTest, ItsProgramTakesThePlaceOfTheCall) {
  Partitioner& partitioner = TestPartitioner();
  ASSERT_EQ(partitioner.registered, "OK");
  partitioner.program = kAddSum;
  partitioner.operands = {Tiled({4})};
  partitioner.result = Tiled({4});
  for (const char* rule : {"", kRule}) {
    partitioner.cleanups = 0;
    Shards results;
    ASSERT_EQ(RunOnShards(TwoCalls(rule), kArguments, &results), "OK");
    // The partitioner's own shardings list devices; what a rule gives is an iota.
    EXPECT_EQ(partitioner.asked, absl::StrCat("f32[8] {devices=[4]0,1,2,3}, to f32[8] {devices=[4]",
                                              *rule == '\0' ? "0,1,2,3" : "<=[4]", "}: key"));
    EXPECT_EQ(results, kResults);
    // Without a rule, the partitioner is also asked for the sharding of the result.
    EXPECT_EQ(partitioner.cleanups, 2);
  }
}

TEST(CustomPartitionerTest, ShardsAreMovedToItsShardings) {
  Partitioner& partitioner = TestPartitioner();
  partitioner.program = R"(
module @local {
  func.func public @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
    %0 = stablehlo.slice %a [2:4] : (tensor<8xf32>) -> tensor<2xf32>
    return %a, %0 : tensor<8xf32>, tensor<2xf32>
  }
})";
  partitioner.operands = {HloSharding::Replicate()};
  partitioner.result = HloSharding::Tuple({HloSharding::Replicate(), Tiled({4})});
  Shards results;
  ASSERT_EQ(RunOnShards(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0:2 = stablehlo.custom_call @test_partitioned(%a) {sdy.sharding_rule =
        #sdy.op_sharding_rule<([i])->([i], [j]) {i=8, j=8}, custom>}
        : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
    return %1 : tensor<8xf32>
  })",
                        kArguments, &results),
            "OK");
  EXPECT_EQ(
      partitioner.asked,
      "f32[8] {devices=[4]<=[4]}, to (f32[8], f32[8]) {{devices=[4]<=[4]}, {devices=[4]<=[4]}}: ");
  EXPECT_EQ(results, (Shards{{4, 6}, {6, 8}, {8, 10}, {10, 12}}));
}

TEST(CustomPartitionerTest, CallsInLoopsArePartitioned) {
  Partitioner& partitioner = TestPartitioner();
  partitioner.program = kAddSum;
  partitioner.operands = {Tiled({4})};
  partitioner.result = Tiled({4});
  Shards results;
  ASSERT_EQ(RunOnShards(absl::Substitute(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8xf32>
    cond {
      %0 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    } do {
      %0 = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.custom_call @test_partitioned(%x) {backend_config = "key"$0}
          : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %0, %1 : tensor<i32>, tensor<8xf32>
    }
    return %r#1 : tensor<8xf32>
  })",
                                         kRule),
                        kArguments, &results),
            "OK");
  EXPECT_EQ(results, kResults);
}

TEST(CustomPartitionerTest, ItsErrorsAreThoseOfTheCompiler) {
  Partitioner& partitioner = TestPartitioner();
  partitioner.error = "no such partition";
  Shards results;
  EXPECT_EQ(RunOnShards(TwoCalls(kRule), kArguments, &results), "no such partition");
  partitioner.error.clear();
  partitioner.operands = {HloSharding::Replicate()};
  partitioner.program = kAddSum;
  EXPECT_EQ(RunOnShards(TwoCalls(kRule), kArguments, &results),
            "a partitioner's program takes f32[2] where its sharding says f32[8]");
  partitioner.operands = {Tiled({4})};
  partitioner.result = HloSharding::Replicate();
  EXPECT_EQ(RunOnShards(TwoCalls(kRule), kArguments, &results),
            "a partitioner's program returns f32[2] where its sharding says f32[8]");
  partitioner.program = "module @local { func.func public @main() { return } }";
  EXPECT_NE(
      RunOnShards(TwoCalls(kRule), kArguments, &results).find("has 0 parameters for 1 operands"),
      std::string::npos);
  EXPECT_NE(RunOnShards(TwoCalls(", sdy.sharding_rule = #sdy.op_sharding_rule<([i])>"), kArguments,
                        &results)
                .find("expected '->', found"),
            std::string::npos);
}

// What it answers is part of the program: it may be gone when the program is loaded.
TEST(CustomPartitionerTest, SerializedProgramsNeedItNoMore) {
  Partitioner& partitioner = TestPartitioner();
  partitioner.program = kAddSum;
  partitioner.operands = {Tiled({4})};
  partitioner.result = Tiled({4});
  Plugin plugin(kDevices);
  std::string error;
  auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = CompileForAll(plugin, TwoCalls(kRule), &error);
  ASSERT_NE(get.loaded_executable, nullptr) << error;
  ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
  auto serialize = New<PJRT_Executable_Serialize_Args>();
  serialize.executable = get.executable;
  ASSERT_CALL_OK(Api().PJRT_Executable_Serialize(&serialize));
  partitioner.error = "gone";
  auto load = New<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = plugin.client;
  load.serialized_executable = serialize.serialized_bytes;
  load.serialized_executable_size = serialize.serialized_bytes_size;
  ASSERT_CALL_OK(Api().PJRT_Executable_DeserializeAndLoad(&load));
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  auto destroy = New<PJRT_Executable_Destroy_Args>();
  destroy.executable = get.executable;
  EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
  plugin.executables.push_back(load.loaded_executable);
  Shards results;
  ASSERT_EQ(RunOnAll(plugin, load.loaded_executable, kArguments, &results), "OK");
  EXPECT_EQ(results, kResults);
}

TEST(CustomPartitionerTest, RegistrationsAreChecked) {
  Partitioner& partitioner = TestPartitioner();
  JAX_CustomCallPartitioner_Callbacks callbacks = partitioner.callbacks;
  callbacks.version = 1;
  EXPECT_NE(RegisterPartitioner("other", &callbacks).ToString().find("version 1"),
            std::string::npos);
  callbacks.version = 0;
  callbacks.partition = nullptr;
  EXPECT_NE(RegisterPartitioner("other", &callbacks).ToString().find("no functions"),
            std::string::npos);
}

// --- InspectSharding
struct Inspection {
  std::string sharding;
  const char* error = nullptr;
};

void Inspect(void* data, JAX_InspectSharding_Callback_Args* args) {
  auto* inspection = static_cast<Inspection*>(data);
  inspection->sharding = ReadSharding({args->sharding_spec, args->sharding_spec_size}).ToString();
  args->error_txt = inspection->error;
}

std::string InspectingProgram(std::string_view config) {
  std::string escaped;
  for (const char c : config) {
    absl::StrAppend(&escaped, "\\", absl::BytesToHexString(std::string(1, c)));
  }
  return absl::Substitute(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {
    %0 = stablehlo.add %a, %a : tensor<8xf32>
    %1 = stablehlo.custom_call @InspectSharding(%0) {backend_config = "$0", has_side_effect = true}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  })",
                          escaped);
}

TEST(CustomPartitionerTest, ShardingsAreReported) {
  Inspection inspection;
  const JAX_InspectSharding_Callback callback = {&Inspect, &inspection};
  std::string config(sizeof(callback), '\0');
  std::memcpy(config.data(), &callback, sizeof(callback));
  Shards results;
  ASSERT_EQ(RunOnShards(InspectingProgram(config), kArguments, &results), "OK");
  EXPECT_EQ(inspection.sharding, "{devices=[4]<=[4]}");
  EXPECT_EQ(results, (Shards{{2, 4}, {6, 8}, {10, 12}, {14, 16}}));
  inspection.error = "not so";
  EXPECT_EQ(RunOnShards(InspectingProgram(config), kArguments, &results),
            "Error calling inspect_sharding: not so");
  EXPECT_NE(RunOnShards(InspectingProgram("short"), kArguments, &results).find("not 5"),
            std::string::npos);
}

}  // namespace
}  // namespace xla::pjrt::testing

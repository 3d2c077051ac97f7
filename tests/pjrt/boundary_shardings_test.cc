// SPDX-License-Identifier: Apache-2.0
// How parameters and results are divided: as stated, as propagated, and where tiles do not divide a
// dimension evenly. XLA's CPU plugin gives the same shards.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "tests/pjrt/plugin.h"
#include "tests/pjrt/shards.h"
#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/pjrt/proto/compile_options.pb.h"

namespace xla::pjrt::testing {
namespace {

// Runs a program on four devices, with `shard` on each; the result's dimensions and values on the
// first and the last, or the error.
std::string Run(std::string_view code, std::string_view format, bool shardy,
                const std::vector<Values>& shards, const std::vector<int64_t>& dims) {
  Plugin plugin(kDevices);
  CompileOptionsProto options;
  auto* build = options.mutable_executable_build_options();
  build->set_num_replicas(1);
  build->set_num_partitions(kDevices);
  build->set_use_spmd_partitioning(true);
  build->set_use_shardy_partitioner(shardy);
  std::string error;
  PJRT_LoadedExecutable* executable =
      plugin.Compile(code, &error, format, options.SerializeAsString());
  if (executable == nullptr) return error;
  std::vector<PJRT_Buffer*> buffers(kDevices), outputs(kDevices);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  for (size_t d = 0; d < kDevices; ++d) {
    auto args = plugin.HostArguments(shards[d % shards.size()].data(), PJRT_Buffer_Type_F32, dims);
    args.device = plugin.device(d);
    EXPECT_CALL_OK(Api().PJRT_Client_BufferFromHostBuffer(&args));
    DestroyEvent(args.done_with_host_buffer);
    plugin.buffers.push_back(buffers[d] = args.buffer);
    argument_lists.push_back(&buffers[d]);
    output_lists.push_back(&outputs[d]);
  }
  auto run_options = New<PJRT_ExecuteOptions>();
  auto args = New<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &run_options;
  args.argument_lists = argument_lists.data();
  args.num_devices = kDevices;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  error = TextOf(Api().PJRT_LoadedExecutable_Execute(&args));
  if (error != "OK") return error;
  plugin.buffers.insert(plugin.buffers.end(), outputs.begin(), outputs.end());
  std::string text;
  for (const size_t d : {size_t{0}, size_t{kDevices - 1}}) {
    auto get = New<PJRT_Buffer_Dimensions_Args>();
    get.buffer = outputs[d];
    EXPECT_CALL_OK(Api().PJRT_Buffer_Dimensions(&get));
    absl::StrAppend(&text, text.empty() ? "[" : " [");
    for (size_t i = 0; i < get.num_dims; ++i)
      absl::StrAppend(&text, i == 0 ? "" : ",", get.dims[i]);
    absl::StrAppend(&text, "]");
    for (const float value : plugin.ToFloats(outputs[d])) absl::StrAppend(&text, " ", value);
  }
  return text;
}

std::string RunShardy(std::string_view parameter, std::string_view type, std::string_view result,
                      const std::vector<Values>& shards, const std::vector<int64_t>& dims) {
  const auto attribute = [](std::string_view sharding) {
    return sharding.empty()
               ? std::string()
               : absl::StrCat("{sdy.sharding = #sdy.sharding<@mesh, ", std::string(sharding), ">}");
  };
  const std::string t(type);
  return Run(absl::StrCat("sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\nfunc.func @main(%a: ", t, " ",
                          attribute(parameter), ") -> (", t, " ", attribute(result),
                          ") {\n  %0 = stablehlo.add %a, %a : ", t, "\n  return %0 : ", t, "\n}"),
             "mlir", /*shardy=*/true, shards, dims);
}

const std::vector<Values> kHalves = {{1, 2}, {1, 2}, {3, 4}, {3, 4}};

TEST(BoundaryShardingsTest, ResultsThatStateNothingStayDivided) {
  EXPECT_EQ(RunShardy("[{\"x\"}]", "tensor<4xf32>", "", kHalves, {2}), "[2] 2 4 [2] 6 8");
  EXPECT_EQ(RunShardy("[{\"x\"}]", "tensor<4xf32>", "[{?}]", kHalves, {2}), "[2] 2 4 [2] 6 8");
  EXPECT_EQ(RunShardy("[{\"x\"}]", "tensor<4xf32>", "[{}]", kHalves, {2}),
            "[4] 2 4 6 8 [4] 2 4 6 8");
}

TEST(BoundaryShardingsTest, WhereTilesAreUnevenShardyJoinsThem) {
  EXPECT_EQ(RunShardy("[{}]", "tensor<3xf32>", "[{\"x\"}]", {{1, 2, 3}}, {3}),
            "[3] 2 4 6 [3] 2 4 6");
  EXPECT_EQ(RunShardy("[{\"x\"}]", "tensor<3xf32>", "[{\"x\"}]", {{1, 2, 3}}, {3}),
            "[3] 2 4 6 [3] 2 4 6");
  // Of two axes the first divides the dimension.
  EXPECT_EQ(RunShardy("[{}]", "tensor<6xf32>", "[{\"x\", \"y\"}]", {{1, 2, 3, 4, 5, 6}}, {6}),
            "[3] 2 4 6 [3] 8 10 12");
  EXPECT_EQ(RunShardy("[{\"y\"}, {\"x\"}]", "tensor<1x4xf32>", "[{}, {\"x\"}]", kHalves, {1, 2}),
            "[1,2] 2 4 [1,2] 6 8");
}

std::string RunHlo(std::string_view text, const std::vector<Values>& shards,
                   const std::vector<int64_t>& dims) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module);
  (*module)->SetDefaultEntryLayout();
  return Run(ModuleToProto(**module).value().SerializeAsString(), "hlo", /*shardy=*/false, shards,
             dims);
}

// As GSPMD lays them out: every shard has the size of the largest, and what an operation on whole
// shards makes of padding is the padding of its result.
TEST(BoundaryShardingsTest, OtherwiseUnevenTilesArePadded) {
  constexpr char kProgram[] = R"(HloModule m
ENTRY e {
  p = f32[5] parameter(0), sharding={devices=[4]<=[4]}
  ROOT r = f32[5] add(p, p), sharding={devices=[4]<=[4]}
})";
  EXPECT_EQ(RunHlo(kProgram, {{1, 2}, {3, 4}, {5, 99}, {99, 99}}, {2}), "[2] 2 4 [2] 198 198");
  constexpr char kSum[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY e {
  p = f32[5] parameter(0), sharding={devices=[4]<=[4]}
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(p, zero), dimensions={0}, to_apply=add
})";
  EXPECT_EQ(RunHlo(kSum, {{1, 2}, {3, 4}, {5, 99}, {99, 99}}, {2}), "[] 15 [] 15")
      << "padding is not part of the array";
}

// PyTorch/XLA writes manual computations on parameters without annotating them again.
TEST(BoundaryShardingsTest, ManualComputationsReadParameters) {
  EXPECT_EQ(RunHlo(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0), sharding={devices=[4]0,1,2,3}
  local = f32[2] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  sum = f32[2] add(local, local)
  marked = f32[2] custom-call(sum), custom_call_target="Sharding", sharding={manual}
  full = f32[8] custom-call(marked), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]0,1,2,3}
  ROOT t = (f32[8]) tuple(full)
})",
                   {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {2}),
            "[8] 2 4 6 8 10 12 14 16 [8] 2 4 6 8 10 12 14 16");
}

// One parameter that is a tuple has the shardings of its leaves, as PyTorch/XLA writes programs
// with many parameters; each leaf is an argument.
TEST(BoundaryShardingsTest, LeavesOfATupleAreDividedEachForItself) {
  EXPECT_EQ(RunHlo(R"(HloModule m
ENTRY e {
  p = (f32[8]) parameter(0), sharding={{devices=[4]<=[4]}}
  a = f32[8] get-tuple-element(p), index=0
  ROOT r = f32[8] add(a, a), sharding={devices=[4]<=[4]}
})",
                   {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {2}),
            "[2] 2 4 [2] 14 16");
  EXPECT_EQ(RunHlo(R"(HloModule m
ENTRY e {
  p = ((f32[5])) parameter(0), sharding={{devices=[4]<=[4]}}
  inner = (f32[5]) get-tuple-element(p), index=0
  a = f32[5] get-tuple-element(inner), index=0
  ROOT r = f32[5] add(a, a), sharding={replicated}
})",
                   {{1, 2}, {3, 4}, {5, 99}, {99, 99}}, {2}),
            "[5] 2 4 6 8 10 [5] 2 4 6 8 10");
  // A tuple that is passed on as a whole.
  EXPECT_EQ(RunHlo(R"(HloModule m
ENTRY e {
  p = (f32[8]) parameter(0), sharding={{devices=[4]<=[4]}}
  same = (f32[8]) opt-barrier(p)
  ROOT a = f32[8] get-tuple-element(same), index=0, sharding={devices=[2,2]<=[4] last_tile_dim_replicate}
})",
                   {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {2}),
            "[4] 1 2 3 4 [4] 5 6 7 8");
}

// Shardings of results count leaves, whatever tuples they are in.
TEST(BoundaryShardingsTest, ResultsInTuplesOfTuplesHaveShardingsOfTheirOwn) {
  EXPECT_EQ(RunHlo(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0), sharding={devices=[4]<=[4]}
  a = f32[8] add(p, p)
  inner = (f32[8]) tuple(a)
  ROOT r = ((f32[8])) tuple(inner), sharding={{devices=[2,2]<=[4] last_tile_dim_replicate}}
})",
                   {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, {2}),
            "[4] 2 4 6 8 [4] 10 12 14 16");
}

// Callers who do not know the extension for shardings read them in the program.
TEST(PjrtPartitionTest, TheOptimizedProgramStatesItsShardings) {
  for (const bool has_two : {false, true}) {
    Plugin plugin(kDevices);
    std::string error;
    auto get = New<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable =
        CompileForAll(plugin,
                      absl::Substitute(R"(
  func.func public @main(%a: tensor<8xf32> {mhlo.sharding = "{devices=[4]<=[4]}"})
      -> (tensor<8xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"}$0) {
    return %a$1 : tensor<8xf32>$2
  })",
                                       has_two ? ", tensor<8xf32>" : "", has_two ? ", %a" : "",
                                       has_two ? ", tensor<8xf32>" : ""),
                      &error);
    ASSERT_NE(get.loaded_executable, nullptr) << error;
    ASSERT_CALL_OK(Api().PJRT_LoadedExecutable_GetExecutable(&get));
    HloModuleProtoWithConfig proto;
    ASSERT_TRUE(proto.ParseFromString(OptimizedProgram(get.executable)));
    const HloModuleProto& module = proto.hlo_module();
    ASSERT_EQ(module.spmd_parameters_shardings_size(), 1);
    ASSERT_OK_AND_ASSIGN(const HloSharding parameter,
                         HloSharding::FromProto(module.spmd_parameters_shardings(0)));
    EXPECT_EQ(parameter.ToString(), "{devices=[4]<=[4]}");
    ASSERT_OK_AND_ASSIGN(const HloSharding output,
                         HloSharding::FromProto(module.spmd_output_sharding()));
    EXPECT_EQ(output.ToString(),
              has_two ? "{{devices=[2,2]<=[4] last_tile_dim_replicate}, {replicated}}"
                      : "{devices=[2,2]<=[4] last_tile_dim_replicate}");
    auto destroy = New<PJRT_Executable_Destroy_Args>();
    destroy.executable = get.executable;
    EXPECT_CALL_OK(Api().PJRT_Executable_Destroy(&destroy));
  }
}

}  // namespace
}  // namespace xla::pjrt::testing

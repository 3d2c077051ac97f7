// SPDX-License-Identifier: Apache-2.0
// The program of one partition does not grow with their number, and shardings over named meshes
// divide it as tiles do.
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"
#include "xla/stablehlo/translate.h"

namespace xla::spmd {
namespace {

// A layer whose rows go to other axes and are looked up.
constexpr const char* kLayer = R"(HloModule layer, num_partitions=$0
ENTRY main {
  x = f32[4096,4096] parameter(0), sharding={devices=[$1,1,$2]<=[$0] last_tile_dim_replicate}
  w = f32[4096,4096] parameter(1), sharding={devices=[1,$2,$1]<=[$1,$2]T(1,0) last_tile_dim_replicate}
  v = f32[4096,4096] parameter(2), sharding={devices=[$2,1,$1]<=[$1,$2]T(1,0) last_tile_dim_replicate}
  i = s32[64] parameter(3), sharding={replicated}
  h = f32[4096,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[4096,4096] dot(h, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[$1,1,$2]<=[$0] last_tile_dim_replicate}
  t = f32[4096,4096] copy(y), sharding={devices=[1,$1,$2]<=[$0] last_tile_dim_replicate}
  g = f32[64,4096] gather(y, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4096}
  ROOT r = (f32[4096,4096], f32[64,4096]) tuple(t, g), sharding={{devices=[1,$1,$2]<=[$0] last_tile_dim_replicate}, {replicated}}
}
)";

std::string Partitioned(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return module.status().ToString();
  const auto shardings = PartitionModule(module->get(), {});
  if (!shardings.ok()) return shardings.status().ToString();
  const absl::Status verified = VerifyModule(**module);
  return verified.ok() ? (*module)->ToString() : verified.ToString();
}

TEST(PartitionSizesTest, ProgramsDoNotGrowWithPartitions) {
  const std::string small = Partitioned(absl::Substitute(kLayer, 8, 2, 4));
  ASSERT_NE(small.find("all-to-all"), std::string::npos) << small;
  for (const auto& [data, model] : {std::pair<int64_t, int64_t>{32, 16}, {64, 64}, {1024, 1024}}) {
    const std::string large = Partitioned(absl::Substitute(kLayer, data * model, data, model));
    ASSERT_NE(large.find("all-to-all"), std::string::npos) << large;
    EXPECT_LT(large.size(), small.size() * 11 / 10) << large;
  }
}

TEST(PartitionSizesTest, NamedMeshes) {
  const auto program = [](const std::string& rows, const std::string& columns) {
    return Partitioned(absl::StrCat(R"(HloModule named, num_partitions=8
ENTRY main {
  x = f32[16,8] parameter(0), sharding={)",
                                    rows, R"(}
  w = f32[8,16] parameter(1), sharding={)",
                                    columns, R"(}
  ROOT y = f32[16,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={)",
                                    rows, "}\n}\n"));
  };
  const std::string tiles = program("devices=[2,1,4]<=[8] last_tile_dim_replicate",
                                    "devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate");
  EXPECT_NE(tiles.find("all-gather"), std::string::npos) << tiles;
  EXPECT_EQ(program("mesh['a'=2,'b'=4], [{'a'}, {}]", "mesh['a'=2,'b'=4], [{}, {'b'}]"), tiles);
  EXPECT_EQ(program("mesh['n'=8], [{'n':(1)2}, {}]", "mesh['n'=8], [{}, {'n':(2)4}]"), tiles);
  // Axes of several meshes, devices in the order of a transposition.
  EXPECT_EQ(program("mesh['a'=2,'b'=4], [{'a'}, {}]",
                    "mesh['b'=4,'a'=2], device_ids=([2,4]T(1,0)), [{}, {'b'}]"),
            tiles);
}

// A program that was exported for one device runs on several.
TEST(PartitionSizesTest, MeshesOfOneDeviceDivideNothing) {
  const auto program = [](const std::string& sharding) {
    return Partitioned(absl::StrCat(R"(HloModule named, num_partitions=8
ENTRY main {
  x = f32[16,8] parameter(0), sharding={devices=[8,1]<=[8]}
  y = f32[16,8] negate(x)
  z = f32[16,8] custom-call(y), custom_call_target="Sharding", sharding={)",
                                    sharding, R"(}
  ROOT r = f32[16,8] tanh(z), sharding={devices=[8,1]<=[8]}
}
)"));
  };
  EXPECT_EQ(program("mesh['i'=1], [{'i'}, {}]"), program("replicated"));
}

TEST(PartitionSizesTest, AxesOfOtherSizesChangeTheNumberOfPartitions) {
  constexpr const char* kProgram = R"(module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func @main(%x: tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
      -> (tensor<4096x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
    %y = stablehlo.negate %x : tensor<4096x8xf32>
    return %y : tensor<4096x8xf32>
  }
})";
  const auto shard = [&](int64_t data) -> absl::StatusOr<std::string> {
    XLA_ASSIGN_OR_RETURN(const auto source, stablehlo::LoadStableHlo(kProgram, "program"));
    stablehlo::EntryArguments arguments;
    arguments.mesh_axes = {{"data", data}};
    XLA_ASSIGN_OR_RETURN(const auto module, stablehlo::TranslateToHlo(source.get(), arguments));
    EXPECT_EQ(module->config().num_partitions(), 2 * data);
    XLA_RETURN_IF_ERROR(PartitionModule(module.get(), {}).status());
    return module->entry_computation()->root_instruction()->shape().ToString();
  };
  EXPECT_EQ(shard(2).value_or(""), "f32[2048,8]");
  EXPECT_EQ(shard(2048).value_or(""), "f32[2,8]");
  EXPECT_NE(shard(int64_t{1} << 40).status().message().find("more than 16777216 devices"),
            std::string::npos);
}

}  // namespace
}  // namespace xla::spmd

// SPDX-License-Identifier: Apache-2.0
// The program of one partition does not grow with their number, and shardings over named meshes
// divide it as tiles do.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/spmd/partition.h"

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

}  // namespace
}  // namespace xla::spmd

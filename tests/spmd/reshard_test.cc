// SPDX-License-Identifier: Apache-2.0
// Which collectives bring an array from one sharding to another.
#include "xla/spmd/reshard.h"

#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/text/parser.h"
#include "xla/shape_util.h"

namespace xla::spmd {
namespace {

// Over mesh['x'=2,'y'=2,'z'=4] unless a mesh is stated.
NamedSharding Read(std::string_view text) {
  std::string whole(text);
  if (text.substr(0, 4) != "mesh") whole = absl::StrCat("mesh['x'=2,'y'=2,'z'=4], ", whole);
  return ParseSharding(absl::StrCat("{", whole, "}")).value().named_sharding();
}

// The steps, and the bytes that a device receives of an array of f32[dims].
std::string Plan(std::vector<int64_t> dims, std::string_view from, std::string_view to) {
  const Shape shape = ShapeUtil::MakeShape(F32, dims);
  const auto steps = PlanReshard(Read(from), Read(to), shape);
  if (!steps.ok()) return std::string(steps.status().message());
  return absl::StrCat(absl::StrReplaceAll(ReshardToString(*steps), {{"\n", "; "}}),
                      BytesReceived(Read(from), *steps, shape));
}

TEST(Reshard, OneCollective) {
  const std::vector<int64_t> dims = {16, 16};  // 1,024 bytes
  EXPECT_EQ(Plan(dims, "[{'x'}, {}]", "[{'x'}, {}]"), "0");
  EXPECT_EQ(Plan(dims, "[{'x'}, {?}]", "[{'x'}, {}], replicated={'y'}"), "0");
  EXPECT_EQ(Plan(dims, "[{}, {}]", "[{'x'}, {'y'}]"), "all-slice {'x'}:0 {'y'}:1; 0");
  EXPECT_EQ(Plan(dims, "[{'x', 'y'}, {'z'}]", "[{'x'}, {}]"), "all-gather {'y'}:0 {'z'}:1; 448");
  EXPECT_EQ(Plan(dims, "[{'z'}, {}]", "[{}, {'z'}]"), "all-to-all {'z'}:0->1; 192");
  EXPECT_EQ(Plan(dims, "[{'x'}, {'y'}]", "[{'y'}, {'x'}]"), "collective-permute; 256");
  EXPECT_EQ(Plan(dims, "[{'x'}, {}]", "[{'y'}, {}]"), "collective-permute; 512");
  EXPECT_EQ(Plan(dims, "[{'z'}, {}]", "[{'z':(1)2}, {'z':(2)2}]"),
            "all-to-all {'z':(2)2}:0->1; 128");
}

TEST(Reshard, SeveralMovesAreOneAllToAll) {
  EXPECT_EQ(Plan({16, 16, 16}, "[{'x', 'z'}, {}, {}]", "[{}, {'x'}, {'z'}]"),
            "all-to-all {'x'}:0->1 {'z'}:0->2; 1792");
  EXPECT_EQ(Plan({16, 16}, "[{'x', 'z'}, {}]", "[{}, {'z', 'x'}]"),
            "all-to-all {'z','x'}:0->1; 112");
}

TEST(Reshard, SlicesComeFirstAndGathersLast) {
  EXPECT_EQ(Plan({16, 16}, "[{'x'}, {}]", "[{}, {'x', 'y'}]"),
            "all-slice {'y'}:0; all-to-all {'x','y'}:0->1; 192");
  EXPECT_EQ(Plan({16, 16}, "[{'x'}, {}]", "[{}, {'y'}]"),
            "all-slice {'y'}:1; all-gather {'x'}:0; 256");
  EXPECT_EQ(Plan({16, 16}, "[{'x', 'z'}, {}]", "[{}, {'z'}]"),
            "all-to-all {'z'}:0->1; all-gather {'x'}:0; 224");
}

TEST(Reshard, UnreducedAxes) {
  const std::vector<int64_t> dims = {16, 16};
  EXPECT_EQ(Plan(dims, "[{}, {}], unreduced={'z'}", "[{}, {}]"), "all-reduce {'z'}; 1536");
  EXPECT_EQ(Plan(dims, "[{}, {}], unreduced={'z'}", "[{'z'}, {}]"), "reduce-scatter {'z'}:0; 768");
  EXPECT_EQ(Plan(dims, "[{}, {}], unreduced={'z'}", "[{'x', 'z'}, {}]"),
            "all-slice {'x'}:0; reduce-scatter {'z'}:0; 384");
  EXPECT_EQ(Plan(dims, "[{}, {}], unreduced={'x', 'z'}", "[{'z'}, {}]"),
            "reduce-scatter {'z'}:0; all-reduce {'x'}; 1024");
  EXPECT_EQ(Plan(dims, "[{}, {}], unreduced={'x', 'z'}", "[{}, {}], unreduced={'x'}"),
            "all-reduce {'z'}; 1536");
  EXPECT_EQ(Plan(dims, "[{}, {}]", "[{}, {}], unreduced={'x'}"), "to-unreduced {'x'}; 0");
}

TEST(Reshard, MeshesInAnotherOrder) {
  const char* const reversed = "mesh['x'=2,'y'=2], device_ids=(3,2,1,0), ";
  const char* const in_order = "mesh['x'=2,'y'=2], ";
  EXPECT_EQ(
      Plan({16, 16}, absl::StrCat(in_order, "[{'x'}, {}]"), absl::StrCat(reversed, "[{'x'}, {}]")),
      "collective-permute; 512");
  EXPECT_EQ(
      Plan({16, 16}, absl::StrCat(in_order, "[{}, {}]"), absl::StrCat(reversed, "[{'x'}, {}]")),
      "all-slice {'x'}:0; 0");
  EXPECT_EQ(
      Plan({16, 16}, absl::StrCat(in_order, "[{'x'}, {}]"), absl::StrCat(reversed, "[{}, {}]")),
      "all-gather {'x'}:0; 512");
}

// 6 rows are 8 with padding if 4 devices have 2 each, and 6 if 2 have 3 each.
TEST(Reshard, PaddingMustAgree) {
  EXPECT_EQ(Plan({6, 16}, "[{'z'}, {}]", "[{}, {'z'}]"), "all-to-all {'z'}:0->1; 96");
  EXPECT_EQ(Plan({6, 16}, "[{'x', 'y'}, {}]", "[{'x'}, {}]"),
            "all-gather {'x','y'}:0; all-slice {'x'}:0; 384");
}

TEST(Reshard, WhatDoesNotFitIsAnError) {
  EXPECT_NE(Plan({16}, "[{'x'}, {}]", "[{}, {}]").find("a sharding is of another rank"),
            std::string::npos);
  EXPECT_NE(Plan({16}, "[{'x'}]", "mesh['x'=4], [{'x'}]").find("the meshes have other axes"),
            std::string::npos);
  EXPECT_NE(Plan({16}, "[{'x'}], manual={'y'}", "[{}]").find("the manual axes differ"),
            std::string::npos);
  EXPECT_FALSE(
      PlanReshard(NamedSharding::SingleDevice(1), Read("[{}]"), ShapeUtil::MakeShape(F32, {4}))
          .ok());
}

NamedSharding RandomSharding(const Mesh& mesh, size_t rank, std::mt19937& random) {
  std::vector<AxisRef> cuts;
  for (const AxisRef& axis : mesh.AllAxes()) {
    const int64_t size = axis.size(mesh);
    const int64_t cut = size % 2 == 0 ? 2 : 1;
    if (cut > 1 && random() % 2 == 0) {
      cuts.push_back(AxisRef::Part(axis.mesh_axis_index(), 1, cut, mesh));
    }
  }
  std::vector<AxisRef> parts = RefineAxes(mesh.AllAxes(), cuts, mesh);
  std::shuffle(parts.begin(), parts.end(), random);
  std::vector<std::vector<AxisRef>> dims(rank);
  std::vector<AxisRef> unreduced;
  for (const AxisRef& part : parts) {
    const size_t role = random() % (rank + 2);
    if (role < rank) AppendAxis(part, mesh, dims[role]);
    if (role == rank && random() % 2 == 0) unreduced.push_back(part);
  }
  SortAndMergeAxes(unreduced, mesh);
  std::vector<NamedSharding::DimensionSharding> result;
  for (std::vector<AxisRef>& axes : dims) result.emplace_back(std::move(axes));
  return NamedSharding(mesh, std::move(result), {}, std::move(unreduced));
}

// Each step is one that its kind allows, and the last gives the target.
TEST(Reshard, RandomPairsReachTheirTarget) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> sizes;
    std::vector<std::string> names;
    for (size_t axes = 1 + random() % 4; sizes.size() < axes;) {
      const int64_t choices[] = {2, 2, 4, 3, 6};
      names.push_back(absl::StrCat("a", sizes.size()));
      sizes.push_back(choices[random() % 5]);
    }
    const Mesh mesh(sizes, names);
    const size_t rank = random() % 4;
    std::vector<int64_t> dims;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t choices[] = {96, 144, 7, 16, 1};
      dims.push_back(choices[random() % 5]);
    }
    const Shape shape = ShapeUtil::MakeShape(F32, dims);
    const NamedSharding from = RandomSharding(mesh, rank, random);
    const NamedSharding to = RandomSharding(mesh, rank, random);
    SCOPED_TRACE(from.ToString() + " to " + to.ToString() + " of " + shape.ToString());
    ASSERT_OK_AND_ASSIGN(const std::vector<ReshardStep> steps, PlanReshard(from, to, shape));
    const NamedSharding* before = &from;
    for (const ReshardStep& step : steps) {
      for (const ReshardStep::Move& move : step.moves) {
        const auto holds = [&](const NamedSharding& sharding, int64_t dim) {
          return AxesWithout(move.axes, sharding.dim_sharding(dim).axes(), mesh).empty();
        };
        EXPECT_TRUE(move.from_dim < 0 || holds(*before, move.from_dim));
        EXPECT_TRUE(move.to_dim < 0 || holds(step.result, move.to_dim));
      }
      for (int64_t d = 0; d < shape.rank(); ++d) {
        EXPECT_EQ(step.padded[static_cast<size_t>(d)] % step.result.dimension(d), 0);
      }
      before = &step.result;
    }
    EXPECT_EQ(before->Closed(), to.Closed()) << ReshardToString(steps);
  }
}

}  // namespace
}  // namespace xla::spmd

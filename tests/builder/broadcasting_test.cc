// SPDX-License-Identifier: Apache-2.0
// Implicit broadcasting: every example of the broadcasting document.
#include <cstdint>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::Body;
using testing::BuildVerified;
using testing::RunProgram;

Literal Sum(const Literal& x, const Literal& y, std::vector<int64_t> dimensions = {}) {
  XlaBuilder b("sum");
  Add(ConstantLiteral(&b, x), ConstantLiteral(&b, y), dimensions);
  absl::StatusOr<Literal> sum = RunProgram(&b);
  EXPECT_OK(sum);
  return sum.ok() ? *std::move(sum) : Literal();
}

// The result shape of an addition, or the error.
std::string SumShape(std::vector<int64_t> x, std::vector<int64_t> y,
                     std::vector<int64_t> dimensions = {}) {
  XlaBuilder b("sum");
  Add(Parameter(&b, 0, ShapeUtil::MakeShape(F32, x), "x"),
      Parameter(&b, 1, ShapeUtil::MakeShape(F32, y), "y"), dimensions);
  auto module = BuildVerified(&b);
  if (!module.ok()) return std::string(module.status().message());
  return ShapeUtil::HumanString((*module)->entry_computation()->root_instruction()->shape());
}

TEST(BroadcastingTest, MatrixPlusVectorAlongColumns) {
  EXPECT_EQ(Sum(LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}}),
                LiteralUtil::CreateR1<int32_t>({7, 8, 9}), {1}),
            LiteralUtil::CreateR2<int32_t>({{8, 10, 12}, {11, 13, 15}}));
}

TEST(BroadcastingTest, MatrixPlusScalar) {
  EXPECT_EQ(Sum(LiteralUtil::CreateR2<int32_t>({{1, 2, 3}, {4, 5, 6}}),
                LiteralUtil::CreateR0<int32_t>(7)),
            LiteralUtil::CreateR2<int32_t>({{8, 9, 10}, {11, 12, 13}}));
}

TEST(BroadcastingTest, VectorOverSquareMatrixBothWays) {
  const Literal zeros = LiteralUtil::CreateR2<int32_t>({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  const Literal vector = LiteralUtil::CreateR1<int32_t>({7, 8, 9});
  EXPECT_EQ(Sum(vector, zeros, {1}),
            LiteralUtil::CreateR2<int32_t>({{7, 8, 9}, {7, 8, 9}, {7, 8, 9}}));
  EXPECT_EQ(Sum(vector, zeros, {0}),
            LiteralUtil::CreateR2<int32_t>({{7, 7, 7}, {8, 8, 8}, {9, 9, 9}}));
}

TEST(BroadcastingTest, WithoutDimensionsDifferentRanksAreAnError) {
  EXPECT_EQ(SumShape({2, 3}, {3}).substr(0, 5), "Add: ");
  EXPECT_TRUE(absl::StrContains(SumShape({2, 3}, {3}), "f32[2,3]"));
}

TEST(BroadcastingTest, MatrixIntoCuboid) {
  EXPECT_EQ(SumShape({2, 3, 4}, {3, 4}, {1, 2}), "f32[2,3,4]");
}

TEST(BroadcastingTest, VectorMatchesAnyDimension) {
  for (int64_t d = 0; d < 4; ++d) {
    const std::vector<int64_t> sizes = {5, 6, 7, 8};
    EXPECT_EQ(SumShape(sizes, {sizes[d]}, {d}), "f32[5,6,7,8]");
  }
}

TEST(BroadcastingTest, MatrixMatchesPairsOfDimensions) {
  EXPECT_EQ(SumShape({5, 6, 7, 8}, {7, 8}, {2, 3}), "f32[5,6,7,8]");
  EXPECT_EQ(SumShape({5, 6, 7, 8}, {6, 7}, {1, 2}), "f32[5,6,7,8]");
  EXPECT_EQ(SumShape({5, 6, 7, 8}, {5, 8}, {0, 3}), "f32[5,6,7,8]");
}

TEST(BroadcastingTest, DimensionsMustIncrease) {
  EXPECT_TRUE(absl::StrContains(SumShape({5, 5, 5, 5}, {5, 5}, {3, 1}), "order is wrong"));
  EXPECT_TRUE(absl::StrContains(SumShape({5, 5, 5, 5}, {5, 5}, {1, 1}), "order is wrong"));
}

TEST(BroadcastingTest, DegenerateDimensions) {
  EXPECT_EQ(SumShape({2, 1}, {2, 3}), "f32[2,3]");
  EXPECT_EQ(SumShape({1, 2, 5}, {7, 2, 5}), "f32[7,2,5]");
  EXPECT_EQ(SumShape({7, 2, 5}, {7, 1, 5}), "f32[7,2,5]");
  EXPECT_TRUE(absl::StrContains(SumShape({7, 2, 5}, {7, 2, 6}), "incompatible shapes"));
}

TEST(BroadcastingTest, OuterOperation) {
  EXPECT_EQ(Sum(LiteralUtil::CreateR2<int32_t>({{10}, {20}}),
                LiteralUtil::CreateR2<int32_t>({{1, 2, 3}})),
            LiteralUtil::CreateR2<int32_t>({{11, 12, 13}, {21, 22, 23}}));
}

TEST(BroadcastingTest, CompositionOfBoth) {
  EXPECT_EQ(Sum(LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4}),
                LiteralUtil::CreateR2<int32_t>({{5, 6}}), {0}),
            LiteralUtil::CreateR2<int32_t>({{6, 7}, {7, 8}, {8, 9}, {9, 10}}));
  EXPECT_EQ(SumShape({1, 2}, {4, 3, 1}, {1, 2}), "f32[4,3,2]");
}

// What the examples become.
TEST(BroadcastingTest, InstructionsOfImplicitBroadcasts) {
  const Shape matrix = ShapeUtil::MakeShape(F32, {2, 3});
  {
    XlaBuilder b("test");
    Add(Parameter(&b, 0, matrix, "x"), ConstantR0<float>(&b, 7));
    EXPECT_EQ(Body(&b),
              "constant = f32[] constant(7)\n"
              "broadcast = f32[2,3] broadcast(constant), dimensions={}\n"
              "ROOT add = f32[2,3] add(x, broadcast)");
  }
  {
    XlaBuilder b("test");
    Mul(Parameter(&b, 0, matrix, "x"), Parameter(&b, 1, ShapeUtil::MakeShape(F32, {3}), "v"), {1});
    EXPECT_EQ(Body(&b),
              "broadcast = f32[2,3] broadcast(v), dimensions={1}\n"
              "ROOT multiply = f32[2,3] multiply(x, broadcast)");
  }
  {
    XlaBuilder b("test");
    Sub(Parameter(&b, 0, matrix, "x"), Parameter(&b, 1, ShapeUtil::MakeShape(F32, {2, 1}), "c"));
    EXPECT_EQ(Body(&b),
              "reshape = f32[2] reshape(c)\n"
              "broadcast = f32[2,3] broadcast(reshape), dimensions={0}\n"
              "ROOT subtract = f32[2,3] subtract(x, broadcast)");
  }
  {
    XlaBuilder b("test");
    Max(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {1, 2}), "m"),
        Parameter(&b, 1, ShapeUtil::MakeShape(F32, {4, 3, 1}), "a"), {1, 2});
    EXPECT_EQ(Body(&b),
              "broadcast = f32[4,1,2] broadcast(m), dimensions={1,2}\n"
              "reshape = f32[4,2] reshape(broadcast)\n"
              "broadcast.1 = f32[4,3,2] broadcast(reshape), dimensions={0,2}\n"
              "reshape.1 = f32[4,3] reshape(a)\n"
              "broadcast.2 = f32[4,3,2] broadcast(reshape.1), dimensions={0,1}\n"
              "ROOT maximum = f32[4,3,2] maximum(broadcast.1, broadcast.2)");
  }
}

TEST(BroadcastingTest, DynamicDimensionsStayDynamic) {
  XlaBuilder b("test");
  const Shape dynamic = ShapeUtil::MakeShape(F32, {4, 3}, {true, false});
  Add(Parameter(&b, 0, dynamic, "x"), Parameter(&b, 1, ShapeUtil::MakeShape(F32, {3}), "v"), {1});
  EXPECT_EQ(Body(&b),
            "broadcast = f32[4,3] broadcast(v), dimensions={1}\n"
            "ROOT add = f32[<=4,3] add(x, broadcast)");
}

TEST(BroadcastingTest, BroadcastPrependsAndInDimMapsThenStretches) {
  {
    XlaBuilder b("test");
    Broadcast(Parameter(&b, 0, ShapeUtil::MakeShape(F32, {3}), "v"), {2, 4});
    EXPECT_EQ(Body(&b), "ROOT broadcast = f32[2,4,3] broadcast(v), dimensions={2}");
  }
  {
    XlaBuilder b("test");
    BroadcastInDim(Parameter(&b, 0, ShapeUtil::MakeShape(S32, {2}), "v"), {2, 2}, {1});
    EXPECT_EQ(Body(&b), "ROOT broadcast = s32[2,2] broadcast(v), dimensions={1}");
  }
  {
    XlaBuilder b("test");
    BroadcastInDim(Parameter(&b, 0, ShapeUtil::MakeShape(S32, {1, 5}), "v"), {3, 4, 5}, {1, 2});
    EXPECT_EQ(Body(&b),
              "broadcast = s32[3,1,5] broadcast(v), dimensions={1,2}\n"
              "reshape = s32[3,5] reshape(broadcast)\n"
              "ROOT broadcast.1 = s32[3,4,5] broadcast(reshape), dimensions={0,2}");
  }
}

TEST(BroadcastingTest, ScalarsOfSelectAndClamp) {
  const Shape array = ShapeUtil::MakeShape(F32, {2});
  {
    XlaBuilder b("test");
    Clamp(ConstantR0<float>(&b, 0), Parameter(&b, 0, array, "x"), Parameter(&b, 1, array, "max"));
    EXPECT_EQ(Body(&b),
              "constant = f32[] constant(0)\n"
              "broadcast = f32[2] broadcast(constant), dimensions={}\n"
              "ROOT clamp = f32[2] clamp(broadcast, x, max)");
  }
  {
    XlaBuilder b("test");
    const Shape pred = ShapeUtil::MakeShape(PRED, {});
    Select(Parameter(&b, 0, pred, "p"), Parameter(&b, 1, array, "x"),
           Parameter(&b, 2, ShapeUtil::MakeShape(F32, {}), "y"));
    EXPECT_EQ(Body(&b),
              "broadcast = pred[2] broadcast(p), dimensions={}\n"
              "broadcast.1 = f32[2] broadcast(y), dimensions={}\n"
              "ROOT select = f32[2] select(broadcast, x, broadcast.1)");
  }
}

}  // namespace
}  // namespace xla

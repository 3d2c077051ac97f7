// SPDX-License-Identifier: Apache-2.0
// The broadcasting document, example by example: shapes of binary operations as builders offer
// them.
#include "tests/infer/infer_test_util.h"
#include "tests/test_util.h"
#include "xla/hlo/shape_inference/binary_broadcast.h"

namespace xla {
namespace {

using testing::ShapeOf;

struct Example {
  std::string lhs, rhs;
  std::vector<int64_t> dimensions;
  std::string expected;  // a shape, or "! " and part of the error
};

void ExpectBroadcast(HloOpcode opcode, const std::vector<Example>& examples) {
  for (const Example& e : examples) {
    const std::string where =
        absl::StrCat(e.lhs, " and ", e.rhs, " with {", absl::StrJoin(e.dimensions, ","), "}");
    const auto result = InferBinaryOpShape(opcode, ShapeOf(e.lhs), ShapeOf(e.rhs), e.dimensions);
    if (absl::StartsWith(e.expected, "! ")) {
      ASSERT_FALSE(result.ok()) << where << " gave " << result->ToString();
      EXPECT_ERROR(result, e.expected.substr(2)) << where;
      continue;
    }
    ASSERT_OK(result) << where;
    EXPECT_EQ(result->ToString(), ShapeOf(e.expected).ToString()) << where;
  }
}

TEST(Broadcasting, ScalarsFitAnyArray) {
  ExpectBroadcast(HloOpcode::kAdd, {{"f32[]", "f32[2,3]", {}, "f32[2,3]"},
                                    {"f32[2,3]", "f32[]", {}, "f32[2,3]"},
                                    {"f32[]", "f32[]", {}, "f32[]"}});
}

TEST(Broadcasting, LowerRankOperandNeedsDimensions) {
  ExpectBroadcast(
      HloOpcode::kAdd,
      {{"f32[2,3]", "f32[3]", {1}, "f32[2,3]"},  // to every row
       {"f32[2,3]", "f32[2]", {0}, "f32[2,3]"},  // to every column
       {"f32[3,3]", "f32[3]", {0}, "f32[3,3]"},
       {"f32[4,2,3]", "f32[2,3]", {1, 2}, "f32[4,2,3]"},
       {"f32[2,3,4]", "f32[3,4]", {1, 2}, "f32[2,3,4]"},
       {"f32[3]", "f32[2,3]", {1}, "f32[2,3]"},
       {"f32[2,3]", "f32[3]", {}, "! Shapes must be equal rank, but are f32[3] and f32[2,3]"},
       {"f32[2,3]", "f32[3]", {0}, "! Broadcast dimension 0 mismatch: 3 != 2"},
       {"f32[2,3]", "f32[3]", {2}, "! Broadcast dimension number (2) too large"},
       {"f32[2,3]", "f32[3]", {-1}, "! Broadcast dimension number (-1) cannot be negative"},
       {"f32[2,3]", "f32[3]", {0, 1}, "! Size of broadcast_dimensions has to match"}});
}

TEST(Broadcasting, DynamicDimensionsMeetTheirLike) {
  ExpectBroadcast(HloOpcode::kAdd,
                  {{"f32[2,<=3]", "f32[<=3]", {1}, "f32[2,<=3]"},
                   {"f32[2,3]", "f32[1]", {1}, "f32[2,3]"},
                   {"f32[2,<=3]", "f32[1]", {1}, "f32[2,<=3]"},
                   {"f32[2,3]", "f32[<=1]", {1}, "! Broadcast dimension 0 dynamism mismatch"},
                   {"f32[2,<=1]", "f32[3]", {1}, "! Broadcast dimension 0 dynamism mismatch"}});
}

TEST(Broadcasting, DimensionsAreStrictlyIncreasing) {
  ExpectBroadcast(HloOpcode::kAdd,
                  {{"f32[5,6,7,8]", "f32[5,8]", {0, 3}, "f32[5,6,7,8]"},
                   {"f32[5,6,7,8]", "f32[7,8]", {2, 3}, "f32[5,6,7,8]"},
                   {"f32[5,6,7,8]",
                    "f32[8,5]",
                    {3, 0},
                    "! Broadcast dimensions order is wrong: 0 comes after 3"},
                   {"f32[5,5,7]", "f32[5,5]", {1, 1}, "! Broadcast dimensions order is wrong"}});
}

TEST(Broadcasting, DegenerateDimensionsStretch) {
  ExpectBroadcast(
      HloOpcode::kAdd,
      {{"f32[2,1]", "f32[2,3]", {}, "f32[2,3]"},
       {"f32[1,2,5]", "f32[7,2,5]", {}, "f32[7,2,5]"},
       {"f32[7,2,5]", "f32[7,1,5]", {}, "f32[7,2,5]"},
       {"f32[7,2,5]", "f32[7,2,6]", {}, "! incompatible shapes: f32[7,2,5] and f32[7,2,6]"},
       {"f32[2,1]", "f32[1,3]", {}, "f32[2,3]"},  // an outer operation
       {"f32[1,2,5,7]", "f32[7,2,1,7]", {}, "f32[7,2,5,7]"},
       {"f32[1]", "f32[0]", {}, "f32[0]"}});
}

TEST(Broadcasting, BothStepsCompose) {
  ExpectBroadcast(HloOpcode::kAdd,
                  {{"f32[4]", "f32[1,2]", {0}, "f32[4,2]"},
                   {"f32[4]", "f32[1,2]", {1}, "! Broadcast dimension 0 mismatch: 4 != 2"},
                   {"f32[4,3,1]", "f32[1,2]", {1, 2}, "f32[4,3,2]"},
                   {"f32[2,1]", "f32[2,3,4]", {0, 2}, "f32[2,3,4]"},
                   {"f32[2,3]", "f32[2,1,4]", {0, 1}, "f32[2,3,4]"}});
}

TEST(Broadcasting, EqualRanksTakeNoDimensionsButTheIdentity) {
  ExpectBroadcast(
      HloOpcode::kAdd,
      {{"f32[2,3]", "f32[2,3]", {0, 1}, "f32[2,3]"},
       {"f32[2,2]", "f32[2,2]", {1, 0}, "! must either be not set or be the identity"}});
}

TEST(Broadcasting, ElementTypesAgree) {
  ExpectBroadcast(HloOpcode::kAdd,
                  {{"f32[2]", "s32[2]", {}, "! different element types: f32[2] and s32[2]"},
                   {"bf16[2]", "f32[2]", {}, "f32[2]"}});
  ExpectBroadcast(HloOpcode::kCompare, {{"f32[2,3]", "f32[3]", {1}, "pred[2,3]"}});
  ExpectBroadcast(HloOpcode::kComplex, {{"f32[2,1]", "f32[1,3]", {}, "c64[2,3]"},
                                        {"f64[2]", "f64[2]", {}, "c128[2]"},
                                        {"f16[2]", "f16[2]", {}, "! expected F32 or F64"}});
}

TEST(Broadcasting, DynamicDimensionsPropagate) {
  ExpectBroadcast(HloOpcode::kAdd, {{"f32[<=2,3]", "f32[2,<=3]", {}, "f32[<=2,<=3]"},
                                    {"f32[1,3]", "f32[<=4,3]", {}, "f32[<=4,3]"},
                                    {"f32[?,3]", "f32[2,3]", {}, "f32[2,3]"},
                                    {"f32[?,3]", "f32[<=2,3]", {}, "f32[<=2,3]"},
                                    {"f32[?,3]", "f32[1,3]", {}, "f32[?,3]"},
                                    {"f32[?]", "f32[?]", {}, "f32[?]"},
                                    {"f32[<=4]", "f32[<=5]", {}, "! incompatible shapes"}});
}

TEST(Broadcasting, SelectAndClampTakeScalars) {
  const auto infer = [](HloOpcode opcode, const char* a, const char* b, const char* c) {
    return InferTernaryOpShape(opcode, ShapeOf(a), ShapeOf(b), ShapeOf(c));
  };
  ASSERT_OK_AND_ASSIGN(const Shape selected,
                       infer(HloOpcode::kSelect, "pred[]", "f32[2,3]", "f32[2,3]"));
  EXPECT_EQ(selected.ToString(), "f32[2,3]");
  ASSERT_OK_AND_ASSIGN(const Shape clamped,
                       infer(HloOpcode::kClamp, "f32[]", "f32[2,3]", "f32[2,3]"));
  EXPECT_EQ(clamped.ToString(), "f32[2,3]");
  EXPECT_ERROR(infer(HloOpcode::kSelect, "pred[2]", "f32[2,3]", "f32[2,3]"),
               "must be the same shape");
  EXPECT_ERROR(infer(HloOpcode::kClamp, "f32[2]", "f32[2,3]", "f32[]"),
               "Clamp with incompatible shapes");
  EXPECT_ERROR(infer(HloOpcode::kAdd, "f32[]", "f32[]", "f32[]"),
               "not an elementwise ternary operation");
}

}  // namespace
}  // namespace xla

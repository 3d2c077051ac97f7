// SPDX-License-Identifier: Apache-2.0
// Values, memory budget, parallel loops and strided copies of the interpreter.
#include "xla/interpreter/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

const Shape kVector = ShapeUtil::MakeShape(F32, {100});

TEST(ValueTest, BuffersAreCountedAndReleased) {
  MemoryBudget budget(0);
  {
    ASSERT_OK_AND_ASSIGN(Value value, Value::Allocate(kVector, budget));
    EXPECT_EQ(budget.live_bytes(), 400);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(value.untyped_data()) % 64, 0u);
    Value copy = value;
    EXPECT_FALSE(value.IsUnique());
    copy = Value();
    EXPECT_TRUE(value.IsUnique());
  }
  EXPECT_EQ(budget.live_bytes(), 0);
  EXPECT_EQ(budget.peak_bytes(), 400);
}

TEST(ValueTest, TheLimitIsChecked) {
  MemoryBudget budget(700);
  ASSERT_OK_AND_ASSIGN(Value first, Value::Allocate(kVector, budget));
  EXPECT_STATUS(Value::Allocate(kVector, budget), absl::StatusCode::kResourceExhausted,
                "limit of 700 bytes");
  first = Value();
  EXPECT_OK(Value::Allocate(kVector, budget));
}

TEST(ValueTest, SizesThatOverflowAreErrors) {
  MemoryBudget budget(0);
  const Shape elements = Shape(F32, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_STATUS(Value::Allocate(elements, budget), absl::StatusCode::kResourceExhausted,
                "more elements");
  const Shape bytes = Shape(C128, {int64_t{1} << 60});
  EXPECT_STATUS(Value::Allocate(bytes, budget), absl::StatusCode::kResourceExhausted,
                "its size in bytes overflows int64");
  const Shape unbounded = ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize}, {true});
  EXPECT_STATUS(Value::Allocate(unbounded, budget), absl::StatusCode::kInvalidArgument,
                "without a bound");
}

TEST(ValueTest, ATupleGivesItsElementsAway) {
  MemoryBudget budget(0);
  const Shape tuple = ShapeUtil::MakeTupleShape({kVector, kVector});
  ASSERT_OK_AND_ASSIGN(Value element, Value::Allocate(kVector, budget));
  Value pair = Value::Tuple(tuple, {element, element});
  element = Value();
  EXPECT_FALSE(pair.element(0).IsUnique());
  Value shared = pair;
  Value taken = pair.TakeElement(0);
  EXPECT_TRUE(pair.element(0).has_value()) << "another tuple holds it too";
  shared = Value();
  taken = pair.TakeElement(0);
  EXPECT_FALSE(pair.element(0).has_value());
  pair = Value();
  EXPECT_TRUE(taken.IsUnique());
}

TEST(ValueTest, BorrowedBuffersAreNeverUnique) {
  const std::vector<float> data(100);
  const Value value = Value::Borrow(kVector, data.data());
  EXPECT_FALSE(value.IsUnique());
}

TEST(ValueTest, DynamicSizesAtTheBoundsAreNone) {
  const Shape shape = ShapeUtil::MakeShape(F32, {4, 100}, {true, false});
  const std::vector<float> data(400);
  Value value = Value::Borrow(shape, data.data());
  EXPECT_EQ(value.dynamic_size(0), 4);
  value.SetDynamicSize(0, 3);
  EXPECT_EQ(value.dynamic_size(0), 3);
  EXPECT_EQ(value.existing_dimensions(), (DimensionVector{3, 100}));
  value.SetDynamicSize(0, 4);
  EXPECT_FALSE(value.has_dynamic_sizes());
}

// Every permutation, with strides, of boxes of several forms, against the definition.
TEST(StridedCopyTest, AgreesWithItsDefinition) {
  const std::vector<DimensionVector> boxes = {
      {},        {5},          {0, 3},          {3, 4, 5},  {1, 70, 1, 90},
      {2, 3, 5}, {33, 65, 40}, {2, 3, 2, 3, 2}, {1, 40000}, {40000, 1, 2}};
  for (const DimensionVector& box : boxes) {
    DimensionVector order(box.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      // Source strides by `order`, every second dimension backwards; the destination row-major.
      DimensionVector src_strides(box.size());
      int64_t count = 1, start = 0;
      for (size_t i = box.size(); i-- > 0;) {
        const auto d = static_cast<size_t>(order[i]);
        src_strides[d] = d % 2 == 0 ? count : -count;
        if (d % 2 != 0) start += (box[d] - 1) * count;
        count *= box[d];
      }
      if (count == 0) start = 0;
      std::vector<uint16_t> src(static_cast<size_t>(count) + 1), dst(src.size(), 0xffff),
          expected(src.size(), 0xffff);
      std::iota(src.begin(), src.end(), uint16_t{7});
      const DimensionVector dst_strides = RowMajorStrides(box);
      for (int64_t linear = 0; linear < count; ++linear) {
        int64_t from = start, rest = linear;
        for (size_t d = box.size(); d-- > 0;) {
          from += rest % box[d] * src_strides[d];
          rest /= box[d];
        }
        expected[static_cast<size_t>(linear)] = src[static_cast<size_t>(from)];
      }
      StridedCopySerial(2, box, src.data() + start, src_strides, dst.data(), dst_strides);
      ASSERT_EQ(dst, expected) << DimensionsToString(box) << " by " << DimensionsToString(order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(StridedCopyTest, CopiesElementsOfEveryWidth) {
  for (const int64_t bytes : {1, 2, 4, 8, 16}) {
    std::vector<char> src(static_cast<size_t>(3 * bytes)), dst(static_cast<size_t>(12 * bytes));
    std::iota(src.begin(), src.end(), 1);
    // Each element four times.
    StridedCopySerial(bytes, {3, 4}, src.data(), {1, 0}, dst.data(), {4, 1});
    for (int64_t i = 0; i < 12 * bytes; ++i) {
      EXPECT_EQ(dst[static_cast<size_t>(i)],
                src[static_cast<size_t>(i / (4 * bytes) * bytes + i % bytes)]);
    }
  }
}

}  // namespace
}  // namespace xla::interpreter

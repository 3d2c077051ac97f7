// SPDX-License-Identifier: Apache-2.0
// Sizes of buffers.
#include "xla/runtime/buffer_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/test_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::runtime {
namespace {

TEST(BufferViewTest, BytesOfTheElementsOfAnArray) {
  EXPECT_EQ(ElementBytes(ShapeUtil::MakeShape(F32, {2, 3})).value(), 24);
  EXPECT_EQ(ElementBytes(ShapeUtil::MakeShape(F32, {2, 3}, {true, false})).value(), 24);
  EXPECT_EQ(ElementBytes(ShapeUtil::MakeShape(F32, {0, 3})).value(), 0);
  for (const Shape& unbounded :
       {ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 2}, {true, false}),
        ShapeUtil::MakeShape(F32, {0, Shape::kUnboundedSize}, {false, true})}) {
    EXPECT_ERROR(ElementBytes(unbounded), "has no size: a dimension has no bound");
  }
}

// Dynamic sizes follow the elements, aligned to themselves.
TEST(BufferViewTest, DynamicSizesFollowTheElements) {
  EXPECT_EQ(ArrayBytes(ShapeUtil::MakeShape(F32, {2, 3})).value(), 24);
  EXPECT_EQ(ArrayBytes(ShapeUtil::MakeShape(F32, {2, 3}, {true, false})).value(), 32);
  for (const int64_t size : {1, 4, 5, 7, 8}) {
    const Shape shape = ShapeUtil::MakeShape(S8, {size}, {true});
    const int64_t bytes = ArrayBytes(shape).value();
    EXPECT_EQ(bytes, (size + 3) / 4 * 4 + 4) << size;
    std::vector<int8_t> memory(static_cast<size_t>(bytes), -1);
    const int64_t written[] = {size - 1};
    WriteDynamicSizes(shape, memory.data(), written);
    int64_t read[] = {0};
    EXPECT_OK(ReadDynamicSizes(shape, memory.data(), read));
    EXPECT_EQ(read[0], size - 1);
    EXPECT_EQ(memory[static_cast<size_t>(size) - 1], -1);
  }
}

}  // namespace
}  // namespace xla::runtime

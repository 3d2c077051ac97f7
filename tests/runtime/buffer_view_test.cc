// SPDX-License-Identifier: Apache-2.0
// Sizes of buffers.
#include "xla/runtime/buffer_view.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace xla::runtime

// SPDX-License-Identifier: Apache-2.0
// Arrays in NumPy's files.
#include "tools/npz.h"

#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

TEST(Npz, ArraysHaveTheirSizesAtRunTime) {
  Literal bounded(ShapeUtil::MakeShape(F32, {3, 2}, {true, false}));
  bounded.SetDynamicSize(0, 2);
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 2; ++column)
      bounded.Set<float>({row, column}, static_cast<float>(10 * row + column));
  }
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ToNpz({{"x", LiteralSlice(bounded)}}));
  ASSERT_OK_AND_ASSIGN(const auto arrays, ParseNumpyFile(bytes));
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].value, LiteralUtil::CreateR2<float>({{0, 1}, {10, 11}}));
}

}  // namespace
}  // namespace xla

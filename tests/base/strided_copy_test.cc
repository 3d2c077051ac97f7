// SPDX-License-Identifier: Apache-2.0
// Strided copy against an element-by-element loop, and Array.
#include "xla/strided_copy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array4d.h"

namespace xla {
namespace {

// Dense strides of the dimensions taken in a random order, outermost first.
std::vector<int64_t> RandomStrides(const std::vector<int64_t>& sizes, std::mt19937* random) {
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), *random);
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t d : order) {
    strides[d] = stride;
    stride *= sizes[d] + static_cast<int64_t>((*random)() % 2);  // sometimes with a gap
  }
  return strides;
}

// Whether the copy of a random box equals the loop over its indices.
bool CopyIsRight(int64_t bytes, std::mt19937* random) {
  std::vector<int64_t> sizes;
  const int rank = static_cast<int>((*random)() % 6);
  for (int d = 0; d < rank; ++d) sizes.push_back((*random)() % (d < 2 ? 40 : 5));
  const std::vector<int64_t> to = RandomStrides(sizes, random);
  std::vector<int64_t> from = RandomStrides(sizes, random);
  for (int64_t& stride : from) {
    if ((*random)() % 6 == 0) stride = 0;
  }
  const auto extent = [&](const std::vector<int64_t>& strides) {
    int64_t last = 0;
    for (int d = 0; d < rank; ++d) last += strides[d] * std::max<int64_t>(sizes[d] - 1, 0);
    return (last + 1) * bytes;
  };
  std::vector<char> source(extent(from));
  for (char& c : source) c = static_cast<char>((*random)());
  std::vector<char> expected(extent(to), 'x');
  std::vector<char> actual = expected;
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t at = 0;
    int64_t source_at = 0;
    for (int d = rank; d-- > 0; rest /= sizes[d]) {
      at += rest % sizes[d] * to[d];
      source_at += rest % sizes[d] * from[d];
    }
    std::memcpy(&expected[at * bytes], &source[source_at * bytes], bytes);
  }
  StridedCopy(bytes, sizes, actual.data(), to, source.data(), from);
  return actual == expected;
}

TEST(StridedCopy, IsTheLoopOverAllIndices) {
  std::mt19937 random(1);
  for (int64_t bytes : {1, 2, 4, 8, 16}) {
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(CopyIsRight(bytes, &random)) << bytes << " bytes, case " << i;
  }
}

TEST(StridedCopy, TakesNegativeStrides) {
  const std::vector<int32_t> source = {1, 2, 3, 4, 5, 6};
  std::vector<int32_t> reversed(6);
  StridedCopy(4, {2, 3}, reversed.data(), {3, 1}, &source[2], {3, -1});
  EXPECT_EQ(reversed, (std::vector<int32_t>{3, 2, 1, 6, 5, 4}));
}

TEST(Array, ElementsShapesAndText) {
  Array<int32_t> array({2, 3});
  array.FillIota(1);
  EXPECT_EQ(array(1, 0), 4);
  EXPECT_EQ(array.ToString(), "[[1, 2, 3],\n [4, 5, 6]]");
  EXPECT_EQ(array.Slice({0, 1}, {2, 3}), (Array<int32_t>({{2, 3}, {5, 6}})));
  array.TransposeDimensions({1, 0});
  EXPECT_EQ(array, (Array<int32_t>({{1, 4}, {2, 5}, {3, 6}})));
  array.Reshape({6});
  EXPECT_EQ(array.num_dimensions(), 1);
  const Array2D<float> matrix({{1, 2}, {3, 4}});
  EXPECT_EQ(matrix.height(), 2);
  Array4D<float> array4(2, 1, 2, 2);
  array4.FillWithYX(matrix);
  EXPECT_EQ(array4(1, 0, 1, 0), 3);
  EXPECT_EQ((*MakeLinspaceArray2D<float>(0, 3, 2, 2))(1, 0), 2);
}

TEST(Array, RandomValuesRepeat) {
  Array<float> a({1000});
  Array<float> b({1000});
  a.FillRandom(0.5f, 2.0);
  b.FillRandom(0.5f, 2.0);
  EXPECT_EQ(a, b);
  b.FillRandomUniform(-1.0f, 1.0f);
  for (float value : b) ASSERT_TRUE(value >= -1 && value < 1);
}

TEST(ArrayDeathTest, IndicesAreChecked) {
  const Array2D<float> matrix(2, 2);
  EXPECT_DEATH(matrix(2, 0), "index 2 of dimension 0");
}

}  // namespace
}  // namespace xla

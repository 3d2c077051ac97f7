// SPDX-License-Identifier: Apache-2.0
// Tiles of products of bf16 and int8 at each level that has them, against plain loops: all numbers
// of rows, columns and units.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/base/instruction_set.h"
#include "xla/base/machine.h"
#include "xla/kernels/product/fused_product.h"
#include "xla/kernels/product/interleave_parts.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/product/pack.h"
#include "xla/kernels/strided_dims.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

constexpr int64_t kColumns = 32, kRows = 32;

// Units of several parts, small whole numbers, whose sums are exact in any order.
template <typename Part>
std::vector<uint32_t> RandomUnits(TestRandom& random, int64_t count, uint32_t flip) {
  constexpr int64_t kParts = sizeof(uint32_t) / sizeof(Part);
  std::vector<Part> parts(count * kParts);
  for (Part& part : parts) part = static_cast<Part>(static_cast<float>(random.In(-7, 7)));
  std::vector<uint32_t> units(count);
  std::memcpy(units.data(), parts.data(), units.size() * sizeof(uint32_t));
  for (uint32_t& unit : units) unit ^= flip * 0x01010101u;
  return units;
}

// The sum of the products of the parts of two units.
template <typename Part>
float Product(uint32_t a, uint32_t b, uint32_t flip) {
  constexpr int64_t kParts = sizeof(uint32_t) / sizeof(Part);
  const auto as = std::bit_cast<std::array<Part, kParts>>(a ^ flip * 0x01010101u);
  const auto bs = std::bit_cast<std::array<Part, kParts>>(b);
  float sum = 0;
  for (int64_t p = 0; p < kParts; ++p) sum += static_cast<float>(as[p]) * static_cast<float>(bs[p]);
  return sum;
}

template <typename Part, typename Acc>
void CheckTile(const ProductKernels<uint32_t, Acc>& kernels, uint32_t flip, int64_t rows,
               int64_t columns, int64_t depth, bool accumulate) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << columns << " columns, " << depth
                                    << " units, accumulate " << accumulate);
  TestRandom random(rows * 1000 + columns * 10 + depth);
  // Rows that a tile may read, and columns that a panel has, are more than those that count.
  const auto a = RandomUnits<Part>(random, kRows * kProductRowStride, flip);
  auto b = RandomUnits<Part>(random, depth * kernels.columns, 0);
  constexpr int64_t kStride = kColumns + 3;
  const auto untouched = static_cast<Acc>(77);
  std::vector<Acc> c(kRows * kStride, untouched);
  kernels.tile(rows, columns, depth, a.data(), b.data(), kernels.columns, c.data(), kStride,
               accumulate);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t j = 0; j < kStride; ++j) {
      float expected = 77;
      if (r < rows && j < columns) {
        if (!accumulate) expected = 0;
        for (int64_t k = 0; k < depth; ++k)
          expected += Product<Part>(a[r * kProductRowStride + k], b[k * kernels.columns + j], flip);
      }
      const float sum = static_cast<float>(
          static_cast<std::conditional_t<std::is_same_v<Acc, float>, float, int32_t>>(
              c[r * kStride + j]));
      ASSERT_EQ(sum, expected) << r << ", " << j;
    }
  }
}

template <typename Part, typename Acc>
void CheckTiles(const ProductKernels<uint32_t, Acc>& kernels, uint32_t flip) {
  ASSERT_LE(kernels.columns, kColumns);
  ASSERT_LE(kernels.rows, kRows);
  if (kernels.begin != nullptr) kernels.begin();
  for (int64_t rows = 1; rows <= kernels.rows; ++rows)
    CheckTile<Part>(kernels, flip, rows, kernels.columns, 17, rows % 2 == 0);
  for (int64_t columns = 1; columns <= kernels.columns; ++columns)
    CheckTile<Part>(kernels, flip, kernels.rows, columns, 16, columns % 2 == 0);
  for (const int64_t depth : {1, 2, 15, 16, 17, 32, 47, 255, 256}) {
    for (const bool accumulate : {false, true}) {
      CheckTile<Part>(kernels, flip, kernels.rows, kernels.columns, depth, accumulate);
      CheckTile<Part>(kernels, flip, 5, 7, depth, accumulate);
    }
  }
  if (kernels.end != nullptr) kernels.end();
}

template <typename Part>
void CheckInterleaved(int64_t units, int64_t columns) {
  SCOPED_TRACE(::testing::Message() << units << " units, " << columns << " columns");
  constexpr int64_t kParts = sizeof(uint32_t) / sizeof(Part);
  const int64_t stride = columns + 5, width = columns + 3;
  TestRandom random(units * 100 + columns);
  std::vector<Part> from(units * kParts * stride);
  for (Part& part : from) part = static_cast<Part>(random.In(0, 0xffff));
  constexpr uint32_t kUntouched = 77;
  std::vector<uint32_t> panel(units * width, kUntouched);
  int64_t offsets[kParts];
  for (int64_t p = 0; p < kParts; ++p) offsets[p] = p * stride;
  InterleaveParts(units, columns, from.data(), offsets, kParts * stride, panel.data(), width);
  for (int64_t u = 0; u < units; ++u) {
    for (int64_t j = 0; j < width; ++j) {
      Part parts[kParts];
      std::memcpy(parts, &panel[u * width + j], sizeof(parts));
      if (j >= columns) {
        ASSERT_EQ(panel[u * width + j], kUntouched);
      }
      for (int64_t p = 0; j < columns && p < kParts; ++p)
        ASSERT_EQ(parts[p], from[(u * kParts + p) * stride + j]) << u << ", " << j << ", " << p;
    }
  }
}

TEST(NarrowTilesTest, RowsAreInterleavedAtEachLevel) {
  for (const InstructionSet bound :
       {InstructionSet::kSse42, InstructionSet::kAvx2, InstructionSet::kAny}) {
    const ScopedMaxInstructionSet scope(bound);
    for (int64_t columns = 0; columns <= 40; ++columns) {
      CheckInterleaved<uint16_t>(3, columns);
      CheckInterleaved<uint8_t>(2, columns);
    }
  }
}

// Columns of a matrix in any order of memory, some units of them, against element by element.
template <typename Part>
void CheckPackedColumns(const StridedDims& lines, const StridedDims& k, int64_t first,
                        int64_t count, int64_t k0, int64_t depth) {
  constexpr int64_t kParts = sizeof(uint32_t) / sizeof(Part), kWidth = 32;
  TestRandom random(count);
  std::vector<Part> data(4000);
  for (Part& part : data) part = static_cast<Part>(random.In(1, 0xffff));
  const MatrixView view = {
      sizeof(Part) == 2 ? BF16 : S8, data.data(), sizeof(Part), StridedDims(), lines, k};
  std::vector<uint32_t> panel(depth * kWidth, 77);
  const auto pack = sizeof(Part) == 2 ? &PackColumnPairs : &PackColumnQuads;
  pack(view, data.data(), 0, first, count, k0, depth, kWidth, panel.data());
  for (int64_t u = 0; u < depth; ++u) {
    for (int64_t j = 0; j < kWidth; ++j) {
      uint32_t expected = 0;
      for (int64_t p = 0; p < kParts && j < count; ++p) {
        const int64_t at = (k0 + u) * kParts + p;
        if (at < k.count())
          expected |= uint32_t{data[lines.Offset(first + j) + k.Offset(at)]}
                      << 8 * sizeof(Part) * p;
      }
      ASSERT_EQ(panel[u * kWidth + j], expected) << u << ", " << j;
    }
  }
}

template <typename Part>
void CheckPackedColumns() {
  // Along k, across it by one run, and by runs of three that are not equally spaced.
  const StridedDims along[] = {StridedDims({40}, {37}), StridedDims({40}, {1}),
                               StridedDims({8, 5}, {9, 1})};
  const StridedDims ks[] = {StridedDims({37}, {1}), StridedDims({37}, {71}),
                            StridedDims({7, 3}, {300, 79})};
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    for (const int64_t count : {1, 7, 16, 32}) {
      CheckPackedColumns<Part>(along[i], ks[i], 3, count, 0, 5);
      CheckPackedColumns<Part>(along[i], ks[i], 8, count, 2, i == 2 ? 3 : 7);
    }
  }
}

TEST(NarrowTilesTest, ColumnsArePacked) {
  CheckPackedColumns<uint16_t>();
  CheckPackedColumns<uint8_t>();
}

TEST(NarrowTilesTest, PairsOfBfloat16) {
  if (!HostMachine().bf16) GTEST_SKIP() << "the machine has no products of bfloat16";
  for (const InstructionSet bound : {InstructionSet::kAvx512Bf16, InstructionSet::kAny}) {
    const ScopedMaxInstructionSet scope(bound);
    CheckTiles<bfloat16>(PairKernels(), 0);
  }
}

TEST(NarrowTilesTest, QuadruplesOfInt8) {
  if (!HostMachine().vnni) GTEST_SKIP() << "the machine has no products of bytes of 512 bits";
  for (const InstructionSet bound : {InstructionSet::kAvx512Vnni, InstructionSet::kAny}) {
    const ScopedMaxInstructionSet scope(bound);
    CheckTiles<int8_t>(QuadKernels(), QuadFlip());
  }
}

TEST(NarrowTilesTest, MatrixInstructionsAreUsedWhereTheyAre) {
  if (!HostMachine().amx) GTEST_SKIP() << "the machine does not multiply matrices";
  const ScopedMaxInstructionSet unbounded(InstructionSet::kAny);  // whatever bound the process has
  EXPECT_GT(PairKernels().rows_at_a_time, 1);
  EXPECT_GT(QuadKernels().rows_at_a_time, 1);
  EXPECT_EQ(QuadFlip(), 0);
  const ScopedMaxInstructionSet scope(InstructionSet::kAvx512Bf16);
  EXPECT_EQ(PairKernels().rows_at_a_time, 1);
  EXPECT_EQ(QuadKernels().rows_at_a_time, 1);
  EXPECT_EQ(QuadFlip(), 0x80);
}

}  // namespace
}  // namespace xla::kernels

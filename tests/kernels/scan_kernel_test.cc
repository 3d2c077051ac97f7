// SPDX-License-Identifier: Apache-2.0
// Prepared scans against plain loops.
#include "xla/kernels/scan/scan_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/scan/scan_blocks.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

template <typename T>
T CombineScan(ScanOperation operation, T a, T b) {
  switch (operation) {
    case ScanOperation::kAdd:
      return static_cast<T>(a + b);
    case ScanOperation::kMultiply:
      return static_cast<T>(a * b);
    case ScanOperation::kMaximum:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

template <typename T>
void CheckScans() {
  TestRandom random(4);
  for (const ScanOperation operation : {ScanOperation::kAdd, ScanOperation::kMultiply,
                                        ScanOperation::kMaximum, ScanOperation::kMinimum}) {
    for (const bool reverse : {false, true}) {
      for (const auto& [outer, length, inner] : {std::array<int64_t, 3>{3, 77, 1},
                                                 {2, 90000, 1},
                                                 {2, 5, 1500},
                                                 {1, 0, 3},
                                                 {3, 0, 1},
                                                 {0, 5, 1},
                                                 {2, 5, 0},
                                                 {20, 9, 1},
                                                 {9, 77, 1}}) {
        const ScanSpec spec = {
            primitive_util::NativeToPrimitiveType<T>(), operation, outer, length, inner, reverse};
        std::vector<T> x(outer * length * inner), out(x.size()), expected(x.size());
        // Few numbers are not 0 or 1, so that all results are exact.
        const bool product = operation == ScanOperation::kMultiply;
        for (T& value : x) {
          value = static_cast<T>(
              static_cast<float>(random.In(0, 999) == 0 ? (product ? -1 : 2) : (product ? 1 : 0)));
        }
        T initial = static_cast<T>(static_cast<float>(product ? 2 : 1));
        for (int64_t o = 0; o < outer; ++o) {
          for (int64_t j = 0; j < inner; ++j) {
            T carry = initial;
            for (int64_t i = 0; i < length; ++i) {
              const int64_t at = (o * length + (reverse ? length - 1 - i : i)) * inner + j;
              expected[at] = carry = CombineScan(operation, carry, x[at]);
            }
          }
        }
        ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeScanKernel(spec));
        ASSERT_OK(RunPrepared(*kernel, {x.data(), &initial, out.data()}, 2));
        EXPECT_EQ(out, expected);
        // In place.
        ASSERT_OK(RunPrepared(*kernel, {x.data(), &initial, x.data()}, 3));
        EXPECT_EQ(x, expected);
      }
    }
  }
}

TEST(ScanKernel, F32) { CheckScans<float>(); }
TEST(ScanKernel, F64) { CheckScans<double>(); }
TEST(ScanKernel, Bf16) { CheckScans<bfloat16>(); }
TEST(ScanKernel, S32) { CheckScans<int32_t>(); }
TEST(ScanKernel, U64) { CheckScans<uint64_t>(); }

// Sums of rows that are scanned together are those of each row alone, to the bit.
TEST(ScanKernel, RowsTogetherAreRowsAlone) {
  constexpr int64_t kRows = 8;
  TestRandom random(5);
  for (const int64_t length : {1, 4, 15, 16, 19, 32, 61}) {
    std::vector<float> x(kRows * length), together(x.size()), alone(x.size());
    for (float& value : x) value = static_cast<float>(random.In(-1000, 1000)) / 7;
    float initial = 0.3f;
    const auto scan = [&](int64_t rows, float* from, float* to) {
      const absl::StatusOr<std::unique_ptr<const Kernel>> kernel =
          MakeScanKernel({F32, ScanOperation::kAdd, rows, length, 1});
      ASSERT_OK(kernel.status());
      ASSERT_OK(RunPrepared(**kernel, {from, &initial, to}, 1));
    };
    scan(kRows, x.data(), together.data());
    for (int64_t row = 0; row < kRows; ++row)
      scan(1, x.data() + row * length, alone.data() + row * length);
    EXPECT_EQ(together, alone) << length;
  }
}

// Blocks of 16 elements, the last one too.
TEST(ScanBlocks, AllWholeBlocksAreDone) {
  const FourRowScan<uint32_t> scan = GetFourRowScan<uint32_t>();
  if (scan == nullptr) GTEST_SKIP() << "without AVX-512";
  for (const int64_t count : {15, 16, 17, 32, 47, 48}) {
    const std::vector<uint32_t> ones(static_cast<size_t>(4 * count), 1);
    std::vector<uint32_t> sums(ones.size());
    uint32_t carry[] = {0, 10, 20, 30};
    const int64_t done = scan(count, ones.data(), sums.data(), carry);
    ASSERT_EQ(done, count / 16 * 16);
    for (int64_t row = 0; row < 4; ++row) {
      for (int64_t i = 0; i < done; ++i)
        EXPECT_EQ(sums[static_cast<size_t>(row * count + i)], 10 * row + i + 1) << row << " " << i;
      EXPECT_EQ(carry[row], 10 * row + done);
    }
  }
}

TEST(ScanKernel, MaximaKeepNaN) {
  float x[] = {1, std::numeric_limits<float>::quiet_NaN(), 2}, initial = 0, out[3];
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel,
                       MakeScanKernel({F32, ScanOperation::kMaximum, 1, 3, 1}));
  ASSERT_OK(RunPrepared(*kernel, {x, &initial, out}));
  EXPECT_EQ(out[0], 1);
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
}

TEST(ScanKernel, OtherTypesAreUnimplemented) {
  EXPECT_STATUS(MakeScanKernel({S8, ScanOperation::kAdd, 1, 3, 1}).status(),
                absl::StatusCode::kUnimplemented, "s8");
}

}  // namespace
}  // namespace xla::kernels

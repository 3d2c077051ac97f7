// SPDX-License-Identifier: Apache-2.0
// Results are the same bits with every instruction set that kernels are compiled for.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "hwy/targets.h"
#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/fft/fft.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/kernels/random/random_bits.h"
#include "xla/kernels/sort/sort.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Calls `kernel` with each instruction set of the machine and compares what it returns.
template <typename T>
void ExpectSameBits(const std::function<std::vector<T>(Context&)>& kernel) {
  constexpr int64_t kCompiled = HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON;
  const int64_t machine = (hwy::SupportedTargets() & kCompiled) | HWY_SCALAR;
  std::vector<T> expected;
  for (int64_t targets = machine; targets != 0; targets &= targets - 1) {
    const int64_t target = targets & ~(targets - 1);
    hwy::GetChosenTarget().Update(target);
    TestContext context;
    const std::vector<T> result = kernel(context);
    if (expected.empty()) expected = result;
    ASSERT_EQ(result.size(), expected.size());
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.size() * sizeof(T)), 0)
        << "target " << target;
  }
  hwy::GetChosenTarget().DeInit();
}

template <typename T>
std::vector<T> RandomNumbers(int64_t count) {
  TestRandom random(static_cast<uint64_t>(count));
  std::vector<T> numbers(count);
  for (T& x : numbers) x = static_cast<T>(random.Unit() * 1e6);
  return numbers;
}

template <typename T>
void ExpectSameProducts(PrimitiveType type, int64_t m, int64_t n, int64_t k) {
  const std::vector<T> a = RandomNumbers<T>(m * k), b = RandomNumbers<T>(k * n);
  const int64_t bytes = sizeof(T);
  const MatrixView lhs = {
      type, a.data(), bytes, StridedDims(), StridedDims({m}, {k}), StridedDims({k}, {1})};
  const MatrixView rhs = {
      type, b.data(), bytes, StridedDims(), StridedDims({n}, {1}), StridedDims({k}, {n})};
  ExpectSameBits<T>([&](Context& context) {
    std::vector<T> c(m * n);
    const ResultView result = {
        type, c.data(), bytes, StridedDims(), StridedDims({m}, {n}), StridedDims({n}, {1})};
    EXPECT_OK(MultiplyMatrices<T>(context, lhs, rhs, result));
    return c;
  });
}

TEST(InstructionSetsTest, MatrixProducts) {
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{37, 53, 600}, {3, 5, 1000}, {1, 100, 77}, {200, 7, 33}}) {
    ExpectSameProducts<float>(F32, m, n, k);
    ExpectSameProducts<double>(F64, m, n, k);
    ExpectSameProducts<uint32_t>(U32, m, n, k);
    ExpectSameProducts<uint64_t>(U64, m, n, k);
  }
}

TEST(InstructionSetsTest, FourierTransforms) {
  for (const int64_t length : {1, 2, 3, 4, 6, 8, 12, 30, 64, 97, 128, 1000, 1024, 2310}) {
    std::vector<complex128> from(3 * length);
    TestRandom random(static_cast<uint64_t>(length));
    for (complex128& z : from) z = {random.Unit(), random.Unit()};
    for (const bool inverse : {false, true}) {
      ExpectSameBits<complex128>([&](Context& context) {
        std::vector<complex128> to(from.size());
        EXPECT_OK(TransformAxis(
            context, {C128, C128, from.data(), to.data(), length, length, 1, 3, length, inverse}));
        return to;
      });
    }
  }
}

TEST(InstructionSetsTest, RandomBitsAndSorts) {
  ExpectSameBits<uint32_t>([](Context& context) {
    std::vector<uint32_t> words(2 * 1001);
    EXPECT_OK(FillThreefry(context, 3, 0xFFFFFFF0, U32, {1001}, words.data()).status());
    EXPECT_OK(FillPhilox(context, 3, {~uint64_t{0} - 50, 5}, U32, 1001, &words[1001]).status());
    return words;
  });
  const std::vector<double> values = RandomNumbers<double>(10000);
  ExpectSameBits<double>([&](Context& context) {
    std::vector<double> sorted = values;
    EXPECT_OK(SortValues(context, F64, /*descending=*/true, 10000, sorted.data()));
    return sorted;
  });
}

}  // namespace
}  // namespace xla::kernels

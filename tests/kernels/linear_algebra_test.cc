// SPDX-License-Identifier: Apache-2.0
// Factors and solutions multiplied back.
#include "xla/kernels/linear_algebra/linear_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Hermitian, with a dominant diagonal; [n, n] with `pad` elements after each row.
std::vector<complex128> TestMatrixOf(int64_t n, int64_t pad, uint64_t seed) {
  TestRandom random(seed);
  std::vector<complex128> a(n * (n + pad));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      a[i * (n + pad) + j] = {random.Unit(), random.Unit()};
      a[j * (n + pad) + i] = std::conj(a[i * (n + pad) + j]);
    }
    a[i * (n + pad) + i] = static_cast<double>(2 * n);
  }
  return a;
}

TEST(CholeskyTest, FactorsMultiplyBack) {
  for (const int64_t n : {1, 2, 7, 8, 9, 16, 17, 33, 100}) {
    for (const bool lower : {false, true}) {
      constexpr int64_t kPad = 3;
      const int64_t stride = n + kPad;
      const std::vector<complex128> a = TestMatrixOf(n, kPad, static_cast<uint64_t>(n));
      std::vector<complex128> l = a;
      TestContext context;
      ASSERT_OK(Cholesky(context, lower, {C128, l.data(), 1, n, n, stride, n * stride}, l.data()));
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (lower ? j > i : j < i) {
            EXPECT_EQ(l[i * stride + j], complex128(0));
          }
          complex128 sum = 0;
          for (int64_t k = 0; k < n; ++k) {
            sum += lower ? l[i * stride + k] * std::conj(l[j * stride + k])
                         : std::conj(l[k * stride + i]) * l[k * stride + j];
          }
          EXPECT_LT(std::abs(sum - a[i * stride + j]), 1e-12 * static_cast<double>(n)) << n;
        }
      }
    }
  }
}

TEST(CholeskyTest, NotPositiveDefiniteIsNaN) {
  const float a[2][4] = {{1, 2, 2, 1}, {4, 0, 0, 9}};
  float l[2][4];
  TestContext context;
  ASSERT_OK(Cholesky(context, true, {F32, a, 2, 2, 2, 2, 4}, l));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(l[0][i]));
  EXPECT_EQ(l[1][0], 2);
  EXPECT_EQ(l[1][3], 3);
}

// Many small matrices are factored side by side, with the bits of one alone.
TEST(CholeskyTest, SmallMatricesSideBySide) {
  for (const int64_t count : {8, 11, 40}) {
    for (const int64_t n : {1, 3, 8, 32}) {
      for (const bool lower : {false, true}) {
        std::vector<complex128> a, alone(n * n);
        for (int64_t b = 0; b < count; ++b) {
          const std::vector<complex128> matrix = TestMatrixOf(n, 0, static_cast<uint64_t>(b));
          a.insert(a.end(), matrix.begin(), matrix.end());
        }
        a[2 * n * n] = -1;
        std::vector<complex128> factors(a.size());
        TestContext context(2);
        ASSERT_OK(
            Cholesky(context, lower, {C128, a.data(), count, n, n, n, n * n}, factors.data()));
        for (int64_t b = 0; b < count; ++b) {
          const complex128* const factor = &factors[b * n * n];
          if (b == 2) {
            for (int64_t i = 0; i < n * n; ++i) EXPECT_TRUE(std::isnan(factor[i].real()));
            continue;
          }
          ASSERT_OK(
              Cholesky(context, lower, {C128, &a[b * n * n], 1, n, n, n, n * n}, alone.data()));
          for (int64_t i = 0; i < n * n; ++i) EXPECT_EQ(factor[i], alone[i]) << b << ", " << i;
        }
      }
    }
  }
}

TEST(CholeskyTest, LargeMatrices) {
  for (const bool is_complex : {false, true}) {
    const int64_t n = 230;
    std::vector<complex128> a = TestMatrixOf(n, 0, 9);
    std::vector<double> real(n * n), real_factor(n * n);
    for (int64_t i = 0; i < n * n; ++i) {
      if (!is_complex) a[i] = a[i].real();
      real[i] = a[i].real();
    }
    std::vector<complex128> l(n * n);
    TestContext context(2);
    if (is_complex) {
      ASSERT_OK(Cholesky(context, true, {C128, a.data(), 1, n, n, n, n * n}, l.data()));
    } else {
      ASSERT_OK(Cholesky(context, true, {F64, real.data(), 1, n, n, n, n * n}, real_factor.data()));
      std::copy(real_factor.begin(), real_factor.end(), l.begin());
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        complex128 sum = 0;
        for (int64_t k = 0; k <= j; ++k) sum += l[i * n + k] * std::conj(l[j * n + k]);
        EXPECT_LT(std::abs(sum - a[i * n + j]), 1e-10) << i << ", " << j;
      }
      for (int64_t j = i + 1; j < n; ++j) EXPECT_EQ(l[i * n + j], complex128(0));
    }
  }
}

// Element [i, j] of op(A), of the triangle that is read.
complex128 OpElement(const TriangularSolveSpec& options, const std::vector<complex128>& a,
                     int64_t n, int64_t i, int64_t j) {
  if (options.transpose) std::swap(i, j);
  if (options.lower ? j > i : j < i) return 0;
  if (i == j && options.unit_diagonal) return 1;
  return options.conjugate ? std::conj(a[i * n + j]) : a[i * n + j];
}

TEST(TriangularSolveTest, SolutionsMultiplyBack) {
  for (int flags = 0; flags < 32; ++flags) {
    const TriangularSolveSpec options = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0,
                                         (flags & 8) != 0, (flags & 16) != 0};
    const int64_t n = 5 + flags % 7, lines = 1 + flags % 70;
    std::vector<complex128> a = TestMatrixOf(n, 0, static_cast<uint64_t>(flags));
    for (complex128& z : a) z /= static_cast<double>(n);
    const int64_t rows = options.left_side ? n : lines, columns = options.left_side ? lines : n;
    TestRandom random(7);
    std::vector<complex128> b(n * lines), x(n * lines);
    for (complex128& z : b) z = {random.Unit(), random.Unit()};
    TestContext context(2);
    ASSERT_OK(TriangularSolve(context, options, {C128, a.data(), 1, n, n, n, n * n},
                              {C128, b.data(), 1, rows, columns, columns, n * lines}, x.data()));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        complex128 sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          sum += options.left_side ? OpElement(options, a, n, i, k) * x[k * columns + j]
                                   : x[i * columns + k] * OpElement(options, a, n, k, j);
        }
        EXPECT_LT(std::abs(sum - b[i * columns + j]), 1e-12) << flags;
      }
    }
  }
}

TEST(LinearAlgebraTest, SameBitsForAnyNumberOfThreads) {
  // Many small matrices, and one with many columns.
  for (const auto& [count, n, columns] :
       {std::array<int64_t, 3>{40, 6, 5}, {1, 40, 300}, {2, 200, 70}}) {
    std::vector<float> a(count * n * n), b(count * n * columns);
    TestRandom random(2);
    for (float& x : a) x = static_cast<float>(random.Unit());
    for (int64_t i = 0; i < count * n; ++i) a[i / n * n * n + i % n * (n + 1)] = 400;
    for (float& x : b) x = static_cast<float>(random.Unit());
    std::vector<float> first_factors, first_solutions;
    for (const int threads : {1, 2, 5}) {
      TestContext context(threads);
      std::vector<float> factors(a.size()), solutions(b.size());
      const MatrixBatch a_batch = {F32, a.data(), count, n, n, n, n * n};
      ASSERT_OK(Cholesky(context, true, a_batch, factors.data()));
      ASSERT_OK(TriangularSolve(context, {true, true, false, false, false}, a_batch,
                                {F32, b.data(), count, n, columns, columns, n * columns},
                                solutions.data()));
      if (threads == 1) first_factors = factors, first_solutions = solutions;
      EXPECT_EQ(std::memcmp(factors.data(), first_factors.data(), 4 * factors.size()), 0);
      EXPECT_EQ(std::memcmp(solutions.data(), first_solutions.data(), 4 * solutions.size()), 0);
    }
  }
}

TEST(LinearAlgebraTest, StopsSoonAndCountsMemory) {
  constexpr int64_t n = 2000;
  std::vector<float> a(n * n, 0.01f), x(n * n);
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = 100;
  const MatrixBatch batch = {F32, a.data(), 1, n, n, n, n * n};
  ExpectStopsSoon([&](Context& context) { return Cholesky(context, true, batch, x.data()); });
  ExpectStopsSoon([&](Context& context) {
    return TriangularSolve(context, {true, true, false, false, false}, batch, batch, x.data());
  });
  const MatrixBatch small = {F32, a.data(), 1, 100, 100, n, n * n};
  ExpectCountsMemory(8 * 100 * 100,
                     [&](Context& context) { return Cholesky(context, true, small, x.data()); });
  ExpectCountsMemory(2 * 8 * 100 * 100, [&](Context& context) {
    return TriangularSolve(context, {true, true, false, false, false}, small, small, x.data());
  });
}

}  // namespace
}  // namespace xla::kernels

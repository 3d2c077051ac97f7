// SPDX-License-Identifier: Apache-2.0
// QR factors and eigenvectors multiplied back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "hwy/targets.h"
#include "tests/kernels/kernel_test_util.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/linear_algebra/householder.h"
#include "xla/kernels/linear_algebra/jacobi.h"
#include "xla/kernels/linear_algebra/linear_algebra_kernel.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

std::vector<complex128> RandomNumbers(int64_t count, bool is_complex, uint64_t seed) {
  TestRandom random(seed);
  std::vector<complex128> values(count);
  for (complex128& z : values) z = {random.Unit() - 0.5, is_complex ? random.Unit() - 0.5 : 0};
  return values;
}

// The largest element of left * right - expected, all row-major.
double Difference(int64_t rows, int64_t inner, int64_t columns, const std::vector<complex128>& left,
                  const std::vector<complex128>& right, const std::vector<complex128>& expected) {
  double largest = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      complex128 sum = -expected[i * columns + j];
      for (int64_t k = 0; k < inner; ++k) sum += left[i * inner + k] * right[k * columns + j];
      largest = std::max(largest, std::abs(sum));
    }
  }
  return largest;
}

std::vector<complex128> Adjoint(int64_t rows, int64_t columns, const std::vector<complex128>& a) {
  std::vector<complex128> adjoint(a.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) adjoint[j * rows + i] = std::conj(a[i * columns + j]);
  }
  return adjoint;
}
std::vector<complex128> Identity(int64_t n) {
  std::vector<complex128> identity(n * n);
  for (int64_t i = 0; i < n; ++i) identity[i * n + i] = 1;
  return identity;
}
MatrixBatch Dense(PrimitiveType type, const void* data, int64_t count, int64_t rows,
                  int64_t columns) {
  return {type, data, count, rows, columns, columns, rows * columns};
}

TEST(QrTest, FactorsMultiplyBack) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1},
                             {2, 2},
                             {5, 3},
                             {3, 5},
                             {33, 33},
                             {40, 7},
                             {70, 130},
                             {130, 70},
                             {210, 200}}) {
    for (const bool is_complex : {false, true}) {
      const int64_t p = std::min(m, n);
      const std::vector<complex128> a = RandomNumbers(m * n, is_complex, 100 * m + n);
      std::vector<complex128> factors(m * n), taus(p), q(m * p), r(p * n), reflections(m * p);
      TestContext context(2);
      ASSERT_OK(QrFactors(context, Dense(C128, a.data(), 1, m, n), factors.data(), taus.data()));
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (j >= i && i < p) r[i * n + j] = factors[i * n + j];
          if (j < p) reflections[i * p + j] = factors[i * n + j];
        }
      }
      // R has a real diagonal, as LAPACK's.
      for (int64_t i = 0; i < std::min(p, m - 1); ++i) EXPECT_EQ(r[i * n + i].imag(), 0);
      ASSERT_OK(HouseholderProduct(context, Dense(C128, reflections.data(), 1, m, p), p,
                                   taus.data(), q.data()));
      EXPECT_LT(Difference(m, p, n, q, r, a), 1e-14 * static_cast<double>(m + n)) << m << ", " << n;
      EXPECT_LT(Difference(p, m, p, Adjoint(m, p, q), q, Identity(p)),
                1e-14 * static_cast<double>(m));
    }
  }
}

TEST(QrTest, MoreColumnsThanReflections) {
  const int64_t m = 9, n = 6, p = 4;
  const std::vector<complex128> a = RandomNumbers(m * p, true, 5);
  std::vector<complex128> factors(m * p), taus(p), wide(m * n, complex128(99, 99)), q(m * n);
  TestContext context;
  ASSERT_OK(QrFactors(context, Dense(C128, a.data(), 1, m, p), factors.data(), taus.data()));
  for (int64_t i = 0; i < m; ++i) std::copy_n(&factors[i * p], p, &wide[i * n]);
  ASSERT_OK(
      HouseholderProduct(context, Dense(C128, wide.data(), 1, m, n), p, taus.data(), q.data()));
  EXPECT_LT(Difference(n, m, n, Adjoint(m, n, q), q, Identity(n)), 1e-14);
  std::vector<complex128> r(n * p);
  for (int64_t i = 0; i < p; ++i)
    std::copy(&factors[i * p + i], &factors[i * p + p], &r[i * p + i]);
  EXPECT_LT(Difference(m, n, p, q, r, a), 1e-14);
}

// Columns that are zeros below the diagonal are left as they are, with tau 0.
TEST(QrTest, TriangularMatricesAreLeft) {
  const double a[] = {-3, 1, 2, 0, 0, 5, 0, 0, 7};
  double factors[9], taus[3];
  TestContext context;
  ASSERT_OK(QrFactors(context, Dense(F64, a, 1, 3, 3), factors, taus));
  EXPECT_EQ(std::memcmp(a, factors, sizeof(a)), 0);
  for (const double tau : taus) EXPECT_EQ(tau, 0);
}

// Values and vectors of the triangle of `a`; the other has other numbers.
void CheckEigen(int64_t n, bool is_complex, bool lower, bool sorts) {
  std::vector<complex128> a = RandomNumbers(n * n, is_complex, n);
  std::vector<complex128> given(n * n), vectors(n * n), scaled(n * n);
  for (int64_t i = 0; i < n; ++i) {
    a[i * n + i] = a[i * n + i].real();
    for (int64_t j = 0; j < i; ++j) a[j * n + i] = std::conj(a[i * n + j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) given[i * n + j] = (lower ? j > i : j < i) ? 99 : a[i * n + j];
    if (is_complex) given[i * n + i] = {a[i * n + i].real(), 5};
  }
  std::vector<double> values(n);
  TestContext context(2);
  if (is_complex) {
    ASSERT_OK(HermitianEigen(context, {lower, sorts, 100, 1e-12},
                             Dense(C128, given.data(), 1, n, n), vectors.data(), values.data()));
  } else {
    std::vector<double> real(n * n), real_vectors(n * n);
    for (int64_t i = 0; i < n * n; ++i) real[i] = given[i].real();
    ASSERT_OK(HermitianEigen(context, {lower, sorts, 100, 1e-12}, Dense(F64, real.data(), 1, n, n),
                             real_vectors.data(), values.data()));
    std::copy(real_vectors.begin(), real_vectors.end(), vectors.begin());
  }
  for (int64_t i = 0; i < n * n; ++i) scaled[i] = vectors[i] * values[i % n];
  const double limit = 1e-13 * static_cast<double>(n);
  EXPECT_LT(Difference(n, n, n, a, vectors, scaled), limit) << n << (is_complex ? ", complex" : "");
  EXPECT_LT(Difference(n, n, n, Adjoint(n, n, vectors), vectors, Identity(n)), limit) << n;
  if (sorts) {
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  }
}

TEST(EigenTest, VectorsDiagonalize) {
  for (const int64_t n : {1, 2, 3, 4, 5, 8, 16, 17, 31, 60}) {
    for (int flags = 0; flags < 8; ++flags)
      CheckEigen(n, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0);
  }
  CheckEigen(194, true, true, true);
}

TEST(EigenTest, SweepsAreLimited) {
  const double a[] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
  double vectors[9], values[3];
  TestContext context;
  ASSERT_OK(HermitianEigen(context, {true, false, 0, 0}, Dense(F64, a, 1, 3, 3), vectors, values));
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[2], 6);
  EXPECT_EQ(vectors[0], 1);
  EXPECT_EQ(vectors[1], 0);
}

TEST(EigenTest, NaNComesLastAndEnds) {
  double a[4] = {std::numeric_limits<double>::quiet_NaN(), 0, 0, -1};
  double vectors[4], values[2];
  TestContext context;
  ASSERT_OK(HermitianEigen(context, {true, true, 100, 0}, Dense(F64, a, 1, 2, 2), vectors, values));
  EXPECT_EQ(values[0], -1);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(ReflectionsTest, PreparedKernelsStayWithinTheirMemory) {
  for (const auto& [count, n] : {std::pair<int64_t, int64_t>{3, 7}, {40, 12}, {1, 200}}) {
    std::vector<complex64> a(count * n * n), vectors(a.size()), factors(a.size()), q(a.size()),
        taus(count * n);
    TestRandom random(3);
    for (complex64& z : a)
      z = {static_cast<float>(random.Unit()), static_cast<float>(random.Unit())};
    std::vector<float> values(count * n), first_values;
    std::vector<complex64> first_vectors, first_q;
    const MatrixBatch batch = Dense(C64, nullptr, count, n, n);
    for (const int workers : {1, 2, 5}) {
      ASSERT_OK(
          RunPrepared(*MakeQrKernel(batch), {a.data(), factors.data(), taus.data()}, workers));
      ASSERT_OK(RunPrepared(*MakeHouseholderProductKernel(batch, n),
                            {factors.data(), taus.data(), q.data()}, workers));
      ASSERT_OK(RunPrepared(*MakeHermitianEigenKernel({true, true, 3, 1e-6}, batch),
                            {a.data(), vectors.data(), values.data()}, workers));
      if (workers == 1) first_values = values, first_vectors = vectors, first_q = q;
      EXPECT_EQ(values, first_values);
      EXPECT_EQ(vectors, first_vectors);
      EXPECT_EQ(q, first_q);
    }
  }
}

TEST(ReflectionsTest, EveryInstructionSetGivesTheSameBits) {
  const int64_t n = 45;
  for (const bool is_complex : {false, true}) {
    const std::vector<complex128> a = RandomNumbers(n * n, is_complex, 8);
    std::vector<double> real(n * n);
    for (int64_t i = 0; i < n * n; ++i) real[i] = a[i].real();
    const void* const data = is_complex ? static_cast<const void*>(a.data()) : real.data();
    const MatrixBatch batch = Dense(is_complex ? C128 : F64, data, 1, n, n);
    std::vector<complex128> first[3];
    constexpr int64_t kCompiled = HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON;
    for (int64_t targets = (hwy::SupportedTargets() & kCompiled) | HWY_SCALAR; targets != 0;
         targets &= targets - 1) {
      hwy::GetChosenTarget().Update(targets & ~(targets - 1));
      std::vector<complex128> results[3] = {std::vector<complex128>(n * n),
                                            std::vector<complex128>(n * n),
                                            std::vector<complex128>(n)};
      TestContext context;
      ASSERT_OK(QrFactors(context, batch, results[0].data(), results[2].data()));
      ASSERT_OK(HermitianEigen(context, {true, true, 50, 1e-9}, batch, results[1].data(),
                               results[2].data()));
      for (int i = 0; i < 3; ++i) {
        if (first[i].empty()) first[i] = results[i];
        EXPECT_EQ(first[i], results[i]) << i;
      }
    }
    hwy::GetChosenTarget().DeInit();
  }
}

TEST(ReflectionsTest, StopSoonAndCountMemory) {
  constexpr int64_t n = 1000;
  std::vector<float> a(n * n), q(n * n), values(n);
  TestRandom random(4);
  for (float& x : a) x = static_cast<float>(random.Unit());
  const MatrixBatch batch = Dense(F32, a.data(), 1, n, n);
  ExpectStopsSoon(
      [&](Context& context) { return QrFactors(context, batch, q.data(), values.data()); });
  ExpectStopsSoon([&](Context& context) {
    return HouseholderProduct(context, batch, n, values.data(), q.data());
  });
  ExpectStopsSoon([&](Context& context) {
    return HermitianEigen(context, {true, true, 100, 1e-6}, batch, q.data(), values.data());
  });
  const MatrixBatch small = Dense(F32, a.data(), 1, 100, 100);
  ExpectCountsMemory(8 * 100 * 100, [&](Context& context) {
    return QrFactors(context, small, q.data(), values.data());
  });
  ExpectCountsMemory(8 * 100 * 100, [&](Context& context) {
    return HermitianEigen(context, {true, true, 100, 1e-6}, small, q.data(), values.data());
  });
}

}  // namespace
}  // namespace xla::kernels

// SPDX-License-Identifier: Apache-2.0
// Transforms against their definition, and along axes of arrays.
#include "xla/kernels/fft/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

TEST(FftTest, AgreesWithTheDefinitionForEveryLength) {
  std::vector<int64_t> lengths(70);
  std::iota(lengths.begin(), lengths.end(), 1);
  for (const int64_t n : {97, 101, 128, 169, 210, 211, 243, 343, 509, 512, 961, 1000})
    lengths.push_back(n);
  for (const int64_t n : lengths) {
    TestContext context;
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<const FftPlan> plan, FftPlan::Make(context, n));
    std::vector<FftComplex> x(n), work(plan->work_size());
    for (int64_t i = 0; i < n; ++i) x[i] = {std::sin(1.3 * i + 1), std::cos(0.7 * i * i)};
    std::vector<FftComplex> y = x;
    ASSERT_OK(plan->Transform(context, /*inverse=*/false, y.data(), work.data()));
    for (int64_t j = 0; j < n; ++j) {
      std::complex<long double> sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        const long double angle = -2 * 3.14159265358979323846264338L * (j * k % n) / n;
        sum += std::complex<long double>(x[k].re, x[k].im) *
               std::complex<long double>(std::cos(angle), std::sin(angle));
      }
      EXPECT_NEAR(y[j].re, sum.real(), 2e-14 * std::sqrt(n)) << n << " " << j;
      EXPECT_NEAR(y[j].im, sum.imag(), 2e-14 * std::sqrt(n)) << n << " " << j;
    }
    ASSERT_OK(plan->Transform(context, /*inverse=*/true, y.data(), work.data()));
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(y[i].re, x[i].re, 1e-14) << n;
      EXPECT_NEAR(y[i].im, x[i].im, 1e-14) << n;
    }
  }
}

FftAxis AxisOf(int64_t length, int64_t outer, int64_t inner, const void* from, void* to) {
  return {.from_type = C64,
          .to_type = C64,
          .from = from,
          .to = to,
          .from_length = length,
          .to_length = length,
          .outer = outer,
          .inner = inner,
          .length = length,
          .inverse = false};
}

// Many short lines, and few long ones that threads share; smooth and prime lengths.
TEST(FftTest, SameBitsForAnyNumberOfThreads) {
  const int64_t cases[][3] = {{60, 30, 17}, {1 << 16, 2, 1}, {65537, 1, 2}, {3 * 30000, 1, 1}};
  for (const auto& [length, outer, inner] : cases) {
    std::vector<complex64> from(length * outer * inner), expected;
    TestRandom random(static_cast<uint64_t>(length));
    for (complex64& z : from)
      z = {static_cast<float>(random.Unit()), static_cast<float>(random.Unit())};
    for (const int threads : {1, 2, 5}) {
      TestContext context(threads);
      std::vector<complex64> to(from.size());
      ASSERT_OK(TransformAxis(context, AxisOf(length, outer, inner, from.data(), to.data())));
      if (expected.empty()) expected = to;
      EXPECT_EQ(std::memcmp(to.data(), expected.data(), to.size() * sizeof(complex64)), 0)
          << length << ", " << threads << " threads";
    }
    // One element against the definition.
    const int64_t j = length / 3, line = inner - 1;
    complex128 sum = 0;
    for (int64_t k = 0; k < length; ++k) {
      const double angle = -2 * M_PI * static_cast<double>(j * k % length) / length;
      sum += complex128(from[k * inner + line]) * std::polar(1.0, angle);
    }
    EXPECT_NEAR(expected[j * inner + line].real(), sum.real(), 1e-6 * std::abs(sum));
    EXPECT_NEAR(expected[j * inner + line].imag(), sum.imag(), 1e-6 * std::abs(sum));
  }
}

// To half of the elements and back.
TEST(FftTest, RealTransforms) {
  for (const int64_t n : {1, 2, 5, 8, 31, 37, 100}) {
    TestRandom random(static_cast<uint64_t>(n));
    std::vector<float> from(3 * n), back(3 * n);
    for (float& x : from) x = static_cast<float>(random.Unit());
    std::vector<complex64> half(3 * (n / 2 + 1));
    TestContext context;
    FftAxis axis = AxisOf(n, 1, 3, from.data(), half.data());
    axis.from_type = F32;
    axis.to_length = n / 2 + 1;
    ASSERT_OK(TransformAxis(context, axis));
    axis = AxisOf(n, 1, 3, half.data(), back.data());
    axis.to_type = F32;
    axis.from_length = n / 2 + 1;
    axis.inverse = axis.symmetric = true;
    ASSERT_OK(TransformAxis(context, axis));
    for (int64_t i = 0; i < 3 * n; ++i) EXPECT_NEAR(back[i], from[i], 1e-6) << n;
  }
}

TEST(FftTest, StopsSoonAndCountsMemory) {
  // The next prime after 2^20; 2^21 + ... with small factors.
  for (const int64_t length : {int64_t{1048583}, int64_t{1} << 22}) {
    std::vector<complex64> from(length), to(length);
    ExpectStopsSoon([&](Context& context) {
      return TransformAxis(context, AxisOf(length, 1, 1, from.data(), to.data()));
    });
  }
  std::vector<complex64> from(10007), to(10007);
  ExpectCountsMemory(8 * 16 * 10007, [&](Context& context) {
    return TransformAxis(context, AxisOf(10007, 1, 1, from.data(), to.data()));
  });
}

}  // namespace
}  // namespace xla::kernels

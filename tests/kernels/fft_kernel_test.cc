// SPDX-License-Identifier: Apache-2.0
// Prepared Fourier transforms against TransformAxis, which works in double precision.
#include "xla/kernels/fft_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "hwy/targets.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/fft.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

int64_t Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// The transform of one axis after the other, in double precision.
template <typename To, typename From>
std::vector<To> ExpectedTransform(const FftSpec& spec, const std::vector<From>& x,
                                  DimensionVector* result_dimensions) {
  const int64_t rank = spec.dimensions.size(), count = spec.lengths.size();
  DimensionVector sizes = spec.dimensions;
  std::vector<complex128> values(x.size());
  for (size_t i = 0; i < x.size(); ++i) values[i] = complex128(x[i]);
  TestContext context;
  std::vector<To> result;
  for (int64_t i = 0; i < count; ++i) {
    const bool to_real = !is_complex_v<To>, from_real = !is_complex_v<From>;
    const int64_t which = to_real ? i : count - 1 - i, d = rank - count + which;
    FftAxis axis = {C128, C128, values.data(),       nullptr,     sizes[d], 0,
                    1,    1,    spec.lengths[which], spec.inverse};
    for (int64_t e = 0; e < d; ++e) axis.outer *= sizes[e];
    for (int64_t e = d + 1; e < rank; ++e) axis.inner *= sizes[e];
    axis.to_length = sizes[d] = from_real && which == count - 1 ? axis.length / 2 + 1 : axis.length;
    axis.symmetric = to_real && which == count - 1;
    std::vector<complex128> next(Product(sizes));
    axis.to = next.data();
    EXPECT_OK(TransformAxis(context, axis));
    values = next;
  }
  *result_dimensions = sizes;
  for (const complex128& z : values) {
    if constexpr (is_complex_v<To>) {
      result.push_back(To(z));
    } else {
      result.push_back(static_cast<To>(z.real()));
    }
  }
  return result;
}

template <typename From, typename To>
void CheckTransform(DimensionVector dimensions, DimensionVector lengths, bool inverse,
                    double tolerance) {
  TestRandom random(Product(dimensions));
  std::vector<From> x(Product(dimensions));
  for (From& value : x) {
    if constexpr (is_complex_v<From>) {
      using Part = typename From::value_type;
      value = From(static_cast<Part>(random.Unit()), static_cast<Part>(random.Unit()));
    } else {
      value = static_cast<From>(random.Unit());
    }
  }
  const FftSpec spec = {primitive_util::NativeToPrimitiveType<From>(),
                        primitive_util::NativeToPrimitiveType<To>(), inverse, dimensions, lengths};
  DimensionVector result_dimensions;
  const std::vector<To> expected = ExpectedTransform<To>(spec, x, &result_dimensions);
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<const Kernel> kernel, MakeFftKernel(spec));
  ASSERT_NE(kernel, nullptr);
  std::vector<To> out(expected.size());
  ASSERT_OK(RunPrepared(*kernel, {x.data(), out.data()}, 2));
  double error = 0, size = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    error += std::norm(out[i] - expected[i]);
    size += std::norm(expected[i]);
  }
  EXPECT_LE(std::sqrt(error / size), tolerance) << dimensions[0] << ", " << lengths[0];
}

constexpr double kF32 = 3e-7, kF64 = 1e-15;

TEST(FftKernel, Lengths) {
  for (const int64_t length : {1,  2,  3,   4,   5,   6,   7,   8,   12,  16,   31,   32,   37,  60,
                               61, 64, 100, 128, 210, 256, 512, 961, 999, 1000, 1024, 2048, 3599}) {
    CheckTransform<complex64, complex64>({17, length}, {length}, false, kF32);
    CheckTransform<complex64, complex64>({5, length}, {length}, true, kF32);
    CheckTransform<complex128, complex128>({9, length}, {length}, false, kF64);
  }
}

// As matrices, whose rows and columns fill the lanes or not.
TEST(FftKernel, LongLines) {
  for (const int64_t length : {1024, 1085, 2187, 4096, 6250, 17 * 512, 100000, 1 << 17}) {
    CheckTransform<complex64, complex64>({length}, {length}, false, kF32);
    CheckTransform<complex64, complex64>({3, length}, {length}, true, kF32);
    CheckTransform<complex128, complex128>({length}, {length}, true, kF64);
  }
  CheckTransform<complex64, complex64>({2, 3, 1 << 16}, {1 << 16}, false, kF32);
  for (const int64_t length : {2048, 2310, 4374, 1 << 13, 30000, 1 << 17}) {
    CheckTransform<float, complex64>({length}, {length}, false, kF32);
    CheckTransform<float, complex64>({2, length}, {length}, false, kF32);
    CheckTransform<complex64, float>({3, length / 2 + 1}, {length}, true, kF32);
    CheckTransform<double, complex128>({3, length}, {length}, false, kF64);
    CheckTransform<complex128, double>({length / 2 + 1}, {length}, true, kF64);
  }
  CheckTransform<complex128, complex128>({5, 40000}, {40000}, false, kF64);
}

TEST(FftKernel, LongLinesAreTheSameForAnyNumberOfWorkers) {
  const int64_t n = 10000;
  TestRandom random(1);
  std::vector<complex64> x(n), one(n), many(n);
  for (complex64& z : x) z = {static_cast<float>(random.Unit()), static_cast<float>(random.Unit())};
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel,
                       MakeFftKernel({C64, C64, false, {n}, {n}}));
  ASSERT_OK(RunPrepared(*kernel, {x.data(), one.data()}, 1));
  ASSERT_OK(RunPrepared(*kernel, {x.data(), many.data()}, 5));
  EXPECT_EQ(one, many);
}

TEST(FftKernel, SeveralAxes) {
  CheckTransform<complex64, complex64>({20, 24}, {20, 24}, false, kF32);
  CheckTransform<complex64, complex64>({3, 16, 8, 40}, {16, 8, 40}, true, kF32);
  CheckTransform<complex128, complex128>({2, 30, 6}, {30, 6}, true, kF64);
}

TEST(FftKernel, RealNumbers) {
  CheckTransform<float, complex64>({19, 40}, {40}, false, kF32);
  CheckTransform<float, complex64>({2, 12, 15}, {12, 15}, false, kF32);
  CheckTransform<complex64, float>({19, 21}, {40}, true, kF32);
  CheckTransform<complex64, float>({6, 12, 8}, {12, 15}, true, kF32);
  CheckTransform<complex128, double>({6, 12, 9}, {12, 16}, true, kF64);
}

TEST(FftKernel, RealLinesOfEvenAndOddLengths) {
  for (const int64_t length : {1, 2, 3, 4, 6, 14, 15, 16, 22, 64, 100, 126, 1000}) {
    CheckTransform<float, complex64>({21, length}, {length}, false, kF32);
    CheckTransform<complex64, float>({18, length / 2 + 1}, {length}, true, kF32);
    CheckTransform<double, complex128>({5, length}, {length}, false, kF64);
    CheckTransform<complex128, double>({16, length / 2 + 1}, {length}, true, kF64);
  }
}

TEST(FftKernel, EveryInstructionSet) {
  constexpr int64_t kCompiled = HWY_SCALAR | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_NEON;
  for (int64_t targets = (hwy::SupportedTargets() & kCompiled) | HWY_SCALAR; targets != 0;
       targets &= targets - 1) {
    hwy::GetChosenTarget().Update(targets & ~(targets - 1));
    CheckTransform<complex64, complex64>({23, 330}, {330}, true, kF32);
    CheckTransform<complex64, complex64>({48, 24}, {48, 24}, false, kF32);
    CheckTransform<complex128, complex128>({32, 13, 17}, {13, 17}, false, kF64);
    CheckTransform<float, complex64>({19, 40}, {40}, false, kF32);
    CheckTransform<complex128, double>({6, 12, 9}, {12, 16}, true, kF64);
    CheckTransform<complex64, complex64>({1100}, {1100}, false, kF32);
  }
  hwy::GetChosenTarget().DeInit();
}

TEST(FftKernel, LeavesOthersToTheGeneralTransform) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel,
                       MakeFftKernel({C64, C64, false, {100, 67}, {67}}));
  EXPECT_EQ(kernel, nullptr);
  ASSERT_OK_AND_ASSIGN(kernel, MakeFftKernel({C64, C64, false, {1000}, {1000}}));
  EXPECT_EQ(kernel, nullptr);
  ASSERT_OK_AND_ASSIGN(kernel, MakeFftKernel({C64, C64, false, {2, 67 * 1024}, {67 * 1024}}));
  EXPECT_EQ(kernel, nullptr);
}

}  // namespace
}  // namespace xla::kernels

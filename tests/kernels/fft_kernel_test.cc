// SPDX-License-Identifier: Apache-2.0
// Prepared Fourier transforms against TransformAxis, which works in double precision.
#include "xla/kernels/fft/fft_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "hwy/targets.h"
#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/fft/fft.h"
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
  FftSpec spec = {primitive_util::NativeToPrimitiveType<From>(),
                  primitive_util::NativeToPrimitiveType<To>(),
                  inverse,
                  dimensions,
                  lengths,
                  ""};
  DimensionVector result_dimensions;
  const std::vector<To> expected = ExpectedTransform<To>(spec, x, &result_dimensions);
  std::vector<FormCost> forms = FftForms(spec);
  ASSERT_FALSE(forms.empty());
  for (const FormCost& form : forms) {
    spec.form = form.form;
    ASSERT_OK_AND_ASSIGN(const std::unique_ptr<const Kernel> kernel, MakeFftKernel(spec));
    ASSERT_NE(kernel, nullptr);
    std::vector<To> out(expected.size());
    ASSERT_OK(RunPrepared(*kernel, {x.data(), out.data()}, 2));
    double error = 0, size = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      error += std::norm(out[i] - expected[i]);
      size += std::norm(expected[i]);
    }
    EXPECT_LE(std::sqrt(error / size), tolerance)
        << dimensions[0] << ", " << lengths[0] << " by " << form.form;
  }
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
                       MakeFftKernel({C64, C64, false, {n}, {n}, ""}));
  ASSERT_OK(RunPrepared(*kernel, {x.data(), one.data()}, 1));
  ASSERT_OK(RunPrepared(*kernel, {x.data(), many.data()}, 5));
  EXPECT_EQ(one, many);
}

TEST(FftKernel, SeveralAxes) {
  CheckTransform<complex64, complex64>({20, 24}, {20, 24}, false, kF32);
  CheckTransform<complex64, complex64>({3, 16, 8, 40}, {16, 8, 40}, true, kF32);
  CheckTransform<complex128, complex128>({2, 30, 6}, {30, 6}, true, kF64);
}

// Lines that fill few lanes, on the first or last axis, and a length that is too long for lanes.
TEST(FftKernel, FewLongLinesOfSeveralAxes) {
  CheckTransform<complex64, complex64>({3, 2880}, {3, 2880}, false, kF32);
  CheckTransform<complex64, complex64>({2, 1024, 3}, {1024, 3}, true, kF32);
  CheckTransform<complex128, complex128>({2, 3, 1500}, {2, 3, 1500}, false, kF64);
  CheckTransform<complex128, complex128>({900, 2}, {900, 2}, true, kF64);
  CheckTransform<float, complex64>({3, 2000}, {3, 2000}, false, kF32);
  CheckTransform<float, complex64>({1440, 5}, {1440, 5}, false, kF32);
  CheckTransform<complex64, float>({4, 721}, {4, 1440}, true, kF32);
  CheckTransform<complex64, float>({1440, 3}, {1440, 4}, true, kF32);
  CheckTransform<complex64, complex64>({2, 1 << 16}, {2, 1 << 16}, false, kF32);
  const std::vector<FormCost> forms = FftForms({C64, C64, false, {3, 2880}, {3, 2880}, ""});
  EXPECT_EQ(forms[static_cast<size_t>(CheapestForm(forms))].form, "axes");
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
    CheckTransform<complex64, complex64>({18, 67}, {67}, true, kF32);
    CheckTransform<complex128, double>({2, 506}, {1011}, true, kF64);
    CheckTransform<float, complex64>({33, 15}, {15}, false, kF32);
    CheckTransform<complex64, complex64>({2, 1021}, {1021}, true, kF32);
  }
  hwy::GetChosenTarget().DeInit();
}

// Convolutions of as many terms as the prime has powers, or with zeros between; as factors of
// mixed radices, first and last; of lanes and of long lines.
TEST(FftKernel, LargePrimeFactors) {
  for (const int64_t length : {67, 71, 73, 79, 83, 97, 127, 131, 167, 211, 257, 509, 769, 1009,
                               2 * 67, 16 * 71, 67 * 71, 3 * 5 * 101, 2003}) {
    CheckTransform<complex64, complex64>({40, length}, {length}, false, kF32);
    CheckTransform<complex64, complex64>({5, length}, {length}, true, kF32);
    CheckTransform<complex128, complex128>({17, length}, {length}, false, kF64);
  }
  CheckTransform<complex64, complex64>({67, 5, 79}, {67, 5, 79}, true, kF32);
  CheckTransform<complex128, complex128>({3, 83, 20}, {83, 20}, true, kF64);
  for (const int64_t length : {263, 1009, 4093, 10007, 2 * 10007, 11 * 19 * 79, 101 * 103, 65537}) {
    CheckTransform<complex64, complex64>({length}, {length}, false, kF32);
    CheckTransform<complex64, complex64>({3, length}, {length}, true, kF32);
    CheckTransform<complex128, complex128>({2, length}, {length}, true, kF64);
    CheckTransform<float, complex64>({length}, {length}, false, kF32);
    CheckTransform<float, complex64>({4, length}, {length}, false, kF32);
    CheckTransform<complex64, float>({3, length / 2 + 1}, {length}, true, kF32);
    CheckTransform<double, complex128>({3, length}, {length}, false, kF64);
    CheckTransform<complex128, double>({2, length / 2 + 1}, {length}, true, kF64);
  }
}

// Two lines are one of complex numbers; the last may have no other.
TEST(FftKernel, PairsOfRealLinesOfOddLength) {
  for (const int64_t lines : {1, 2, 7, 16, 17, 32, 33, 50}) {
    for (const int64_t length : {3, 15, 67, 201}) {
      CheckTransform<float, complex64>({lines, length}, {length}, false, kF32);
      CheckTransform<complex64, float>({lines, length / 2 + 1}, {length}, true, kF32);
    }
  }
}

TEST(FftKernel, FewShortLines) {
  for (const int64_t length : {1, 2, 17, 128, 255, 256, 500, 1000}) {
    CheckTransform<complex64, complex64>({length}, {length}, false, kF32);
    CheckTransform<float, complex64>({2, length}, {length}, false, kF32);
    CheckTransform<complex128, double>({3, length / 2 + 1}, {length}, true, kF64);
  }
}

// Lines of any number, which are divided among workers as wholes or in parts.
TEST(FftKernel, TheSameForAnyNumberOfWorkers) {
  for (const auto& [lines, length] :
       {std::pair<int64_t, int64_t>{1, 10007}, {9, 1536}, {40, 1024}, {40, 1009}, {17, 2049}}) {
    const bool is_real = length % 2 != 0;
    TestRandom random(1);
    std::vector<complex64> x(lines * length), one(lines * length), many(lines * length);
    for (complex64& z : x)
      z = {static_cast<float>(random.Unit()), static_cast<float>(random.Unit())};
    ASSERT_OK_AND_ASSIGN(
        std::unique_ptr<const Kernel> kernel,
        MakeFftKernel({is_real ? F32 : C64, C64, false, {lines, length}, {length}, ""}));
    ASSERT_OK(RunPrepared(*kernel, {x.data(), one.data()}, 1));
    for (const int workers : {2, 5}) {
      ASSERT_OK(RunPrepared(*kernel, {x.data(), many.data()}, workers));
      EXPECT_EQ(one, many) << lines << ", " << length;
    }
  }
}

TEST(FftKernel, LeavesOthersToTheGeneralTransform) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel,
                       MakeFftKernel({C64, C64, false, {5, 9}, {10}, ""}));
  EXPECT_EQ(kernel, nullptr);
}

// Waking other threads, and waiting for what they have written of the first axis, takes longer than
// small transforms do.
TEST(FftKernel, SmallTransformsStayOnOneThread) {
  const auto loops_of = [](DimensionVector dimensions, DimensionVector lengths) {
    int64_t count = 1;
    for (const int64_t size : dimensions) count *= size;
    const std::vector<std::complex<float>> x(static_cast<size_t>(count), {1, 2});
    std::vector<std::complex<float>> one(x.size()), many(x.size());
    const auto kernel =
        MakeFftKernel({C64, C64, false, std::move(dimensions), std::move(lengths), "lanes"})
            .value();
    int64_t loops = 0;
    const KernelHost host = {
        &loops, 4,
        [](void* caller, int64_t count, void (*body)(void*, int64_t), void* argument) {
          ++*static_cast<int64_t*>(caller);
          for (int64_t i = count; i-- > 0;) body(argument, i);
        },
        nullptr};
    std::vector<unsigned char> scratch(static_cast<size_t>(kernel->ScratchBytes(4) + 64));
    auto* aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64) % 64;
    void* buffers[] = {const_cast<std::complex<float>*>(x.data()), many.data()};
    EXPECT_OK(kernel->Run({&host, buffers, aligned}));
    EXPECT_OK(RunPrepared(*kernel, {buffers[0], one.data()}));
    EXPECT_EQ(std::memcmp(one.data(), many.data(), x.size() * sizeof(x[0])), 0);
    return loops;
  };
  EXPECT_EQ(loops_of({64, 64}, {64, 64}), 0);
  EXPECT_EQ(loops_of({128, 128}, {128, 128}), 0);
  EXPECT_EQ(loops_of({512, 512}, {512, 512}), 2);
  EXPECT_EQ(loops_of({16, 128}, {128}), 0);
  EXPECT_EQ(loops_of({256, 1024}, {1024}), 1);
}

}  // namespace
}  // namespace xla::kernels

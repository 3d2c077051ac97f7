// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolutions against plain sums of whole numbers, which every order of
// summation gets right.
#include "xla/kernels/product/matrix_product.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/kernels/kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/kernels/reference/convolution.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// A matrix [batch, lines, k] with lines or k minor, and room between rows.
template <typename T>
struct TestMatrix {
  TestMatrix(TestRandom& random, int64_t batch, int64_t lines, int64_t k, bool k_is_minor)
      : line_stride(k_is_minor ? k + 3 : 1),
        k_stride(k_is_minor ? 1 : lines + 5),
        batch_stride(k_is_minor ? lines * line_stride : k * k_stride),
        data(batch * batch_stride + 8) {
    for (T& x : data) x = T(static_cast<float>(random.In(-4, 4)));
    view = {primitive_util::NativeToPrimitiveType<T>(),
            data.data(),
            sizeof(T),
            StridedDims({batch}, {batch_stride}),
            StridedDims({lines}, {line_stride}),
            StridedDims({k}, {k_stride})};
  }
  T At(int64_t b, int64_t line, int64_t k) const {
    return data[b * batch_stride + line * line_stride + k * k_stride];
  }

  int64_t line_stride, k_stride, batch_stride;
  std::vector<T> data;
  MatrixView view;
};

template <typename Wide, typename T>
void ExpectAgreesWithDefinition(int64_t batch, int64_t m, int64_t n, int64_t k) {
  TestRandom random(static_cast<uint64_t>(m * 1000003 + n * 1009 + k));
  const TestMatrix<T> a(random, batch, m, k, random.In(0, 1) == 0);
  const TestMatrix<T> b(random, batch, n, k, random.In(0, 1) == 0);
  for (const int threads : {1, 5}) {
    TestContext context(threads);
    std::vector<Wide> c(batch * m * n + 1, Wide(77));
    const ResultView result = {primitive_util::NativeToPrimitiveType<Wide>(),
                               c.data(),
                               sizeof(Wide),
                               StridedDims({batch}, {m * n}),
                               StridedDims({m}, {n}),
                               StridedDims({n}, {1})};
    ASSERT_OK(MultiplyMatrices<Wide>(context, a.view, b.view, result));
    for (int64_t l = 0; l < batch; ++l) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          Wide sum(0);
          for (int64_t h = 0; h < k; ++h)
            sum += static_cast<Wide>(a.At(l, i, h)) * static_cast<Wide>(b.At(l, j, h));
          ASSERT_EQ(c[(l * m + i) * n + j], sum)
              << batch << " x " << m << " x " << n << " x " << k << " at " << i << "," << j;
        }
      }
    }
    EXPECT_EQ(c.back(), Wide(77));
  }
}

// Sizes on both sides of vectors, panels and blocks.
TEST(MatrixProductTest, AgreesWithTheDefinition) {
  const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 191, 193, 257};
  for (const int64_t m : sizes) {
    for (const int64_t n : {1, 6, 8, 16, 33, 100}) {
      TestRandom random(static_cast<uint64_t>(m * n));
      ExpectAgreesWithDefinition<float, float>(1, m, n, sizes[random.In(0, 18)]);
    }
  }
  ExpectAgreesWithDefinition<float, float>(1, 200, 600, 300);
  ExpectAgreesWithDefinition<float, float>(3, 20, 30, 513);
  ExpectAgreesWithDefinition<float, float>(2, 5, 7, 0);
}

TEST(MatrixProductTest, ElementTypes) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{5, 3, 600}, {40, 70, 300}, {9, 1, 31}}) {
    ExpectAgreesWithDefinition<float, bfloat16>(2, m, n, k);
    ExpectAgreesWithDefinition<float, half>(2, m, n, k);
    ExpectAgreesWithDefinition<double, double>(2, m, n, k);
    ExpectAgreesWithDefinition<double, float>(2, m, n, k);
    ExpectAgreesWithDefinition<complex64, complex64>(2, m, n, k);
    ExpectAgreesWithDefinition<complex128, complex128>(1, m, n, k);
  }
}

// Integers of all bits wrap.
template <typename T>
void ExpectWraps() {
  constexpr int64_t m = 9, n = 40, k = 300;
  TestRandom random(3);
  std::vector<T> a(m * k), b(k * n), c(m * n);
  for (T& x : a) x = static_cast<T>(random.Bits());
  for (T& x : b) x = static_cast<T>(random.Bits());
  TestContext context;
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<T>();
  const MatrixView lhs = {
      kType, a.data(), sizeof(T), StridedDims(), StridedDims({m}, {k}), StridedDims({k}, {1})};
  const MatrixView rhs = {
      kType, b.data(), sizeof(T), StridedDims(), StridedDims({n}, {1}), StridedDims({k}, {n})};
  const ResultView result = {
      kType, c.data(), sizeof(T), StridedDims(), StridedDims({m}, {n}), StridedDims({n}, {1})};
  ASSERT_OK(MultiplyMatrices<T>(context, lhs, rhs, result));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      for (int64_t h = 0; h < k; ++h) sum += a[i * k + h] * b[h * n + j];
      ASSERT_EQ(c[i * n + j], sum);
    }
  }
}

TEST(MatrixProductTest, IntegersWrap) {
  ExpectWraps<uint32_t>();
  ExpectWraps<uint64_t>();
}

// The documented order of summation, for an element of a large product: it is not that of the
// machine's vectors.
TEST(MatrixProductTest, SumsInTheDocumentedOrder) {
  constexpr int64_t m = 50, n = 70, k = 1000;
  TestRandom random(9);
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (float& x : a) x = static_cast<float>(random.Unit());
  for (float& x : b) x = static_cast<float>(random.Unit());
  const MatrixView lhs = {
      F32, a.data(), 4, StridedDims(), StridedDims({m}, {k}), StridedDims({k}, {1})};
  const MatrixView rhs = {
      F32, b.data(), 4, StridedDims(), StridedDims({n}, {1}), StridedDims({k}, {n})};
  const ResultView result = {
      F32, c.data(), 4, StridedDims(), StridedDims({m}, {n}), StridedDims({n}, {1})};
  for (const int threads : {1, 2, 5}) {
    TestContext context(threads);
    ASSERT_OK(MultiplyMatrices<float>(context, lhs, rhs, result));
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t k0 = 0; k0 < k; k0 += kGemmBlockK) {
          float block = 0;
          for (int64_t h = k0; h < std::min(k, k0 + kGemmBlockK); ++h) {
            const float product = a[i * k + h] * b[h * n + j];
            block += product;
          }
          sum += block;
        }
        ASSERT_EQ(c[i * n + j], sum) << i << "," << j;
      }
    }
  }
}

// One dimension of width `size`, `features` in and out, in groups.
struct TestConvolution {
  TestConvolution(int64_t size, int64_t taps, int64_t groups, int64_t features, int64_t outputs)
      : size(size),
        taps(taps),
        groups(groups),
        features(features),
        outputs(outputs),
        input(size * groups * features),
        kernel(taps * features * groups * outputs),
        output(size * groups * outputs) {
    TestRandom random(static_cast<uint64_t>(size * taps + groups));
    for (float& x : input) x = static_cast<float>(random.In(-4, 4));
    for (float& x : kernel) x = static_cast<float>(random.In(-4, 4));
  }

  Convolution Describe() {
    const int64_t all_outputs = groups * outputs;
    Convolution conv;
    conv.patches = {.type = F32,
                    .data = reinterpret_cast<const char*>(input.data()),
                    .element_bytes = 4,
                    .group_stride = features,
                    .batch_size = 1,
                    .batch_stride = size * groups * features,
                    .features = features,
                    .feature_stride = 1,
                    .dims = {{.output_size = size,
                              .taps = taps,
                              .stride = 1,
                              .padding_low = taps / 2,
                              .window_dilation = 1,
                              .base_dilation = 1,
                              .input_size = size,
                              .input_stride = groups * features}}};
    conv.kernel = {F32,
                   kernel.data(),
                   4,
                   StridedDims({groups}, {outputs}),
                   StridedDims({outputs}, {1}),
                   StridedDims({taps * features}, {all_outputs})};
    conv.result = {F32,
                   output.data(),
                   4,
                   StridedDims({groups}, {outputs}),
                   StridedDims({size}, {all_outputs}),
                   StridedDims({outputs}, {1})};
    return conv;
  }

  float Expected(int64_t at, int64_t group, int64_t feature_out) const {
    float sum = 0;
    for (int64_t t = 0; t < taps; ++t) {
      const int64_t from = at + t - taps / 2;
      if (from < 0 || from >= size) continue;
      for (int64_t f = 0; f < features; ++f) {
        sum += input[(from * groups + group) * features + f] *
               kernel[((t * features + f) * groups + group) * outputs + feature_out];
      }
    }
    return sum;
  }

  int64_t size, taps, groups, features, outputs;
  std::vector<float> input, kernel, output;
};

TEST(ConvolutionTest, AgreesWithTheDefinition) {
  const int64_t cases[][5] = {{50, 3, 1, 5, 7},  {300, 7, 1, 3, 2},  {40, 3, 30, 1, 1},
                              {33, 5, 17, 2, 3}, {20, 3, 4, 16, 40}, {1, 1, 1, 1, 1}};
  for (const auto& [size, taps, groups, features, outputs] : cases) {
    TestConvolution test(size, taps, groups, features, outputs);
    for (const int threads : {1, 5}) {
      TestContext context(threads);
      ASSERT_OK(Convolve<float>(context, test.Describe()));
      for (int64_t at = 0; at < size; ++at) {
        for (int64_t group = 0; group < groups; ++group) {
          for (int64_t o = 0; o < outputs; ++o) {
            ASSERT_EQ(test.output[(at * groups + group) * outputs + o], test.Expected(at, group, o))
                << size << " " << groups << " at " << at;
          }
        }
      }
    }
  }
}

TEST(MatrixProductTest, StopsSoonAndCountsMemory) {
  // Lines of one element, repeated: 2^50 products.
  const float one = 1;
  std::vector<float> c(64 * 64);
  for (const int64_t lines : {2, 64}) {
    const MatrixView view = {F32,
                             &one,
                             4,
                             StridedDims(),
                             StridedDims({lines}, {0}),
                             StridedDims({int64_t{1} << 40}, {0})};
    const ResultView result = {
        F32, c.data(), 4, StridedDims(), StridedDims({lines}, {lines}), StridedDims({lines}, {1})};
    ExpectStopsSoon(
        [&](Context& context) { return MultiplyMatrices<float>(context, view, view, result); });
  }
  // A depthwise kernel of which every tap meets the same input.
  TestConvolution depthwise(1 << 14, 1 << 14, 16, 1, 1);
  ExpectStopsSoon([&](Context& context) { return Convolve<float>(context, depthwise.Describe()); });
  ExpectCountsMemory(4 * (1 << 12) * 16, [](Context& context) {
    TestConvolution small(4, 1 << 12, 16, 1, 1);
    return Convolve<float>(context, small.Describe());
  });
  std::vector<float> a(300 * 300);
  const MatrixView view = {
      F32, a.data(), 4, StridedDims(), StridedDims({300}, {300}), StridedDims({300}, {1})};
  std::vector<float> product(300 * 300);
  const ResultView result = {
      F32, product.data(), 4, StridedDims(), StridedDims({300}, {300}), StridedDims({300}, {1})};
  ExpectCountsMemory(4 * 256 * 32, [&](Context& context) {
    return MultiplyMatrices<float>(context, view, view, result);
  });
}

}  // namespace
}  // namespace xla::kernels

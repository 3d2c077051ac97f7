// SPDX-License-Identifier: Apache-2.0
// Prepared dot kernels against plain loops: shapes, layouts, element types, epilogues, workers.
#include "xla/kernels/dot/dot_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/kernels/prepared_kernel_test_util.h"
#include "tests/test_util.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
namespace {

// Small whole numbers: sums are exact in every type, in any order.
template <typename T>
T SmallNumber(TestRandom& random) {
  if constexpr (is_complex_v<T>) {
    return T(static_cast<float>(random.In(-3, 3)), static_cast<float>(random.In(-3, 3)));
  } else {
    return static_cast<T>(static_cast<float>(random.In(-3, 3)));
  }
}

template <typename R, typename T>
R ToWide(T x) {
  if constexpr (is_complex_v<R>) {
    if constexpr (is_complex_v<T>)
      return R(x.real(), x.imag());
    else
      return R(static_cast<double>(x), 0);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<R>(x);
  } else {
    return static_cast<R>(static_cast<double>(x));
  }
}

struct Sizes {
  std::vector<int64_t> batch, m, n, k;
};

template <typename L, typename R, typename Out>
class DotCase {
  using Reference = std::conditional_t<is_complex_v<Out>, std::complex<double>, double>;

 public:
  DotCase(uint64_t seed, const Sizes& sizes, bool row_major) : random_(seed) {
    const auto join = [](std::initializer_list<const std::vector<int64_t>*> parts) {
      DimensionVector all;
      for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
      return all;
    };
    spec.lhs = RandomArray(random_, primitive_util::NativeToPrimitiveType<L>(),
                           join({&sizes.batch, &sizes.m, &sizes.k}), row_major);
    spec.rhs = RandomArray(random_, primitive_util::NativeToPrimitiveType<R>(),
                           join({&sizes.batch, &sizes.k, &sizes.n}), row_major);
    spec.result = RandomArray(random_, primitive_util::NativeToPrimitiveType<Out>(),
                              join({&sizes.batch, &sizes.m, &sizes.n}), row_major);
    const int64_t b = sizes.batch.size(), m = sizes.m.size(), k = sizes.k.size();
    for (int64_t i = 0; i < b; ++i) {
      spec.lhs_batch.push_back(i);
      spec.rhs_batch.push_back(i);
    }
    for (int64_t i = 0; i < k; ++i) {
      spec.lhs_contracting.push_back(b + m + i);
      spec.rhs_contracting.push_back(b + i);
    }
    lhs.resize(spec.lhs.element_count());
    rhs.resize(spec.rhs.element_count());
    for (L& x : lhs) x = SmallNumber<L>(random_);
    for (R& x : rhs) x = SmallNumber<R>(random_);
    sizes_ = sizes;
  }

  std::vector<Out> Run(int workers) {
    std::vector<Out> out(spec.result.element_count());
    absl::StatusOr<std::unique_ptr<const Kernel>> kernel = MakeDotKernel(spec);
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    if (!kernel.ok()) return out;
    const absl::Status status =
        RunPrepared(**kernel, {lhs.data(), rhs.data(), out.data()}, workers);
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }

  Reference Expected(absl::Span<const int64_t> index) const {
    const size_t b = sizes_.batch.size(), m = sizes_.m.size(), k = sizes_.k.size();
    const absl::Span<const int64_t> rows = index.subspan(0, b + m), columns = index.subspan(b + m);
    const auto offset = [](absl::Span<const int64_t> at, const ArraySpec& array, size_t first) {
      int64_t sum = 0;
      for (size_t d = 0; d < at.size(); ++d) sum += at[d] * array.strides[first + d];
      return sum;
    };
    const int64_t row = offset(rows, spec.lhs, 0);
    const int64_t column =
        offset(index.subspan(0, b), spec.rhs, 0) + offset(columns, spec.rhs, b + k);
    Reference sum = 0;
    ForEachIndex(sizes_.k, [&](const DimensionVector& at) {
      sum += ToWide<Reference>(lhs[row + offset(at, spec.lhs, b + m)]) *
             ToWide<Reference>(rhs[column + offset(at, spec.rhs, b)]);
    });
    return sum;
  }

  // Checks every form that can compute the product.
  void Check(const std::string& what, int workers = 1) {
    std::vector<Out> expected(spec.result.element_count());
    ForEachIndex(spec.result.dimensions, [&](const DimensionVector& index) {
      expected[OffsetOf(spec.result, index)] = ToOut(Expected(index));
    });
    std::vector<FormCost> forms = DotForms(spec);
    forms.insert(forms.begin(), FormCost{"", 0});
    for (const FormCost& form : forms) {
      spec.form = form.form;
      EXPECT_TRUE(Run(workers) == expected) << what << " by " << form.form;
    }
    spec.form.clear();
  }

  static Out ToOut(Reference x) {
    if constexpr (is_complex_v<Out>) {
      using Part = typename Out::value_type;
      return Out(static_cast<Part>(x.real()), static_cast<Part>(x.imag()));
    } else if constexpr (std::is_integral_v<Out>) {
      return static_cast<Out>(static_cast<int64_t>(x));
    } else {
      return static_cast<Out>(static_cast<float>(x));
    }
  }

  DotSpec spec;
  std::vector<L> lhs;
  std::vector<R> rhs;

 private:
  TestRandom random_;
  Sizes sizes_;
};

const std::vector<Sizes>& ManySizes() {
  static const auto* sizes = new std::vector<Sizes>{
      {{}, {1}, {1}, {1}},       {{}, {}, {}, {5}},
      {{}, {3}, {2}, {0}},       {{}, {0}, {2}, {3}},
      {{}, {13}, {33}, {7}},     {{}, {12}, {32}, {256}},
      {{}, {1}, {300}, {40}},    {{}, {300}, {1}, {40}},
      {{}, {2}, {67}, {130}},    {{}, {67}, {3}, {130}},
      {{}, {4}, {70}, {600}},    {{}, {50}, {20}, {520}},
      {{3}, {5}, {40}, {17}},    {{2, 2}, {3, 4}, {5, 6}, {2, 9}},
      {{7}, {1}, {64}, {32}},    {{2}, {4}, {4}, {20000}},
      {{}, {9}, {11}, {9000}},   {{}, {}, {}, {200000}},
      {{}, {}, {2000}, {70}},    {{5}, {33}, {}, {31}},
      {{}, {130}, {140}, {300}}, {{}, {70}, {333}, {270}},
      {{}, {1100}, {40}, {30}},  {{2}, {37}, {1100}, {9}},
  };
  return *sizes;
}

template <typename L, typename R, typename Out>
void CheckAll(int64_t limit = 1 << 24) {
  uint64_t seed = 1;
  for (const Sizes& sizes : ManySizes()) {
    int64_t work = 1;
    for (const auto* part : {&sizes.batch, &sizes.m, &sizes.n, &sizes.k})
      for (const int64_t size : *part) work *= size;
    if (work > limit) continue;
    for (const bool row_major : {true, false, false}) {
      DotCase<L, R, Out> dot(++seed, sizes, row_major);
      dot.Check("case " + std::to_string(seed), seed % 3 == 0 ? 3 : 1);
    }
  }
}

TEST(DotKernel, F32) { CheckAll<float, float, float>(); }
TEST(DotKernel, F64) { CheckAll<double, double, double>(1 << 20); }
TEST(DotKernel, Bf16) { CheckAll<bfloat16, bfloat16, float>(1 << 21); }
TEST(DotKernel, Bf16ToBf16) {
  DotCase<bfloat16, bfloat16, bfloat16>(3, {{}, {20}, {40}, {9}}, true).Check("bf16");
}
TEST(DotKernel, F16) { CheckAll<half, half, float>(1 << 18); }
TEST(DotKernel, MixedFloats) { CheckAll<bfloat16, float, float>(1 << 18); }
TEST(DotKernel, Int8) { CheckAll<int8_t, int8_t, int32_t>(1 << 21); }
TEST(DotKernel, Int8ToInt8) { CheckAll<int8_t, int8_t, int8_t>(1 << 18); }
TEST(DotKernel, Uint8) { CheckAll<uint8_t, uint8_t, int32_t>(1 << 18); }
TEST(DotKernel, Uint8ByInt8) { CheckAll<uint8_t, int8_t, int32_t>(1 << 20); }
TEST(DotKernel, FloatByInt8) { CheckAll<float, int8_t, float>(1 << 20); }
TEST(DotKernel, Bf16ByInt8) { CheckAll<bfloat16, int8_t, bfloat16>(1 << 12); }
TEST(DotKernel, Int64) { CheckAll<int64_t, int64_t, int64_t>(1 << 18); }
TEST(DotKernel, Complex64) { CheckAll<complex64, complex64, complex64>(1 << 20); }
TEST(DotKernel, Complex128) { CheckAll<complex128, complex128, complex128>(1 << 18); }
TEST(DotKernel, RealByComplex) { CheckAll<float, complex64, complex64>(1 << 18); }

TEST(DotKernel, FewRowsByAMatrixThatExceedsTheCaches) {
  for (const int workers : {1, 3})
    DotCase<float, float, float>(5, {{}, {6}, {1100}, {1000}}, true).Check("large", workers);
}

TEST(DotKernel, Int8OfGreatestMagnitude) {
  for (const int64_t rows : {30, 3}) {
    DotCase<int8_t, int8_t, int32_t> dot(1, {{}, {rows}, {50}, {1000}}, true);
    for (int8_t& x : dot.lhs) x = -128;
    for (int8_t& x : dot.rhs) x = -128;
    dot.Check("extremes");
  }
}

template <typename L, typename R>
void CheckExtremes(L lhs, R rhs) {
  for (const bool row_major : {true, false}) {
    DotCase<L, R, int32_t> dot(1, {{}, {30}, {50}, {1001}}, row_major);
    for (L& x : dot.lhs) x = lhs;
    for (R& x : dot.rhs) x = rhs;
    dot.Check("extremes");
  }
}
TEST(DotKernel, Uint8OfGreatestMagnitude) {
  CheckExtremes<uint8_t, uint8_t>(255, 255);
  CheckExtremes<uint8_t, int8_t>(255, -128);
  CheckExtremes<int8_t, uint8_t>(127, 255);
}

// Few rows by matrices of narrow elements, of which every value is widened as its type is.
TEST(DotKernel, FewRowsByNarrowMatrices) {
  for (const int64_t m : {1, 3, 4, 7, 12}) {
    for (const bool row_major : {true, false}) {
      DotCase<float, int8_t, float> bytes(2, {{}, {m}, {259}, {11}}, row_major);
      for (size_t i = 0; i < bytes.rhs.size(); ++i) bytes.rhs[i] = static_cast<int8_t>(i * 37);
      bytes.Check("bytes");
      DotCase<bfloat16, bfloat16, float> halves(2, {{2}, {m}, {259}, {70}}, row_major);
      for (size_t i = 0; i < halves.rhs.size(); ++i)
        halves.rhs[i] = static_cast<bfloat16>(static_cast<float>(static_cast<int>(i % 255) - 127));
      halves.Check("halves");
    }
  }
}

TEST(DotKernel, ComplexToRealIsUnimplemented) {
  DotCase<complex64, complex64, float> dot(1, {{}, {2}, {2}, {2}}, true);
  EXPECT_STATUS(MakeDotKernel(dot.spec).status(), absl::StatusCode::kUnimplemented, "complex");
}

// Rounded sums: the number of workers does not show.
TEST(DotKernel, SameBitsForAnyNumberOfWorkers) {
  for (const Sizes& sizes : ManySizes()) {
    DotCase<float, float, float> dot(7, sizes, true);
    TestRandom random(5);
    for (float& x : dot.lhs) x = static_cast<float>(random.Unit());
    for (float& x : dot.rhs) x = static_cast<float>(random.Unit());
    const std::vector<float> one = dot.Run(1);
    for (const int workers : {2, 5}) {
      const std::vector<float> many = dot.Run(workers);
      ASSERT_EQ(many.size(), one.size());
      if (one.empty()) continue;
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0);
    }
  }
}

TEST(DotKernel, RoundingErrorIsThatOfF32Sums) {
  DotCase<float, float, float> dot(7, {{}, {40}, {50}, {3000}}, true);
  TestRandom random(5);
  for (float& x : dot.lhs) x = static_cast<float>(random.Unit());
  for (float& x : dot.rhs) x = static_cast<float>(random.Unit());
  const std::vector<float> out = dot.Run(1);
  ForEachIndex(dot.spec.result.dimensions, [&](const DimensionVector& index) {
    EXPECT_NEAR(out[OffsetOf(dot.spec.result, index)], dot.Expected(index), 1e-4);
  });
}

TEST(DotKernel, ScalesAreMultipliedIntoOperands) {
  for (const Sizes& sizes :
       {Sizes{{}, {40}, {50}, {300}}, Sizes{{}, {1}, {64}, {64}}, Sizes{{}, {64}, {1}, {64}}}) {
    DotCase<float, float, float> plain(3, sizes, true), scaled(3, sizes, true);
    scaled.spec.lhs_scale = 0.5;
    scaled.spec.rhs_scale = -4;
    const std::vector<float> a = plain.Run(1), b = scaled.Run(1);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(b[i], a[i] * -2);
  }
}

TEST(DotKernel, ConstantsArePackedOnce) {
  for (const bool row_major : {true, false}) {
    DotCase<float, float, float> dot(3, {{2}, {40}, {70}, {300}}, row_major);
    const std::vector<float> expected = dot.Run(1);
    dot.spec.rhs_constant = dot.rhs.data();
    EXPECT_EQ(dot.Run(1), expected);
  }
  DotCase<half, half, float> narrow(3, {{}, {40}, {70}, {300}}, true);
  const std::vector<float> expected = narrow.Run(1);
  narrow.spec.rhs_constant = narrow.rhs.data();
  EXPECT_EQ(narrow.Run(1), expected);
}

TEST(DotKernel, EpilogueSeesEachElementOnce) {
  for (const Sizes& sizes : ManySizes()) {
    for (const bool row_major : {true, false}) {
      DotCase<float, float, float> dot(3, sizes, row_major);
      const std::vector<float> plain = dot.Run(1);
      std::vector<float> addend(plain.size()), out(plain.size(), -1);
      for (size_t i = 0; i < addend.size(); ++i) addend[i] = static_cast<float>(i % 100);
      dot.spec.epilogue.store = [](void* const* buffers, int64_t first, int64_t count,
                                   const void* values) {
        float* to = static_cast<float*>(buffers[2]) + first;
        const float* add = static_cast<const float*>(buffers[3]) + first;
        for (int64_t i = 0; i < count; ++i) to[i] = static_cast<const float*>(values)[i] + add[i];
      };
      for (const bool in_place : {false, true}) {
        dot.spec.epilogue.in_place = in_place;
        ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeDotKernel(dot.spec));
        ASSERT_OK(
            RunPrepared(*kernel, {dot.lhs.data(), dot.rhs.data(), out.data(), addend.data()}));
        for (size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], plain[i] + addend[i]);
      }
    }
  }
}

// Ranges of a long sum are tasks: as many of them for any number of workers.
TEST(DotKernel, LongSumsAreDividedBySizesAlone) {
  for (const Sizes& sizes : {Sizes{{}, {60}, {100}, {9000}}, Sizes{{}, {130}, {1000}, {4100}},
                             Sizes{{2}, {20}, {30}, {5000}}}) {
    DotCase<float, float, float> dot(7, sizes, true);
    TestRandom random(5);
    for (float& x : dot.lhs) x = static_cast<float>(random.Unit());
    for (float& x : dot.rhs) x = static_cast<float>(random.Unit());
    const std::vector<float> one = dot.Run(1);
    for (const int workers : {2, 3, 16}) EXPECT_EQ(dot.Run(workers), one);
    EXPECT_NEAR(one[0], dot.Expected(DimensionVector(sizes.batch.size() + 2, 0)), 1e-3);
  }
}

// Sums that are formed in the result in several steps are given to the epilogue when they are
// complete, whatever the blocks are.
TEST(DotKernel, EpilogueInPlaceForAnyNumberOfWorkers) {
  for (const Sizes& sizes : {Sizes{{}, {70}, {333}, {600}}, Sizes{{3}, {50}, {160}, {520}},
                             Sizes{{}, {600}, {70}, {257}}, Sizes{{}, {40}, {90}, {0}}}) {
    DotCase<float, float, float> dot(3, sizes, true);
    const std::vector<float> plain = dot.Run(1);
    dot.spec.epilogue.in_place = true;
    dot.spec.epilogue.store = [](void* const* buffers, int64_t first, int64_t count,
                                 const void* values) {
      float* to = static_cast<float*>(buffers[2]) + first;
      int* seen = static_cast<int*>(buffers[3]) + first;
      for (int64_t i = 0; i < count; ++i) {
        to[i] = static_cast<const float*>(values)[i] * 2 + 1;
        ++seen[i];
      }
    };
    ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeDotKernel(dot.spec));
    for (const int workers : {1, 2, 5}) {
      std::vector<float> out(plain.size());
      std::vector<int> seen(plain.size());
      ASSERT_OK(
          RunPrepared(*kernel, {dot.lhs.data(), dot.rhs.data(), out.data(), seen.data()}, workers));
      for (size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i], plain[i] * 2 + 1);
        ASSERT_EQ(seen[i], 1);
      }
    }
  }
}

TEST(DotKernel, StopsWhenToldTo) {
  DotCase<float, float, float> dot(3, {{}, {300}, {300}, {3000}}, true);
  std::vector<float> out(300 * 300);
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<const Kernel> kernel, MakeDotKernel(dot.spec));
  EXPECT_STATUS(RunPrepared(*kernel, {dot.lhs.data(), dot.rhs.data(), out.data()}, 2,
                            [](void*) { return static_cast<int32_t>(1); }),
                absl::StatusCode::kCancelled, "stopped");
}

}  // namespace
}  // namespace xla::kernels

// SPDX-License-Identifier: Apache-2.0
// Sequences of plane rotations, against one rotation after the other.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/lapack/lapack_test_util.h"

extern "C" {
void dlasr_(const char* side, const char* pivot, const char* direct, const int32_t* m,
            const int32_t* n, const double* c, const double* s, double* a, const int32_t* lda,
            size_t, size_t, size_t);
void clasr_(const char* side, const char* pivot, const char* direct, const int32_t* m,
            const int32_t* n, const float* c, const float* s, xla::complex64* a, const int32_t* lda,
            size_t, size_t, size_t);
}

namespace xla::lapack {
namespace {

template <typename T, typename Real, typename Routine>
void Check(Routine routine) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const int32_t m : {1, 2, 9, 40, 300}) {
    for (const int32_t n : {1, 2, 8, 19, 70}) {
      for (int options = 0; options < 12; ++options) {
        const char side = "LR"[options % 2], pivot = "VTB"[options / 2 % 3],
                   direct = "FB"[options / 6];
        const int32_t lda = m + 3, planes = side == 'L' ? m : n;
        std::vector<T> a(static_cast<size_t>(lda) * n);
        Real* const numbers = reinterpret_cast<Real*>(a.data());
        for (size_t i = 0; i < a.size() * sizeof(T) / sizeof(Real); ++i)
          numbers[i] = static_cast<Real>(normal(random));
        std::vector<Real> c, s;
        for (int32_t k = 0; k + 1 < planes; ++k) {
          const double angle = k % 5 == 3 ? 0 : normal(random);
          c.push_back(static_cast<Real>(std::cos(angle)));
          s.push_back(static_cast<Real>(std::sin(angle)));
        }
        std::vector<T> expected = a;
        for (int32_t step = 0; step + 1 < planes; ++step) {
          const int32_t k = direct == 'F' ? step : planes - 2 - step;
          const int32_t p = pivot == 'T' ? 0 : k, q = pivot == 'B' ? planes - 1 : k + 1;
          const auto at = static_cast<size_t>(k);
          for (int32_t i = 0; i < (side == 'L' ? n : m); ++i) {
            T& x = expected[static_cast<size_t>(side == 'L' ? i * lda + p : p * lda + i)];
            T& y = expected[static_cast<size_t>(side == 'L' ? i * lda + q : q * lda + i)];
            const T old_x = x, old_y = y;
            y = c[at] * old_y - s[at] * old_x;
            x = s[at] * old_y + c[at] * old_x;
          }
        }
        routine(&side, &pivot, &direct, &m, &n, c.data(), s.data(), a.data(), &lda, 1, 1, 1);
        EXPECT_EQ(a, expected) << side << pivot << direct << " " << m << " " << n;
      }
    }
  }
}

TEST(PlaneRotationsTest, AreAsOneAfterTheOther) {
  Check<double, double>(dlasr_);
  Check<complex64, float>(clasr_);
}

}  // namespace
}  // namespace xla::lapack

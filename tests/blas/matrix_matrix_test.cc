// SPDX-License-Identifier: Apache-2.0
#include "xla/blas/matrix.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"

namespace xla::blas {
namespace {

template <typename T>
class MatrixMatrixTest : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixMatrixTest, ElementTypes);

struct Size {
  Int m, n, k;
};
// Around the sizes of tiles, of panels and of blocks.
constexpr Size kProductSizes[] = {{0, 3, 2},    {3, 0, 2},    {2, 3, 0},    {1, 1, 1},
                                  {3, 3, 3},    {7, 5, 9},    {16, 12, 8},  {17, 13, 33},
                                  {31, 25, 64}, {5, 70, 130}, {90, 3, 129}, {40, 37, 257}};

template <typename T>
void TestGemm(const Size& s, char ta, char tb, T alpha, T beta) {
  const std::string what = absl::StrCat("gemm ", s.m, " ", s.n, " ", s.k);
  const Stored<T> a(ta == 'N' ? s.m : s.k, ta == 'N' ? s.k : s.m, 1),
      b(tb == 'N' ? s.k : s.n, tb == 'N' ? s.n : s.k, 2);
  Stored<T> c(s.m, s.n, 3);
  if (beta == T(0)) c.Fill(NotANumber<T>());
  const Stored<T> before = c;
  Gemm(ta, tb, s.m, s.n, s.k, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta, c.data.data(),
       c.ld);
  ExpectMatrix(
      before, c,
      [&](Int i, Int j) {
        Sum sum;
        for (Int k = 0; k < s.k; ++k) sum += Sum(a.Op(ta, i, k)) * Sum(b.Op(tb, k, j));
        sum = Sum(alpha) * sum;
        sum += Scaled(beta, before(i, j));
        return sum;
      },
      [](Int, Int) { return true; }, what + ta + tb);
}

TYPED_TEST(MatrixMatrixTest, Gemm) {
  using T = TypeParam;
  for (const Size& size : kProductSizes) {
    for (const char ta : {'N', 'T', 'C'}) {
      for (const char tb : {'N', 'T', 'C'}) {
        for (const T alpha : Scalars<T>()) TestGemm<T>(size, ta, tb, alpha, Scalars<T>().back());
        for (const T beta : Scalars<T>()) TestGemm<T>(size, ta, tb, T(1), beta);
      }
    }
  }
}

TYPED_TEST(MatrixMatrixTest, GemmOfManyBlocks) {
  using T = TypeParam;
  TestGemm<T>({150, 610, 20}, 'N', 'N', T(-1), T(1));
  TestGemm<T>({20, 20, 600}, 'T', 'N', T(-1), T(0));
}

TYPED_TEST(MatrixMatrixTest, BitsOfAnElementDoNotDependOnTheSize) {
  using T = TypeParam;
  const Int m = 83, n = 71, k = 270;
  for (const T beta : Scalars<T>()) {
    const Stored<T> a(m, k, 1), b(k, n, 2), c(m, n, 3);
    const T alpha = Scalars<T>().back();
    Stored<T> whole = c;
    Gemm('N', 'N', m, n, k, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
         whole.data.data(), c.ld);
    for (const Size& s :
         {Size{1, 1, 0}, Size{2, 3, 0}, Size{9, 1, 0}, Size{1, 40, 0}, Size{50, 30, 0}}) {
      Stored<T> part = c;
      const Int i = m - s.m, j = n - s.n;
      Gemm('N', 'N', s.m, s.n, k, alpha, &a(i, 0), a.ld, &b(0, j), b.ld, beta, &part(i, j), c.ld);
      for (Int column = j; column < n; ++column) {
        for (Int row = i; row < m; ++row) ASSERT_EQ(part(row, column), whole(row, column));
      }
    }
  }
}

TYPED_TEST(MatrixMatrixTest, NumbersThatAreNotFiniteSpread) {
  using T = TypeParam;
  for (const Int n : {2, 40}) {
    Stored<T> a(n, n, 1), b(n, n, 2), c(n, n, 3);
    a(1, 0) = NotANumber<T>();
    for (Int j = 0; j < n; ++j) b(0, j) = T(0);
    Gemm('N', 'N', n, n, n, T(1), a.data.data(), a.ld, b.data.data(), b.ld, T(0), c.data.data(),
         c.ld);
    for (Int j = 0; j < n; ++j) {
      EXPECT_TRUE(std::isnan(RealPart(c(1, j))));
      EXPECT_FALSE(std::isnan(RealPart(c(0, j))));
    }
    // Nothing is multiplied if alpha is 0.
    Gemm('N', 'N', n, n, n, T(0), a.data.data(), a.ld, b.data.data(), b.ld, T(0), c.data.data(),
         c.ld);
    EXPECT_EQ(c(1, 1), T(0));
  }
}

TYPED_TEST(MatrixMatrixTest, SymmAndHemm) {
  using T = TypeParam;
  for (const bool hermitian : {false, true}) {
    for (const Size& s : {Size{0, 2, 0}, Size{1, 3, 0}, Size{5, 4, 0}, Size{49, 50, 0},
                          Size{130, 20, 0}, Size{20, 130, 0}}) {
      for (const char side : {'L', 'R'}) {
        for (const char uplo : {'L', 'U'}) {
          for (const T beta : Scalars<T>()) {
            const Int order = side == 'L' ? s.m : s.n;
            Stored<T> a(order, order, 1);
            const Stored<T> b(s.m, s.n, 2);
            Stored<T> c(s.m, s.n, 3);
            if (beta == T(0)) c.Fill(NotANumber<T>());
            const Stored<T> before = c;
            const auto element = [&](Int i, Int j) -> T {
              const bool stored = uplo == 'L' ? i >= j : i <= j;
              if (hermitian && i == j) return T(RealPart(a(i, i)));
              return stored ? a(i, j) : hermitian ? Conjugate(a(j, i)) : a(j, i);
            };
            // The other triangle is not read.
            for (Int j = 0; j < order; ++j) {
              for (Int i = 0; i < order; ++i) {
                if (uplo == 'L' ? i < j : i > j) a(i, j) = NotANumber<T>();
              }
            }
            const T alpha = Scalars<T>().back();
            if (hermitian) {
              Hemm(side, uplo, s.m, s.n, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
                   c.data.data(), c.ld);
            } else {
              Symm(side, uplo, s.m, s.n, alpha, a.data.data(), a.ld, b.data.data(), b.ld, beta,
                   c.data.data(), c.ld);
            }
            ExpectMatrix(
                before, c,
                [&](Int i, Int j) {
                  Sum sum;
                  for (Int k = 0; k < order; ++k) {
                    sum += side == 'L' ? Sum(element(i, k)) * Sum(b(k, j))
                                       : Sum(b(i, k)) * Sum(element(k, j));
                  }
                  sum = Sum(alpha) * sum;
                  sum += Scaled(beta, before(i, j));
                  return sum;
                },
                [](Int, Int) { return true; }, absl::StrCat("symm ", s.m, " ", s.n));
          }
        }
      }
    }
  }
}

// xSYRK, xHERK, and with a second matrix xSYR2K and xHER2K.
template <typename T>
void TestRankK(bool hermitian, bool two, char uplo, char trans, Int n, Int k, T alpha, T beta) {
  const bool plain = trans == 'N';
  const Stored<T> a(plain ? n : k, plain ? k : n, 1), b(plain ? n : k, plain ? k : n, 2);
  Stored<T> c(n, n, 3);
  if (hermitian) {
    for (Int i = 0; i < n; ++i) c(i, i) = T(RealPart(c(i, i)));
  }
  if (beta == T(0)) c.Fill(NotANumber<T>());
  const Stored<T> before = c;
  const T* const pa = a.data.data();
  const T* const pb = b.data.data();
  if (hermitian && two) {
    Her2k(uplo, trans, n, k, alpha, pa, a.ld, pb, b.ld, RealPart(beta), c.data.data(), c.ld);
  } else if (hermitian) {
    Herk(uplo, trans, n, k, RealPart(alpha), pa, a.ld, RealPart(beta), c.data.data(), c.ld);
  } else if (two) {
    Syr2k(uplo, trans, n, k, alpha, pa, a.ld, pb, b.ld, beta, c.data.data(), c.ld);
  } else {
    Syrk(uplo, trans, n, k, alpha, pa, a.ld, beta, c.data.data(), c.ld);
  }
  // Element (i, k) on the left and (k, j) on the right.
  const auto left = [&](const Stored<T>& x, Int i, Int l) {
    const T value = plain ? x(i, l) : x(l, i);
    return Sum(hermitian && !plain ? Conjugate(value) : value);
  };
  const auto right = [&](const Stored<T>& x, Int l, Int j) {
    const T value = plain ? x(j, l) : x(l, j);
    return Sum(hermitian && plain ? Conjugate(value) : value);
  };
  ExpectMatrix(
      before, c,
      [&](Int i, Int j) {
        Sum sum, second;
        for (Int l = 0; l < k; ++l) {
          sum += left(a, i, l) * right(two ? b : a, l, j);
          if (two) second += left(b, i, l) * right(a, l, j);
        }
        sum = Sum(hermitian && !two ? T(RealPart(alpha)) : alpha) * sum;
        if (two) sum += Sum(hermitian ? Conjugate(alpha) : alpha) * second;
        sum += Scaled(hermitian ? T(RealPart(beta)) : beta, before(i, j));
        return sum;
      },
      [&](Int i, Int j) { return uplo == 'L' ? i >= j : i <= j; },
      absl::StrCat("rank k ", n, " ", k, " ", std::string(1, uplo), std::string(1, trans)));
  if (hermitian && n > 0) {
    EXPECT_EQ(std::imag(c(n - 1, n - 1)), 0);
  }
}

TYPED_TEST(MatrixMatrixTest, RankKUpdates) {
  using T = TypeParam;
  for (const bool hermitian : {false, true}) {
    for (const bool two : {false, true}) {
      for (const char uplo : {'L', 'U'}) {
        for (const char trans : {'N', hermitian ? 'C' : 'T'}) {
          for (const auto& [n, k] : std::vector<std::pair<Int, Int>>{
                   {0, 2}, {1, 1}, {2, 0}, {3, 2}, {17, 40}, {32, 3}, {33, 5}, {70, 20}}) {
            for (const T beta : Scalars<T>())
              TestRankK<T>(hermitian, two, uplo, trans, n, k, Scalars<T>().back(), beta);
            TestRankK<T>(hermitian, two, uplo, trans, n, k, T(0), Scalars<T>().back());
          }
        }
      }
    }
  }
  // Several tasks.
  TestRankK<T>(true, false, 'L', 'N', 450, 20, T(-1), T(1));
  TestRankK<T>(false, true, 'U', 'T', 450, 20, T(1), T(0));
}

}  // namespace
}  // namespace xla::blas

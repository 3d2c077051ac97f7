// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"
#include "xla/blas/matrix.h"

namespace xla::blas {
namespace {

template <typename T>
class TriangularTest : public ::testing::Test {};
TYPED_TEST_SUITE(TriangularTest, ElementTypes);

// A triangle of which the rest, and the diagonal if it is one, is not a number. Well conditioned,
// so that solutions stay small.
template <typename T>
Stored<T> RandomTriangle(Int n, char uplo, char diag) {
  Stored<T> a(n, n, 1);
  for (Int j = 0; j < n; ++j) {
    for (Int i = 0; i < n; ++i) {
      if (i == j) {
        a(i, i) = diag == 'U' ? NotANumber<T>() : a(i, i) + T(3);
      } else if ((uplo == 'L') == (i < j)) {
        a(i, j) = NotANumber<T>();
      } else {
        a(i, j) /= static_cast<Part<T>>(n);
      }
    }
  }
  return a;
}

// Element (i, j) of op(A).
template <typename T>
T Element(const Stored<T>& a, char uplo, char trans, char diag, Int i, Int j) {
  if (trans != 'N') std::swap(i, j);
  if (i == j && diag == 'U') return T(1);
  if (uplo == 'L' ? i < j : i > j) return T(0);
  return trans == 'C' ? Conjugate(a(i, j)) : a(i, j);
}

template <typename T>
void SolveOrMultiply(bool solve, char side, char uplo, char trans, char diag, Int m, Int n, T alpha,
                     const Stored<T>& a, T* b, Int ldb) {
  if (solve) {
    Trsm(side, uplo, trans, diag, m, n, alpha, a.data.data(), a.ld, b, ldb);
  } else {
    Trmm(side, uplo, trans, diag, m, n, alpha, a.data.data(), a.ld, b, ldb);
  }
}

constexpr std::pair<Int, Int> kTriangleSizes[] = {{0, 2},   {2, 0},   {1, 1},  {2, 2},
                                                  {3, 4},   {5, 30},  {31, 2}, {33, 25},
                                                  {65, 49}, {9, 140}, {140, 9}};

template <typename T, class Test>
void ForEachTriangle(const Test& test) {
  for (const char side : {'L', 'R'}) {
    for (const char uplo : {'L', 'U'}) {
      for (const char trans : {'N', 'T', 'C'}) {
        for (const char diag : {'N', 'U'}) test(side, uplo, trans, diag);
      }
    }
  }
}

template <typename T>
void TestTriangle(bool solve, Int m, Int n, char side, char uplo, char trans, char diag, T alpha) {
  const std::string what =
      absl::StrCat(solve ? "trsm " : "trmm ", m, " ", n, " ", std::string{side, uplo, trans, diag});
  const Int order = side == 'L' ? m : n;
  const Stored<T> a = RandomTriangle<T>(order, uplo, diag);
  Stored<T> b(m, n, 2);
  const Stored<T> before = b;
  SolveOrMultiply(solve, side, uplo, trans, diag, m, n, alpha, a, b.data.data(), b.ld);
  // The product of A with `x`.
  const auto product = [&](const Stored<T>& x, Int i, Int j) {
    Sum sum;
    for (Int k = 0; k < order; ++k) {
      sum += side == 'L' ? Sum(Element(a, uplo, trans, diag, i, k)) * Sum(x(k, j))
                         : Sum(x(i, k)) * Sum(Element(a, uplo, trans, diag, k, j));
    }
    return sum;
  };
  const auto all = [](Int, Int) { return true; };
  if (!solve) {
    ExpectMatrix(
        before, b, [&](Int i, Int j) { return Sum(alpha) * product(before, i, j); }, all, what);
    return;
  }
  // Solutions have small residuals: |A * X - alpha * B| is bounded by |A| * |X|.
  for (Int j = 0; j < n; ++j) {
    for (Int i = 0; i < m; ++i) {
      const Sum residual = product(b, i, j), right = Sum(alpha) * Sum(before(i, j));
      const long double bound = (order + 4.0L) * (kIsComplex<T> ? 4 : 1) *
                                std::numeric_limits<Part<T>>::epsilon() *
                                (residual.magnitude + right.magnitude);
      ASSERT_LE(std::abs(residual.value() - right.value()), bound) << what;
    }
  }
  for (Int j = 0; j < n; ++j) {
    for (Int i = m; i < b.ld; ++i) ASSERT_EQ(b(i, j), before(i, j)) << what;
  }
}

TYPED_TEST(TriangularTest, Trmm) {
  using T = TypeParam;
  ForEachTriangle<T>([](char side, char uplo, char trans, char diag) {
    for (const auto& [m, n] : kTriangleSizes) {
      for (const T alpha : {T(1), Scalars<T>().back()})
        TestTriangle<T>(false, m, n, side, uplo, trans, diag, alpha);
    }
  });
}

TYPED_TEST(TriangularTest, Trsm) {
  using T = TypeParam;
  ForEachTriangle<T>([](char side, char uplo, char trans, char diag) {
    for (const auto& [m, n] : kTriangleSizes) {
      for (const T alpha : {T(1), Scalars<T>().back()})
        TestTriangle<T>(true, m, n, side, uplo, trans, diag, alpha);
    }
  });
}

TYPED_TEST(TriangularTest, AlphaZeroClears) {
  using T = TypeParam;
  for (const bool solve : {false, true}) {
    Stored<T> a(4, 4, 1), b(4, 5, 2);
    a.Fill(NotANumber<T>());
    b.Fill(NotANumber<T>());
    SolveOrMultiply(solve, 'L', 'L', 'N', 'N', 4, 5, T(0), a, b.data.data(), b.ld);
    for (Int j = 0; j < 5; ++j) {
      for (Int i = 0; i < 4; ++i) EXPECT_EQ(b(i, j), T(0));
    }
  }
}

TYPED_TEST(TriangularTest, BitsOfAColumnDoNotDependOnTheirNumber) {
  using T = TypeParam;
  for (const bool solve : {false, true}) {
    for (const Int order : {2, 5, 40, 130}) {
      for (const char uplo : {'L', 'U'}) {
        const Stored<T> a = RandomTriangle<T>(order, uplo, 'N'), b(order, 60, 2);
        const auto run = [&](Int first, Int columns) {
          Stored<T> x = b;
          SolveOrMultiply(solve, 'L', uplo, 'T', 'N', order, columns, Scalars<T>().back(), a,
                          &x(0, first), x.ld);
          return x;
        };
        const Stored<T> whole = run(0, 60);
        for (const auto& [first, columns] :
             std::vector<std::pair<Int, Int>>{{0, 1}, {59, 1}, {1, 2}, {3, 20}}) {
          const Stored<T> part = run(first, columns);
          for (Int j = first; j < first + columns; ++j) {
            for (Int i = 0; i < order; ++i) ASSERT_EQ(part(i, j), whole(i, j)) << order;
          }
        }
      }
    }
  }
}

TYPED_TEST(TriangularTest, SingularTrianglesGiveInfinities) {
  using T = TypeParam;
  if (kIsComplex<T>) return;  // a division by zero is not a number there
  for (const Int n : {1, 30}) {
    Stored<T> a = RandomTriangle<T>(n, 'L', 'N');
    a(0, 0) = T(0);
    Stored<T> b(n, 3, 2);
    Trsm('L', 'L', 'N', 'N', n, 3, T(1), a.data.data(), a.ld, b.data.data(), b.ld);
    for (Int j = 0; j < 3; ++j) EXPECT_TRUE(std::isinf(std::abs(b(0, j))));
  }
}

TYPED_TEST(TriangularTest, TrmvAndTrsv) {
  using T = TypeParam;
  for (const bool solve : {false, true}) {
    for (const char uplo : {'L', 'U'}) {
      for (const char trans : {'N', 'T', 'C'}) {
        for (const char diag : {'N', 'U'}) {
          for (const Int n : {0, 1, 2, 7, 16, 17, 40, 300}) {
            for (const Int increment : {1, 2, -1, -3}) {
              const std::string what =
                  absl::StrCat(solve ? "trsv " : "trmv ", n, " ", std::string{uplo, trans, diag});
              const Stored<T> a = RandomTriangle<T>(n, uplo, diag);
              StoredVector<T> x(n, increment, 2);
              const StoredVector<T> before = x;
              if (solve) {
                Trsv(uplo, trans, diag, n, a.data.data(), a.ld, x.data.data(), increment);
              } else {
                Trmv(uplo, trans, diag, n, a.data.data(), a.ld, x.data.data(), increment);
              }
              const auto product = [&](const StoredVector<T>& v) {
                std::vector<Sum> sums(n);
                for (Int i = 0; i < n; ++i) {
                  for (Int k = 0; k < n; ++k)
                    sums[i] += Sum(Element(a, uplo, trans, diag, i, k)) * Sum(v[k]);
                }
                return sums;
              };
              if (!solve) {
                ExpectVector(before, x, product(before), what);
                continue;
              }
              const std::vector<Sum> sums = product(x);
              for (Int i = 0; i < n; ++i) {
                ASSERT_LE(std::abs(sums[i].value() - Sum(before[i]).value()),
                          (n + 4.0L) * (kIsComplex<T> ? 4 : 1) *
                              std::numeric_limits<Part<T>>::epsilon() * sums[i].magnitude)
                    << what;
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace xla::blas

// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"
#include "xla/blas/matrix.h"

namespace xla::blas {
namespace {

template <typename T>
class MatrixVectorTest : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixVectorTest, ElementTypes);

template <typename T>
void TestGemv(char trans, Int m, Int n, T alpha, T beta, Int incx, Int incy) {
  const Stored<T> a(m, n, 1);
  const Int rows = trans == 'N' ? m : n, columns = trans == 'N' ? n : m;
  StoredVector<T> x(columns, incx, 2), y(rows, incy, 3);
  if (beta == T(0)) {
    for (Int i = 0; i < rows; ++i) y[i] = NotANumber<T>();
  }
  const StoredVector<T> before = y;
  std::vector<Sum> expected(rows);
  for (Int i = 0; i < rows; ++i) {
    for (Int k = 0; k < columns; ++k) expected[i] += Sum(a.Op(trans, i, k)) * Sum(x[k]);
    expected[i] = Sum(alpha) * expected[i];
    expected[i] += Scaled(beta, y[i]);
  }
  Gemv(trans, m, n, alpha, a.data.data(), a.ld, x.data.data(), incx, beta, y.data.data(), incy);
  ExpectVector(before, y, expected, absl::StrCat("gemv ", std::string(1, trans), m, " ", n));
}

TYPED_TEST(MatrixVectorTest, Gemv) {
  using T = TypeParam;
  for (const char trans : {'N', 'T', 'C'}) {
    for (const Int incx : kIncrements) {
      for (const Int incy : kIncrements) {
        for (const auto& [m, n] : std::vector<std::pair<Int, Int>>{
                 {1, 1}, {3, 2}, {7, 9}, {8, 4}, {33, 17}, {64, 70}, {1030, 5}, {5, 300}}) {
          for (const T beta : Scalars<T>()) {
            TestGemv<T>(trans, m, n, Scalars<T>().back(), beta, incx, incy);
          }
          TestGemv<T>(trans, m, n, T(0), T(0), incx, incy);
        }
      }
    }
    // Longer than what is summed at once.
    TestGemv<T>(trans, 9001, 3, T(1), T(1), 1, 1);
  }
}

TYPED_TEST(MatrixVectorTest, EmptyMatricesChangeNothing) {
  using T = TypeParam;
  // Even beta does not count then.
  T y[2] = {T(1), T(2)};
  Gemv('N', 2, 0, T(1), static_cast<const T*>(nullptr), 2, static_cast<const T*>(nullptr), 1, T(0),
       y, 1);
  EXPECT_EQ(y[1], T(2));
}

TYPED_TEST(MatrixVectorTest, Hemv) {
  using T = TypeParam;
  for (const char uplo : {'L', 'U'}) {
    for (const Int n : {0, 1, 2, 7, 8, 9, 30, 67, 500}) {
      for (const Int incx : kIncrements) {
        for (const Int incy : kIncrements) {
          if (n == 500 && (incx != 1 || incy == 2)) continue;
          for (const T beta : Scalars<T>()) {
            Stored<T> a(n, n, 1);
            const auto element = [&](Int i, Int j) -> T {
              if (i == j) return T(RealPart(a(i, i)));
              return (uplo == 'L') == (i > j) ? a(i, j) : Conjugate(a(j, i));
            };
            for (Int j = 0; j < n; ++j) {
              for (Int i = 0; i < n; ++i) {
                if (uplo == 'L' ? i < j : i > j) a(i, j) = NotANumber<T>();
              }
            }
            StoredVector<T> x(n, incx, 2), y(n, incy, 3);
            if (beta == T(0)) {
              for (Int i = 0; i < n; ++i) y[i] = NotANumber<T>();
            }
            const StoredVector<T> before = y;
            const T alpha = Scalars<T>().back();
            std::vector<Sum> expected(n);
            for (Int i = 0; i < n; ++i) {
              for (Int k = 0; k < n; ++k) expected[i] += Sum(element(i, k)) * Sum(x[k]);
              expected[i] = Sum(alpha) * expected[i];
              expected[i] += Scaled(beta, y[i]);
            }
            Hemv(uplo, n, alpha, a.data.data(), a.ld, x.data.data(), incx, beta, y.data.data(),
                 incy);
            ExpectVector(before, y, expected, absl::StrCat("hemv ", std::string(1, uplo), n));
            if (n == 500) break;
          }
        }
      }
    }
  }
}

TYPED_TEST(MatrixVectorTest, Ger) {
  using T = TypeParam;
  for (const bool conjugate : {true, false}) {
    for (const Int incx : kIncrements) {
      for (const Int incy : kIncrements) {
        for (const auto& [m, n] : std::vector<std::pair<Int, Int>>{
                 {0, 2}, {2, 0}, {1, 1}, {3, 2}, {7, 9}, {33, 17}, {2050, 3}, {4, 130}}) {
          for (const T alpha : Scalars<T>()) {
            StoredVector<T> x(m, incx, 1), y(n, incy, 2);
            Stored<T> a(m, n, 3);
            const Stored<T> before = a;
            if (conjugate) {
              Gerc(m, n, alpha, x.data.data(), incx, y.data.data(), incy, a.data.data(), a.ld);
            } else if constexpr (kIsComplex<T>) {
              Geru(m, n, alpha, x.data.data(), incx, y.data.data(), incy, a.data.data(), a.ld);
            } else {
              continue;
            }
            ExpectMatrix(
                before, a,
                [&](Int i, Int j) {
                  Sum sum = Sum(alpha) * Sum(x[i]) * Sum(conjugate ? Conjugate(y[j]) : y[j]);
                  sum += Sum(before(i, j));
                  return sum;
                },
                [](Int, Int) { return true; }, "ger");
          }
        }
      }
    }
  }
}

// xSYR and xHER, or with a second vector xSYR2 and xHER2.
TYPED_TEST(MatrixVectorTest, TriangularUpdates) {
  using T = TypeParam;
  for (const bool two : {false, true}) {
    for (const char uplo : {'L', 'U'}) {
      for (const Int n : {0, 1, 2, 7, 8, 9, 40, 133}) {
        for (const Int incx : kIncrements) {
          for (const Int incy : kIncrements) {
            const T alpha = two ? Scalars<T>().back() : T(RealPart(Scalars<T>().back()));
            StoredVector<T> x(n, incx, 1), y(n, incy, 2);
            Stored<T> a(n, n, 3);
            for (Int i = 0; i < n; ++i) a(i, i) = T(RealPart(a(i, i)));
            const Stored<T> before = a;
            if (two) {
              Her2(uplo, n, alpha, x.data.data(), incx, y.data.data(), incy, a.data.data(), a.ld);
            } else {
              Her(uplo, n, RealPart(alpha), x.data.data(), incx, a.data.data(), a.ld);
            }
            ExpectMatrix(
                before, a,
                [&](Int i, Int j) {
                  Sum sum = Sum(alpha) * Sum(x[i]) * Sum(Conjugate(two ? y[j] : x[j]));
                  if (two) sum += Sum(Conjugate(alpha)) * Sum(y[i]) * Sum(Conjugate(x[j]));
                  sum += Sum(before(i, j));
                  return sum;
                },
                [&](Int i, Int j) { return uplo == 'L' ? i >= j : i <= j; },
                absl::StrCat("her ", two, std::string(1, uplo), n));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace xla::blas

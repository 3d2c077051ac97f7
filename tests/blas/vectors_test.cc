// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"
#include "xla/blas/matrix.h"

namespace xla::blas {
namespace {

template <typename T>
class VectorsTest : public ::testing::Test {};
TYPED_TEST_SUITE(VectorsTest, ElementTypes);

constexpr Int kCounts[] = {-1, 0, 1, 2, 7, 8, 9, 31, 64, 65, 1000};

// Calls test(n, x, y) with vectors of all counts and increments.
template <typename T, class Test>
void ForVectors(const Test& test) {
  for (const Int n : kCounts) {
    for (const Int incx : kIncrements) {
      for (const Int incy : kIncrements) {
        StoredVector<T> x(n, incx, 1), y(n, incy, 2);
        test(n, x, y);
      }
    }
  }
}

TYPED_TEST(VectorsTest, Axpy) {
  using T = TypeParam;
  for (const T alpha : Scalars<T>()) {
    ForVectors<T>([&](Int n, StoredVector<T>& x, StoredVector<T>& y) {
      const StoredVector<T> before = y;
      std::vector<Sum> expected;
      for (Int i = 0; i < n; ++i) {
        expected.push_back(Sum(alpha) * Sum(x[i]));
        expected.back() += Sum(y[i]);
      }
      Axpy(n, alpha, x.data.data(), x.increment, y.data.data(), y.increment);
      ExpectVector(before, y, expected, "axpy");
    });
  }
}

TYPED_TEST(VectorsTest, CopyAndSwap) {
  using T = TypeParam;
  ForVectors<T>([&](Int n, StoredVector<T>& x, StoredVector<T>& y) {
    const StoredVector<T> old_x = x, old_y = y;
    Swap(n, x.data.data(), x.increment, y.data.data(), y.increment);
    for (Int i = 0; i < n; ++i) {
      ASSERT_EQ(x[i], old_y[i]);
      ASSERT_EQ(y[i], old_x[i]);
    }
    Copy(n, x.data.data(), x.increment, y.data.data(), y.increment);
    for (Int i = 0; i < n; ++i) {
      ASSERT_EQ(x[i], old_y[i]);
      ASSERT_EQ(y[i], old_y[i]);
    }
  });
}

TYPED_TEST(VectorsTest, Dot) {
  using T = TypeParam;
  ForVectors<T>([&](Int n, StoredVector<T>& x, StoredVector<T>& y) {
    Sum conjugated, plain;
    for (Int i = 0; i < n; ++i) {
      conjugated += Sum(Conjugate(x[i])) * Sum(y[i]);
      plain += Sum(x[i]) * Sum(y[i]);
    }
    EXPECT_TRUE(Near(conjugated, Dotc(n, x.data.data(), x.increment, y.data.data(), y.increment)));
    if constexpr (kIsComplex<T>) {
      EXPECT_TRUE(Near(plain, Dotu(n, x.data.data(), x.increment, y.data.data(), y.increment)));
    }
  });
}

TYPED_TEST(VectorsTest, Scal) {
  using T = TypeParam;
  for (const Int n : kCounts) {
    for (const Int increment : {1, 3}) {
      for (const T alpha : Scalars<T>()) {
        StoredVector<T> x(n, increment, 1);
        const StoredVector<T> before = x;
        std::vector<Sum> expected, real;
        for (Int i = 0; i < n; ++i) {
          expected.push_back(Sum(alpha) * Sum(x[i]));
          real.push_back(Sum(T(RealPart(alpha))) * Sum(x[i]));
        }
        Scal(n, alpha, x.data.data(), increment);
        ExpectVector(before, x, expected, "scal");
        if constexpr (kIsComplex<T>) {
          x = before;
          RealScal(n, RealPart(alpha), x.data.data(), increment);
          ExpectVector(before, x, real, "real scal");
        }
      }
    }
  }
  // Zero times something that is not a number is not a number.
  std::vector<T> x(20, NotANumber<T>());
  Scal(20, T(0), x.data(), 1);
  for (const T& value : x) EXPECT_TRUE(std::isnan(RealPart(value)));
}

TYPED_TEST(VectorsTest, Rot) {
  using T = TypeParam;
  const Part<T> c = Part<T>(0.6), s = Part<T>(-0.8);
  ForVectors<T>([&](Int n, StoredVector<T>& x, StoredVector<T>& y) {
    const StoredVector<T> old_x = x, old_y = y;
    std::vector<Sum> expected_x, expected_y;
    for (Int i = 0; i < n; ++i) {
      expected_x.push_back(Sum(T(c)) * Sum(x[i]));
      expected_x.back() += Sum(T(s)) * Sum(y[i]);
      expected_y.push_back(Sum(T(c)) * Sum(y[i]));
      expected_y.back() += Sum(T(-s)) * Sum(x[i]);
    }
    Rot(n, x.data.data(), x.increment, y.data.data(), y.increment, c, s);
    ExpectVector(old_x, x, expected_x, "rot");
    ExpectVector(old_y, y, expected_y, "rot");
  });
}

// What becomes of an element does not depend on where it lies, nor on how many there are.
TYPED_TEST(VectorsTest, ElementsAreRoundedAlike) {
  using T = TypeParam;
  const Int n = 100;
  const T alpha = Scalars<T>().back();
  StoredVector<T> x(n, 1, 1), y(n, 1, 2);
  const StoredVector<T> old_x = x, old_y = y;
  const Part<T> c = Part<T>(0.6), s = Part<T>(-0.8);
  Axpy(n, alpha, x.data.data(), 1, y.data.data(), 1);
  Scal(n, alpha, x.data.data(), 1);
  Rot(n, x.data.data(), 1, y.data.data(), 1, c, s);
  for (const Int step : {1, 2, 3, 9}) {
    StoredVector<T> part_x = old_x, part_y = old_y;
    for (Int i = 0; i < n; i += step) {
      const Int count = std::min(step, n - i);
      Axpy(count, alpha, &part_x[i], 1, &part_y[i], 1);
      Scal(count, alpha, &part_x[i], 1);
      Rot(count, &part_x[i], 1, &part_y[i], 1, c, s);
    }
    EXPECT_TRUE(part_x.data == x.data) << step;
    EXPECT_TRUE(part_y.data == y.data) << step;
  }
}

TYPED_TEST(VectorsTest, SumsAndNorms) {
  using T = TypeParam;
  for (const Int n : kCounts) {
    for (const Int increment : {1, 3}) {
      StoredVector<T> x(n, increment, 1);
      Sum sum;
      long double squares = 0;
      for (Int i = 0; i < n; ++i) {
        sum += Sum(std::abs(RealPart(x[i])) + std::abs(std::imag(x[i])));
        squares += std::norm(std::complex<long double>(RealPart(x[i]), std::imag(x[i])));
      }
      EXPECT_TRUE(Near(sum, Asum(n, x.data.data(), increment)));
      const long double norm = std::sqrt(squares);
      EXPECT_NEAR(static_cast<double>(norm), Nrm2(n, x.data.data(), increment),
                  static_cast<double>(norm) * (n + 4) * std::numeric_limits<Part<T>>::epsilon());
    }
  }
}

TYPED_TEST(VectorsTest, NormsOfExtremeNumbers) {
  using T = TypeParam;
  using P = Part<T>;
  using Limits = std::numeric_limits<P>;
  for (const Int n : {2, 50}) {
    const P root = std::sqrt(static_cast<P>(n));
    for (const P value : {Limits::max() / 16, Limits::min(), Limits::denorm_min() * 1024, P(1)}) {
      std::vector<T> x(n, T(value));
      EXPECT_NEAR(Nrm2(n, x.data(), 1) / value, root,
                  root * 8 * Limits::epsilon() + Limits::denorm_min() / value)
          << value;
      x[0] = T(0);
      EXPECT_GT(Nrm2(n, x.data(), 1), 0);
    }
    std::vector<T> x(n, T(0));
    EXPECT_EQ(Nrm2(n, x.data(), 1), 0);
    x[n - 1] = T(-Limits::infinity());
    EXPECT_EQ(Nrm2(n, x.data(), 1), Limits::infinity());
    x[0] = NotANumber<T>();
    EXPECT_TRUE(std::isnan(Nrm2(n, x.data(), 1)));
    EXPECT_TRUE(std::isnan(Asum(n, x.data(), 1)));
  }
}

TYPED_TEST(VectorsTest, Iamax) {
  using T = TypeParam;
  for (const Int n : kCounts) {
    for (const Int increment : {1, 3}) {
      for (Int at = 0; at < n; at += 1 + n / 9) {
        StoredVector<T> x(n, increment, 1);
        x[at] = T(-5);
        // The first of several counts.
        x[n - 1] = T(-5);
        EXPECT_EQ(Iamax(n, x.data.data(), increment), at + 1);
        if (at > 1) {
          x[at - 1] = NotANumber<T>();
          EXPECT_EQ(Iamax(n, x.data.data(), increment), at + 1);
        }
        x[0] = NotANumber<T>();
        EXPECT_EQ(Iamax(n, x.data.data(), increment), 1);
      }
      if (n <= 0) {
        std::vector<T> x(1);
        EXPECT_EQ(Iamax(n, x.data(), increment), 0);
      }
    }
  }
}

}  // namespace
}  // namespace xla::blas

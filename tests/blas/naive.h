// SPDX-License-Identifier: Apache-2.0
// Results to compare with, and bounds of errors: computed plainly in long double, with the sum of
// the absolute values of all that is added up, which rounding errors are proportional to (Higham,
// Accuracy and Stability of Numerical Algorithms, section 3.1).
#ifndef TESTS_BLAS_NAIVE_H_
#define TESTS_BLAS_NAIVE_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/blas/routines.h"
#include "xla/blas/matrix.h"

namespace xla::blas {

using ElementTypes = ::testing::Types<float, double, C, Z>;
// Of vectors.
inline constexpr Int kIncrements[] = {1, 2, -1, -3};

// A value and the sum of the absolute values of its terms: |re| + |im|, which is quickly computed.
struct Sum {
  long double re = 0, im = 0, magnitude = 0;
  int64_t terms = 0;

  Sum() = default;
  template <typename T>
  Sum(T x)  // NOLINT(google-explicit-constructor)
      : re(RealPart(x)), im(std::imag(x)), magnitude(std::abs(re) + std::abs(im)), terms(1) {}
  std::complex<long double> value() const { return {re, im}; }
  Sum& operator+=(const Sum& b) {
    re += b.re;
    im += b.im;
    magnitude += b.magnitude;
    terms += b.terms;
    return *this;
  }
  friend Sum operator*(const Sum& a, const Sum& b) {
    Sum result;
    result.re = a.re * b.re - a.im * b.im;
    result.im = a.re * b.im + a.im * b.re;
    result.magnitude = a.magnitude * b.magnitude;
    result.terms = std::max<int64_t>(a.terms * b.terms, 1);
    return result;
  }
};

// Whether x is the sum but for rounding errors. Each of the terms and some operations on them are
// rounded; a complex product is up to four operations.
template <typename T>
::testing::AssertionResult Near(const Sum& expected, T x) {
  const long double epsilon = std::numeric_limits<Part<T>>::epsilon();
  const long double bound = static_cast<long double>(expected.terms + 4) * (kIsComplex<T> ? 3 : 1) *
                            epsilon * expected.magnitude;
  const std::complex<long double> value(RealPart(x), std::imag(x));
  if (std::abs(value - expected.value()) <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << x << " for " << expected.value() << ", which differ by more than " << bound;
}

template <typename T>
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : generator_(seed) {}
  T Next() {
    if constexpr (kIsComplex<T>) {
      const Part<T> re = uniform_(generator_);
      return {re, uniform_(generator_)};
    } else {
      return uniform_(generator_);
    }
  }

 private:
  std::mt19937 generator_;
  std::uniform_real_distribution<Part<T>> uniform_{-1, 1};
};

// A matrix by columns with a few unused rows behind each column, which nothing may change.
template <typename T>
struct Stored {
  Stored(Int rows, Int columns, uint32_t seed, Int unused = 3)
      : rows(rows), columns(columns), ld(std::max(rows, 1) + unused) {
    Numbers<T> numbers(seed);
    data.resize(static_cast<size_t>(ld) * std::max(columns, 1));
    for (T& x : data) x = numbers.Next();
  }
  T& operator()(Int i, Int j) { return data[i + static_cast<size_t>(j) * ld]; }
  const T& operator()(Int i, Int j) const { return data[i + static_cast<size_t>(j) * ld]; }
  // Element (i, j) of op(A).
  T Op(char transposition, Int i, Int j) const {
    if (transposition == 'N') return (*this)(i, j);
    return transposition == 'C' ? Conjugate((*this)(j, i)) : (*this)(j, i);
  }
  void Fill(T value) {
    for (Int j = 0; j < columns; ++j) {
      for (Int i = 0; i < rows; ++i) (*this)(i, j) = value;
    }
  }

  Int rows, columns, ld;
  std::vector<T> data;
};

// A vector of `count` elements with an increment, and unused elements in between.
template <typename T>
struct StoredVector {
  StoredVector(Int count, Int increment, uint32_t seed)
      : count(count), increment(increment), data(1 + std::max(count, 1) * std::abs(increment)) {
    Numbers<T> numbers(seed);
    for (T& x : data) x = numbers.Next();
  }
  T& operator[](Int i) {
    return data[static_cast<int64_t>(increment < 0 ? i - count + 1 : i) * increment];
  }
  const T& operator[](Int i) const { return const_cast<StoredVector&>(*this)[i]; }

  Int count, increment;
  std::vector<T> data;
};

// Compares all that is stored: elements that `expected` knows, and the others with what was there.
// expected(i, j) returns a Sum; is_result(i, j) whether the element is one of the result.
template <typename T, class Expected, class IsResult>
void ExpectMatrix(const Stored<T>& before, const Stored<T>& after, const Expected& expected,
                  const IsResult& is_result, const std::string& what) {
  for (Int j = 0; j < after.columns; ++j) {
    for (Int i = 0; i < after.ld; ++i) {
      if (i < after.rows && is_result(i, j)) {
        ASSERT_TRUE(Near(expected(i, j), after(i, j))) << what << " at " << i << ", " << j;
      } else {
        // Bits, as there may be NaN.
        ASSERT_EQ(std::memcmp(&before(i, j), &after(i, j), sizeof(T)), 0)
            << what << " at " << i << ", " << j;
      }
    }
  }
}

template <typename T>
void ExpectVector(const StoredVector<T>& before, const StoredVector<T>& after,
                  const std::vector<Sum>& expected, const std::string& what) {
  StoredVector<T> cleared = after, old = before;
  for (Int i = 0; i < after.count; ++i) {
    ASSERT_TRUE(Near(expected[i], after[i])) << what << " at " << i;
    cleared[i] = old[i] = T(0);
  }
  ASSERT_TRUE(cleared.data == old.data) << what << ": elements in between";
}

template <typename T>
T NotANumber() {
  return T(std::numeric_limits<Part<T>>::quiet_NaN());
}

// Factors that routines treat apart, and one of no special value.
template <typename T>
std::vector<T> Scalars() {
  T other = T(Part<T>(0.75));
  if constexpr (kIsComplex<T>) other = {Part<T>(0.75), Part<T>(-0.5)};
  return {T(0), T(1), T(-1), other};
}

// beta * c, in which nothing is left of c if beta is 0.
template <typename T>
Sum Scaled(T beta, T c) {
  return beta == T(0) ? Sum() : Sum(beta) * Sum(c);
}

}  // namespace xla::blas

#endif  // TESTS_BLAS_NAIVE_H_

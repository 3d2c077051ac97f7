// SPDX-License-Identifier: Apache-2.0
// Reference LAPACK on this BLAS: factorizations are multiplied together again.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"
#include "tests/blas/threads_util.h"
#include "xla/blas/blas_threads.h"
#include "xla/blas/matrix.h"

namespace xla::blas {

// Lengths of strings come last.
#define XLA_LAPACK(letter, T, or_un, sy_he)                                                   \
  extern "C" {                                                                                \
  void letter##potrf_(const char*, const Int*, T*, const Int*, Int*, size_t);                 \
  void letter##getrf_(const Int*, const Int*, T*, const Int*, Int*, Int*);                    \
  void letter##geqrf_(const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*);      \
  void letter##or_un##gqr_(const Int*, const Int*, const Int*, T*, const Int*, const T*, T*,  \
                           const Int*, Int*);                                                 \
  }                                                                                           \
  inline void Potrf(char uplo, Int n, T* a, Int lda, Int* info) {                             \
    letter##potrf_(&uplo, &n, a, &lda, info, 1);                                              \
  }                                                                                           \
  inline void Getrf(Int m, Int n, T* a, Int* pivots, Int* info) {                             \
    letter##getrf_(&m, &n, a, &m, pivots, info);                                              \
  }                                                                                           \
  inline void Geqrf(Int m, Int n, T* a, T* tau, T* work, Int lwork, Int* info) {              \
    letter##geqrf_(&m, &n, a, &m, tau, work, &lwork, info);                                   \
  }                                                                                           \
  inline void Orgqr(Int m, Int n, Int k, T* a, const T* tau, T* work, Int lwork, Int* info) { \
    letter##or_un##gqr_(&m, &n, &k, a, &m, tau, work, &lwork, info);                          \
  }
XLA_LAPACK(s, float, or, sy)
XLA_LAPACK(d, double, or, sy)
XLA_LAPACK(c, C, un, he)
XLA_LAPACK(z, Z, un, he)
#undef XLA_LAPACK

#define XLA_LAPACK_REAL(letter, T)                                                                 \
  extern "C" {                                                                                     \
  void letter##syevd_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*,    \
                      Int*, const Int*, Int*, size_t, size_t);                                     \
  void letter##gesdd_(const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*, \
                      const Int*, T*, const Int*, Int*, Int*, size_t);                             \
  void letter##geev_(const char*, const char*, const Int*, T*, const Int*, T*, T*, T*, const Int*, \
                     T*, const Int*, T*, const Int*, Int*, size_t, size_t);                        \
  void letter##gees_(const char*, const char*, void*, const Int*, T*, const Int*, Int*, T*, T*,    \
                     T*, const Int*, T*, const Int*, Int*, Int*, size_t, size_t);                  \
  }                                                                                                \
  inline void Heevd(Int n, T* a, T* w, std::vector<T>& work, Int* info) {                          \
    const Int lwork = static_cast<Int>(work.size()), liwork = 3 + 5 * n;                           \
    std::vector<Int> iwork(liwork);                                                                \
    letter##syevd_("V", "L", &n, a, &n, w, work.data(), &lwork, iwork.data(), &liwork, info, 1,    \
                   1);                                                                             \
  }                                                                                                \
  inline void Gesdd(Int m, Int n, T* a, T* s, T* u, T* vt, std::vector<T>& work, Int* info) {      \
    const Int k = std::min(m, n), lwork = static_cast<Int>(work.size());                           \
    std::vector<Int> iwork(8 * k);                                                                 \
    letter##gesdd_("S", &m, &n, a, &m, s, u, &m, vt, &k, work.data(), &lwork, iwork.data(), info,  \
                   1);                                                                             \
  }                                                                                                \
  inline void Geev(Int n, T* a, std::complex<T>* w, std::complex<T>* v, std::vector<T>& work,      \
                   Int* info) {                                                                    \
    std::vector<T> re(n), im(n), vr(n*n);                                                          \
    const Int lwork = static_cast<Int>(work.size()), one = 1;                                      \
    letter##geev_("N", "V", &n, a, &n, re.data(), im.data(), nullptr, &one, vr.data(), &n,         \
                  work.data(), &lwork, info, 1, 1);                                                \
    for (Int j = 0; j < n; ++j) {                                                                  \
      w[j] = {re[j], im[j]};                                                                       \
      const bool second = im[j] < 0;                                                               \
      const T* const x = &vr[(second ? j - 1 : j) * n];                                            \
      for (Int i = 0; i < n; ++i)                                                                  \
        v[i + j * n] = {x[i], im[j] == 0 ? T(0) : second ? -x[i + n] : x[i + n]};                  \
    }                                                                                              \
  }                                                                                                \
  inline void Gees(Int n, T* a, T* vs, std::vector<T>& work, Int* info) {                          \
    std::vector<T> re(n), im(n);                                                                   \
    const Int lwork = static_cast<Int>(work.size());                                               \
    Int dimension = 0;                                                                             \
    letter##gees_("V", "N", nullptr, &n, a, &n, &dimension, re.data(), im.data(), vs, &n,          \
                  work.data(), &lwork, nullptr, info, 1, 1);                                       \
  }
XLA_LAPACK_REAL(s, float)
XLA_LAPACK_REAL(d, double)
#undef XLA_LAPACK_REAL

#define XLA_LAPACK_COMPLEX(letter, T)                                                              \
  extern "C" {                                                                                     \
  void letter##heevd_(const char*, const char*, const Int*, T*, const Int*, Part<T>*, T*,          \
                      const Int*, Part<T>*, const Int*, Int*, const Int*, Int*, size_t, size_t);   \
  void letter##gesdd_(const char*, const Int*, const Int*, T*, const Int*, Part<T>*, T*,           \
                      const Int*, T*, const Int*, T*, const Int*, Part<T>*, Int*, Int*, size_t);   \
  void letter##geev_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, T*, \
                     const Int*, T*, const Int*, Part<T>*, Int*, size_t, size_t);                  \
  void letter##gees_(const char*, const char*, void*, const Int*, T*, const Int*, Int*, T*, T*,    \
                     const Int*, T*, const Int*, Part<T>*, Int*, Int*, size_t, size_t);            \
  }                                                                                                \
  inline void Heevd(Int n, T* a, Part<T>* w, std::vector<T>& work, Int* info) {                    \
    const Int lwork = static_cast<Int>(work.size()), liwork = 3 + 5 * n,                           \
              lrwork = 1 + 5 * n + 2 * n * n;                                                      \
    std::vector<Int> iwork(liwork);                                                                \
    std::vector<Part<T>> rwork(lrwork);                                                            \
    letter##heevd_("V", "L", &n, a, &n, w, work.data(), &lwork, rwork.data(), &lrwork,             \
                   iwork.data(), &liwork, info, 1, 1);                                             \
  }                                                                                                \
  inline void Gesdd(Int m, Int n, T* a, Part<T>* s, T* u, T* vt, std::vector<T>& work,             \
                    Int* info) {                                                                   \
    const Int k = std::min(m, n), lwork = static_cast<Int>(work.size());                           \
    std::vector<Int> iwork(8 * k);                                                                 \
    std::vector<Part<T>> rwork(k*(5 * k + 7 + 2 * std::max(m, n) + 2 * k + 1));                    \
    letter##gesdd_("S", &m, &n, a, &m, s, u, &m, vt, &k, work.data(), &lwork, rwork.data(),        \
                   iwork.data(), info, 1);                                                         \
  }                                                                                                \
  inline void Geev(Int n, T* a, T* w, T* v, std::vector<T>& work, Int* info) {                     \
    const Int lwork = static_cast<Int>(work.size()), one = 1;                                      \
    std::vector<Part<T>> rwork(2 * n);                                                             \
    letter##geev_("N", "V", &n, a, &n, w, nullptr, &one, v, &n, work.data(), &lwork, rwork.data(), \
                  info, 1, 1);                                                                     \
  }                                                                                                \
  inline void Gees(Int n, T* a, T* vs, std::vector<T>& work, Int* info) {                          \
    std::vector<T> w(n);                                                                           \
    std::vector<Part<T>> rwork(n);                                                                 \
    const Int lwork = static_cast<Int>(work.size());                                               \
    Int dimension = 0;                                                                             \
    letter##gees_("V", "N", nullptr, &n, a, &n, &dimension, w.data(), vs, &n, work.data(), &lwork, \
                  rwork.data(), nullptr, info, 1, 1);                                              \
  }
XLA_LAPACK_COMPLEX(c, C)
XLA_LAPACK_COMPLEX(z, Z)
#undef XLA_LAPACK_COMPLEX

namespace {

// A dense matrix by columns, with operations that are plain enough to believe.
template <typename T>
struct Dense {
  Dense(Int m, Int n) : m(m), n(n), data(static_cast<size_t>(m) * n) {}
  T& operator()(Int i, Int j) { return data[i + static_cast<size_t>(j) * m]; }
  const T& operator()(Int i, Int j) const { return data[i + static_cast<size_t>(j) * m]; }

  Int m, n;
  std::vector<T> data;
};

template <typename T>
Dense<T> Random(Int m, Int n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Part<T>> uniform(-1, 1);
  Dense<T> a(m, n);
  for (T& x : a.data) {
    if constexpr (kIsComplex<T>) {
      const Part<T> re = uniform(generator);
      x = {re, uniform(generator)};
    } else {
      x = uniform(generator);
    }
  }
  return a;
}

template <typename T>
Dense<T> Times(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.m, b.n);
  for (Int j = 0; j < b.n; ++j) {
    for (Int k = 0; k < a.n; ++k) {
      for (Int i = 0; i < a.m; ++i) c(i, j) += Multiplied(a(i, k), b(k, j));
    }
  }
  return c;
}

template <typename T>
Dense<T> Adjoint(const Dense<T>& a) {
  Dense<T> b(a.n, a.m);
  for (Int i = 0; i < a.m; ++i) {
    for (Int j = 0; j < a.n; ++j) b(j, i) = Conjugate(a(i, j));
  }
  return b;
}

template <typename T>
Part<T> NormOf(const Dense<T>& a) {
  Part<T> sum = 0;
  for (const T& x : a.data) sum += std::norm(x);
  return std::sqrt(sum);
}

// |a - b| in units of the error that a backward stable algorithm makes.
template <typename T>
Part<T> Distance(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> difference = a;
  for (size_t i = 0; i < a.data.size(); ++i) difference.data[i] -= b.data[i];
  return NormOf(difference) / (NormOf(b) * static_cast<Part<T>>(std::max(b.m, b.n)) *
                               std::numeric_limits<Part<T>>::epsilon());
}

template <typename T>
Part<T> DistanceFromOrthonormal(const Dense<T>& q) {
  Dense<T> identity(q.n, q.n);
  for (Int i = 0; i < q.n; ++i) identity(i, i) = 1;
  return Distance(Times(Adjoint(q), q), identity);
}

// Of LAPACK's own tests.
constexpr float kThreshold = 30;
constexpr Int kOrders[] = {1, 2, 3, 10, 33, 65, 130};

template <typename T>
class LapackTest : public ::testing::Test {};
TYPED_TEST_SUITE(LapackTest, ElementTypes);

TYPED_TEST(LapackTest, Cholesky) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    for (const char uplo : {'L', 'U'}) {
      Dense<T> a = Random<T>(n, n, n);
      a = Times(a, Adjoint(a));
      for (Int i = 0; i < n; ++i) a(i, i) += 1;
      Dense<T> l = a;
      // The other triangle is not read.
      for (Int j = 0; j < n; ++j) {
        for (Int i = 0; i < j; ++i) (uplo == 'L' ? l(i, j) : l(j, i)) = T(NAN);
      }
      Int info = -1;
      Potrf(uplo, n, l.data.data(), n, &info);
      ASSERT_EQ(info, 0);
      for (Int j = 0; j < n; ++j) {
        for (Int i = 0; i < j; ++i) (uplo == 'L' ? l(i, j) : l(j, i)) = T(0);
      }
      if (uplo == 'U') l = Adjoint(l);
      EXPECT_LT(Distance(Times(l, Adjoint(l)), a), kThreshold) << n;
    }
  }
}

TYPED_TEST(LapackTest, CholeskyOfMatricesThatAreNotDefinite) {
  using T = TypeParam;
  for (const char uplo : {'L', 'U'}) {
    for (const Int n : {3, 9, 40, 100}) {
      for (Int bad = 0; bad < n; bad += 1 + n / 7) {
        for (const Part<T> value : {Part<T>(0), Part<T>(-1), Part<T>(NAN)}) {
          Dense<T> a(n, n);
          for (Int i = 0; i < n; ++i) a(i, i) = 4;
          a(bad, bad) = value;
          Int info = -1;
          Potrf(uplo, n, a.data.data(), n, &info);
          EXPECT_EQ(info, bad + 1);
        }
      }
    }
  }
}

TYPED_TEST(LapackTest, Lu) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    const Int m = n + 5;
    const Dense<T> a = Random<T>(m, n, n);
    Dense<T> lu = a;
    std::vector<Int> pivots(n);
    Int info = -1;
    Getrf(m, n, lu.data.data(), pivots.data(), &info);
    ASSERT_EQ(info, 0);
    Dense<T> l(m, n), u(n, n);
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i < m; ++i) {
        if (i <= j) u(i, j) = lu(i, j);
        l(i, j) = i > j ? lu(i, j) : T(i == j);
      }
    }
    Dense<T> product = Times(l, u);
    for (Int i = n - 1; i >= 0; --i) {
      for (Int j = 0; j < n; ++j) std::swap(product(i, j), product(pivots[i] - 1, j));
    }
    EXPECT_LT(Distance(product, a), kThreshold) << n;
  }
}

TYPED_TEST(LapackTest, Qr) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    const Int m = n + 7;
    const Dense<T> a = Random<T>(m, n, n);
    Dense<T> q = a, r(n, n);
    std::vector<T> tau(n), work(64 * m);
    Int info = -1;
    Geqrf(m, n, q.data.data(), tau.data(), work.data(), static_cast<Int>(work.size()), &info);
    ASSERT_EQ(info, 0);
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i <= j; ++i) r(i, j) = q(i, j);
    }
    Orgqr(m, n, n, q.data.data(), tau.data(), work.data(), static_cast<Int>(work.size()), &info);
    ASSERT_EQ(info, 0);
    EXPECT_LT(Distance(Times(q, r), a), kThreshold) << n;
    EXPECT_LT(DistanceFromOrthonormal(q), kThreshold) << n;
  }
}

TYPED_TEST(LapackTest, HermitianEigenvectors) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    Dense<T> a = Random<T>(n, n, n);
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i < j; ++i) a(i, j) = Conjugate(a(j, i));
      a(j, j) = RealPart(a(j, j));
    }
    Dense<T> v = a, scaled(n, n);
    std::vector<Part<T>> w(n);
    std::vector<T> work(1 + 64 * n + 2 * n * n);
    Int info = -1;
    Heevd(n, v.data.data(), w.data(), work, &info);
    ASSERT_EQ(info, 0);
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i < n; ++i) scaled(i, j) = v(i, j) * w[j];
    }
    EXPECT_LT(Distance(Times(scaled, Adjoint(v)), a), kThreshold) << n;
    EXPECT_LT(DistanceFromOrthonormal(v), kThreshold) << n;
    EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
  }
}

TYPED_TEST(LapackTest, SingularValues) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    const Int m = n + 3;
    const Dense<T> a = Random<T>(m, n, n);
    Dense<T> copy = a, u(m, n), vt(n, n);
    std::vector<Part<T>> s(n);
    std::vector<T> work(4 * n * n + 7 * n + 64 * m);
    Int info = -1;
    Gesdd(m, n, copy.data.data(), s.data(), u.data.data(), vt.data.data(), work, &info);
    ASSERT_EQ(info, 0);
    Dense<T> scaled = u;
    for (Int j = 0; j < n; ++j) {
      for (Int i = 0; i < m; ++i) scaled(i, j) *= s[j];
    }
    EXPECT_LT(Distance(Times(scaled, vt), a), kThreshold) << n;
    EXPECT_LT(DistanceFromOrthonormal(u), kThreshold) << n;
    EXPECT_LT(DistanceFromOrthonormal(Adjoint(vt)), kThreshold) << n;
  }
}

TYPED_TEST(LapackTest, Eigenvectors) {
  using T = TypeParam;
  using Complex = std::complex<Part<T>>;
  for (const Int n : kOrders) {
    const Dense<T> a = Random<T>(n, n, n);
    Dense<T> copy = a;
    Dense<Complex> values(n, n), v(n, n), complex_a(n, n);
    std::vector<Complex> w(n);
    std::vector<T> work(64 * n + 4 * n);
    Int info = -1;
    Geev(n, copy.data.data(), w.data(), v.data.data(), work, &info);
    ASSERT_EQ(info, 0);
    for (Int i = 0; i < n; ++i) {
      values(i, i) = w[i];
      for (Int j = 0; j < n; ++j) complex_a(i, j) = a(i, j);
    }
    EXPECT_LT(Distance(Times(complex_a, v), Times(v, values)), kThreshold) << n;
  }
}

TYPED_TEST(LapackTest, Schur) {
  using T = TypeParam;
  for (const Int n : kOrders) {
    const Dense<T> a = Random<T>(n, n, n);
    Dense<T> t = a, v(n, n);
    std::vector<T> work(64 * n);
    Int info = -1;
    Gees(n, t.data.data(), v.data.data(), work, &info);
    ASSERT_EQ(info, 0);
    EXPECT_LT(Distance(Times(Times(v, t), Adjoint(v)), a), kThreshold) << n;
    EXPECT_LT(DistanceFromOrthonormal(v), kThreshold) << n;
  }
}

TYPED_TEST(LapackTest, SameBitsAtAnyNumberOfThreads) {
  using T = TypeParam;
  const Int n = 400;
  Dense<T> a = Random<T>(n, n, 1);
  for (Int j = 0; j < n; ++j) {
    for (Int i = 0; i < j; ++i) a(i, j) = Conjugate(a(j, i));
    a(j, j) = RealPart(a(j, j));
  }
  const auto factor = [&] {
    Dense<T> v = a, q = a;
    std::vector<Part<T>> w(n);
    std::vector<T> work(1 + 64 * n + 2 * n * n), tau(n);
    Int info = -1;
    Heevd(n, v.data.data(), w.data(), work, &info);
    EXPECT_EQ(info, 0);
    Geqrf(n, n, q.data.data(), tau.data(), work.data(), static_cast<Int>(work.size()), &info);
    EXPECT_EQ(info, 0);
    v.data.insert(v.data.end(), q.data.begin(), q.data.end());
    return v.data;
  };
  const std::vector<T> alone = factor();
  for (const int32_t workers : {2, 3}) {
    TestThreads pool(workers);
    BlasThreads threads(pool.host());
    EXPECT_TRUE(factor() == alone) << workers;
    EXPECT_TRUE(threads.status().ok());
  }
}

}  // namespace
}  // namespace xla::blas

// SPDX-License-Identifier: Apache-2.0
// Routines on several threads: the same bits, and the end that a caller asks for.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/blas/naive.h"
#include "tests/blas/routines.h"
#include "tests/blas/threads_util.h"
#include "xla/blas/blas_threads.h"
#include "xla/blas/matrix.h"

namespace xla::blas {
namespace {

template <typename T>
class ThreadsTest : public ::testing::Test {};
TYPED_TEST_SUITE(ThreadsTest, ElementTypes);

// Runs `routine`, which returns its result, alone and on threads.
template <class Routine>
void ExpectSameBits(const std::string& name, const Routine& routine) {
  const auto alone = routine();
  for (const int32_t workers : {1, 2, 3, 7}) {
    TestThreads pool(workers);
    BlasThreads threads(pool.host());
    const auto result = routine();
    EXPECT_TRUE(result == alone) << name << " with " << workers;
    EXPECT_TRUE(threads.status().ok());
    if (workers > 1) {
      EXPECT_GT(pool.loops(), 0) << name << " does not use threads";
    }
  }
}

TYPED_TEST(ThreadsTest, SameBits) {
  using T = TypeParam;
  const Int n = 420;
  const Stored<T> a(n, n, 1), b(n, n, 2), c(n, n, 3);
  Stored<T> triangle = a;
  for (Int i = 0; i < n; ++i) triangle(i, i) += T(n);
  const T alpha = Scalars<T>().back();
  const T *const pa = a.data.data(), *const pb = b.data.data();
  const auto with_c = [&](const auto& routine) {
    return [&, routine] {
      Stored<T> result = c;
      routine(result.data.data());
      return result.data;
    };
  };
  for (const char trans : {'N', 'T'}) {
    ExpectSameBits("gemm", with_c([&](T* to) {
                     Gemm(trans, 'N', n, n, n, alpha, pa, a.ld, pb, b.ld, alpha, to, c.ld);
                   }));
    ExpectSameBits("gemm of few columns", with_c([&](T* to) {
                     Gemm(trans, 'N', n, 20, n, alpha, pa, a.ld, pb, b.ld, alpha, to, c.ld);
                   }));
    ExpectSameBits("gemm of few rows", with_c([&](T* to) {
                     Gemm(trans, 'N', 20, n, n, alpha, pa, a.ld, pb, b.ld, alpha, to, c.ld);
                   }));
    for (const char side : {'L', 'R'}) {
      ExpectSameBits("trsm", with_c([&](T* to) {
                       Trsm(side, 'L', trans, 'N', n, n, alpha, triangle.data.data(), a.ld, to,
                            c.ld);
                     }));
      ExpectSameBits("trmm", with_c([&](T* to) {
                       Trmm(side, 'U', trans, 'N', n, n, alpha, triangle.data.data(), a.ld, to,
                            c.ld);
                     }));
    }
  }
  ExpectSameBits("symm", with_c([&](T* to) {
                   Symm('R', 'L', n, n, alpha, pa, a.ld, pb, b.ld, alpha, to, c.ld);
                 }));
  ExpectSameBits("herk", with_c([&](T* to) { Herk('L', 'N', n, n, 2, pa, a.ld, 1, to, c.ld); }));
  ExpectSameBits("her2k", with_c([&](T* to) {
                   Her2k('U', 'N', n, n, alpha, pa, a.ld, pb, b.ld, 1, to, c.ld);
                 }));
}

TYPED_TEST(ThreadsTest, SameBitsOfMatricesAndVectors) {
  using T = TypeParam;
  const Int n = 1100;
  const Stored<T> a(n, n, 1);
  const StoredVector<T> x(n, 1, 2), y(n, 1, 3);
  const T alpha = Scalars<T>().back();
  for (const char trans : {'N', 'T'}) {
    ExpectSameBits("gemv", [&] {
      StoredVector<T> result = y;
      Gemv(trans, n, n, alpha, a.data.data(), a.ld, x.data.data(), 1, alpha, result.data.data(), 1);
      return result.data;
    });
  }
  for (const char uplo : {'L', 'U'}) {
    ExpectSameBits("hemv", [&] {
      StoredVector<T> result = y;
      Hemv(uplo, n, alpha, a.data.data(), a.ld, x.data.data(), 1, alpha, result.data.data(), 1);
      return result.data;
    });
    ExpectSameBits("her2", [&] {
      Stored<T> result = a;
      Her2(uplo, n, alpha, x.data.data(), 1, y.data.data(), 1, result.data.data(), a.ld);
      return result.data;
    });
  }
  ExpectSameBits("ger", [&] {
    Stored<T> result = a;
    Gerc(n, n, alpha, x.data.data(), 1, y.data.data(), 1, result.data.data(), a.ld);
    return result.data;
  });
}

TEST(BlasThreadsTest, StopsWhenAsked) {
  const Int n = 300;
  const Stored<double> a(n, n, 1), c(n, n, 2);
  const auto multiply = [&] {
    Stored<double> result = c;
    Gemm('N', 'N', n, n, n, 1.0, a.data.data(), a.ld, a.data.data(), a.ld, 0.0, result.data.data(),
         c.ld);
    return result.data;
  };
  const std::vector<double> expected = multiply();
  TestThreads pool(2);
  {
    BlasThreads threads(pool.host());
    EXPECT_EQ(multiply(), expected);
    pool.set_code(static_cast<int32_t>(absl::StatusCode::kCancelled));
    EXPECT_EQ(multiply(), c.data);
    EXPECT_EQ(threads.status().code(), absl::StatusCode::kCancelled);
    {
      TestThreads other(2);
      BlasThreads inner(other.host());
      EXPECT_EQ(multiply(), expected);
    }
    EXPECT_EQ(multiply(), c.data);
  }
  EXPECT_EQ(multiply(), expected);
}

TEST(BlasThreadsTest, InvalidArgumentsChangeNothing) {
  std::vector<double> a(9, 1), b(9, 2);
  Gemm('X', 'N', 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, b.data(), 3);
  Gemm('N', 'N', -1, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, b.data(), 3);
  Trsm('L', 'L', 'N', 'N', 3, 3, 1.0, a.data(), 2, b.data(), 3);
  Gemv('N', 3, 3, 1.0, a.data(), 3, a.data(), 0, 0.0, b.data(), 1);
  EXPECT_EQ(b, std::vector<double>(9, 2));
}

}  // namespace
}  // namespace xla::blas

// SPDX-License-Identifier: Apache-2.0
// Singular values, eigenvalues and the forms on the way to them, within the bounds of LAPACK's own
// tests.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/lapack/lapack_test_util.h"

namespace xla::lapack {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool AllNan(const Matrix& m) {
  return std::all_of(m.data.begin(), m.data.end(),
                     [](complex128 x) { return std::isnan(std::abs(x)); });
}

class Spectra : public ::testing::TestWithParam<Type> {
 protected:
  std::vector<Matrix> RandomMatrices(int64_t rows, int64_t columns) {
    std::vector<Matrix> matrices;
    for (int64_t b = 0; b < kBatch; ++b)
      matrices.push_back(RandomMatrix(random_, type_, rows, columns));
    return matrices;
  }

  const Type type_ = GetParam();
  std::mt19937 random_{2};
};

TEST_P(Spectra, SingularValues) {
  for (const int64_t m : kSizes) {
    for (const int64_t n : {int64_t{1}, int64_t{3}, m, int64_t{40}}) {
      const int64_t k = std::min(m, n);
      std::vector<Matrix> xs = RandomMatrices(m, n);
      std::vector<Matrix> values;  // of gesdd without vectors
      for (const char* const routine : {"gesdd", "gesvd"}) {
        for (const char mode : {'N', 'S', 'A'}) {
          for (int layouts = 0; layouts < 4; ++layouts) {
            const bool by_column = layouts % 2 == 0, results_by_column = layouts / 2 == 0;
            if (!by_column && m != n) continue;
            const int64_t u_columns = mode == 'A' ? m : k, vt_rows = mode == 'A' ? n : k;
            const std::string shape = Matrices(type_.name(), m, n, by_column);
            const auto results = RunOnThreads(
                type_.Target(routine), Char("mode", mode), {ArrayOf(ShapeOf(shape), xs)},
                absl::StrCat("(", shape, ", ", Vectors(type_.real_name(), k), ", ",
                             Matrices(type_.name(), m, u_columns, results_by_column), ", ",
                             Matrices(type_.name(), vt_rows, n, results_by_column), ", ", kInfo,
                             ")"));
            ASSERT_EQ(results.size(), 5);
            for (int64_t b = 0; b < kBatch; ++b) {
              EXPECT_EQ(InfoOf(results[4], b), 0);
              const Matrix s = MatrixOf(results[1], b, 1, k);
              for (int64_t i = 0; i < k; ++i) {
                EXPECT_GE(s(0, i).real(), 0);
                if (i > 0) {
                  EXPECT_LE(s(0, i).real(), s(0, i - 1).real());
                }
              }
              if (values.size() < kBatch) values.push_back(s);
              EXPECT_LT(Residual(values[static_cast<size_t>(b)], s, type_), kThreshold);
              if (mode == 'N') continue;
              const auto seen = [](const Matrix& matrix, bool is_column_major) {
                if (is_column_major) return matrix;
                Matrix columns(matrix.columns, matrix.rows);
                columns.data = matrix.data;
                return Transpose(columns);
              };
              const Matrix u = seen(MatrixOf(results[2], b, m, u_columns), results_by_column);
              const Matrix vt = seen(MatrixOf(results[3], b, vt_rows, n), results_by_column);
              EXPECT_LT(Orthogonality(u, type_), kThreshold);
              EXPECT_LT(Orthogonality(Adjoint(vt), type_), kThreshold);
              EXPECT_LT(Residual(seen(xs[static_cast<size_t>(b)], by_column),
                                 u * Diagonal(s, u_columns, vt_rows) * vt, type_),
                        kThreshold)
                  << routine << mode << m << " " << n << " " << layouts;
            }
          }
        }
      }
    }
  }
}

// An infinity had LAPACK iterate for ever.
TEST_P(Spectra, SingularValuesOfWhatIsNotFinite) {
  for (const char* const routine : {"gesdd", "gesvd"}) {
    for (const char mode : {'N', 'S', 'A'}) {
      for (const int64_t n : {1, 3, 40}) {
        std::vector<Matrix> xs = RandomMatrices(n, n);
        xs[0](0, n - 1) = kInfinity;
        xs[2](n - 1, 0) = kNan;
        const std::string shape = Matrices(type_.name(), n, n);
        const auto results =
            RunOnThreads(type_.Target(routine), Char("mode", mode), {ArrayOf(ShapeOf(shape), xs)},
                         absl::StrCat("(", shape, ", ", Vectors(type_.real_name(), n), ", ", shape,
                                      ", ", shape, ", ", kInfo, ")"));
        ASSERT_EQ(results.size(), 5);
        EXPECT_EQ(InfoOf(results[4], 1), 0);
        for (const int64_t b : {0, 2}) {
          EXPECT_NE(InfoOf(results[4], b), 0);
          EXPECT_TRUE(AllNan(MatrixOf(results[1], b, 1, n)));
          EXPECT_TRUE(AllNan(MatrixOf(results[2], b, n, n)));
        }
      }
    }
  }
}

TEST_P(Spectra, HermitianMatrices) {
  const std::string target = type_.Target(type_.is_complex() ? "heevd" : "syevd");
  for (const int64_t n : kSizes) {
    for (const char uplo : {'L', 'U'}) {
      for (const char mode : {'V', 'N'}) {
        for (const bool by_column : {true, false}) {
          std::vector<Matrix> xs = RandomMatrices(n, n), hermitian;
          const std::string shape = Matrices(type_.name(), n, n, by_column);
          const Array x = ArrayOf(ShapeOf(shape), xs);
          for (Matrix a : xs) {
            if (!by_column) a = Transpose(a);
            const Matrix off = uplo == 'L' ? Lower(a, -1) : Upper(a, 1);
            Matrix h = Adjoint(off);
            for (size_t i = 0; i < h.data.size(); ++i) h.data[i] += off.data[i];
            // Imaginary parts of the diagonal are not read.
            for (int64_t i = 0; i < n; ++i) h(i, i) = a(i, i).real();
            hermitian.push_back(h);
          }
          const auto results = RunOnThreads(
              target, absl::StrCat(Char("mode", mode), ", ", Char("uplo", uplo)), {x},
              absl::StrCat("(", shape, ", ", Vectors(type_.real_name(), n), ", ", kInfo, ")"));
          ASSERT_EQ(results.size(), 3);
          for (int64_t b = 0; b < kBatch; ++b) {
            EXPECT_EQ(InfoOf(results[2], b), 0);
            const Matrix& h = hermitian[static_cast<size_t>(b)];
            const Matrix w = MatrixOf(results[1], b, 1, n);
            double trace = 0, sum = 0;
            for (int64_t i = 0; i < n; ++i) {
              if (i > 0) {
                EXPECT_GE(w(0, i).real(), w(0, i - 1).real());
              }
              trace += h(i, i).real();
              sum += w(0, i).real();
            }
            EXPECT_NEAR(sum, trace, kThreshold * Norm(h) * static_cast<double>(n) * type_.epsilon);
            if (mode == 'N') continue;
            Matrix v = MatrixOf(results[0], b, n, n);
            if (!by_column) v = Transpose(v);
            EXPECT_LT(Orthogonality(v, type_), kThreshold);
            EXPECT_LT(Residual(h * v, v * Diagonal(w, n, n), type_, Norm(h)), kThreshold)
                << n << uplo << by_column;
          }
        }
      }
    }
  }
}

TEST_P(Spectra, HermitianMatricesThatAreNotFinite) {
  const std::string target = type_.Target(type_.is_complex() ? "heevd" : "syevd");
  for (const int64_t n : {2, 40}) {
    std::vector<Matrix> xs = RandomMatrices(n, n);
    xs[0](n - 1, 0) = kInfinity;
    xs[1](0, n - 1) = kNan;  // in the triangle that is not read
    xs[2](0, 0) = kNan;
    const std::string shape = Matrices(type_.name(), n, n);
    const auto results = RunOnThreads(
        target, absl::StrCat(Char("mode", 'V'), ", ", Char("uplo", 'L')),
        {ArrayOf(ShapeOf(shape), xs)},
        absl::StrCat("(", shape, ", ", Vectors(type_.real_name(), n), ", ", kInfo, ")"));
    ASSERT_EQ(results.size(), 3);
    EXPECT_NE(InfoOf(results[2], 0), 0);
    EXPECT_EQ(InfoOf(results[2], 1), 0);
    EXPECT_NE(InfoOf(results[2], 2), 0);
    EXPECT_TRUE(AllNan(MatrixOf(results[1], 0, 1, n)));
    EXPECT_FALSE(AllNan(MatrixOf(results[1], 1, 1, n)));
    EXPECT_TRUE(AllNan(MatrixOf(results[0], 2, n, n)));
  }
}

TEST_P(Spectra, Hetrd) {
  const std::string target = type_.Target(type_.is_complex() ? "hetrd" : "sytrd");
  for (const int64_t n : kSizes) {
    for (const char uplo : {'L', 'U'}) {
      std::vector<Matrix> xs;
      for (const Matrix& a : RandomMatrices(n, n)) xs.push_back(a * Adjoint(a));
      const std::string shape = Matrices(type_.name(), n, n);
      const Array x = ArrayOf(ShapeOf(shape), xs);
      const auto results =
          RunOnThreads(target, Char("uplo", uplo), {x},
                       absl::StrCat("(", shape, ", ", Vectors(type_.real_name(), n), ", ",
                                    Vectors(type_.real_name(), n - 1), ", ",
                                    Vectors(type_.name(), n - 1), ", ", kInfo, ")"));
      ASSERT_EQ(results.size(), 5);
      for (int64_t b = 0; b < kBatch; ++b) {
        EXPECT_EQ(InfoOf(results[4], b), 0);
        const Matrix out = MatrixOf(results[0], b, n, n), d = MatrixOf(results[1], b, 1, n),
                     e = MatrixOf(results[2], b, 1, n - 1),
                     taus = MatrixOf(results[3], b, 1, n - 1);
        Matrix t = Diagonal(d, n, n), q = Matrix::Identity(n);
        for (int64_t i = 0; i + 1 < n; ++i) t(i, i + 1) = t(i + 1, i) = e(0, i);
        // Q = H(0) .. H(n-2) for L, the reverse for U.
        for (int64_t step = 0; step + 1 < n; ++step) {
          const int64_t i = uplo == 'L' ? n - 2 - step : step;
          Matrix v(n, 1);
          if (uplo == 'L') {
            v(i + 1, 0) = 1;
            for (int64_t r = i + 2; r < n; ++r) v(r, 0) = out(r, i);
          } else {
            v(i, 0) = 1;
            for (int64_t r = 0; r < i; ++r) v(r, 0) = out(r, i + 1);
          }
          Matrix scaled = v;
          for (complex128& element : scaled.data) element *= taus(0, i);
          q = q - scaled * (Adjoint(v) * q);
        }
        EXPECT_LT(Residual(xs[static_cast<size_t>(b)], q * t * Adjoint(q), type_), kThreshold)
            << n << uplo;
      }
    }
  }
}

TEST_P(Spectra, Gehrd) {
  for (const int64_t n : kSizes) {
    for (const bool is_partial : {false, true}) {
      const int64_t low = is_partial ? (n + 2) / 3 : 1,
                    high = is_partial ? std::max(low, n - 1) : n;
      std::vector<Matrix> xs = RandomMatrices(n, n);
      // Triangular outside of the rows and columns that are reduced.
      for (Matrix& a : xs) {
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < i; ++j) {
            if (j < low - 1 || i >= high) a(i, j) = 0;
          }
        }
      }
      const std::string shape = Matrices(type_.name(), n, n);
      const Array x = ArrayOf(ShapeOf(shape), xs);
      const auto results = RunOnThreads(
          type_.Target("gehrd"), absl::StrCat("low = ", low, " : i32, high = ", high, " : i32"),
          {x}, absl::StrCat("(", shape, ", ", Vectors(type_.name(), n - 1), ", ", kInfo, ")"));
      ASSERT_EQ(results.size(), 3);
      for (int64_t b = 0; b < kBatch; ++b) {
        EXPECT_EQ(InfoOf(results[2], b), 0);
        const Matrix out = MatrixOf(results[0], b, n, n), taus = MatrixOf(results[1], b, 1, n - 1);
        Matrix q = Matrix::Identity(n);
        for (int64_t i = high - 2; i >= low - 1; --i) {
          Matrix v(n, 1);
          v(i + 1, 0) = 1;
          for (int64_t r = i + 2; r < high; ++r) v(r, 0) = out(r, i);
          Matrix scaled = v;
          for (complex128& element : scaled.data) element *= taus(0, i);
          q = q - scaled * (Adjoint(v) * q);
        }
        EXPECT_LT(Residual(xs[static_cast<size_t>(b)], q * Upper(out, -1) * Adjoint(q), type_),
                  kThreshold)
            << n << " " << low << " " << high;
      }
    }
  }
}

TEST_P(Spectra, Geev) {
  const std::string vectors_type = type_.complex_name();
  for (const int64_t n : kSizes) {
    for (const char left : {'N', 'V'}) {
      for (const char right : {'N', 'V'}) {
        for (const bool by_column : {true, false}) {
          std::vector<Matrix> xs = RandomMatrices(n, n);
          const std::string shape = Matrices(type_.name(), n, n, by_column),
                            vectors = Matrices(vectors_type, n, n, by_column),
                            values = Vectors(type_.name(), n);
          const Array x = ArrayOf(ShapeOf(shape), xs);
          const auto results = RunOnThreads(
              type_.Target("geev"),
              absl::StrCat(Char("compute_left", left), ", ", Char("compute_right", right)), {x},
              absl::StrCat("(", values, ", ", type_.is_complex() ? "" : values + ", ", vectors,
                           ", ", vectors, ", ", kInfo, ")"));
          const size_t first = type_.is_complex() ? 1 : 2;
          ASSERT_EQ(results.size(), first + 3);
          for (int64_t b = 0; b < kBatch; ++b) {
            EXPECT_EQ(InfoOf(results[first + 2], b), 0);
            Matrix w = MatrixOf(results[0], b, 1, n);
            if (!type_.is_complex()) {
              const Matrix imaginary = MatrixOf(results[1], b, 1, n);
              for (int64_t i = 0; i < n; ++i) w(0, i).imag(imaginary(0, i).real());
            }
            Matrix a = xs[static_cast<size_t>(b)], vl = MatrixOf(results[first], b, n, n),
                   vr = MatrixOf(results[first + 1], b, n, n);
            if (!by_column) a = Transpose(a), vl = Transpose(vl), vr = Transpose(vr);
            const auto expect_units = [&](const Matrix& v) {
              for (int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (int64_t i = 0; i < n; ++i) sum += std::norm(v(i, j));
                EXPECT_NEAR(sum, 1, kThreshold * static_cast<double>(n) * type_.epsilon);
              }
            };
            if (right == 'V') {
              expect_units(vr);
              EXPECT_LT(Residual(a * vr, vr * Diagonal(w, n, n), type_, Norm(a)), kThreshold);
            } else {
              EXPECT_EQ(Norm(vr), 0);
            }
            if (left == 'V') {
              expect_units(vl);
              const Matrix to = Adjoint(vl);
              EXPECT_LT(Residual(to * a, Diagonal(w, n, n) * to, type_, Norm(a)), kThreshold);
            } else {
              EXPECT_EQ(Norm(vl), 0);
            }
          }
        }
      }
    }
  }
}

TEST_P(Spectra, Gees) {
  for (const int64_t n : kSizes) {
    for (const char mode : {'V', 'N'}) {
      for (const bool by_column : {true, false}) {
        std::vector<Matrix> xs = RandomMatrices(n, n);
        const std::string shape = Matrices(type_.name(), n, n, by_column),
                          values = Vectors(type_.name(), n);
        const Array x = ArrayOf(ShapeOf(shape), xs);
        const auto results = RunOnThreads(
            type_.Target("gees"), absl::StrCat(Char("mode", mode), ", ", Char("sort", 'N')), {x},
            absl::StrCat("(", shape, ", ", shape, ", ", values, ", ",
                         type_.is_complex() ? "" : values + ", ", kInfo, ", ", kInfo, ")"));
        const size_t count = type_.is_complex() ? 3 : 4;
        ASSERT_EQ(results.size(), count + 2);
        for (int64_t b = 0; b < kBatch; ++b) {
          EXPECT_EQ(InfoOf(results[count], b), 0);
          EXPECT_EQ(InfoOf(results[count + 1], b), 0);
          Matrix a = xs[static_cast<size_t>(b)], t = MatrixOf(results[0], b, n, n),
                 z = MatrixOf(results[1], b, n, n);
          if (!by_column) a = Transpose(a), t = Transpose(t), z = Transpose(z);
          // Triangular, real ones but for blocks of two rows.
          const Matrix below = Lower(t, type_.is_complex() ? -1 : -2);
          EXPECT_EQ(Norm(below), 0);
          if (mode == 'N') continue;
          EXPECT_LT(Orthogonality(z, type_), kThreshold);
          EXPECT_LT(Residual(a, z * t * Adjoint(z), type_), kThreshold) << n << by_column;
        }
      }
    }
  }
}

TEST_P(Spectra, EigenvaluesOfWhatIsNotFinite) {
  for (const int64_t n : {1, 3, 40}) {
    std::vector<Matrix> xs = RandomMatrices(n, n);
    xs[0](0, n - 1) = kInfinity;
    xs[2](n - 1, 0) = kNan;
    const std::string shape = Matrices(type_.name(), n, n), values = Vectors(type_.name(), n),
                      vectors = Matrices(type_.complex_name(), n, n),
                      imaginary = type_.is_complex() ? "" : values + ", ";
    const Array x = ArrayOf(ShapeOf(shape), xs);
    const auto eigen = RunOnThreads(
        type_.Target("geev"),
        absl::StrCat(Char("compute_left", 'V'), ", ", Char("compute_right", 'V')), {x},
        absl::StrCat("(", values, ", ", imaginary, vectors, ", ", vectors, ", ", kInfo, ")"));
    const auto schur = RunOnThreads(type_.Target("gees"),
                                    absl::StrCat(Char("mode", 'V'), ", ", Char("sort", 'N')), {x},
                                    absl::StrCat("(", shape, ", ", shape, ", ", values, ", ",
                                                 imaginary, kInfo, ", ", kInfo, ")"));
    for (const std::vector<Array>& results : {eigen, schur}) {
      ASSERT_FALSE(results.empty());
      EXPECT_NE(InfoOf(results.back(), 0), 0);
      EXPECT_EQ(InfoOf(results.back(), 1), 0);
      EXPECT_NE(InfoOf(results.back(), 2), 0);
      EXPECT_TRUE(AllNan(MatrixOf(results[0], 0, 1, n)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Spectra, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(1, info.param.letter); });

}  // namespace
}  // namespace xla::lapack

// SPDX-License-Identifier: Apache-2.0
// Factorizations and solutions of linear systems, within the bounds of LAPACK's own tests.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/lapack/lapack_test_util.h"

namespace xla::lapack {
namespace {

class Factorizations : public ::testing::TestWithParam<Type> {
 protected:
  std::vector<Matrix> RandomMatrices(int64_t rows, int64_t columns) {
    std::vector<Matrix> matrices;
    for (int64_t b = 0; b < kBatch; ++b)
      matrices.push_back(RandomMatrix(random_, type_, rows, columns));
    return matrices;
  }

  const Type type_ = GetParam();
  std::mt19937 random_{1};
};

TEST_P(Factorizations, Potrf) {
  for (const int64_t n : kSizes) {
    for (const char uplo : {'L', 'U'}) {
      for (const bool is_column_major : {true, false}) {
        std::vector<Matrix> xs;
        for (const Matrix& a : RandomMatrices(n, n)) {
          Matrix x = a * Adjoint(a);
          for (int64_t i = 0; i < n; ++i) x(i, i) = x(i, i).real() + 1;
          xs.push_back(x);
        }
        const std::string shape = Matrices(type_.name(), n, n, is_column_major);
        const Array x = ArrayOf(ShapeOf(shape), xs);
        const auto results = RunOnThreads(type_.Target("potrf"), Char("uplo", uplo), {x},
                                          absl::StrCat("(", shape, ", ", kInfo, ")"));
        ASSERT_EQ(results.size(), 2);
        for (int64_t b = 0; b < kBatch; ++b) {
          EXPECT_EQ(InfoOf(results[1], b), 0);
          Matrix out = MatrixOf(results[0], b, n, n), in = xs[static_cast<size_t>(b)];
          // A handler sees what is not column by column transposed.
          if (!is_column_major) out = Transpose(out), in = Transpose(in);
          const Matrix factor = uplo == 'L' ? Lower(out) : Adjoint(Upper(out));
          EXPECT_LT(Residual(in, factor * Adjoint(factor), type_), kThreshold) << n << uplo;
          // The other triangle stays.
          const Matrix rest = uplo == 'L' ? Upper(out, 1) : Lower(out, -1);
          EXPECT_EQ(rest.data, (uplo == 'L' ? Upper(in, 1) : Lower(in, -1)).data);
        }
      }
    }
  }
}

TEST_P(Factorizations, PotrfOfIndefiniteMatrices) {
  for (const int64_t n : {1, 3, 40}) {
    for (const char uplo : {'L', 'U'}) {
      std::vector<Matrix> xs(kBatch, Matrix::Identity(n));
      xs[0](n - 1, n - 1) = -1;
      xs[2](n / 2, n / 2) = std::numeric_limits<double>::quiet_NaN();
      const std::string shape = Matrices(type_.name(), n, n);
      const Array x = ArrayOf(ShapeOf(shape), xs);
      const auto results = RunOnThreads(type_.Target("potrf"), Char("uplo", uplo), {x},
                                        absl::StrCat("(", shape, ", ", kInfo, ")"));
      ASSERT_EQ(results.size(), 2);
      EXPECT_EQ(InfoOf(results[1], 0), n);
      EXPECT_EQ(InfoOf(results[1], 1), 0);
      EXPECT_EQ(InfoOf(results[1], 2), n / 2 + 1);
    }
  }
}

TEST_P(Factorizations, Getrf) {
  for (const int64_t m : kSizes) {
    for (const int64_t n : {int64_t{1}, int64_t{3}, m, int64_t{40}}) {
      for (const bool is_column_major : {true, false}) {
        std::vector<Matrix> xs = RandomMatrices(m, n);
        const int64_t k = std::min(m, n);
        const std::string shape = Matrices(type_.name(), m, n, is_column_major);
        const Array x = ArrayOf(ShapeOf(shape), xs);
        const auto results =
            RunOnThreads(type_.Target("getrf"), "", {x},
                         absl::StrCat("(", shape, ", ", Vectors("s32", k), ", ", kInfo, ")"));
        ASSERT_EQ(results.size(), 3);
        for (int64_t b = 0; b < kBatch; ++b) {
          EXPECT_EQ(InfoOf(results[2], b), 0);
          // The memory of a matrix as columns of m elements.
          const auto seen = [&](const Matrix& matrix) {
            if (is_column_major) return matrix;
            Matrix columns(n, m);
            columns.data = matrix.data;
            return Transpose(columns);
          };
          Matrix permuted = seen(xs[static_cast<size_t>(b)]);
          const Matrix out = seen(MatrixOf(results[0], b, m, n));
          const Matrix pivots = MatrixOf(results[1], b, 1, k);
          for (int64_t i = 0; i < k; ++i) {
            const auto pivot = static_cast<int64_t>(pivots(0, i).real()) - 1;
            ASSERT_GE(pivot, i);
            ASSERT_LT(pivot, m);
            for (int64_t j = 0; j < n; ++j) std::swap(permuted(i, j), permuted(pivot, j));
          }
          Matrix lower = Part(Lower(out, -1), 0, m, 0, k);
          for (int64_t i = 0; i < k; ++i) lower(i, i) = 1;
          for (const complex128 factor : lower.data) EXPECT_LE(std::abs(factor), 1.5);
          EXPECT_LT(Residual(permuted, lower * Part(Upper(out), 0, k, 0, n), type_), kThreshold)
              << m << " " << n;
        }
      }
    }
  }
}

TEST_P(Factorizations, GetrfOfSingularMatricesAndNan) {
  for (const int64_t n : {1, 2, 5, 50}) {
    std::vector<Matrix> xs = RandomMatrices(n, n);
    xs[0] = Matrix(n, n);
    for (int64_t i = 0; i < n; ++i) xs[1](i, n / 2) = 0;
    for (complex128& x : xs[2].data) x = std::numeric_limits<double>::quiet_NaN();
    const std::string shape = Matrices(type_.name(), n, n);
    const Array x = ArrayOf(ShapeOf(shape), xs);
    const auto results =
        RunOnThreads(type_.Target("getrf"), "", {x},
                     absl::StrCat("(", shape, ", ", Vectors("s32", n), ", ", kInfo, ")"));
    ASSERT_EQ(results.size(), 3);
    EXPECT_EQ(InfoOf(results[2], 0), 1);
    EXPECT_EQ(InfoOf(results[2], 1), n / 2 + 1);
    for (int64_t b = 0; b < kBatch; ++b) {
      for (const complex128 pivot : MatrixOf(results[1], b, 1, n).data) {
        EXPECT_GE(pivot.real(), 1);
        EXPECT_LE(pivot.real(), static_cast<double>(n));
      }
    }
    for (const complex128 element : MatrixOf(results[0], 2, n, n).data)
      EXPECT_TRUE(std::isnan(std::abs(element)));
  }
}

TEST_P(Factorizations, Trsm) {
  for (const int64_t m : {1, 2, 5, 33}) {
    for (const int64_t n : {1, 3, 20}) {
      for (int options = 0; options < 24; ++options) {
        const char side = options % 2 == 0 ? 'L' : 'R', uplo = options / 2 % 2 == 0 ? 'L' : 'U',
                   diag = options / 4 % 2 == 0 ? 'N' : 'U', trans = "NTC"[options / 8];
        for (int layouts = 0; layouts < 4; ++layouts) {
          const bool a_by_column = layouts % 2 == 0, b_by_column = layouts / 2 == 0;
          const int64_t order = side == 'L' ? m : n;
          std::vector<Matrix> as = RandomMatrices(order, order), bs = RandomMatrices(m, n);
          for (Matrix& a : as) {
            for (complex128& x : a.data) x /= static_cast<double>(order);
            for (int64_t i = 0; i < order; ++i) a(i, i) += 2;
          }
          const std::string a_shape = Matrices(type_.name(), order, order, a_by_column),
                            b_shape = Matrices(type_.name(), m, n, b_by_column);
          const Array a = ArrayOf(ShapeOf(a_shape), as), b = ArrayOf(ShapeOf(b_shape), bs);
          std::vector<Array> operands = {a, b};
          if (options == 5) {  // as older programs have it
            std::vector<Matrix> one = {Matrix::Identity(1)};
            operands.push_back(ArrayOf(ShapeOf(absl::StrCat(type_.name(), "[]")), one));
          }
          const auto results =
              RunOnThreads(type_.Target("trsm"),
                           absl::StrCat(Char("side", side), ", ", Char("uplo", uplo), ", ",
                                        Char("trans_x", trans), ", ", Char("diag", diag)),
                           operands, b_shape);
          ASSERT_EQ(results.size(), 1);
          for (int64_t i = 0; i < kBatch; ++i) {
            const auto seen = [](const Matrix& matrix, bool by_column) {
              if (by_column) return matrix;
              Matrix columns(matrix.columns, matrix.rows);
              columns.data = matrix.data;
              return Transpose(columns);
            };
            Matrix t = seen(as[static_cast<size_t>(i)], a_by_column);
            t = uplo == 'L' ? Lower(t) : Upper(t);
            for (int64_t k = 0; diag == 'U' && k < order; ++k) t(k, k) = 1;
            if (trans == 'T') t = Transpose(t);
            if (trans == 'C') t = Adjoint(t);
            const Matrix x = seen(MatrixOf(results[0], i, m, n), b_by_column);
            const Matrix right = seen(bs[static_cast<size_t>(i)], b_by_column);
            EXPECT_LT(Residual(right, side == 'L' ? t * x : x * t, type_, Norm(t) * Norm(x)),
                      kThreshold)
                << m << " " << n << " " << side << uplo << trans << diag << layouts;
          }
        }
      }
    }
  }
}

// The product of reflections I - tau v v^H with v below the diagonal of `factors`.
Matrix ProductOf(const Matrix& factors, const Matrix& taus) {
  const int64_t m = factors.rows;
  Matrix q = Matrix::Identity(m);
  for (int64_t k = static_cast<int64_t>(taus.data.size()) - 1; k >= 0; --k) {
    Matrix v(m, 1);
    v(k, 0) = 1;
    for (int64_t i = k + 1; i < m; ++i) v(i, 0) = factors(i, k);
    Matrix scaled = v;
    for (complex128& x : scaled.data) x *= taus(0, k);
    q = q - scaled * (Adjoint(v) * q);
  }
  return q;
}

TEST_P(Factorizations, GeqrfUngqrUnmqr) {
  const char* const product = type_.is_complex() ? "un" : "or";
  for (const int64_t m : kSizes) {
    for (const int64_t n : {int64_t{1}, int64_t{4}, m, int64_t{40}}) {
      std::vector<Matrix> xs = RandomMatrices(m, n);
      const int64_t k = std::min(m, n);
      const std::string shape = Matrices(type_.name(), m, n);
      const std::string taus_shape = Vectors(type_.name(), k);
      const Array x = ArrayOf(ShapeOf(shape), xs);
      const auto factors = RunOnThreads(type_.Target("geqrf"), "", {x},
                                        absl::StrCat("(", shape, ", ", taus_shape, ")"));
      ASSERT_EQ(factors.size(), 2);
      // Q of k columns.
      std::vector<Matrix> vectors;
      for (int64_t b = 0; b < kBatch; ++b)
        vectors.push_back(Part(MatrixOf(factors[0], b, m, n), 0, m, 0, k));
      const std::string q_shape = Matrices(type_.name(), m, k);
      const Array v = ArrayOf(ShapeOf(q_shape), vectors);
      const auto qs =
          RunOnThreads(type_.Target(absl::StrCat(product, "gqr")), "", {v, factors[1]}, q_shape);
      ASSERT_EQ(qs.size(), 1);
      for (int64_t b = 0; b < kBatch; ++b) {
        const Matrix out = MatrixOf(factors[0], b, m, n);
        const Matrix q = ProductOf(out, MatrixOf(factors[1], b, 1, k));
        EXPECT_LT(Orthogonality(q, type_), kThreshold) << m << " " << n;
        EXPECT_LT(Residual(xs[static_cast<size_t>(b)], q * Upper(out), type_), kThreshold);
        EXPECT_LT(Residual(Part(q, 0, m, 0, k), MatrixOf(qs[0], b, m, k), type_), kThreshold);
      }
      for (int options = 0; options < 4; ++options) {
        const bool left = options % 2 == 0, transpose = options / 2 == 0;
        std::vector<Matrix> cs = left ? RandomMatrices(m, 3) : RandomMatrices(3, m);
        const std::string c_shape = Matrices(type_.name(), left ? m : 3, left ? 3 : m);
        const auto made = RunOnThreads(type_.Target(absl::StrCat(product, "mqr")),
                                       absl::StrCat("left = ", left ? "true" : "false",
                                                    ", transpose = ", transpose ? "true" : "false"),
                                       {v, factors[1], ArrayOf(ShapeOf(c_shape), cs)}, c_shape);
        ASSERT_EQ(made.size(), 1);
        for (int64_t b = 0; b < kBatch; ++b) {
          Matrix q = ProductOf(MatrixOf(factors[0], b, m, n), MatrixOf(factors[1], b, 1, k));
          if (transpose) q = Adjoint(q);
          const Matrix& c = cs[static_cast<size_t>(b)];
          const Matrix expected = left ? q * c : c * q;
          EXPECT_LT(Residual(expected, MatrixOf(made[0], b, c.rows, c.columns), type_), kThreshold)
              << m << " " << n << " " << left << transpose;
        }
      }
    }
  }
}

// Numbers whose squares are not in the range of the type.
TEST_P(Factorizations, ReflectionsOfHugeAndTinyNumbers) {
  for (const int64_t n : {2, 5, 40}) {
    for (const double exponent : {-1.0, 1.0}) {
      const double scale = std::pow(type_.real_type == F32 ? 1e35 : 1e300, exponent);
      std::vector<Matrix> xs = RandomMatrices(n, n);
      for (Matrix& x : xs) {
        for (complex128& element : x.data) element *= scale;
      }
      const std::string shape = Matrices(type_.name(), n, n);
      const Array x = ArrayOf(ShapeOf(shape), xs);
      const auto factors =
          RunOnThreads(type_.Target("geqrf"), "", {x},
                       absl::StrCat("(", shape, ", ", Vectors(type_.name(), n), ")"));
      ASSERT_EQ(factors.size(), 2);
      for (int64_t b = 0; b < kBatch; ++b) {
        Matrix out = MatrixOf(factors[0], b, n, n), in = xs[static_cast<size_t>(b)];
        const Matrix q = ProductOf(out, MatrixOf(factors[1], b, 1, n));
        for (complex128& element : out.data) element /= scale;
        for (complex128& element : in.data) element /= scale;
        EXPECT_LT(Orthogonality(q, type_), kThreshold) << n << " " << scale;
        EXPECT_LT(Residual(in, q * Upper(out), type_), kThreshold) << n << " " << scale;
      }
    }
  }
}

TEST_P(Factorizations, Geqp3) {
  for (const int64_t m : kSizes) {
    for (const int64_t n : {int64_t{1}, int64_t{4}, m, int64_t{40}}) {
      std::vector<Matrix> xs = RandomMatrices(m, n), firsts(kBatch, Matrix(1, n));
      const int64_t k = std::min(m, n);
      firsts[1](0, n - 1) = 1;  // the last column comes first
      const std::string shape = Matrices(type_.name(), m, n), order_shape = Vectors("s32", n);
      const auto results = RunOnThreads(
          type_.Target("geqp3"), "",
          {ArrayOf(ShapeOf(shape), xs), ArrayOf(ShapeOf(order_shape), firsts)},
          absl::StrCat("(", shape, ", ", order_shape, ", ", Vectors(type_.name(), k), ")"));
      ASSERT_EQ(results.size(), 3);
      for (int64_t b = 0; b < kBatch; ++b) {
        const Matrix out = MatrixOf(results[0], b, m, n), order = MatrixOf(results[1], b, 1, n);
        Matrix permuted(m, n);
        std::vector<bool> is_used(static_cast<size_t>(n), false);
        for (int64_t j = 0; j < n; ++j) {
          const auto column = static_cast<int64_t>(order(0, j).real()) - 1;
          ASSERT_TRUE(column >= 0 && column < n && !is_used[static_cast<size_t>(column)]);
          is_used[static_cast<size_t>(column)] = true;
          for (int64_t i = 0; i < m; ++i) permuted(i, j) = xs[static_cast<size_t>(b)](i, column);
        }
        if (b == 1) {
          EXPECT_EQ(order(0, 0), static_cast<double>(n));
        }
        const Matrix q = ProductOf(out, MatrixOf(results[2], b, 1, k));
        EXPECT_LT(Orthogonality(q, type_), kThreshold);
        EXPECT_LT(Residual(permuted, q * Upper(out), type_), kThreshold) << m << " " << n;
        for (int64_t i = b == 1 ? 2 : 1; i < k; ++i)
          EXPECT_LE(std::abs(out(i, i)), std::abs(out(i - 1, i - 1)) * (1 + 100 * type_.epsilon));
      }
    }
  }
}

TEST_P(Factorizations, TridiagonalSystems) {
  for (const int64_t n : kSizes) {
    for (const int64_t columns : {1, 3}) {
      for (const bool perturbed : {false, true}) {
        for (const bool is_column_major : {true, false}) {
          std::vector<Matrix> dl = RandomMatrices(1, n), d = RandomMatrices(1, n),
                              du = RandomMatrices(1, n), bs = RandomMatrices(n, columns);
          const std::string vector = Vectors(type_.name(), n),
                            shape = Matrices(type_.name(), n, columns, is_column_major);
          const std::vector<Array> operands = {
              ArrayOf(ShapeOf(vector), dl), ArrayOf(ShapeOf(vector), d),
              ArrayOf(ShapeOf(vector), du), ArrayOf(ShapeOf(shape), bs)};
          const auto results =
              perturbed ? RunOnThreads("tridiagonal_solve_perturbed_ffi", "", operands, shape)
                        : RunOnThreads(type_.Target("gtsv"), "", operands,
                                       absl::StrCat("(", vector, ", ", vector, ", ", vector, ", ",
                                                    shape, ", ", kInfo, ")"));
          ASSERT_EQ(results.size(), perturbed ? 1 : 5);
          for (int64_t b = 0; b < kBatch; ++b) {
            const auto at = static_cast<size_t>(b);
            Matrix t(n, n);
            for (int64_t i = 0; i < n; ++i) {
              t(i, i) = d[at](0, i);
              if (i > 0) t(i, i - 1) = dl[at](0, i);
              if (i + 1 < n) t(i, i + 1) = du[at](0, i);
            }
            const auto seen = [&](const Matrix& matrix) {
              if (is_column_major) return matrix;
              Matrix by_column(columns, n);
              by_column.data = matrix.data;
              return Transpose(by_column);
            };
            const Matrix x = seen(MatrixOf(results[perturbed ? 0 : 3], b, n, columns));
            EXPECT_LT(Residual(seen(bs[at]), t * x, type_, Norm(t) * Norm(x)), kThreshold)
                << n << " " << columns << perturbed;
            if (!perturbed) {
              EXPECT_EQ(InfoOf(results[4], b), 0);
            }
          }
        }
      }
    }
  }
}

TEST_P(Factorizations, SingularTridiagonalSystems) {
  for (const int64_t n : {1, 2, 6}) {
    std::vector<Matrix> zeros(kBatch, Matrix(1, n)), ones(kBatch, Matrix(n, 1));
    for (Matrix& m : ones) std::fill(m.data.begin(), m.data.end(), 1);
    const std::string vector = Vectors(type_.name(), n), shape = Matrices(type_.name(), n, 1);
    const Array diagonal = ArrayOf(ShapeOf(vector), zeros);
    const std::vector<Array> operands = {diagonal, diagonal, diagonal,
                                         ArrayOf(ShapeOf(shape), ones)};
    const auto results = RunOnThreads(
        type_.Target("gtsv"), "", operands,
        absl::StrCat("(", vector, ", ", vector, ", ", vector, ", ", shape, ", ", kInfo, ")"));
    ASSERT_EQ(results.size(), 5);
    EXPECT_EQ(InfoOf(results[4], 0), 1);
    const auto perturbed = RunOnThreads("tridiagonal_solve_perturbed_ffi", "", operands, shape);
    ASSERT_EQ(perturbed.size(), 1);
    for (const complex128 x : MatrixOf(perturbed[0], 0, n, 1).data) {
      EXPECT_TRUE(std::isfinite(std::abs(x)));
      EXPECT_GT(std::abs(x), 1 / type_.epsilon);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Factorizations, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(1, info.param.letter); });

}  // namespace
}  // namespace xla::lapack

// SPDX-License-Identifier: Apache-2.0
// cholesky and triangular-solve, batched, real and complex; computed in double precision and
// rounded once at the end.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

double Conjugate(double x) { return x; }
complex128 Conjugate(complex128 x) { return std::conj(x); }
double RealPart(double x) { return x; }
double RealPart(complex128 x) { return x.real(); }
double Product(double a, double b) { return a * b; }
// Without the special cases of infinities.
complex128 Product(complex128 a, complex128 b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// A batch of matrices [batch.., rows, columns] of the sizes that exist; what lies beyond is never
// read. (XLA's compiler takes both operations apart before it looks at sizes at run time, so that
// there the elements beyond count.)
struct MatrixBatch {
  explicit MatrixBatch(const Value& value)
      : rows(value.dynamic_size(value.rank() - 2)),
        columns(value.dynamic_size(value.rank() - 1)),
        row_bytes(value.dimensions()[value.rank() - 1] *
                  primitive_util::ByteWidth(value.element_type())),
        matrix_bytes(value.dimensions()[value.rank() - 2] * row_bytes) {
    for (int64_t d = 0; d < value.rank() - 2; ++d) count *= value.dimensions()[d];
  }

  // Matrix b from and to the memory of the whole batch.
  template <typename T>
  void Load(WideLoad<T> load, const void* data, int64_t b, std::vector<T>& matrix) const {
    matrix.resize(rows * columns);
    const char* row = static_cast<const char*>(data) + b * matrix_bytes;
    for (int64_t i = 0; i < rows; ++i, row += row_bytes)
      load(row, 1, columns, matrix.data() + i * columns);
  }
  template <typename T>
  void Store(WideStore<T> store, const std::vector<T>& matrix, int64_t b, void* data) const {
    char* row = static_cast<char*>(data) + b * matrix_bytes;
    for (int64_t i = 0; i < rows; ++i, row += row_bytes)
      store(matrix.data() + i * columns, columns, row, 1);
  }

  int64_t count = 1, rows, columns;
  int64_t row_bytes, matrix_bytes;  // at the bounds
};

absl::Status ExpectSquare(const HloInstruction& inst, const Value& value,
                          const MatrixBatch& batch) {
  if (batch.rows == batch.columns) return absl::OkStatus();
  return InstructionError(
      inst, absl::StatusCode::kInvalidArgument,
      absl::StrCat("the matrices of ", value.shape().ToString(), " are ", batch.rows, " x ",
                   batch.columns, " at run time: they must be square"));
}

// A real type is worked on as double, a complex one as complex128.
template <typename F>
auto WithSolverType(PrimitiveType type, F&& f) {
  return primitive_util::IsComplexType(type) ? f(complex128()) : f(double());
}

// Row i of L needs the rows before it. False if the matrix is not positive definite (or not a
// number).
template <typename T>
bool Cholesky(int64_t n, std::vector<T>& a) {
  for (int64_t i = 0; i < n; ++i) {
    T* row = a.data() + i * n;
    for (int64_t j = 0; j <= i; ++j) {
      const T* other = a.data() + j * n;
      T sum{};
      for (int64_t k = 0; k < j; ++k) sum += Product(row[k], Conjugate(other[k]));
      if (j < i) {
        row[j] = (row[j] - sum) / RealPart(other[j]);
        continue;
      }
      // The diagonal of a Hermitian matrix is real.
      const double pivot = RealPart(row[i]) - RealPart(sum);
      if (!(pivot > 0)) return false;
      row[i] = std::sqrt(pivot);
    }
    std::fill(row + i + 1, row + n, T());
  }
  return true;
}

// Rows x := m^-1 x for the triangle of m, a row of x at a time.
template <typename T>
void SolveRows(int64_t n, int64_t columns, bool lower, bool unit_diagonal, const std::vector<T>& m,
               std::vector<T>& x) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* row = x.data() + i * columns;
    const int64_t begin = lower ? 0 : i + 1, end = lower ? i : n;
    for (int64_t j = begin; j < end; ++j) {
      const T factor = m[i * n + j];
      const T* other = x.data() + j * columns;
      for (int64_t c = 0; c < columns; ++c) row[c] -= Product(factor, other[c]);
    }
    if (unit_diagonal) continue;
    for (int64_t c = 0; c < columns; ++c) row[c] /= m[i * n + i];
  }
}

// matrix[j, i] = source[i, j]
template <typename T>
std::vector<T> Transposed(int64_t rows, int64_t columns, const std::vector<T>& source) {
  std::vector<T> result(source.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) result[j * rows + i] = source[i * columns + j];
  }
  return result;
}

}  // namespace

// L with A = L L^H, or U with A = U^H U; zero in the other triangle. All NaN if A is not positive
// definite.
absl::StatusOr<Value> EvalCholesky(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  const bool lower = inst.attributes<CholeskyAttributes>().lower;
  const Value& operand = operands[0];
  const MatrixBatch batch(operand);
  XLA_RETURN_IF_ERROR(ExpectSquare(inst, operand, batch));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (operand.has_dynamic_sizes()) SetExistingSizes(operand.existing_dimensions(), result);
  if (result.element_count() == 0) return result;
  const int64_t n = batch.rows;
  const PrimitiveType type = operand.element_type();
  const double cost =
      500 + static_cast<double>(n) * static_cast<double>(n) * (static_cast<double>(n) / 3 + 4);
  XLA_RETURN_IF_ERROR(WithSolverType(type, [&](auto sample) {
    using T = decltype(sample);
    const WideLoad<T> load = GetWideLoad<T>(type);
    const WideStore<T> store = GetWideStore<T>(type);
    return ctx.ParallelFor(batch.count, EvalContext::ChunkFor(batch.count, cost),
                           [&](int64_t begin, int64_t end) {
                             std::vector<T> a;
                             for (int64_t b = begin; b < end; ++b) {
                               batch.Load(load, operand.untyped_data(), b, a);
                               // The upper triangle, as rows of its conjugate transpose.
                               if (!lower) {
                                 a = Transposed(n, n, a);
                                 for (T& x : a) x = Conjugate(x);
                               }
                               if (!Cholesky(n, a)) {
                                 const double nan = std::numeric_limits<double>::quiet_NaN();
                                 if constexpr (is_complex_v<T>) {
                                   std::fill(a.begin(), a.end(), T(nan, nan));
                                 } else {
                                   std::fill(a.begin(), a.end(), nan);
                                 }
                               }
                               if (!lower) {
                                 a = Transposed(n, n, a);
                                 for (T& x : a) x = Conjugate(x);
                               }
                               batch.Store(store, a, b, result.mutable_untyped_data());
                             }
                           });
  }));
  return result;
}

// X with op(A) X = B, or X op(A) = B, where only the named triangle of A counts. Zeros on the
// diagonal give infinities.
absl::StatusOr<Value> EvalTriangularSolve(EvalContext& ctx, const HloInstruction& inst,
                                          absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<TriangularSolveAttributes>();
  const Value &a_operand = operands[0], &b_operand = operands[1];
  const MatrixBatch a_batch(a_operand), b_batch(b_operand);
  XLA_RETURN_IF_ERROR(ExpectSquare(inst, a_operand, a_batch));
  const int64_t n = a_batch.rows, rows = b_batch.rows, columns = b_batch.columns;
  if (n != (attributes.left_side ? rows : columns)) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            absl::StrCat(n, " x ", n, " matrices cannot solve for ",
                                         attributes.left_side ? absl::StrCat(rows, " rows")
                                                              : absl::StrCat(columns, " columns"),
                                         " of ", b_operand.shape().ToString(), " at run time"));
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (b_operand.has_dynamic_sizes()) SetExistingSizes(b_operand.existing_dimensions(), result);
  if (result.element_count() == 0) return result;
  const PrimitiveType type = b_operand.element_type();
  const bool transposed = attributes.transpose_a == TriangularSolveOptions::TRANSPOSE ||
                          attributes.transpose_a == TriangularSolveOptions::ADJOINT;
  const bool conjugated = attributes.transpose_a == TriangularSolveOptions::ADJOINT;
  // X op(A) = B is op(A)^T X^T = B^T.
  const bool flip = transposed == attributes.left_side;
  const bool lower = attributes.lower != flip;
  const int64_t lines = attributes.left_side ? columns : rows;
  const double cost =
      500 + static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(lines + 4);
  XLA_RETURN_IF_ERROR(WithSolverType(type, [&](auto sample) {
    using T = decltype(sample);
    const WideLoad<T> load = GetWideLoad<T>(type);
    const WideStore<T> store = GetWideStore<T>(type);
    return ctx.ParallelFor(b_batch.count, EvalContext::ChunkFor(b_batch.count, cost),
                           [&](int64_t begin, int64_t end) {
                             std::vector<T> a, b;
                             for (int64_t i = begin; i < end; ++i) {
                               a_batch.Load(load, a_operand.untyped_data(), i, a);
                               b_batch.Load(load, b_operand.untyped_data(), i, b);
                               if (flip) a = Transposed(n, n, a);
                               if (conjugated) {
                                 for (T& x : a) x = Conjugate(x);
                               }
                               if (!attributes.left_side) b = Transposed(rows, columns, b);
                               SolveRows(n, lines, lower, attributes.unit_diagonal, a, b);
                               if (!attributes.left_side) b = Transposed(columns, rows, b);
                               b_batch.Store(store, b, i, result.mutable_untyped_data());
                             }
                           });
  }));
  return result;
}

}  // namespace xla::interpreter

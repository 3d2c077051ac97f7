// SPDX-License-Identifier: Apache-2.0
// Cholesky factors and triangular solves.
#include "xla/kernels/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "xla/base/status_macros.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla::kernels {
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

// Matrices that are worked on: contiguous, in T = double or complex128.
template <typename T>
class BatchPort {
 public:
  BatchPort(const MatrixBatch& batch, void* result)
      : batch_(batch),
        result_(static_cast<char*>(result)),
        bytes_(primitive_util::ByteWidth(batch.type)),
        load_(GetWideLoad<T>(batch.type)),
        store_(GetWideStore<T>(batch.type)) {}

  int64_t size() const { return batch_.rows * batch_.columns; }

  // matrix[i, j], or matrix[j, i] if `transposed`, = the element [i, j] of matrix b, conjugated if
  // asked for. `row` is working memory of a row.
  absl::Status Load(int64_t b, bool transposed, bool conjugated, T* matrix, T* row,
                    WorkMeter& meter) const {
    const int64_t rows = batch_.rows, columns = batch_.columns;
    for (int64_t i = 0; i < rows; ++i) {
      XLA_RETURN_IF_ERROR(meter.Add(2 * static_cast<double>(columns)));
      const void* src = static_cast<const char*>(batch_.data) + Offset(b, i);
      T* dst = transposed ? row : matrix + i * columns;
      load_(src, 1, columns, dst);
      if (conjugated) {
        for (int64_t j = 0; j < columns; ++j) dst[j] = Conjugate(dst[j]);
      }
      if (!transposed) continue;
      for (int64_t j = 0; j < columns; ++j) matrix[j * rows + i] = row[j];
    }
    return absl::OkStatus();
  }

  // The reverse of Load.
  absl::Status Store(int64_t b, bool transposed, bool conjugated, const T* matrix, T* row,
                     WorkMeter& meter) const {
    const int64_t rows = batch_.rows, columns = batch_.columns;
    for (int64_t i = 0; i < rows; ++i) {
      XLA_RETURN_IF_ERROR(meter.Add(2 * static_cast<double>(columns)));
      for (int64_t j = 0; j < columns; ++j) {
        row[j] = matrix[transposed ? j * rows + i : i * columns + j];
        if (conjugated) row[j] = Conjugate(row[j]);
      }
      store_(row, columns, result_ + Offset(b, i), 1);
    }
    return absl::OkStatus();
  }

 private:
  int64_t Offset(int64_t b, int64_t i) const {
    return (b * batch_.matrix_stride + i * batch_.row_stride) * bytes_;
  }

  const MatrixBatch& batch_;
  char* const result_;
  const int64_t bytes_;
  const WideLoad<T> load_;
  const WideStore<T> store_;
};

// Calls f with a number of the type that matrices of the element type are worked on in.
template <typename F>
absl::Status WithSolverType(PrimitiveType type, F&& f) {
  return primitive_util::IsComplexType(type) ? f(complex128()) : f(double());
}

// Replaces the lower triangle of a[n, n] by its Cholesky factor and the rest by zeros. Sets
// *is_definite to whether there is one. Row i needs the rows before it. Sums go in order of k;
// those of several columns at once hide the latency of additions.
template <typename T>
absl::Status Factor(int64_t n, T* a, bool* is_definite, WorkMeter& meter) {
  constexpr int64_t kColumns = 8;
  *is_definite = false;
  for (int64_t i = 0; i < n; ++i) {
    T* row = a + i * n;
    for (int64_t first = 0; first <= i; first += kColumns) {
      const int64_t columns = std::min(kColumns, i + 1 - first);
      XLA_RETURN_IF_ERROR(meter.Add(static_cast<double>(first * kColumns)));
      T sums[kColumns] = {};
      if (columns == kColumns) {
        const T* others = a + first * n;
        for (int64_t k = 0; k < first; ++k) {
          for (int64_t c = 0; c < kColumns; ++c)
            sums[c] += Product(row[k], Conjugate(others[c * n + k]));
        }
      } else {
        for (int64_t c = 0; c < columns; ++c) {
          const T* other = a + (first + c) * n;
          for (int64_t k = 0; k < first; ++k) sums[c] += Product(row[k], Conjugate(other[k]));
        }
      }
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t j = first + c;
        const T* other = a + j * n;
        for (int64_t k = first; k < j; ++k) sums[c] += Product(row[k], Conjugate(other[k]));
        if (j < i) {
          row[j] = (row[j] - sums[c]) / RealPart(other[j]);
          continue;
        }
        // The diagonal of a Hermitian matrix is real.
        const double pivot = RealPart(row[i]) - RealPart(sums[c]);
        if (!(pivot > 0)) return absl::OkStatus();
        row[i] = std::sqrt(pivot);
      }
    }
    std::fill(row + i + 1, row + n, T());
  }
  *is_definite = true;
  return absl::OkStatus();
}

// Columns [begin, end) of x[n, columns] := m^-1 x for the triangle of m[n, n], a row at a time.
template <typename T>
absl::Status SolveColumns(int64_t n, int64_t columns, bool lower, bool unit_diagonal, const T* m,
                          T* x, int64_t begin, int64_t end, WorkMeter& meter) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* row = x + i * columns;
    const int64_t j_begin = lower ? 0 : i + 1, j_end = lower ? i : n;
    XLA_RETURN_IF_ERROR(meter.Add(static_cast<double>((j_end - j_begin) * (end - begin))));
    for (int64_t j = j_begin; j < j_end; ++j) {
      const T factor = m[i * n + j];
      const T* other = x + j * columns;
      for (int64_t c = begin; c < end; ++c) row[c] -= Product(factor, other[c]);
    }
    if (unit_diagonal) continue;
    for (int64_t c = begin; c < end; ++c) row[c] /= m[i * n + i];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Cholesky(Context& context, bool lower, const MatrixBatch& a, void* result) {
  const int64_t n = a.rows;
  if (n == 0 || a.count == 0) return absl::OkStatus();
  const double size = static_cast<double>(n), cost = 500 + size * size * (size / 20 + 4);
  return WithSolverType(a.type, [&](auto sample) -> absl::Status {
    using T = decltype(sample);
    const BatchPort<T> port(a, result);
    return context.ParallelFor(
        a.count, ChunkFor(a.count, cost), [&](int64_t begin, int64_t end) -> absl::Status {
          XLA_ASSIGN_OR_RETURN(const ScratchArray<T> matrix,
                               AllocateArray<T>(context, port.size() + n));
          T* row = matrix.data() + port.size();
          WorkMeter meter(context);
          for (int64_t b = begin; b < end; ++b) {
            // The upper triangle, as rows of its conjugate transpose.
            XLA_RETURN_IF_ERROR(port.Load(b, !lower, !lower, matrix.data(), row, meter));
            bool is_definite;
            XLA_RETURN_IF_ERROR(Factor(n, matrix.data(), &is_definite, meter));
            if (!is_definite) {
              constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
              if constexpr (is_complex_v<T>) {
                std::fill_n(matrix.data(), n * n, T(kNaN, kNaN));
              } else {
                std::fill_n(matrix.data(), n * n, kNaN);
              }
            }
            XLA_RETURN_IF_ERROR(port.Store(b, !lower, !lower, matrix.data(), row, meter));
          }
          return absl::OkStatus();
        });
  });
}

absl::Status TriangularSolve(Context& context, const TriangularSolveSpec& options,
                             const MatrixBatch& a, const MatrixBatch& b, void* result) {
  const int64_t n = a.rows;
  if (n == 0 || b.count == 0 || b.rows * b.columns == 0) return absl::OkStatus();
  // X op(A) = B is op(A)^T X^T = B^T.
  const bool flip = options.transpose == options.left_side;
  const bool lower = options.lower != flip;
  const int64_t lines = options.left_side ? b.columns : b.rows;
  return WithSolverType(b.type, [&](auto sample) -> absl::Status {
    using T = decltype(sample);
    const BatchPort<T> a_port(a, nullptr), b_port(b, result);
    // Solves for matrix i; columns of X are independent and shared by the threads of `inner`.
    const auto solve = [&](Context& inner, int64_t i,
                           const ScratchArray<T>& memory) -> absl::Status {
      T *m = memory.data(), *x = m + a_port.size(), *row = x + b_port.size();
      WorkMeter meter(inner);
      XLA_RETURN_IF_ERROR(a_port.Load(i, flip, options.conjugate, m, row, meter));
      XLA_RETURN_IF_ERROR(b_port.Load(i, !options.left_side, false, x, row, meter));
      constexpr int64_t kColumns = 64;
      XLA_RETURN_IF_ERROR(
          inner.ParallelFor(lines, kColumns, [&](int64_t begin, int64_t end) -> absl::Status {
            WorkMeter column_meter(inner);
            return SolveColumns(n, lines, lower, options.unit_diagonal, m, x, begin, end,
                                column_meter);
          }));
      return b_port.Store(i, !options.left_side, false, x, row, meter);
    };
    const int64_t memory_size = a_port.size() + b_port.size() + std::max(n, b.columns);
    constexpr int64_t kManyMatrices = 16;
    if (b.count < kManyMatrices) {
      XLA_ASSIGN_OR_RETURN(const ScratchArray<T> memory, AllocateArray<T>(context, memory_size));
      for (int64_t i = 0; i < b.count; ++i) XLA_RETURN_IF_ERROR(solve(context, i, memory));
      return absl::OkStatus();
    }
    const double size = static_cast<double>(n);
    const double cost = 500 + size * size * static_cast<double>(lines + 4);
    return context.ParallelFor(b.count, ChunkFor(b.count, cost),
                               [&](int64_t begin, int64_t end) -> absl::Status {
                                 SerialContext serial(context);
                                 XLA_ASSIGN_OR_RETURN(const ScratchArray<T> memory,
                                                      AllocateArray<T>(context, memory_size));
                                 for (int64_t i = begin; i < end; ++i)
                                   XLA_RETURN_IF_ERROR(solve(serial, i, memory));
                                 return absl::OkStatus();
                               });
  });
}

}  // namespace xla::kernels

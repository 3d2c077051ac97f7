// SPDX-License-Identifier: Apache-2.0
// Cholesky factors and triangular solves.
#include "xla/kernels/linear_algebra/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "xla/base/status_macros.h"
#include "xla/kernels/linear_algebra/row_operations.h"
#include "xla/kernels/linear_algebra/split_complex_matrix.h"
#include "xla/primitive_util.h"
#include "xla/types.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Columns of a panel of Cholesky factors, and rows of a task.
constexpr int64_t kPanel = 32, kRows = 32;
// Columns of solutions of a task, and rows that are solved together.
constexpr int64_t kColumns = 64, kSolvedRows = 4;

// A product without std::complex's special cases for infinities.
complex128 Product(complex128 a, complex128 b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Estimates the nanoseconds to subtract a product.
double CostOfProduct(int64_t rows, int64_t columns, int64_t depth, bool is_complex) {
  return 0.1 * static_cast<double>(rows * columns) * static_cast<double>(depth) *
         (is_complex ? 4 : 1);
}

// Replaces the lower triangle of rows and columns [begin, end) by its Cholesky factor; false if
// there is none.
bool FactorBlock(const PlaneMatrix& a, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const Planes<double> row = a.At(i, 0);
    for (int64_t j = begin; j <= i; ++j) {
      const Planes<double> other = a.At(j, 0);
      double re = row.re[j], im = 0;
      if (!a.is_complex()) {
        for (int64_t k = begin; k < j; ++k) re -= row.re[k] * other.re[k];
      } else {
        complex128 sum = GetNumber(row, j);
        for (int64_t k = begin; k < j; ++k)
          sum -= Product(GetNumber(row, k), std::conj(GetNumber(other, k)));
        re = sum.real();
        im = sum.imag();
      }
      if (j < i) {
        SetNumber(row, j, {re / other.re[j], im / other.re[j]});
        continue;
      }
      // The diagonal of a Hermitian matrix is real.
      if (!(re > 0)) return false;
      SetNumber(row, i, std::sqrt(re));
    }
  }
  return true;
}

// Solves for rows [p1 + begin, p1 + end) of the factor in the columns of the panel [p0, p1), whose
// diagonal block is factored. `adjoint` becomes their conjugate transpose.
void SolvePanel(const PlaneMatrix& a, int64_t p0, int64_t p1, int64_t begin, int64_t end,
                const PlaneMatrix& adjoint) {
  const int64_t panel = p1 - p0;
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t k = 0; k < panel; ++k)
      SetNumber(adjoint.At(k, i), 0, std::conj(GetNumber(a.At(p1 + i, p0 + k), 0)));
  }
  for (int64_t k = 0; k < panel; ++k) {
    const Planes<double> row = adjoint.At(k, begin);
    SubtractMatrixProduct({k, a.At(p0 + k, p0), a.stride, adjoint.At(0, begin), adjoint.stride},
                          {1, end - begin, adjoint.stride, row});
    const double pivot = *a.At(p0 + k, p0 + k).re;
    for (int64_t i = 0; i < end - begin; ++i) row.re[i] /= pivot;
    for (int64_t i = 0; row.im != nullptr && i < end - begin; ++i) row.im[i] /= pivot;
  }
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t k = 0; k < panel; ++k)
      SetNumber(a.At(p1 + i, p0 + k), 0, std::conj(GetNumber(adjoint.At(k, i), 0)));
  }
}

// Replaces the lower triangle of `a` by its Cholesky factor and the rest by zeros. Sets
// *is_definite to whether there is one. `adjoint` has kPanel rows of a.rows columns.
absl::Status Factor(Context& context, const PlaneMatrix& a, const PlaneMatrix& adjoint,
                    bool* is_definite) {
  const int64_t n = a.rows;
  WorkMeter meter(context);
  *is_definite = false;
  for (int64_t p0 = 0; p0 < n; p0 += kPanel) {
    const int64_t p1 = std::min(n, p0 + kPanel), rest = n - p1, panel = p1 - p0;
    XLA_RETURN_IF_ERROR(meter.Add(CostOfProduct(panel, panel, 10 * panel, a.is_complex())));
    if (!FactorBlock(a, p0, p1)) return absl::OkStatus();
    if (rest == 0) break;
    const int64_t blocks = CeilOfRatio(rest, kRows);
    const auto end_of = [&](int64_t block) { return std::min(rest, (block + 1) * kRows); };
    const auto for_blocks = [&](double cost, auto&& body) {
      return context.ParallelFor(blocks, ChunkFor(blocks, cost),
                                 [&](int64_t begin, int64_t end) -> absl::Status {
                                   WorkMeter block_meter(context);
                                   for (int64_t block = begin; block < end; ++block) {
                                     XLA_RETURN_IF_ERROR(block_meter.Add(cost));
                                     body(block * kRows, end_of(block));
                                   }
                                   return absl::OkStatus();
                                 });
    };
    XLA_RETURN_IF_ERROR(for_blocks(
        CostOfProduct(kRows, panel, 2 * panel, a.is_complex()),
        [&](int64_t begin, int64_t end) { SolvePanel(a, p0, p1, begin, end, adjoint); }));
    XLA_RETURN_IF_ERROR(for_blocks(
        CostOfProduct(kRows, rest, panel, a.is_complex()), [&](int64_t begin, int64_t end) {
          SubtractMatrixProduct(
              {panel, a.At(p1 + begin, p0), a.stride, adjoint.data, adjoint.stride},
              {end - begin, end, a.stride, a.At(p1 + begin, p1)});
        }));
  }
  for (int64_t i = 0; i < n; ++i) {
    const Planes<double> row = a.At(i, 0);
    std::fill(row.re + i + 1, row.re + n, 0.0);
    if (row.im != nullptr) std::fill(row.im + i + 1, row.im + n, 0.0);
  }
  *is_definite = true;
  return absl::OkStatus();
}

// Smaller matrices of real numbers are solved a row at a time: calls of SubtractMatrixProduct would
// take longer than their work.
constexpr int64_t kSmall = 16;

void SolveSmall(const PlaneMatrix& m, bool lower, bool unit_diagonal, const PlaneMatrix& x,
                int64_t begin, int64_t end) {
  const int64_t n = m.rows, columns = end - begin;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    double* const row = x.data.re + i * x.stride + begin;
    const double* const factors = m.data.re + i * m.stride;
    for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) {
      const double factor = factors[j];
      const double* const other = x.data.re + j * x.stride + begin;
      for (int64_t c = 0; c < columns; ++c) row[c] -= factor * other[c];
    }
    const double pivot = factors[i];
    for (int64_t c = 0; !unit_diagonal && c < columns; ++c) row[c] /= pivot;
  }
}

// Computes columns [begin, end) of x := m^-1 x for the triangle of m.
absl::Status SolveColumns(const PlaneMatrix& m, bool lower, bool unit_diagonal,
                          const PlaneMatrix& x, int64_t begin, int64_t end, WorkMeter& meter) {
  if (m.rows <= kSmall && !m.is_complex()) {
    SolveSmall(m, lower, unit_diagonal, x, begin, end);
    return meter.Add(CostOfProduct(m.rows, end - begin, m.rows + 8, false));
  }
  const int64_t n = m.rows, columns = end - begin;
  for (int64_t done = 0; done < n; done += kSolvedRows) {
    const int64_t rows = std::min(kSolvedRows, n - done);
    const int64_t first = lower ? done : n - done - rows, solved = lower ? 0 : first + rows;
    XLA_RETURN_IF_ERROR(meter.Add(CostOfProduct(rows, columns, done + 8, m.is_complex())));
    SubtractMatrixProduct({done, m.At(first, solved), m.stride, x.At(solved, begin), x.stride},
                          {rows, columns, x.stride, x.At(first, begin)});
    for (int64_t step = 0; step < rows; ++step) {
      const int64_t i = lower ? first + step : first + rows - 1 - step;
      const int64_t before = lower ? first : i + 1;
      SubtractMatrixProduct({step, m.At(i, before), m.stride, x.At(before, begin), x.stride},
                            {1, columns, x.stride, x.At(i, begin)});
      if (unit_diagonal) continue;
      const Planes<double> row = x.At(i, begin);
      const complex128 pivot = GetNumber(m.At(i, i), 0);
      if (m.is_complex()) {
        for (int64_t c = 0; c < columns; ++c) SetNumber(row, c, GetNumber(row, c) / pivot);
      } else {
        for (int64_t c = 0; c < columns; ++c) row.re[c] /= pivot.real();
      }
    }
  }
  return absl::OkStatus();
}

// Whether small matrices are factored side by side, with the same bits: if there are many.
bool IsSideBySide(const MatrixBatch& a) { return a.count >= kSideBySide && a.rows <= kPanel; }

}  // namespace

bool SharesCholesky(const MatrixBatch& a) {
  constexpr int64_t kManyMatrices = 8, kLarge = 192;
  return a.count < kManyMatrices && a.rows >= kLarge;
}

int64_t CholeskyBytes(const MatrixBatch& a) {
  if (IsSideBySide(a)) {
    return 8 * PlaneCount(a.rows * a.rows * kSideBySide + a.rows,
                          primitive_util::IsComplexType(a.type));
  }
  return 8 *
         PlaneCount(PlaneMatrixCount(a.rows, a.rows) + PlaneMatrixCount(kPanel, a.rows) + a.rows,
                    primitive_util::IsComplexType(a.type));
}

namespace {

absl::Status CholeskySideBySide(Context& context, bool lower, const MatrixBatch& a, void* result) {
  const int64_t n = a.rows, size = n * n;
  const bool is_complex = primitive_util::IsComplexType(a.type);
  const double cost = 2000 + static_cast<double>(size) * (20 + static_cast<double>(n));
  const int64_t groups = CeilOfRatio(a.count, kSideBySide);
  return context.ParallelFor(
      groups, ChunkFor(groups, cost), [&](int64_t begin, int64_t end) -> absl::Status {
        XLA_ASSIGN_OR_RETURN(const ScratchArray<double> array,
                             AllocateArray<double>(context, CholeskyBytes(a) / 8));
        double* memory = array.data();
        const Planes<double> lanes = TakePlanes(&memory, size * kSideBySide, is_complex);
        const Planes<double> row = TakePlanes(&memory, n, is_complex);
        const int64_t bytes = primitive_util::ByteWidth(a.type);
        WorkMeter meter(context);
        // Calls body(index of the matrix, element [0, 0] of its lane).
        const auto for_each = [&](int64_t group, auto&& body) {
          const int64_t first = group * kSideBySide;
          for (int64_t b = first; b < std::min(a.count, first + kSideBySide); ++b)
            body(b, lanes.At(b - first));
        };
        const auto at = [&](int64_t i, int64_t j) {
          return (lower ? i * n + j : j * n + i) * kSideBySide;
        };
        for (int64_t group = begin; group < end; ++group) {
          XLA_RETURN_IF_ERROR(meter.Add(cost));
          // Lanes without a matrix factor the identity.
          if (group * kSideBySide + kSideBySide > a.count) {
            std::fill_n(lanes.re, PlaneCount(size * kSideBySide, is_complex), 0.0);
            for (int64_t i = 0; i < n; ++i)
              std::fill_n(lanes.re + (i * n + i) * kSideBySide, kSideBySide, 1.0);
          }
          // The upper triangle, as rows of its conjugate transpose.
          for_each(group, [&](int64_t b, const Planes<double>& lane) {
            for (int64_t i = 0; i < n; ++i) {
              LoadPlanes(a.type, static_cast<const char*>(a.data) + RowOffset(a, bytes, b, i), n,
                         row);
              for (int64_t j = 0; j < n; ++j) lane.re[at(i, j)] = row.re[j];
              for (int64_t j = 0; is_complex && j < n; ++j)
                lane.im[at(i, j)] = lower ? row.im[j] : -row.im[j];
            }
          });
          bool definite[kSideBySide];
          FactorSideBySide(n, lanes, definite);
          for_each(group, [&](int64_t b, const Planes<double>& lane) {
            const double other =
                definite[b - group * kSideBySide] ? 0 : std::numeric_limits<double>::quiet_NaN();
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) {
                const bool is_factor = other == 0 && (lower ? j <= i : j >= i);
                row.re[j] = is_factor ? lane.re[at(i, j)] : other;
                if (!is_complex) continue;
                const double im = lower ? lane.im[at(i, j)] : -lane.im[at(i, j)];
                row.im[j] = is_factor ? im : other;
              }
              StorePlanes(a.type, row, n, static_cast<char*>(result) + RowOffset(a, bytes, b, i));
            }
          });
        }
        return absl::OkStatus();
      });
}

}  // namespace

absl::Status Cholesky(Context& context, bool lower, const MatrixBatch& a, void* result) {
  const int64_t n = a.rows;
  if (n == 0 || a.count == 0) return absl::OkStatus();
  if (IsSideBySide(a)) return CholeskySideBySide(context, lower, a, result);
  const double size = static_cast<double>(n), cost = 500 + size * size * (size / 20 + 4);
  const bool is_complex = primitive_util::IsComplexType(a.type);
  return ForEachMatrix(context, {a.count, SharesCholesky(a), cost, CholeskyBytes(a)},
                       [&](Context& inner, int64_t b, double* memory) -> absl::Status {
                         WorkMeter meter(inner);
                         const PlaneMatrix matrix = TakeMatrix(&memory, n, n, is_complex);
                         const PlaneMatrix adjoint = TakeMatrix(&memory, kPanel, n, is_complex);
                         const Planes<double> row = TakePlanes(&memory, n, is_complex);
                         // The upper triangle, as rows of its conjugate transpose.
                         const PlaneView view = {!lower, !lower};
                         XLA_RETURN_IF_ERROR(LoadMatrix(a, b, view, matrix, row, meter));
                         bool is_definite;
                         XLA_RETURN_IF_ERROR(Factor(inner, matrix, adjoint, &is_definite));
                         if (!is_definite) {
                           std::fill_n(matrix.data.re,
                                       PlaneCount(PlaneMatrixCount(n, n), is_complex),
                                       std::numeric_limits<double>::quiet_NaN());
                         }
                         XLA_RETURN_IF_ERROR(StoreMatrix(a, b, view, matrix, row, result, meter));
                         return absl::OkStatus();
                       });
}

bool SharesTriangularSolve(const MatrixBatch& b) {
  constexpr int64_t kManyMatrices = 16;
  return b.count < kManyMatrices;
}

int64_t TriangularSolveBytes(const TriangularSolveSpec& options, const MatrixBatch& a,
                             const MatrixBatch& b) {
  const int64_t lines = options.left_side ? b.columns : b.rows;
  return 8 * PlaneCount(PlaneMatrixCount(a.rows, a.rows) + PlaneMatrixCount(a.rows, lines) +
                            std::max(a.rows, b.columns),
                        primitive_util::IsComplexType(b.type));
}

absl::Status TriangularSolve(Context& context, const TriangularSolveSpec& options,
                             const MatrixBatch& a, const MatrixBatch& b, void* result) {
  const int64_t n = a.rows;
  if (n == 0 || b.count == 0 || b.rows * b.columns == 0) return absl::OkStatus();
  // X op(A) = B is op(A)^T X^T = B^T.
  const bool flip = options.transpose == options.left_side;
  const bool lower = options.lower != flip;
  const int64_t lines = options.left_side ? b.columns : b.rows;
  const bool is_complex = primitive_util::IsComplexType(b.type);
  const double size = static_cast<double>(n);
  const double cost = 500 + size * size * static_cast<double>(lines + 4);
  return ForEachMatrix(
      context, {b.count, SharesTriangularSolve(b), cost, TriangularSolveBytes(options, a, b)},
      [&](Context& inner, int64_t i, double* memory) -> absl::Status {
        WorkMeter meter(inner);
        const PlaneMatrix m = TakeMatrix(&memory, n, n, is_complex);
        const PlaneMatrix x = TakeMatrix(&memory, n, lines, is_complex);
        const Planes<double> row = TakePlanes(&memory, std::max(n, b.columns), is_complex);
        XLA_RETURN_IF_ERROR(LoadMatrix(a, i, {flip, options.conjugate}, m, row, meter));
        const PlaneView view = {!options.left_side, false};
        XLA_RETURN_IF_ERROR(LoadMatrix(b, i, view, x, row, meter));
        XLA_RETURN_IF_ERROR(
            inner.ParallelFor(lines, kColumns, [&](int64_t begin, int64_t end) -> absl::Status {
              WorkMeter meter(inner);
              return SolveColumns(m, lower, options.unit_diagonal, x, begin, end, meter);
            }));
        XLA_RETURN_IF_ERROR(StoreMatrix(b, i, view, x, row, result, meter));
        return absl::OkStatus();
      });
}

}  // namespace xla::kernels

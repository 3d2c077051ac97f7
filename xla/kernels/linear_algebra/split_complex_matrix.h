// SPDX-License-Identifier: Apache-2.0
// Matrices for factorizations: doubles, with real and imaginary parts in separate planes.
#ifndef XLA_KERNELS_LINEAR_ALGEBRA_SPLIT_COMPLEX_MATRIX_H_
#define XLA_KERNELS_LINEAR_ALGEBRA_SPLIT_COMPLEX_MATRIX_H_

#include <complex>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/kernels/linear_algebra/linear_algebra.h"
#include "xla/kernels/linear_algebra/row_operations.h"

namespace xla::kernels {

// Takes `count` numbers from working memory, in two planes if complex, and advances *memory.
Planes<double> TakePlanes(double** memory, int64_t count, bool is_complex);
constexpr int64_t PlaneCount(int64_t count, bool is_complex) {
  return is_complex ? 2 * count : count;
}

// Convert elements [0, count) of a floating-point or complex type at `from`, or to `to`. Imaginary
// parts are dropped if results have none.
void LoadPlanes(PrimitiveType type, const void* from, int64_t count, const Planes<double>& to);
void StorePlanes(PrimitiveType type, const Planes<const double>& from, int64_t count, void* to);

// Returns the offset in bytes of row i of matrix b.
inline int64_t RowOffset(const MatrixBatch& batch, int64_t element_bytes, int64_t b, int64_t i) {
  return (b * batch.matrix_stride + i * batch.row_stride) * element_bytes;
}

// Rounds up to an odd number of cache lines: columns of rows at a distance of a power of two would
// share few sets of the caches.
constexpr int64_t PlaneStride(int64_t columns) { return ((columns + 7) / 8 | 1) * 8; }

struct PlaneMatrix {
  int64_t rows, columns, stride;
  Planes<double> data;
  bool is_complex() const { return data.im != nullptr; }
  Planes<double> At(int64_t i, int64_t j) const { return data.At(i * stride + j); }
};
constexpr int64_t PlaneMatrixCount(int64_t rows, int64_t columns) {
  return rows * PlaneStride(columns);
}
// Takes PlaneMatrixCount(rows, columns) numbers from working memory.
PlaneMatrix TakeMatrix(double** memory, int64_t rows, int64_t columns, bool is_complex);

std::complex<double> GetNumber(const Planes<const double>& from, int64_t i);
void SetNumber(const Planes<double>& to, int64_t i, std::complex<double> value);

// Copies elements [i, j] of matrix b to `to`, or to [j, i] if `transposed`, conjugated if
// requested. `row` is working memory of batch.columns numbers.
struct PlaneView {
  bool transposed = false, conjugated = false;
};
absl::Status LoadMatrix(const MatrixBatch& batch, int64_t b, PlaneView view, const PlaneMatrix& to,
                        const Planes<double>& row, WorkMeter& meter);
// The reverse of LoadMatrix.
absl::Status StoreMatrix(const MatrixBatch& batch, int64_t b, PlaneView view,
                         const PlaneMatrix& from, const Planes<double>& row, void* to,
                         WorkMeter& meter);

// How the work on a batch is divided: threads share each matrix, or work on separate matrices.
struct BatchPlan {
  int64_t count;
  bool shares;
  double cost;    // of a matrix, in nanoseconds
  int64_t bytes;  // of memory for each matrix that is worked on
};
// Calls body(inner, b, memory) for each matrix.
absl::Status ForEachMatrix(
    Context& context, const BatchPlan& plan,
    absl::FunctionRef<absl::Status(Context& inner, int64_t b, double* memory)> body);

}  // namespace xla::kernels

#endif  // XLA_KERNELS_LINEAR_ALGEBRA_SPLIT_COMPLEX_MATRIX_H_

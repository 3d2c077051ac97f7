// SPDX-License-Identifier: Apache-2.0
// Products of strided matrices of any element type: the work of dot, and parts of convolution.
//
//   // c[m, n] = a[m, k] * b[k, n], f32 and row-major
//   MatrixView lhs = {F32, a, 4, StridedDims(), StridedDims({m}, {k}), StridedDims({k}, {1})};
//   MatrixView rhs = {F32, b, 4, StridedDims(), StridedDims({n}, {1}), StridedDims({k}, {n})};
//   ResultView result = {F32, c, 4, StridedDims(), StridedDims({m}, {n}), StridedDims({n}, {1})};
//   absl::Status status = MultiplyMatrices<float>(context, lhs, rhs, result);
//
// gemm.h gives the order of summation.
#ifndef XLA_KERNELS_PRODUCT_MATRIX_PRODUCT_H_
#define XLA_KERNELS_PRODUCT_MATRIX_PRODUCT_H_

#include <complex>
#include <cstdint>

#include "absl/status/status.h"
#include "xla/kernels/context.h"
#include "xla/kernels/product/gemm.h"
#include "xla/kernels/strided_dims.h"
#include "xla/kernels/wide.h"
#include "xla/xla_data_enums.h"

namespace xla::kernels {

// The type that products of Wide numbers are computed in: complex numbers are pairs of reals.
template <typename Wide>
struct GemmTypeOf {
  using type = Wide;
};
template <typename Part>
struct GemmTypeOf<std::complex<Part>> {
  using type = Part;
};
template <typename Wide>
using GemmType = typename GemmTypeOf<Wide>::type;

// An array as a batch of matrices: element (batch, line, k) is at data + batch.Offset + line.Offset
// + k.Offset. A line is a row of the left operand or a column of the right one. Strides are in
// elements.
struct MatrixView {
  PrimitiveType type;
  const void* data;
  int64_t element_bytes;
  StridedDims batch, lines, k;
};

// The result: element (batch, row, column) is at data + the sum of offsets.
struct ResultView {
  PrimitiveType type;
  void* data;
  int64_t element_bytes;
  StridedDims batch, rows, columns;
  // Adds to the existing elements; the type must be the wide one then.
  bool accumulate = false;
};

// C = A * B, computed in Wide: float (floats of at most 32 bits and integers, rounded), double,
// uint32_t or uint64_t (integers, which wrap), complex64 or complex128 (for which both operands
// must be of the Wide type). Results are rounded once. Batch, lines and k of the operands must have
// the counts of the result's batch, rows and columns.
//
// Complex products are real ones of twice the size: with rows (re, im) of A along k, as they are in
// memory, and columns of B taken as re: (re, -im) and im: (im, re), the results come out as
// (re, im).
template <typename Wide>
absl::Status MultiplyMatrices(Context& context, const MatrixView& lhs, const MatrixView& rhs,
                              const ResultView& result);

// --- Parts, for kernels with their own packing (convolution.cc).

// A GemmPack of a matrix of real numbers, converted to T.
template <typename T>
void PackLines(const MatrixView& view, WideLoad<T> load, int64_t batch, int64_t first,
               int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel);

// A GemmPack of columns of the complex matrix B as reals, see MultiplyMatrices.
template <typename Part>
void PackComplexColumns(const MatrixView& view, int64_t batch, int64_t first, int64_t lines,
                        int64_t k0, int64_t depth, int64_t width, Part* panel);

// A GemmStore: writes runs of finished elements through the result's strides.
template <typename Wide>
class ResultWriter {
 public:
  // The result must outlive the writer.
  explicit ResultWriter(const ResultView& result)
      : result_(result), store_(GetWideStore<Wide>(result.type)) {}

  void operator()(int64_t batch, int64_t row, int64_t column, int64_t count,
                  const GemmType<Wide>* values) const {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): 1 for real types
    constexpr int64_t kParts = sizeof(Wide) / sizeof(GemmType<Wide>);
    const Wide* wide = reinterpret_cast<const Wide*>(values);
    char* base = static_cast<char*>(result_.data) +
                 (result_.batch.Offset(batch) + result_.rows.Offset(row)) * result_.element_bytes;
    result_.columns.ForEachRun(column / kParts, count / kParts,
                               [&](int64_t done, int64_t offset, int64_t length) {
                                 char* dst = base + offset * result_.element_bytes;
                                 const int64_t stride = result_.columns.run_stride();
                                 if (result_.accumulate) {
                                   for (int64_t i = 0; i < length; ++i)
                                     reinterpret_cast<Wide*>(dst)[i * stride] += wide[done + i];
                                 } else {
                                   store_(wide + done, length, dst, stride);
                                 }
                               });
  }

 private:
  const ResultView& result_;
  const WideStore<Wide> store_;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_PRODUCT_MATRIX_PRODUCT_H_

// SPDX-License-Identifier: Apache-2.0
// Reading operands of a contraction into the panels of gemm.h, and writing its results.
#ifndef XLA_INTERPRETER_CONTRACTION_PANELS_H_
#define XLA_INTERPRETER_CONTRACTION_PANELS_H_

#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/gemm.h"
#include "xla/interpreter/strided.h"
#include "xla/interpreter/value.h"
#include "xla/interpreter/wide.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla::interpreter {

// The type that kernels multiply in: complex numbers are pairs of reals, see ContractionOperand.
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

// An array as a batch of matrices: element (batch, line, k) lies at data + batch.Offset +
// line.Offset + k.Offset. A line is a row of the left operand or a column of the right one. Strides
// are in elements.
struct MatrixView {
  PrimitiveType type;
  const void* data;
  int64_t element_bytes;
  StridedDims batch, lines, k;
};

// The result: element (batch, row, column) at data + the sum of offsets.
struct ResultView {
  PrimitiveType type;
  void* data;
  int64_t element_bytes;
  StridedDims batch, rows, columns;
  // Adds to what is there; the type must be the wide one then.
  bool accumulate = false;
};

// Packs lines of a matrix of real numbers, converted to T.
template <typename T>
void PackLines(const MatrixView& view, WideLoad<T> load, int64_t batch, int64_t first,
               int64_t lines, int64_t k0, int64_t depth, int64_t width, T* panel);

// Packs columns of the complex matrix B as reals, see MultiplyViews; the view's type is complex.
template <typename Part>
void PackRotated(const MatrixView& view, int64_t batch, int64_t first, int64_t lines, int64_t k0,
                 int64_t depth, int64_t width, Part* panel);

// C = A * B for matrices in views, computed in Wide. The smaller of rows and columns goes to the
// kernels' rows.
//
// Complex products are real ones of twice the size: with rows (re, im) of A along k, as they lie in
// memory, and columns of B taken as re: (re, -im) and im: (im, re), the results come out as (re,
// im).
template <typename Wide>
absl::Status MultiplyViews(EvalContext& ctx, const MatrixView& lhs, const MatrixView& rhs,
                           const ResultView& result);

// An operand in the wide complex type, if the product is complex and the operand is not of that
// type already; the operand itself otherwise (other products convert as they read).
template <typename Wide>
absl::StatusOr<Value> PrepareOperand(EvalContext& ctx, const Value& operand);

// The wide type in which a contraction of these types is computed.
enum class ContractionWide { kFloat, kDouble, kUint32, kUint64, kComplex64, kComplex128 };
absl::StatusOr<ContractionWide> ContractionType(PrimitiveType lhs, PrimitiveType rhs,
                                                PrimitiveType result);

// Calls f(Wide()) for the wide type.
template <typename F>
auto WithWideType(ContractionWide type, F&& f) {
  switch (type) {
    case ContractionWide::kFloat:
      return f(float());
    case ContractionWide::kDouble:
      return f(double());
    case ContractionWide::kUint32:
      return f(uint32_t());
    case ContractionWide::kUint64:
      return f(uint64_t());
    case ContractionWide::kComplex64:
      return f(complex64());
    case ContractionWide::kComplex128:
      break;
  }
  return f(complex128());
}

// Writes runs of finished elements through the result's strides.
template <typename Wide>
class ResultWriter {
 public:
  explicit ResultWriter(const ResultView& result)
      : result_(result), store_(GetWideStore<Wide>(result.type)) {}

  void Write(int64_t batch, int64_t row, int64_t column, int64_t count,
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

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_CONTRACTION_PANELS_H_

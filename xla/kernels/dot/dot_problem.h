// SPDX-License-Identifier: Apache-2.0
// A dot as a batch of products of matrices, for the forms of dot_forms.h.
#ifndef XLA_KERNELS_DOT_DOT_PROBLEM_H_
#define XLA_KERNELS_DOT_DOT_PROBLEM_H_

#include <cstdint>
#include <utility>

#include "xla/kernels/dot/dot_kernel.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/product/matrix_product.h"
#include "xla/primitive_util.h"

namespace xla::kernels {

// An operand, and its buffer.
struct Operand {
  MatrixView view;
  double scale = 1;
  int buffer = 0;
  int64_t elements = 0;
  const void* constant = nullptr;  // the contents, if they are known when the kernel is made
};

// rows * columns = result; columns are the vectorized side.
struct DotProblem {
  Operand rows, columns;
  ResultView result;
  KernelEpilogue epilogue;
  int64_t batch, m, n, k;

  double products() const {
    return static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
  void Swap() {
    std::swap(rows, columns);
    std::swap(result.rows, result.columns);
    std::swap(m, n);
  }
};

DotProblem MakeDotProblem(const DotSpec& spec);

template <typename T>
bool IsPlain(const Operand& operand) {
  return operand.view.type == primitive_util::NativeToPrimitiveType<T>() && operand.scale == 1;
}

// Stores finished elements: through the epilogue, or converted to the result's type.
template <typename Wide>
class ElementStore {
 public:
  ElementStore(const DotProblem& problem, void* const* buffers)
      : result_(problem.result), writer_(result_), epilogue_(problem.epilogue), buffers_(buffers) {
    result_.data = buffers[2];
  }
  ElementStore(const ElementStore&) = delete;  // the writer refers to the result
  ElementStore& operator=(const ElementStore&) = delete;

  void operator()(int64_t batch, int64_t row, int64_t column, int64_t count, Wide* values) const {
    if (epilogue_.store == nullptr) {
      writer_(batch, row, column * kParts, count * kParts,
              reinterpret_cast<const GemmType<Wide>*>(values));
      return;
    }
    const int64_t base = result_.batch.Offset(batch) + result_.rows.Offset(row);
    const int64_t stride = result_.columns.run_stride();
    result_.columns.ForEachRun(column, count, [&](int64_t done, int64_t offset, int64_t length) {
      if (stride == 1) {
        epilogue_.store(buffers_, base + offset, length, values + done);
        return;
      }
      for (int64_t i = 0; i < length; ++i)
        epilogue_.store(buffers_, base + offset + i * stride, 1, values + done + i);
    });
  }

 private:
  // NOLINTNEXTLINE(bugprone-sizeof-expression): 1 for real types
  static constexpr int64_t kParts = sizeof(Wide) / sizeof(GemmType<Wide>);
  ResultView result_;
  const ResultWriter<Wide> writer_;
  KernelEpilogue epilogue_;
  void* const* buffers_;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_DOT_DOT_PROBLEM_H_

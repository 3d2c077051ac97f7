// SPDX-License-Identifier: Apache-2.0
// Products of small matrices, which take less time than dividing or copying the operands.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "xla/kernels/dot/dot_forms.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/product/product_cost.h"

namespace xla::kernels {
namespace {

// Whether whole panels of the matrix are read in place.
bool IsReadable(const MatrixView& columns) {
  return columns.lines.IsOneRun() && columns.lines.run_stride() == 1 && columns.k.run_stride() > 0;
}

template <typename T>
class SmallDotKernel final : public Kernel {
 public:
  explicit SmallDotKernel(DotProblem problem)
      : problem_(std::move(problem)), kernels_(FusedKernels<T>()) {
    whole_panels_ =
        IsReadable(problem_.columns.view) ? problem_.n / kernels_.columns * kernels_.columns : 0;
  }

  // For panels that cannot be read in place.
  int64_t ScratchBytes(int32_t) const override {
    return whole_panels_ == problem_.n
               ? 0
               : Aligned(problem_.k * kernels_.columns * static_cast<int64_t>(sizeof(T)));
  }

  absl::Status Run(const KernelCall& call) const override {
    const MatrixView &rows = problem_.rows.view, &columns = problem_.columns.view;
    const ResultView& result = problem_.result;
    const T* const a = static_cast<const T*>(call.buffers[problem_.rows.buffer]);
    const T* const b = static_cast<const T*>(call.buffers[problem_.columns.buffer]);
    T* const c = static_cast<T*>(call.buffers[2]);
    const int64_t lda = rows.lines.run_stride(), ldc = result.rows.run_stride();
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      const TileRun<T> run = {a + rows.batch.Offset(batch), problem_.k};
      T* const c_batch = c + result.batch.Offset(batch);
      for (int64_t j = 0; j < problem_.n; j += kernels_.columns) {
        const int64_t width = std::min(kernels_.columns, problem_.n - j);
        const T* panel = b + columns.batch.Offset(batch) + j;
        int64_t ldb = columns.k.run_stride();
        if (j >= whole_panels_) {
          T* const packed = static_cast<T*>(call.scratch);
          WidePacking<T>::PackColumns(columns, b, batch, j, width, 0, problem_.k, kernels_.columns,
                                      packed);
          panel = packed;
          ldb = kernels_.columns;
        }
        for (int64_t i = 0; i < problem_.m; i += kernels_.rows) {
          kernels_.runs(std::min(kernels_.rows, problem_.m - i), width, &run, 1, i * lda, lda,
                        panel, ldb, c_batch + i * ldc + j, ldc, false);
        }
      }
    }
    Finish(call, c);
    return absl::OkStatus();
  }

 private:
  void Finish(const KernelCall& call, const T* c) const {
    if (problem_.epilogue.store == nullptr) return;
    const ResultView& result = problem_.result;
    const bool is_dense = problem_.m == 1 || result.rows.run_stride() == problem_.n;
    const int64_t runs = is_dense ? 1 : problem_.m;
    for (int64_t batch = 0; batch < problem_.batch; ++batch) {
      for (int64_t i = 0; i < runs; ++i) {
        const int64_t first = result.batch.Offset(batch) + result.rows.Offset(i);
        problem_.epilogue.store(call.buffers, first, problem_.m / runs * problem_.n, c + first);
      }
    }
  }

  const DotProblem problem_;
  const ProductKernels<T, T> kernels_;
  int64_t whole_panels_;  // columns of panels that are read in place
};

}  // namespace

template <typename T>
double SmallDotCost(const DotProblem& problem) {
  // Some ten microseconds; no longer sums than other kernels accumulate at once.
  constexpr double kMostProducts = 1 << 19;
  constexpr int64_t kMostDepth = kProductDepth;
  const MatrixView& rows = problem.rows.view;
  const ResultView& result = problem.result;
  if (FusedKernels<T>().runs == nullptr || problem.products() > kMostProducts || problem.k < 1 ||
      problem.k > kMostDepth || !IsPlain<T>(problem.rows) || !IsPlain<T>(problem.columns) ||
      !rows.k.IsOneRun() || (problem.k > 1 && rows.k.run_stride() != 1) || !rows.lines.IsOneRun() ||
      rows.lines.run_stride() < 0 || !problem.columns.view.k.IsOneRun() ||
      result.type != primitive_util::NativeToPrimitiveType<T>() || !result.rows.IsOneRun() ||
      !result.columns.IsOneRun() || (problem.n > 1 && result.columns.run_stride() != 1) ||
      (problem.epilogue.store != nullptr && !problem.epilogue.in_place)) {
    return kDoesNotFit;
  }
  constexpr double kStart = 60, kPacked = 60;
  const ProductKernels<T, T> kernels = FusedKernels<T>();
  MatrixView packed = problem.columns.view;
  const int64_t rest = problem.n % kernels.columns;
  if (IsReadable(packed)) packed.lines = StridedDims({rest}, {packed.lines.run_stride()});
  double cost = TilesCost(problem.m, problem.n, problem.k, kernels.tile_sizes());
  if (packed.lines.count() > 0)
    cost += kPacked + PackPanelsCost(packed, packed.type, kernels.columns);
  return kStart + static_cast<double>(problem.batch) * cost;
}

template <typename T>
std::unique_ptr<const Kernel> MakeSmallDot(DotProblem problem) {
  return std::make_unique<SmallDotKernel<T>>(std::move(problem));
}

template double SmallDotCost<float>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeSmallDot<float>(DotProblem);
template double SmallDotCost<double>(const DotProblem&);
template std::unique_ptr<const Kernel> MakeSmallDot<double>(DotProblem);

}  // namespace xla::kernels

// SPDX-License-Identifier: Apache-2.0
// Wraps linear algebra as prepared kernels, with its working memory.
#include "xla/kernels/linear_algebra/linear_algebra_kernel.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "xla/kernels/call_context.h"

namespace xla::kernels {
namespace {

// Calls run(context, buffers) with a context whose working memory is that of one matrix if threads
// share each matrix, otherwise that of one matrix for each worker.
template <typename RunFunction>
class LinearAlgebraKernel final : public Kernel {
 public:
  LinearAlgebraKernel(int64_t bytes, bool is_shared, RunFunction run) : run_(std::move(run)) {
    (is_shared ? memory_.shared : memory_.worker) = CallMemory::Of(bytes);
  }
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    return run_(context, call.buffers);
  }

 private:
  CallMemory memory_;
  const RunFunction run_;
};

template <typename RunFunction>
std::unique_ptr<const Kernel> MakeKernel(int64_t bytes, bool is_shared, RunFunction run) {
  return std::make_unique<LinearAlgebraKernel<RunFunction>>(bytes, is_shared, std::move(run));
}

MatrixBatch WithData(MatrixBatch batch, const void* data) {
  batch.data = data;
  return batch;
}

}  // namespace

std::unique_ptr<const Kernel> MakeQrKernel(const MatrixBatch& a) {
  return MakeKernel(QrBytes(a), SharesReflections(a), [a](Context& context, void* const* buffers) {
    return QrFactors(context, WithData(a, buffers[0]), buffers[1], buffers[2]);
  });
}

std::unique_ptr<const Kernel> MakeHouseholderProductKernel(const MatrixBatch& a, int64_t p) {
  return MakeKernel(HouseholderProductBytes(a, p), SharesReflections(a),
                    [a, p](Context& context, void* const* buffers) {
                      return HouseholderProduct(context, WithData(a, buffers[0]), p, buffers[1],
                                                buffers[2]);
                    });
}

std::unique_ptr<const Kernel> MakeHermitianEigenKernel(const EighOptions& options,
                                                       const MatrixBatch& a) {
  return MakeKernel(
      EigenBytes(a), SharesRotations(a), [options, a](Context& context, void* const* buffers) {
        return HermitianEigen(context, options, WithData(a, buffers[0]), buffers[1], buffers[2]);
      });
}

std::unique_ptr<const Kernel> MakeCholeskyKernel(bool lower, const MatrixBatch& a) {
  return MakeKernel(CholeskyBytes(a), SharesCholesky(a),
                    [lower, a](Context& context, void* const* buffers) {
                      return Cholesky(context, lower, WithData(a, buffers[0]), buffers[1]);
                    });
}

std::unique_ptr<const Kernel> MakeTriangularSolveKernel(const TriangularSolveSpec& options,
                                                        const MatrixBatch& a,
                                                        const MatrixBatch& b) {
  return MakeKernel(TriangularSolveBytes(options, a, b), SharesTriangularSolve(b),
                    [options, a, b](Context& context, void* const* buffers) {
                      return TriangularSolve(context, options, WithData(a, buffers[0]),
                                             WithData(b, buffers[1]), buffers[2]);
                    });
}

}  // namespace xla::kernels

// SPDX-License-Identifier: Apache-2.0
// Wraps linear algebra as prepared kernels, with its working memory.
#include "xla/kernels/linear_algebra/linear_algebra_kernel.h"

#include <cstdint>
#include <memory>

#include "xla/kernels/call_context.h"

namespace xla::kernels {
namespace {

// Returns the memory of one matrix at a time, or of one matrix for each worker.
CallMemory MemoryOf(int64_t bytes, bool is_shared) {
  CallMemory memory;
  (is_shared ? memory.shared : memory.worker) = CallMemory::Of(bytes);
  return memory;
}

class CholeskyKernel final : public Kernel {
 public:
  CholeskyKernel(bool lower, const MatrixBatch& a)
      : lower_(lower), a_(a), memory_(MemoryOf(CholeskyBytes(a), SharesCholesky(a))) {}
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    MatrixBatch a = a_;
    a.data = call.buffers[0];
    return Cholesky(context, lower_, a, call.buffers[1]);
  }

 private:
  const bool lower_;
  const MatrixBatch a_;
  const CallMemory memory_;
};

class TriangularSolveKernel final : public Kernel {
 public:
  TriangularSolveKernel(const TriangularSolveSpec& options, const MatrixBatch& a,
                        const MatrixBatch& b)
      : options_(options),
        a_(a),
        b_(b),
        memory_(MemoryOf(TriangularSolveBytes(options, a, b), SharesTriangularSolve(b))) {}
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    MatrixBatch a = a_, b = b_;
    a.data = call.buffers[0];
    b.data = call.buffers[1];
    return TriangularSolve(context, options_, a, b, call.buffers[2]);
  }

 private:
  const TriangularSolveSpec options_;
  const MatrixBatch a_, b_;
  const CallMemory memory_;
};

class QrKernel final : public Kernel {
 public:
  explicit QrKernel(const MatrixBatch& a)
      : a_(a), memory_(MemoryOf(QrBytes(a), SharesReflections(a))) {}
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    MatrixBatch a = a_;
    a.data = call.buffers[0];
    return QrFactors(context, a, call.buffers[1], call.buffers[2]);
  }

 private:
  const MatrixBatch a_;
  const CallMemory memory_;
};

class HouseholderProductKernel final : public Kernel {
 public:
  HouseholderProductKernel(const MatrixBatch& a, int64_t p)
      : a_(a), p_(p), memory_(MemoryOf(HouseholderProductBytes(a, p), SharesReflections(a))) {}
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    MatrixBatch a = a_;
    a.data = call.buffers[0];
    return HouseholderProduct(context, a, p_, call.buffers[1], call.buffers[2]);
  }

 private:
  const MatrixBatch a_;
  const int64_t p_;
  const CallMemory memory_;
};

class HermitianEigenKernel final : public Kernel {
 public:
  HermitianEigenKernel(const EighOptions& options, const MatrixBatch& a)
      : options_(options), a_(a), memory_(MemoryOf(EigenBytes(a), SharesRotations(a))) {}
  int64_t ScratchBytes(int32_t workers) const override { return memory_.ScratchBytes(workers); }
  absl::Status Run(const KernelCall& call) const override {
    CallContext context(call, memory_);
    MatrixBatch a = a_;
    a.data = call.buffers[0];
    return HermitianEigen(context, options_, a, call.buffers[1], call.buffers[2]);
  }

 private:
  const EighOptions options_;
  const MatrixBatch a_;
  const CallMemory memory_;
};

}  // namespace

std::unique_ptr<const Kernel> MakeQrKernel(const MatrixBatch& a) {
  return std::make_unique<QrKernel>(a);
}

std::unique_ptr<const Kernel> MakeHouseholderProductKernel(const MatrixBatch& a, int64_t p) {
  return std::make_unique<HouseholderProductKernel>(a, p);
}

std::unique_ptr<const Kernel> MakeHermitianEigenKernel(const EighOptions& options,
                                                       const MatrixBatch& a) {
  return std::make_unique<HermitianEigenKernel>(options, a);
}

std::unique_ptr<const Kernel> MakeCholeskyKernel(bool lower, const MatrixBatch& a) {
  return std::make_unique<CholeskyKernel>(lower, a);
}

std::unique_ptr<const Kernel> MakeTriangularSolveKernel(const TriangularSolveSpec& options,
                                                        const MatrixBatch& a,
                                                        const MatrixBatch& b) {
  return std::make_unique<TriangularSolveKernel>(options, a, b);
}

}  // namespace xla::kernels

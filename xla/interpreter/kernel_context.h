// SPDX-License-Identifier: Apache-2.0
// KernelContext: runs the kernels of xla/kernels with the threads, memory limit and cancellation of
// an interpreter run.
#ifndef XLA_INTERPRETER_KERNEL_CONTEXT_H_
#define XLA_INTERPRETER_KERNEL_CONTEXT_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/interpreter/evaluator.h"
#include "xla/kernels/context.h"

namespace xla::interpreter {

//   KernelContext kernel_context(ctx);
//   XLA_RETURN_IF_ERROR(kernels::Sort(kernel_context, ...));
class KernelContext final : public kernels::Context {
 public:
  // `ctx` must outlive this object. That of a worker (EvalContext::ForWorker) runs loops on the
  // calling thread.
  explicit KernelContext(EvalContext& ctx) : ctx_(ctx) {}

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override {
    return ctx_.ParallelForStatus(count, chunk, body);
  }
  // Without progress reports, which are for the device's own thread: kernels poll from any.
  absl::Status Poll() override { return ctx_.ForWorker().CheckCancelled(); }
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override;

 private:
  EvalContext& ctx_;
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_KERNEL_CONTEXT_H_

// SPDX-License-Identifier: Apache-2.0
// Prepared kernels, which compiled code calls: what depends on shapes only (blocking, tables,
// packed constants) is computed once, when a Kernel is made; running it allocates nothing.
//
//   XLA_ASSIGN_OR_RETURN(std::unique_ptr<const Kernel> kernel, MakeDotKernel(spec));   // compiling
//   int64_t bytes = kernel->ScratchBytes(host.workers);                                // once
//   KernelCall call = {&host, buffers, scratch};                                       // running
//   int32_t code = XylemRunKernel(kernel.get(), &call);                                // or
//   kernel->Run(call)
//
// Results are the same bits for any number of workers. Unlike the kernels that take a Context,
// which give the same bits on every machine, these fuse multiplications and additions and use the
// widest instructions there are.
#ifndef XLA_KERNELS_KERNEL_H_
#define XLA_KERNELS_KERNEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/base/machine.h"

extern "C" {

// The caller of a kernel. Plain data, for generated code to fill in.
struct XylemKernelHost {
  void* caller;
  // The most calls of `body` that run at the same time; 1: only the calling thread.
  int32_t workers;
  // Calls body(argument, i) for each i in [0, count), on any threads and in any order, and returns
  // when all have returned. May be null if workers is 1. Never called from within a body.
  void (*parallel_for)(void* caller, int64_t count, void (*body)(void* argument, int64_t index),
                       void* argument);
  // Returns a status code, not 0 if the kernel should stop. May be null. Called from any worker at
  // least every 100 ms.
  int32_t (*poll)(void* caller);
};

struct XylemKernelCall {
  const XylemKernelHost* host;
  // The operands and then the results, as documented by the function that makes the kernel.
  // Operands and results do not overlap unless that is said to be valid.
  void* const* buffers;
  // ScratchBytes(host->workers) bytes, aligned to 64; null if that is 0.
  void* scratch;
};

}  // extern "C"

namespace xla::kernels {

using KernelHost = XylemKernelHost;
using KernelCall = XylemKernelCall;

// Immutable: may run in several threads at once, each with its own scratch memory.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Returns the bytes of working memory of one run.
  virtual int64_t ScratchBytes(int32_t workers) const = 0;
  // The only error is that of `poll`; results are unspecified then.
  virtual absl::Status Run(const KernelCall& call) const = 0;
};

// A kernel for results without elements, which does nothing.
class EmptyKernel final : public Kernel {
 public:
  int64_t ScratchBytes(int32_t) const override { return 0; }
  absl::Status Run(const KernelCall&) const override { return absl::OkStatus(); }
};

// A function of compiled code that is fused to a kernel: it receives finished results in the type
// of their sums (float for floats of at most 32 bits, double, int32, int64 or complex), applies
// further operations and stores them.
struct KernelEpilogue {
  // values[0..count) are the elements at offsets first, first + 1, ... (in elements, from the start
  // of the result's buffer). `buffers` are those of the call, which may have more entries than the
  // kernel itself uses.
  void (*store)(void* const* buffers, int64_t first, int64_t count, const void* values) = nullptr;
  // The result has the type of `values`, and the function reads no other buffer that overlaps with
  // it: sums may be accumulated in the memory of the result, and `values` may be the result's own
  // elements.
  bool in_place = false;
};

// --- For kernels.

// One call of a loop body.
class Task {
 public:
  Task(const KernelHost& host, char* scratch) : host_(host), scratch_(scratch) {}
  // The memory of the worker that runs the body, aligned to 64.
  char* scratch() const { return scratch_; }
  // Whether to return early. To be called every few milliseconds of work.
  bool ShouldStop() {
    if (code_ == 0 && host_.poll != nullptr) code_ = host_.poll(host_.caller);
    return code_ != 0;
  }
  int32_t code() const { return code_; }

 private:
  const KernelHost& host_;
  char* const scratch_;
  int32_t code_ = 0;
};

// Calls body(i, task) for i in [0, count). `scratch` holds scratch_bytes for each worker. Polls
// before each call, and returns the error of a poll.
absl::Status RunTasks(const KernelHost& host, int64_t count, char* scratch, int64_t scratch_bytes,
                      absl::FunctionRef<void(int64_t index, Task& task)> body);

// Returns the host without its other workers, unless what takes so long on one thread is worth
// them.
inline KernelHost WorkersWorth(KernelHost host, double nanoseconds) {
  if (!kUsualMachine.IsWorthAThread(nanoseconds)) host.workers = 1;
  return host;
}

// Returns the next multiple of 64.
constexpr int64_t Aligned(int64_t bytes) { return (bytes + 63) & ~int64_t{63}; }

}  // namespace xla::kernels

// Runs the kernel. Returns 0, or the status code of the error.
extern "C" int32_t XylemRunKernel(const xla::kernels::Kernel* kernel, const XylemKernelCall* call);

#endif  // XLA_KERNELS_KERNEL_H_

// SPDX-License-Identifier: Apache-2.0
// A Context (context.h) for the caller of a prepared kernel (kernel.h): loops run on its workers,
// and working memory is part of its scratch memory.
#ifndef XLA_KERNELS_CALL_CONTEXT_H_
#define XLA_KERNELS_CALL_CONTEXT_H_

#include <cstdint>
#include <memory>

#include "xla/kernels/context.h"
#include "xla/kernels/kernel.h"

namespace xla::kernels {

// Working memory that a kernel allocates outside of its loops, and in one body of a loop.
struct CallMemory {
  // Add Of(bytes) for each allocation that lives at the same time.
  int64_t shared = 0, worker = 0;
  static int64_t Of(int64_t bytes) { return Aligned(bytes) + 128; }
  int64_t ScratchBytes(int32_t workers) const {
    return Aligned(shared) + Aligned(worker) * workers;
  }
};

// Memory that does not fit in the scratch memory is allocated on the heap.
class CallContext final : public Context {
 public:
  CallContext(const KernelCall& call, const CallMemory& memory);

  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body) override;
  absl::Status Poll() override;
  absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t bytes) override;

 private:
  struct Arena {
    char* data;
    int64_t size, used;
  };

  template <typename T>
  class CountAllocator;
  // The most bytes of a shared pointer's reference counts.
  static constexpr int64_t kCountBytes = 128;

  const KernelHost& host_;
  const CallMemory memory_;
  Arena shared_;
  char* const workers_;
  // The arena of the loop body that runs on this thread, whatever its context.
  static thread_local Arena* current_;
};

}  // namespace xla::kernels

#endif  // XLA_KERNELS_CALL_CONTEXT_H_

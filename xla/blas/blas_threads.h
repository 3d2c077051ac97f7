// SPDX-License-Identifier: Apache-2.0
// The threads that BLAS and LAPACK routines use. The routines have the interface of Fortran, which
// has no place for them, so that they are set for the calling thread:
//
//   BlasThreads threads(host);
//   dpotrf_(...);                                // uses the workers of `host`
//   XLA_RETURN_IF_ERROR(threads.status());       // e.g. the caller asked to stop
//
// Without it, routines run on the calling thread alone. Results are the same bits either way.
#ifndef XLA_BLAS_BLAS_THREADS_H_
#define XLA_BLAS_BLAS_THREADS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/kernels/kernel.h"

namespace xla::blas {

// For the lifetime of the object, BLAS routines called from this thread run loops on `host`.
// Objects may nest; the innermost counts.
//
// When `host.poll` asks to stop, large operations return early and leave their results unspecified
// (though within bounds), so that a LAPACK routine ends soon; status() tells afterwards.
class BlasThreads {
 public:
  explicit BlasThreads(const kernels::KernelHost& host);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

  const absl::Status& status() const { return status_; }

  // --- For the routines.

  // Those of the calling thread, or null.
  static BlasThreads* Current();
  int32_t workers() const { return host_.workers; }
  // Calls body(i) for i in [0, count), on any threads and in any order, unless asked to stop.
  void Run(int64_t count, absl::FunctionRef<void(int64_t)> body);

 private:
  const kernels::KernelHost host_;
  BlasThreads* const outer_;
  absl::Status status_;
};

// Calls body(i) for i in [0, count) on the threads, or one after the other if there are none.
inline void RunOn(BlasThreads* threads, int64_t count, absl::FunctionRef<void(int64_t)> body) {
  if (threads != nullptr) return threads->Run(count, body);
  for (int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace xla::blas

#endif  // XLA_BLAS_BLAS_THREADS_H_

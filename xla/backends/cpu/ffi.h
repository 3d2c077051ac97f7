// SPDX-License-Identifier: Apache-2.0
// What handlers of custom calls take on CPUs besides what xla/ffi/ffi.h offers.
#ifndef XLA_BACKENDS_CPU_FFI_H_
#define XLA_BACKENDS_CPU_FFI_H_

#include <optional>

#include "xla/ffi/ffi.h"  // IWYU pragma: export

namespace Eigen {
struct ThreadPoolDevice;
}

namespace xla::ffi {

// ExecutableRunOptions::intra_op_thread_pool, as const Eigen::ThreadPoolDevice*. A run without one
// cannot call the handler.
struct IntraOpThreadPool {};

template <>
struct CtxDecoding<IntraOpThreadPool> {
  using Type = const Eigen::ThreadPoolDevice*;
  static std::optional<Type> Decode(const XLA_FFI_Api*, XLA_FFI_ExecutionContext* context,
                                    DiagnosticEngine& diagnostic) {
    const Eigen::ThreadPoolDevice* pool = internal::IntraOpThreadPoolOf(context);
    if (pool == nullptr) return diagnostic.Emit("the run has no intra op thread pool");
    return pool;
  }
};

}  // namespace xla::ffi

#endif  // XLA_BACKENDS_CPU_FFI_H_

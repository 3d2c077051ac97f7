// SPDX-License-Identifier: Apache-2.0
// The functions that handlers of custom calls may call, and that register them.
#ifndef XLA_FFI_FFI_API_H_
#define XLA_FFI_FFI_API_H_

#include "xla/ffi/api/c_api.h"

namespace Eigen {
struct ThreadPoolDevice;
}

namespace xla::ffi {

const XLA_FFI_Api* GetXlaFfiApi();

namespace internal {

// ExecutableRunOptions::intra_op_thread_pool of the run; null if it has none.
const Eigen::ThreadPoolDevice* IntraOpThreadPoolOf(const XLA_FFI_InvokeContext* context);

}  // namespace internal

}  // namespace xla::ffi

#endif  // XLA_FFI_FFI_API_H_

// SPDX-License-Identifier: Apache-2.0
// Custom calls of the plugin: those registered for the process (xla/ffi), called with the user data
// of a run.
#ifndef XLA_PJRT_CUSTOM_CALLS_H_
#define XLA_PJRT_CUSTOM_CALLS_H_

#include <cstdint>
#include <memory>

#include "xla/ffi/handlers.h"
#include "xla/pjrt/c/pjrt_c_api_base.h"
#include "xla/runtime/custom_call.h"

namespace xla::pjrt {

// Returns the registry for a run with this context, which may be null.
std::shared_ptr<const CustomCallRegistry> CustomCallsOf(const PJRT_ExecuteContext* context);

PJRT_ExecuteContext* MakeExecuteContext();
void DestroyExecuteContext(PJRT_ExecuteContext* context);
void AddUserData(PJRT_ExecuteContext* context, int64_t type_id, void* data);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CUSTOM_CALLS_H_

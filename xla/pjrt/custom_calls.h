// SPDX-License-Identifier: Apache-2.0
// Custom calls of the plugin: registered for the process, as the interface has it, and called with
// the user data of a run.
#ifndef XLA_PJRT_CUSTOM_CALLS_H_
#define XLA_PJRT_CUSTOM_CALLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/pjrt/abi_base.h"
#include "xla/pjrt/abi_ffi.h"
#include "xla/runtime/custom_call.h"

namespace xla::pjrt {

// What the caller of a run hands to handlers, by type id.
using FfiUserData = std::map<int64_t, void*>;

// Calls a handler with the frame of a custom call: all its stages, one after the other.
absl::Status CallFfiHandler(const XLA_FFI_Handler_Bundle& bundle, const FfiUserData& user_data,
                            CustomCallFrame& call);

// InvalidArgument if the handler was made for another version of the interface.
absl::Status CheckFfiVersion(const XLA_FFI_Handler_Bundle& bundle);

// A name that is registered again takes the new function, as in interactive sessions.
absl::Status RegisterFfiHandler(std::string_view name, const XLA_FFI_Handler_Bundle& bundle);
absl::Status RegisterUntypedCustomCall(std::string_view name, void* function);

// Numbers the type, or notes the number that it brings. InvalidArgument for a second number.
absl::StatusOr<int64_t> RegisterFfiType(std::string_view name, int64_t id);

// The registry for a run with this context, which may be null.
std::shared_ptr<const CustomCallRegistry> CustomCallsOf(const PJRT_ExecuteContext* context);

// Is a handler running on this thread? What it starts must not wait for the run that called it.
bool IsInsideCustomCall();

PJRT_ExecuteContext* MakeExecuteContext();
void DestroyExecuteContext(PJRT_ExecuteContext* context);
void AddUserData(PJRT_ExecuteContext* context, int64_t type_id, void* data);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CUSTOM_CALLS_H_

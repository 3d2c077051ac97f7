// SPDX-License-Identifier: Apache-2.0
// Finds custom calls that nothing answers before a program runs, as XLA's compiler does. Internal.
#ifndef XLA_SERVICE_CUSTOM_CALL_CHECK_H_
#define XLA_SERVICE_CUSTOM_CALL_CHECK_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/runtime/custom_call.h"

namespace xla {

// NotFound, with target and instruction, if an instruction that runs calls a target that is neither
// one of XLA's own, nor registered, nor known to `is_known` (optional). What no result or effect
// depends on does not run: XLA removes it.
absl::Status CheckCustomCalls(const HloModule& module, const CustomCallRegistry& registry,
                              absl::FunctionRef<bool(absl::string_view target)> is_known);
absl::Status CheckCustomCalls(const HloModule& module, const CustomCallRegistry& registry);

}  // namespace xla

#endif  // XLA_SERVICE_CUSTOM_CALL_CHECK_H_

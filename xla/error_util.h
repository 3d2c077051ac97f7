// SPDX-License-Identifier: Apache-2.0
// Errors that say which line of the user's Python program they come from.
#ifndef XLA_ERROR_UTIL_H_
#define XLA_ERROR_UTIL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {

// Marks errors whose message has the stack trace already.
inline constexpr absl::string_view kPythonStackTracePayloadKey = "xla::PythonStackTrace";

// Appends the first 50 lines of the trace to the message. OK stays OK; an error that has a trace,
// or an empty trace, changes nothing.
absl::Status WrapWithPythonStacktrace(absl::Status status, absl::string_view stack_trace);

}  // namespace xla

#endif  // XLA_ERROR_UTIL_H_

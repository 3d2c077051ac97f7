// SPDX-License-Identifier: Apache-2.0
#include "xla/error_util.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "xla/tsl/platform/errors.h"

namespace xla {
namespace {

constexpr int kTraceLines = 50;

// The length of the first kTraceLines lines.
size_t PrefixLength(absl::string_view trace) {
  size_t end = 0;
  for (int line = 0; line < kTraceLines; ++line) {
    const size_t newline = trace.find('\n', end);
    if (newline == absl::string_view::npos) return trace.size();
    end = newline + 1;
  }
  return end;
}

}  // namespace

absl::Status WrapWithPythonStacktrace(absl::Status status, absl::string_view stack_trace) {
  if (status.ok() || stack_trace.empty()) return status;
  if (status.GetPayload(kPythonStackTracePayloadKey).has_value()) return status;
  const absl::string_view lines = stack_trace.substr(0, PrefixLength(stack_trace));
  tsl::errors::AppendToMessage(
      &status, "\n\nSuspected Python Code Location:\n", lines,
      lines.size() < stack_trace.size() ? "[... truncated to 50 lines ...]" : "");
  status.SetPayload(kPythonStackTracePayloadKey, absl::Cord());
  return status;
}

}  // namespace xla

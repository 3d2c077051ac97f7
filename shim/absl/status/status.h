// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_STATUS_STATUS_H_
#define SHIM_ABSL_STATUS_STATUS_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/base/config.h"
#include "absl/strings/string_view.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, string_view message) : code_(code) {
    if (code != StatusCode::kOk) message_ = std::make_unique<std::string>(message);
  }
  Status(const Status& other) : Status(other.code_, other.message()) {}
  Status(Status&&) noexcept = default;
  Status& operator=(const Status& other) { return *this = Status(other); }
  Status& operator=(Status&&) noexcept = default;

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  void IgnoreError() const {}
  string_view message() const { return message_ == nullptr ? string_view() : *message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::unique_ptr<std::string> message_;
};

inline Status OkStatus() { return Status(); }
inline Status CancelledError(string_view m) { return Status(StatusCode::kCancelled, m); }
inline Status UnknownError(string_view m) { return Status(StatusCode::kUnknown, m); }
inline Status InvalidArgumentError(string_view m) {
  return Status(StatusCode::kInvalidArgument, m);
}
inline Status NotFoundError(string_view m) { return Status(StatusCode::kNotFound, m); }
inline Status ResourceExhaustedError(string_view m) {
  return Status(StatusCode::kResourceExhausted, m);
}
inline Status FailedPreconditionError(string_view m) {
  return Status(StatusCode::kFailedPrecondition, m);
}
inline Status UnimplementedError(string_view m) { return Status(StatusCode::kUnimplemented, m); }
inline Status InternalError(string_view m) { return Status(StatusCode::kInternal, m); }
inline Status UnavailableError(string_view m) { return Status(StatusCode::kUnavailable, m); }

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_STATUS_STATUS_H_

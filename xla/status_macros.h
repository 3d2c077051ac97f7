// SPDX-License-Identifier: Apache-2.0
// TF_RET_CHECK and XLA_RET_CHECK_FAIL: failed invariants as INTERNAL errors.
//
//   TF_RET_CHECK(rank > 0) << "rank is " << rank;
#ifndef XLA_STATUS_MACROS_H_
#define XLA_STATUS_MACROS_H_

#include <sstream>
#include <string>
#include <utility>

#include "absl/base/log_severity.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"          // IWYU pragma: export
#include "xla/tsl/platform/errors.h"         // IWYU pragma: export
#include "xla/tsl/platform/logging.h"        // IWYU pragma: export
#include "xla/tsl/platform/status_macros.h"  // IWYU pragma: export

namespace xla::status_macros {

// An error to which text is appended. It is logged when it becomes a Status.
class MakeErrorStream {
 public:
  MakeErrorStream(absl::StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  MakeErrorStream& with_log_severity(absl::LogSeverity severity) {
    severity_ = severity;
    return *this;
  }
  template <typename T>
  MakeErrorStream& operator<<(const T& value) {
    std::ostringstream text;
    if constexpr (requires { text << value; }) {
      text << value;
      message_ += text.str();
    } else {
      absl::StrAppend(&message_, value);
    }
    return *this;
  }

  operator absl::Status() const {  // NOLINT: what TF_RET_CHECK returns
    switch (severity_) {
      case absl::LogSeverity::kInfo:
        LOG(INFO) << message_;
        break;
      case absl::LogSeverity::kWarning:
        LOG(WARNING) << message_;
        break;
      default:
        LOG(ERROR) << message_;
    }
    return absl::Status(code_, message_);
  }
  template <typename T>
  operator absl::StatusOr<T>() const {  // NOLINT
    return absl::Status(*this);
  }

 private:
  absl::StatusCode code_;
  std::string message_;
  absl::LogSeverity severity_ = absl::LogSeverity::kError;
};

}  // namespace xla::status_macros

#ifdef TF_RET_CHECK
#undef TF_RET_CHECK
#endif
#define TF_RET_CHECK(condition)                 \
  while (__builtin_expect(!(condition), 0))     \
  return ::xla::status_macros::MakeErrorStream( \
      ::absl::StatusCode::kInternal,            \
      ::absl::StrCat("RET_CHECK failure (", __FILE__, ":", __LINE__, ") ", #condition, " "))

#define XLA_RET_CHECK_FAIL()                    \
  return ::xla::status_macros::MakeErrorStream( \
      ::absl::StatusCode::kInternal,            \
      ::absl::StrCat("RET_CHECK failure (", __FILE__, ":", __LINE__, ") "))

#endif  // XLA_STATUS_MACROS_H_

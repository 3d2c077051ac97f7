// SPDX-License-Identifier: Apache-2.0
// Status macros and constructors of XLA's platform library, for programs that use it.
#ifndef XLA_TSL_PLATFORM_ERRORS_H_
#define XLA_TSL_PLATFORM_ERRORS_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/tsl/platform/status_macros.h"  // IWYU pragma: export

#define TF_RETURN_IF_ERROR(...) XLA_RETURN_IF_ERROR(__VA_ARGS__)
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expression, ...)              \
  do {                                                                \
    if (::absl::Status xla_status = (expression); !xla_status.ok()) { \
      ::tsl::errors::AppendToMessage(&xla_status, __VA_ARGS__);       \
      return xla_status;                                              \
    }                                                                 \
  } while (false)

namespace tsl {
namespace error {

// The numbers of absl::StatusCode under their older names.
enum Code : int {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16,
};
inline bool operator==(absl::StatusCode a, Code b) { return static_cast<int>(a) == b; }
inline bool operator==(Code a, absl::StatusCode b) { return b == a; }
inline bool operator!=(absl::StatusCode a, Code b) { return !(a == b); }

}  // namespace error

namespace errors {

template <typename... Args>
void AppendToMessage(absl::Status* status, const Args&... args) {
  absl::Status longer(status->code(), absl::StrCat(status->message(), "\n\t", args...));
  status->ForEachPayload(
      [&](absl::string_view key, const absl::Cord& value) { longer.SetPayload(key, value); });
  *status = longer;
}

#define XYLEM_DEFINE_ERROR(Name)                     \
  template <typename... Args>                        \
  absl::Status Name(const Args&... args) {           \
    return absl::Name##Error(absl::StrCat(args...)); \
  }                                                  \
  inline bool Is##Name(const absl::Status& status) { return absl::Is##Name(status); }
XYLEM_DEFINE_ERROR(Cancelled)
XYLEM_DEFINE_ERROR(InvalidArgument)
XYLEM_DEFINE_ERROR(NotFound)
XYLEM_DEFINE_ERROR(AlreadyExists)
XYLEM_DEFINE_ERROR(ResourceExhausted)
XYLEM_DEFINE_ERROR(Unavailable)
XYLEM_DEFINE_ERROR(FailedPrecondition)
XYLEM_DEFINE_ERROR(OutOfRange)
XYLEM_DEFINE_ERROR(Unimplemented)
XYLEM_DEFINE_ERROR(Internal)
XYLEM_DEFINE_ERROR(Aborted)
XYLEM_DEFINE_ERROR(DeadlineExceeded)
XYLEM_DEFINE_ERROR(DataLoss)
XYLEM_DEFINE_ERROR(Unknown)
XYLEM_DEFINE_ERROR(PermissionDenied)
XYLEM_DEFINE_ERROR(Unauthenticated)
#undef XYLEM_DEFINE_ERROR

}  // namespace errors
}  // namespace tsl

#endif  // XLA_TSL_PLATFORM_ERRORS_H_

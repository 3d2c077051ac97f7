// SPDX-License-Identifier: Apache-2.0
// Early return on error, for functions that return absl::Status or absl::StatusOr.
//
//   XLA_RETURN_IF_ERROR(Verify(module));
//   XLA_ASSIGN_OR_RETURN(Shape shape, InferShape(instruction));
#ifndef XLA_BASE_STATUS_MACROS_H_
#define XLA_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Evaluates the absl::Status expression once; returns it from this function unless it is OK.
#define XLA_RETURN_IF_ERROR(...)                         \
  do {                                                   \
    if (::absl::Status xla_status_or_ok = (__VA_ARGS__); \
        __builtin_expect(!xla_status_or_ok.ok(), 0)) {   \
      return xla_status_or_ok;                           \
    }                                                    \
  } while (false)

#define XLA_STATUS_MACROS_CONCAT_INNER(x, y) x##y
#define XLA_STATUS_MACROS_CONCAT(x, y) XLA_STATUS_MACROS_CONCAT_INNER(x, y)

// Evaluates the absl::StatusOr expression once; returns its status unless it is OK, else moves the
// value into `lhs`, which may declare a variable. More than one statement: needs braces in an `if`.
#define XLA_ASSIGN_OR_RETURN(lhs, ...) \
  XLA_ASSIGN_OR_RETURN_IMPL(XLA_STATUS_MACROS_CONCAT(xla_status_or_, __COUNTER__), lhs, __VA_ARGS__)

#define XLA_ASSIGN_OR_RETURN_IMPL(status_or, lhs, ...) \
  auto status_or = (__VA_ARGS__);                      \
  if (__builtin_expect(!status_or.ok(), 0)) {          \
    return std::move(status_or).status();              \
  }                                                    \
  lhs = *std::move(status_or)

#endif  // XLA_BASE_STATUS_MACROS_H_

// SPDX-License-Identifier: Apache-2.0
// XLA's own names of absl::Status and absl::StatusOr, which older programs use.
#ifndef XLA_STATUSOR_H_
#define XLA_STATUSOR_H_

#include "absl/status/statusor.h"  // IWYU pragma: export
#include "xla/status.h"            // IWYU pragma: export

namespace xla {

template <typename T>
using StatusOr = absl::StatusOr<T>;

}  // namespace xla

#endif  // XLA_STATUSOR_H_

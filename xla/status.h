// SPDX-License-Identifier: Apache-2.0
// XLA's own name of absl::Status, which older programs use.
#ifndef XLA_STATUS_H_
#define XLA_STATUS_H_

#include "absl/status/status.h"  // IWYU pragma: export

namespace xla {

using Status = absl::Status;  // NOLINT(misc-unused-using-decls)

}  // namespace xla

#endif  // XLA_STATUS_H_

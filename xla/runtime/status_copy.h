// SPDX-License-Identifier: Apache-2.0
// Copies of statuses that threads hand to each other.
#ifndef XLA_RUNTIME_STATUS_COPY_H_
#define XLA_RUNTIME_STATUS_COPY_H_

#include "absl/status/status.h"

namespace xla::runtime {

// A copy that shares no memory with the original: the reference count of a status lives in Abseil's
// library, where ThreadSanitizer does not see that it orders threads.
inline absl::Status UnsharedCopy(const absl::Status& status) {
  return status.ok() ? absl::OkStatus() : absl::Status(status.code(), status.message());
}

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_STATUS_COPY_H_

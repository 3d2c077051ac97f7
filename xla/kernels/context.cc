// SPDX-License-Identifier: Apache-2.0
// Parts of kernels' contexts that do not depend on the caller.
#include "xla/kernels/context.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"

namespace xla::kernels {

absl::Status SerialContext::ParallelFor(int64_t count, int64_t chunk,
                                        absl::FunctionRef<absl::Status(int64_t, int64_t)> body) {
  chunk = std::max<int64_t>(chunk, 1);
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = count - begin <= chunk ? count : begin + chunk;
    if (begin > 0) XLA_RETURN_IF_ERROR(Poll());
    XLA_RETURN_IF_ERROR(body(begin, end));
    begin = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ScratchBytes(int64_t count, int64_t element_bytes) {
  int64_t bytes;
  if (count < 0 || __builtin_mul_overflow(count, element_bytes, &bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat("the size of working memory for ", count,
                                                     " elements of ", element_bytes,
                                                     " bytes overflows"));
  }
  return bytes;
}

int64_t ChunkFor(int64_t count, double nanoseconds_per_item) {
  // Twice a task, since preparing a chunk takes these kernels time as well.
  const double items = 2 * kUsualMachine.nanoseconds_of_task / std::max(nanoseconds_per_item, 1e-3);
  if (items >= static_cast<double>(count)) return std::max<int64_t>(count, 1);
  return std::max<int64_t>(1, static_cast<int64_t>(items));
}

}  // namespace xla::kernels

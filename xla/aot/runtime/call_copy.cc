// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/aot/runtime/library_steps.h"

XYLEM_LIBRARY_STEP(xylem_call_copy) {
  if (parameters[0] > 0) std::memcpy(buffers[1], buffers[0], static_cast<size_t>(parameters[0]));
}

XYLEM_LIBRARY_STEP(xylem_call_zero) {
  std::memset(buffers[0], 0, static_cast<size_t>(parameters[0]));
}

XYLEM_LIBRARY_STEP(xylem_call_check_size) {
  int32_t size;
  std::memcpy(&size, buffers[0], sizeof(size));
  if (size < 0 || size > parameters[0]) {
    *status = absl::InvalidArgumentError(
        absl::StrCat("the size ", size, " of a dimension is not in [0, ", parameters[0], "]"));
    return;
  }
  std::memcpy(buffers[1], &size, sizeof(size));
}

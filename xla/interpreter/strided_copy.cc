// SPDX-License-Identifier: Apache-2.0
// Strided copies on the threads of a run.
#include "xla/interpreter/strided_copy.h"

#include "xla/strided_copy.h"

namespace xla::interpreter {

absl::Status StridedCopy(EvalContext& ctx, int64_t element_bytes,
                         absl::Span<const int64_t> dimensions, const void* src,
                         absl::Span<const int64_t> src_strides, void* dst,
                         absl::Span<const int64_t> dst_strides) {
  const StridedCopyPlan plan(element_bytes, dimensions, dst, dst_strides, src, src_strides);
  if (plan.tasks() == 0) return absl::OkStatus();
  return ctx.ParallelFor(plan.tasks(), plan.tasks_per_chunk(),
                         [&](int64_t begin, int64_t end) { plan.Run(begin, end); });
}

void StridedCopySerial(int64_t element_bytes, absl::Span<const int64_t> dimensions, const void* src,
                       absl::Span<const int64_t> src_strides, void* dst,
                       absl::Span<const int64_t> dst_strides) {
  xla::StridedCopy(element_bytes, dimensions, dst, dst_strides, src, src_strides);
}

absl::Status FillElements(EvalContext& ctx, int64_t element_bytes, int64_t count, const void* value,
                          void* dst) {
  return StridedCopy(ctx, element_bytes, {count}, value, {0}, dst, {1});
}

}  // namespace xla::interpreter

// SPDX-License-Identifier: Apache-2.0
// Runs executables on shaped buffers.
#ifndef XLA_SERVICE_SHAPED_RUN_H_
#define XLA_SERVICE_SHAPED_RUN_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/runtime/execution_context.h"
#include "xla/service/executable.h"
#include "xla/service/shaped_buffer.h"

namespace xla {

// A run on the buffers of every device; see ExecuteRequest.
struct ShapedRun {
  absl::Span<const absl::Span<const ShapedBuffer* const>> arguments;
  // The ordinal that the result of each device gets.
  absl::Span<const int> device_ordinals;
  se::DeviceMemoryAllocator* allocator = nullptr;
  // The allocator frees blocks of AllocateHostMemory (runtime/host_memory.h): results then stay
  // where they were computed, and else are written to memory that is allocated first.
  bool allocator_takes_host_memory = false;
  runtime::ExecutionContext context;
  runtime::RunStatistics* statistics = nullptr;
};

// The result of each device.
absl::StatusOr<std::vector<ScopedShapedBuffer>> RunOnShapedBuffers(const Executable& executable,
                                                                   const ShapedRun& run);

// Writes the result of each device to results[d], whose memory is allocated.
absl::Status RunIntoShapedBuffers(const Executable& executable, const ShapedRun& run,
                                  absl::Span<ShapedBuffer* const> results);

}  // namespace xla

#endif  // XLA_SERVICE_SHAPED_RUN_H_

// SPDX-License-Identifier: Apache-2.0
// A program made ready to run. What stands behind it, interpreter or compiler, is the backend's
// choice (backend.h).
#ifndef XLA_SERVICE_EXECUTABLE_H_
#define XLA_SERVICE_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/runtime/execution_context.h"
#include "xla/service/shaped_buffer.h"

namespace xla {

// One run of all replicas and partitions. Device d of the lists below is partition d % partitions
// of replica d / partitions.
struct ExecuteRequest {
  // For each device its arguments, of shapes compatible with the parameters.
  absl::Span<const std::vector<const ShapedBuffer*>> arguments;
  // For each device the ordinal that its results get.
  absl::Span<const int> device_ordinals;
  se::DeviceMemoryAllocator* allocator = nullptr;
  runtime::ExecutionContext context;
};

// Thread-safe: may run several times at once.
class Executable {
 public:
  // The module is verified; its replica_count and num_partitions say how many devices run it.
  explicit Executable(std::shared_ptr<const HloModule> module) : module_(std::move(module)) {}
  virtual ~Executable() = default;

  const HloModule& module() const { return *module_; }
  std::shared_ptr<const HloModule> shared_module() const { return module_; }
  int64_t num_replicas() const { return module_->config().replica_count; }
  int64_t num_partitions() const { return module_->config().num_partitions; }

  // The result of each device, in the layout of the module's entry computation layout.
  virtual absl::StatusOr<std::vector<ScopedShapedBuffer>> Execute(
      const ExecuteRequest& request) const = 0;

 private:
  std::shared_ptr<const HloModule> module_;
};

}  // namespace xla

#endif  // XLA_SERVICE_EXECUTABLE_H_

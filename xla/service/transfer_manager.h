// SPDX-License-Identifier: Apache-2.0
// TransferManager: moves values between literals and buffers of devices.
#ifndef XLA_SERVICE_TRANSFER_MANAGER_H_
#define XLA_SERVICE_TRANSFER_MANAGER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/service/shaped_buffer.h"
#include "xla/stream_executor/platform.h"
#include "xla/stream_executor/stream_executor.h"

namespace xla {

// The stream is not used: transfers are done when the calls return.
class TransferManager {
 public:
  // The platform's one. Every platform has it.
  static absl::StatusOr<TransferManager*> GetForPlatform(const se::Platform* platform);

  // Fills a buffer whose shape is compatible with the literal's. InvalidArgument otherwise.
  absl::Status TransferLiteralToDevice(se::Stream* stream, const LiteralSlice& literal,
                                       const ShapedBuffer& buffer);
  absl::Status TransferLiteralToDeviceAsync(se::Stream* stream, const LiteralSlice& literal,
                                            const ShapedBuffer& buffer) {
    return TransferLiteralToDevice(stream, literal, buffer);
  }
  absl::StatusOr<Literal> TransferLiteralFromDevice(se::Stream* stream, const ShapedBuffer& buffer);

  // New memory of the shape on a device.
  absl::StatusOr<ScopedShapedBuffer> AllocateScopedShapedBuffer(
      const Shape& on_host_shape, se::DeviceMemoryAllocator* allocator, int device_ordinal);
  // Writes the lists of pointers of tuples.
  absl::Status WriteTupleIndexTables(se::Stream* stream, const ShapedBuffer& buffer);

  int64_t GetByteSizeRequirement(const Shape& shape) const;
  Shape HostShapeToDeviceShape(const Shape& host_shape) const { return host_shape; }
};

}  // namespace xla

#endif  // XLA_SERVICE_TRANSFER_MANAGER_H_

// SPDX-License-Identifier: Apache-2.0
#include "xla/service/transfer_manager.h"

#include <cstring>

#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<TransferManager*> TransferManager::GetForPlatform(const se::Platform*) {
  static TransferManager* const manager = new TransferManager();
  return manager;
}

absl::Status TransferManager::TransferLiteralToDevice(se::Stream*, const LiteralSlice& literal,
                                                      const ShapedBuffer& buffer) {
  if (!ShapeUtil::Compatible(literal.shape(), buffer.on_device_shape())) {
    return InvalidArgument("a literal of shape %s does not fit a buffer of shape %s",
                           literal.shape().ToString(), buffer.on_device_shape().ToString());
  }
  se::HostMemoryAllocator allocator(nullptr);
  XLA_ASSIGN_OR_RETURN(
      const ScopedShapedBuffer filled,
      BufferFromLiteral(buffer.on_device_shape(), literal, buffer.device_ordinal(), &allocator));
  for (const auto& [index, memory] : filled.buffers()) {
    if (!ShapeUtil::GetSubshape(buffer.on_device_shape(), index).IsArray()) continue;
    se::DeviceMemoryBase target = buffer.buffer(index);
    if (target.size() < memory.size()) {
      return InvalidArgument("a buffer of %d bytes is too small for %d", target.size(),
                             memory.size());
    }
    if (memory.size() > 0) std::memcpy(target.opaque(), memory.opaque(), memory.size());
  }
  return WriteTupleIndexTables(nullptr, buffer);
}

absl::StatusOr<Literal> TransferManager::TransferLiteralFromDevice(se::Stream*,
                                                                   const ShapedBuffer& buffer) {
  return LiteralFromBuffer(buffer);
}

absl::StatusOr<ScopedShapedBuffer> TransferManager::AllocateScopedShapedBuffer(
    const Shape& on_host_shape, se::DeviceMemoryAllocator* allocator, int device_ordinal) {
  return AllocateShapedBuffer(on_host_shape, device_ordinal, allocator);
}

absl::Status TransferManager::WriteTupleIndexTables(se::Stream*, const ShapedBuffer& buffer) {
  for (const auto& [index, memory] : buffer.buffers()) {
    const Shape& shape = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!shape.IsTuple() || memory.is_null()) continue;
    auto* table = static_cast<const void**>(const_cast<void*>(memory.opaque()));
    ShapeIndex element = index;
    element.push_back(0);
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      element.back() = i;
      table[i] = buffer.buffer(element).opaque();
    }
  }
  return absl::OkStatus();
}

int64_t TransferManager::GetByteSizeRequirement(const Shape& shape) const {
  return ShapeUtil::ByteSizeOf(shape, sizeof(void*));
}

}  // namespace xla

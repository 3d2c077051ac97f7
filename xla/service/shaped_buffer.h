// SPDX-License-Identifier: Apache-2.0
// ShapedBuffer: the memory that holds a value of some shape on a device.
//
// An array's buffer is as xla/runtime/buffer_view.h describes. A tuple's buffer is the list of
// pointers to those of its elements. Tokens have no buffer.
#ifndef XLA_SERVICE_SHAPED_BUFFER_H_
#define XLA_SERVICE_SHAPED_BUFFER_H_

#include <ostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"
#include "xla/stream_executor/device_memory_allocator.h"

namespace xla {

class ScopedShapedBuffer;

// Does not own the memory.
class ShapedBuffer {
 public:
  // Null buffers. Arrays without a layout get the row-major one.
  ShapedBuffer(Shape on_device_shape, int device_ordinal);
  // The host shape is that of the device; the argument exists for XLA's users.
  ShapedBuffer(Shape on_host_shape, Shape on_device_shape, int device_ordinal);
  ShapedBuffer(ShapedBuffer&&) = default;
  ShapedBuffer& operator=(ShapedBuffer&&) = default;
  ShapedBuffer(const ShapedBuffer&) = delete;
  ShapedBuffer& operator=(const ShapedBuffer&) = delete;
  // Ownership would be lost.
  ShapedBuffer(const ScopedShapedBuffer&) = delete;
  ShapedBuffer& operator=(const ScopedShapedBuffer&) = delete;
  virtual ~ShapedBuffer() = default;

  const Shape& on_host_shape() const { return buffers_.shape(); }
  const Shape& on_device_shape() const { return buffers_.shape(); }
  int device_ordinal() const { return device_ordinal_; }

  // Precondition: the index leads to a node of the shape.
  const se::DeviceMemoryBase& root_buffer() const { return buffer({}); }
  const se::DeviceMemoryBase& buffer(ShapeIndexView index) const { return buffers_.element(index); }
  void set_buffer(const se::DeviceMemoryBase& buffer, ShapeIndexView index) {
    *buffers_.mutable_element(index) = buffer;
  }
  void set_buffers(ShapeTree<se::DeviceMemoryBase> buffers);
  const ShapeTree<se::DeviceMemoryBase>& buffers() const { return buffers_; }
  ShapeTree<se::DeviceMemoryBase>& buffers() { return buffers_; }

  // The part at an index, on the same memory. InvalidArgument for an invalid index.
  absl::StatusOr<ShapedBuffer> SubShapedBuffer(const ShapeIndex& index) const;
  // Makes every buffer null.
  void clear();

  std::string ToString() const;

 protected:
  int device_ordinal_;
  ShapeTree<se::DeviceMemoryBase> buffers_;
};

std::ostream& operator<<(std::ostream& out, const ShapedBuffer& buffer);

// Owns the memory, which goes back to the allocator.
class ScopedShapedBuffer : public ShapedBuffer {
 public:
  ScopedShapedBuffer(Shape on_device_shape, se::DeviceMemoryAllocator* allocator,
                     int device_ordinal);
  ScopedShapedBuffer(Shape on_host_shape, Shape on_device_shape,
                     se::DeviceMemoryAllocator* allocator, int device_ordinal);
  // Takes over the memory, which must be the allocator's.
  ScopedShapedBuffer(ShapedBuffer shaped_buffer, se::DeviceMemoryAllocator* allocator);
  ScopedShapedBuffer(ScopedShapedBuffer&& other) noexcept;
  ScopedShapedBuffer& operator=(ScopedShapedBuffer&& other) noexcept;
  ~ScopedShapedBuffer() override;

  se::DeviceMemoryAllocator* memory_allocator() const { return allocator_; }

  using ShapedBuffer::set_buffer;
  void set_buffer(se::OwningDeviceMemory buffer, ShapeIndexView index) {
    ShapedBuffer::set_buffer(buffer.Release(), index);
  }
  // The memory is the caller's from now on.
  [[nodiscard]] ShapedBuffer release();
  // The part at an index with its memory; its buffers here become null.
  ScopedShapedBuffer TakeSubTree(ShapeIndexView index);

 private:
  void Deallocate();

  se::DeviceMemoryAllocator* allocator_;
};

// Bytes of the buffer of one node: an array with its dynamic sizes, a tuple's list.
// ResourceExhausted when they overflow, InvalidArgument for an unbounded dimension.
absl::StatusOr<int64_t> BufferBytes(const Shape& shape);

// New memory for a value of the shape, uninitialized but for the lists of pointers of tuples.
absl::StatusOr<ScopedShapedBuffer> AllocateShapedBuffer(const Shape& shape, int device_ordinal,
                                                        se::DeviceMemoryAllocator* allocator);
// Writes the lists of pointers of tuples. Precondition: their memory is allocated.
void WriteTupleTables(ShapedBuffer& buffer);

// Copies a value to new memory of a device. `shape` (layouts included) must be compatible with the
// literal's; a literal smaller than a dynamic dimension's bound fills the low corner.
absl::StatusOr<ScopedShapedBuffer> BufferFromLiteral(const Shape& shape,
                                                     const LiteralSlice& literal,
                                                     int device_ordinal,
                                                     se::DeviceMemoryAllocator* allocator);
// A literal of the buffer's shape. InvalidArgument when a buffer is null or too small, or a dynamic
// size is beyond its bound.
absl::StatusOr<Literal> LiteralFromBuffer(const ShapedBuffer& buffer);

}  // namespace xla

#endif  // XLA_SERVICE_SHAPED_BUFFER_H_

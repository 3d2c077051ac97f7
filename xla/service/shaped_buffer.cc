// SPDX-License-Identifier: Apache-2.0
// Shaped buffers, and values between them and literals.
#include "xla/service/shaped_buffer.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/util.h"

namespace xla {
namespace {

Shape WithLayouts(Shape shape) {
  ShapeUtil::ForEachMutableSubshape(&shape, [](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
  });
  return shape;
}

}  // namespace

ShapedBuffer::ShapedBuffer(Shape on_device_shape, int device_ordinal)
    : device_ordinal_(device_ordinal), buffers_(WithLayouts(std::move(on_device_shape))) {}

ShapedBuffer::ShapedBuffer(Shape, Shape on_device_shape, int device_ordinal)
    : ShapedBuffer(std::move(on_device_shape), device_ordinal) {}

void ShapedBuffer::set_buffers(ShapeTree<se::DeviceMemoryBase> buffers) {
  buffers.replace_shape_ptr(buffers_.shape());
  buffers_ = std::move(buffers);
}

absl::StatusOr<ShapedBuffer> ShapedBuffer::SubShapedBuffer(const ShapeIndex& index) const {
  XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeUtil::TryGetSubshape(on_device_shape(), index));
  ShapedBuffer part(*shape, device_ordinal_);
  part.buffers_.CopySubtreeFrom(buffers_, index, {});
  return part;
}

void ShapedBuffer::clear() {
  for (auto& [index, buffer] : buffers_) buffer = se::DeviceMemoryBase();
}

std::string ShapedBuffer::ToString() const {
  std::string out =
      absl::StrCat("ShapedBuffer(", device_ordinal_,
                   "), shape=", on_device_shape().ToString(/*print_layout=*/true), ":");
  for (const auto& [index, buffer] : buffers_) {
    absl::StrAppend(&out, "\n  ", index.ToString(), ": ", buffer.size(), " bytes");
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const ShapedBuffer& buffer) {
  return out << buffer.ToString();
}

ScopedShapedBuffer::ScopedShapedBuffer(Shape on_device_shape, se::DeviceMemoryAllocator* allocator,
                                       int device_ordinal)
    : ShapedBuffer(std::move(on_device_shape), device_ordinal), allocator_(allocator) {}

ScopedShapedBuffer::ScopedShapedBuffer(Shape, Shape on_device_shape,
                                       se::DeviceMemoryAllocator* allocator, int device_ordinal)
    : ScopedShapedBuffer(std::move(on_device_shape), allocator, device_ordinal) {}

ScopedShapedBuffer::ScopedShapedBuffer(ShapedBuffer shaped_buffer,
                                       se::DeviceMemoryAllocator* allocator)
    : ShapedBuffer(std::move(shaped_buffer)), allocator_(allocator) {}

ScopedShapedBuffer::ScopedShapedBuffer(ScopedShapedBuffer&& other) noexcept
    : ShapedBuffer(other.release()), allocator_(other.allocator_) {}

ScopedShapedBuffer& ScopedShapedBuffer::operator=(ScopedShapedBuffer&& other) noexcept {
  if (this == &other) return *this;
  Deallocate();
  ShapedBuffer::operator=(other.release());
  allocator_ = other.allocator_;
  return *this;
}

ScopedShapedBuffer::~ScopedShapedBuffer() { Deallocate(); }

ShapedBuffer ScopedShapedBuffer::release() {
  ShapedBuffer released(on_device_shape(), device_ordinal_);
  released.buffers() = buffers_;
  clear();
  return released;
}

ScopedShapedBuffer ScopedShapedBuffer::TakeSubTree(ShapeIndexView index) {
  const Shape& shape = ShapeUtil::GetSubshape(on_device_shape(), index);
  ScopedShapedBuffer part(shape, allocator_, device_ordinal_);
  part.buffers_.CopySubtreeFrom(buffers_, index, {});
  const ShapeTree<se::DeviceMemoryBase> nothing(shape);
  buffers_.CopySubtreeFrom(nothing, {}, index);
  return part;
}

void ScopedShapedBuffer::Deallocate() {
  for (auto& [index, buffer] : buffers_) {
    if (!buffer.is_null()) (void)allocator_->Deallocate(device_ordinal_, buffer);
    buffer = se::DeviceMemoryBase();
  }
}

absl::StatusOr<int64_t> BufferBytes(const Shape& shape) {
  if (shape.IsTuple()) return static_cast<int64_t>(sizeof(void*)) * shape.tuple_shapes_size();
  if (!shape.IsArray()) return 0;
  return runtime::ArrayBytes(shape);
}

absl::StatusOr<ScopedShapedBuffer> AllocateShapedBuffer(const Shape& shape, int device_ordinal,
                                                        se::DeviceMemoryAllocator* allocator) {
  ScopedShapedBuffer result(shape, allocator, device_ordinal);
  for (auto& [index, buffer] : result.buffers()) {
    XLA_ASSIGN_OR_RETURN(const int64_t bytes,
                         BufferBytes(ShapeUtil::GetSubshape(result.on_device_shape(), index)));
    XLA_ASSIGN_OR_RETURN(se::OwningDeviceMemory memory,
                         allocator->Allocate(device_ordinal, static_cast<uint64_t>(bytes)));
    buffer = memory.Release();
  }
  WriteTupleTables(result);
  return result;
}

void WriteTupleTables(ShapedBuffer& buffer) {
  if (!buffer.on_device_shape().IsTuple()) return;
  for (auto& [index, memory] : buffer.buffers()) {
    const Shape& part = ShapeUtil::GetSubshape(buffer.on_device_shape(), index);
    if (!part.IsTuple()) continue;
    ShapeIndex element = index;
    element.push_back(0);
    for (int i = 0; i < part.tuple_shapes_size(); ++i) {
      element.back() = i;
      const void* pointer = buffer.buffer(element).opaque();
      std::memcpy(static_cast<char*>(memory.opaque()) + sizeof(void*) * static_cast<size_t>(i),
                  &pointer, sizeof(pointer));
    }
  }
}

absl::StatusOr<ScopedShapedBuffer> BufferFromLiteral(const Shape& shape,
                                                     const LiteralSlice& literal,
                                                     int device_ordinal,
                                                     se::DeviceMemoryAllocator* allocator) {
  XLA_ASSIGN_OR_RETURN(ScopedShapedBuffer result,
                       AllocateShapedBuffer(shape, device_ordinal, allocator));
  const Shape& device_shape = result.on_device_shape();
  for (auto& [index, buffer] : result.buffers()) {
    const Shape& part = ShapeUtil::GetSubshape(device_shape, index);
    if (!part.IsArray() || buffer.size() == 0) continue;
    auto* to = static_cast<char*>(buffer.opaque());
    const Shape& from = ShapeUtil::GetSubshape(literal.shape(), index);
    XLA_ASSIGN_OR_RETURN(const int64_t element_bytes, runtime::ElementBytes(part));
    if (from.has_layout() && from.layout() == part.layout() &&
        from.dimensions() == part.dimensions() && part.is_static()) {
      std::memcpy(to, literal.untyped_data(index), static_cast<size_t>(element_bytes));
      continue;
    }
    XLA_ASSIGN_OR_RETURN(Literal copy, Literal::Make(part));
    XLA_RETURN_IF_ERROR(copy.CopyFrom(LiteralSlice(literal, index), {}, {},
                                      /*only_dynamic_bound=*/part.is_dynamic()));
    std::memcpy(to, copy.untyped_data(), static_cast<size_t>(element_bytes));
    if (part.is_static()) continue;
    DimensionVector sizes;
    for (int i = 0; i < part.rank(); ++i) sizes.push_back(literal.GetDynamicSize(i, index));
    runtime::WriteDynamicSizes(part, to, sizes);
  }
  return result;
}

absl::StatusOr<Literal> LiteralFromBuffer(const ShapedBuffer& buffer) {
  const Shape& shape = buffer.on_device_shape();
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  for (const auto& [index, memory] : buffer.buffers()) {
    const Shape& part = ShapeUtil::GetSubshape(shape, index);
    if (!part.IsArray()) continue;
    XLA_ASSIGN_OR_RETURN(const int64_t bytes, BufferBytes(part));
    if (bytes == 0) continue;
    if (memory.is_null() || memory.size() < static_cast<uint64_t>(bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the buffer at ", index.ToString(), " of ", shape.ToString(), " has ",
                       memory.is_null() ? 0 : memory.size(), " bytes, not ", bytes));
    }
    const auto* from = static_cast<const char*>(memory.opaque());
    XLA_ASSIGN_OR_RETURN(const int64_t element_bytes, runtime::ElementBytes(part));
    std::memcpy(literal.untyped_data(index), from, static_cast<size_t>(element_bytes));
    if (part.is_static()) continue;
    DimensionVector sizes(static_cast<size_t>(part.rank()));
    XLA_RETURN_IF_ERROR(runtime::ReadDynamicSizes(part, from, absl::MakeSpan(sizes)));
    for (int i = 0; i < part.rank(); ++i) {
      if (part.is_dynamic_dimension(i)) {
        literal.SetDynamicSize(i, index, static_cast<int32_t>(sizes[static_cast<size_t>(i)]));
      }
    }
  }
  return literal;
}

}  // namespace xla

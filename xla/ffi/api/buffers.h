// SPDX-License-Identifier: Apache-2.0
// Arrays that handlers read and write. Part of xla/ffi/api/ffi.h; include that.
#ifndef XLA_FFI_API_BUFFERS_H_
#define XLA_FFI_API_BUFFERS_H_

#include "xla/ffi/api/values.h"

namespace xla::ffi {

class AnyBuffer;
template <DataType dtype, size_t rank>
class Buffer;

namespace internal {
template <DataType dtype, size_t rank>
Buffer<dtype, rank> TypedBuffer(const AnyBuffer& buffer);
}  // namespace internal

// Of any type and rank.
class AnyBuffer {
 public:
  using Dimensions = Span<const int64_t>;

  explicit AnyBuffer(const XLA_FFI_Buffer* buffer) : buffer_(buffer) {}

  DataType element_type() const { return static_cast<DataType>(buffer_->dtype); }
  Dimensions dimensions() const {
    return Dimensions(buffer_->dims, static_cast<size_t>(buffer_->rank));
  }
  size_t element_count() const {
    size_t count = 1;
    for (const int64_t size : dimensions()) count *= static_cast<size_t>(size);
    return count;
  }
  size_t size_bytes() const { return ByteWidth(element_type()) * element_count(); }
  void* untyped_data() const { return buffer_->data; }
  // Preconditions: T is the native type of the elements, or one of the same width and alignment.
  template <typename T>
  T* typed_data() const {
    assert(internal::NativeTypeToCApiDataType<T>() == buffer_->dtype);
    return static_cast<T*>(buffer_->data);
  }
  template <typename T>
  T* reinterpret_data() const {
    assert(sizeof(T) == ByteWidth(element_type()));
    return static_cast<T*>(buffer_->data);
  }

 private:
  template <DataType dtype, size_t rank>
  friend Buffer<dtype, rank> internal::TypedBuffer(const AnyBuffer& buffer);

  const XLA_FFI_Buffer* buffer_;
};

// Of a known type, and rank unless that is kDynamicRank.
template <DataType dtype, size_t rank = kDynamicRank>
class Buffer {
 public:
  using Dimensions = AnyBuffer::Dimensions;

  explicit Buffer(const XLA_FFI_Buffer* buffer) : buffer_(buffer) {}

  DataType element_type() const { return dtype; }
  Dimensions dimensions() const { return AnyBuffer(buffer_).dimensions(); }
  size_t element_count() const { return AnyBuffer(buffer_).element_count(); }
  size_t size_bytes() const { return ByteWidth(dtype) * element_count(); }
  void* untyped_data() const { return buffer_->data; }
  NativeType<dtype>* typed_data() const { return static_cast<NativeType<dtype>*>(buffer_->data); }

 private:
  const XLA_FFI_Buffer* buffer_;
};

template <DataType dtype>
using BufferR0 = Buffer<dtype, 0>;
template <DataType dtype>
using BufferR1 = Buffer<dtype, 1>;
template <DataType dtype>
using BufferR2 = Buffer<dtype, 2>;
template <DataType dtype>
using BufferR3 = Buffer<dtype, 3>;
template <DataType dtype>
using BufferR4 = Buffer<dtype, 4>;
// Without elements: orders calls.
using Token = BufferR0<DataType::TOKEN>;

template <DataType dtype, size_t rank = kDynamicRank>
using ResultBuffer = Result<Buffer<dtype, rank>>;
template <DataType dtype>
using ResultBufferR0 = ResultBuffer<dtype, 0>;
template <DataType dtype>
using ResultBufferR1 = ResultBuffer<dtype, 1>;
template <DataType dtype>
using ResultBufferR2 = ResultBuffer<dtype, 2>;
template <DataType dtype>
using ResultBufferR3 = ResultBuffer<dtype, 3>;
template <DataType dtype>
using ResultBufferR4 = ResultBuffer<dtype, 4>;

namespace internal {

// Precondition: it has that type and rank.
template <DataType dtype, size_t rank>
Buffer<dtype, rank> TypedBuffer(const AnyBuffer& buffer) {
  return Buffer<dtype, rank>(buffer.buffer_);
}

// Does an array of the interface fit AnyBuffer or Buffer?
template <typename T>
struct BufferForm;
template <>
struct BufferForm<AnyBuffer> {
  static bool Fits(const XLA_FFI_Buffer&) { return true; }
  static std::optional<AnyBuffer> Decode(const XLA_FFI_Buffer* buffer, DiagnosticEngine&) {
    return AnyBuffer(buffer);
  }
};
template <DataType dtype, size_t rank>
struct BufferForm<Buffer<dtype, rank>> {
  static bool Fits(const XLA_FFI_Buffer& buffer) {
    return static_cast<DataType>(buffer.dtype) == dtype &&
           (rank == kDynamicRank || static_cast<size_t>(buffer.rank) == rank);
  }
  static std::optional<Buffer<dtype, rank>> Decode(const XLA_FFI_Buffer* buffer,
                                                   DiagnosticEngine& diagnostic) {
    if (static_cast<DataType>(buffer->dtype) != dtype) {
      return diagnostic.Emit("Wrong buffer dtype: expected ")
             << dtype << " but got " << buffer->dtype;
    }
    if (!Fits(*buffer)) {
      return diagnostic.Emit("Wrong buffer rank: expected ") << rank << " but got " << buffer->rank;
    }
    return Buffer<dtype, rank>(buffer);
  }
};

template <typename T, typename Kind, Kind kBuffer>
struct BufferDecoding {
  static bool Isa(Kind type, void* value) {
    return type == kBuffer && BufferForm<T>::Fits(*static_cast<const XLA_FFI_Buffer*>(value));
  }
  static std::optional<T> DecodeBuffer(Kind type, void* value, DiagnosticEngine& diagnostic) {
    if (type != kBuffer) {
      return diagnostic.Emit("Wrong type: expected ") << kBuffer << " but got " << type;
    }
    return BufferForm<T>::Decode(static_cast<const XLA_FFI_Buffer*>(value), diagnostic);
  }
};

template <typename T>
struct ArgBufferDecoding : BufferDecoding<T, XLA_FFI_ArgType, XLA_FFI_ArgType_BUFFER> {
  static std::optional<T> Decode(XLA_FFI_ArgType type, void* value, DiagnosticEngine& diagnostic) {
    return ArgBufferDecoding::DecodeBuffer(type, value, diagnostic);
  }
};
template <typename T>
struct RetBufferDecoding : BufferDecoding<T, XLA_FFI_RetType, XLA_FFI_RetType_BUFFER> {
  static std::optional<Result<T>> Decode(XLA_FFI_RetType type, void* value,
                                         DiagnosticEngine& diagnostic) {
    std::optional<T> buffer = RetBufferDecoding::DecodeBuffer(type, value, diagnostic);
    if (!buffer.has_value()) return std::nullopt;
    return Result<T>(*buffer);
  }
};

}  // namespace internal

template <>
struct ArgDecoding<AnyBuffer> : internal::ArgBufferDecoding<AnyBuffer> {};
template <DataType dtype, size_t rank>
struct ArgDecoding<Buffer<dtype, rank>> : internal::ArgBufferDecoding<Buffer<dtype, rank>> {};
template <>
struct RetDecoding<AnyBuffer> : internal::RetBufferDecoding<AnyBuffer> {};
template <DataType dtype, size_t rank>
struct RetDecoding<Buffer<dtype, rank>> : internal::RetBufferDecoding<Buffer<dtype, rank>> {};

template <>
struct ArgBinding<AnyBuffer> {
  using Arg = AnyBuffer;
};
template <DataType dtype, size_t rank>
struct ArgBinding<Buffer<dtype, rank>> {
  using Arg = Buffer<dtype, rank>;
};
template <>
struct RetBinding<Result<AnyBuffer>> {
  using Ret = AnyBuffer;
};
template <DataType dtype, size_t rank>
struct RetBinding<Result<Buffer<dtype, rank>>> {
  using Ret = Buffer<dtype, rank>;
};

// --- The arguments and results that a binding does not list

class RemainingArgs {
 public:
  RemainingArgs(const XLA_FFI_Args* args, size_t offset) : args_(args), offset_(offset) {}

  size_t size() const { return static_cast<size_t>(args_->size) - offset_; }
  bool empty() const { return size() == 0; }
  // Precondition: index < size().
  template <typename T>
  bool isa(size_t index) const {
    return ArgDecoding<T>::Isa(args_->types[offset_ + index], args_->args[offset_ + index]);
  }
  template <typename T>
  ErrorOr<T> get(size_t index) const {
    if (index >= size()) return Error::InvalidArgument("Index out of range");
    DiagnosticEngine diagnostic;
    std::optional<T> value = ArgDecoding<T>::Decode(args_->types[offset_ + index],
                                                    args_->args[offset_ + index], diagnostic);
    if (!value.has_value()) return Error::Internal(diagnostic.Result());
    return *std::move(value);
  }

 private:
  const XLA_FFI_Args* args_;
  size_t offset_;
};

class RemainingRets {
 public:
  RemainingRets(const XLA_FFI_Rets* rets, size_t offset) : rets_(rets), offset_(offset) {}

  size_t size() const { return static_cast<size_t>(rets_->size) - offset_; }
  bool empty() const { return size() == 0; }
  template <typename T>
  bool isa(size_t index) const {
    return RetDecoding<T>::Isa(rets_->types[offset_ + index], rets_->rets[offset_ + index]);
  }
  template <typename T>
  ErrorOr<Result<T>> get(size_t index) const {
    if (index >= size()) return Error::InvalidArgument("Index out of range");
    DiagnosticEngine diagnostic;
    std::optional<Result<T>> value = RetDecoding<T>::Decode(
        rets_->types[offset_ + index], rets_->rets[offset_ + index], diagnostic);
    if (!value.has_value()) return Error::Internal(diagnostic.Result());
    return *std::move(value);
  }

 private:
  const XLA_FFI_Rets* rets_;
  size_t offset_;
};

template <>
struct internal::Decode<internal::RemainingArgsTag> {
  static std::optional<RemainingArgs> call(DecodingOffsets& offsets, DecodingContext& context,
                                           DiagnosticEngine&) {
    return RemainingArgs(&context.call_frame->args, static_cast<size_t>(offsets.args));
  }
};
template <>
struct internal::Decode<internal::RemainingRetsTag> {
  static std::optional<RemainingRets> call(DecodingOffsets& offsets, DecodingContext& context,
                                           DiagnosticEngine&) {
    return RemainingRets(&context.call_frame->rets, static_cast<size_t>(offsets.rets));
  }
};

}  // namespace xla::ffi

#endif  // XLA_FFI_API_BUFFERS_H_

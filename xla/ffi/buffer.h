// SPDX-License-Identifier: Apache-2.0
// Arrays that handlers of custom calls read and write. They point to memory of the run, which is
// valid until the handler returns. Part of ffi.h; include that.
#ifndef XLA_FFI_BUFFER_H_
#define XLA_FFI_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/check.h"
#include "xla/ffi/api/c_api.h"
#include "xla/primitive_util.h"
#include "xla/xla_data_enums.h"

namespace xla::ffi {

// Collects what is wrong with a call, for its error.
class DiagnosticEngine {
 public:
  template <typename... Parts>
  std::nullopt_t Emit(const Parts&... parts) {
    absl::StrAppend(&message_, message_.empty() ? "" : "; ", parts...);
    return std::nullopt;
  }
  const std::string& Result() const { return message_; }

 private:
  std::string message_;
};

// An array of any type and rank, row-major unless the instruction constrains layouts. Integers of
// less than 8 bits take a byte each.
class AnyBuffer {
 public:
  using Dimensions = absl::Span<const int64_t>;

  explicit AnyBuffer(const XLA_FFI_Buffer* buffer) : buffer_(buffer) {}

  PrimitiveType element_type() const { return static_cast<PrimitiveType>(buffer_->dtype); }
  Dimensions dimensions() const {
    return Dimensions(buffer_->dims, static_cast<size_t>(buffer_->rank));
  }
  int64_t element_count() const {
    int64_t count = 1;
    for (const int64_t size : dimensions()) count *= size;
    return count;
  }
  int64_t size_bytes() const {
    return primitive_util::IsArrayType(element_type())
               ? element_count() * primitive_util::ByteWidth(element_type())
               : 0;
  }
  void* untyped_data() const { return buffer_->data; }
  // Precondition: the elements are of type T.
  template <typename T>
  T* typed_data() const {
    XLA_CHECK(element_type() == primitive_util::NativeToPrimitiveType<T>())
        << "the elements are of type " << PrimitiveType_Name(element_type());
    return static_cast<T*>(buffer_->data);
  }
  // Precondition: elements are as large as T.
  template <typename T>
  T* reinterpret_data() const {
    XLA_CHECK(primitive_util::ByteWidth(element_type()) == sizeof(T));
    return static_cast<T*>(buffer_->data);
  }

 private:
  const XLA_FFI_Buffer* buffer_;
};

namespace internal {

inline constexpr size_t kDynamicRank = std::numeric_limits<size_t>::max();

template <PrimitiveType kType>
struct ElementOf {
  using type = primitive_util::NativeTypeOf<kType>;
};
template <>
struct ElementOf<TOKEN> {
  using type = void;
};

}  // namespace internal

// An array of one element type, and of one rank unless that is left out.
template <PrimitiveType dtype, size_t rank = internal::kDynamicRank>
class Buffer : public AnyBuffer {
 public:
  using Element = typename internal::ElementOf<dtype>::type;
  using AnyBuffer::AnyBuffer;

  Element* typed_data() const { return static_cast<Element*>(untyped_data()); }
};

template <PrimitiveType dtype>
using BufferR0 = Buffer<dtype, 0>;
template <PrimitiveType dtype>
using BufferR1 = Buffer<dtype, 1>;
template <PrimitiveType dtype>
using BufferR2 = Buffer<dtype, 2>;
template <PrimitiveType dtype>
using BufferR3 = Buffer<dtype, 3>;
template <PrimitiveType dtype>
using BufferR4 = Buffer<dtype, 4>;
// Without data: orders calls.
using Token = BufferR0<TOKEN>;

// An array to write to.
template <typename T>
class Result {
 public:
  explicit Result(T buffer) : buffer_(buffer) {}
  T& operator*() { return buffer_; }
  const T& operator*() const { return buffer_; }
  T* operator->() { return &buffer_; }
  const T* operator->() const { return &buffer_; }

 private:
  T buffer_;
};

template <PrimitiveType dtype, size_t rank = internal::kDynamicRank>
using ResultBuffer = Result<Buffer<dtype, rank>>;

// How an array is read from the interface: nullopt, and a diagnostic, if it does not fit. Users may
// specialize it for types of their own.
template <typename T>
struct BufferDecoding;

template <>
struct BufferDecoding<AnyBuffer> {
  static std::optional<AnyBuffer> Decode(const XLA_FFI_Buffer* buffer, DiagnosticEngine&) {
    return AnyBuffer(buffer);
  }
};

template <PrimitiveType dtype, size_t rank>
struct BufferDecoding<Buffer<dtype, rank>> {
  static std::optional<Buffer<dtype, rank>> Decode(const XLA_FFI_Buffer* buffer,
                                                   DiagnosticEngine& diagnostic) {
    const auto type = static_cast<PrimitiveType>(buffer->dtype);
    if (type != dtype) {
      return diagnostic.Emit("Wrong buffer dtype: expected ", PrimitiveType_Name(dtype),
                             " but got ", PrimitiveType_Name(type));
    }
    if (rank != internal::kDynamicRank && static_cast<size_t>(buffer->rank) != rank) {
      return diagnostic.Emit("Wrong buffer rank: expected ", rank, " but got ", buffer->rank);
    }
    return Buffer<dtype, rank>(buffer);
  }
};

}  // namespace xla::ffi

#endif  // XLA_FFI_BUFFER_H_

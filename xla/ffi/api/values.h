// SPDX-License-Identifier: Apache-2.0
// Element types, spans and errors of handlers. Part of xla/ffi/api/ffi.h; include that.
#ifndef XLA_FFI_API_VALUES_H_
#define XLA_FFI_API_VALUES_H_

#include "xla/ffi/api/handler.h"

namespace xla::ffi {

using TypeId = XLA_FFI_TypeId;
using TypeInfo = XLA_FFI_TypeInfo;

// --- Element types

// F32 and so on are both DataType::F32 and names of this namespace.
#define XLA_FFI_DATA_TYPES(do)                                                                                                       \
  do                                                                                                                                 \
  (PRED) do(S1) do(S2) do(S4) do(S8) do(S16) do(S32) do(S64) do(U1) do(U2) do(U4) do(U8) do(U16) do(U32) do(U64) do(F16) do(F32) do( \
      F64) do(BF16) do(C64) do(C128) do(TOKEN) do(F8E5M2) do(F8E4M3) do(F8E4M3FN) do(F8E4M3B11FNUZ) do(F8E5M2FNUZ) do(F8E4M3FNUZ) do(F8E3M4) do(F4E2M1FN) do(F8E8M0FNU)

enum class DataType : uint8_t {
  INVALID = XLA_FFI_DataType_INVALID,
#define XLA_FFI_DATA_TYPE(name) name = XLA_FFI_DataType_##name,
  XLA_FFI_DATA_TYPES(XLA_FFI_DATA_TYPE)
#undef XLA_FFI_DATA_TYPE
};
#define XLA_FFI_DATA_TYPE(name) inline constexpr DataType name = DataType::name;
XLA_FFI_DATA_TYPES(XLA_FFI_DATA_TYPE)
#undef XLA_FFI_DATA_TYPE
#undef XLA_FFI_DATA_TYPES

inline std::ostream& operator<<(std::ostream& out, DataType type) {
  return out << static_cast<XLA_FFI_DataType>(type);
}

// Bytes of an element.
constexpr size_t ByteWidth(DataType type) {
  switch (type) {
    case DataType::INVALID:
    case DataType::TOKEN:
      return 0;
    case DataType::S16:
    case DataType::U16:
    case DataType::F16:
    case DataType::BF16:
      return 2;
    case DataType::S32:
    case DataType::U32:
    case DataType::F32:
      return 4;
    case DataType::S64:
    case DataType::U64:
    case DataType::F64:
    case DataType::C64:
      return 8;
    case DataType::C128:
      return 16;
    default:
      return 1;
  }
}

namespace internal {

template <DataType type>
struct DataTypeToNative;
#define XLA_FFI_NATIVE_TYPE(name, native)   \
  template <>                               \
  struct DataTypeToNative<DataType::name> { \
    using type = native;                    \
  };
XLA_FFI_NATIVE_TYPE(PRED, bool)
XLA_FFI_NATIVE_TYPE(S8, int8_t)
XLA_FFI_NATIVE_TYPE(S16, int16_t)
XLA_FFI_NATIVE_TYPE(S32, int32_t)
XLA_FFI_NATIVE_TYPE(S64, int64_t)
XLA_FFI_NATIVE_TYPE(U8, uint8_t)
XLA_FFI_NATIVE_TYPE(U16, uint16_t)
XLA_FFI_NATIVE_TYPE(U32, uint32_t)
XLA_FFI_NATIVE_TYPE(U64, uint64_t)
XLA_FFI_NATIVE_TYPE(F16, uint16_t)
XLA_FFI_NATIVE_TYPE(BF16, uint16_t)
XLA_FFI_NATIVE_TYPE(F32, float)
XLA_FFI_NATIVE_TYPE(F64, double)
XLA_FFI_NATIVE_TYPE(C64, std::complex<float>)
XLA_FFI_NATIVE_TYPE(C128, std::complex<double>)
XLA_FFI_NATIVE_TYPE(TOKEN, void)
#undef XLA_FFI_NATIVE_TYPE

}  // namespace internal

template <DataType type>
using NativeType = typename internal::DataTypeToNative<type>::type;

constexpr DataType ToComplex(DataType type) {
  if (type == DataType::F32) return DataType::C64;
  return type == DataType::F64 ? DataType::C128 : DataType::INVALID;
}
constexpr DataType ToReal(DataType type) {
  if (type == DataType::C64) return DataType::F32;
  return type == DataType::C128 ? DataType::F64 : type;
}
constexpr DataType ToImag(DataType type) { return ToReal(type); }
template <DataType type>
constexpr bool IsComplexType() {
  return type == DataType::C64 || type == DataType::C128;
}

// --- Spans

template <typename T>
class Span {
 public:
  constexpr Span() : data_(nullptr), size_(0) {}
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  Span(const std::vector<std::remove_const_t<T>>& vector)  // NOLINT: implicit
      : Span(vector.data(), vector.size()) {}

  T& operator[](size_t i) const { return data_[i]; }
  bool operator==(const Span& other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  T& front() const { return data_[0]; }
  T& back() const { return data_[size_ - 1]; }
  Span first(size_t n) const { return Span(data_, n); }
  Span last(size_t n) const { return Span(data_ + size_ - n, n); }
  T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_;
  size_t size_;
};

// --- Errors

enum class ErrorCode : uint8_t {
  kOk = XLA_FFI_Error_Code_OK,
  kCancelled = XLA_FFI_Error_Code_CANCELLED,
  kUnknown = XLA_FFI_Error_Code_UNKNOWN,
  kInvalidArgument = XLA_FFI_Error_Code_INVALID_ARGUMENT,
  kDeadlineExceeded = XLA_FFI_Error_Code_DEADLINE_EXCEEDED,
  kNotFound = XLA_FFI_Error_Code_NOT_FOUND,
  kAlreadyExists = XLA_FFI_Error_Code_ALREADY_EXISTS,
  kPermissionDenied = XLA_FFI_Error_Code_PERMISSION_DENIED,
  kResourceExhausted = XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
  kFailedPrecondition = XLA_FFI_Error_Code_FAILED_PRECONDITION,
  kAborted = XLA_FFI_Error_Code_ABORTED,
  kOutOfRange = XLA_FFI_Error_Code_OUT_OF_RANGE,
  kUnimplemented = XLA_FFI_Error_Code_UNIMPLEMENTED,
  kInternal = XLA_FFI_Error_Code_INTERNAL,
  kUnavailable = XLA_FFI_Error_Code_UNAVAILABLE,
  kDataLoss = XLA_FFI_Error_Code_DATA_LOSS,
  kUnauthenticated = XLA_FFI_Error_Code_UNAUTHENTICATED,
};

// The end of a handler: success, or a code and a message.
class Error {
 public:
  Error() = default;
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  Error(XLA_FFI_Error_Code code, std::string message)
      : Error(static_cast<ErrorCode>(code), std::move(message)) {}

  static Error Success() { return Error(); }
  static Error Internal(std::string message) {
    return Error(ErrorCode::kInternal, std::move(message));
  }
  static Error InvalidArgument(std::string message) {
    return Error(ErrorCode::kInvalidArgument, std::move(message));
  }

  bool success() const { return code_ == ErrorCode::kOk; }
  bool failure() const { return !success(); }
  std::optional<ErrorCode> errc() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

template <typename E>
class Unexpected {
 public:
  constexpr Unexpected(E error) : error_(std::move(error)) {}  // NOLINT: implicit

 private:
  template <typename, typename>
  friend class Expected;
  E error_;
};
Unexpected(const char*)->Unexpected<std::string>;

// A value or an error.
template <typename T, typename E>
class Expected {
 public:
  constexpr Expected(T value) : data_(std::in_place_index<0>, std::move(value)) {}  // NOLINT
  constexpr Expected(Unexpected<E> unexpected)                                      // NOLINT
      : data_(std::in_place_index<1>, std::move(unexpected.error_)) {}

  constexpr operator bool() const { return has_value(); }  // NOLINT: implicit
  constexpr bool has_value() const { return data_.index() == 0; }
  constexpr bool has_error() const { return data_.index() == 1; }

  constexpr T& value() & { return std::get<0>(data_); }
  constexpr const T& value() const& { return std::get<0>(data_); }
  constexpr T&& value() && { return std::get<0>(std::move(data_)); }
  constexpr T& operator*() & { return value(); }
  constexpr const T& operator*() const& { return value(); }
  constexpr T&& operator*() && { return std::move(*this).value(); }
  constexpr T* operator->() { return &value(); }
  constexpr const T* operator->() const { return &value(); }

  constexpr E& error() & { return std::get<1>(data_); }
  constexpr const E& error() const& { return std::get<1>(data_); }
  constexpr E&& error() && { return std::get<1>(std::move(data_)); }

 private:
  std::variant<T, E> data_;
};

template <typename T>
class ErrorOr : public Expected<T, Error> {
 public:
  using Expected<T, Error>::Expected;
  ErrorOr(Error error)  // NOLINT: implicit
      : Expected<T, Error>(Unexpected<Error>(std::move(error))) {
    assert(this->error().failure() && "success is not an error");
  }
};

}  // namespace xla::ffi

#endif  // XLA_FFI_API_VALUES_H_

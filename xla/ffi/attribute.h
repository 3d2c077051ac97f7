// SPDX-License-Identifier: Apache-2.0
// Attributes of custom calls as C++ values. Part of ffi.h; include that.
#ifndef XLA_FFI_ATTRIBUTE_H_
#define XLA_FFI_ATTRIBUTE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/ffi/buffer.h"

namespace xla::ffi {

// A pointer of this process, passed as an i64.
template <typename T>
struct Pointer {};

// How an attribute is read from the interface. Defined for scalars (bool, integers of 8 to 64 bits,
// float, double), arrays of them (absl::Span), strings, Dictionary, Pointer, and the enums and
// structs of XLA_FFI_REGISTER_*_ATTR_DECODING. `Type` is what the handler takes.
template <typename T>
struct AttrDecoding;

namespace internal {

inline const char* AttributeTypeName(XLA_FFI_AttrType type) {
  switch (type) {
    case XLA_FFI_AttrType_ARRAY:
      return "array";
    case XLA_FFI_AttrType_DICTIONARY:
      return "dictionary";
    case XLA_FFI_AttrType_SCALAR:
      return "scalar";
    case XLA_FFI_AttrType_STRING:
      return "string";
  }
  return "unknown type";
}

inline absl::string_view NameOf(const XLA_FFI_ByteSpan* name) { return {name->ptr, name->len}; }

// Position of an attribute; -1 if there is none of the name.
inline int64_t FindAttribute(const XLA_FFI_Attrs* attributes, absl::string_view name) {
  for (int64_t i = 0; i < attributes->size; ++i) {
    if (NameOf(attributes->names[i]) == name) return i;
  }
  return -1;
}

template <typename T>
std::optional<typename AttrDecoding<T>::Type> DecodeAttribute(const XLA_FFI_Attrs* attributes,
                                                              absl::string_view name,
                                                              DiagnosticEngine& diagnostic) {
  const int64_t i = FindAttribute(attributes, name);
  if (i < 0) return diagnostic.Emit("Attribute name mismatch: there is no attribute ", name);
  DiagnosticEngine inner;
  auto value = AttrDecoding<T>::Decode(attributes->types[i], attributes->attrs[i], inner);
  if (!value.has_value()) diagnostic.Emit("attribute ", name, ": ", inner.Result());
  return value;
}

template <typename T>
std::optional<T> DecodeScalar(XLA_FFI_AttrType type, const void* attribute,
                              DiagnosticEngine& diagnostic) {
  if (type != XLA_FFI_AttrType_SCALAR) {
    return diagnostic.Emit("Wrong attribute type: expected scalar but got ",
                           AttributeTypeName(type));
  }
  const auto* scalar = static_cast<const XLA_FFI_Scalar*>(attribute);
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<T>();
  if (static_cast<PrimitiveType>(scalar->dtype) != kType) {
    return diagnostic.Emit("Wrong scalar data type: expected ", PrimitiveType_Name(kType),
                           " but got ",
                           PrimitiveType_Name(static_cast<PrimitiveType>(scalar->dtype)));
  }
  return *static_cast<const T*>(scalar->value);
}

}  // namespace internal

template <typename T>
requires std::is_arithmetic_v<T>
struct AttrDecoding<T> {
  using Type = T;
  static std::optional<T> Decode(XLA_FFI_AttrType type, const void* attribute,
                                 DiagnosticEngine& diagnostic) {
    return internal::DecodeScalar<T>(type, attribute, diagnostic);
  }
};

template <typename T>
struct AttrDecoding<absl::Span<const T>> {
  using Type = absl::Span<const T>;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, const void* attribute,
                                    DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_ARRAY) {
      return diagnostic.Emit("Wrong attribute type: expected array but got ",
                             internal::AttributeTypeName(type));
    }
    const auto* array = static_cast<const XLA_FFI_Array*>(attribute);
    constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<T>();
    if (static_cast<PrimitiveType>(array->dtype) != kType) {
      return diagnostic.Emit("Wrong array data type: expected ", PrimitiveType_Name(kType),
                             " but got ",
                             PrimitiveType_Name(static_cast<PrimitiveType>(array->dtype)));
    }
    return Type(static_cast<const T*>(array->data), array->size);
  }
};

// Strings: views are valid while the handler runs.
template <typename T>
requires std::is_same_v<T, absl::string_view> || std::is_same_v<T, std::string_view> ||
    std::is_same_v<T, std::string>
struct AttrDecoding<T> {
  using Type = T;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, const void* attribute,
                                    DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_STRING) {
      return diagnostic.Emit("Wrong attribute type: expected string but got ",
                             internal::AttributeTypeName(type));
    }
    const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attribute);
    return Type(text->ptr, text->len);
  }
};

template <typename T>
struct AttrDecoding<Pointer<T>> {
  using Type = T*;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, const void* attribute,
                                    DiagnosticEngine& diagnostic) {
    const auto address = internal::DecodeScalar<int64_t>(type, attribute, diagnostic);
    if (!address.has_value()) return std::nullopt;
    return reinterpret_cast<T*>(static_cast<uintptr_t>(*address));
  }
};

// All attributes of a call, or an attribute that is a dictionary. Valid while the handler runs.
class Dictionary {
 public:
  explicit Dictionary(const XLA_FFI_Attrs* attributes) : attributes_(attributes) {}

  int64_t size() const { return attributes_->size; }
  bool contains(absl::string_view name) const {
    return internal::FindAttribute(attributes_, name) >= 0;
  }
  // INVALID_ARGUMENT if there is none of the name, or it is of another type.
  template <typename T>
  absl::StatusOr<typename AttrDecoding<T>::Type> get(absl::string_view name) const {
    DiagnosticEngine diagnostic;
    auto value = internal::DecodeAttribute<T>(attributes_, name, diagnostic);
    if (!value.has_value()) return absl::InvalidArgumentError(diagnostic.Result());
    return *std::move(value);
  }

 private:
  const XLA_FFI_Attrs* attributes_;
};

template <>
struct AttrDecoding<Dictionary> {
  using Type = Dictionary;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, const void* attribute,
                                    DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_DICTIONARY) {
      return diagnostic.Emit("Wrong attribute type: expected dictionary but got ",
                             internal::AttributeTypeName(type));
    }
    return Dictionary(static_cast<const XLA_FFI_Attrs*>(attribute));
  }
};

// One field of a struct that is passed as a dictionary, and its name there.
template <typename T>
struct StructMember {
  using Type = T;
  explicit constexpr StructMember(absl::string_view member) : name(member) {}
  absl::string_view name;
};

// How all attributes of a call become one value: Dictionary, or a struct of
// XLA_FFI_REGISTER_STRUCT_ATTR_DECODING.
template <typename T>
struct AttrsDecoding;

template <>
struct AttrsDecoding<Dictionary> {
  static std::optional<Dictionary> Decode(const XLA_FFI_Attrs* attributes, DiagnosticEngine&) {
    return Dictionary(attributes);
  }
};

namespace internal {

// A T made of the members in braces.
template <typename T, typename... Members>
std::optional<T> DecodeStruct(const XLA_FFI_Attrs* attributes, DiagnosticEngine& diagnostic,
                              const Members&... members) {
  std::tuple<std::optional<typename AttrDecoding<typename Members::Type>::Type>...> values = {
      DecodeAttribute<typename Members::Type>(attributes, members.name, diagnostic)...};
  return std::apply(
      [](auto&... value) -> std::optional<T> {
        if (!(... && value.has_value())) return std::nullopt;
        return T{*std::move(value)...};
      },
      values);
}

}  // namespace internal

}  // namespace xla::ffi

// Lets handlers take attributes of an enum, passed as its underlying type. At global scope.
#define XLA_FFI_REGISTER_ENUM_ATTR_DECODING(T)                                          \
  template <>                                                                           \
  struct xla::ffi::AttrDecoding<T> {                                                    \
    using Type = T;                                                                     \
    static std::optional<T> Decode(XLA_FFI_AttrType type, const void* attribute,        \
                                   ::xla::ffi::DiagnosticEngine& diagnostic) {          \
      const auto value = ::xla::ffi::internal::DecodeScalar<std::underlying_type_t<T>>( \
          type, attribute, diagnostic);                                                 \
      if (!value.has_value()) return std::nullopt;                                      \
      return static_cast<T>(*value);                                                    \
    }                                                                                   \
  };                                                                                    \
  static_assert(std::is_enum_v<T>, "attributes of this form are enums")

// Lets handlers take a struct, as an attribute that is a dictionary or as all attributes:
//   XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
//                                         StructMember<int64_t>("hi"));
#define XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(T, ...)                                            \
  template <>                                                                                    \
  struct xla::ffi::AttrsDecoding<T> {                                                            \
    static std::optional<T> Decode(const XLA_FFI_Attrs* attributes,                              \
                                   ::xla::ffi::DiagnosticEngine& diagnostic) {                   \
      using ::xla::ffi::StructMember;                                                            \
      return ::xla::ffi::internal::DecodeStruct<T>(attributes, diagnostic, __VA_ARGS__);         \
    }                                                                                            \
  };                                                                                             \
  template <>                                                                                    \
  struct xla::ffi::AttrDecoding<T> {                                                             \
    using Type = T;                                                                              \
    static std::optional<T> Decode(XLA_FFI_AttrType type, const void* attribute,                 \
                                   ::xla::ffi::DiagnosticEngine& diagnostic) {                   \
      const auto dictionary =                                                                    \
          ::xla::ffi::AttrDecoding<::xla::ffi::Dictionary>::Decode(type, attribute, diagnostic); \
      if (!dictionary.has_value()) return std::nullopt;                                          \
      return ::xla::ffi::AttrsDecoding<T>::Decode(static_cast<const XLA_FFI_Attrs*>(attribute),  \
                                                  diagnostic);                                   \
    }                                                                                            \
  };                                                                                             \
  static_assert(std::is_class_v<T>, "attributes of this form are structs")

#endif  // XLA_FFI_ATTRIBUTE_H_

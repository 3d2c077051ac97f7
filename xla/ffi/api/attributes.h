// SPDX-License-Identifier: Apache-2.0
// Attributes of calls as values. Part of xla/ffi/api/ffi.h; include that.
#ifndef XLA_FFI_API_ATTRIBUTES_H_
#define XLA_FFI_API_ATTRIBUTES_H_

#include "xla/ffi/api/values.h"

namespace xla::ffi {

// A pointer of this process, passed as an i64.
template <typename T>
struct Pointer {};

namespace internal {

template <typename T>
inline constexpr bool is_scalar_attr_v = NativeTypeToCApiDataType<T>() != XLA_FFI_DataType_INVALID
                                         && !std::is_same_v<T, char>;

template <typename T>
struct ScalarDecoding {
  using Type = T;
  static constexpr XLA_FFI_DataType kType = NativeTypeToCApiDataType<T>();
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return type == XLA_FFI_AttrType_SCALAR &&
           static_cast<const XLA_FFI_Scalar*>(attr)->dtype == kType;
  }
  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_SCALAR) {
      return diagnostic.Emit("Wrong attribute type: expected ")
             << XLA_FFI_AttrType_SCALAR << " but got " << type;
    }
    const auto* scalar = static_cast<const XLA_FFI_Scalar*>(attr);
    if (scalar->dtype != kType) {
      return diagnostic.Emit("Wrong scalar data type: expected ")
             << kType << " but got " << scalar->dtype;
    }
    return *static_cast<const T*>(scalar->value);
  }
};

template <typename T>
struct ArrayDecoding {
  using Type = Span<const T>;
  static constexpr XLA_FFI_DataType kType = NativeTypeToCApiDataType<T>();
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return type == XLA_FFI_AttrType_ARRAY &&
           static_cast<const XLA_FFI_Array*>(attr)->dtype == kType;
  }
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_ARRAY) {
      return diagnostic.Emit("Wrong attribute type: expected ")
             << XLA_FFI_AttrType_ARRAY << " but got " << type;
    }
    const auto* array = static_cast<const XLA_FFI_Array*>(attr);
    if (array->dtype != kType) {
      return diagnostic.Emit("Wrong array data type: expected ")
             << kType << " but got " << array->dtype;
    }
    return Type(static_cast<const T*>(array->data), array->size);
  }
};

template <typename T>
struct StringDecoding {
  using Type = T;
  static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_STRING; }
  static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_STRING) {
      return diagnostic.Emit("Wrong attribute type: expected ")
             << XLA_FFI_AttrType_STRING << " but got " << type;
    }
    const auto* text = static_cast<const XLA_FFI_ByteSpan*>(attr);
    return T(text->ptr, text->len);
  }
};

}  // namespace internal

#define XLA_FFI_SCALAR_ATTR(T) \
  template <>                  \
  struct AttrDecoding<T> : internal::ScalarDecoding<T> {};
XLA_FFI_SCALAR_ATTR(bool)
XLA_FFI_SCALAR_ATTR(int8_t)
XLA_FFI_SCALAR_ATTR(int16_t)
XLA_FFI_SCALAR_ATTR(int32_t)
XLA_FFI_SCALAR_ATTR(int64_t)
XLA_FFI_SCALAR_ATTR(uint8_t)
XLA_FFI_SCALAR_ATTR(uint16_t)
XLA_FFI_SCALAR_ATTR(uint32_t)
XLA_FFI_SCALAR_ATTR(uint64_t)
XLA_FFI_SCALAR_ATTR(float)
XLA_FFI_SCALAR_ATTR(double)
XLA_FFI_SCALAR_ATTR(std::complex<float>)
XLA_FFI_SCALAR_ATTR(std::complex<double>)
#undef XLA_FFI_SCALAR_ATTR

template <typename T>
struct AttrDecoding<Span<const T>> : internal::ArrayDecoding<T> {};
// Valid while the handler runs.
template <>
struct AttrDecoding<std::string_view> : internal::StringDecoding<std::string_view> {};
template <>
struct AttrDecoding<std::string> : internal::StringDecoding<std::string> {};

template <typename T>
struct AttrDecoding<Pointer<T>> {
  using Type = T*;
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    const std::optional<int64_t> address =
        internal::ScalarDecoding<int64_t>::Decode(type, attr, diagnostic);
    if (!address.has_value()) return std::nullopt;
    return reinterpret_cast<T*>(static_cast<uintptr_t>(*address));
  }
};

// The first of several types that the attribute has.
template <typename T0, typename T1, typename... Ts>
struct AttrDecoding<std::variant<T0, T1, Ts...>> {
  using Type = std::variant<T0, T1, Ts...>;
  static bool Isa(XLA_FFI_AttrType type, void* attr) {
    return AttrDecoding<T0>::Isa(type, attr) || AttrDecoding<T1>::Isa(type, attr) ||
           (false || ... || AttrDecoding<Ts>::Isa(type, attr));
  }
  static std::optional<Type> Decode(XLA_FFI_AttrType type, void* attr,
                                    DiagnosticEngine& diagnostic) {
    return First<T0, T1, Ts...>(type, attr, diagnostic);
  }

 private:
  template <typename U, typename... Us>
  static std::optional<Type> First(XLA_FFI_AttrType type, void* attr,
                                   DiagnosticEngine& diagnostic) {
    if (AttrDecoding<U>::Isa(type, attr)) {
      auto value = AttrDecoding<U>::Decode(type, attr, diagnostic);
      if (!value.has_value()) return std::nullopt;
      return Type(*std::move(value));
    }
    if constexpr (sizeof...(Us) > 0) {
      return First<Us...>(type, attr, diagnostic);
    } else {
      return diagnostic.Emit("Wrong attribute type: it doesn't match any of the variant types");
    }
  }
};

namespace internal {

// Attributes by name.
class DictionaryBase {
 public:
  explicit DictionaryBase(const XLA_FFI_Attrs* attrs) : attrs_(attrs) {}

  // Gives the names, in their order.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using difference_type = ptrdiff_t;
    using value_type = std::string_view;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    bool operator==(const Iterator& other) const { return index_ == other.index_; }
    bool operator!=(const Iterator& other) const { return index_ != other.index_; }
    std::string_view operator*() const {
      return {attrs_->names[index_]->ptr, attrs_->names[index_]->len};
    }
    Iterator& operator++() {
      ++index_;
      return *this;
    }

   private:
    friend class DictionaryBase;
    Iterator(const XLA_FFI_Attrs* attrs, int64_t index) : attrs_(attrs), index_(index) {}
    const XLA_FFI_Attrs* attrs_;
    int64_t index_;
  };

  size_t size() const { return static_cast<size_t>(attrs_->size); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return Iterator(attrs_, 0); }
  Iterator end() const { return Iterator(attrs_, attrs_->size); }

  bool contains(std::string_view name) const { return Find(name) != end(); }
  template <typename T>
  bool contains(std::string_view name) const {
    const Iterator found = Find(name);
    return found != end() && isa<T>(found);
  }
  template <typename T>
  bool isa(const Iterator& at) const {
    return AttrDecoding<T>::Isa(attrs_->types[at.index_], attrs_->attrs[at.index_]);
  }

  template <typename T>
  std::optional<typename AttrDecoding<T>::Type> Get(const Iterator& at,
                                                    DiagnosticEngine& diagnostic) const {
    return AttrDecoding<T>::Decode(attrs_->types[at.index_], attrs_->attrs[at.index_], diagnostic);
  }
  template <typename T>
  std::optional<typename AttrDecoding<T>::Type> Get(std::string_view name,
                                                    DiagnosticEngine& diagnostic) const {
    const Iterator found = Find(name);
    if (found == end()) return diagnostic.Emit("Unexpected attribute: ") << name;
    return Get<T>(found, diagnostic);
  }

 private:
  Iterator Find(std::string_view name) const { return std::find(begin(), end(), name); }

  const XLA_FFI_Attrs* attrs_;
};

}  // namespace internal

// All attributes of a call, or one that is a dictionary. Valid while the handler runs.
class Dictionary : public internal::DictionaryBase {
 public:
  using internal::DictionaryBase::DictionaryBase;

  template <typename T>
  ErrorOr<typename AttrDecoding<T>::Type> get(std::string_view name) const {
    return Taken<T>(name);
  }
  template <typename T>
  ErrorOr<typename AttrDecoding<T>::Type> get(const Iterator& at) const {
    return Taken<T>(at);
  }

 private:
  template <typename T, typename Where>
  ErrorOr<typename AttrDecoding<T>::Type> Taken(const Where& where) const {
    DiagnosticEngine diagnostic;
    auto value = Get<T>(where, diagnostic);
    if (!value.has_value()) return Error::Internal(diagnostic.Result());
    return *std::move(value);
  }
};

template <>
struct AttrDecoding<Dictionary> {
  using Type = Dictionary;
  static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_DICTIONARY; }
  static std::optional<Dictionary> Decode(XLA_FFI_AttrType type, void* attr,
                                          DiagnosticEngine& diagnostic) {
    if (type != XLA_FFI_AttrType_DICTIONARY) {
      return diagnostic.Emit("Wrong attribute type: expected ")
             << XLA_FFI_AttrType_DICTIONARY << " but got " << type;
    }
    return Dictionary(static_cast<const XLA_FFI_Attrs*>(attr));
  }
};

// --- Structs and enums

// One member of a struct that is passed as a dictionary, and its name there.
template <typename T>
struct StructMember {
  using Type = T;
  explicit StructMember(std::string_view member) : name(member) {}
  std::string_view name;
};

namespace internal {

template <typename T, typename... Members>
std::optional<T> DecodeStruct(XLA_FFI_AttrType type, void* attr, DiagnosticEngine& diagnostic,
                              const Members&... members) {
  const std::optional<Dictionary> dictionary =
      AttrDecoding<Dictionary>::Decode(type, attr, diagnostic);
  if (!dictionary.has_value()) return std::nullopt;
  if (dictionary->size() != sizeof...(Members)) {
    return diagnostic.Emit("Wrong number of attributes: expected ")
           << sizeof...(Members) << " attributes but got " << dictionary->size();
  }
  std::tuple<std::optional<typename AttrDecoding<typename Members::Type>::Type>...> values = {
      dictionary->template Get<typename Members::Type>(members.name, diagnostic)...};
  return std::apply(
      [](auto&... value) -> std::optional<T> {
        if (!(true && ... && value.has_value())) return std::nullopt;
        return T{*std::move(value)...};
      },
      values);
}

}  // namespace internal

}  // namespace xla::ffi

// XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("lo"),
//                                       StructMember<int64_t>("hi")); at global scope.
#define XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(T, ...)                                             \
  namespace xla::ffi {                                                                            \
  template <>                                                                                     \
  struct AttrsBinding<T> {                                                                        \
    using Attrs = T;                                                                              \
  };                                                                                              \
  template <>                                                                                     \
  struct AttrDecoding<T> {                                                                        \
    using Type = T;                                                                               \
    static bool Isa(XLA_FFI_AttrType type, void*) { return type == XLA_FFI_AttrType_DICTIONARY; } \
    static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr,                             \
                                   DiagnosticEngine& diagnostic) {                                \
      return ::xla::ffi::internal::DecodeStruct<T>(type, attr, diagnostic, __VA_ARGS__);          \
    }                                                                                             \
  };                                                                                              \
  }                                                                                               \
  static_assert(std::is_class_v<T>)

// An enum, passed as its underlying type; at global scope.
#define XLA_FFI_REGISTER_ENUM_ATTR_DECODING(T)                                             \
  namespace xla::ffi {                                                                     \
  template <>                                                                              \
  struct AttrDecoding<T> {                                                                 \
    using Type = T;                                                                        \
    using Number = ::xla::ffi::internal::ScalarDecoding<std::underlying_type_t<T>>;        \
    static bool Isa(XLA_FFI_AttrType type, void* attr) { return Number::Isa(type, attr); } \
    static std::optional<T> Decode(XLA_FFI_AttrType type, void* attr,                      \
                                   DiagnosticEngine& diagnostic) {                         \
      const auto number = Number::Decode(type, attr, diagnostic);                          \
      if (!number.has_value()) return std::nullopt;                                        \
      return static_cast<T>(*number);                                                      \
    }                                                                                      \
  };                                                                                       \
  }                                                                                        \
  static_assert(std::is_enum_v<T>)

#endif  // XLA_FFI_API_ATTRIBUTES_H_

// SPDX-License-Identifier: Apache-2.0
// How a C++ function becomes a handler of the C interface: bindings, and the decoding of a call
// frame into the function's parameters. Part of xla/ffi/api/ffi.h; include that.
#ifndef XLA_FFI_API_API_H_
#define XLA_FFI_API_API_H_

#include <algorithm>
#include <array>
#include <cassert>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "xla/ffi/api/c_api.h"

// --- What decoders that users write may be declared with

#if defined(__GNUC__) || defined(__clang__)
#define XLA_FFI_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define XLA_FFI_ATTRIBUTE_NEVER_INLINE __attribute__((noinline))
#define XLA_FFI_PREDICT_FALSE(x) (__builtin_expect(static_cast<bool>(x), false))
#define XLA_FFI_PREDICT_TRUE(x) (__builtin_expect(static_cast<bool>(x), true))
#else
#define XLA_FFI_ATTRIBUTE_ALWAYS_INLINE
#define XLA_FFI_ATTRIBUTE_NEVER_INLINE
#define XLA_FFI_PREDICT_FALSE(x) (x)
#define XLA_FFI_PREDICT_TRUE(x) (x)
#endif

// --- Names of the interface's numbers, in messages

inline std::ostream& operator<<(std::ostream& out, XLA_FFI_DataType type) {
  switch (type) {
#define XLA_FFI_NAME(name)      \
  case XLA_FFI_DataType_##name: \
    return out << #name;
    XLA_FFI_NAME(INVALID)
    XLA_FFI_NAME(PRED)
    XLA_FFI_NAME(S1)
    XLA_FFI_NAME(S2)
    XLA_FFI_NAME(S4)
    XLA_FFI_NAME(S8)
    XLA_FFI_NAME(S16)
    XLA_FFI_NAME(S32)
    XLA_FFI_NAME(S64)
    XLA_FFI_NAME(U1)
    XLA_FFI_NAME(U2)
    XLA_FFI_NAME(U4)
    XLA_FFI_NAME(U8)
    XLA_FFI_NAME(U16)
    XLA_FFI_NAME(U32)
    XLA_FFI_NAME(U64)
    XLA_FFI_NAME(F16)
    XLA_FFI_NAME(F32)
    XLA_FFI_NAME(F64)
    XLA_FFI_NAME(BF16)
    XLA_FFI_NAME(C64)
    XLA_FFI_NAME(C128)
    XLA_FFI_NAME(TOKEN)
    XLA_FFI_NAME(F4E2M1FN)
    XLA_FFI_NAME(F8E5M2)
    XLA_FFI_NAME(F8E3M4)
    XLA_FFI_NAME(F8E4M3)
    XLA_FFI_NAME(F8E4M3FN)
    XLA_FFI_NAME(F8E4M3B11FNUZ)
    XLA_FFI_NAME(F8E5M2FNUZ)
    XLA_FFI_NAME(F8E4M3FNUZ)
    XLA_FFI_NAME(F8E8M0FNU)
#undef XLA_FFI_NAME
  }
  return out << "type " << static_cast<int>(type);
}

inline std::ostream& operator<<(std::ostream& out, XLA_FFI_ArgType type) {
  return type == XLA_FFI_ArgType_BUFFER ? out << "buffer"
                                        : out << "type " << static_cast<int>(type);
}

inline std::ostream& operator<<(std::ostream& out, XLA_FFI_RetType type) {
  return type == XLA_FFI_RetType_BUFFER ? out << "buffer"
                                        : out << "type " << static_cast<int>(type);
}

inline std::ostream& operator<<(std::ostream& out, XLA_FFI_AttrType type) {
  switch (type) {
    case XLA_FFI_AttrType_ARRAY:
      return out << "array";
    case XLA_FFI_AttrType_DICTIONARY:
      return out << "dictionary";
    case XLA_FFI_AttrType_SCALAR:
      return out << "scalar";
    case XLA_FFI_AttrType_STRING:
      return out << "string";
  }
  return out << "type " << static_cast<int>(type);
}

inline std::ostream& operator<<(std::ostream& out, XLA_FFI_ExecutionStage stage) {
  switch (stage) {
    case XLA_FFI_ExecutionStage_INSTANTIATE:
      return out << "instantiate";
    case XLA_FFI_ExecutionStage_PREPARE:
      return out << "prepare";
    case XLA_FFI_ExecutionStage_INITIALIZE:
      return out << "initialize";
    case XLA_FFI_ExecutionStage_EXECUTE:
      return out << "execute";
    case XLA_FFI_ExecutionStage_RECORD:
      return out << "record";
  }
  return out << "stage " << static_cast<int>(stage);
}

inline bool operator==(const XLA_FFI_TypeId& a, const XLA_FFI_TypeId& b) {
  return a.type_id == b.type_id;
}
inline bool operator!=(const XLA_FFI_TypeId& a, const XLA_FFI_TypeId& b) { return !(a == b); }
inline bool operator==(const XLA_FFI_Api_Version& a, const XLA_FFI_Api_Version& b) {
  return a.major_version == b.major_version && a.minor_version == b.minor_version;
}
inline bool operator!=(const XLA_FFI_Api_Version& a, const XLA_FFI_Api_Version& b) {
  return !(a == b);
}
inline bool operator==(const XLA_FFI_Metadata& a, const XLA_FFI_Metadata& b) {
  return a.api_version == b.api_version && a.traits == b.traits &&
         a.state_type_id == b.state_type_id;
}
inline bool operator!=(const XLA_FFI_Metadata& a, const XLA_FFI_Metadata& b) { return !(a == b); }
inline bool operator==(const XLA_FFI_Handler_Bundle& a, const XLA_FFI_Handler_Bundle& b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare && a.initialize == b.initialize &&
         a.execute == b.execute && a.record == b.record;
}
inline bool operator!=(const XLA_FFI_Handler_Bundle& a, const XLA_FFI_Handler_Bundle& b) {
  return !(a == b);
}

namespace xla::ffi {

enum class ExecutionStage : uint8_t {
  kInstantiate = XLA_FFI_ExecutionStage_INSTANTIATE,
  kPrepare = XLA_FFI_ExecutionStage_PREPARE,
  kInitialize = XLA_FFI_ExecutionStage_INITIALIZE,
  kExecute = XLA_FFI_ExecutionStage_EXECUTE,
  kRecord = XLA_FFI_ExecutionStage_RECORD,
};

enum class Traits : uint32_t {
  kCmdBufferCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE,
};

class Dictionary;
class Context;
class RemainingArgs;
class RemainingRets;
// A tag for Ctx: the options of the run, as a Dictionary.
struct CustomOptions {};

template <ExecutionStage stage, typename... Tags>
class Binding;
template <ExecutionStage stage, typename Function, typename... Tags>
class Handler;

// --- Points of extension: users may specialize these for types of their own.

// Decode(type, pointer, diagnostic) gives an optional parameter of the function.
template <typename T>
struct ArgDecoding;
template <typename T>
struct RetDecoding;
template <typename T>
struct AttrDecoding;
// Decode(api, context, diagnostic).
template <typename T>
struct CtxDecoding;
// Encode(api, context, result) gives an XLA_FFI_Error*, or a variant of that and XLA_FFI_Future*.
template <ExecutionStage stage, typename T>
struct ResultEncoding;

// What a parameter of a function is bound to where the binding follows from its type (BindTo).
template <typename T>
struct ArgBinding {
  using Arg = void;
};
template <typename T>
struct RetBinding {
  using Ret = void;
};
template <typename T>
struct AttrBinding {
  using Attr = void;
};
template <typename T>
struct AttrsBinding {
  using Attrs = void;
};
template <typename T>
struct CtxBinding {
  using Ctx = void;
};

// --- Diagnostics

class DiagnosticEngine;

// A message under way, which joins the others when it ends. Converts to an empty optional, so that
// decoders can return it.
class InFlightDiagnostic {
 public:
  InFlightDiagnostic(DiagnosticEngine* engine, std::string text) : engine_(engine) {
    stream_ << text;
  }
  InFlightDiagnostic(const InFlightDiagnostic&) = delete;
  InFlightDiagnostic& operator=(const InFlightDiagnostic&) = delete;
  ~InFlightDiagnostic();

  template <typename T>
  InFlightDiagnostic& operator<<(T&& value) {
    stream_ << std::forward<T>(value);
    return *this;
  }
  template <typename T>
  operator std::optional<T>() const {  // NOLINT: implicit
    return std::nullopt;
  }

 private:
  DiagnosticEngine* engine_;
  std::stringstream stream_;
};

class DiagnosticEngine {
 public:
  DiagnosticEngine() = default;
  DiagnosticEngine(const DiagnosticEngine&) = delete;
  DiagnosticEngine& operator=(const DiagnosticEngine&) = delete;

  InFlightDiagnostic Emit(std::string text) { return InFlightDiagnostic(this, std::move(text)); }
  std::string Result() const { return text_; }

 private:
  friend class InFlightDiagnostic;
  std::string text_;
};

inline InFlightDiagnostic::~InFlightDiagnostic() { engine_->text_ += stream_.str(); }

// --- Parameters of functions

// A result: an array to write to.
template <typename T>
class Result {
 public:
  Result(T value) : value_(value) {}  // NOLINT: implicit
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

// An attribute whose name is part of its type, for BindTo.
template <typename T, char const* attr_name>
class Attr {
 public:
  Attr(T value) : value_(value) {}  // NOLINT: implicit
  T& operator*() { return value_; }
  T* operator->() { return &value_; }

 private:
  T value_;
};

inline constexpr size_t kDynamicRank = std::numeric_limits<size_t>::max();
template <size_t... ranks>
constexpr bool IsDynamicRank() {
  return (false || ... || (ranks == kDynamicRank));
}

namespace internal {

template <typename... Ts>
std::string StrCat(const Ts&... values) {
  std::stringstream stream;
  (stream << ... << values);
  return stream.str();
}

// --- Tags: what a binding lists, one a parameter of the function
template <typename T>
struct ArgTag {};
template <typename T>
struct OptionalArgTag {};
struct RemainingArgsTag {};
template <typename T>
struct RetTag {};
template <typename T>
struct OptionalRetTag {};
struct RemainingRetsTag {};
template <typename T>
struct AttrTag {};
template <typename T>
struct AttrsTag {};
template <typename T>
struct CtxTag {};

template <typename Tag, template <typename> class Kind>
inline constexpr bool is_tag_v = false;
template <typename T, template <typename> class Kind>
inline constexpr bool is_tag_v<Kind<T>, Kind> = true;

template <template <typename> class Kind, typename... Tags>
inline constexpr int64_t count_v = (0 + ... + static_cast<int64_t>(is_tag_v<Tags, Kind>));
template <typename Tag, typename... Tags>
inline constexpr bool has_v = (false || ... || std::is_same_v<Tag, Tags>);

template <typename T>
constexpr XLA_FFI_DataType NativeTypeToCApiDataType() {
  if constexpr (std::is_same_v<T, bool>) return XLA_FFI_DataType_PRED;
  if constexpr (std::is_same_v<T, char>) return XLA_FFI_DataType_U8;
  if constexpr (std::is_same_v<T, int8_t>) return XLA_FFI_DataType_S8;
  if constexpr (std::is_same_v<T, int16_t>) return XLA_FFI_DataType_S16;
  if constexpr (std::is_same_v<T, int32_t>) return XLA_FFI_DataType_S32;
  if constexpr (std::is_same_v<T, int64_t>) return XLA_FFI_DataType_S64;
  if constexpr (std::is_same_v<T, uint8_t>) return XLA_FFI_DataType_U8;
  if constexpr (std::is_same_v<T, uint16_t>) return XLA_FFI_DataType_U16;
  if constexpr (std::is_same_v<T, uint32_t>) return XLA_FFI_DataType_U32;
  if constexpr (std::is_same_v<T, uint64_t>) return XLA_FFI_DataType_U64;
  if constexpr (std::is_same_v<T, float>) return XLA_FFI_DataType_F32;
  if constexpr (std::is_same_v<T, double>) return XLA_FFI_DataType_F64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return XLA_FFI_DataType_C64;
  if constexpr (std::is_same_v<T, std::complex<double>>) return XLA_FFI_DataType_C128;
  return XLA_FFI_DataType_INVALID;
}

// --- Errors of the interface
inline XLA_FFI_Error* MakeError(const XLA_FFI_Api* api, XLA_FFI_Error_Code code,
                                const std::string& message) {
  XLA_FFI_Error_Create_Args args = {};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message.c_str();
  args.errc = code;
  return api->XLA_FFI_Error_Create(&args);
}

inline void DestroyError(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  XLA_FFI_Error_Destroy_Args args = {};
  args.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  api->XLA_FFI_Error_Destroy(&args);
}

struct ErrorDetails {
  XLA_FFI_Error_Code errc;
  const char* message;  // as long as the error
};

inline ErrorDetails GetErrorDetails(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  XLA_FFI_Error_GetDetails_Args args = {};
  args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
  args.error = error;
  args.errc = XLA_FFI_Error_Code_INTERNAL;
  api->XLA_FFI_Error_GetDetails(&args);
  return {args.errc, args.message};
}

inline const char* GetErrorMessage(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  return GetErrorDetails(api, error).message;
}

// Whether a call of the interface succeeded; otherwise its error becomes a diagnostic.
inline bool Succeeded(const XLA_FFI_Api* api, XLA_FFI_Error* error, const char* what,
                      DiagnosticEngine& diagnostic) {
  if (error == nullptr) return true;
  diagnostic.Emit(what) << ": " << GetErrorMessage(api, error);
  DestroyError(api, error);
  return false;
}

// --- Decoding: the parameter that a tag stands for
struct DecodingOffsets {
  int64_t args = 0, rets = 0, attrs = 0;
};

struct DecodingContext {
  XLA_FFI_CallFrame* call_frame;
  const std::string* attrs_names;
  const size_t* attrs_idx;  // of each name its position among the sorted ones
};

template <typename Tag>
struct Decode;

template <typename T>
struct Decode<ArgTag<T>> {
  static std::optional<T> call(DecodingOffsets& offsets, DecodingContext& context,
                               DiagnosticEngine& diagnostic) {
    const int64_t i = offsets.args++;
    const XLA_FFI_Args& args = context.call_frame->args;
    if (i >= args.size) return diagnostic.Emit("Argument ") << i << " is missing";
    return ArgDecoding<T>::Decode(args.types[i], args.args[i], diagnostic);
  }
};

template <typename T>
struct Decode<OptionalArgTag<T>> {
  static std::optional<std::optional<T>> call(DecodingOffsets& offsets, DecodingContext& context,
                                              DiagnosticEngine& diagnostic) {
    if (offsets.args >= context.call_frame->args.size) {
      return std::optional<std::optional<T>>(std::optional<T>());
    }
    auto value = Decode<ArgTag<T>>::call(offsets, context, diagnostic);
    if (!value.has_value()) return std::nullopt;
    return std::optional<std::optional<T>>(std::move(value));
  }
};

template <typename T>
struct Decode<RetTag<T>> {
  static std::optional<Result<T>> call(DecodingOffsets& offsets, DecodingContext& context,
                                       DiagnosticEngine& diagnostic) {
    const int64_t i = offsets.rets++;
    const XLA_FFI_Rets& rets = context.call_frame->rets;
    if (i >= rets.size) return diagnostic.Emit("Result ") << i << " is missing";
    return RetDecoding<T>::Decode(rets.types[i], rets.rets[i], diagnostic);
  }
};

template <typename T>
struct Decode<OptionalRetTag<T>> {
  using Value = std::optional<Result<T>>;
  static std::optional<Value> call(DecodingOffsets& offsets, DecodingContext& context,
                                   DiagnosticEngine& diagnostic) {
    if (offsets.rets >= context.call_frame->rets.size) return std::optional<Value>(Value());
    auto value = Decode<RetTag<T>>::call(offsets, context, diagnostic);
    if (!value.has_value()) return std::nullopt;
    return std::optional<Value>(std::move(value));
  }
};

template <typename T>
struct Decode<AttrTag<T>> {
  static std::optional<typename AttrDecoding<T>::Type> call(DecodingOffsets& offsets,
                                                            DecodingContext& context,
                                                            DiagnosticEngine& diagnostic) {
    const int64_t number = offsets.attrs++;
    const auto i = static_cast<int64_t>(context.attrs_idx[number]);
    const std::string& name = context.attrs_names[number];
    const XLA_FFI_Attrs& attrs = context.call_frame->attrs;
    if (i >= attrs.size) return diagnostic.Emit("Attribute ") << name << " is missing";
    const std::string_view given(attrs.names[i]->ptr, attrs.names[i]->len);
    if (given != name) {
      return diagnostic.Emit("Attribute name mismatch: ") << given << " vs " << name;
    }
    return AttrDecoding<T>::Decode(attrs.types[i], attrs.attrs[i], diagnostic);
  }
};

template <typename T>
struct Decode<AttrsTag<T>> {
  static std::optional<T> call(DecodingOffsets&, DecodingContext& context,
                               DiagnosticEngine& diagnostic) {
    return AttrDecoding<T>::Decode(XLA_FFI_AttrType_DICTIONARY, &context.call_frame->attrs,
                                   diagnostic);
  }
};

template <typename T>
struct Decode<CtxTag<T>> {
  static std::optional<typename CtxDecoding<T>::Type> call(DecodingOffsets&,
                                                           DecodingContext& context,
                                                           DiagnosticEngine& diagnostic) {
    return CtxDecoding<T>::Decode(context.call_frame->api, context.call_frame->ctx, diagnostic);
  }
};

// What the function takes for a tag.
template <typename Tag>
struct FnArgType;
template <typename T>
struct FnArgType<ArgTag<T>> {
  using Type = T;
};
template <typename T>
struct FnArgType<OptionalArgTag<T>> {
  using Type = std::optional<T>;
};
template <>
struct FnArgType<RemainingArgsTag> {
  using Type = RemainingArgs;
};
template <typename T>
struct FnArgType<RetTag<T>> {
  using Type = Result<T>;
};
template <typename T>
struct FnArgType<OptionalRetTag<T>> {
  using Type = std::optional<Result<T>>;
};
template <>
struct FnArgType<RemainingRetsTag> {
  using Type = RemainingRets;
};
template <typename T>
struct FnArgType<AttrTag<T>> {
  using Type = typename AttrDecoding<T>::Type;
};
template <typename T>
struct FnArgType<AttrsTag<T>> {
  using Type = T;
};
template <typename T>
struct FnArgType<CtxTag<T>> {
  using Type = typename CtxDecoding<T>::Type;
};

// Does the result of the function set a state?
template <typename Encoding, typename = void>
inline constexpr bool is_state_constructor_v = false;
template <typename Encoding>
inline constexpr bool is_state_constructor_v<
    Encoding, std::void_t<decltype(Encoding::state_type_id(std::declval<const XLA_FFI_Api*>()))>> =
    true;

}  // namespace internal

// --- Handlers

class Ffi {
 public:
  virtual ~Ffi() = default;
  virtual XLA_FFI_Error* Call(XLA_FFI_CallFrame* call_frame) const = 0;

  // The empty binding, to which parameters are added in the order of the function's.
  template <ExecutionStage stage = ExecutionStage::kExecute>
  static Binding<stage> Bind();
  static Binding<ExecutionStage::kInstantiate> BindInstantiate();
  static Binding<ExecutionStage::kPrepare> BindPrepare();
  static Binding<ExecutionStage::kInitialize> BindInitialize();
  static Binding<ExecutionStage::kExecute> BindExecute();
  static Binding<ExecutionStage::kRecord> BindRecord();

  // A handler whose binding follows from the types of the function's parameters.
  template <typename Fn, ExecutionStage stage = ExecutionStage::kExecute>
  static auto BindTo(Fn fn, std::initializer_list<Traits> traits = {});

  // For the process, under a name. Null: success.
  static XLA_FFI_Error* RegisterStaticHandler(const XLA_FFI_Api* api, std::string_view name,
                                              std::string_view platform,
                                              XLA_FFI_Handler_Bundle bundle,
                                              XLA_FFI_Handler_Traits traits = 0) {
    XLA_FFI_Handler_Register_Args args = {};
    args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
    args.name = {name.data(), name.size()};
    args.platform = {platform.data(), platform.size()};
    args.bundle = bundle;
    args.traits = traits;
    return api->XLA_FFI_Handler_Register(&args);
  }
  static XLA_FFI_Error* RegisterStaticHandler(const XLA_FFI_Api* api, std::string_view name,
                                              std::string_view platform, XLA_FFI_Handler* execute,
                                              XLA_FFI_Handler_Traits traits = 0) {
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = execute;
    return RegisterStaticHandler(api, name, platform, bundle, traits);
  }

  // A type of states and user data, which gets a number.
  static XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api, std::string_view name,
                                       XLA_FFI_TypeId* type_id, const XLA_FFI_TypeInfo* type_info) {
    XLA_FFI_Type_Register_Args args = {};
    args.struct_size = sizeof(args);
    args.name = {name.data(), name.size()};
    args.type_id = type_id;
    args.type_info = type_info;
    return api->XLA_FFI_Type_Register(&args);
  }
  static XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api, std::string_view name,
                                       XLA_FFI_TypeId* type_id, XLA_FFI_TypeInfo type_info) {
    return RegisterTypeId(api, name, type_id, &type_info);
  }

  // A function as a value that the compiler can inline.
  template <auto fn>
  struct Wrapper;
  template <typename Ret, typename... Args, Ret (*fn)(Args...)>
  struct Wrapper<fn> {
    Ret operator()(Args... args) const { return fn(std::forward<Args>(args)...); }
  };

 protected:
  // For handlers that users derive themselves.
  static XLA_FFI_Error* Success() { return nullptr; }
  static XLA_FFI_Error* MakeError(const XLA_FFI_Api* api, XLA_FFI_Error_Code code,
                                  const std::string& message) {
    return internal::MakeError(api, code, message);
  }
  static XLA_FFI_Error* InvalidArgument(const XLA_FFI_Api* api, const std::string& message) {
    return MakeError(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, message);
  }
  static XLA_FFI_Error* FailedPrecondition(const XLA_FFI_Api* api, const std::string& message) {
    return MakeError(api, XLA_FFI_Error_Code_FAILED_PRECONDITION, message);
  }
  // Checks of the size that a caller states of a struct: that it is the one, or at least that.
  static XLA_FFI_Error* CheckStructSize(const XLA_FFI_Api* api, std::string_view name,
                                        size_t expected, size_t actual) {
    if (actual == expected) return nullptr;
    return WrongSize(api, name, " size: expected ", expected, actual);
  }
  static XLA_FFI_Error* StructSizeIsGreaterOrEqual(const XLA_FFI_Api* api, std::string_view name,
                                                   size_t expected, size_t actual) {
    if (actual >= expected) return nullptr;
    return WrongSize(api, name, " size: expected at least ", expected, actual);
  }

 private:
  static XLA_FFI_Error* WrongSize(const XLA_FFI_Api* api, std::string_view name, const char* rule,
                                  size_t expected, size_t actual) {
    return InvalidArgument(api, internal::StrCat("Unexpected ", name, rule, expected, " got ",
                                                 actual, ". Check installed software versions."));
  }
};

template <ExecutionStage stage, typename... Tags>
class Binding {
  template <typename Tag>
  using With = Binding<stage, Tags..., Tag>;
  static constexpr bool kMayAddArg = !internal::has_v<internal::RemainingArgsTag, Tags...> &&
                                     internal::count_v<internal::OptionalArgTag, Tags...> == 0;
  static constexpr bool kMayAddRet = !internal::has_v<internal::RemainingRetsTag, Tags...> &&
                                     internal::count_v<internal::OptionalRetTag, Tags...> == 0;

 public:
  Binding(Binding&&) = default;

  template <typename T>
  With<internal::ArgTag<T>> Arg() && {
    static_assert(kMayAddArg, "arguments come before optional and remaining ones");
    return Next<internal::ArgTag<T>>();
  }
  template <typename T>
  With<internal::RetTag<T>> Ret() && {
    static_assert(kMayAddRet, "results come before optional and remaining ones");
    return Next<internal::RetTag<T>>();
  }
  template <typename T>
  With<internal::OptionalArgTag<T>> OptionalArg() && {
    static_assert(!internal::has_v<internal::RemainingArgsTag, Tags...>,
                  "optional arguments come before remaining ones");
    return Next<internal::OptionalArgTag<T>>();
  }
  template <typename T>
  With<internal::OptionalRetTag<T>> OptionalRet() && {
    static_assert(!internal::has_v<internal::RemainingRetsTag, Tags...>,
                  "optional results come before remaining ones");
    return Next<internal::OptionalRetTag<T>>();
  }
  With<internal::RemainingArgsTag> RemainingArgs() && {
    static_assert(!internal::has_v<internal::RemainingArgsTag, Tags...>, "only once");
    return Next<internal::RemainingArgsTag>();
  }
  With<internal::RemainingRetsTag> RemainingRets() && {
    static_assert(!internal::has_v<internal::RemainingRetsTag, Tags...>, "only once");
    return Next<internal::RemainingRetsTag>();
  }
  template <typename T>
  With<internal::AttrTag<T>> Attr(std::string name) && {
    static_assert(internal::count_v<internal::AttrsTag, Tags...> == 0,
                  "attributes one by one, or all of them");
    names_.push_back(std::move(name));
    return Next<internal::AttrTag<T>>();
  }
  template <typename T = Dictionary>
  With<internal::AttrsTag<T>> Attrs() && {
    static_assert(internal::count_v<internal::AttrTag, Tags...> == 0,
                  "attributes one by one, or all of them");
    return Next<internal::AttrsTag<T>>();
  }
  template <typename T>
  With<internal::CtxTag<T>> Ctx() && {
    return Next<internal::CtxTag<T>>();
  }
  With<internal::CtxTag<Context>> Ctx() && { return Next<internal::CtxTag<Context>>(); }

  template <typename Fn>
  std::unique_ptr<Handler<stage, Fn, Tags...>> To(Fn fn,
                                                  std::initializer_list<Traits> traits = {}) {
    return std::unique_ptr<Handler<stage, Fn, Tags...>>(
        new Handler<stage, Fn, Tags...>(std::move(fn), traits, names_));
  }

 private:
  template <ExecutionStage, typename...>
  friend class Binding;
  friend class Ffi;
  explicit Binding(std::vector<std::string> names) : names_(std::move(names)) {}
  template <typename Tag>
  With<Tag> Next() {
    return With<Tag>(std::move(names_));
  }

  std::vector<std::string> names_;  // of attributes
};

template <ExecutionStage stage>
Binding<stage> Ffi::Bind() {
  return Binding<stage>(std::vector<std::string>());
}
inline Binding<ExecutionStage::kInstantiate> Ffi::BindInstantiate() {
  return Bind<ExecutionStage::kInstantiate>();
}
inline Binding<ExecutionStage::kPrepare> Ffi::BindPrepare() {
  return Bind<ExecutionStage::kPrepare>();
}
inline Binding<ExecutionStage::kInitialize> Ffi::BindInitialize() {
  return Bind<ExecutionStage::kInitialize>();
}
inline Binding<ExecutionStage::kExecute> Ffi::BindExecute() {
  return Bind<ExecutionStage::kExecute>();
}
inline Binding<ExecutionStage::kRecord> Ffi::BindRecord() {
  return Bind<ExecutionStage::kRecord>();
}

}  // namespace xla::ffi

#endif  // XLA_FFI_API_API_H_

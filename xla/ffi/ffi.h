// SPDX-License-Identifier: Apache-2.0
// Functions that HLO programs call: custom calls of api_version=API_VERSION_TYPED_FFI, bound to C++
// functions that take typed arrays and attributes.
//
//   static absl::Status Scale(ffi::Buffer<F32> in, ffi::Result<ffi::Buffer<F32>> out, float by) {
//     for (int64_t i = 0; i < in.element_count(); ++i) {
//       out->typed_data()[i] = by * in.typed_data()[i];
//     }
//     return absl::OkStatus();
//   }
//   XLA_FFI_DEFINE_HANDLER(kScale, Scale, ffi::Ffi::Bind().Arg<ffi::Buffer<F32>>()
//                                             .Ret<ffi::Buffer<F32>>().Attr<float>("by"));
//   XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "scale", "Host", kScale);
//
// The binding lists what the function takes, in order. A call that does not fit it (number, element
// types and ranks of arrays, names and types of attributes) fails with INVALID_ARGUMENT, and the
// function is not called. Functions may run on several threads at once.
//
// A handler may have stages. The one for kInstantiate runs once for each instruction of a program,
// sees only attributes, and may return absl::StatusOr<std::unique_ptr<T>>: the state, which the
// others take as Ctx<State<T>>. kPrepare and kInitialize run before each kExecute.
#ifndef XLA_FFI_FFI_H_
#define XLA_FFI_FFI_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/executable_run_options.h"
#include "xla/ffi/api/c_api.h"
#include "xla/ffi/attribute.h"
#include "xla/ffi/buffer.h"
#include "xla/ffi/ffi_api.h"
#include "xla/ffi/type_id.h"

namespace xla::ffi {

enum class ExecutionStage : uint8_t {
  kInstantiate = XLA_FFI_ExecutionStage_INSTANTIATE,
  kPrepare = XLA_FFI_ExecutionStage_PREPARE,
  kInitialize = XLA_FFI_ExecutionStage_INITIALIZE,
  kExecute = XLA_FFI_ExecutionStage_EXECUTE,
};

// --- What the run hands to a handler: tags for Ctx<..>().

// An object of the ExecutionContext of the run, as T*.
template <typename T>
struct UserData {};
// The states of the stages, as T*.
template <typename T>
struct State {};
template <typename T>
struct Prepared {};
template <typename T>
struct Initialized {};
// The device that runs, as int32_t.
struct DeviceOrdinal {};

// How a tag is read: Type is what the handler takes. RunId is a tag for itself.
template <typename T>
struct CtxDecoding;

namespace internal {

// The error of a call of the interface as a diagnostic; false if there is one.
inline bool Succeeded(const XLA_FFI_Api* api, XLA_FFI_Error* error, const char* what,
                      DiagnosticEngine& diagnostic) {
  if (error == nullptr) return true;
  XLA_FFI_Error_GetDetails_Args details = {sizeof(details), nullptr, error, nullptr,
                                           XLA_FFI_Error_Code_INTERNAL};
  api->XLA_FFI_Error_GetDetails(&details);
  diagnostic.Emit("Failed to get ", what, ": ", details.message);
  XLA_FFI_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, error};
  api->XLA_FFI_Error_Destroy(&destroy);
  return false;
}

template <typename T, ExecutionStage kStage>
struct StateDecoding {
  using Type = T*;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    XLA_FFI_TypeId id = TypeIdOf<T>();
    XLA_FFI_State_Get_Args args = {
        sizeof(args), nullptr, context, static_cast<XLA_FFI_ExecutionStage>(kStage), &id, nullptr};
    if (!Succeeded(api, api->XLA_FFI_State_Get(&args), "state", diagnostic)) return std::nullopt;
    return static_cast<T*>(args.state);
  }
};

}  // namespace internal

template <typename T>
struct CtxDecoding<State<T>> : internal::StateDecoding<T, ExecutionStage::kInstantiate> {};
template <typename T>
struct CtxDecoding<Prepared<T>> : internal::StateDecoding<T, ExecutionStage::kPrepare> {};
template <typename T>
struct CtxDecoding<Initialized<T>> : internal::StateDecoding<T, ExecutionStage::kInitialize> {};

template <typename T>
struct CtxDecoding<UserData<T>> {
  using Type = T*;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    XLA_FFI_TypeId id = internal::TypeIdOf<T>();
    XLA_FFI_InvokeContext_Get_Args args = {sizeof(args), nullptr, context, &id, nullptr};
    if (!internal::Succeeded(api, api->XLA_FFI_InvokeContext_Get(&args), "user data", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.data);
  }
};

template <>
struct CtxDecoding<DeviceOrdinal> {
  using Type = int32_t;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    XLA_FFI_DeviceOrdinal_Get_Args args = {sizeof(args), nullptr, context, 0};
    if (!internal::Succeeded(api, api->XLA_FFI_DeviceOrdinal_Get(&args), "device ordinal",
                             diagnostic)) {
      return std::nullopt;
    }
    return args.device_ordinal;
  }
};

template <>
struct CtxDecoding<RunId> {
  using Type = RunId;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    XLA_FFI_RunId_Get_Args args = {sizeof(args), nullptr, context, 0};
    if (!internal::Succeeded(api, api->XLA_FFI_RunId_Get(&args), "run id", diagnostic)) {
      return std::nullopt;
    }
    return RunId(args.run_id);
  }
};

// --- Arrays beyond those that a binding lists

// Arguments, decoded on demand.
class RemainingArgs {
 public:
  RemainingArgs(const XLA_FFI_Args* args, int64_t offset) : args_(args), offset_(offset) {}
  size_t size() const { return static_cast<size_t>(args_->size - offset_); }
  bool empty() const { return size() == 0; }
  // INVALID_ARGUMENT for an argument that does not exist or is not a T.
  template <typename T>
  absl::StatusOr<T> get(size_t index) const {
    if (index >= size()) return absl::InvalidArgumentError("Index out of range");
    DiagnosticEngine diagnostic;
    auto value = BufferDecoding<T>::Decode(
        static_cast<const XLA_FFI_Buffer*>(args_->args[offset_ + static_cast<int64_t>(index)]),
        diagnostic);
    if (!value.has_value()) return absl::InvalidArgumentError(diagnostic.Result());
    return *value;
  }

 private:
  const XLA_FFI_Args* args_;
  int64_t offset_;
};

// The same for results.
class RemainingRets {
 public:
  RemainingRets(const XLA_FFI_Rets* rets, int64_t offset) : rets_(rets), offset_(offset) {}
  size_t size() const { return static_cast<size_t>(rets_->size - offset_); }
  bool empty() const { return size() == 0; }
  template <typename T>
  absl::StatusOr<Result<T>> get(size_t index) const {
    if (index >= size()) return absl::InvalidArgumentError("Index out of range");
    DiagnosticEngine diagnostic;
    auto value = BufferDecoding<T>::Decode(
        static_cast<const XLA_FFI_Buffer*>(rets_->rets[offset_ + static_cast<int64_t>(index)]),
        diagnostic);
    if (!value.has_value()) return absl::InvalidArgumentError(diagnostic.Result());
    return Result<T>(*value);
  }

 private:
  const XLA_FFI_Rets* rets_;
  int64_t offset_;
};

namespace internal {

// What a binding lists.
template <typename T>
struct ArgTag {};
template <typename T>
struct RetTag {};
template <typename T>
struct AttrTag {};
template <typename T>
struct AttrsTag {};
template <typename T>
struct CtxTag {};
struct RemainingArgsTag {};
struct RemainingRetsTag {};

// A call while its frame is read: where the next argument, result and attribute are.
struct Cursor {
  const XLA_FFI_CallFrame& frame;
  const std::vector<std::string>& attribute_names;
  DiagnosticEngine& diagnostic;
  int64_t arg = 0, ret = 0;
  size_t attribute = 0;
};

template <typename Tag>
struct Decoder;

template <typename T>
struct Decoder<ArgTag<T>> {
  static std::optional<T> Decode(Cursor& at) {
    const int64_t i = at.arg++;
    DiagnosticEngine inner;
    auto value =
        BufferDecoding<T>::Decode(static_cast<const XLA_FFI_Buffer*>(at.frame.args.args[i]), inner);
    if (!value.has_value()) at.diagnostic.Emit("argument ", i, ": ", inner.Result());
    return value;
  }
};
template <typename T>
struct Decoder<RetTag<T>> {
  static std::optional<Result<T>> Decode(Cursor& at) {
    const int64_t i = at.ret++;
    DiagnosticEngine inner;
    auto value =
        BufferDecoding<T>::Decode(static_cast<const XLA_FFI_Buffer*>(at.frame.rets.rets[i]), inner);
    if (!value.has_value()) return at.diagnostic.Emit("result ", i, ": ", inner.Result());
    return Result<T>(*value);
  }
};
template <typename T>
struct Decoder<AttrTag<T>> {
  static auto Decode(Cursor& at) {
    return DecodeAttribute<T>(&at.frame.attrs, at.attribute_names[at.attribute++], at.diagnostic);
  }
};
template <typename T>
struct Decoder<AttrsTag<T>> {
  static auto Decode(Cursor& at) {
    return AttrsDecoding<T>::Decode(&at.frame.attrs, at.diagnostic);
  }
};
template <typename T>
struct Decoder<CtxTag<T>> {
  static std::optional<typename CtxDecoding<T>::Type> Decode(Cursor& at) {
    return CtxDecoding<T>::Decode(at.frame.api, at.frame.ctx, at.diagnostic);
  }
};
template <>
struct Decoder<RemainingArgsTag> {
  static std::optional<RemainingArgs> Decode(Cursor& at) {
    return RemainingArgs(&at.frame.args, at.arg);
  }
};
template <>
struct Decoder<RemainingRetsTag> {
  static std::optional<RemainingRets> Decode(Cursor& at) {
    return RemainingRets(&at.frame.rets, at.ret);
  }
};

template <typename Tag, template <typename> class Wanted>
inline constexpr bool is_tag_v = false;
template <typename T, template <typename> class Wanted>
inline constexpr bool is_tag_v<Wanted<T>, Wanted> = true;

inline XLA_FFI_Error* ErrorOf(const XLA_FFI_Api* api, const absl::Status& status) {
  if (status.ok()) return nullptr;
  const std::string message(status.message());
  XLA_FFI_Error_Create_Args args = {sizeof(args), nullptr, message.c_str(),
                                    static_cast<XLA_FFI_Error_Code>(status.code())};
  return api->XLA_FFI_Error_Create(&args);
}

// A state becomes the run's; other results have nothing to hand over.
inline XLA_FFI_Error* TakeResult(const XLA_FFI_CallFrame& frame, const absl::Status& status) {
  return ErrorOf(frame.api, status);
}
template <typename T>
XLA_FFI_Error* TakeResult(const XLA_FFI_CallFrame& frame,
                          absl::StatusOr<std::unique_ptr<T>> state) {
  if (!state.ok()) return ErrorOf(frame.api, state.status());
  XLA_FFI_TypeId id = TypeIdOf<T>();
  XLA_FFI_State_Set_Args args = {sizeof(args), nullptr, frame.ctx, frame.stage, &id, state->get()};
  XLA_FFI_Error* const error = frame.api->XLA_FFI_State_Set(&args);
  if (error == nullptr) (void)state->release();
  return error;
}

}  // namespace internal

// A function and its binding.
template <ExecutionStage kStage, typename Function, typename... Tags>
class Handler {
 public:
  Handler(Function function, std::vector<std::string> attribute_names)
      : function_(std::move(function)), attribute_names_(std::move(attribute_names)) {}

  // Null: the call succeeded.
  XLA_FFI_Error* Call(XLA_FFI_CallFrame* frame) const {
    for (XLA_FFI_InternalExtension* at = frame->extension_start; at != nullptr; at = at->next) {
      if (at->type != XLA_FFI_Extension_Metadata) continue;
      XLA_FFI_Metadata& metadata = *reinterpret_cast<XLA_FFI_Metadata_Extension*>(at)->metadata;
      metadata.api_version = {sizeof(XLA_FFI_Api_Version), nullptr, XLA_FFI_API_MAJOR,
                              XLA_FFI_API_MINOR};
      metadata.traits = 0;
      return nullptr;
    }
    if (const absl::Status status = Check(*frame); !status.ok()) {
      return internal::ErrorOf(frame->api, status);
    }
    DiagnosticEngine diagnostic;
    internal::Cursor cursor = {*frame, attribute_names_, diagnostic};
    // Braces decode from left to right.
    std::tuple<decltype(internal::Decoder<Tags>::Decode(cursor))...> values = {
        internal::Decoder<Tags>::Decode(cursor)...};
    return std::apply(
        [&](auto&... value) -> XLA_FFI_Error* {
          if (!(... && value.has_value())) {
            return internal::ErrorOf(frame->api, absl::InvalidArgumentError(absl::StrCat(
                                                     "Failed to decode all FFI handler operands: ",
                                                     diagnostic.Result())));
          }
          return internal::TakeResult(*frame, function_(*std::move(value)...));
        },
        values);
  }

 private:
  static constexpr int64_t kArgs = (0 + ... + int{internal::is_tag_v<Tags, internal::ArgTag>});
  static constexpr int64_t kRets = (0 + ... + int{internal::is_tag_v<Tags, internal::RetTag>});
  static constexpr int64_t kAttrs = (0 + ... + int{internal::is_tag_v<Tags, internal::AttrTag>});
  static constexpr bool kMoreArgs = (... || std::is_same_v<Tags, internal::RemainingArgsTag>);
  static constexpr bool kMoreRets = (... || std::is_same_v<Tags, internal::RemainingRetsTag>);
  static constexpr bool kAllAttrs = (... || internal::is_tag_v<Tags, internal::AttrsTag>);

  static absl::Status CheckCount(const char* what, int64_t expected, bool or_more, int64_t given) {
    if (given == expected || (or_more && given > expected)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("Wrong number of ", what, ": expected ",
                                                   or_more ? "at least " : "", expected,
                                                   " but got ", given));
  }
  static absl::Status Check(const XLA_FFI_CallFrame& frame) {
    if (frame.stage != static_cast<XLA_FFI_ExecutionStage>(kStage)) {
      return absl::InvalidArgumentError(absl::StrCat("Wrong execution stage: expected ",
                                                     static_cast<int>(kStage), " but got ",
                                                     static_cast<int>(frame.stage)));
    }
    if (absl::Status status = CheckCount("arguments", kArgs, kMoreArgs, frame.args.size);
        !status.ok() && kStage != ExecutionStage::kInstantiate) {
      return status;
    }
    if (absl::Status status = CheckCount("results", kRets, kMoreRets, frame.rets.size);
        !status.ok() && kStage != ExecutionStage::kInstantiate) {
      return status;
    }
    return CheckCount("attributes", kAttrs, kAllAttrs, frame.attrs.size);
  }

  Function function_;
  std::vector<std::string> attribute_names_;
};

// What a function takes, in order; Ffi::Bind() is the empty one.
template <ExecutionStage kStage, typename... Tags>
class Binding {
 public:
  explicit Binding(std::vector<std::string> attribute_names = {})
      : attribute_names_(std::move(attribute_names)) {}

  template <typename T>
  auto Arg() const {
    return With<internal::ArgTag<T>>();
  }
  template <typename T>
  auto Ret() const {
    return With<internal::RetTag<T>>();
  }
  // All those that are not listed; the last one of its kind.
  auto RemainingArgs() const { return With<internal::RemainingArgsTag>(); }
  auto RemainingRets() const { return With<internal::RemainingRetsTag>(); }
  template <typename T>
  auto Attr(absl::string_view name) const {
    auto names = attribute_names_;
    names.emplace_back(name);
    return Binding<kStage, Tags..., internal::AttrTag<T>>(std::move(names));
  }
  // All attributes: a Dictionary or a struct.
  template <typename T = Dictionary>
  auto Attrs() const {
    return With<internal::AttrsTag<T>>();
  }
  template <typename T>
  auto Ctx() const {
    return With<internal::CtxTag<T>>();
  }

  template <typename Function>
  auto To(Function function) const {
    return std::make_unique<Handler<kStage, Function, Tags...>>(std::move(function),
                                                                attribute_names_);
  }

 private:
  template <typename Tag>
  auto With() const {
    return Binding<kStage, Tags..., Tag>(attribute_names_);
  }

  std::vector<std::string> attribute_names_;
};

class Ffi {
 public:
  template <ExecutionStage kStage = ExecutionStage::kExecute>
  static Binding<kStage> Bind() {
    return Binding<kStage>();
  }
  static auto BindInstantiate() { return Bind<ExecutionStage::kInstantiate>(); }
  static auto BindPrepare() { return Bind<ExecutionStage::kPrepare>(); }
  static auto BindInitialize() { return Bind<ExecutionStage::kInitialize>(); }
  static auto BindExecute() { return Bind<ExecutionStage::kExecute>(); }

  // The platform is "Host" or "CPU"; handlers for others are left out. The last handler of a name
  // stays.
  static absl::Status RegisterStaticHandler(const XLA_FFI_Api* api, absl::string_view name,
                                            absl::string_view platform,
                                            const XLA_FFI_Handler_Bundle& bundle,
                                            uint32_t traits = 0) {
    XLA_FFI_Handler_Register_Args args = {
        sizeof(args), nullptr, {name.data(), name.size()}, {platform.data(), platform.size()},
        bundle,       traits};
    DiagnosticEngine diagnostic;
    if (internal::Succeeded(api, api->XLA_FFI_Handler_Register(&args), "a handler", diagnostic)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(diagnostic.Result());
  }
  static absl::Status RegisterStaticHandler(const XLA_FFI_Api* api, absl::string_view name,
                                            absl::string_view platform, XLA_FFI_Handler* execute,
                                            uint32_t traits = 0) {
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = execute;
    return RegisterStaticHandler(api, name, platform, bundle, traits);
  }
};

namespace internal {

// Traits of handlers say how devices without streams may record them: nothing, here.
template <typename Function, typename BindingType, typename... Traits>
auto BindHandler(Function function, const BindingType& binding, const Traits&...) {
  return binding.To(function);
}
template <typename Function, typename BindingType>
auto BindHandler(Function function, const BindingType& binding,
                 std::initializer_list<uint32_t> /*traits*/) {
  return binding.To(function);
}

}  // namespace internal

}  // namespace xla::ffi

// Defines `name`, a handler that calls `function` as the binding says.
#define XLA_FFI_DEFINE_HANDLER(name, function, ...)                         \
  [[maybe_unused]] static constexpr XLA_FFI_Handler* name =                 \
      +[](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {                     \
    static const auto* const handler =                                      \
        ::xla::ffi::internal::BindHandler(function, __VA_ARGS__).release(); \
    return handler->Call(frame);                                            \
  }

// The same as a function that other libraries find by its name.
#define XLA_FFI_DEFINE_HANDLER_SYMBOL(name, function, ...)                  \
  extern "C" XLA_FFI_Error* name(XLA_FFI_CallFrame* frame) {                \
    static const auto* const handler =                                      \
        ::xla::ffi::internal::BindHandler(function, __VA_ARGS__).release(); \
    return handler->Call(frame);                                            \
  }

#define XLA_FFI_REGISTER_JOIN_INNER(a, b) a##b
#define XLA_FFI_REGISTER_JOIN(a, b) XLA_FFI_REGISTER_JOIN_INNER(a, b)

// Registers a handler, or {instantiate, prepare, initialize, execute}, when the program starts.
#define XLA_FFI_REGISTER_HANDLER(api, name, platform, ...)                                \
  [[maybe_unused]] static const ::absl::Status XLA_FFI_REGISTER_JOIN(xla_ffi_registered_, \
                                                                     __COUNTER__) =       \
      ::xla::ffi::Ffi::RegisterStaticHandler(api, name, platform, __VA_ARGS__)

#endif  // XLA_FFI_FFI_H_

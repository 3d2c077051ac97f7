// SPDX-License-Identifier: Apache-2.0
// Handlers: checks of a call frame and the call of the function. Part of xla/ffi/api/ffi.h; include
// that.
#ifndef XLA_FFI_API_HANDLER_H_
#define XLA_FFI_API_HANDLER_H_

#include "xla/ffi/api/api.h"

namespace xla::ffi {

template <ExecutionStage stage, typename Fn, typename... Tags>
class Handler : public Ffi {
  static constexpr size_t kSize = sizeof...(Tags);
  static constexpr int64_t kArgs = internal::count_v<internal::ArgTag, Tags...>;
  static constexpr int64_t kRets = internal::count_v<internal::RetTag, Tags...>;
  static constexpr int64_t kAttrs = internal::count_v<internal::AttrTag, Tags...>;
  static constexpr bool kMoreArgs = internal::has_v<internal::RemainingArgsTag, Tags...> ||
                                    internal::count_v<internal::OptionalArgTag, Tags...> > 0;
  static constexpr bool kMoreRets = internal::has_v<internal::RemainingRetsTag, Tags...> ||
                                    internal::count_v<internal::OptionalRetTag, Tags...> > 0;

  template <typename Tag>
  using Parameter = typename internal::FnArgType<Tag>::Type;
  static_assert(std::is_invocable_v<Fn, Parameter<Tags>...>,
                "the function does not take what the binding lists");
  using ResultType = std::invoke_result_t<Fn, Parameter<Tags>...>;
  using Encoding = ResultEncoding<stage, ResultType>;

 public:
  XLA_FFI_Error* Call(XLA_FFI_CallFrame* call_frame) const override {
    const XLA_FFI_Api* api = call_frame->api;
    if (XLA_FFI_Error* error = StructSizeIsGreaterOrEqual(
            api, "XLA_FFI_CallFrame", XLA_FFI_CallFrame_STRUCT_SIZE, call_frame->struct_size)) {
      return error;
    }
    if (call_frame->extension_start != nullptr &&
        call_frame->extension_start->type == XLA_FFI_Extension_Metadata) {
      return Describe(api,
                      reinterpret_cast<XLA_FFI_Metadata_Extension*>(call_frame->extension_start));
    }
    if (call_frame->stage != static_cast<XLA_FFI_ExecutionStage>(stage)) {
      return InvalidArgument(api, internal::StrCat("Wrong execution stage: expected `",
                                                   static_cast<XLA_FFI_ExecutionStage>(stage),
                                                   "` but got `", call_frame->stage, "`"));
    }
    // A binding without arguments, or without results, takes calls that have some.
    if (XLA_FFI_Error* error = CheckCount(*call_frame, "arguments", call_frame->args.size, kArgs,
                                          kMoreArgs, kArgs == 0)) {
      return error;
    }
    if (XLA_FFI_Error* error = CheckCount(*call_frame, "results", call_frame->rets.size, kRets,
                                          kMoreRets, kRets == 0)) {
      return error;
    }
    if (kAttrs > 0 && call_frame->attrs.size != kAttrs) return WrongAttributes(*call_frame);
    return Decode(call_frame, std::make_index_sequence<kSize>());
  }

 private:
  template <ExecutionStage, typename...>
  friend class Binding;

  Handler(Fn fn, std::vector<Traits> traits, std::vector<std::string> names)
      : fn_(std::move(fn)), traits_(std::move(traits)), names_(std::move(names)) {
    std::vector<std::string> sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::string& name : names_) {
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), name);
      positions_.push_back(static_cast<size_t>(found - sorted.begin()));
    }
  }

  static XLA_FFI_Error* CheckCount(const XLA_FFI_CallFrame& frame, const char* what, int64_t given,
                                   int64_t wanted, bool may_be_more, bool may_be_any) {
    if (given == wanted || (given > wanted && (may_be_more || may_be_any))) return nullptr;
    return InvalidArgument(
        frame.api, internal::StrCat("[", frame.stage, "] Wrong number of ", what, ": expected ",
                                    may_be_more ? "at least " : "", wanted, " but got ", given));
  }

  static XLA_FFI_Error* WrongAttributes(const XLA_FFI_CallFrame& frame) {
    std::string message =
        internal::StrCat("[", frame.stage, "] Wrong number of attributes: expected ", kAttrs,
                         " but got ", frame.attrs.size);
    for (int64_t i = 0; i < frame.attrs.size; ++i) {
      message += i == 0 ? " with name(s): " : ", ";
      message.append(frame.attrs.names[i]->ptr, frame.attrs.names[i]->len);
    }
    return InvalidArgument(frame.api, message);
  }

  // Answers the question what this handler is.
  XLA_FFI_Error* Describe(const XLA_FFI_Api* api, XLA_FFI_Metadata_Extension* extension) const {
    XLA_FFI_Metadata* metadata = extension->metadata;
    if (XLA_FFI_Error* error = StructSizeIsGreaterOrEqual(
            api, "XLA_FFI_Metadata", XLA_FFI_Metadata_STRUCT_SIZE, metadata->struct_size)) {
      return error;
    }
    metadata->api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
    metadata->api_version.extension_start = nullptr;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    metadata->traits = 0;
    for (const Traits trait : traits_) metadata->traits |= static_cast<uint32_t>(trait);
    XLA_FFI_TypeId state = {0};
    if constexpr (internal::is_state_constructor_v<Encoding>) {
      state = Encoding::state_type_id(api);
      if (state.type_id == 0) {
        return internal::MakeError(api, XLA_FFI_Error_Code_FAILED_PRECONDITION,
                                   "Types used by FFI handlers must be registered before the "
                                   "handler registration");
      }
    }
    // A field that older callers do not have.
    if (metadata->struct_size >= XLA_FFI_STRUCT_SIZE(XLA_FFI_Metadata, state_type_id)) {
      metadata->state_type_id = state;
    }
    return nullptr;
  }

  template <size_t... Is>
  XLA_FFI_Error* Decode(XLA_FFI_CallFrame* call_frame, std::index_sequence<Is...>) const {
    internal::DecodingOffsets offsets;
    internal::DecodingContext context = {call_frame, names_.data(), positions_.data()};
    DiagnosticEngine diagnostic;
    // Braces decode in the order of the tags.
    std::tuple<std::optional<Parameter<Tags>>...> parameters = {
        internal::Decode<Tags>::call(offsets, context, diagnostic)...};
    const std::array<bool, kSize + 1> decoded = {std::get<Is>(parameters).has_value()..., true};
    if (!(true && ... && decoded[Is])) return NotDecoded(*call_frame, decoded, diagnostic);
    (void)offsets, (void)context;
    auto encoded = Encoding::Encode(call_frame->api, call_frame->ctx,
                                    fn_(std::move(*std::get<Is>(parameters))...));
    if constexpr (std::is_same_v<decltype(encoded), XLA_FFI_Error*>) {
      return encoded;
    } else {
      if (auto* error = std::get_if<XLA_FFI_Error*>(&encoded)) return *error;
      call_frame->future = std::get<XLA_FFI_Future*>(encoded);
      return nullptr;
    }
  }

  static XLA_FFI_Error* NotDecoded(const XLA_FFI_CallFrame& frame,
                                   const std::array<bool, kSize + 1>& decoded,
                                   const DiagnosticEngine& diagnostic) {
    std::string message =
        internal::StrCat("[", frame.stage, "] Failed to decode all FFI handler operands");
    const char* before = " (bad operands at: ";
    for (size_t i = 0; i < kSize; ++i) {
      if (decoded[i]) continue;
      message += before + std::to_string(i);
      before = ", ";
    }
    message += ")";
    if (const std::string text = diagnostic.Result(); !text.empty()) {
      message += "\nDiagnostics:\n" + text;
    }
    return InvalidArgument(frame.api, message);
  }

  Fn fn_;
  std::vector<Traits> traits_;
  std::vector<std::string> names_;
  std::vector<size_t> positions_;
};

// --- Bindings that follow from the types of a function's parameters
namespace internal {

// The binding with the first parameter added, and then the others.
template <typename Param, typename Bound>
auto BindParameter(Bound bound) {
  if constexpr (!std::is_void_v<typename ArgBinding<Param>::Arg>) {
    return std::move(bound).template Arg<typename ArgBinding<Param>::Arg>();
  } else if constexpr (!std::is_void_v<typename RetBinding<Param>::Ret>) {
    return std::move(bound).template Ret<typename RetBinding<Param>::Ret>();
  } else if constexpr (!std::is_void_v<typename AttrBinding<Param>::Attr>) {
    return std::move(bound).template Attr<typename AttrBinding<Param>::Attr>(
        std::string(AttrBinding<Param>::name()));
  } else if constexpr (!std::is_void_v<typename AttrsBinding<Param>::Attrs>) {
    return std::move(bound).template Attrs<typename AttrsBinding<Param>::Attrs>();
  } else {
    static_assert(!std::is_void_v<typename CtxBinding<Param>::Ctx>,
                  "nothing is known of how to bind the type of this parameter");
    return std::move(bound).template Ctx<typename CtxBinding<Param>::Ctx>();
  }
}

template <typename... Params>
struct BindParameters;
template <>
struct BindParameters<> {
  template <typename Bound>
  static Bound To(Bound bound) {
    return bound;
  }
};
template <typename Param, typename... Params>
struct BindParameters<Param, Params...> {
  template <typename Bound>
  static auto To(Bound bound) {
    return BindParameters<Params...>::To(BindParameter<Param>(std::move(bound)));
  }
};

template <ExecutionStage stage, typename Ret, typename... Params>
auto BindingOf(Ret (*)(Params...)) {
  return BindParameters<Params...>::To(Ffi::Bind<stage>());
}
template <ExecutionStage stage, typename Ret, typename Object, typename... Params>
auto BindingOf(Ret (Object::*)(Params...) const) {
  return BindParameters<Params...>::To(Ffi::Bind<stage>());
}

}  // namespace internal

template <typename Fn, ExecutionStage stage>
auto Ffi::BindTo(Fn fn, std::initializer_list<Traits> traits) {
  if constexpr (std::is_pointer_v<Fn>) {
    return internal::BindingOf<stage>(fn).To(fn, traits);
  } else {
    return internal::BindingOf<stage>(&Fn::operator()).To(std::move(fn), traits);
  }
}

template <typename T, char const* attr_name>
struct AttrBinding<Attr<T, attr_name>> {
  using Attr = T;
  static constexpr std::string_view name() { return attr_name; }
};
template <>
struct AttrsBinding<Dictionary> {
  using Attrs = Dictionary;
};

}  // namespace xla::ffi

// --- Macros

// XLA_FFI_DEFINE_HANDLER(name, function [, binding [, {traits}]]): `name` is an XLA_FFI_Handler*.
#define XLA_FFI_DEFINE_HANDLER(name, function, ...)                                              \
  static constexpr XLA_FFI_Handler* name = +[](XLA_FFI_CallFrame* call_frame) {                  \
    static auto* handler = ::xla::ffi::internal::MakeHandler(function, ##__VA_ARGS__).release(); \
    return handler->Call(call_frame);                                                            \
  }

// The same for each number of arguments.
#define XLA_FFI_DEFINE_HANDLER_AUTO(name, function) XLA_FFI_DEFINE_HANDLER(name, function)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT(name, function, binding) \
  XLA_FFI_DEFINE_HANDLER(name, function, binding)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT_WITH_TRAITS(name, function, binding, ...) \
  XLA_FFI_DEFINE_HANDLER(name, function, binding, __VA_ARGS__)

// The same as a function that other libraries find by its name.
#define XLA_FFI_DEFINE_HANDLER_SYMBOL(name, function, ...)                                       \
  extern "C" XLA_FFI_Error* name(XLA_FFI_CallFrame* call_frame) {                                \
    static auto* handler = ::xla::ffi::internal::MakeHandler(function, ##__VA_ARGS__).release(); \
    return handler->Call(call_frame);                                                            \
  }                                                                                              \
  static_assert(std::is_invocable_r_v<XLA_FFI_Error*, decltype(name), XLA_FFI_CallFrame*>)

#define XLA_FFI_DECLARE_HANDLER_SYMBOL(name) \
  extern "C" XLA_FFI_Error* name(XLA_FFI_CallFrame* call_frame)
#define XLA_FFI_DECLARE_TYPE_ID_SYMBOL(name) extern "C" XLA_FFI_TypeId* name()
#define XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(name) extern "C" const XLA_FFI_TypeInfo* name()

// XLA_FFI_REGISTER_HANDLER(api, "name", "Host", handler or {stages} [, traits]), at the start of
// the program.
#define XLA_FFI_REGISTER_HANDLER(api, name, platform, ...) \
  XLA_FFI_REGISTER_HANDLER_(__COUNTER__, api, name, platform, __VA_ARGS__)
#define XLA_FFI_REGISTER_HANDLER_(n, api, name, platform, ...) \
  XLA_FFI_REGISTER_HANDLER__(n, api, name, platform, __VA_ARGS__)
#define XLA_FFI_REGISTER_HANDLER__(n, api, name, platform, ...)            \
  [[maybe_unused]] static const XLA_FFI_Error* xla_ffi_registered_##n##_ = \
      ::xla::ffi::Ffi::RegisterStaticHandler(api, name, platform, __VA_ARGS__)

namespace xla::ffi::internal {

template <typename Fn>
auto MakeHandler(Fn fn) {
  return Ffi::BindTo(fn);
}
template <typename Fn, typename Bound>
auto MakeHandler(Fn fn, Bound&& binding, std::initializer_list<Traits> traits = {}) {
  return binding.To(fn, traits);
}

}  // namespace xla::ffi::internal

#endif  // XLA_FFI_API_HANDLER_H_

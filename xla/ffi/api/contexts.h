// SPDX-License-Identifier: Apache-2.0
// What a handler may ask of the run that calls it: tags for Ctx<..>(). Part of xla/ffi/api/ffi.h;
// include that.
#ifndef XLA_FFI_API_CONTEXTS_H_
#define XLA_FFI_API_CONTEXTS_H_

#include <iostream>

#include "xla/ffi/api/attributes.h"

namespace xla::ffi {

namespace internal {

template <typename Args>
Args ContextArgs(size_t struct_size, XLA_FFI_InvokeContext* context) {
  Args args = {};
  args.struct_size = struct_size;
  args.ctx = context;
  return args;
}

}  // namespace internal

// --- Types of states and user data, which have a member `static TypeId id`

template <typename T>
constexpr XLA_FFI_TypeInfo MakeTypeInfo() {
  return XLA_FFI_TypeInfo{sizeof(XLA_FFI_TypeInfo), nullptr,
                          [](void* object) { delete static_cast<T*>(object); }};
}

// An object that the caller of the run attached, as T*.
template <typename T>
struct UserData {};

template <typename T>
struct CtxDecoding<UserData<T>> {
  using Type = T*;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::ContextArgs<XLA_FFI_InvokeContext_Get_Args>(
        XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE, context);
    args.type_id = &T::id;
    if (!internal::Succeeded(api, api->XLA_FFI_InvokeContext_Get(&args),
                             "Failed to get user data from execution context", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.data);
  }
};

// What a stage of the handler returned, as T*.
template <typename T, ExecutionStage stage = ExecutionStage::kInstantiate>
struct State {};
template <typename T>
using Prepared = State<T, ExecutionStage::kPrepare>;
template <typename T>
using Initialized = State<T, ExecutionStage::kInitialize>;

template <typename T, ExecutionStage stage>
struct CtxDecoding<State<T, stage>> {
  using Type = T*;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args =
        internal::ContextArgs<XLA_FFI_State_Get_Args>(XLA_FFI_State_Get_Args_STRUCT_SIZE, context);
    args.stage = static_cast<XLA_FFI_ExecutionStage>(stage);
    args.type_id = &T::id;
    if (!internal::Succeeded(api, api->XLA_FFI_State_Get(&args),
                             "Failed to get state from execution context", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.state);
  }
};

// --- Results of handlers

template <ExecutionStage stage>
struct ResultEncoding<stage, Error> {
  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext*, const Error& error) {
    if (error.success()) return nullptr;
    return internal::MakeError(api, static_cast<XLA_FFI_Error_Code>(*error.errc()),
                               error.message());
  }
};

template <ExecutionStage stage, typename T>
struct ResultEncoding<stage, ErrorOr<std::unique_ptr<T>>> {
  static_assert(stage != ExecutionStage::kExecute, "a call that executes keeps no state");
  static XLA_FFI_TypeId state_type_id(const XLA_FFI_Api*) { return T::id; }
  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                               ErrorOr<std::unique_ptr<T>> state) {
    if (state.has_error()) {
      return ResultEncoding<stage, Error>::Encode(api, context, state.error());
    }
    auto args =
        internal::ContextArgs<XLA_FFI_State_Set_Args>(XLA_FFI_State_Set_Args_STRUCT_SIZE, context);
    args.stage = static_cast<XLA_FFI_ExecutionStage>(stage);
    args.type_id = &T::id;
    args.state = state.value().release();
    return api->XLA_FFI_State_Set(&args);
  }
};

// --- The device

// An error on CPUs, which have no streams.
template <typename T>
struct PlatformStream {};
template <typename T>
struct CtxDecoding<PlatformStream<T>> {
  using Type = T;
  static_assert(std::is_pointer_v<T>, "a stream is a pointer");
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::ContextArgs<XLA_FFI_Stream_Get_Args>(XLA_FFI_Stream_Get_Args_STRUCT_SIZE,
                                                               context);
    if (!internal::Succeeded(api, api->XLA_FFI_Stream_Get(&args), "Failed to get platform stream",
                             diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T>(args.stream);
  }
};

struct RunId {
  int64_t run_id;
};
template <>
struct CtxDecoding<RunId> {
  using Type = RunId;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args =
        internal::ContextArgs<XLA_FFI_RunId_Get_Args>(XLA_FFI_RunId_Get_Args_STRUCT_SIZE, context);
    if (!internal::Succeeded(api, api->XLA_FFI_RunId_Get(&args),
                             "Failed to get run id from execution context", diagnostic)) {
      return std::nullopt;
    }
    return RunId{args.run_id};
  }
};

// As int32_t.
struct DeviceOrdinal {};
template <>
struct CtxDecoding<DeviceOrdinal> {
  using Type = int32_t;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::ContextArgs<XLA_FFI_DeviceOrdinal_Get_Args>(
        XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE, context);
    if (!internal::Succeeded(api, api->XLA_FFI_DeviceOrdinal_Get(&args),
                             "Failed to get device ordinal from execution context", diagnostic)) {
      return std::nullopt;
    }
    return args.device_ordinal;
  }
};

// --- Memory and threads

// Memory until the handler has returned.
class ScratchAllocator {
 public:
  ScratchAllocator(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                   DiagnosticEngine& diagnostic)
      : api_(api), context_(context), diagnostic_(&diagnostic) {}
  ScratchAllocator(ScratchAllocator&& other) noexcept
      : api_(other.api_),
        context_(other.context_),
        diagnostic_(other.diagnostic_),
        allocations_(std::exchange(other.allocations_, {})) {}
  ScratchAllocator& operator=(ScratchAllocator&&) = delete;
  ~ScratchAllocator() {
    for (const Allocation& allocation : allocations_) {
      auto args = internal::ContextArgs<XLA_FFI_DeviceMemory_Free_Args>(
          XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE, context_);
      args.size = allocation.size;
      args.data = allocation.data;
      internal::Succeeded(api_, api_->XLA_FFI_DeviceMemory_Free(&args),
                          "Failed to free scratch memory", *diagnostic_);
    }
  }

  // No value: there is no such memory.
  std::optional<void*> Allocate(size_t size, size_t alignment = 1) {
    auto args = internal::ContextArgs<XLA_FFI_DeviceMemory_Allocate_Args>(
        XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE, context_);
    args.size = size;
    args.alignment = alignment;
    if (!internal::Succeeded(api_, api_->XLA_FFI_DeviceMemory_Allocate(&args),
                             "Failed to allocate scratch memory", *diagnostic_)) {
      return std::nullopt;
    }
    allocations_.push_back({size, args.data});
    return args.data;
  }

 private:
  struct Allocation {
    size_t size;
    void* data;
  };
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* context_;
  DiagnosticEngine* diagnostic_;
  std::vector<Allocation> allocations_;
};
template <>
struct CtxDecoding<ScratchAllocator> {
  using Type = ScratchAllocator;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    return ScratchAllocator(api, context, diagnostic);
  }
};

// The threads of the device.
class ThreadPool {
 public:
  ThreadPool(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context, DiagnosticEngine& diagnostic)
      : api_(api), context_(context), diagnostic_(&diagnostic) {}

  // Runs `f` at some time; here, if that cannot be.
  template <typename F>
  void Schedule(F&& f) {
    using Task = std::decay_t<F>;
    auto args = internal::ContextArgs<XLA_FFI_ThreadPool_Schedule_Args>(
        XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE, context_);
    args.task = +[](void* data) {
      const std::unique_ptr<Task> task(static_cast<Task*>(data));
      (*task)();
    };
    args.data = new Task(std::forward<F>(f));
    if (!internal::Succeeded(api_, api_->XLA_FFI_ThreadPool_Schedule(&args),
                             "Failed to schedule task on a thread pool", *diagnostic_)) {
      args.task(args.data);
    }
  }
  // 0 if it is not known.
  int64_t num_threads() const {
    int64_t count = 0;
    auto args = internal::ContextArgs<XLA_FFI_ThreadPool_NumThreads_Args>(
        XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE, context_);
    args.num_threads = &count;
    if (XLA_FFI_Error* error = api_->XLA_FFI_ThreadPool_NumThreads(&args)) {
      internal::DestroyError(api_, error);
    }
    return count;
  }

 private:
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* context_;
  DiagnosticEngine* diagnostic_;
};
template <>
struct CtxDecoding<ThreadPool> {
  using Type = ThreadPool;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    return ThreadPool(api, context, diagnostic);
  }
};

// --- Options and extensions of the run

template <>
struct CtxDecoding<CustomOptions> {
  using Type = Dictionary;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    if (api->struct_size < XLA_FFI_STRUCT_SIZE(XLA_FFI_Api, XLA_FFI_CustomOptions_Get)) {
      return diagnostic.Emit("Custom options are not supported by this FFI API");
    }
    auto args = internal::ContextArgs<XLA_FFI_CustomOptions_Get_Args>(
        XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE, context);
    if (!internal::Succeeded(api, api->XLA_FFI_CustomOptions_Get(&args),
                             "Failed to get custom options", diagnostic)) {
      return std::nullopt;
    }
    return Dictionary(args.attrs);
  }
};

// An extension T, which has kExtensionType, kMajorVersion, kMinorVersion, kName, Type, CExtension
// and Create(api, const CExtension*).
template <typename T>
struct Extension {};

// The header of the extension T::CExtension.
template <typename T>
XLA_FFI_Extension MakeExtensionHeader() {
  XLA_FFI_Extension header = {};
  header.struct_size = sizeof(typename T::CExtension);
  header.id = {T::kExtensionType, T::kMajorVersion, T::kMinorVersion};
  return header;
}

template <typename T>
struct CtxDecoding<Extension<T>> {
  using Type = typename T::Type;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::ContextArgs<XLA_FFI_InvokeContext_FindExtension_Args>(
        XLA_FFI_InvokeContext_FindExtension_Args_STRUCT_SIZE, context);
    args.extension_type = T::kExtensionType;
    if (api->struct_size < XLA_FFI_STRUCT_SIZE(XLA_FFI_Api, XLA_FFI_InvokeContext_FindExtension) ||
        !internal::Succeeded(api, api->XLA_FFI_InvokeContext_FindExtension(&args),
                             "Failed to find an extension", diagnostic) ||
        args.extension == nullptr) {
      return diagnostic.Emit("Extension ") << T::kName << " not found in context";
    }
    const XLA_FFI_ExtensionId& id = args.extension->id;
    if (id.major_version != T::kMajorVersion || id.minor_version != T::kMinorVersion) {
      return diagnostic.Emit("Extension version mismatch for ")
             << T::kName << ": actual(" << id.major_version << "." << id.minor_version
             << ") vs current(" << T::kMajorVersion << "." << T::kMinorVersion << ")";
    }
    return T::Create(api, reinterpret_cast<const typename T::CExtension*>(args.extension));
  }
};

// --- Any of these, asked for as the handler runs
class Context {
 public:
  Context(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context) : api_(api), context_(context) {}
  const XLA_FFI_Api* api() const { return api_; }
  XLA_FFI_InvokeContext* ctx() const { return context_; }

  template <typename T>
  ErrorOr<typename CtxDecoding<T>::Type> get() const {
    DiagnosticEngine diagnostic;
    auto value = CtxDecoding<T>::Decode(api_, context_, diagnostic);
    if (!value.has_value()) return Error::Internal(diagnostic.Result());
    return *std::move(value);
  }

 private:
  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* context_;
};
template <>
struct CtxDecoding<Context> {
  using Type = Context;
  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* context,
                                    DiagnosticEngine&) {
    return Context(api, context);
  }
};

}  // namespace xla::ffi

// XLA_FFI_REGISTER_TYPE(api, "name", &T::id, &info), at the start of the program.
#define XLA_FFI_REGISTER_TYPE(api, name, type_id, type_info) \
  XLA_FFI_REGISTER_TYPE_(__COUNTER__, api, name, type_id, type_info)
#define XLA_FFI_REGISTER_TYPE_(n, api, name, type_id, type_info) \
  XLA_FFI_REGISTER_TYPE__(n, api, name, type_id, type_info)
#define XLA_FFI_REGISTER_TYPE__(n, api, name, type_id, type_info)                          \
  [[maybe_unused]] static const bool xla_ffi_type_##n##_registered_ = [] {                 \
    XLA_FFI_Error* error = ::xla::ffi::Ffi::RegisterTypeId(api, name, type_id, type_info); \
    if (error == nullptr) return true;                                                     \
    std::cerr << "Failed to register XLA FFI type: "                                       \
              << ::xla::ffi::internal::GetErrorMessage(api, error) << std::endl;           \
    std::abort();                                                                          \
  }()

#endif  // XLA_FFI_API_CONTEXTS_H_

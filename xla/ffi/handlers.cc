// SPDX-License-Identifier: Apache-2.0
// Calls of typed handlers (XLA FFI): the frame, and what a handler may call while it runs.
#include "xla/ffi/handlers.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/ffi/ffi_api.h"
#include "xla/runtime/event.h"
#include "xla/runtime/host_memory.h"

struct XLA_FFI_Error {
  absl::Status status;
  std::string message;
};

struct XLA_FFI_Future {
  xla::runtime::EventSource source;
};

struct XLA_FFI_InvokeContext {
  const xla::ffi::CallContext* context;
  const xla::CustomCallFrame* call;
  std::map<uint32_t, xla::ffi::State> states;  // by stage
  std::vector<void*> scratch;
};

namespace xla::ffi {

void FreeState(const State& state);  // registry.cc

namespace {

XLA_FFI_Error* FfiError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new XLA_FFI_Error{status, std::string(status.message())};
}

absl::Status TakeFfiError(XLA_FFI_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<XLA_FFI_Error> owned(error);
  return owned->status;
}

thread_local int calls_on_this_thread = 0;

// Does a caller's struct, of the size that it states, have this field?
template <typename Struct, typename Field>
bool Has(const Struct* args, Field Struct::*field) {
  const auto* const end = reinterpret_cast<const char*>(&(args->*field) + 1);
  return end - reinterpret_cast<const char*>(args) <= static_cast<ptrdiff_t>(args->struct_size);
}

// Before 0.5 the bundle had no `record`, and the traits were in its place.
XLA_FFI_Handler_Bundle BundleOf(const XLA_FFI_Handler_Register_Args* args) {
  XLA_FFI_Handler_Bundle bundle = args->bundle;
  if (!Has(args, &XLA_FFI_Handler_Register_Args::traits)) bundle.record = nullptr;
  return bundle;
}

constexpr XLA_FFI_Attrs kNoOptions = {sizeof(XLA_FFI_Attrs), nullptr, 0, nullptr, nullptr, nullptr};

std::string_view TextOf(XLA_FFI_ByteSpan span) { return {span.ptr, span.len}; }

const XLA_FFI_Api kFfiApi = {
    .struct_size = sizeof(XLA_FFI_Api),
    .extension_start = nullptr,
    .api_version = {sizeof(XLA_FFI_Api_Version), nullptr, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR},
    .internal_api = nullptr,
    .XLA_FFI_Error_Create =
        [](XLA_FFI_Error_Create_Args* args) {
          const char* message = args->message == nullptr ? "" : args->message;
          return new XLA_FFI_Error{absl::Status(static_cast<absl::StatusCode>(args->errc), message),
                                   message};
        },
    .XLA_FFI_Error_GetDetails =
        [](XLA_FFI_Error_GetDetails_Args* args) {
          args->message = args->error->message.c_str();
          if (Has(args, &XLA_FFI_Error_GetDetails_Args::errc)) {
            args->errc = static_cast<XLA_FFI_Error_Code>(args->error->status.code());
          }
        },
    .XLA_FFI_Error_Destroy = [](XLA_FFI_Error_Destroy_Args* args) { delete args->error; },
    .XLA_FFI_Handler_Register =
        [](XLA_FFI_Handler_Register_Args* args) {
          const std::string_view platform = TextOf(args->platform);
          // Handlers for other devices are never called.
          for (const std::string_view known : {"Host", "host", "CPU", "cpu"}) {
            if (platform == known) {
              return FfiError(RegisterHandler(TextOf(args->name), BundleOf(args)));
            }
          }
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_Stream_Get =
        [](XLA_FFI_Stream_Get_Args*) {
          return FfiError(absl::UnimplementedError("the devices of Xylem have no streams"));
        },
    .XLA_FFI_Type_Register =
        [](XLA_FFI_Type_Register_Args* args) {
          const auto id =
              RegisterType(TextOf(args->name), args->type_id->type_id,
                           args->type_info == nullptr ? nullptr : args->type_info->deleter);
          if (id.ok()) args->type_id->type_id = *id;
          return FfiError(id.status());
        },
    .XLA_FFI_InvokeContext_Get =
        [](XLA_FFI_InvokeContext_Get_Args* args) {
          const UserData& user_data = args->ctx->context->user_data;
          const auto found = user_data.find(args->type_id->type_id);
          if (found == user_data.end()) {
            return FfiError(absl::NotFoundError(
                absl::StrCat("the run has no user data of type ", args->type_id->type_id)));
          }
          args->data = found->second;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_State_Set =
        [](XLA_FFI_State_Set_Args* args) {
          const bool is_new =
              args->ctx->states.try_emplace(args->stage, State{args->type_id->type_id, args->state})
                  .second;
          return FfiError(is_new ? absl::OkStatus()
                                 : absl::AlreadyExistsError("the stage has a state"));
        },
    .XLA_FFI_State_Get =
        [](XLA_FFI_State_Get_Args* args) {
          const auto found = args->ctx->states.find(args->stage);
          if (found == args->ctx->states.end()) {
            return FfiError(absl::NotFoundError("the stage has no state"));
          }
          if (found->second.type_id != args->type_id->type_id) {
            return FfiError(absl::InvalidArgumentError("the state of the stage has another type"));
          }
          args->state = found->second.object;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_DeviceMemory_Allocate =
        [](XLA_FFI_DeviceMemory_Allocate_Args* args) {
          if (args->alignment > runtime::kHostMemoryAlignment) {
            return FfiError(absl::UnimplementedError(
                absl::StrCat("memory aligned to ", args->alignment, " bytes")));
          }
          args->data = runtime::AllocateHostMemory(std::max<size_t>(args->size, 1));
          if (args->data == nullptr) {
            return FfiError(absl::ResourceExhaustedError(absl::StrCat(args->size, " bytes")));
          }
          args->ctx->scratch.push_back(args->data);
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_DeviceMemory_Free =
        [](XLA_FFI_DeviceMemory_Free_Args* args) {
          std::vector<void*>& scratch = args->ctx->scratch;
          const auto found = std::find(scratch.begin(), scratch.end(), args->data);
          if (found == scratch.end()) {
            return FfiError(absl::InvalidArgumentError("memory that the call did not allocate"));
          }
          scratch.erase(found);
          runtime::FreeHostMemory(args->data);
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_ThreadPool_Schedule =
        [](XLA_FFI_ThreadPool_Schedule_Args* args) {
          args->task(args->data);  // Tasks may wait for each other only in order.
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_ThreadPool_NumThreads =
        [](XLA_FFI_ThreadPool_NumThreads_Args* args) {
          *args->num_threads = 1;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_Future_Create =
        [](XLA_FFI_Future_Create_Args* args) {
          args->future = new XLA_FFI_Future;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_Future_SetAvailable =
        [](XLA_FFI_Future_SetAvailable_Args* args) {
          args->future->source.Set(absl::OkStatus());
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_Future_SetError =
        [](XLA_FFI_Future_SetError_Args* args) {
          args->future->source.Set(TakeFfiError(args->error));
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_RunId_Get =
        [](XLA_FFI_RunId_Get_Args* args) {
          args->run_id = args->ctx->call->run_id;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_DeviceOrdinal_Get =
        [](XLA_FFI_DeviceOrdinal_Get_Args* args) {
          args->device_ordinal = args->ctx->call->device_ordinal;
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_InvokeContext_FindExtension =
        [](XLA_FFI_InvokeContext_FindExtension_Args* args) {
          args->extension = nullptr;  // Nothing attaches any.
          return FfiError(absl::OkStatus());
        },
    .XLA_FFI_CustomOptions_Get =
        [](XLA_FFI_CustomOptions_Get_Args* args) {
          args->attrs = &kNoOptions;
          return FfiError(absl::OkStatus());
        },
};

XLA_FFI_DataType TypeOf(PrimitiveType type) { return static_cast<XLA_FFI_DataType>(type); }

// Attributes in the form of the interface; points into the dictionary.
class FfiAttributes {
 public:
  explicit FfiAttributes(const AttributeDictionary& dictionary) {
    for (const auto& [name, value] : dictionary.values()) {
      name_spans_.push_back({name.data(), name.size()});
      names_.push_back(&name_spans_.back());
      Add(value);
    }
    attrs_ = {sizeof(XLA_FFI_Attrs), nullptr,       static_cast<int64_t>(values_.size()),
              types_.data(),         names_.data(), values_.data()};
  }
  XLA_FFI_Attrs* attrs() { return &attrs_; }

 private:
  void Add(const AttributeValue& value) {
    switch (value.kind) {
      case AttributeValue::Kind::kScalar:
        types_.push_back(XLA_FFI_AttrType_SCALAR);
        scalars_.push_back({TypeOf(value.element_type), const_cast<void*>(value.data())});
        values_.push_back(&scalars_.back());
        return;
      case AttributeValue::Kind::kArray:
        types_.push_back(XLA_FFI_AttrType_ARRAY);
        arrays_.push_back({TypeOf(value.element_type), static_cast<size_t>(value.count),
                           const_cast<void*>(value.data())});
        values_.push_back(&arrays_.back());
        return;
      case AttributeValue::Kind::kString:
        types_.push_back(XLA_FFI_AttrType_STRING);
        strings_.push_back({value.string.data(), value.string.size()});
        values_.push_back(&strings_.back());
        return;
      case AttributeValue::Kind::kDictionary:
        types_.push_back(XLA_FFI_AttrType_DICTIONARY);
        nested_.push_back(std::make_unique<FfiAttributes>(*value.dictionary));
        values_.push_back(nested_.back()->attrs());
        return;
    }
  }

  std::deque<XLA_FFI_ByteSpan> name_spans_, strings_;  // deques keep addresses stable
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::vector<std::unique_ptr<FfiAttributes>> nested_;
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan*> names_;
  std::vector<void*> values_;
  XLA_FFI_Attrs attrs_ = {};
};

// Arguments or results: Kind is XLA_FFI_ArgType or XLA_FFI_RetType, of which there is one, buffers.
template <typename Kind>
struct FfiBuffers {
  void SetData(const std::vector<CustomCallBuffer>& from) {
    for (size_t i = 0; i < from.size(); ++i) buffers[i].data = from[i].data;
  }
  explicit FfiBuffers(const std::vector<CustomCallBuffer>& from) {
    buffers.reserve(from.size());
    for (const CustomCallBuffer& buffer : from) {
      const absl::Span<const int64_t> dims = buffer.shape->dimensions();
      buffers.push_back({sizeof(XLA_FFI_Buffer), nullptr, TypeOf(buffer.shape->element_type()),
                         buffer.data, static_cast<int64_t>(dims.size()),
                         const_cast<int64_t*>(dims.data())});
      pointers.push_back(&buffers.back());
      types.push_back(static_cast<Kind>(1));
    }
  }
  std::vector<XLA_FFI_Buffer> buffers;
  std::vector<void*> pointers;
  std::vector<Kind> types;
};

}  // namespace

InsideCustomCall::InsideCustomCall() { ++calls_on_this_thread; }
InsideCustomCall::~InsideCustomCall() { --calls_on_this_thread; }
bool IsInsideCustomCall() { return calls_on_this_thread > 0; }

absl::Status CheckVersion(const XLA_FFI_Handler_Bundle& bundle) {
  if (bundle.execute == nullptr) {
    return absl::InvalidArgumentError("a custom call without a function that executes it");
  }
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = sizeof(XLA_FFI_Api_Version);
  XLA_FFI_Metadata_Extension extension = {
      {sizeof(XLA_FFI_Metadata_Extension), XLA_FFI_Extension_Metadata, nullptr}, &metadata};
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &kFfiApi;
  frame.extension_start = &extension.extension_base;
  XLA_RETURN_IF_ERROR(TakeFfiError(bundle.execute(&frame)));
  const XLA_FFI_Api_Version& version = metadata.api_version;
  // A minor version adds fields and functions. A handler that needs one which is missing sees the
  // size of the table and says so itself.
  if (version.major_version == XLA_FFI_API_MAJOR) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the handler was made for version ", version.major_version, ".", version.minor_version,
      " of the custom-call interface; this is ", XLA_FFI_API_MAJOR, ".", XLA_FFI_API_MINOR));
}

// Calls of a handler.
class Call final : public PreparedHandler {
 public:
  Call(const XLA_FFI_Handler_Bundle& bundle, std::shared_ptr<const CallContext> context,
       std::shared_ptr<Instances> instances, const CustomCallFrame& form)
      : bundle_(bundle),
        owned_context_(std::move(context)),
        instances_(std::move(instances)),
        instruction_(form.instruction),
        attributes_(form.attributes()),
        arguments_(form.arguments),
        results_(form.results),
        context_{owned_context_.get(), nullptr, {}, {}} {
    frame_.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    frame_.api = &kFfiApi;
    frame_.ctx = &context_;
    frame_.attrs = *attributes_.attrs();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() override { Clear(); }

  absl::Status Run(CustomCallFrame& call) override {
    context_.call = &call;
    arguments_.SetData(call.arguments);
    results_.SetData(call.results);
    const absl::Status status = RunStages();
    Clear();
    return status;
  }

 private:
  // Ends what lives no longer than a call.
  void Clear() {
    if (instances_ != nullptr) context_.states.erase(XLA_FFI_ExecutionStage_INSTANTIATE);
    for (const auto& [stage, state] : context_.states) FreeState(state);
    for (void* memory : context_.scratch) runtime::FreeHostMemory(memory);
    context_.states.clear();
    context_.scratch.clear();
  }

  absl::Status RunStages() {
    // When it is instantiated it sees attributes only.
    frame_.args = {sizeof(frame_.args), nullptr, 0, nullptr, nullptr};
    frame_.rets = {sizeof(frame_.rets), nullptr, 0, nullptr, nullptr};
    XLA_RETURN_IF_ERROR(Instantiate());
    frame_.args = {sizeof(frame_.args), nullptr, static_cast<int64_t>(arguments_.buffers.size()),
                   arguments_.types.data(), arguments_.pointers.data()};
    frame_.rets = {sizeof(frame_.rets), nullptr, static_cast<int64_t>(results_.buffers.size()),
                   results_.types.data(), results_.pointers.data()};
    XLA_RETURN_IF_ERROR(Stage(bundle_.prepare, XLA_FFI_ExecutionStage_PREPARE));
    XLA_RETURN_IF_ERROR(Stage(bundle_.initialize, XLA_FFI_ExecutionStage_INITIALIZE));
    return Stage(bundle_.execute, XLA_FFI_ExecutionStage_EXECUTE);
  }

  // Once for each instruction of a program that has instances.
  absl::Status Instantiate() {
    constexpr auto kStage = XLA_FFI_ExecutionStage_INSTANTIATE;
    if (bundle_.instantiate == nullptr) return absl::OkStatus();
    if (instances_ == nullptr) return Stage(bundle_.instantiate, kStage);
    const std::lock_guard<std::mutex> lock(instances_->mutex_);
    auto found = instances_->states_.find(instruction_);
    if (found == instances_->states_.end()) {
      const absl::Status status = Stage(bundle_.instantiate, kStage);
      if (!status.ok()) {
        FreeState(std::exchange(context_.states[kStage], State()));
        return status;
      }
      found = instances_->states_.emplace(instruction_, context_.states[kStage]).first;
    }
    context_.states.erase(kStage);
    if (found->second.object != nullptr) context_.states.emplace(kStage, found->second);
    return absl::OkStatus();
  }

  absl::Status Stage(XLA_FFI_Handler* handler, XLA_FFI_ExecutionStage stage) {
    if (handler == nullptr) return absl::OkStatus();
    frame_.stage = stage;
    frame_.future = nullptr;
    XLA_FFI_Error* error;
    {
      const InsideCustomCall inside;
      error = handler(&frame_);
    }
    XLA_RETURN_IF_ERROR(TakeFfiError(error));
    if (frame_.future == nullptr) return absl::OkStatus();
    const std::unique_ptr<XLA_FFI_Future> future(frame_.future);
    return future->source.event().Await();
  }

  const XLA_FFI_Handler_Bundle bundle_;
  const std::shared_ptr<const CallContext> owned_context_;
  const std::shared_ptr<Instances> instances_;
  const std::string instruction_;
  FfiAttributes attributes_;
  FfiBuffers<XLA_FFI_ArgType> arguments_;
  FfiBuffers<XLA_FFI_RetType> results_;
  XLA_FFI_InvokeContext context_;
  XLA_FFI_CallFrame frame_ = {};
};

std::unique_ptr<PreparedHandler> PrepareHandler(const XLA_FFI_Handler_Bundle& bundle,
                                                std::shared_ptr<const CallContext> context,
                                                const CustomCallFrame& form,
                                                std::shared_ptr<void>& kept) {
  struct Kept {
    XLA_FFI_Handler_Bundle bundle;
    Instances instances;
  };
  std::shared_ptr<Instances> instances = context->instances;
  if (instances == nullptr && bundle.instantiate != nullptr) {
    auto known = std::static_pointer_cast<Kept>(kept);
    // A name may be registered again, for another handler.
    if (known == nullptr || known->bundle.instantiate != bundle.instantiate ||
        known->bundle.execute != bundle.execute) {
      kept = known = std::make_shared<Kept>();
      known->bundle = bundle;
    }
    instances = {known, &known->instances};
  }
  return std::make_unique<Call>(bundle, std::move(context), std::move(instances), form);
}

const XLA_FFI_Api* GetXlaFfiApi() { return &kFfiApi; }

namespace internal {

const Eigen::ThreadPoolDevice* IntraOpThreadPoolOf(const XLA_FFI_InvokeContext* context) {
  return context->context->intra_op_thread_pool;
}

}  // namespace internal

}  // namespace xla::ffi

extern "C" const XLA_FFI_Api* XLA_FFI_GetApi() { return xla::ffi::GetXlaFfiApi(); }

// SPDX-License-Identifier: Apache-2.0
// The interface of typed custom calls (XLA FFI 0.5), as handlers that were compiled against the
// headers of jaxlib have it, and as ffi.h makes them. Handlers of 0.1 and later are called: structs
// only grew, and their sizes tell which fields the other side knows. Numbers of data types are
// those of PrimitiveType, codes of errors those of absl::Status.
#ifndef XLA_FFI_API_C_API_H_
#define XLA_FFI_API_C_API_H_

#include <cstddef>
#include <cstdint>

struct XLA_FFI_Api;
struct XLA_FFI_Error;
struct XLA_FFI_ExecutionContext;
struct XLA_FFI_Future;

struct XLA_FFI_Extension_Base {
  size_t struct_size;
  uint32_t type;
  XLA_FFI_Extension_Base* next;
};
namespace xla {
inline constexpr uint32_t kFfiMetadataExtension = 1;
}  // namespace xla

struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version;
  int minor_version;
};

struct XLA_FFI_ByteSpan {
  const char* ptr;
  size_t len;
};

struct XLA_FFI_TypeId {
  int64_t type_id;
};

struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  void (*deleter)(void* object);
};

// --- What a handler gets
enum XLA_FFI_ExecutionStage : uint32_t {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
  XLA_FFI_ExecutionStage_RECORD = 4,  // into a command buffer, which devices of CPUs do not have
};
namespace xla {
inline constexpr uint32_t kFfiBuffer = 1;  // the one kind of arguments and results
}  // namespace xla

enum XLA_FFI_AttrType : uint32_t {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
};

struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  uint32_t dtype;
  void* data;
  int64_t rank;
  const int64_t* dims;
};

struct XLA_FFI_Scalar {
  uint32_t dtype;
  const void* value;
};

struct XLA_FFI_Array {
  uint32_t dtype;
  size_t size;
  const void* data;
};

struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  uint32_t* types;
  void** args;
};

struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  uint32_t* types;
  void** rets;
};

// Sorted by name.
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_AttrType* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
};

struct XLA_FFI_CallFrame {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future* future;  // out: of a handler that goes on after it returned
};

using XLA_FFI_Handler = XLA_FFI_Error*(XLA_FFI_CallFrame* frame);

// Handlers compare the size with that which their headers state, which ends with `attrs`.
namespace xla {
inline constexpr size_t kFfiCallFrameSize = offsetof(XLA_FFI_CallFrame, future);
}  // namespace xla

// All but `execute` may be null.
struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler* instantiate;
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
  XLA_FFI_Handler* record;  // since 0.5
};

// A frame with this extension asks the handler for its version, and for nothing else.
struct XLA_FFI_Metadata {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  uint32_t traits;
  XLA_FFI_TypeId state_type_id;
};

namespace xla {
inline constexpr size_t kFfiMetadataSize = offsetof(XLA_FFI_Metadata, traits) + sizeof(uint32_t);
}  // namespace xla

struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base base;
  XLA_FFI_Metadata* metadata;
};

// --- What a handler may call
struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const char* message;
  uint32_t errc;
};

// Error_GetMessage before 0.5, without the code.
struct XLA_FFI_Error_GetDetails_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
  const char* message;  // out
  uint32_t errc;        // out
};

struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
};

struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle bundle;
  uint32_t traits;
};

struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void* stream;
};

struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId* type_id;  // 0 asks for a new number
  const XLA_FFI_TypeInfo* type_info;
};

struct XLA_FFI_ExecutionContext_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* data;
};

struct XLA_FFI_State_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId* type_id;
  void* state;
};

struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  size_t alignment;
  void* data;
};

struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  void* data;
};

struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void (*task)(void* data);
  void* data;
};

struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t* num_threads;
};

struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
};

struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
};

struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;  // belongs to the future from now on
};

struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t run_id;
};

struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int32_t device_ordinal;
};

// What a caller attaches to a run, by the type of the extension (since 0.5).
struct XLA_FFI_ExtensionId {
  int64_t extension_type;
  int32_t major_version;
  int32_t minor_version;
};

struct XLA_FFI_Extension {
  size_t struct_size;
  XLA_FFI_ExtensionId id;
  const XLA_FFI_Extension* next;
};

struct XLA_FFI_InvokeContext_FindExtension_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t extension_type;
  const XLA_FFI_Extension* extension;  // out: null if there is none of the type
};

// Options of a run, beside the attributes of the call (since 0.5).
struct XLA_FFI_CustomOptions_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  const XLA_FFI_Attrs* attrs;  // out
};

struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const void* internal_api;
  XLA_FFI_Error* (*error_create)(XLA_FFI_Error_Create_Args* args);
  void (*error_get_details)(XLA_FFI_Error_GetDetails_Args* args);
  void (*error_destroy)(XLA_FFI_Error_Destroy_Args* args);
  XLA_FFI_Error* (*handler_register)(XLA_FFI_Handler_Register_Args* args);
  XLA_FFI_Error* (*stream_get)(XLA_FFI_Stream_Get_Args* args);
  XLA_FFI_Error* (*type_register)(XLA_FFI_Type_Register_Args* args);
  XLA_FFI_Error* (*execution_context_get)(XLA_FFI_ExecutionContext_Get_Args* args);
  XLA_FFI_Error* (*state_set)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*state_get)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*device_memory_allocate)(XLA_FFI_DeviceMemory_Allocate_Args* args);
  XLA_FFI_Error* (*device_memory_free)(XLA_FFI_DeviceMemory_Free_Args* args);
  XLA_FFI_Error* (*thread_pool_schedule)(XLA_FFI_ThreadPool_Schedule_Args* args);
  XLA_FFI_Error* (*thread_pool_num_threads)(XLA_FFI_ThreadPool_NumThreads_Args* args);
  XLA_FFI_Error* (*future_create)(XLA_FFI_Future_Create_Args* args);
  XLA_FFI_Error* (*future_set_available)(XLA_FFI_Future_SetAvailable_Args* args);
  XLA_FFI_Error* (*future_set_error)(XLA_FFI_Future_SetError_Args* args);
  XLA_FFI_Error* (*run_id_get)(XLA_FFI_RunId_Get_Args* args);
  XLA_FFI_Error* (*device_ordinal_get)(XLA_FFI_DeviceOrdinal_Get_Args* args);
  XLA_FFI_Error* (*invoke_context_find_extension)(XLA_FFI_InvokeContext_FindExtension_Args* args);
  XLA_FFI_Error* (*custom_options_get)(XLA_FFI_CustomOptions_Get_Args* args);
};

namespace xla {
inline constexpr int kFfiMajorVersion = 0;
inline constexpr int kFfiMinorVersion = 5;
}  // namespace xla

static_assert(sizeof(XLA_FFI_Api) == 208 && offsetof(XLA_FFI_Api, error_create) == 48);
static_assert(sizeof(XLA_FFI_CallFrame) == 176 && offsetof(XLA_FFI_CallFrame, attrs) == 120);
static_assert(sizeof(XLA_FFI_Buffer) == 48 && sizeof(XLA_FFI_Attrs) == 48);
static_assert(sizeof(XLA_FFI_Metadata) == 48 && sizeof(XLA_FFI_Metadata_Extension) == 32);
static_assert(sizeof(XLA_FFI_Handler_Register_Args) == 96 && sizeof(XLA_FFI_State_Args) == 48);
static_assert(sizeof(XLA_FFI_DeviceMemory_Allocate_Args) == 48);
static_assert(offsetof(XLA_FFI_Error_GetDetails_Args, errc) == 32);
static_assert(sizeof(XLA_FFI_InvokeContext_FindExtension_Args) == 40);
static_assert(offsetof(XLA_FFI_Api, custom_options_get) == 200);

#endif  // XLA_FFI_API_C_API_H_

// SPDX-License-Identifier: Apache-2.0
// The interface of PJRT plugins (PJRT C API 0.114): errors, events, named values, extensions.
//
// Layouts are facts of the interface; abi_layout.cc asserts them. A caller may know fewer fields of
// an argument struct, or more: its `struct_size` says how many bytes it has. Fields marked "out"
// are written by the plugin; strings and lists have the lifetime of the object that they were asked
// of, unless a deleter comes with them.
#ifndef XLA_PJRT_ABI_BASE_H_
#define XLA_PJRT_ABI_BASE_H_

#include <cstddef>
#include <cstdint>

struct PJRT_AsyncHostToDeviceTransferManager;
struct PJRT_AsyncTrackingEvent;
struct PJRT_Buffer;
struct PJRT_Client;
struct PJRT_CopyToDeviceStream;
struct PJRT_Device;
struct PJRT_DeviceAssignmentSerialized;
struct PJRT_DeviceDescription;
struct PJRT_Device_Attributes;
struct PJRT_Error;
struct PJRT_Event;
struct PJRT_Executable;
struct PJRT_ExecuteContext;
struct PJRT_LoadedExecutable;
struct PJRT_Memory;
struct PJRT_MemoryDescription;
struct PJRT_SerializedCompileOptions;
struct PJRT_SerializedExecutable;
struct PJRT_SerializedTopology;
struct PJRT_TopologyDescription;

inline constexpr int PJRT_API_MAJOR = 0;
inline constexpr int PJRT_API_MINOR = 114;

enum PJRT_Extension_Type : uint32_t {
  PJRT_Extension_Type_Profiler = 1,
  PJRT_Extension_Type_Custom_Partitioner = 2,
  PJRT_Extension_Type_Layouts = 4,
  PJRT_Extension_Type_FFI = 5,
  PJRT_Extension_Type_MemoryDescriptions = 6,
  PJRT_Extension_Type_Shardings = 19,
  // Our own, "xyl": custom calls with all their stages. XLA has this extension, under the number 0,
  // on GPUs only, by which clients take a plugin for one of a GPU.
  PJRT_Extension_Type_Xylem_Custom_Call = 0x78796c,
};

// The codes of absl::Status.
enum PJRT_Error_Code : uint32_t { PJRT_Error_Code_OK = 0 };

enum PJRT_NamedValue_Type : uint32_t {
  PJRT_NamedValue_kString = 0,
  PJRT_NamedValue_kInt64,
  PJRT_NamedValue_kInt64List,
  PJRT_NamedValue_kFloat,
  PJRT_NamedValue_kBool,
};

// The start of each extension; a list, linked by `next`.
struct PJRT_Extension_Base {
  size_t struct_size;
  PJRT_Extension_Type type;
  PJRT_Extension_Base* next;
};

struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  int major_version;
  int minor_version;
};

// `value_size` counts characters of strings and elements of lists; 1 for others.
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;
};

// --- Errors: a null PJRT_Error* is success. The caller destroys the error.
using PJRT_Error_PayloadVisitor = void (*)(const char* key, size_t key_size, const char* value,
                                           size_t value_size, void* user_arg);
// How callbacks of the caller make errors, which the plugin destroys.
using PJRT_CallbackError = PJRT_Error* (*)(PJRT_Error_Code code, const char* message,
                                           size_t message_size);

struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
};

struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
  const char* message;
  size_t message_size;
};

struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
  PJRT_Error_Code code;
};

struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
  PJRT_Error_PayloadVisitor visitor;
  void* user_arg;
};

// From 0.113 on, errors start with a pointer to the table of their functions, which callers may use
// in place of those of PJRT_Api.
struct PJRT_Error_FunctionTable {
  size_t struct_size;
  size_t instance_size;
  PJRT_Extension_Base* extension_start;
  void (*destroy)(PJRT_Error_Destroy_Args* args);
  void (*message)(PJRT_Error_Message_Args* args);
  PJRT_Error* (*get_code)(PJRT_Error_GetCode_Args* args);
  PJRT_Error* (*for_each_payload)(PJRT_Error_ForEachPayload_Args* args);
};

// --- Plugin

struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
};

// The attributes live as long as the process.
struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_NamedValue* attributes;
  size_t num_attributes;
};

// --- Events: the end of asynchronous work, with its error. The caller destroys the event.

struct PJRT_Event_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};

struct PJRT_Event_IsReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  bool is_ready;
};

// Precondition: the event is ready.
struct PJRT_Event_Error_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};

struct PJRT_Event_Await_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};

// Gets the error, or null, and destroys it.
using PJRT_Event_OnReadyCallback = void (*)(PJRT_Error* error, void* user_arg);

struct PJRT_Event_OnReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
};

// An event that the caller sets.
struct PJRT_Event_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
};

struct PJRT_Event_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Event* event;
  PJRT_Error_Code error_code;
  const char* error_message;
  size_t error_message_size;
};

struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_AsyncTrackingEvent* event;
};

#endif  // XLA_PJRT_ABI_BASE_H_

// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. The profiler.
#ifndef XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;

typedef struct PLUGIN_Profiler_Error_Destroy_Args PLUGIN_Profiler_Error_Destroy_Args;
struct PLUGIN_Profiler_Error_Destroy_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_Destroy_Args, error);

typedef struct PLUGIN_Profiler_Error_Message_Args PLUGIN_Profiler_Error_Message_Args;
struct PLUGIN_Profiler_Error_Message_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  const char* message;
  size_t message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_Message_Args, message_size);

typedef struct PLUGIN_Profiler_Error_GetCode_Args PLUGIN_Profiler_Error_GetCode_Args;
struct PLUGIN_Profiler_Error_GetCode_Args {
  size_t struct_size;
  void* priv;
  PLUGIN_Profiler_Error* error;
  int code;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Error_GetCode_Args, code);

typedef struct PLUGIN_Profiler_Create_Args PLUGIN_Profiler_Create_Args;
struct PLUGIN_Profiler_Create_Args {
  size_t struct_size;
  const char* options;  // a tensorflow.ProfileOptions
  size_t options_size;
  PLUGIN_Profiler* profiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Create_Args, profiler);

typedef struct PLUGIN_Profiler_Destroy_Args PLUGIN_Profiler_Destroy_Args;
struct PLUGIN_Profiler_Destroy_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Destroy_Args, profiler);

typedef struct PLUGIN_Profiler_Start_Args PLUGIN_Profiler_Start_Args;
struct PLUGIN_Profiler_Start_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Start_Args, profiler);

typedef struct PLUGIN_Profiler_Stop_Args PLUGIN_Profiler_Stop_Args;
struct PLUGIN_Profiler_Stop_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Stop_Args, profiler);

// An XSpace. With a null buffer it is set to memory of the profiler.
typedef struct PLUGIN_Profiler_CollectData_Args PLUGIN_Profiler_CollectData_Args;
struct PLUGIN_Profiler_CollectData_Args {
  size_t struct_size;
  PLUGIN_Profiler* profiler;
  uint8_t* buffer;
  size_t buffer_size_in_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_CollectData_Args, buffer_size_in_bytes);

typedef struct PLUGIN_Profiler_Api PLUGIN_Profiler_Api;
struct PLUGIN_Profiler_Api {
  size_t struct_size;
  void* priv;
  void (*error_destroy)(PLUGIN_Profiler_Error_Destroy_Args* args);
  void (*error_message)(PLUGIN_Profiler_Error_Message_Args* args);
  PLUGIN_Profiler_Error* (*error_get_code)(PLUGIN_Profiler_Error_GetCode_Args* args);
  PLUGIN_Profiler_Error* (*create)(PLUGIN_Profiler_Create_Args* args);
  PLUGIN_Profiler_Error* (*destroy)(PLUGIN_Profiler_Destroy_Args* args);
  PLUGIN_Profiler_Error* (*start)(PLUGIN_Profiler_Start_Args* args);
  PLUGIN_Profiler_Error* (*stop)(PLUGIN_Profiler_Stop_Args* args);
  PLUGIN_Profiler_Error* (*collect_data)(PLUGIN_Profiler_CollectData_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PLUGIN_Profiler_Api, collect_data);

typedef struct PJRT_Profiler_Extension PJRT_Profiler_Extension;
struct PJRT_Profiler_Extension {
  PJRT_Extension_Base base;
  PLUGIN_Profiler_Api* profiler_api;
  int64_t traceme_context_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Profiler_Extension, traceme_context_id);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_PROFILER_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Typed custom calls, types and user data of the XLA FFI
// (xla/ffi/api/c_api.h).
#ifndef XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Custom calls (5)

typedef struct PJRT_FFI_Type_Info PJRT_FFI_Type_Info;
struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
  void* serialize;
  void* deserialize;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Info, deserialize);

typedef struct PJRT_FFI_Type_Register_Args PJRT_FFI_Type_Register_Args;
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;
  PJRT_FFI_Type_Info* type_info;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Register_Args, type_info);

typedef struct PJRT_FFI_UserData PJRT_FFI_UserData;
struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData, data);

typedef struct PJRT_FFI_UserData_Add_Args PJRT_FFI_UserData_Add_Args;
struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData_Add_Args, user_data);

typedef struct PJRT_FFI_Register_Handler_Args PJRT_FFI_Register_Handler_Args;
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;  // an XLA_FFI_Handler of c_api.h
  const char* platform_name;
  size_t platform_name_size;
  uint32_t traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Register_Handler_Args, traits);

typedef struct PJRT_FFI_Extension PJRT_FFI_Extension;
struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Extension, register_handler);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_FFI_EXTENSION_H_

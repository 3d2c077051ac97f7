// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Custom calls with all their stages, an extension of Xylem.
#ifndef XLA_PJRT_C_PJRT_C_API_XYLEM_CUSTOM_CALL_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_XYLEM_CUSTOM_CALL_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Custom calls by the name of their functions, our own extension: api_version 0 is untyped, 1 a
// handler of c_api.h; untyped ones are in handler_execute.

typedef struct PJRT_Register_Custom_Call_Args PJRT_Register_Custom_Call_Args;
struct PJRT_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int api_version;
  void* handler_instantiate;
  void* handler_prepare;
  void* handler_initialize;
  void* handler_execute;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Custom_Call_Args, handler_execute);

typedef struct PJRT_Custom_Call_Extension PJRT_Custom_Call_Extension;
struct PJRT_Custom_Call_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*custom_call)(PJRT_Register_Custom_Call_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Custom_Call_Extension, custom_call);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_XYLEM_CUSTOM_CALL_EXTENSION_H_

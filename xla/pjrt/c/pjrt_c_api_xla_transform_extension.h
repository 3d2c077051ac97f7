// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Functions of the caller that change programs as they are
// compiled.
#ifndef XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION 1

typedef struct PJRT_XlaTransform_string PJRT_XlaTransform_string;
struct PJRT_XlaTransform_string {
  const char* data;
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_string, size);

// Results and errors live until cleanup_fn(data) is called.
typedef struct PJRT_XlaTransform_version_and_error PJRT_XlaTransform_version_and_error;
struct PJRT_XlaTransform_version_and_error {
  int64_t api_version;
  void* data;
  void (*cleanup_fn)(void* data);
  bool has_error;
  PJRT_Error_Code code;
  PJRT_XlaTransform_string error_msg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_version_and_error, error_msg);

typedef struct PJRT_XlaTransform_Args PJRT_XlaTransform_Args;
struct PJRT_XlaTransform_Args {
  size_t struct_size;
  PJRT_XlaTransform_version_and_error header;
  PJRT_XlaTransform_string hlo_module;              // a serialized xla.HloModuleProto
  PJRT_XlaTransform_string transformed_hlo_module;  // set by the caller, if `changed`
  bool changed;                                     // likewise
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_Args, changed);

typedef struct PJRT_XlaTransform_Callbacks PJRT_XlaTransform_Callbacks;
struct PJRT_XlaTransform_Callbacks {
  int64_t version;
  void (*dtor)(PJRT_XlaTransform_Callbacks* callbacks);
  void (*transform_hlo_module)(PJRT_XlaTransform_Callbacks* callbacks,
                               PJRT_XlaTransform_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_XlaTransform_Callbacks, transform_hlo_module);

typedef enum PJRT_ENUM(PJRT_XlaTransform_PipelineStage) {
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1,
} PJRT_XlaTransform_PipelineStage;

typedef struct PJRT_Register_Xla_Transform_Args PJRT_Register_Xla_Transform_Args;
struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  PJRT_XlaTransform_PipelineStage stage;
  PJRT_XlaTransform_Callbacks* callbacks;  // lives from now on until its dtor is called
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Xla_Transform_Args, callbacks);

typedef struct PJRT_Clear_Xla_Transform_Args PJRT_Clear_Xla_Transform_Args;
struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;
  PJRT_XlaTransform_PipelineStage stage;
  const char* name;  // or null, and the callbacks
  size_t name_size;
  PJRT_XlaTransform_Callbacks* callbacks;
  bool cleared;  // set by the plugin
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Clear_Xla_Transform_Args, cleared);

typedef struct PJRT_Xla_Transform_Extension PJRT_Xla_Transform_Extension;
struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_xla_transform)(PJRT_Register_Xla_Transform_Args* args);
  PJRT_Error* (*clear_xla_transform)(PJRT_Clear_Xla_Transform_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Xla_Transform_Extension, clear_xla_transform);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_XLA_TRANSFORM_EXTENSION_H_

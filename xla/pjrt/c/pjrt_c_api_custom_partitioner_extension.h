// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Partitioners of custom calls.
#ifndef XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct JAX_CustomCallPartitioner_string JAX_CustomCallPartitioner_string;
struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_string, size);

typedef struct JAX_CustomCallPartitioner_aval JAX_CustomCallPartitioner_aval;
struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;  // a serialized xla.ShapeProto
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;  // a serialized xla.OpSharding
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_aval, sharding);

// Results and errors live until cleanup_fn(data) is called.
typedef struct JAX_CustomCallPartitioner_version_and_error
    JAX_CustomCallPartitioner_version_and_error;
struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data;
  void (*cleanup_fn)(void* data);
  bool has_error;
  PJRT_Error_Code code;
  JAX_CustomCallPartitioner_string error_msg;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_version_and_error, error_msg);

typedef struct JAX_CustomCallPartitioner_Partition_Args JAX_CustomCallPartitioner_Partition_Args;
struct JAX_CustomCallPartitioner_Partition_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_aval op_result;
  JAX_CustomCallPartitioner_string backend_config;
  // Set by the caller: the program of one partition, and how its operands and result are divided.
  JAX_CustomCallPartitioner_string mlir_module;
  JAX_CustomCallPartitioner_string* args_sharding;
  JAX_CustomCallPartitioner_string result_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_Partition_Args, result_sharding);

typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args
    JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;                          // set by the caller
  JAX_CustomCallPartitioner_string result_sharding;  // likewise
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_InferShardingFromOperands_Args,
                          result_sharding);

typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args
    JAX_CustomCallPartitioner_PropagateUserSharding_Args;
struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_sharding);

typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;
struct JAX_CustomCallPartitioner_Callbacks {
  int64_t version;
  void* private_data;
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks* callbacks);
  void (*partition)(JAX_CustomCallPartitioner_Callbacks* callbacks,
                    JAX_CustomCallPartitioner_Partition_Args* args);
  void (*infer_sharding)(JAX_CustomCallPartitioner_Callbacks* callbacks,
                         JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  void (*propagate_user_sharding)(JAX_CustomCallPartitioner_Callbacks* callbacks,
                                  JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  bool can_side_effecting_have_replicated_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_Callbacks,
                          can_side_effecting_have_replicated_sharding);

typedef struct PJRT_Register_Custom_Partitioner_Args PJRT_Register_Custom_Partitioner_Args;
struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;  // lives from now on until its dtor is called
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Custom_Partitioner_Args, callbacks);

typedef struct PJRT_Register_Batch_Partitionable_Args PJRT_Register_Batch_Partitionable_Args;
struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Batch_Partitionable_Args, name_size);

typedef struct PJRT_Custom_Partitioner_Extension PJRT_Custom_Partitioner_Extension;
struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args* args);
  PJRT_Error* (*register_batch_partitionable)(PJRT_Register_Batch_Partitionable_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Custom_Partitioner_Extension, register_batch_partitionable);

// --- InspectSharding: its backend_config is the bytes of a JAX_InspectSharding_Callback.

typedef struct JAX_InspectSharding_Callback_Args JAX_InspectSharding_Callback_Args;
struct JAX_InspectSharding_Callback_Args {
  const char* sharding_spec;  // a serialized xla.OpSharding
  size_t sharding_spec_size;
  const char* error_txt;  // set by the caller; null: none
  void* error_scratch;
  void (*free_error)(JAX_InspectSharding_Callback_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_InspectSharding_Callback_Args, free_error);

typedef struct JAX_InspectSharding_Callback JAX_InspectSharding_Callback;
struct JAX_InspectSharding_Callback {
  void (*call)(void* data, JAX_InspectSharding_Callback_Args* args);
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_InspectSharding_Callback, data);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// The extension for custom calls that callers partition themselves (2), and what the custom call
// InspectSharding carries. Functions of the caller run while a program is compiled.
#ifndef XLA_PJRT_ABI_PARTITIONER_H_
#define XLA_PJRT_ABI_PARTITIONER_H_

#include "xla/pjrt/abi_base.h"

struct JAX_CustomCallPartitioner_string {
  const char* data;
  size_t size;
};

struct JAX_CustomCallPartitioner_aval {
  JAX_CustomCallPartitioner_string shape;  // a serialized xla.ShapeProto
  bool has_sharding;
  JAX_CustomCallPartitioner_string sharding;  // a serialized xla.OpSharding
};

// Results and errors live until cleanup_fn(data) is called.
struct JAX_CustomCallPartitioner_version_and_error {
  int64_t api_version;
  void* data;
  void (*cleanup_fn)(void* data);
  bool has_error;
  PJRT_Error_Code code;
  JAX_CustomCallPartitioner_string error_msg;
};

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

struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  size_t num_args;
  JAX_CustomCallPartitioner_aval* op_args;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string backend_config;
  bool has_result_sharding;                          // set by the caller
  JAX_CustomCallPartitioner_string result_sharding;  // likewise
};

struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  JAX_CustomCallPartitioner_version_and_error header;
  JAX_CustomCallPartitioner_string backend_config;
  JAX_CustomCallPartitioner_string result_shape;
  JAX_CustomCallPartitioner_string result_sharding;
};

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

struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
  JAX_CustomCallPartitioner_Callbacks* callbacks;  // lives from now on until its dtor is called
};

struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  const char* name;
  size_t name_size;
};

struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*register_custom_partitioner)(PJRT_Register_Custom_Partitioner_Args* args);
  PJRT_Error* (*register_batch_partitionable)(PJRT_Register_Batch_Partitionable_Args* args);
};

// --- InspectSharding: its backend_config is the bytes of a JAX_InspectSharding_Callback.

struct JAX_InspectSharding_Callback_Args {
  const char* sharding_spec;  // a serialized xla.OpSharding
  size_t sharding_spec_size;
  const char* error_txt;  // set by the caller; null: none
  void* error_scratch;
  void (*free_error)(JAX_InspectSharding_Callback_Args* args);
};

struct JAX_InspectSharding_Callback {
  void (*call)(void* data, JAX_InspectSharding_Callback_Args* args);
  void* data;
};

#endif  // XLA_PJRT_ABI_PARTITIONER_H_

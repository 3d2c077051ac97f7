// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Kinds of memory that devices have, without a client.
#ifndef XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Memory descriptions (6)

typedef struct PJRT_DeviceDescription_MemoryDescriptions_Args
    PJRT_DeviceDescription_MemoryDescriptions_Args;
struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  PJRT_MemoryDescription* const* memory_descriptions;
  size_t num_memory_descriptions;
  size_t default_memory_index;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index);

typedef struct PJRT_MemoryDescription_Kind_Args PJRT_MemoryDescription_Kind_Args;
struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_MemoryDescription* memory_description;
  const char* kind;
  size_t kind_size;
  int kind_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescription_Kind_Args, kind_id);

typedef struct PJRT_MemoryDescriptions_Extension PJRT_MemoryDescriptions_Extension;
struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*device_memory_descriptions)(PJRT_DeviceDescription_MemoryDescriptions_Args* args);
  PJRT_Error* (*memory_description_kind)(PJRT_MemoryDescription_Kind_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescriptions_Extension, memory_description_kind);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_

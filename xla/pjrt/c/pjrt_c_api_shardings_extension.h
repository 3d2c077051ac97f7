// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface. Shardings of programs, as serialized xla.OpSharding.
#ifndef XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// --- Shardings (19): serialized xla.OpSharding; null lists if the program has none

typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;
  const char* const* shardings;
  const size_t* sharding_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes);

typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;
  const char* const* shardings;
  const size_t* sharding_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes);

typedef struct PJRT_Shardings_Extension PJRT_Shardings_Extension;
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*parameter_shardings)(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);
  PJRT_Error* (*output_shardings)(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_Extension, output_shardings);

#ifdef __cplusplus
}
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_SHARDINGS_EXTENSION_H_

/* SPDX-License-Identifier: Apache-2.0 */
/* The headers that are plain C, in a C program: a client of plugins, a custom call. */
#include <string.h>

#include "xla/ffi/api/c_api.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/c/pjrt_c_api_cross_host_transfers_extension.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_memory_descriptions_extension.h"
#include "xla/pjrt/c/pjrt_c_api_profiler_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"
#include "xla/pjrt/c/pjrt_c_api_xla_transform_extension.h"
#include "xla/pjrt/c/pjrt_c_api_xylem_custom_call_extension.h"

PJRT_Error* Wait(const PJRT_Api* api, PJRT_Event* event) {
  PJRT_Event_Await_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE;
  args.event = event;
  return api->PJRT_Event_Await(&args);
}

XLA_FFI_Error* CopyCall(XLA_FFI_CallFrame* frame) {
  const XLA_FFI_Buffer* in;
  XLA_FFI_Buffer* out;
  if (frame->extension_start != NULL && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)frame->extension_start)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    return NULL;
  }
  in = (const XLA_FFI_Buffer*)frame->args.args[0];
  out = (XLA_FFI_Buffer*)frame->rets.rets[0];
  memcpy(out->data, in->data, (size_t)in->dims[0]);
  return NULL;
}

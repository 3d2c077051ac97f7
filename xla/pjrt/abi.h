// SPDX-License-Identifier: Apache-2.0
// The interface of PJRT plugins, PJRT C API 0.114: the table of functions that GetPjrtApi returns.
//
// Slots were only ever added at the end, so that callers of any minor version find theirs; the
// table says its own size and version.
#ifndef XLA_PJRT_ABI_H_
#define XLA_PJRT_ABI_H_

#include <cstddef>

#include "xla/pjrt/abi_base.h"
#include "xla/pjrt/abi_buffer.h"
#include "xla/pjrt/abi_client.h"
#include "xla/pjrt/abi_executable.h"
#include "xla/pjrt/abi_extensions.h"  // IWYU pragma: export

struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
#define PJRT_FUNCTION(name) PJRT_Error* (*PJRT_##name)(PJRT_##name##_Args * args);
#define PJRT_VOID_FUNCTION(name) void (*PJRT_##name)(PJRT_##name##_Args * args);
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
};

extern "C" const PJRT_Api* GetPjrtApi();

#endif  // XLA_PJRT_ABI_H_

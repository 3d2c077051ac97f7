// SPDX-License-Identifier: Apache-2.0
// The interface of PJRT plugins, with Xylem's extensions.
//
// The layouts are part of the interface; abi_layout.cc asserts them.
#ifndef XLA_PJRT_ABI_H_
#define XLA_PJRT_ABI_H_

// IWYU pragma: begin_exports
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
// IWYU pragma: end_exports

#endif  // XLA_PJRT_ABI_H_

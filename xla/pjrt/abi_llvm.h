// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface for the command that is installed with the plugin: it compiles
// with the plugin's LLVM, so that a package holds one copy (xla/pjrt/linked/plugin_llvm.cc).
#ifndef XLA_PJRT_ABI_LLVM_H_
#define XLA_PJRT_ABI_LLVM_H_

#include <cstddef>

#include "xla/pjrt/c/pjrt_c_api_base.h"

// Far beyond the numbers of the interface.
inline constexpr auto kXylemLlvmExtension = static_cast<PJRT_Extension_Type>(0x58796c66);

struct Xylem_Llvm_Extension {
  PJRT_Extension_Base base;
  // Identifies the build. The table is part of its private interface and may only be used by the
  // same build.
  const char* version;
  // The table xla::cpu::LlvmApi, of `size` bytes; null if the plugin has another or none.
  const void* (*functions)(size_t size);
};

#endif  // XLA_PJRT_ABI_LLVM_H_

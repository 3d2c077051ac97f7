// SPDX-License-Identifier: Apache-2.0
// The table of the plugin's functions, the library's only export.
#include "xla/pjrt/entry.h"
#include "xla/pjrt/extensions.h"
#include "xla/pjrt/functions.h"

namespace xla::pjrt {
namespace {

PJRT_Api MakeTable() {
  PJRT_Api table = {};
  table.struct_size = sizeof(PJRT_Api);
  table.extension_start = FirstExtension();
  table.pjrt_api_version = {sizeof(PJRT_Api_Version), nullptr, PJRT_API_MAJOR, PJRT_API_MINOR};
#define PJRT_FUNCTION(name) table.PJRT_##name = Entry<&api::name, PJRT_##name##_Args>;
#define PJRT_VOID_FUNCTION(name) table.PJRT_##name = VoidEntry<&api::name, PJRT_##name##_Args>;
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION
  return table;
}

}  // namespace
}  // namespace xla::pjrt

extern "C" const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api table = xla::pjrt::MakeTable();
  return &table;
}

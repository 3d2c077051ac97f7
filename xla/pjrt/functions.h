// SPDX-License-Identifier: Apache-2.0
// The functions behind the slots of PJRT_Api, as C++: each works on a complete argument struct and
// returns a status. api.cc puts them into the table.
#ifndef XLA_PJRT_FUNCTIONS_H_
#define XLA_PJRT_FUNCTIONS_H_

#include "absl/status/status.h"
#include "xla/pjrt/abi.h"

namespace xla::pjrt::api {

#define PJRT_FUNCTION(name) absl::Status name(PJRT_##name##_Args& args);
#define PJRT_VOID_FUNCTION(name) PJRT_FUNCTION(name)
#include "xla/pjrt/abi_functions.def"
#undef PJRT_FUNCTION
#undef PJRT_VOID_FUNCTION

}  // namespace xla::pjrt::api

#endif  // XLA_PJRT_FUNCTIONS_H_

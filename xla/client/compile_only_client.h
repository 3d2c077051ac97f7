// SPDX-License-Identifier: Apache-2.0
// CompileOnlyClient: XLA's client for ahead-of-time compilation. There is no such compilation here;
// what else the class offers (ComputeConstant, shapes) the local client does.
#ifndef XLA_CLIENT_COMPILE_ONLY_CLIENT_H_
#define XLA_CLIENT_COMPILE_ONLY_CLIENT_H_

#include "xla/client/local_client.h"

namespace xla {

using CompileOnlyClient = LocalClient;

}  // namespace xla

#endif  // XLA_CLIENT_COMPILE_ONLY_CLIENT_H_

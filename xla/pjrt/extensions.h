// SPDX-License-Identifier: Apache-2.0
// The extensions of the plugin.
#ifndef XLA_PJRT_EXTENSIONS_H_
#define XLA_PJRT_EXTENSIONS_H_

#include "xla/pjrt/abi.h"

namespace xla::pjrt {

// Returns the first extension of the list PJRT_Api::extension_start.
PJRT_Extension_Base* FirstExtension();

}  // namespace xla::pjrt

#endif  // XLA_PJRT_EXTENSIONS_H_

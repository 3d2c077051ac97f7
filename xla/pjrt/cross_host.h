// SPDX-License-Identifier: Apache-2.0
// Copies of buffers from process to process.
#ifndef XLA_PJRT_CROSS_HOST_H_
#define XLA_PJRT_CROSS_HOST_H_

#include "xla/pjrt/c/pjrt_c_api_cross_host_transfers_extension.h"

namespace xla::pjrt {

// Returns the extension, which comes before `next` in the list.
PJRT_Extension_Base* CrossHostTransfersExtension(PJRT_Extension_Base* next);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_CROSS_HOST_H_

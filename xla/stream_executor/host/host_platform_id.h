// SPDX-License-Identifier: Apache-2.0
// The id of the platform of this process. Defined in xla/service/platform_util.cc.
#ifndef XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_
#define XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_

#include "xla/stream_executor/platform.h"

namespace stream_executor::host {

extern const Platform::Id kHostPlatformId;

}  // namespace stream_executor::host

#endif  // XLA_STREAM_EXECUTOR_HOST_HOST_PLATFORM_ID_H_

// SPDX-License-Identifier: Apache-2.0
// XLA's newer name of the header.
#ifndef XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_
#define XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_

#include "xla/stream_executor/device_memory_allocator.h"  // IWYU pragma: export

#endif  // XLA_STREAM_EXECUTOR_DEVICE_ADDRESS_ALLOCATOR_H_

// SPDX-License-Identifier: Apache-2.0
// Protocol buffers under XLA's name for their namespace.
#ifndef TSL_PLATFORM_PROTOBUF_H_
#define TSL_PLATFORM_PROTOBUF_H_

#include "google/protobuf/descriptor.h"                     // IWYU pragma: export
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"  // IWYU pragma: export
#include "google/protobuf/message.h"                        // IWYU pragma: export
#include "google/protobuf/repeated_field.h"                 // IWYU pragma: export
#include "google/protobuf/text_format.h"                    // IWYU pragma: export
#include "google/protobuf/util/message_differencer.h"       // IWYU pragma: export

namespace tsl {
namespace protobuf = ::google::protobuf;  // NOLINT(misc-unused-alias-decls)
}  // namespace tsl

#endif  // TSL_PLATFORM_PROTOBUF_H_

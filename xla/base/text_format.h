// SPDX-License-Identifier: Apache-2.0
// Protobuf's text format, read from what users give.
#ifndef XLA_BASE_TEXT_FORMAT_H_
#define XLA_BASE_TEXT_FORMAT_H_

#include <string>
#include <vector>

#include "xla/base/status_fwd.h"

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace xla {

// InvalidArgument with the line and column, from 1, of the first error; also for messages nested
// more than 100 deep. `mentioned` (may be null) takes the fields of the message that the text sets.
// Nothing is logged.
absl::Status ParseTextFormat(
    const std::string& text, google::protobuf::Message& message,
    std::vector<const google::protobuf::FieldDescriptor*>* mentioned = nullptr);

}  // namespace xla

#endif  // XLA_BASE_TEXT_FORMAT_H_

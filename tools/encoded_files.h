// SPDX-License-Identifier: Apache-2.0
// Programs as they are stored: compressed by gzip (zlib, which only encoded_files.cc includes), and
// protos in text format.
#ifndef XYLEM_TOOLS_ENCODED_FILES_H_
#define XYLEM_TOOLS_ENCODED_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace xla {

bool IsGzip(std::string_view bytes);

// What was compressed, of all members of the file. RESOURCE_EXHAUSTED beyond `max_bytes`, whatever
// the file claims.
absl::StatusOr<std::string> Gunzip(std::string_view bytes, int64_t max_bytes);

// Whether a text is a HloModuleProto, HloProto, HloSnapshot or HloUnoptimizedSnapshot in text
// format: the name of one of their fields, and a colon, or a brace that another field follows.
bool IsTextProto(std::string_view text);

// Such a text in wire format. Errors give line and column.
absl::StatusOr<std::string> TextProtoToBytes(std::string_view text);

// A message in text format, or as JSON. RESOURCE_EXHAUSTED if it is too large for a text.
absl::StatusOr<std::string> ProtoAsText(const google::protobuf::Message& message, bool json);

// The bytes of a program with both undone where they apply.
absl::StatusOr<std::string> DecodeProgram(std::string bytes, int64_t max_bytes);

}  // namespace xla

#endif  // XYLEM_TOOLS_ENCODED_FILES_H_

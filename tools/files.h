// SPDX-License-Identifier: Apache-2.0
// Reading and writing files, pipes and devices.
#ifndef XYLEM_TOOLS_FILES_H_
#define XYLEM_TOOLS_FILES_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {

// The largest program that is read: protocol buffers have the same limit.
inline constexpr int64_t kMaxProgramBytes = (int64_t{1} << 31) - 1;

// The whole file; "-" is standard input. Errors name the file and the reason: RESOURCE_EXHAUSTED
// for more than `max_bytes`, CANCELLED after Ctrl-C. What may never end (a pipe, a device) is given
// up as soon as `can_begin` says that no file of its kind begins with these bytes.
absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes = kMaxProgramBytes,
                                     bool (*can_begin)(std::string_view bytes) = nullptr);

// Writes to the target; "-" is standard output. A regular file appears whole or not at all: the
// bytes are written beside it and renamed. Symbolic links are followed; what is not a regular file
// (a pipe, a device) is written to.
absl::Status WriteFile(const std::string& path, std::string_view bytes);
// The same of bytes that lie in several places.
absl::Status WriteFileParts(const std::string& path, std::initializer_list<std::string_view> parts);

// The same for a writer that needs a file by name: `write` gets the path of a temporary file.
absl::Status WriteFileWith(const std::string& path,
                           absl::FunctionRef<absl::Status(const std::string& temporary)> write);

// A new folder for temporary files, under TMPDIR or /tmp, whose name says what it is for. The
// caller removes it.
absl::StatusOr<std::string> MakeTemporaryFolder(std::string_view purpose);

}  // namespace xla

#endif  // XYLEM_TOOLS_FILES_H_

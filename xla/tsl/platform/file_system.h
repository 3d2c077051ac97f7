// SPDX-License-Identifier: Apache-2.0
// Files that are read at given offsets, as PackedLiteralReader takes them, and small ones as a
// whole.
#ifndef XLA_TSL_PLATFORM_FILE_SYSTEM_H_
#define XLA_TSL_PLATFORM_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tsl {

class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Reads up to scratch.size() bytes from `offset` on. `result` is what was read, usually in
  // `scratch`. OutOfRange if fewer bytes are there; `result` has those.
  virtual absl::Status Read(uint64_t offset, absl::string_view& result,
                            absl::Span<char> scratch) const = 0;
};

// Opens a file of the local file system. NotFound if it does not exist.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenRandomAccessFile(const std::string& path);

// Not in XLA: all of a file. ResourceExhausted if it has more than `max_bytes`.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes);

}  // namespace tsl

#endif  // XLA_TSL_PLATFORM_FILE_SYSTEM_H_

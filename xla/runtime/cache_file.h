// SPDX-License-Identifier: Apache-2.0
// Files of folders that keep what was computed before, and that several processes share. There are
// no errors: what cannot be read is missing, what cannot be written is not kept.
#ifndef XLA_RUNTIME_CACHE_FILE_H_
#define XLA_RUNTIME_CACHE_FILE_H_

#include <optional>
#include <string>
#include <string_view>

namespace xla::runtime {

// Creates the folder, for its owner alone, unless it is there.
void MakeCacheFolder(const std::string& folder);

// The name of the file of a key: 32 hexadecimal digits.
std::string CacheFileName(std::string_view key);

// Returns the bytes of a whole file.
std::optional<std::string> ReadCacheFile(const std::string& path);

// Writes a file under a temporary name in its folder and renames it, so that nobody reads a part.
void WriteCacheFile(const std::string& path, std::string_view bytes);

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_CACHE_FILE_H_

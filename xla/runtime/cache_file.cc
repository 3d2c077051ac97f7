// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/fnv_hash.h"

namespace xla::runtime {
namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

}  // namespace

void MakeCacheFolder(const std::string& folder) { ::mkdir(folder.c_str(), 0700); }

std::string CacheFileName(std::string_view key) {
  constexpr uint64_t kOtherBasis = 0x84222325cbf29ce4u;
  return absl::StrFormat("%016x%016x", FnvHash(key), FnvHash(key, kOtherBasis));
}

std::optional<std::string> ReadCacheFile(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  struct stat status;
  if (file == nullptr || fstat(fileno(file.get()), &status) != 0) return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return std::nullopt;
  return bytes;
}

void WriteCacheFile(const std::string& path, std::string_view bytes) {
  std::string temporary = absl::StrCat(path.substr(0, path.rfind('/') + 1), ".new-XXXXXX");
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return;
  std::FILE* const file = ::fdopen(descriptor, "wb");
  bool is_written = file != nullptr;
  if (file == nullptr) {
    ::close(descriptor);
  } else {
    is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    is_written = std::fclose(file) == 0 && is_written;
  }
  if (!is_written || std::rename(temporary.c_str(), path.c_str()) != 0) ::unlink(temporary.c_str());
}

}  // namespace xla::runtime

// SPDX-License-Identifier: Apache-2.0
#include "xla/tsl/platform/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tsl {
namespace {

class LocalFile : public RandomAccessFile {
 public:
  LocalFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~LocalFile() override { close(descriptor_); }

  absl::Status Read(uint64_t offset, absl::string_view& result,
                    absl::Span<char> scratch) const override {
    size_t done = 0;
    absl::Status status;
    while (done < scratch.size() && status.ok()) {
      const ssize_t count = pread(descriptor_, scratch.data() + done, scratch.size() - done,
                                  static_cast<off_t>(offset + done));
      if (count > 0) {
        done += static_cast<size_t>(count);
      } else if (count == 0) {
        status = absl::OutOfRangeError(absl::StrCat("Read less bytes than requested of ", path_));
      } else if (errno != EINTR) {
        status = absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path_));
      }
    }
    result = absl::string_view(scratch.data(), done);
    return status;
  }

 private:
  const std::string path_;
  const int descriptor_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenRandomAccessFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return std::make_unique<LocalFile>(path, descriptor);
}

}  // namespace tsl

// SPDX-License-Identifier: Apache-2.0
#include "xla/tsl/platform/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

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

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, size_t max_bytes) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file, OpenRandomAccessFile(path));
  std::string content;
  absl::Status status;
  // In steps that double, as some files do not tell their size.
  for (size_t done = 0; status.ok(); done = content.size()) {
    if (done > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, " has more than ", max_bytes, " bytes"));
    }
    content.resize(std::min(std::max(2 * done, size_t{1} << 16), max_bytes + 1));
    absl::string_view read;
    status = file->Read(done, read, absl::MakeSpan(content).subspan(done));
    content.resize(done + read.size());
  }
  if (!absl::IsOutOfRange(status)) return status;
  return content;
}

}  // namespace tsl

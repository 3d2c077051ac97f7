// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/file_kinds.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

// Closes a file descriptor at the end of a scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Errors of delayed writes are reported here.
  bool Close() { return close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// Removes a file, if it still has its name, at the end of a scope, or of the process.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& path) : path_(path) { SetTemporaryFile(path); }
  ~TemporaryFile() {
    std::remove(path_.c_str());
    SetTemporaryFile("");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  const std::string& path_;
};

absl::Status Error(const std::string& path, int error) {
  if (error == EINTR && Interrupted()) return absl::CancelledError("interrupted");
  const std::string message = absl::StrCat(path, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::UnavailableError(message);
}

absl::Status WriteAll(int fd, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR && !Interrupted()) continue;
    if (count < 0) return Error(path, errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Where a write goes.
struct Target {
  std::string path;       // symbolic links followed
  bool replaced = false;  // a regular file, or none yet: written beside and renamed
  mode_t mode = 0;        // of the file that is replaced; 0: none yet
};

Target FindTarget(const std::string& path) {
  Target target{path, true, 0};
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    // A link that leads nowhere is written through.
    target.replaced = lstat(path.c_str(), &info) != 0;
    return target;
  }
  target.replaced = S_ISREG(info.st_mode) && access(path.c_str(), W_OK) == 0;
  target.mode = info.st_mode & 07777;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error) target.path = real.string();
  return target;
}

// Copies a temporary file into one that cannot be replaced.
absl::Status CopyInto(const std::string& from, const std::string& path, int fd) {
  const Descriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) return Error(from, errno);
  std::string buffer(1 << 20, '\0');
  for (;;) {
    const ssize_t count = read(source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR && !Interrupted()) continue;
    if (count < 0) return Error(from, errno);
    if (count == 0) return absl::OkStatus();
    XLA_RETURN_IF_ERROR(
        WriteAll(fd, path, std::string_view(buffer).substr(0, static_cast<size_t>(count))));
  }
}

// Opens what is not replaced; standard output for "-".
int OpenInPlace(const std::string& path) {
  return path == "-" ? STDOUT_FILENO
                     : open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, int64_t max_bytes,
                                     bool (*can_begin)(std::string_view bytes)) {
  const std::string name = DisplayName(path);
  const Descriptor file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return Error(name, errno);
  const auto too_large = [&] {
    return absl::ResourceExhaustedError(
        absl::StrCat(name, ": the file is larger than ", max_bytes, " bytes"));
  };
  struct stat info;
  std::string bytes;
  if (fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode)) {
    if (info.st_size > max_bytes) return too_large();
    bytes.reserve(static_cast<size_t>(info.st_size) + 1);
    can_begin = nullptr;
  }
  // Read until the end: files of /proc and /sys have no size, and files grow.
  for (size_t size = 0;;) {
    constexpr size_t kLeast = 1 << 16;
    bytes.resize(std::max(bytes.capacity(), size + kLeast));
    const ssize_t count = read(file.get(), bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR && !Interrupted()) {
      bytes.resize(size);
      continue;
    }
    if (count < 0) return Error(name, errno);
    size += static_cast<size_t>(count);
    bytes.resize(size);
    if (static_cast<int64_t>(size) > max_bytes) return too_large();
    if (count == 0 || (can_begin != nullptr && !can_begin(bytes))) return bytes;
  }
}

absl::Status WriteFileWith(const std::string& path,
                           absl::FunctionRef<absl::Status(const std::string& temporary)> write) {
  const Target target = path == "-" ? Target{"-"} : FindTarget(path);
  // What is not replaced may lie where no file can be created.
  std::string temporary = absl::StrCat(target.path, ".part", getpid());
  if (!target.replaced) {
    std::error_code error;
    temporary = (std::filesystem::temp_directory_path(error) / "xylemXXXXXX").string();
    if (error) return Error("the folder of temporary files", error.value());
  }
  const Descriptor created(
      target.replaced ? open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)
                      : mkstemp(temporary.data()));
  if (created.get() < 0) return Error(path, errno);
  const TemporaryFile removed(temporary);
  absl::Status status = write(temporary);
  if (status.ok() && !target.replaced) {
    if (path == "-") std::fflush(stdout);
    Descriptor file(OpenInPlace(target.path));
    status = file.get() < 0 ? Error(path, errno) : CopyInto(temporary, path, file.get());
    if (status.ok() && path != "-" && !file.Close()) status = Error(path, errno);
  } else if (status.ok()) {
    if ((target.mode != 0 && chmod(temporary.c_str(), target.mode) != 0) ||
        std::rename(temporary.c_str(), target.path.c_str()) != 0) {
      status = Error(path, errno);
    }
    if (status.ok()) return status;
  }
  return Interrupted() ? absl::CancelledError("interrupted") : status;
}

absl::Status WriteFileParts(const std::string& path,
                            std::initializer_list<std::string_view> parts) {
  const auto write_to = [&](int fd, const std::string& name) -> absl::Status {
    for (const std::string_view part : parts) XLA_RETURN_IF_ERROR(WriteAll(fd, name, part));
    return absl::OkStatus();
  };
  if (path == "-" || !FindTarget(path).replaced) {
    if (path == "-") std::fflush(stdout);
    Descriptor file(OpenInPlace(path));
    const std::string name = path == "-" ? "standard output" : path;
    if (file.get() < 0) return Error(name, errno);
    XLA_RETURN_IF_ERROR(write_to(file.get(), name));
    return path == "-" || file.Close() ? absl::OkStatus() : Error(name, errno);
  }
  return WriteFileWith(path, [&](const std::string& temporary) -> absl::Status {
    Descriptor file(open(temporary.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0) return Error(path, errno);
    XLA_RETURN_IF_ERROR(write_to(file.get(), path));
    return file.Close() ? absl::OkStatus() : Error(path, errno);
  });
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFileParts(path, {bytes});
}

absl::StatusOr<std::string> MakeTemporaryFolder(std::string_view purpose) {
  const char* parent = std::getenv("TMPDIR");
  std::string path = absl::StrCat(parent == nullptr || *parent == '\0' ? "/tmp" : parent, "/xylem-",
                                  std::string(purpose), "-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) {
    const int error = errno;
    return absl::UnavailableError(absl::StrCat("cannot make ", path, ": ", std::strerror(error)));
  }
  return path;
}

}  // namespace xla

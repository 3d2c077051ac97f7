// SPDX-License-Identifier: Apache-2.0
// A store of keys in a folder of files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/key_value_store.h"

namespace xla::distributed {
namespace {

// What file systems accept as a name, less the room for what is added to it.
constexpr size_t kMaxNameBytes = 240;

absl::Status SystemError(absl::string_view what, const std::string& path) {
  const int error = errno;
  return absl::UnavailableError(absl::StrCat(what, " ", path, ": ", std::strerror(error)));
}

class FileStore : public KeyValueStore {
 public:
  explicit FileStore(std::string folder) : folder_(std::move(folder)) {}

  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout) override {
    // Folders that hosts share tell nobody of new files: look again, less and less often.
    const absl::Time end = absl::Now() + timeout;
    absl::Duration pause = absl::Microseconds(200);
    while (true) {
      absl::StatusOr<std::string> value = TryGet(key);
      if (!absl::IsNotFound(value.status())) return value;
      const absl::Duration left = end - absl::Now();
      if (left <= absl::ZeroDuration()) {
        return absl::DeadlineExceededError(absl::StrCat("key \"", key, "\" has no value in ",
                                                        folder_, " after ",
                                                        absl::FormatDuration(timeout)));
      }
      absl::SleepFor(std::min(pause, left));
      pause = std::min(pause * 2, absl::Milliseconds(20));
    }
  }

  absl::StatusOr<std::string> TryGet(absl::string_view key) override {
    XLA_ASSIGN_OR_RETURN(const std::string path, PathOf(key));
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      if (errno == ENOENT) {
        return absl::NotFoundError(absl::StrCat("key \"", key, "\" has no value in ", folder_));
      }
      return SystemError("cannot read", path);
    }
    const absl::Cleanup close_file = [file] { close(file); };
    std::string value;
    char part[4096];
    while (true) {
      const ssize_t count = read(file, part, sizeof(part));
      if (count == 0) return value;
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return SystemError("cannot read", path);
      value.append(part, static_cast<size_t>(count));
      if (value.size() > kMaxStoreValueBytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat(path, " has more than ", kMaxStoreValueBytes, " bytes"));
      }
    }
  }

  absl::Status Put(absl::string_view key, absl::string_view value) override {
    if (value.size() > kMaxStoreValueBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("a value of ", value.size(), " bytes for key \"", key, "\""));
    }
    XLA_ASSIGN_OR_RETURN(const std::string path, PathOf(key));
    // No process has the same number on the same host; the names of hosts differ or the process
    // numbers of the job do, of which keys are made.
    static std::atomic<int64_t> count{0};
    const std::string draft = absl::StrCat(path, "+", getpid(), ".", count.fetch_add(1));
    const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return SystemError("cannot write", draft);
    const absl::Cleanup remove_draft = [&draft] { unlink(draft.c_str()); };
    absl::string_view rest = value;
    while (!rest.empty()) {
      const ssize_t written = write(file, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        absl::Status status = SystemError("cannot write", draft);
        close(file);
        return status;
      }
      rest.remove_prefix(static_cast<size_t>(written));
    }
    if (close(file) != 0) return SystemError("cannot write", draft);
    // Unlike rename, link never replaces a file.
    if (link(draft.c_str(), path.c_str()) == 0) return absl::OkStatus();
    if (errno == EEXIST) {
      return absl::AlreadyExistsError(absl::StrCat("key \"", key, "\" has a value in ", folder_));
    }
    return SystemError("cannot make", path);
  }

 private:
  absl::StatusOr<std::string> PathOf(absl::string_view key) const {
    std::string name;
    for (const char c : key) {
      const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                            c == '-' || c == ',' || (c == '.' && !name.empty());
      if (is_plain) {
        name.push_back(c);
      } else {
        absl::StrAppendFormat(&name, "%%%02x", static_cast<unsigned char>(c));
      }
    }
    if (name.empty() || name.size() > kMaxNameBytes) {
      return absl::InvalidArgumentError(absl::StrCat("the key \"", key, "\" is ",
                                                     name.empty() ? "empty" : "too long",
                                                     " for the name of a file"));
    }
    return absl::StrCat(folder_, "/", name);
  }

  const std::string folder_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<KeyValueStore>> MakeFileStore(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError("cannot make the folder", folder);
  }
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) return SystemError("cannot use the folder", folder);
  if (!S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(folder, " is no folder"));
  }
  return std::make_shared<FileStore>(folder);
}

}  // namespace xla::distributed

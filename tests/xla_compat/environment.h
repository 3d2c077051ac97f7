// SPDX-License-Identifier: Apache-2.0
// Stand-in for the parts of XLA's platform library that its tests use for files and threads.
#ifndef TESTS_XLA_COMPAT_ENVIRONMENT_H_
#define TESTS_XLA_COMPAT_ENVIRONMENT_H_

#include <glob.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/xla_compat/test_macros.h"
#include "tsl/platform/protobuf.h"
#include "xla/tsl/platform/file_system.h"

namespace tsl {

struct ThreadOptions {
  size_t stack_size = 0, guard_size = 0;
  int numa_node = -1;
};

class Thread {
 public:
  explicit Thread(std::function<void()> body) : thread_(std::move(body)) {}
  ~Thread() { thread_.join(); }

 private:
  std::thread thread_;
};

class Env {
 public:
  static Env* Default() {
    static Env env;
    return &env;
  }
  Thread* StartThread(const ThreadOptions&, const std::string&, std::function<void()> body) {
    return new Thread(std::move(body));
  }
  bool LocalTempFilename(std::string* name) {
    static int count = 0;
    *name = absl::StrCat(testing::TmpDir(), "/xla_compat_", getpid(), "_", count++);
    return true;
  }
  absl::Status DeleteFile(const std::string& name) {
    return std::remove(name.c_str()) == 0 ? absl::OkStatus() : absl::NotFoundError(name);
  }
  absl::Status NewRandomAccessFile(const std::string& name,
                                   std::unique_ptr<RandomAccessFile>* file) {
    absl::StatusOr<std::unique_ptr<RandomAccessFile>> opened = OpenRandomAccessFile(name);
    if (opened.ok()) *file = *std::move(opened);
    return opened.status();
  }
  absl::Status GetMatchingPaths(const std::string& pattern, std::vector<std::string>* paths) {
    glob_t found;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      paths->assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    globfree(&found);
    return absl::OkStatus();
  }
  absl::Status FileExists(const std::string& name) {
    return std::ifstream(name) ? absl::OkStatus() : absl::NotFoundError(name);
  }
};

inline absl::Status WriteStringToFile(Env*, const std::string& name, absl::string_view data) {
  std::ofstream out(name, std::ios::binary);
  out.write(data.data(), static_cast<std::streamsize>(data.size()));
  return out.flush() ? absl::OkStatus() : absl::InternalError(name);
}
inline absl::Status ReadFileToString(Env*, const std::string& name, std::string* data) {
  std::ifstream in(name, std::ios::binary);
  if (!in) return absl::NotFoundError(name);
  data->assign(std::istreambuf_iterator<char>(in), {});
  return absl::OkStatus();
}
inline int setenv(const char* name, const char* value, int overwrite) {
  return ::setenv(name, value, overwrite);
}
inline int unsetenv(const char* name) { return ::unsetenv(name); }

namespace io {
inline std::string JoinPath(absl::string_view a, absl::string_view b) {
  return absl::StrCat(a, "/", b);
}
template <typename... Parts>
std::string JoinPath(absl::string_view a, absl::string_view b, const Parts&... parts) {
  return JoinPath(JoinPath(a, b), parts...);
}
inline absl::string_view Basename(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
}  // namespace io

}  // namespace tsl

#endif  // TESTS_XLA_COMPAT_ENVIRONMENT_H_

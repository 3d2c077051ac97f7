// SPDX-License-Identifier: Apache-2.0
// Stand-in for the parts of XLA's platform library that its tests use for files and threads.
#ifndef TESTS_XLA_COMPAT_ENVIRONMENT_H_
#define TESTS_XLA_COMPAT_ENVIRONMENT_H_

#include <glob.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
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

// A program that runs beside the test, with what it writes.
enum Channel { CHAN_STDIN, CHAN_STDOUT, CHAN_STDERR };
enum ChannelAction { ACTION_CLOSE, ACTION_PIPE, ACTION_DUPPARENT };

class SubProcess {
 public:
  void SetProgram(const std::string& program, const std::vector<std::string>& arguments) {
    program_ = program;
    arguments_ = arguments;
  }
  void SetChannelAction(Channel, ChannelAction) {}  // both are read
  bool Start() {
    std::vector<char*> argv;
    for (std::string& argument : arguments_) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(out_), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(err_), STDERR_FILENO);
    const int error =
        posix_spawn(&process_, program_.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error == 0;
  }
  // The status that waitpid tells.
  int Communicate(const std::string*, std::string* out, std::string* err) {
    int status = -1;
    waitpid(process_, &status, 0);
    *out = ContentOf(out_);
    *err = ContentOf(err_);
    return status;
  }
  ~SubProcess() {
    std::fclose(out_);
    std::fclose(err_);
  }

 private:
  static std::string ContentOf(std::FILE* file) {
    std::string content;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) content += static_cast<char>(c);
    return content;
  }

  std::string program_;
  std::vector<std::string> arguments_;
  std::FILE* out_ = std::tmpfile();
  std::FILE* err_ = std::tmpfile();
  pid_t process_ = -1;
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
inline bool GetTestUndeclaredOutputsDir(std::string*) { return false; }
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

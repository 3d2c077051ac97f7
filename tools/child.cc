// SPDX-License-Identifier: Apache-2.0
#include "tools/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

extern char** environ;

namespace xla {
namespace {

constexpr size_t kMostKept = size_t{1} << 20;

// Both ends of a pipe, closed at the end.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    CloseWrite();
    if (read >= 0) ::close(read);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void CloseWrite() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

// Takes what can be read; false at the end.
bool Drain(int descriptor, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  const size_t room = kMostKept - std::min(kMostKept, text.size());
  text.append(buffer.data(), std::min(room, static_cast<size_t>(count)));
  return true;
}

}  // namespace

absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& words, absl::Duration limit,
                                     const std::atomic<bool>* cancel) {
  Pipe output, errors;
  if (output.read < 0 || errors.read < 0)
    return absl::ResourceExhaustedError(absl::StrCat("no pipe: ", std::strerror(errno)));
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write, 1);
  posix_spawn_file_actions_adddup2(&actions, errors.write, 2);
  // A group of its own: it ends as a whole, and Ctrl-C reaches it through this process.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, words[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return absl::NotFoundError(absl::StrCat("cannot start ", words[0], ": ", std::strerror(error)));
  }
  output.CloseWrite();
  errors.CloseWrite();

  ChildResult result;
  const absl::Time end = absl::Now() + limit;
  std::array<pollfd, 2> open = {{{output.read, POLLIN, 0}, {errors.read, POLLIN, 0}}};
  bool is_ended = false;
  int status = 0;
  while (!is_ended || open[0].fd >= 0 || open[1].fd >= 0) {
    // What the child leaves running may hold the pipes open: it does not count.
    if (!is_ended) is_ended = ::waitpid(child, &status, WNOHANG) == child;
    const bool is_late = absl::Now() >= end;
    if (!is_ended && (is_late || (cancel != nullptr && cancel->load()))) {
      result.is_timed_out = is_late;
      ::kill(-child, SIGKILL);
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
      is_ended = true;
    }
    const int ready = ::poll(open.data(), open.size(), is_ended ? 0 : 20);
    if (is_ended && ready <= 0) break;
    for (pollfd& descriptor : open) {
      if (descriptor.fd < 0 || descriptor.revents == 0) continue;
      std::string& text = descriptor.fd == output.read ? result.output : result.errors;
      if (!Drain(descriptor.fd, text)) descriptor.fd = -1;
    }
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string OwnExecutable() {
  std::array<char, 4096> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<size_t>(length)) : "xylem";
}

}  // namespace xla

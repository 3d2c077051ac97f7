// SPDX-License-Identifier: Apache-2.0
// Starts the processes of a job on this machine, and waits for them.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "tools/files.h"
#include "tools/job.h"
#include "tools/process.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

// How long the others may go on when one has failed, and when all are told to stop.
constexpr double kSecondsAfterFailure = 20, kSecondsAfterStop = 2;

struct Child {
  pid_t pid = -1;
  int errors = -1;      // the end of the pipe from its stderr
  std::string pending;  // an incomplete line of it
  bool has_ended = false;
  int exit_code = 0;
};

absl::Status SystemError(absl::string_view what) {
  const int error = errno;
  return absl::UnavailableError(absl::StrCat("cannot ", what, ": ", std::strerror(error)));
}

absl::StatusOr<std::vector<std::string>> OwnCommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.size() < 2) return absl::UnavailableError("cannot read /proc/self/cmdline");
  return words;
}

absl::Status Start(const std::vector<std::string>& words, Child& child) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("make a pipe");
  const pid_t parent = getpid();
  child.pid = fork();
  if (child.pid == 0) {
    // Only what may be called between fork and exec.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExitFailed);
    dup2(ends[1], STDERR_FILENO);
    execv("/proc/self/exe", pointers.data());
    _exit(127);
  }
  close(ends[1]);
  if (child.pid < 0) {
    close(ends[0]);
    return SystemError("start a process");
  }
  child.errors = ends[0];
  return absl::OkStatus();
}

// The lines that processes write to stderr, each once, with the number of the first that writes it.
class Errors {
 public:
  void Read(Child& child, size_t process) {
    char part[4096];
    const ssize_t count = read(child.errors, part, sizeof(part));
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
      if (!child.pending.empty()) Show(child.pending, process);
      close(child.errors);
      child.errors = -1;
      return;
    }
    child.pending.append(part, static_cast<size_t>(count));
    size_t end;
    while ((end = child.pending.find('\n')) != std::string::npos) {
      Show(child.pending.substr(0, end), process);
      child.pending.erase(0, end + 1);
    }
  }

 private:
  void Show(const std::string& line, size_t process) {
    constexpr size_t kMostKept = 10'000;
    if (!shown_.insert(line).second) return;
    if (shown_.size() > kMostKept) shown_.clear();
    if (process == 0) {
      std::fprintf(stderr, "%s\n", line.c_str());
    } else {
      std::fprintf(stderr, "process %zu: %s\n", process, line.c_str());
    }
  }
  std::set<std::string> shown_;
};

void Signal(const std::vector<Child>& children, int signal) {
  for (const Child& child : children) {
    if (child.pid > 0 && !child.has_ended) kill(child.pid, signal);
  }
}

void Reap(std::vector<Child>& children) {
  for (Child& child : children) {
    int status = 0;
    if (child.has_ended || waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
    child.has_ended = true;
    child.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

}  // namespace

absl::StatusOr<int> StartProcesses(const JobRole& role) {
  XLA_ASSIGN_OR_RETURN(const std::vector<std::string> own, OwnCommandLine());
  XLA_ASSIGN_OR_RETURN(const std::string folder, MakeTemporaryFolder("job"));
  const absl::Cleanup remove_folder = [&folder] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  signal(SIGALRM, SIG_IGN);  // this process ends after its children
  std::vector<Child> children(static_cast<size_t>(role.processes));
  absl::Status started;
  for (size_t i = 0; i < children.size() && started.ok(); ++i) {
    std::vector<std::string> words(own.begin(), own.begin() + 2);
    for (const std::string& word : {std::string("--process"), absl::StrCat(i), std::string("--job"),
                                    folder, std::string("--address"), std::string("127.0.0.1")}) {
      words.push_back(word);
    }
    words.insert(words.end(), own.begin() + 2, own.end());
    started = Start(words, children[i]);
  }
  Errors errors;
  double stop_at = started.ok() ? -1 : Seconds(), kill_at = -1;
  while (true) {
    Reap(children);
    std::vector<pollfd> polls;
    std::vector<size_t> numbers;
    bool all_ended = true, any_failed = false;
    for (size_t i = 0; i < children.size(); ++i) {
      if (children[i].pid > 0) all_ended = all_ended && children[i].has_ended;
      any_failed = any_failed || children[i].exit_code != 0;
      if (children[i].errors < 0) continue;
      polls.push_back({children[i].errors, POLLIN, 0});
      numbers.push_back(i);
    }
    if (all_ended && polls.empty()) break;
    const double now = Seconds();
    if (any_failed && stop_at < 0) stop_at = now + kSecondsAfterFailure;
    if (Interrupted() && kill_at < 0) stop_at = now;
    if (stop_at >= 0 && now >= stop_at && kill_at < 0) {
      Signal(children, SIGTERM);
      kill_at = now + kSecondsAfterStop;
    }
    if (kill_at >= 0 && now >= kill_at) Signal(children, SIGKILL);
    // When all have ended, what they wrote is there.
    if (poll(polls.data(), polls.size(), all_ended ? 0 : 20) <= 0) {
      if (all_ended) break;  // something else that they started holds the pipe
      continue;
    }
    for (size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents != 0) errors.Read(children[numbers[i]], numbers[i]);
    }
  }
  XLA_RETURN_IF_ERROR(started);
  if (Interrupted()) return static_cast<int>(kExitInterrupted);
  for (size_t i = 0; i < children.size(); ++i) {
    if (children[i].exit_code > 128) {
      std::fprintf(stderr, "xylem: process %zu was ended by signal %d (%s)\n", i,
                   children[i].exit_code - 128, strsignal(children[i].exit_code - 128));
    }
  }
  for (const Child& child : children) {
    if (child.exit_code != 0) return std::min(child.exit_code, 128 + 64);
  }
  return static_cast<int>(kExitOk);
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>
#include <typeinfo>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "tools/files.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

// What the signal handlers use, which can reach nothing but globals.
std::atomic<bool> interrupted{false};
std::atomic<bool> has_temporary_file{false};
char temporary_file[PATH_MAX];

[[noreturn]] void End(int code) {
  if (has_temporary_file.load()) unlink(temporary_file);
  _exit(code);
}

extern "C" void OnInterrupt(int) {
  if (interrupted.exchange(true)) End(130);
  // Work that does not look at the flag is ended all the same.
  itimerval timer = {};
  timer.it_value.tv_sec = 1;
  timer.it_value.tv_usec = 500'000;
  setitimer(ITIMER_REAL, &timer, nullptr);
}
extern "C" void OnAlarm(int) { End(130); }

[[noreturn]] void OnOutOfMemory() {
  constexpr std::string_view kMessage = "xylem: out of memory\n";
  // Nothing is left to do if this fails, too.
  if (write(STDERR_FILENO, kMessage.data(), kMessage.size()) < 0) End(1);
  End(1);
}

extern "C" void OnAbort(int) { OnOutOfMemory(); }

// For exceptions that are thrown all the same, or for which there is no memory left.
void OnTerminate() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  const bool out_of_memory =
      type == nullptr ? std::malloc(1 << 16) == nullptr : *type == typeid(std::bad_alloc);
  if (out_of_memory) OnOutOfMemory();
  std::abort();
}

}  // namespace

void OpenStandardStreams() {
  // Opened so that using them fails as it would if they were closed.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void InstallHandlers() {
  // An exception would have to pass through destructors, threads and containers that do not expect
  // one. Large memory, of values above all, is allocated where failure is a status.
  std::set_new_handler(OnOutOfMemory);
  std::set_terminate(OnTerminate);
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = OnAlarm;
  sigaction(SIGALRM, &action, nullptr);
}

AbortsAreLackOfMemory::AbortsAreLackOfMemory() { signal(SIGABRT, OnAbort); }
AbortsAreLackOfMemory::~AbortsAreLackOfMemory() { signal(SIGABRT, SIG_DFL); }

const std::atomic<bool>& Interrupted() { return interrupted; }

void SetTemporaryFile(const std::string& path) {
  has_temporary_file = false;
  if (path.empty() || path.size() >= sizeof(temporary_file)) return;
  std::memcpy(temporary_file, path.c_str(), path.size() + 1);
  has_temporary_file = true;
}

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string Counted(int64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", View(noun), count == 1 ? "" : "s");
}

std::string ReadableSeconds(double seconds) {
  // Below what would be printed as 1000, which %g writes with an exponent.
  if (seconds < 999.5e-6) return absl::StrFormat("%.3g us", seconds * 1e6);
  if (seconds < 999.5e-3) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return seconds < 999.5 ? absl::StrFormat("%.3g s", seconds) : absl::StrFormat("%.0f s", seconds);
}

std::string ReadableBytes(int64_t bytes) {
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  auto size = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* larger : {"KB", "MB", "GB", "TB"}) {
    // What would be printed as 1000.0 is 1.0 of the next.
    if (size < 999.95) break;
    size /= 1000;
    unit = larger;
  }
  return absl::StrFormat("%.1f %s", size, unit);
}

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1), start_(Seconds()) {}

ProgressLine::~ProgressLine() {
  if (watcher_.joinable()) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_all();
    watcher_.join();
  }
  Clear();
}

void ProgressLine::Draw() {
  const double elapsed = Seconds() - start_;
  if (text_.empty() || elapsed < 1) return;
  std::fprintf(stderr, "\r%.0f s  %.*s\x1b[K", elapsed,
               static_cast<int>(std::min<size_t>(text_.size(), 100)), text_.data());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(500), [this] { return has_ended_; }))
    Draw();
}

void ProgressLine::Show(std::string_view text) {
  if (!enabled_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  text_ = text;
  Draw();
  if (watcher_.joinable()) return;
  try {
    watcher_ = std::thread([this] { Watch(); });
  } catch (const std::system_error&) {  // no thread: the line is drawn where something is shown
  }
}

void ProgressLine::Clear() {
  if (!enabled_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  text_.clear();
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string ProgressBar(int64_t done, int64_t total) {
  constexpr int64_t kWidth = 30;
  const int64_t full = total > 0 ? std::min(kWidth, done * kWidth / total) : 0;
  return absl::StrCat("[", std::string(full, '#'), std::string(kWidth - full, '.'), "]");
}

int64_t UsableMemoryBytes() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const absl::StatusOr<std::string> group = ReadFile("/sys/fs/cgroup/memory.max");
  int64_t group_bytes;
  // "max" means that there is no limit.
  if (group.ok() && absl::SimpleAtoi(absl::StripAsciiWhitespace(*group), &group_bytes)) {
    bytes = std::min(bytes, group_bytes);
  }
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      bytes = std::min(bytes, static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX)));
  }
  return bytes / 8 * 7;
}

}  // namespace xla

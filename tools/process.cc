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
#include <typeinfo>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/files.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/types.h"
#include "xla/stablehlo/translate.h"

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

bool IsControl(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 && u != '\n' && u != '\t' && u != '\r' && u != '\f' && u != '\v';
}

// HLO text has no control characters; in serialized modules field tags and lengths are some.
bool LooksLikeProto(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 512);
  return !head.empty() && (static_cast<unsigned char>(head[0]) >= 0x80 ||
                           std::any_of(head.begin(), head.end(), IsControl));
}

// What makes a text unreadable that a user takes for HLO text; empty if nothing does.
std::string EncodingProblem(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") return "the file begins with a UTF-8 byte order mark";
  if (bytes.substr(0, 2) == "\xff\xfe" || bytes.substr(0, 2) == "\xfe\xff")
    return "the file is UTF-16; expected ASCII or UTF-8";
  const size_t name = bytes.substr(0, 512).find("HloModule ");
  const auto control = std::find_if(bytes.begin(), bytes.end(), IsControl);
  if (name == std::string_view::npos || control == bytes.end()) return "";
  return absl::StrCat("line ", 1 + std::count(bytes.begin(), control, '\n'),
                      " holds the control character 0x", absl::Hex(*control, absl::kZeroPad2));
}

absl::Status ExpectOneProgram(std::string_view bytes) {
  const size_t count = StableHloPrograms(bytes).size();
  if (count <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected one program, but lines \"// -----\" separate ", count));
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

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1), start_(Seconds()) {}
ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(std::string_view text) {
  if (!enabled_ || Seconds() - start_ < 1) return;
  std::fprintf(stderr, "\r%.*s\x1b[K", static_cast<int>(std::min<size_t>(text.size(), 110)),
               text.data());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Clear() {
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

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFromBytes(std::string_view bytes,
                                                               bool verify) {
  std::unique_ptr<HloModule> module;
  if (IsStableHlo(bytes)) {
    XLA_RETURN_IF_ERROR(ExpectOneProgram(bytes));
    XLA_ASSIGN_OR_RETURN(
        module,
        stablehlo::ReadStableHlo(std::string(bytes), mlir::IsBytecode(bytes) ? "bytecode" : ""));
  } else if (LooksLikeProto(bytes)) {
    auto read = ParseModuleFromProtoBytes(bytes);
    if (const std::string problem = EncodingProblem(bytes); !read.ok() && !problem.empty())
      return absl::InvalidArgumentError(problem);
    XLA_ASSIGN_OR_RETURN(module, std::move(read));
  } else {
    XLA_ASSIGN_OR_RETURN(module, ParseAndReturnUnverifiedModule(bytes));
  }
  if (verify) XLA_RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

absl::StatusOr<std::string> ReadProgram(const std::string& path) {
  return ReadFile(path, std::min(kMaxProgramBytes, UsableMemoryBytes() / 4));
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  return LoadModuleFrom(path, bytes, verify);
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModuleFrom(const std::string& path,
                                                          std::string_view bytes, bool verify) {
  auto module = LoadModuleFromBytes(bytes, verify);
  if (!module.ok()) {
    return absl::Status(module.status().code(), absl::StrCat(path == "-" ? "standard input" : path,
                                                             ": ", module.status().message()));
  }
  return module;
}

bool IsStableHlo(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return true;
  // A proto starts with a line feed and may go on as MLIR text does.
  if (LooksLikeProto(bytes) || bytes.substr(0, 9) == "HloModule") return false;
  if (stablehlo::LooksLikeMlir(bytes)) return true;
  for (const std::string_view part : mlir::SplitInput(bytes)) {
    if (stablehlo::LooksLikeMlir(part)) return true;
  }
  return false;
}

std::vector<std::string_view> StableHloPrograms(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return {bytes};
  std::vector<std::string_view> parts = mlir::SplitInput(bytes);
  std::erase_if(parts, [](std::string_view part) { return stablehlo::IsComment(part); });
  return parts;
}

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LoadModules(const std::string& path,
                                                                    bool verify) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadProgram(path));
  std::vector<std::string_view> parts = {bytes};
  if (IsStableHlo(bytes) || stablehlo::IsComment(bytes)) parts = StableHloPrograms(bytes);
  const std::string name = path == "-" ? std::string("standard input") : path;
  if (absl::StripAsciiWhitespace(bytes).empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": the file is empty"));
  }
  std::vector<std::unique_ptr<HloModule>> modules;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto module = LoadModuleFromBytes(parts[i], verify);
    if (!module.ok()) {
      const std::string part = parts.size() > 1 ? absl::StrCat(", program ", i + 1) : "";
      return absl::Status(module.status().code(),
                          absl::StrCat(name, part, ": ", module.status().message()));
    }
    modules.push_back(*std::move(module));
  }
  return modules;
}

absl::StatusOr<std::string> CompleteText(std::string text) {
  if (text.size() <= mlir::kMaxTextBytes) return text;
  return absl::ResourceExhaustedError(
      absl::StrCat("the text of the program has more than ", mlir::kMaxTextBytes, " bytes"));
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

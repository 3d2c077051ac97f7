// SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla {
namespace {

// Set by the signal handler, which can reach nothing but a global.
std::atomic<bool> interrupted{false};

extern "C" void OnInterrupt(int) {
  if (interrupted.exchange(true)) _exit(130);
}

// HLO text is text; serialized modules begin with a field tag below the blank.
bool LooksLikeProto(std::string_view bytes) {
  if (bytes.empty()) return false;
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first >= 0x80) return true;
  const bool is_white = first == '\n' || first == '\t' || first == '\r';
  if (first < 0x20 && !is_white) return true;
  // A tag of field 1 with a length is '\n': text follows it with more text, a proto with lengths
  // and tags.
  const std::string_view head = bytes.substr(0, 512);
  for (const char c : head) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 && u != '\n' && u != '\t' && u != '\r' && u != '\f' && u != '\v') return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const bool standard = path == "-";
  std::FILE* file = standard ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return absl::NotFoundError(absl::StrCat(path, ": ", std::strerror(errno)));
  std::string bytes;
  char buffer[1 << 16];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), file)) > 0;)
    bytes.append(buffer, count);
  const bool bad = std::ferror(file) != 0;
  const int error = errno;
  if (!standard) std::fclose(file);
  if (bad) return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(error)));
  return bytes;
}

absl::Status WriteFile(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() &&
                    std::fflush(stdout) == 0;
    return ok ? absl::OkStatus()
              : absl::UnavailableError(absl::StrCat("standard output: ", std::strerror(errno)));
  }
  const std::string part = absl::StrCat(path, ".part", getpid());
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (file == nullptr)
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(errno)));
  bool ok = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  ok = std::fclose(file) == 0 && ok;
  ok = ok && std::rename(part.c_str(), path.c_str()) == 0;
  if (!ok) {
    const int error = errno;
    std::remove(part.c_str());
    return absl::UnavailableError(absl::StrCat(path, ": ", std::strerror(error)));
  }
  return absl::OkStatus();
}

void InstallInterruptHandler() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

const std::atomic<bool>& Interrupted() { return interrupted; }

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
  if (LooksLikeProto(bytes)) {
    XLA_ASSIGN_OR_RETURN(module, ParseModuleFromProtoBytes(bytes));
  } else {
    XLA_ASSIGN_OR_RETURN(module, ParseAndReturnUnverifiedModule(bytes));
  }
  if (verify) XLA_RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

absl::StatusOr<std::unique_ptr<HloModule>> LoadModule(const std::string& path, bool verify) {
  XLA_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  auto module = LoadModuleFromBytes(bytes, verify);
  if (!module.ok()) {
    return absl::Status(module.status().code(), absl::StrCat(path == "-" ? "standard input" : path,
                                                             ": ", module.status().message()));
  }
  return module;
}

int64_t UsableMemoryBytes() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const absl::StatusOr<std::string> group = ReadFile("/sys/fs/cgroup/memory.max");
  int64_t group_bytes;
  // The word "max" stands for no limit.
  if (group.ok() && absl::SimpleAtoi(absl::StripAsciiWhitespace(*group), &group_bytes)) {
    bytes = std::min(bytes, group_bytes);
  }
  return bytes / 8 * 7;
}

}  // namespace xla

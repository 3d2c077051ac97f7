// SPDX-License-Identifier: Apache-2.0
#include "xla/distributed/host_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla/base/status_macros.h"

namespace xla::distributed {
namespace {

static_assert(std::atomic<uint64_t>::is_always_lock_free &&
              std::atomic<uint32_t>::is_always_lock_free);

// A frame follows its length.
using FrameLength = uint32_t;
// Others must not cut the memory off while it is mapped.
constexpr unsigned kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr char kName[] = "xylem";

size_t RegionBytes(size_t channels) { return sizeof(RegionHeader) + channels * sizeof(Channel); }

absl::Status SystemError(absl::string_view call) {
  return absl::UnavailableError(absl::StrCat(call, ": ", std::strerror(errno)));
}

// Those who sleep with a bit of `who`.
long Futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout,
           uint32_t who) {
  return syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), operation, value, timeout, nullptr,
                 who);
}

}  // namespace

// --- Frames

void FrameRing::CopyIn(uint64_t position, const char* data, size_t bytes) {
  const size_t at = position % kBytes, first = std::min(bytes, kBytes - at);
  std::memcpy(bytes_.data() + at, data, first);
  if (first < bytes) std::memcpy(bytes_.data(), data + first, bytes - first);
}

void FrameRing::CopyOut(uint64_t position, char* data, size_t bytes) const {
  const size_t at = position % kBytes, first = std::min(bytes, kBytes - at);
  std::memcpy(data, bytes_.data() + at, first);
  if (first < bytes) std::memcpy(data + first, bytes_.data(), bytes - first);
}

bool FrameRing::Write(absl::Span<const absl::Span<const char>> parts) {
  FrameLength length = 0;
  for (const absl::Span<const char> part : parts) length += static_cast<FrameLength>(part.size());
  uint64_t at = written_.load(std::memory_order_relaxed);
  const uint64_t used = at - read_.load(std::memory_order_acquire);
  if (used > kBytes || sizeof(length) + length > kBytes - used) return false;
  CopyIn(at, reinterpret_cast<const char*>(&length), sizeof(length));
  at += sizeof(length);
  for (const absl::Span<const char> part : parts) {
    if (!part.empty()) CopyIn(at, part.data(), part.size());
    at += part.size();
  }
  written_.store(at, std::memory_order_release);
  return true;
}

absl::StatusOr<bool> FrameRing::Read(std::vector<char>& frame) {
  const uint64_t at = read_.load(std::memory_order_relaxed);
  const uint64_t there = written_.load(std::memory_order_acquire) - at;
  if (there == 0) return false;
  FrameLength length = 0;
  if (there >= sizeof(length)) CopyOut(at, reinterpret_cast<char*>(&length), sizeof(length));
  if (there < sizeof(length) || there > kBytes || length > Transport::kMaxFrameBytes ||
      length > there - sizeof(length)) {
    return absl::InvalidArgumentError("it sent what is no frame");
  }
  frame.resize(length);
  if (length > 0) CopyOut(at + sizeof(length), frame.data(), length);
  read_.store(at + sizeof(length) + length, std::memory_order_release);
  return true;
}

// --- Regions

absl::StatusOr<std::unique_ptr<Region>> Region::Create(size_t channels) {
  std::unique_ptr<Region> region(new Region);
  region->bytes_ = RegionBytes(channels);
  region->file_ = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (region->file_ < 0) return SystemError("memfd_create");
  if (ftruncate(region->file_, static_cast<off_t>(region->bytes_)) != 0 ||
      fcntl(region->file_, F_ADD_SEALS, kSeals) != 0) {
    return SystemError("ftruncate");
  }
  void* const memory =
      mmap(nullptr, region->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, region->file_, 0);
  if (memory == MAP_FAILED) return SystemError("mmap");
  region->memory_ = memory;
  // The pages of the rings are zero, as they must be; to write them would take memory for each.
  auto* const header = new (memory) RegionHeader;
  if (getrandom(header->token.data(), sizeof(header->token), 0) != sizeof(header->token))
    return SystemError("getrandom");
  region->pid_ = getpid();
  return region;
}

std::string Region::Location() const {
  const auto& header = *static_cast<const RegionHeader*>(memory_);
  return absl::StrCat(pid_, " ", file_, " ", header.token[0], " ", header.token[1], " ",
                      reinterpret_cast<uintptr_t>(memory_));
}

absl::StatusOr<std::unique_ptr<Region>> Region::Open(absl::string_view location, size_t channels) {
  const std::vector<absl::string_view> fields = absl::StrSplit(location, ' ');
  int64_t pid = 0, file = 0;
  std::array<uint64_t, 2> token;
  uint64_t address = 0;
  if (fields.size() != 5 || !absl::SimpleAtoi(fields[0], &pid) ||
      !absl::SimpleAtoi(fields[1], &file) || !absl::SimpleAtoi(fields[2], &token[0]) ||
      !absl::SimpleAtoi(fields[3], &token[1]) || !absl::SimpleAtoi(fields[4], &address) ||
      pid <= 0 || pid > INT_MAX || file < 0) {
    return absl::InvalidArgumentError("the place of its memory is malformed");
  }
  std::unique_ptr<Region> region(new Region);
  region->pid_ = pid;
  region->bytes_ = RegionBytes(channels);
  const std::string path = absl::StrCat("/proc/", pid, "/fd/", file);
  // Nothing else is opened: that could wait, or do something.
  char target[64] = {};
  if (readlink(path.c_str(), target, sizeof(target) - 1) < 0) return SystemError(path);
  if (absl::string_view(target) != absl::StrCat("/memfd:", kName, " (deleted)"))
    return absl::UnavailableError(absl::StrCat(path, " is ", target));
  region->process_ = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
  if (region->process_ < 0) return SystemError("pidfd_open");
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) return SystemError(path);
  struct stat status = {};
  void* memory = MAP_FAILED;
  if (fstat(opened, &status) == 0 && status.st_size == static_cast<off_t>(region->bytes_) &&
      (static_cast<unsigned>(fcntl(opened, F_GET_SEALS)) & F_SEAL_SHRINK) != 0) {
    memory = mmap(nullptr, region->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  }
  close(opened);
  if (memory == MAP_FAILED) return absl::UnavailableError(absl::StrCat(path, " cannot be mapped"));
  region->memory_ = memory;
  std::array<uint64_t, 2> read = {};
  XLA_RETURN_IF_ERROR(region->ReadFrom(
      address, absl::MakeSpan(reinterpret_cast<char*>(read.data()), sizeof(read))));
  if (region->header().token != token || read != token)
    return absl::UnavailableError(absl::StrCat(path, " is of another job"));
  return region;
}

Region::~Region() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (file_ >= 0) close(file_);
  if (process_ >= 0) close(process_);
}

Channel& Region::channel(size_t i) {
  return *reinterpret_cast<Channel*>(static_cast<char*>(memory_) + sizeof(RegionHeader) +
                                     i * sizeof(Channel));
}

absl::Status Region::ReadFrom(uint64_t address, absl::Span<char> data) const {
  while (!data.empty()) {
    iovec to = {data.data(), data.size()};
    iovec from = {reinterpret_cast<void*>(address), data.size()};
    const ssize_t bytes = process_vm_readv(static_cast<pid_t>(pid_), &to, 1, &from, 1, 0);
    if (bytes <= 0) return SystemError("process_vm_readv");
    data.remove_prefix(static_cast<size_t>(bytes));
    address += static_cast<uint64_t>(bytes);
  }
  // Its number might be another process's since.
  pollfd alive = {process_, POLLIN, 0};
  if (poll(&alive, 1, 0) != 0) return absl::UnavailableError("the process has ended");
  return absl::OkStatus();
}

void Region::Ring() {
  header().bell.fetch_add(1, std::memory_order_seq_cst);
  if (header().asleep.load(std::memory_order_seq_cst) == kNobody) return;
  const uint32_t who = header().asleep.exchange(kNobody);
  if (who != kNobody) Futex(header().bell, FUTEX_WAKE_BITSET, INT_MAX, nullptr, who);
}

void Region::Wake(Sleeper sleeper) {
  header().bell.fetch_add(1, std::memory_order_seq_cst);
  Futex(header().bell, FUTEX_WAKE_BITSET, INT_MAX, nullptr, sleeper);
}

void Region::WaitForBell(Sleeper self, uint32_t value, std::chrono::milliseconds at_most) {
  // With a set of bits the time is a point of the monotonic clock.
  timespec end = {};
  clock_gettime(CLOCK_MONOTONIC, &end);
  constexpr int64_t kNanoseconds = 1'000'000'000;
  const int64_t at = end.tv_nsec + at_most.count() * 1'000'000;
  end.tv_sec += at / kNanoseconds;
  end.tv_nsec = at % kNanoseconds;
  Futex(header().bell, FUTEX_WAIT_BITSET, value, &end, self);
}

}  // namespace xla::distributed

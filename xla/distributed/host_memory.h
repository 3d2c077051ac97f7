// SPDX-License-Identifier: Apache-2.0
// Memory that processes of one host share: rings of frames, places where transfers are announced,
// and a bell that wakes a process.
//
// Each process has a region, which the others map: a memfd, found by /proc and checked by a random
// token, so that it needs no name and goes with its process. Where that is not allowed (other
// users, other namespaces), there is none. The contents are written by others: whatever is read is
// checked.
#ifndef XLA_DISTRIBUTED_HOST_MEMORY_H_
#define XLA_DISTRIBUTED_HOST_MEMORY_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/distributed/transport.h"

namespace xla::distributed {

// Frames from one process to another: one writer, one reader.
class FrameRing {
 public:
  // Returns false if there is no room.
  bool Write(absl::Span<const absl::Span<const char>> parts);
  // Takes the next frame; returns false if there is none. INVALID_ARGUMENT if what is there cannot
  // be a frame.
  absl::StatusOr<bool> Read(std::vector<char>& frame);
  bool IsEmpty() const {
    return written_.load(std::memory_order_acquire) == read_.load(std::memory_order_relaxed);
  }
  // The writer wants to know when there is room.
  void WantRoom() { wants_room_.store(1, std::memory_order_seq_cst); }
  bool TakeWish() {
    return wants_room_.load(std::memory_order_relaxed) != 0 && wants_room_.exchange(0) != 0;
  }

 private:
  static constexpr size_t kBytes = size_t{256} << 10;
  void CopyIn(uint64_t position, const char* data, size_t bytes);
  void CopyOut(uint64_t position, char* data, size_t bytes) const;

  alignas(64) std::atomic<uint64_t> written_{0};
  std::atomic<uint32_t> wants_room_{0};
  alignas(64) std::atomic<uint64_t> read_{0};
  alignas(64) std::array<char, kBytes> bytes_;
};

// Memory of the sender's that the receiver of a transfer reads.
struct alignas(64) Offer {
  std::atomic<uint64_t> id{0};  // of the transfer; 0: there is none, or no longer
  std::atomic<uint64_t> address{0}, bytes{0};
  std::atomic<uint64_t> taken{0};  // the number of the transfer that was read last
};

// From one process to another, in the region of the receiver.
struct Channel {
  static constexpr size_t kOffers = 64;
  FrameRing frames;
  std::array<Offer, kOffers> offers;
};

// Who of a process sleeps until its bell is rung.
enum Sleeper : uint32_t {
  kNobody = 0,
  kReceiver = 1,  // the thread that takes what nobody waits for
  kWaiters = 2,   // threads that wait for something
};

struct RegionHeader {
  std::array<uint64_t, 2> token;
  alignas(64) std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> asleep{kNobody};
};

// A region, of this process or another one.
class Region {
 public:
  // A new one with so many channels, empty.
  static absl::StatusOr<std::unique_ptr<Region>> Create(size_t channels);
  // Where others find it: a line.
  std::string Location() const;
  // That of another process, which must have so many channels.
  static absl::StatusOr<std::unique_ptr<Region>> Open(absl::string_view location, size_t channels);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  RegionHeader& header() { return *static_cast<RegionHeader*>(memory_); }
  Channel& channel(size_t i);
  // Of one that was opened: reads memory of its process. UNAVAILABLE if that is not allowed, or the
  // process has ended.
  absl::Status ReadFrom(uint64_t address, absl::Span<char> data) const;

  // Tells its process that something has come.
  void Ring();
  // The same to these only, in the process itself.
  void Wake(Sleeper sleeper);
  // Sleeps until the bell is rung after it had this value, or for so long.
  void WaitForBell(Sleeper self, uint32_t value, std::chrono::milliseconds at_most);

 private:
  Region() = default;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  int file_ = -1;     // of its own region
  int process_ = -1;  // a descriptor of the other process
  int64_t pid_ = 0;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_HOST_MEMORY_H_

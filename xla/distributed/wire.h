// SPDX-License-Identifier: Apache-2.0
// Frames: what one process tells another, as bytes.
//
// The bytes of a frame come from another process: Decode checks all of them.
#ifndef XLA_DISTRIBUTED_WIRE_H_
#define XLA_DISTRIBUTED_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla::distributed {

// The same on all processes, which absl::Hash is not.
uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0);
uint64_t HashNumbers(absl::Span<const int64_t> numbers, uint64_t seed = 0);

// What the sender of a message is doing. The receiver compares it with what it does itself: a
// message of another operation is an error, not data.
struct Ticket {
  uint32_t epoch = 0;
  uint32_t instruction = 0;
  uint64_t launch = 0;   // the number of the run among those of its devices
  uint64_t program = 0;  // fingerprint
  uint64_t shape = 0;    // of operands and result, hashed

  bool operator==(const Ticket&) const = default;
};
static_assert(sizeof(Ticket) == 32);

struct Frame {
  enum class Kind : uint8_t {
    kData,      // a message of an exchange; what is too large to follow comes as transfers
    kPosted,    // a message that its sender does not wait for
    kReleased,  // the transfers of a posted message were received, or nobody will receive them
    kEnded,     // the sender's run has ended, with a status
    kQuestion,  // the sender waits for the receiver: what does that do?
    kAnswer,
    kClosing,  // the sender closes its connections
    kSeen,     // the sender has seen kClosing, and so all that came before it
  };
  static constexpr Kind kLastKind = Kind::kSeen;
  static constexpr size_t kMaxTextBytes = 4096;

  Kind kind = Kind::kData;
  int32_t code = 0;  // of a status
  Ticket ticket;
  uint64_t run = 0;       // the list of devices, hashed
  uint64_t key = 0;       // which message of the run
  uint64_t bytes = 0;     // of the message
  uint64_t transfer = 0;  // the number of the first transfer
  std::string program;    // its name
  std::string text;       // the operation, or the message of a status
};

// Returns all of the frame but its payload, which follows it. Long texts are cut.
std::string EncodeFrame(const Frame& frame);

struct DecodedFrame {
  Frame frame;
  absl::Span<const char> payload;  // of the bytes that were decoded
};
// INVALID_ARGUMENT unless the bytes are those of a frame.
absl::StatusOr<DecodedFrame> DecodeFrame(absl::Span<const char> bytes);

// Which parts of a message are in its frame: the small ones, as far as they fit; the others are
// transfers, in order. Sender and receiver compute it from the sizes of the parts.
class FrameParts {
 public:
  static constexpr size_t kMaxInlineBytes = size_t{48} << 10;
  static constexpr size_t kMaxInlinePart = size_t{16} << 10;

  // Whether the next part, of this size, is in the frame.
  bool Add(size_t bytes);
  size_t inline_bytes() const { return inline_bytes_; }

 private:
  size_t inline_bytes_ = 0;
};

}  // namespace xla::distributed

#endif  // XLA_DISTRIBUTED_WIRE_H_

// SPDX-License-Identifier: Apache-2.0
// Frames as bytes: a header of fixed size, in the byte order of x86 and ARM, and two texts.
#include "xla/distributed/wire.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace xla::distributed {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are sent as they lie in memory");

constexpr uint32_t kMagic = 0x314d4c58;  // "XLM1"

struct Header {
  uint32_t magic = kMagic;
  uint8_t kind = 0;
  uint8_t unused = 0;
  uint16_t program_bytes = 0;
  int32_t code = 0;
  uint32_t text_bytes = 0;
  Ticket ticket;
  uint64_t run = 0, key = 0, bytes = 0, transfer = 0;
};
static_assert(sizeof(Header) == 80);

uint64_t Mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t HashBytes(absl::string_view bytes, uint64_t seed) {
  uint64_t hash = Mix(seed + 0x9e3779b97f4a7c15 + bytes.size());
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    hash = Mix(hash ^ word) + 0x9e3779b97f4a7c15;
  }
  return hash;
}

uint64_t HashNumbers(absl::Span<const int64_t> numbers, uint64_t seed) {
  return HashBytes({reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8}, seed);
}

std::string EncodeFrame(const Frame& frame) {
  Header header;
  header.kind = static_cast<uint8_t>(frame.kind);
  header.code = frame.code;
  header.ticket = frame.ticket;
  header.run = frame.run;
  header.key = frame.key;
  header.bytes = frame.bytes;
  header.transfer = frame.transfer;
  const size_t program = std::min(frame.program.size(), Frame::kMaxTextBytes);
  const size_t text = std::min(frame.text.size(), Frame::kMaxTextBytes);
  header.program_bytes = static_cast<uint16_t>(program);
  header.text_bytes = static_cast<uint32_t>(text);
  std::string bytes(sizeof(header) + program + text, '\0');
  char* to = bytes.data();
  std::memcpy(to, &header, sizeof(header));
  std::memcpy(to + sizeof(header), frame.program.data(), program);
  std::memcpy(to + sizeof(header) + program, frame.text.data(), text);
  return bytes;
}

absl::StatusOr<DecodedFrame> DecodeFrame(absl::Span<const char> bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame of ", bytes.size(), " bytes is shorter than its header"));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMagic) return absl::InvalidArgumentError("it is no frame of this protocol");
  if (header.kind > static_cast<uint8_t>(Frame::kLastKind))
    return absl::InvalidArgumentError(absl::StrCat("a frame has the kind ", header.kind));
  const size_t texts = size_t{header.program_bytes} + header.text_bytes;
  if (header.program_bytes > Frame::kMaxTextBytes || header.text_bytes > Frame::kMaxTextBytes ||
      texts > bytes.size() - sizeof(header)) {
    return absl::InvalidArgumentError(absl::StrCat("the texts of a frame of ", bytes.size(),
                                                   " bytes have ", header.program_bytes, " and ",
                                                   header.text_bytes, " bytes"));
  }
  DecodedFrame decoded;
  Frame& frame = decoded.frame;
  frame.kind = static_cast<Frame::Kind>(header.kind);
  frame.code = header.code;
  frame.ticket = header.ticket;
  frame.run = header.run;
  frame.key = header.key;
  frame.bytes = header.bytes;
  frame.transfer = header.transfer;
  const char* const behind = bytes.data() + sizeof(header);
  frame.program.assign(behind, header.program_bytes);
  frame.text.assign(behind + header.program_bytes, header.text_bytes);
  decoded.payload = bytes.subspan(sizeof(header) + texts);
  return decoded;
}

bool FrameParts::Add(size_t bytes) {
  if (bytes > kMaxInlinePart || bytes > kMaxInlineBytes - inline_bytes_) return false;
  inline_bytes_ += bytes;
  return true;
}

}  // namespace xla::distributed

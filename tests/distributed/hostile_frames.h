// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to all that reads what other processes send. For the fuzzer and for tests.
#ifndef TESTS_DISTRIBUTED_HOSTILE_FRAMES_H_
#define TESTS_DISTRIBUTED_HOSTILE_FRAMES_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/distributed/messenger.h"
#include "xla/distributed/topology.h"
#include "xla/distributed/transport.h"
#include "xla/distributed/wire.h"

namespace xla::distributed {

// Sends nothing anywhere.
class DeafTransport : public Transport {
 public:
  absl::string_view name() const override { return "deaf"; }
  int rank() const override { return 0; }
  int size() const override { return 3; }
  absl::Status Start(Receiver*) override { return absl::OkStatus(); }
  void Stop() override {}
  absl::Status SendFrame(int, absl::Span<const absl::Span<const char>> parts) override {
    size_t bytes = 0;
    for (const absl::Span<const char> part : parts) bytes += part.size();
    XLA_CHECK(bytes <= kMaxFrameBytes);
    return absl::UnavailableError("deaf");
  }
  absl::StatusOr<std::unique_ptr<Transfer>> StartSend(int, uint64_t,
                                                      absl::Span<const char>) override {
    return absl::UnavailableError("deaf");
  }
  absl::StatusOr<std::unique_ptr<Transfer>> StartReceive(int, uint64_t, absl::Span<char>) override {
    return absl::UnavailableError("deaf");
  }
  void Disconnect(int process, const absl::Status&) override { disconnected |= 1 << process; }

  int disconnected = 0;
};

// An error says what was wrong with the code, not with the bytes.
inline absl::Status ReadHostileBytes(absl::string_view bytes) {
  if (const auto process = ParseProcess(bytes); process.ok()) {
    const auto again = ParseProcess(SerializeProcess(*process));
    if (!again.ok() || !(*again == *process))
      return absl::InternalError("a description changes when it is written and read");
  }
  if (const auto topology = Topology::Parse(bytes); topology.ok()) {
    if (topology->Serialize().size() > 1000 * bytes.size() + 1000)
      return absl::InternalError("a topology is much larger than its text");
  }
  if (const auto decoded = DecodeFrame(bytes); decoded.ok()) {
    std::string again = EncodeFrame(decoded->frame);
    again.append(decoded->payload.begin(), decoded->payload.end());
    // Bytes that the header leaves unused are not kept.
    if (again.size() != bytes.size())
      return absl::InternalError("a frame changes when it is written and read");
  }
  // A messenger with a run, that gets frames of which the first two bytes give length and sender.
  auto owned = std::make_unique<DeafTransport>();
  MessengerOptions options;
  options.max_queued_bytes = 1 << 16;
  options.report = [](absl::string_view) {};
  Messenger messenger(std::move(owned), std::move(options));
  const Messenger::RunKey run = messenger.BeginRun(7, {"p", 9, true}, {1, 2});
  while (bytes.size() > 2) {
    const size_t length = std::min<size_t>(static_cast<uint8_t>(bytes[0]) * 2, bytes.size() - 2);
    const int process = static_cast<uint8_t>(bytes[1]) % 4;
    messenger.OnFrame(process, bytes.substr(2, length));
    bytes.remove_prefix(2 + length);
  }
  Messenger::Operation operation;
  operation.run = run;
  operation.text = "all-reduce.1";
  char memory[16] = {};
  const absl::Span<char> part(memory);
  for (const int process : {1, 2}) {
    (void)messenger.Collect(operation, 3, process, absl::MakeConstSpan(&part, 1),
                            {absl::ZeroDuration(), nullptr});
  }
  messenger.EndRun(run, absl::OkStatus());
  return absl::OkStatus();
}

}  // namespace xla::distributed

#endif  // TESTS_DISTRIBUTED_HOSTILE_FRAMES_H_

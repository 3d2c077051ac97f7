// SPDX-License-Identifier: Apache-2.0
#include "tools/self_check.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/execute.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {
namespace {

bool Has(const HloModule& module, HloOpcode opcode) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) return true;
    }
  }
  return false;
}

// Channels on which the program receives.
absl::flat_hash_set<int64_t> ReceivingChannels(const HloModule& module) {
  absl::flat_hash_set<int64_t> channels;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kRecv) continue;
      const auto& channel = instruction->attributes<SendRecvAttributes>().channel_id;
      if (channel.has_value()) channels.insert(*channel);
    }
  }
  return channels;
}

// The host: a thread that moves what came from the devices back to them, until it is destroyed.
// What was sent on channel n goes to recv on n, or on n + 1 if there is none: sends to the host and
// recvs from it may not share a channel.
class Echo {
 public:
  // `shared`: what a device sends goes to all devices.
  Echo(runtime::Feeds* feeds, runtime::HostChannels* channels,
       absl::flat_hash_set<int64_t> receiving, bool shared)
      : feeds_(feeds), channels_(channels), receiving_(std::move(receiving)), shared_(shared) {
    thread_ = std::thread([this] { Run(); });
  }
  ~Echo() {
    stop_ = true;
    thread_.join();
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

 private:
  void Run() {
    while (!stop_) {
      for (int64_t device = 0; device < feeds_->num_devices(); ++device) {
        // A value that cannot be sent back is missed by the device, whose error says so.
        MoveFeeds(device).IgnoreError();
        MoveChannels(device).IgnoreError();
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  absl::Status MoveFeeds(int64_t device) {
    while (feeds_->OutfeedSize(device) > 0) {
      XLA_ASSIGN_OR_RETURN(const Literal value, feeds_->TransferFromOutfeed(device));
      XLA_RETURN_IF_ERROR(feeds_->TransferToInfeed(value, device));
    }
    return absl::OkStatus();
  }
  absl::Status MoveChannels(int64_t device) {
    for (const int64_t channel : channels_->Sent(device)) {
      XLA_ASSIGN_OR_RETURN(const Literal value, channels_->FromDevice(device, channel));
      const int64_t back = receiving_.contains(channel) ? channel : channel + 1;
      for (int64_t to = 0; to < feeds_->num_devices(); ++to) {
        if (to != device && !shared_) continue;
        XLA_RETURN_IF_ERROR(channels_->ToDevice(value, to, back));
      }
    }
    return absl::OkStatus();
  }

  runtime::Feeds* feeds_;
  runtime::HostChannels* channels_;
  const absl::flat_hash_set<int64_t> receiving_;
  bool shared_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

absl::Status RunSelfChecking(const HloModule& module, InterpreterOptions options, bool compiled,
                             distributed::Job* job, const std::string& cache) {
  const HloModuleConfig& config = module.config();
  const int64_t replicas = config.replica_count(), partitions = config.num_partitions();
  if (replicas < 1 || partitions < 1 || replicas > kMaxDevices / partitions) {
    return absl::InvalidArgumentError(absl::StrCat("a program for ", replicas, " x ", partitions,
                                                   " devices; at most ", kMaxDevices, " run here"));
  }
  const int64_t devices = replicas * partitions;
  const std::vector<std::vector<const Literal*>> arguments(static_cast<size_t>(devices));
  runtime::Feeds feeds(devices);
  runtime::HostChannels channels(devices);
  options.feeds = &feeds;
  options.host_channels = &channels;
  // What nothing will come from is an error at once, not after the time a device waits.
  const bool has_outfeed = Has(module, HloOpcode::kOutfeed),
             has_send = Has(module, HloOpcode::kSend);
  if (!has_outfeed) feeds.CloseInfeeds();
  if (!has_send) channels.Close();
  std::optional<Echo> echo;
  if (has_outfeed || has_send) {
    const auto& facts = config.frontend_attributes;
    const auto fact = facts.find("interpreter.channels");
    echo.emplace(&feeds, &channels, ReceivingChannels(module),
                 fact != facts.end() && fact->second == "shared");
  }
  // All values of such a program are constants: folded, they would be the interpreter's, and
  // nothing that the compiler makes would be checked.
  return ExecuteReplicated(
             compiled, module, replicas, partitions, arguments, options, nullptr,
             {.cache_directory = cache, .disabled_passes = {"constant-folding"}, .job = job})
      .status();
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Checks that sends and receives between devices cannot deadlock: in the order of a schedule, each
// send is met by the receive of the same pairs of devices before another collective runs. Only on
// request (HloVerifierOptions::verify_no_collective_deadlocks). Source: XLA's
// VerifyNoCollectiveDeadlocks.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

constexpr const char* kPairsAttribute = "_xla_send_recv_source_target_pairs";

// "{{0,1},{1,2}}"
absl::StatusOr<Pairs> PairsOf(const HloInstruction& instruction) {
  const auto& attributes = instruction.extras().frontend_attributes;
  const auto found = attributes.find(kPairsAttribute);
  if (found == attributes.end()) {
    return Internal("Instruction %s does not have source-target pairs attribute",
                    instruction.ToShortString());
  }
  std::vector<int64_t> numbers;
  bool in_number = false;
  for (const char c : found->second) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      in_number = false;
      continue;
    }
    if (!in_number) numbers.push_back(0);
    in_number = true;
    constexpr int64_t kMaxDevice = int64_t{1} << 40;
    numbers.back() = std::min(numbers.back() * 10 + (c - '0'), kMaxDevice);
  }
  if (numbers.size() % 2 != 0) {
    return Internal("Source-target pairs of %s are not pairs: %s", instruction.ToShortString(),
                    found->second);
  }
  Pairs pairs;
  for (size_t i = 0; i < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  return pairs;
}

bool HasCycle(const Pairs& pairs) {
  absl::flat_hash_map<int64_t, int64_t> next;
  for (const auto& [source, target] : pairs) next[source] = target;
  absl::flat_hash_map<int64_t, int64_t> visited_from;
  for (const auto& [start, unused] : pairs) {
    if (visited_from.contains(start)) continue;
    for (int64_t at = start;;) {
      const auto [it, is_new] = visited_from.emplace(at, start);
      if (!is_new) {
        if (it->second == start) return true;
        break;
      }
      const auto edge = next.find(at);
      if (edge == next.end()) break;
      at = edge->second;
    }
  }
  return false;
}

absl::Status CheckPairs(const HloInstruction& instruction, const Pairs& pairs) {
  if (HasCycle(pairs)) {
    return Internal(
        "Expected send and recv instructions to have non-cyclical source-target pairs, but found "
        "%s",
        instruction.ToShortString());
  }
  std::set<int64_t> sources, targets;
  for (const auto& [source, target] : pairs) {
    if (!sources.insert(source).second || !targets.insert(target).second) {
      return Internal(
          "Expected send and recv instructions to have unique source and target pairs, but found "
          "%s",
          instruction.ToShortString());
    }
  }
  return absl::OkStatus();
}

bool IsOtherCollective(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllToAll:
    case HloOpcode::kRaggedAllToAll:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kCollectiveBroadcast:
      return true;
    default:
      return false;
  }
}

// Whether an asynchronous computation holds more than one operation.
bool IsGroup(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction != computation.root_instruction() &&
        instruction->opcode() != HloOpcode::kParameter) {
      return true;
    }
  }
  return false;
}

// Follows the schedule and keeps the transfers that are not met yet.
class TransferTracker {
 public:
  absl::Status Visit(const HloInstruction& instruction) {
    if (instruction.opcode() == HloOpcode::kSend) return Transfer(instruction, Open::kSends);
    if (instruction.opcode() == HloOpcode::kRecv) return Transfer(instruction, Open::kReceives);
    if (IsOtherCollective(instruction.opcode())) return Collective(instruction);
    return absl::OkStatus();
  }

  bool is_open() const { return open_ != Open::kNothing; }

  // At the end nothing may be left.
  absl::Status Finish() {
    if (receives_.empty() && !sends_.empty()) return Internal("Expected recv to match send");
    if (sends_.empty() && !receives_.empty()) return Internal("Expected send to match recv");
    std::string left;
    for (const HloInstruction* send : sends_) {
      if (!TakeMatch(*send, &receives_)) absl::StrAppend(&left, send->ToShortString(), ",");
    }
    for (const HloInstruction* receive : receives_) {
      absl::StrAppend(&left, receive->ToShortString(), ",");
    }
    if (left.empty()) return absl::OkStatus();
    return Internal("Deadlock detected. Last checked instructions: %s", left);
  }

 private:
  // Which kind of transfer came first and waits for the other.
  enum class Open : uint8_t { kNothing, kSends, kReceives };
  using Transfers = std::vector<const HloInstruction*>;

  absl::Status Transfer(const HloInstruction& instruction, Open kind) {
    if (instruction.attributes<SendRecvAttributes>().is_host_transfer ||
        instruction.extras().frontend_attributes.contains("_xla_send_recv_pipeline")) {
      return absl::OkStatus();
    }
    XLA_ASSIGN_OR_RETURN(const Pairs pairs, PairsOf(instruction));
    XLA_RETURN_IF_ERROR(CheckPairs(instruction, pairs));
    Transfers& same = kind == Open::kSends ? sends_ : receives_;
    Transfers& others = kind == Open::kSends ? receives_ : sends_;
    if (open_ == Open::kNothing) {
      same.push_back(&instruction);
      open_ = kind;
      return absl::OkStatus();
    }
    if (open_ != kind) {
      if (!TakeMatch(instruction, &others)) {
        same.push_back(&instruction);
      } else if (others.empty()) {
        open_ = Open::kNothing;
      }
      return absl::OkStatus();
    }
    // Another one of the same kind: fine where their pairs do not meet.
    for (const HloInstruction* earlier : same) {
      XLA_ASSIGN_OR_RETURN(Pairs joined, PairsOf(*earlier));
      joined.insert(joined.end(), pairs.begin(), pairs.end());
      if (CheckPairs(*earlier, joined).ok()) continue;
      return Internal("Expected %s, but found %s", kind == Open::kSends ? "recv" : "send",
                      instruction.ToShortString());
    }
    same.push_back(&instruction);
    return absl::OkStatus();
  }

  absl::Status Collective(const HloInstruction& instruction) const {
    if (open_ == Open::kNothing) return absl::OkStatus();
    if (sends_.empty() && receives_.empty()) {
      return Internal("Expected send or recv, but found %s", instruction.ToShortString());
    }
    return Internal(
        "Expected send and recv instructions to have the same source-target pairs, but could not "
        "match some instructions. Introducing the following instruction will cause a deadlock:\n%s",
        instruction.ToShortString());
  }

  static bool TakeMatch(const HloInstruction& instruction, Transfers* candidates) {
    const auto& pairs = instruction.extras().frontend_attributes.at(kPairsAttribute);
    for (auto it = candidates->begin(); it != candidates->end(); ++it) {
      if ((*it)->extras().frontend_attributes.at(kPairsAttribute) != pairs) continue;
      candidates->erase(it);
      return true;
    }
    return false;
  }

  Open open_ = Open::kNothing;
  Transfers sends_, receives_;
};

}  // namespace

absl::Status CheckCollectiveDeadlocks(const HloModule& module) {
  // What calls run, in order; calls may nest deeply, and each runs its computation again.
  constexpr int64_t kMaxSteps = int64_t{1} << 24;
  int64_t steps = 0;
  TransferTracker tracker;
  struct Frame {
    std::vector<HloInstruction*> instructions;
    size_t next = 0, callee = 0;
  };
  std::vector<Frame> stack;
  stack.push_back({module.entry_computation()->instructions()});
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.instructions.size()) {
      stack.pop_back();
      continue;
    }
    if (++steps > kMaxSteps) {
      return absl::ResourceExhaustedError("The schedule is too long to check for deadlocks");
    }
    const HloInstruction& instruction = *frame.instructions[frame.next];
    const auto& callees = instruction.called_computations();
    if (callees.empty()) {
      XLA_RETURN_IF_ERROR(tracker.Visit(instruction));
      ++frame.next;
      continue;
    }
    if (instruction.opcode() == HloOpcode::kAsyncStart && IsGroup(*callees[0])) {
      // Transfers that start together may be in any order with those around them.
      TransferTracker group;
      for (const HloInstruction* member : callees[0]->instructions()) {
        XLA_RETURN_IF_ERROR(group.Visit(*member));
      }
      if (tracker.is_open() && group.is_open()) XLA_RETURN_IF_ERROR(group.Finish());
      ++frame.next;
      continue;
    }
    if (frame.callee == callees.size()) {
      frame.callee = 0;
      ++frame.next;
      continue;
    }
    const HloComputation* callee = callees[frame.callee++];
    stack.push_back({callee->instructions()});
  }
  return tracker.is_open() ? tracker.Finish() : absl::OkStatus();
}

}  // namespace xla::verifier

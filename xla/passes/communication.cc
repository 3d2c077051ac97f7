// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/communication.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

constexpr char kPairsAttribute[] = "_xla_send_recv_source_target_pairs";

// "{{0,1},{1,2}}", perhaps in quotes.
absl::StatusOr<DevicePairList> ParsePairs(absl::string_view text) {
  const auto bad = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("the frontend attribute ", kPairsAttribute,
                     " must be a list of pairs, {{0,1},{1,0}}; it is ", text));
  };
  std::string plain;
  for (const char c : text) {
    if (c != ' ' && c != '"') plain.push_back(c);
  }
  absl::string_view rest = plain;
  if (rest.size() < 2 || rest.front() != '{' || rest.back() != '}') return bad();
  rest = rest.substr(1, rest.size() - 2);
  DevicePairList pairs;
  while (!rest.empty()) {
    if (!pairs.empty()) {
      if (rest.front() != ',') return bad();
      rest.remove_prefix(1);
    }
    const size_t end = rest.find('}');
    if (rest.empty() || rest.front() != '{' || end == absl::string_view::npos) return bad();
    const std::vector<absl::string_view> ids = absl::StrSplit(rest.substr(1, end - 1), ',');
    std::pair<int64_t, int64_t> pair;
    if (ids.size() != 2 || !absl::SimpleAtoi(ids[0], &pair.first) ||
        !absl::SimpleAtoi(ids[1], &pair.second)) {
      return bad();
    }
    pairs.push_back(pair);
    rest.remove_prefix(end + 1);
  }
  return pairs;
}

bool Receives(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->opcode() == HloOpcode::kRecv) return true;
  }
  return false;
}

// Returns the computation that an async-done ends; null if the chain does not begin with a start.
const HloComputation* StartedBy(const HloInstruction& done) {
  const HloInstruction* start = &done;
  while (HloOpcodeIsAsync(start->opcode()) && start->opcode() != HloOpcode::kAsyncStart)
    start = start->operand(0);
  return start->opcode() == HloOpcode::kAsyncStart ? start->to_apply() : nullptr;
}

// 0: never waits; 1: waits for all devices; 2: waits for one device.
int WaitClass(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kRecvDone) return 2;
  if (instruction.opcode() == HloOpcode::kAsyncDone) {
    const HloComputation* started = StartedBy(instruction);
    return started != nullptr && Receives(*started) ? 2 : 0;
  }
  if (instruction.opcode() == HloOpcode::kSend || instruction.opcode() == HloOpcode::kRecv)
    return 0;
  return instruction.info().Has(op_traits::kCollectiveTrait) ||
                 !instruction.called_computations().empty()
             ? 1
             : 0;
}

}  // namespace

absl::StatusOr<std::optional<DevicePairList>> TransferPairs(const HloInstruction& transfer,
                                                            const DevicePosition& device) {
  const auto& attributes = transfer.extras().frontend_attributes;
  const auto found = attributes.find(kPairsAttribute);
  if (found == attributes.end()) return std::optional<DevicePairList>();
  XLA_ASSIGN_OR_RETURN(const DevicePairList pairs, ParsePairs(found->second));
  XLA_ASSIGN_OR_RETURN(DevicePairList devices,
                       DevicePairs(pairs, ChannelOf(transfer).has_value(), device));
  return std::make_optional(std::move(devices));
}

absl::StatusOr<std::optional<std::pair<int64_t, int64_t>>> ReceivePair(
    const HloInstruction& recv, const DevicePosition& device) {
  XLA_ASSIGN_OR_RETURN(const std::optional<DevicePairList> pairs, TransferPairs(recv, device));
  if (!pairs.has_value()) return std::make_pair(int64_t{-1}, int64_t{-1});
  std::optional<std::pair<int64_t, int64_t>> own;
  for (const auto& pair : *pairs) {
    if (pair.second != device.id()) continue;
    if (own.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("device ", pair.second, " is the target of two source-target pairs"));
    }
    own = pair;
  }
  return own;
}

std::vector<const HloInstruction*> ReceivesLast(std::vector<const HloInstruction*> order) {
  const bool receives = std::any_of(order.begin(), order.end(),
                                    [](const HloInstruction* i) { return WaitClass(*i) == 2; });
  if (!receives) return order;
  absl::flat_hash_map<const HloInstruction*, size_t> position;
  for (size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  std::vector<std::vector<size_t>> dependents(order.size());
  std::vector<size_t> missing(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto depends_on = [&](const HloInstruction* other) {
      const auto found = position.find(other);
      if (found == position.end()) return;
      dependents[found->second].push_back(i);
      ++missing[i];
    };
    for (const HloInstruction* operand : order[i]->operands()) depends_on(operand);
    for (const HloInstruction* before : order[i]->control_predecessors()) depends_on(before);
  }
  std::set<std::pair<int, size_t>> ready;
  for (size_t i = 0; i < order.size(); ++i) {
    if (missing[i] == 0) ready.emplace(WaitClass(*order[i]), i);
  }
  std::vector<const HloInstruction*> result;
  result.reserve(order.size());
  while (!ready.empty()) {
    const size_t next = ready.begin()->second;
    ready.erase(ready.begin());
    result.push_back(order[next]);
    for (const size_t dependent : dependents[next]) {
      if (--missing[dependent] == 0) ready.emplace(WaitClass(*order[dependent]), dependent);
    }
  }
  return result;
}

const HloComputation* AsyncComputationThatReceives(const HloInstruction& done) {
  const HloComputation* started = StartedBy(done);
  return started != nullptr && Receives(*started) ? started : nullptr;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/program_profile.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/shape_util.h"

namespace xla::cpu {

void ThunkProfile::OnStepBegin(int64_t /*device*/, const HloInstruction* instruction) {
  std::unique_ptr<Node>& node = running_.back()->parts[instruction];
  if (node == nullptr) node = std::make_unique<Node>();
  running_.push_back(node.get());
}

void ThunkProfile::OnStep(int64_t /*device*/, const HloInstruction* instruction, Time begin,
                          Time end) {
  using Seconds = std::chrono::duration<double>;
  const double seconds = Seconds(end - begin).count();
  Node& node = *running_.back();
  running_.pop_back();
  ++node.runs;
  node.seconds += seconds;
  running_.back()->seconds_of_parts += seconds;
  constexpr size_t kMostEvents = 1000000;
  if (events_.size() < kMostEvents)
    events_.push_back({instruction, Seconds(begin.time_since_epoch()).count(), seconds});
}

CpuProgram::ProfileEntry ThunkProfile::EntryOf(const HloInstruction* instruction,
                                               const Node& node) {
  CpuProgram::ProfileEntry entry;
  entry.runs = node.runs;
  entry.seconds = node.seconds;
  entry.self_seconds = std::max(0.0, node.seconds - node.seconds_of_parts);
  entry.has_parts = !node.parts.empty();
  if (instruction == nullptr) return entry;
  entry.name = instruction->name();
  entry.text = instruction->ToShortString();
  const auto add = [&](const Shape& shape) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsArray()) entry.bytes += static_cast<double>(DenseArrayBytes(part));
    });
  };
  add(instruction->shape());
  for (const HloInstruction* operand : instruction->operands()) add(operand->shape());
  // The operations of a loop are those of its parts.
  if (!entry.has_parts) entry.operations = EstimateOperations(*instruction, FinishedContraction);
  const HloInstruction* product =
      instruction->opcode() == HloOpcode::kFusion ? FinishedContraction(*instruction) : instruction;
  if (product != nullptr &&
      (product->opcode() == HloOpcode::kDot || product->opcode() == HloOpcode::kConvolution)) {
    entry.multiplied = product->operand(0)->shape().element_type();
  }
  return entry;
}

void ThunkProfile::AppendEntries(const Node& parent, int depth,
                                 std::vector<CpuProgram::ProfileEntry>& entries) {
  std::vector<std::pair<const HloInstruction*, const Node*>> parts;
  for (const auto& [instruction, node] : parent.parts) parts.emplace_back(instruction, node.get());
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.second->seconds > b.second->seconds; });
  for (const auto& [instruction, node] : parts) {
    entries.push_back(EntryOf(instruction, *node));
    entries.back().depth = depth;
    AppendEntries(*node, depth + 1, entries);
  }
}

std::vector<CpuProgram::ProfileEntry> ThunkProfile::Entries() const {
  std::vector<CpuProgram::ProfileEntry> entries;
  AppendEntries(root_, 0, entries);
  return entries;
}

void ThunkProfile::AppendEvents(std::vector<CpuProgram::ProfileEvent>& events) const {
  double first = 0;
  for (const Event& event : events_) {
    first = events.empty() ? event.start : std::min(first, event.start);
    const bool is_instruction = event.instruction != nullptr;
    events.push_back(
        {is_instruction ? std::string(event.instruction->name()) : "", event.start, event.seconds});
  }
  for (CpuProgram::ProfileEvent& event : events) event.start -= first;
}

}  // namespace xla::cpu

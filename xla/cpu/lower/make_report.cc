// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/lower/make_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/cpu/lower/kernel_request.h"
#include "xla/cpu/plan/lowering.h"

namespace xla::cpu {
namespace {

std::string MemoryName(BufferSlice::Memory memory) {
  switch (memory) {
    case BufferSlice::Memory::kScratch:
      return "scratch";
    case BufferSlice::Memory::kArgument:
      return "argument";
    case BufferSlice::Memory::kResult:
      return "result";
    case BufferSlice::Memory::kConstant:
      break;
  }
  return "constant";
}

std::string PlaceText(const ProgramSchedule& schedule, ValueId value) {
  if (value == kNoValue) return "none";
  const BufferSlice& slice = schedule.At(value).slice;
  const std::string name = MemoryName(slice.memory);
  if (slice.memory == BufferSlice::Memory::kScratch) return absl::StrCat(name, "+", slice.offset);
  return slice.offset == 0 ? absl::StrCat(name, " ", slice.number)
                           : absl::StrCat(name, " ", slice.number, "+", slice.offset);
}

class Reporter {
 public:
  Reporter(const ProgramSchedule& schedule, const LoopPlans& loops, const Target& target)
      : schedule_(schedule), loops_(loops), target_(target) {}

  ProgramReport Make() {
    AddItems(schedule_.items, 0);
    AddBuffers();
    report_.scratch_bytes = schedule_.scratch_bytes;
    FindPeak();
    return std::move(report_);
  }

 private:
  void AddItems(absl::Span<const ScheduledItem> items, int depth) {
    for (const ScheduledItem& item : items) {
      AddStep(item, depth);
      if (item.instruction != nullptr) AddPlan(item, depth);
      for (const auto& body : item.bodies) AddItems(body, depth + 1);
    }
  }

  void AddStep(const ScheduledItem& item, int depth) {
    ScheduledStep step;
    step.depth = depth;
    step.position = item.position;
    step.operation = "copy";
    if (item.instruction != nullptr) {
      step.name = std::string(item.instruction->name());
      step.operation = std::string(HloOpcodeString(item.instruction->opcode()));
    }
    for (const ValueId value : item.operands) step.operands.push_back(PlaceText(schedule_, value));
    for (const ValueId value : item.results) step.results.push_back(PlaceText(schedule_, value));
    report_.schedule.push_back(std::move(step));
  }

  void AddPlan(const ScheduledItem& item, int depth) {
    PlannedInstruction planned;
    planned.depth = depth;
    planned.name = std::string(item.instruction->name());
    planned.shape = item.instruction->shape().ToString();
    planned.opcode = std::string(HloOpcodeString(item.instruction->opcode()));
    const Lowering& lowering = LoweringOf(*item.instruction);
    planned.lowering = lowering.ToString();
    if (item.kind == ScheduledItem::Kind::kWhile) planned.plan = LoopText(item);
    if (lowering.kind == Lowering::Kind::kKernel)
      planned.plan = PlanText(*PlanKernel(RequestOf(schedule_, item, target_)));
    report_.plan.push_back(std::move(planned));
  }

  // Inner loops without a function of their own are not planned.
  std::string LoopText(const ScheduledItem& loop) const {
    const auto plan = loops_.find(&loop);
    return plan == loops_.end() ? "" : PlanText(plan->second);
  }

  void AddBuffers() {
    std::map<std::tuple<BufferSlice::Memory, int32_t, int64_t, int32_t>, BufferReport> buffers;
    for (const ScheduledValue& value : schedule_.values) {
      const BufferSlice& slice = value.slice;
      BufferReport& buffer = buffers[{slice.memory, slice.number, slice.offset, value.buffer}];
      if (buffer.values.empty()) {
        buffer.memory = MemoryName(slice.memory);
        buffer.number = slice.number;
        buffer.offset = slice.offset;
        buffer.begin = value.begin;
      }
      buffer.bytes = std::max(buffer.bytes, value.bytes);
      buffer.begin = std::min<int64_t>(buffer.begin, value.begin);
      buffer.end = std::max<int64_t>(buffer.end, value.end);
      buffer.values.push_back(std::string(value.instruction->name()));
    }
    for (auto& [key, buffer] : buffers) report_.buffers.push_back(std::move(buffer));
  }

  // Finds the position at which most bytes of the scratch memory are live.
  void FindPeak() {
    std::map<int64_t, int64_t> changes;
    for (const BufferReport& buffer : report_.buffers) {
      if (buffer.memory != "scratch") continue;
      changes[buffer.begin] += buffer.bytes;
      changes[buffer.end + 1] -= buffer.bytes;
    }
    int64_t alive = 0;
    for (const auto& [position, change] : changes) {
      alive += change;
      if (alive <= report_.peak_bytes) continue;
      report_.peak_bytes = alive;
      report_.peak_position = position;
    }
    for (BufferReport& buffer : report_.buffers) {
      buffer.is_at_peak = buffer.memory == "scratch" && buffer.begin <= report_.peak_position &&
                          report_.peak_position <= buffer.end;
    }
  }

  const ProgramSchedule& schedule_;
  const LoopPlans& loops_;
  const Target& target_;
  ProgramReport report_;
};

}  // namespace

ProgramReport MakeReport(const ProgramSchedule& schedule, const LoopPlans& loops,
                         const Target& target) {
  return Reporter(schedule, loops, target).Make();
}

}  // namespace xla::cpu

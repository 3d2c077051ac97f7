// SPDX-License-Identifier: Apache-2.0
#include "tools/view/graph_json.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Longer texts of one instruction, of a large constant or a tuple, are cut: the page is for
// reading.
constexpr size_t kMostText = 4000;
constexpr size_t kMostChanges = 1000;

std::string Cut(std::string text) {
  if (text.size() <= kMostText) return text;
  text.resize(kMostText);
  return absl::StrCat(text, " ...");
}

const HloPrintOptions& TextOptions() {
  static const auto* const options = [] {
    auto* short_form = new HloPrintOptions(HloPrintOptions::ShortParsable());
    short_form->print_metadata = false;
    short_form->print_large_constants = false;
    return short_form;
  }();
  return *options;
}

std::string TextOf(const HloInstruction& instruction) {
  return Cut(instruction.ToString(TextOptions()));
}

int64_t BytesOf(const Shape& shape) {
  int64_t bytes = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
    if (part.IsArray() && !part.is_unbounded_dynamic()) bytes += ShapeUtil::ByteSizeOf(part);
  });
  return bytes;
}

using ComputationNumbers = absl::flat_hash_map<const HloComputation*, int64_t>;
using Positions = absl::flat_hash_map<const HloInstruction*, int64_t>;

JsonObject InstructionToJson(const HloInstruction& instruction, const Positions& positions,
                             const ComputationNumbers& numbers, const InstructionMarks& marks) {
  std::vector<int64_t> operands, called;
  for (const HloInstruction* operand : instruction.operands())
    operands.push_back(positions.at(operand));
  for (const HloComputation* computation : instruction.called_computations())
    called.push_back(numbers.at(computation));
  JsonObject json;
  json.String("n", instruction.name())
      .String("o", HloOpcodeString(instruction.opcode()))
      .String("s", Cut(instruction.shape().ToString(true)))
      .Integers("a", operands)
      .Integers("c", called)
      .String("t", TextOf(instruction))
      .Integer("b", BytesOf(instruction.shape()));
  if (instruction.opcode() == HloOpcode::kParameter)
    json.Integer("k", instruction.parameter_number());
  if (instruction.parent()->root_instruction() == &instruction) json.Bool("r", true);
  const InstructionMetadata& metadata = instruction.metadata();
  if (!metadata.op_name().empty()) json.String("p", metadata.op_name());
  if (!metadata.source_file().empty()) {
    json.String("f", metadata.source_file()).Integer("l", metadata.source_line());
  }
  if (instruction.has_sharding()) json.String("h", Cut(instruction.sharding().ToString()));
  const auto mark = marks.find(&instruction);
  if (mark != marks.end()) json.String("g", std::string_view(&mark->second, 1));
  return json;
}

JsonObject ComputationToJson(const HloComputation& computation, const ComputationNumbers& numbers,
                             const InstructionMarks& marks) {
  const std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
  Positions positions;
  for (const HloInstruction* instruction : order)
    positions.emplace(instruction, static_cast<int64_t>(positions.size()));
  std::vector<JsonObject> instructions;
  instructions.reserve(order.size());
  for (const HloInstruction* instruction : order)
    instructions.push_back(InstructionToJson(*instruction, positions, numbers, marks));
  JsonObject json;
  json.String("name", computation.name())
      .Integer("root", positions.at(computation.root_instruction()))
      .Objects("instrs", instructions);
  return json;
}

}  // namespace

JsonObject GraphToJson(const HloModule& module, const std::string& name,
                       const InstructionMarks& marks) {
  const std::vector<HloComputation*> order = module.MakeComputationPostOrder();
  ComputationNumbers numbers;
  for (const HloComputation* computation : order)
    numbers.emplace(computation, static_cast<int64_t>(numbers.size()));
  std::vector<JsonObject> computations;
  computations.reserve(order.size());
  for (const HloComputation* computation : order)
    computations.push_back(ComputationToJson(*computation, numbers, marks));
  JsonObject json;
  json.String("name", name)
      .Integer("entry", numbers.at(module.entry_computation()))
      .Objects("computations", computations);
  return json;
}

void AddChanges(const ProgramDiff& diff, JsonObject& pass) {
  std::vector<JsonObject> changes;
  for (const ChangedInstruction& change : diff.changed) {
    if (changes.size() == kMostChanges) break;
    changes.emplace_back()
        .String("k", "~")
        .String("t", TextOf(*change.first))
        .String("u", TextOf(*change.second));
  }
  for (const auto& [sign, instructions] :
       {std::pair("-", &diff.removed), std::pair("+", &diff.added)}) {
    for (const HloInstruction* instruction : *instructions) {
      if (changes.size() == kMostChanges) break;
      changes.emplace_back().String("k", sign).String("t", TextOf(*instruction));
    }
  }
  const size_t all = diff.changed.size() + diff.removed.size() + diff.added.size();
  pass.Objects("changes", changes).Integer("more", static_cast<int64_t>(all - changes.size()));
}

InstructionMarks MarksOf(const ProgramDiff& diff) {
  InstructionMarks marks;
  for (const ChangedInstruction& change : diff.changed) {
    marks[change.first] = '~';
    marks[change.second] = '~';
  }
  for (const HloInstruction* instruction : diff.removed) marks[instruction] = '-';
  for (const HloInstruction* instruction : diff.added) marks[instruction] = '+';
  return marks;
}

JsonObject PlanToJson(const ProgramReport& report) {
  JsonObject json;
  for (const PlannedInstruction& planned : report.plan) {
    if (planned.name.empty() || (planned.lowering.empty() && planned.plan.empty())) continue;
    json.String(
        planned.name,
        absl::StrCat(planned.lowering, planned.lowering.empty() || planned.plan.empty() ? "" : "\n",
                     planned.plan));
  }
  return json;
}

JsonObject BuffersToJson(const ProgramReport& report) {
  std::vector<JsonObject> items;
  for (const BufferReport& buffer : report.buffers) {
    items.emplace_back()
        .String("memory", buffer.memory)
        .Integer("number", buffer.number)
        .Integer("offset", buffer.offset)
        .Integer("bytes", buffer.bytes)
        .Integer("begin", buffer.begin)
        .Integer("end", buffer.end)
        .Bool("peak", buffer.is_at_peak)
        .Strings("values", buffer.values);
  }
  JsonObject json;
  json.Objects("items", items)
      .Integer("scratch", report.scratch_bytes)
      .Integer("peak", report.peak_bytes)
      .Integer("peakPosition", report.peak_position);
  return json;
}

Rates RatesOf(const CpuProgram::ProfileEntry& entry, double bytes_a_second,
              double operations_a_second) {
  Rates rates;
  const double runs = static_cast<double>(entry.runs);
  const double seconds = std::max(entry.seconds, 1e-12);
  rates.bytes = entry.bytes * runs / seconds;
  rates.operations = entry.operations * runs / seconds;
  rates.share = std::max(rates.bytes / bytes_a_second, rates.operations / operations_a_second);
  return rates;
}

JsonObject ProfileToJson(const std::vector<CpuProgram::ProfileEntry>& entries,
                         const std::vector<CpuProgram::ProfileEvent>& events, double bytes_a_second,
                         double operations_a_second) {
  std::vector<JsonObject> list;
  for (const CpuProgram::ProfileEntry& entry : entries) {
    JsonObject& json = list.emplace_back();
    json.String("n", entry.name)
        .String("text", Cut(entry.text))
        .Integer("depth", entry.depth)
        .Integer("runs", entry.runs)
        .Number("us", entry.seconds * 1e6)
        .Number("self", entry.self_seconds * 1e6)
        .Number("bytes", entry.bytes)
        .Number("ops", entry.operations)
        .Bool("parts", entry.has_parts);
    if (entry.has_parts) continue;
    json.Number("limit", RatesOf(entry, bytes_a_second, operations_a_second).share);
  }
  // The longest, in order: more than the page can show at a time.
  constexpr size_t kMostEvents = 20000;
  std::vector<double> seconds;
  for (const CpuProgram::ProfileEvent& event : events) seconds.push_back(event.seconds);
  double least = 0;
  if (seconds.size() > kMostEvents) {
    const auto nth = seconds.begin() + kMostEvents;
    std::nth_element(seconds.begin(), nth, seconds.end(), std::greater<>());
    least = *nth;
  }
  std::vector<std::string> names;
  std::map<std::string, int64_t> numbers;
  std::vector<int64_t> event_names;
  std::vector<double> starts, durations;
  for (const CpuProgram::ProfileEvent& event : events) {
    if (event.seconds < least || event_names.size() == kMostEvents) continue;
    const std::string name = event.name.empty() ? "(copies)" : event.name;
    const auto [at, is_new] = numbers.emplace(name, static_cast<int64_t>(names.size()));
    if (is_new) names.push_back(name);
    event_names.push_back(at->second);
    starts.push_back(event.start * 1e6);
    durations.push_back(event.seconds * 1e6);
  }
  JsonObject json;
  json.Number("bytesPerSecond", bytes_a_second)
      .Number("opsPerSecond", operations_a_second)
      .Objects("entries", list)
      .Strings("names", names)
      .Integers("eventNames", event_names)
      .Numbers("eventStarts", starts)
      .Numbers("eventDurations", durations);
  return json;
}

}  // namespace xla

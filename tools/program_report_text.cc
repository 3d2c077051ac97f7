// SPDX-License-Identifier: Apache-2.0
#include "tools/program_report_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/json.h"

namespace xla {
namespace {

std::string Indent(int depth) { return std::string(static_cast<size_t>(2 * depth), ' '); }

}  // namespace

std::string PlanReportText(const ProgramReport& report, bool json) {
  std::vector<JsonObject> objects;
  std::string text;
  for (const PlannedInstruction& planned : report.plan) {
    if (json) {
      objects.emplace_back()
          .Integer("depth", planned.depth)
          .String("name", planned.name)
          .String("shape", planned.shape)
          .String("opcode", planned.opcode)
          .String("lowering", planned.lowering)
          .String("plan", planned.plan);
      continue;
    }
    absl::StrAppend(&text, Indent(planned.depth), planned.name, " = ", planned.shape, " ",
                    planned.opcode, "\n");
    const std::string indent = Indent(planned.depth + 2);
    if (!planned.lowering.empty()) absl::StrAppend(&text, indent, planned.lowering, "\n");
    if (!planned.plan.empty()) absl::StrAppend(&text, indent, planned.plan, "\n");
  }
  return json ? absl::StrCat(ToString(objects), "\n") : text;
}

std::string ScheduleReportText(const ProgramReport& report, bool json) {
  std::vector<JsonObject> objects;
  std::string text = absl::StrFormat("%-9s %s\n", "position", "step");
  for (const ScheduledStep& step : report.schedule) {
    if (json) {
      objects.emplace_back()
          .Integer("position", step.position)
          .Integer("depth", step.depth)
          .String("name", step.name)
          .String("operation", step.operation)
          .Strings("operands", step.operands)
          .Strings("results", step.results);
      continue;
    }
    absl::StrAppendFormat(&text, "%8d  %s%s = %s(%s)%s\n", step.position, Indent(step.depth),
                          absl::StrJoin(step.results, ", "), step.operation,
                          absl::StrJoin(step.operands, ", "),
                          step.name.empty() ? "" : absl::StrCat("  # ", step.name));
  }
  return json ? absl::StrCat(ToString(objects), "\n") : text;
}

std::string BuffersReportText(const ProgramReport& report, bool json) {
  std::vector<JsonObject> objects;
  std::string text = absl::StrFormat("%-12s %12s %12s %15s %5s  %s\n", "memory", "offset", "bytes",
                                     "live", "peak", "values");
  for (const BufferReport& buffer : report.buffers) {
    if (json) {
      objects.emplace_back()
          .String("memory", buffer.memory)
          .Integer("number", buffer.number)
          .Integer("offset", buffer.offset)
          .Integer("bytes", buffer.bytes)
          .Integer("begin", buffer.begin)
          .Integer("end", buffer.end)
          .Bool("at_peak", buffer.is_at_peak)
          .Strings("values", buffer.values);
      continue;
    }
    const std::string memory = buffer.memory == "scratch"
                                   ? buffer.memory
                                   : absl::StrCat(buffer.memory, " ", buffer.number);
    absl::StrAppendFormat(&text, "%-12s %12d %12d %15s %5s  %s\n", memory, buffer.offset,
                          buffer.bytes, absl::StrCat(buffer.begin, " to ", buffer.end),
                          buffer.is_at_peak ? "*" : "", absl::StrJoin(buffer.values, ", "));
  }
  if (json) return absl::StrCat(ToString(objects), "\n");
  absl::StrAppendFormat(&text, "\nscratch memory %d bytes, at most %d of them needed at a time",
                        report.scratch_bytes, report.peak_bytes);
  if (report.peak_bytes > 0) absl::StrAppend(&text, ", at position ", report.peak_position);
  return absl::StrCat(text, "\n");
}

}  // namespace xla

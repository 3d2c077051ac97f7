// SPDX-License-Identifier: Apache-2.0
// xylem profile: how long each instruction of a compiled program takes.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/given_arrays.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_case.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/roofline.h"
#include "tools/view/graph_json.h"
#include "tools/view/page.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/program_cache.h"

namespace xla {
namespace {

using Entries = std::vector<CpuProgram::ProfileEntry>;

// The steps of a run in Chrome's trace format, which Perfetto reads too: microseconds.
std::string TraceOf(const std::vector<CpuProgram::ProfileEvent>& events) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  for (const CpuProgram::ProfileEvent& event : events) {
    JsonObject line;
    line.String("name", event.name.empty() ? "(copies)" : event.name)
        .String("ph", "X")
        .Integer("pid", 1)
        .Integer("tid", 1)
        .Number("ts", event.start * 1e6)
        .Number("dur", event.seconds * 1e6);
    absl::StrAppend(&text, text.back() == '[' ? "\n" : ",\n", line.ToString());
  }
  return absl::StrCat(text, "\n]}\n");
}

// The entries of the longest times, loops included: what a listed entry is a part of is listed.
std::vector<bool> Longest(const Entries& entries, size_t most) {
  std::vector<size_t> order(entries.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Ties keep their order, in which a loop comes before its parts.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return entries[a].seconds > entries[b].seconds; });
  std::vector<bool> listed(entries.size(), false);
  for (size_t i = 0; i < std::min(most, order.size()); ++i) listed[order[i]] = true;
  return listed;
}

void PrintTable(const Entries& entries, size_t most, double total, double bytes_a_second,
                double operations_a_second) {
  std::printf("limits: %.1f GB/s, %.1f Gflop/s\n", bytes_a_second / 1e9, operations_a_second / 1e9);
  std::printf("%10s %6s %10s %8s %8s %8s %6s  instruction\n", "self us", "%", "us", "runs", "GB/s",
              "Gflop/s", "limit%");
  const std::vector<bool> listed = Longest(entries, most);
  double rest = 0;
  int64_t hidden = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    const CpuProgram::ProfileEntry& entry = entries[i];
    if (!listed[i]) {
      rest += entry.self_seconds;
      ++hidden;
      continue;
    }
    std::string rates = absl::StrFormat("%8s %8s %6s", "", "", "");
    // A loop moves and computes what its parts do.
    if (!entry.has_parts) {
      const Rates numbers = RatesOf(entry, bytes_a_second, operations_a_second);
      rates = absl::StrFormat("%8.1f %8.1f %6.0f", numbers.bytes / 1e9, numbers.operations / 1e9,
                              100 * numbers.share);
    }
    std::printf("%10.1f %6.1f %10.1f %8lld %s  %s%s\n", entry.self_seconds * 1e6,
                100 * entry.self_seconds / total, entry.seconds * 1e6,
                static_cast<long long>(entry.runs), rates.c_str(),
                std::string(2 * static_cast<size_t>(entry.depth), ' ').c_str(),
                entry.text.empty() ? "(copies)" : entry.text.c_str());
  }
  if (hidden > 0) {
    std::printf("%10.1f %6.1f %10s %8s %26s%lld more (--rows)\n", rest * 1e6, 100 * rest / total,
                "", "", "", static_cast<long long>(hidden));
  }
  std::printf("%10.1f %6.1f  total\n", total * 1e6, 100.0);
}

void PrintJson(const Entries& entries, double bytes_a_second, double operations_a_second) {
  for (const CpuProgram::ProfileEntry& entry : entries) {
    JsonObject line;
    line.String("name", entry.name.empty() ? "(copies)" : entry.name)
        .String("text", entry.text)
        .Integer("depth", entry.depth)
        .Integer("runs", entry.runs)
        .Number("us", entry.seconds * 1e6)
        .Number("self_us", entry.self_seconds * 1e6);
    if (!entry.has_parts) {
      const Rates rates = RatesOf(entry, bytes_a_second, operations_a_second);
      line.Number("bytes_a_second", rates.bytes)
          .Number("operations_a_second", rates.operations)
          .Number("limit_share", rates.share);
    }
    std::puts(line.ToString().c_str());
  }
}

absl::StatusOr<int> Profile(const Arguments& arguments) {
  XLA_RETURN_IF_ERROR(CheckOutputName(arguments.Get("--trace"), "json"));
  XLA_RETURN_IF_ERROR(CheckOutputName(arguments.Get("--html"), "html"));
  runtime::ThreadPool pool(static_cast<int>(arguments.GetInt("--threads", 0)));
  XLA_ASSIGN_OR_RETURN(const ProgramCase program_case,
                       LoadCase(arguments.operands()[0], arguments));
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  ProgressLine line;
  line.Show(absl::StrCat("compiling ", program_case.module->name()));
  const std::vector<runtime::ArgumentView> views = ViewsOf(program_case.arguments);
  CpuCompileOptions options = CompileOptionsOf(arguments);
  options.pool = &pool;
  options.cancel = &Interrupted();
  options.custom_calls = &custom_calls;
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  XLA_ASSIGN_OR_RETURN(const auto program, CompileWithCache(*program_case.module, options, cache));
  XLA_RETURN_IF_ERROR(CheckCustomCallTargets(program->optimized_module(), custom_calls));
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.cancel = &Interrupted();
  context.custom_calls = &custom_calls;
  XLA_RETURN_IF_ERROR(program->Profile(views, context).status());  // first use of memory
  std::vector<CpuProgram::ProfileEvent> events;
  XLA_ASSIGN_OR_RETURN(const Entries entries, program->Profile(views, context, &events));
  if (arguments.Has("--trace"))
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--trace"), TraceOf(events)));
  line.Show("measuring what this machine can do");
  Roofline roofline(pool);
  XLA_ASSIGN_OR_RETURN(const double bytes_a_second, roofline.Bytes());
  XLA_ASSIGN_OR_RETURN(const double operations_a_second, roofline.Operations());
  line.Clear();
  if (arguments.Has("--html")) {
    JsonObject data;
    data.String("title", DisplayName(arguments.operands()[0]))
        .String("open", "time")
        .Integer("profileGraph", 0)
        .Object("profile", ProfileToJson(entries, events, bytes_a_second, operations_a_second));
    std::vector<JsonObject> graphs;
    graphs.push_back(GraphToJson(program->optimized_module(), "compiled"));
    XLA_ASSIGN_OR_RETURN(const ProgramReport report, program->Report());
    data.Objects("graphs", graphs)
        .Object("plan", PlanToJson(report))
        .Object("buffers", BuffersToJson(report));
    XLA_RETURN_IF_ERROR(
        WritePage(arguments.Get("--html"),
                  absl::StrCat(DisplayName(arguments.operands()[0]), " - xylem profile"), data));
  }
  double total = 1e-12;
  for (const CpuProgram::ProfileEntry& entry : entries) total += entry.self_seconds;
  if (arguments.Has("--json")) {
    PrintJson(entries, bytes_a_second, operations_a_second);
  } else {
    PrintTable(entries, static_cast<size_t>(arguments.GetInt("--rows", 40)), total, bytes_a_second,
               operations_a_second);
  }
  return kExitOk;
}

}  // namespace

Command ProfileCommand() {
  return {
      "profile",
      "PROGRAM",
      "show how long each instruction of a compiled program takes",
      "PROGRAM is a file, or a folder with a program and golden.json, which says how arguments "
      "are\n"
      "drawn. The second run is measured. What a loop or conditional runs is listed below it, one\n"
      "step to the right; \"self\" is without it, so that these times and shares add up to the\n"
      "whole. GB/s count operands and results; the limits are what a copy of a large array and a\n"
      "product of large matrices reach on this machine, and limit% is the larger of both shares\n"
      "(over 100 where data are in caches).",
      {ProgramOption(),
       InputOption(),
       ParamOption(),
       RandomOption(),
       FunctionOption(),
       {"--trace", "FILE", "write the steps in Chrome's trace format, which Perfetto reads"},
       {"--html", "FILE", "write a page with timeline, roofline, tables and the graph"},
       {"--rows", "N", "instructions to list; the default is 40", {}, IntegerRange{1, 1 << 20}},
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}},
       CustomCallsOption(),
       CacheOption(),
       FlushSubnormalsOption(),
       {"--json", "", "print a line of JSON for each instruction"}},
      1,
      1,
      Profile};
}

}  // namespace xla

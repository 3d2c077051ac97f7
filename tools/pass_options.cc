// SPDX-License-Identifier: Apache-2.0
#include "tools/pass_options.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/process.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/interpreter/constant_folding.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/spmd/insert_reshards.h"
#include "xla/spmd/partition.h"

namespace xla {

const std::vector<Pass>& PassesOfAllRooms() {
  static const auto* const passes = [] {
    auto* all = new std::vector<Pass>(AllPasses().begin(), AllPasses().end());
    all->insert(all->end(), CpuPasses().begin(), CpuPasses().end());
    all->push_back(kConstantFolding);
    all->push_back(spmd::kInsertExplicitReshards);
    all->push_back(spmd::kSpmdPartition);
    std::sort(all->begin(), all->end(),
              [](const Pass& a, const Pass& b) { return a.name < b.name; });
    return all;
  }();
  return *passes;
}

const std::vector<Pipeline::Named>& NamedPipelines() {
  static const auto* const pipelines = new std::vector<Pipeline::Named>{
      {"cpu", "all that the CPU compiler runs", CpuPipeline(DefaultCpuCompileOptions())}};
  return *pipelines;
}

std::vector<OptionSpec> PassOptions() {
  return {{"--disable-passes", "LIST", "passes to skip: a,b"},
          {"--dump-passes", "DIR", "write the program before and after each pass that changes it"},
          {"--print-changed", "", "print the program to stderr after each pass that changes it"}};
}

absl::Status ChangePrinter::AfterPass(std::string_view pass, const HloModule& module,
                                      bool changed) {
  if (changed) {
    std::fprintf(stderr, "// ---- after %s\n%s\n", std::string(pass).c_str(),
                 module.ToString().c_str());
  }
  return absl::OkStatus();
}

absl::StatusOr<PipelineOptions> PassOptionsOf(const Arguments& arguments, ChangePrinter* printer) {
  PipelineOptions options;
  options.cancel = &Interrupted();
  options.dump_dir = arguments.Get("--dump-passes");
  if (!options.dump_dir.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.dump_dir, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrCat("cannot create ", options.dump_dir, ": ", error.message()));
    }
  }
  if (arguments.Has("--disable-passes"))
    options.disabled = absl::StrSplit(arguments.Get("--disable-passes"), ',', absl::SkipEmpty());
  if (arguments.Has("--print-changed")) options.instrumentations.push_back(printer);
  return options;
}

std::vector<JsonObject> PassesAsJson(const PipelineStatistics& statistics) {
  std::vector<JsonObject> passes;
  for (const PassStatistics& pass : statistics.passes) {
    passes.emplace_back()
        .String("name", pass.name)
        .Integer("runs", pass.runs)
        .Integer("changes", pass.changes)
        .Number("ms", pass.seconds * 1e3);
  }
  return passes;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/pipeline.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::Status WithPass(const absl::Status& status, std::string_view pass, std::string_view what) {
  return absl::Status(status.code(),
                      absl::StrCat(std::string(what), std::string(pass), ": ", status.message()));
}

absl::Status WriteDump(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

}  // namespace

// Runs the passes of one pipeline on one module.
class PipelineRunner {
 public:
  PipelineRunner(HloModule* module, const PipelineOptions& options, PipelineStatistics& statistics)
      : module_(module), options_(options), statistics_(statistics) {}

  absl::StatusOr<bool> Run(const Pipeline::BoundPass& pass) {
    if (std::find(options_.disabled.begin(), options_.disabled.end(), pass.name) !=
        options_.disabled.end()) {
      return false;
    }
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return absl::CancelledError("the run of passes was cancelled");
    for (PassInstrumentation* instrumentation : options_.instrumentations)
      XLA_RETURN_IF_ERROR(instrumentation->BeforePass(pass.name, *module_));
    const int64_t number = ++runs_;
    const int64_t instructions = module_->instruction_count();
    std::string text;
    if (!options_.dump_dir.empty()) text = module_->ToString();
    std::unique_ptr<HloModule> copy;
    if (options_.verify) copy = module_->Clone();

    const double start = Now();
    const absl::StatusOr<bool> changed = pass.run(module_);
    const double seconds = Now() - start;
    if (absl::IsInternal(changed.status())) return WithPass(changed.status(), pass.name, "pass ");
    XLA_RETURN_IF_ERROR(changed.status());
    module_->Cleanup();

    PassStatistics& own = Find(pass.name);
    ++own.runs;
    own.changes += *changed ? 1 : 0;
    own.seconds += seconds;
    own.instructions_removed += instructions - module_->instruction_count();
    if (*changed && !options_.dump_dir.empty()) {
      const std::string prefix =
          absl::StrFormat("%s/%03d.%s.", options_.dump_dir, number, std::string(pass.name));
      XLA_RETURN_IF_ERROR(WriteDump(absl::StrCat(prefix, "before.hlo"), text));
      XLA_RETURN_IF_ERROR(WriteDump(absl::StrCat(prefix, "after.hlo"), module_->ToString()));
    }
    if (options_.verify) XLA_RETURN_IF_ERROR(Check(pass.name, *changed, *copy));
    for (PassInstrumentation* instrumentation : options_.instrumentations)
      XLA_RETURN_IF_ERROR(instrumentation->AfterPass(pass.name, *module_, *changed));
    return changed;
  }

 private:
  absl::Status Check(std::string_view pass, bool changed, const HloModule& before) const {
    const absl::Status status = changed ? VerifyModule(*module_) : module_->CheckEqual(before);
    if (status.ok()) return status;
    return WithPass(absl::InternalError(status.message()), pass,
                    changed ? "the module is not valid after pass "
                            : "a pass changed the module but reported no change: ");
  }

  PassStatistics& Find(std::string_view name) {
    for (PassStatistics& known : statistics_.passes) {
      if (known.name == name) return known;
    }
    statistics_.passes.push_back({.name = std::string(name)});
    return statistics_.passes.back();
  }

  HloModule* const module_;
  const PipelineOptions& options_;
  PipelineStatistics& statistics_;
  int64_t runs_ = 0;
};

std::string PipelineStatistics::ToString() const {
  int64_t runs = 0, changes = 0;
  std::string list;
  for (const PassStatistics& pass : passes) {
    runs += pass.runs;
    changes += pass.changes;
    absl::StrAppendFormat(&list, "%s %s %d/%d %.2f ms", list.empty() ? "" : ",", pass.name,
                          pass.changes, pass.runs, pass.seconds * 1e3);
  }
  std::string text = absl::StrFormat(
      "%d runs of passes, %d changed the module (%d -> %d instructions) in %.2f ms:", runs, changes,
      instructions_before, instructions_after, seconds * 1e3);
  text += list.empty() ? " none" : list;
  if (bounds_reached > 0) absl::StrAppend(&text, "; ", bounds_reached, " groups reached the bound");
  return text;
}

absl::StatusOr<Pipeline> Pipeline::Parse(std::string_view text, absl::Span<const Pass> more,
                                         absl::Span<const Named> pipelines) {
  constexpr std::string_view kFixpoint = "fixpoint(";
  Pipeline pipeline;
  auto find_all = [&](std::string_view names) -> absl::StatusOr<std::vector<Pass>> {
    std::vector<Pass> passes;
    for (absl::string_view name :
         absl::StrSplit(absl::string_view(names.data(), names.size()), ',')) {
      name = absl::StripAsciiWhitespace(name);
      XLA_ASSIGN_OR_RETURN(const Pass* pass, FindPass({name.data(), name.size()}, more));
      passes.push_back(*pass);
    }
    return passes;
  };
  while (!text.empty()) {
    if (text.starts_with(kFixpoint)) {
      const size_t end = text.find(')');
      if (end == std::string_view::npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("no ')' after '", std::string(text.substr(0, 40)), "'"));
      }
      XLA_ASSIGN_OR_RETURN(const std::vector<Pass> passes,
                           find_all(text.substr(kFixpoint.size(), end - kFixpoint.size())));
      pipeline.AddFixedPoint(passes);
      text.remove_prefix(end + 1);
      if (!text.empty() && text[0] != ',') {
        return absl::InvalidArgumentError(
            absl::StrCat("expected ',' at '", std::string(text.substr(0, 40)), "'"));
      }
    } else {
      const std::string_view name = text.substr(0, text.find(','));
      const auto named = absl::c_find_if(pipelines, [&](const Named& n) { return n.name == name; });
      if (named != pipelines.end()) {
        pipeline.Append(named->pipeline);
      } else {
        XLA_ASSIGN_OR_RETURN(const std::vector<Pass> passes, find_all(name));
        pipeline.Add(passes[0]);
      }
      text.remove_prefix(name.size());
    }
    if (!text.empty()) text.remove_prefix(1);  // the comma
  }
  return pipeline;
}

Pipeline& Pipeline::Add(std::string_view name, Function run) {
  steps_.push_back({.passes = {{name, std::move(run)}}});
  return *this;
}

Pipeline& Pipeline::AddFixedPoint(absl::Span<const Pass> passes) {
  Step step{.is_fixed_point = true};
  for (const Pass& pass : passes) step.passes.push_back({pass.name, pass.run});
  steps_.push_back(std::move(step));
  return *this;
}

Pipeline& Pipeline::Append(const Pipeline& other) {
  steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end());
  return *this;
}

std::string Pipeline::ToString() const {
  return absl::StrJoin(steps_, ",", [](std::string* out, const Step& step) {
    const std::string names =
        absl::StrJoin(step.passes, ",", [](std::string* text, const BoundPass& pass) {
          absl::StrAppend(text, std::string(pass.name));
        });
    *out += step.is_fixed_point ? absl::StrCat("fixpoint(", names, ")") : names;
  });
}

bool Pipeline::HasPass(std::string_view name) const {
  for (const Step& step : steps_) {
    for (const BoundPass& pass : step.passes) {
      if (pass.name == name) return true;
    }
  }
  return false;
}

absl::StatusOr<bool> Pipeline::Run(HloModule* module, const PipelineOptions& options,
                                   PipelineStatistics* statistics) const {
  for (const std::string& name : options.disabled) {
    if (HasPass(name)) continue;
    std::vector<Pass> own_passes;  // for the suggestion
    for (const Step& step : steps_) {
      for (const BoundPass& pass : step.passes) own_passes.push_back({pass.name, "", nullptr});
    }
    XLA_RETURN_IF_ERROR(FindPass(name, own_passes).status());
  }
  PipelineStatistics own;
  PipelineStatistics& counted = statistics == nullptr ? own : *statistics;
  counted.instructions_before = module->instruction_count();
  const double start = Now();
  PipelineRunner runner(module, options, counted);
  bool changed = false;
  for (const Step& step : steps_) {
    const int64_t rounds = step.is_fixed_point ? options.max_rounds : 1;
    bool round_changed = true;
    for (int64_t round = 0; round < rounds && round_changed; ++round) {
      round_changed = false;
      for (const BoundPass& pass : step.passes) {
        XLA_ASSIGN_OR_RETURN(const bool pass_changed, runner.Run(pass));
        round_changed |= pass_changed;
      }
      changed |= round_changed;
    }
    if (step.is_fixed_point && round_changed) ++counted.bounds_reached;
  }
  for (PassInstrumentation* instrumentation : options.instrumentations)
    XLA_RETURN_IF_ERROR(instrumentation->AfterPipeline(*module));
  counted.instructions_after = module->instruction_count();
  counted.seconds = Now() - start;
  return changed;
}

}  // namespace xla

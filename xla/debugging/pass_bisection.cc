// SPDX-License-Identifier: Apache-2.0
#include "xla/debugging/pass_bisection.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla {
namespace {

// Stops a pipeline after a number of changes.
class StopAtChange : public PassInstrumentation {
 public:
  explicit StopAtChange(int64_t most) : most_(most) {}

  absl::Status BeforePass(std::string_view, const HloModule&) override {
    return changes_ >= most_ ? absl::AbortedError("enough changes") : absl::OkStatus();
  }
  absl::Status AfterPass(std::string_view pass, const HloModule&, bool changed) override {
    if (changed) {
      ++changes_;
      last_ = pass;
    }
    return absl::OkStatus();
  }
  int64_t changes() const { return changes_; }
  const std::string& last() const { return last_; }

 private:
  const int64_t most_;
  int64_t changes_ = 0;
  std::string last_;
};

struct Stopped {
  std::unique_ptr<HloModule> module;
  int64_t changes = 0;
  std::string last_pass;
};

absl::StatusOr<Stopped> RunUpTo(const HloModule& module, const Pipeline& pipeline,
                                PipelineOptions options, int64_t most) {
  Stopped stopped;
  stopped.module = module.Clone();
  StopAtChange stop(most);
  options.instrumentations.push_back(&stop);
  const absl::Status status = pipeline.Run(stopped.module.get(), options).status();
  if (!status.ok() && !absl::IsAborted(status)) return status;
  stopped.changes = stop.changes();
  stopped.last_pass = stop.last();
  return stopped;
}

}  // namespace

absl::StatusOr<std::optional<GuiltyPass>> FindGuiltyPass(
    const HloModule& module, const Pipeline& pipeline, const PipelineOptions& options,
    const std::function<absl::StatusOr<bool>(const HloModule&)>& shows_fault,
    const std::function<void(const std::string&)>& progress) {
  const auto test = [&](const Stopped& stopped) {
    if (progress) {
      progress(absl::StrCat("change ", stopped.changes, ", ", stopped.last_pass));
    }
    return shows_fault(*stopped.module);
  };
  XLA_ASSIGN_OR_RETURN(Stopped bad, RunUpTo(module, pipeline, options, INT64_MAX));
  const int64_t changes = bad.changes;
  XLA_ASSIGN_OR_RETURN(const bool is_bad, test(bad));
  if (!is_bad) return std::nullopt;
  Stopped good;
  good.module = module.Clone();
  XLA_ASSIGN_OR_RETURN(const bool was_bad, test(good));
  if (was_bad)
    return absl::FailedPreconditionError("the program shows the fault before the first pass");
  while (bad.changes - good.changes > 1) {
    const int64_t wanted = good.changes + (bad.changes - good.changes) / 2;
    XLA_ASSIGN_OR_RETURN(Stopped middle, RunUpTo(module, pipeline, options, wanted));
    if (middle.changes != wanted) {
      return absl::InternalError(
          absl::StrCat("the passes made ", middle.changes, " changes this time, and more before"));
    }
    XLA_ASSIGN_OR_RETURN(const bool middle_is_bad, test(middle));
    (middle_is_bad ? bad : good) = std::move(middle);
  }
  return GuiltyPass{bad.last_pass, bad.changes, changes, std::move(good.module),
                    std::move(bad.module)};
}

}  // namespace xla

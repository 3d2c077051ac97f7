// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/cpu_pipeline.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/plan/assign_lowering.h"
#include "xla/cpu/plan/check_lowering.h"
#include "xla/cpu/plan/constant_operands.h"
#include "xla/cpu/plan/entry_layouts.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/cpu/plan/multi_output.h"
#include "xla/cpu/plan/recomputation.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

// Rejects custom calls with the names that passes use: they rely on the contents. Arrays must have
// sizes.
absl::StatusOr<bool> CheckCpuSupport(HloModule* module) {
  if (module->entry_computation() == nullptr ||
      module->entry_computation()->root_instruction() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module->name(), " has no entry computation"));
  }
  for (const HloComputation* computation : module->computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->shape().is_unbounded_dynamic()) {
        return absl::InvalidArgumentError(absl::StrCat(
            instruction->ToShortString(), ": an array of shape ", instruction->shape().ToString(),
            " has no size: it has a dimension without a bound"));
      }
      if (instruction->opcode() != HloOpcode::kCustomCall ||
          !absl::StartsWith(instruction->custom_call_target(), "xylem.")) {
        continue;
      }
      return absl::InvalidArgumentError(
          absl::StrCat(instruction->ToShortString(),
                       ": custom calls whose names start with \"xylem.\" are the compiler's own"));
    }
  }
  return false;
}

absl::StatusOr<bool> CheckNestedComputations(HloModule* module) {
  XLA_RETURN_IF_ERROR(cpu::CheckNestedComputations(*module));
  return false;
}

absl::StatusOr<bool> MergeFusions(HloModule* module) {
  return cpu::MergeFusions(module, CpuCompileOptions().least_shared_bytes);
}

absl::StatusOr<bool> AssignLoweringForHost(HloModule* module) {
  XLA_ASSIGN_OR_RETURN(const cpu::Target* target, cpu::HostTarget(MaxInstructionSet()));
  return cpu::AssignLowering(module, *target);
}

constexpr std::string_view kAssignLowering = "assign-lowering", kFuse = "fuse",
                           kMergeFusions = "merge-fusions";

constexpr Pass kCpuPasses[] = {
    {kAssignLowering, "decides how each instruction is computed", &AssignLoweringForHost},
    {"check-applied-computations", "refuses communication in computations that are applied",
     &CheckNestedComputations},
    {"check-cpu-support", "refuses arrays without a size and reserved custom calls",
     &CheckCpuSupport},
    {"expand-bitcasts", "writes bitcasts as transposes and reshapes", &cpu::ExpandBitcasts},
    {kFuse, "makes a fusion of each kernel that will be generated", &cpu::FuseForCpu},
    {"make-constants-operands", "makes operands of the constants in which fusions differ",
     &cpu::MakeConstantsOperands},
    {kMergeFusions, "merges fusions that share large arrays", &MergeFusions},
    {"normalize-entry-layouts", "makes layouts of arguments and results transposes",
     &cpu::NormalizeEntryLayouts},
};

Pass Named(std::string_view name) { return **FindPass(name, kCpuPasses); }

std::vector<Pass> AllNamed(std::initializer_list<std::string_view> names) {
  std::vector<Pass> passes;
  for (const std::string_view name : names) passes.push_back(Named(name));
  return passes;
}

// Compares the work of the fused program with that before fusion, and checks the lowerings.
class WorkCheck : public PassInstrumentation {
 public:
  absl::Status BeforePass(std::string_view pass, const HloModule& module) override {
    if (pass == kFuse) before_.emplace(module);
    return absl::OkStatus();
  }
  absl::Status AfterPass(std::string_view pass, const HloModule& module, bool) override {
    if (pass == kAssignLowering) return cpu::CheckLowering(module);
    if (pass != kMergeFusions || !before_.has_value()) return absl::OkStatus();
    for (const cpu::ComputationWork& work : before_->Exceeding(module)) {
      return absl::InternalError(absl::StrCat("fusions of computation ", work.name, " compute ",
                                              work.after, " operations instead of ", work.before));
    }
    return absl::OkStatus();
  }

 private:
  std::optional<cpu::WorkBeforeFusion> before_;
};

}  // namespace

absl::Span<const Pass> CpuPasses() { return kCpuPasses; }

Pipeline CpuPipeline(const CpuCompileOptions& options) {
  Pipeline pipeline;
  const auto add = [&](std::initializer_list<std::string_view> names) {
    for (const Pass& pass : AllNamed(names)) pipeline.Add(pass);
  };
  // Operations that later passes need not handle.
  add({"check-cpu-support",
       "forget-original-shapes",
       "expand-bitcasts",
       "normalize-entry-layouts",
       "expand-custom-calls",
       "expand-async",
       "expand-sparse-convolutions",
       "mixed-precision",
       "resolve-dynamic-sizes",
       "expand-tuple-constants",
       "expand-composites",
       "expand-prefix-windows",
       "expand-wide-windows",
       "expand-select-and-scatters",
       "expand-scans",
       "inline-calls",
       "sorts-to-topk",
       "split-sort-keys",
       "expand-scatters",
       "expand-maps",
       "expand-batch-norms",
       "expand-scaled-dots",
       "unify-contraction-types",
       "dce",
       "cse"});
  std::vector<Pass> simplification =
      AllNamed({"simplify-loops", "inline-known-branches", "unroll-loops", "algebraic-simplifier"});
  if (options.constant_folding != nullptr) simplification.push_back(*options.constant_folding);
  for (const Pass& pass : AllNamed({"cse", "dce"})) simplification.push_back(pass);
  pipeline.AddFixedPoint(simplification);
  add({"canonicalize-contractions", "expand-depthwise-convolutions", "move-features-last",
       "split-reductions", "split-scatters", "flatten-calls", "hoist-loop-invariants"});
  pipeline.AddFixedPoint(AllNamed({"algebraic-simplifier", "cse", "dce"}));
  add({"merge-transposed-dimensions", "compute-before-transposes", "split-concatenations",
       "widen-short-rows", "separate-fills"});
  // Kernels.
  add({"flatten-calls", "check-applied-computations", kFuse});
  pipeline.Add(kMergeFusions, [bytes = options.least_shared_bytes](HloModule* module) {
    return cpu::MergeFusions(module, bytes);
  });
  add({"make-constants-operands", "flatten-calls"});
  if (options.target == nullptr) {
    add({kAssignLowering});
  } else {
    pipeline.Add(kAssignLowering, [target = options.target](HloModule* module) {
      return cpu::AssignLowering(module, *target);
    });
  }
  return pipeline;
}

absl::Status RunCpuPipeline(HloModule* module, const CpuCompileOptions& options,
                            PipelineStatistics* statistics) {
  const Pipeline pipeline = CpuPipeline(options);
  PipelineOptions pipeline_options = options.pipeline;
  // As in XLA, names of passes that this compiler does not have are no error.
  for (const std::string& name : DisabledPassesOf(module->config().debug_options())) {
    if (pipeline.HasPass(name)) pipeline_options.disabled.push_back(name);
  }
  if (options.cancel != nullptr) pipeline_options.cancel = options.cancel;
  WorkCheck work_check;
  if (options.check_work) pipeline_options.instrumentations.push_back(&work_check);
  return pipeline.Run(module, pipeline_options, statistics).status();
}

absl::StatusOr<int64_t> ScheduledScratchBytes(const HloModule& module,
                                              const CpuCompileOptions& options) {
  const std::unique_ptr<HloModule> clone = module.Clone();
  XLA_RETURN_IF_ERROR(RunCpuPipeline(clone.get(), options));
  XLA_ASSIGN_OR_RETURN(const cpu::ProgramSchedule schedule, cpu::ScheduleProgram(*clone));
  return schedule.scratch_bytes;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// xylem plan: how long a program takes on a mesh of devices, predicted.
#include "xla/spmd/plan.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "tools/device_runs.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/job.h"
#include "tools/plan_calibration.h"
#include "tools/plan_json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/cpu_pipeline.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/plan_text.h"

namespace xla {
namespace {

// More devices are not run in one process.
constexpr int64_t kMostDevicesToRun = 256;

bool IsAnnotation(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return false;
  const std::string& target = instruction.custom_call_target();
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape";
}

// Whether the program is on full values, to be partitioned: its annotations say so, or shardings
// without any collective. (Partitioned programs keep the shardings of their parameters.)
bool IsSharded(const HloModule& module) {
  bool has_sharding = false, has_collective = false;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (IsAnnotation(*instruction)) return true;
      has_sharding |= instruction->has_sharding() && !instruction->sharding().IsReplicated();
      has_collective |= instruction->info().family == OpFamily::kCollective;
    }
  }
  return has_sharding && !has_collective;
}

// The program of one device. Sets `partitioned` if that is not what was given.
absl::Status MakeLocal(HloModule* module, const spmd::PlanMesh& mesh, const Arguments& arguments,
                       bool& partitioned) {
  partitioned = !arguments.Has("--local") && IsSharded(*module);
  if (!partitioned) return absl::OkStatus();
  HloModuleConfig& config = module->config();
  if (config.num_partitions() <= 1 && !mesh.empty())
    config.set_num_partitions(spmd::DevicesOf(mesh));
  if (config.num_partitions() <= 1) {
    return absl::InvalidArgumentError(
        "the program has shardings, but neither it nor --mesh says how many devices there are");
  }
  config.set_use_spmd_partitioning(true);
  // Results without shardings stay as they are made.
  XLA_RETURN_IF_ERROR(
      spmd::PartitionModule(module, {.may_choose_output = spmd::UnstatedOutputs(*module),
                                     .may_choose_parameter = {spmd::HasNamedShardings(*module)}})
          .status());
  return VerifyModule(*module);
}

absl::StatusOr<spmd::MachineDescription> ReadMachine(const std::string& path) {
  constexpr int64_t kMostBytes = int64_t{1} << 20;
  XLA_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMostBytes));
  absl::StatusOr<spmd::MachineDescription> machine = spmd::ParseMachine(text);
  if (!machine.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayName(path), ":", std::string(machine.status().message())));
  }
  return machine;
}

absl::StatusOr<int> Calibrate(const Arguments& arguments, const RunPlace& place) {
  if (!arguments.operands().empty())
    return absl::InvalidArgumentError("plan --calibrate takes no program");
  XLA_RETURN_IF_ERROR(LoadCompiler());
  int64_t devices = arguments.GetInt("--devices", 2);
  if (place.job != nullptr) {
    if (arguments.Has("--devices")) {
      return absl::InvalidArgumentError(
          "--devices is of one process: of several, each has one device");
    }
    devices = place.job->topology().num_processes();
  }
  ProgressLine line;
  XLA_ASSIGN_OR_RETURN(const spmd::MachineDescription machine,
                       CalibrateMachine(devices, place, line));
  line.Clear();
  if (place.job != nullptr && place.job->self() != 0) return kExitOk;
  XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output", "-"),
                                absl::StrCat("# Measured by xylem plan --calibrate ",
                                             place.job != nullptr ? "--processes " : "--devices ",
                                             devices, ".\n", spmd::MachineText(machine))));
  return kExitOk;
}

absl::StatusOr<double> MeasureRun(const HloModule& module, const spmd::Plan& plan,
                                  const RunPlace& place) {
  if (place.job != nullptr && plan.devices != place.job->topology().num_processes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has ", plan.devices, " devices, but there are ",
                     place.job->topology().num_processes(), " processes: each runs one"));
  }
  if (plan.devices > kMostDevicesToRun) {
    return absl::InvalidArgumentError(
        absl::StrCat("--measure runs at most ", kMostDevicesToRun, " devices, not ", plan.devices));
  }
  XLA_RETURN_IF_ERROR(LoadCompiler());
  const HloModuleConfig& config = module.config();
  DeviceGrid grid = {.replicas = config.replica_count(), .partitions = config.num_partitions()};
  if (grid.count() != plan.devices) grid = {.replicas = plan.devices, .partitions = 1};
  ProgressLine line;
  line.Show(absl::StrCat("running on ", plan.devices, " devices"));
  return LeastRunSeconds(module, grid, place, /*budget=*/1);
}

absl::StatusOr<int> PlanProgram(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const JobRole role, JobRoleOf(arguments));
  if (role.kind == JobRole::kStarts) return StartProcesses(role);
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Job> job, JoinJob(role));
  runtime::ThreadPool pool(ThreadsOf(arguments, job.get()));
  const RunPlace place = {&pool, job.get()};
  if (arguments.Has("--calibrate")) return Calibrate(arguments, place);
  if (arguments.operands().empty())
    return absl::InvalidArgumentError("plan takes the FILE of a program (or --calibrate)");
  if (!arguments.Has("--machine"))
    return absl::InvalidArgumentError("plan needs --machine FILE; docs/planning.md describes them");
  spmd::PlanOptions options;
  if (arguments.Has("--mesh")) {
    XLA_ASSIGN_OR_RETURN(options.mesh, spmd::ParsePlanMesh(arguments.Get("--mesh")));
  }
  XLA_ASSIGN_OR_RETURN(options.machine, ReadMachine(arguments.Get("--machine")));
  const std::string& path = arguments.operands()[0];
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       LoadModule(path, /*verify=*/true, arguments.Get("--function")));
  std::unique_ptr<HloModule> planned;
  bool partitioned = false;
  XLA_RETURN_IF_ERROR(
      AboutFile(path, MakeLocal(module.get(), options.mesh, arguments, partitioned)));
  if (arguments.Has("--compiled")) {
    // Its fusions are part of the plan then; the program itself is what runs.
    planned = module->Clone();
    options.trips = spmd::TripsOfLoops(*module);
    CpuCompileOptions compile_options = DefaultCpuCompileOptions();
    compile_options.cancel = &Interrupted();
    XLA_RETURN_IF_ERROR(AboutFile(path, RunCpuPipeline(planned.get(), compile_options)));
  }
  if (arguments.Get("--memory", "compiler") == "compiler") {
    options.temporary_bytes = [&](const HloModule&) -> absl::StatusOr<int64_t> {
      CpuCompileOptions compile_options = DefaultCpuCompileOptions();
      compile_options.cancel = &Interrupted();
      return ScheduledScratchBytes(*module, compile_options);
    };
    options.temporary_bytes_source = "buffer assignment of the CPU compiler";
  }
  absl::StatusOr<spmd::Plan> plan =
      spmd::MakePlan(planned != nullptr ? *planned : *module, options);
  if (!plan.ok()) return AboutFile(path, plan.status());
  if (partitioned) plan->notes.insert(plan->notes.begin(), "the program was partitioned first");
  std::optional<double> measured;
  if (arguments.Has("--measure")) {
    XLA_ASSIGN_OR_RETURN(measured, MeasureRun(*module, *plan, place));
  }
  if (arguments.Has("--json")) {
    std::puts(PlanJson(*plan, measured).c_str());
    return kExitOk;
  }
  std::fputs(spmd::PlanText(*plan, static_cast<size_t>(arguments.GetInt("--rows", 20))).c_str(),
             stdout);
  if (measured.has_value()) {
    std::printf(
        "\nmeasured: %s, predicted: %s, error %+.0f %%\n", spmd::PlanSecondsText(*measured).c_str(),
        spmd::PlanSecondsText(plan->seconds).c_str(), 100 * (plan->seconds / *measured - 1));
  }
  return kExitOk;
}

}  // namespace

Command PlanCommand() {
  return {
      .name = "plan",
      .operands = "FILE",
      .summary = "predict time, bytes and memory of a program on a mesh of devices",
      .details =
          "FILE is the program of one device, with collectives, or one with shardings, which is\n"
          "partitioned first. Nothing is run: the time of each step follows from the rates of a\n"
          "device, that of each collective from the levels of the network (messages and bytes, "
          "the\n"
          "alpha-beta model) by its cheapest algorithm. Printed are the time of a step as written "
          "and\n"
          "if all communication overlapped, memory, each collective with its axes, bytes and "
          "source\n"
          "line, sums by axes and levels, products beside the least that they must move, and the\n"
          "dearest steps. Meshes have up to 1048576 devices. --calibrate measures this machine, "
          "with\n"
          "devices as threads of a process (--devices) or as processes (--processes), and prints "
          "its\n"
          "description.",
      .options = WithProcessOptions(
          {{"--mesh", "AXES", "axes of the mesh, major first: d=64,m=64"},
           {"--machine", "FILE", "the machine: rates of a device, levels of the network"},
           {"--local", "", "the program is that of one device, whatever shardings it names"},
           {"--compiled", "", "plan what the passes of the CPU compiler make of the program"},
           {"--memory",
            "HOW",
            "temporaries as the CPU compiler places them (the default), or by live ranges",
            {"compiler", "liveness"}},
           {"--rows", "N", "rows of each table; the default is 20", {}, IntegerRange{1, 1 << 20}},
           {"--measure", "",
            "also run the program on all devices, in this process or a device in each process"},
           {"--calibrate", "", "measure this machine and print its description"},
           {"--devices",
            "N",
            "devices to calibrate with; the default is 2",
            {},
            IntegerRange{2, kMostDevicesToRun}},
           {"--output", "FILE", "of --calibrate: write to FILE, '-' for standard output"},
           {"--threads",
            "N",
            "threads that run programs; the default, 0, means all",
            {},
            IntegerRange{0, 4096}},
           FunctionOption(),
           {"--json", "", "print the plan as one line of JSON"}}),
      .least_operands = 0,
      .most_operands = 1,
      .run = &PlanProgram,
  };
}

}  // namespace xla

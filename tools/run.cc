// SPDX-License-Identifier: Apache-2.0
// xylem run: executes a program on arrays from files.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/color.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/device_grid.h"
#include "tools/differences.h"
#include "tools/execute.h"
#include "tools/expectation.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/folder_outputs.h"
#include "tools/given_arrays.h"
#include "tools/host_data.h"
#include "tools/job.h"
#include "tools/named_outputs.h"
#include "tools/observe.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/run_report.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/interpreter/interpreter.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"

namespace xla {
namespace {

// What runs a program, prepared for all programs of a command line.
class Runner {
 public:
  Runner(const Arguments& arguments, const JobRole& role,
         const std::optional<Expectation>& expectation)
      : arguments_(arguments), role_(role), expectation_(expectation) {}

  absl::Status Prepare();
  absl::StatusOr<int> Run(const RunTarget& target);

 private:
  using Inputs = std::vector<DeviceArguments>;
  absl::Status CheckTarget(const RunTarget& target, const HloModule& module,
                           const DeviceGrid& grid) const;
  absl::StatusOr<std::vector<Literal>> Execute(const HloModule& module, const DeviceGrid& grid,
                                               absl::Span<const std::vector<const Literal*>> inputs,
                                               InterpreterOptions options, distributed::Job* job,
                                               RunReport& report);
  absl::Status CompareWithRecorded(const ProgramFile& file, const Literal& result,
                                   RunReport& report) const;
  absl::StatusOr<int> Finish(const RunTarget& target, const HloModule& module,
                             RunObserver* observer, std::vector<NamedLiteral>& outputs,
                             RunReport& report);

  const Arguments& arguments_;
  const JobRole& role_;
  const std::optional<Expectation>& expectation_;
  bool compiled_ = false;
  std::string cache_;
  CustomCallRegistry custom_calls_;
};

absl::Status Runner::Prepare() {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<RunObserver> observer,
                       RunObserver::Create(arguments_));
  if (observer == nullptr) {
    XLA_ASSIGN_OR_RETURN(compiled_, UsesCompiler(arguments_));
  }
  if (arguments_.Has("--save-snapshot")) {
    XLA_RETURN_IF_ERROR(
        CheckBinaryTarget(arguments_.Get("--save-snapshot"), "a snapshot", arguments_));
  }
  XLA_ASSIGN_OR_RETURN(cache_, CacheOf(arguments_));
  XLA_ASSIGN_OR_RETURN(custom_calls_, LoadCustomCalls(arguments_));
  return absl::OkStatus();
}

absl::Status Runner::CheckTarget(const RunTarget& target, const HloModule& module,
                                 const DeviceGrid& grid) const {
  if (FormatOfName(target.output) == "npy")
    XLA_RETURN_IF_ERROR(CheckOneResult(module, grid, target.output));
  if (arguments_.Has("--save-snapshot") && grid.count() != 1) {
    return absl::InvalidArgumentError(
        "a snapshot holds the arguments and the result of one device");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Literal>> Runner::Execute(
    const HloModule& module, const DeviceGrid& grid,
    absl::Span<const std::vector<const Literal*>> inputs, InterpreterOptions options,
    distributed::Job* job, RunReport& report) {
  ProgressLine line;
  options.progress = [&line](int64_t executed, const HloInstruction& current) {
    line.Show(absl::StrCat("running: ", executed, " instructions done, now ",
                           HloOpcodeString(current.opcode()).data(), " ",
                           current.shape().ToString()));
  };
  options.memory_limit_bytes = UsableMemoryBytes();
  options.num_threads = ThreadsOf(arguments_, job);
  options.wait_timeout = absl::Seconds(arguments_.GetInt("--timeout", 60));
  options.cancel = &Interrupted();
  options.custom_calls = CheckCustomCalls();
  options.custom_call_registry = &custom_calls_;
  RunStatistics statistics;
  line.Show(absl::StrCat(compiled_ ? "compiling and running " : "running ", module.name()));
  const double start = Seconds();
  auto results =
      ExecuteReplicated(compiled_, module, grid.replicas, grid.partitions, inputs, options,
                        &statistics, {cache_, {}, arguments_.Has("--flush-subnormals"), job});
  report.name = module.name();
  report.milliseconds = (Seconds() - start) * 1e3;
  report.peak_bytes = statistics.peak_bytes;
  return results;
}

absl::Status Runner::CompareWithRecorded(const ProgramFile& file, const Literal& result,
                                         RunReport& report) const {
  report.is_compared = file.result.has_value() && !GivesArguments(arguments_);
  if (!report.is_compared) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(*file.module));
  XLA_ASSIGN_OR_RETURN(const std::optional<Difference> difference,
                       FindDifference(result, *file.result, errors));
  if (difference.has_value()) {
    report.failures.push_back(absl::StrCat("array ", difference->leaf,
                                           " of the result differs from the recorded one ",
                                           difference->ToString("computed", "recorded")));
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Runner::Run(const RunTarget& target) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<RunObserver> observer,
                       RunObserver::Create(arguments_));
  InterpreterOptions options;
  if (observer != nullptr) observer->Attach(options);
  XLA_ASSIGN_OR_RETURN(const ProgramFile file, LoadProgram(target.path, arguments_));
  const HloModule& module = *file.module;
  XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(module, arguments_));
  XLA_RETURN_IF_ERROR(CheckTarget(target, module, grid));
  XLA_ASSIGN_OR_RETURN(const Inputs inputs,
                       ReadDeviceArguments(module, grid, arguments_, file.arguments));
  std::vector<std::vector<const Literal*>> pointers(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    for (const auto& input : inputs[device]) pointers[device].push_back(input.get());
  }
  // What programs write is kept until it is printed.
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Job> job, JoinJob(role_));
  runtime::Feeds feeds(grid.count(), std::numeric_limits<int64_t>::max());
  runtime::HostChannels channels(grid.count(), std::numeric_limits<int64_t>::max());
  XLA_RETURN_IF_ERROR(GiveInfeed(module, grid, arguments_, feeds));
  XLA_RETURN_IF_ERROR(GiveHostRecv(module, grid, arguments_, channels));
  options.feeds = &feeds;
  options.host_channels = &channels;
  options.outputs_are_kept = true;
  RunReport report;
  auto results = Execute(module, grid, pointers, std::move(options), job.get(), report);
  if (observer != nullptr) {
    XLA_ASSIGN_OR_RETURN(const bool is_reported, observer->ReportOrigin(results.status()));
    if (is_reported) return kExitFailed;
  }
  if (!results.ok()) return results.status();
  if (job != nullptr && job->self() != 0) return kExitOk;  // process 0 speaks for all
  if (arguments_.Has("--save-snapshot")) {
    XLA_ASSIGN_OR_RETURN(const std::string snapshot,
                         SnapshotToProtoBytes(module, pointers[0], results->data()));
    XLA_RETURN_IF_ERROR(WriteFile(arguments_.Get("--save-snapshot"), snapshot));
  }
  XLA_RETURN_IF_ERROR(CompareWithRecorded(file, (*results)[0], report));
  XLA_ASSIGN_OR_RETURN(std::vector<NamedLiteral> outputs,
                       CollectOutputs(grid, *std::move(results), feeds, channels));
  return Finish(target, module, observer.get(), outputs, report);
}

// Compares, writes and prints.
absl::StatusOr<int> Runner::Finish(const RunTarget& target, const HloModule& module,
                                   RunObserver* observer, std::vector<NamedLiteral>& outputs,
                                   RunReport& report) {
  if (expectation_.has_value()) {
    XLA_ASSIGN_OR_RETURN(std::vector<std::string> differences,
                         expectation_->Differences(module, outputs));
    for (std::string& difference : differences) report.failures.push_back(std::move(difference));
  }
  if (observer != nullptr) XLA_RETURN_IF_ERROR(observer->Report(outputs));
  if (!target.output.empty()) XLA_RETURN_IF_ERROR(WriteOutputs(target.output, outputs));
  if (arguments_.Has("--json")) {
    PrintReportAsJson(target, report, outputs, expectation_.has_value());
  } else if (target.output != "-") {
    PrintReport(target, report, outputs, expectation_.has_value());
  }
  for (const std::string& failure : report.failures) {
    PrintDiagnostic(arguments_, absl::StrCat(DisplayName(target.path), ": ", failure));
  }
  return report.failures.empty() ? kExitOk : kExitFailed;
}

// Several programs are run one after the other, on the same arrays.
absl::StatusOr<int> RunAll(const Arguments& arguments, Runner& runner) {
  for (const char* option : {"--save-snapshot", "--operands"}) {
    if (arguments.Has(option))
      return absl::InvalidArgumentError(absl::StrCat(option, " is for one program"));
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<std::string> outputs, OutputsInFolder(arguments, ".npz"));
  return ForEachFile(arguments, [&](size_t i) {
    return runner.Run({arguments.operands()[i], outputs.empty() ? "" : outputs[i], true});
  });
}

absl::StatusOr<int> Run(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const JobRole role, JobRoleOf(arguments));
  const bool is_one = arguments.operands().size() == 1;
  if (role.kind != JobRole::kAlone && !is_one)
    return absl::InvalidArgumentError("several processes run one program");
  if (role.kind == JobRole::kStarts) return StartProcesses(role);
  const std::string output = arguments.Get("--output");
  if (arguments.Has("--output") && is_one) XLA_RETURN_IF_ERROR(CheckOutputFile(output, arguments));
  XLA_ASSIGN_OR_RETURN(const std::optional<Expectation> expectation,
                       Expectation::Create(arguments));
  Runner runner(arguments, role, expectation);
  XLA_RETURN_IF_ERROR(runner.Prepare());
  return is_one ? runner.Run({arguments.operands()[0], output, false}) : RunAll(arguments, runner);
}

}  // namespace

Command RunCommand() {
  Command command = {
      "run",
      "FILE...",
      "execute programs on arrays from files",
      "Arguments are taken from --input in order. A file holds one array (.npy) or several (.npz,\n"
      ".safetensors), matched by name (arg00, arg01, ..., or names of parameters, as the program "
      "or\n"
      "JAX gave them) or else by position; a value may be written out: --input 'f32[3]{1, 2, 3}'.\n"
      "--param w=weights.npz:w gives an argument by its name. A tuple argument takes one array "
      "per\n"
      "leaf. Shapes and types must match those of the program; sizes that StableHLO leaves open "
      "are\n"
      "those of the arrays. Results are printed, or written to --output as an .npz file with "
      "members\n"
      "out00, out01, ..., one per leaf of the result; where the name ends in .npy, as the one "
      "array\n"
      "that there is. Several programs run one after the other, and --output is a folder. "
      "--expect\n"
      "compares the results. A HloSnapshot brings the arguments that are not given; if none is, "
      "its\n"
      "result is compared with what is computed.\n"
      "\n"
      "A program runs on replicas x partitions devices, as its header or --replicas and "
      "--partitions\n"
      "say. Device r * partitions + p is partition p of replica r. All devices get the same "
      "arguments,\n"
      "except for .npz members named after a device: device3/arg00 is argument 0 of device 3 "
      "only.\n"
      "Results are then named device0/out00, ...; such a file can be an input again.\n"
      "\n"
      "A program with shardings is partitioned: arguments are the full ones, which are divided "
      "among\n"
      "the partitions, and results are put together. `xylem shard` shows how.\n"
      "\n"
      "--infeed provides data for infeed instructions: each .npy file, or member of an .npz file, "
      "is\n"
      "one infeed, in order, for all devices, or for one if it is named device3/... The leaves of "
      "a\n"
      "tuple are members with the same name and a numeric suffix: a.0, a.1. --host-recv 5=FILE\n"
      "provides data in the same form for recv instructions with channel_id=5 and\n"
      "is_host_transfer=true. Outfeeds are printed or written as outfeed00, outfeed01, ...\n"
      "(outfeed00.0, outfeed00.1 for a tuple), sends to the host on channel 5 as channel5_00, ...\n"
      "\n"
      "With --processes N the devices are divided among N processes, which are started here; "
      "under\n"
      "mpirun among its processes; with --process and --job among those that are started one by "
      "one.\n"
      "Process 0 prints and writes the results, which are those of one process, bit for bit.",
      WithProcessOptions(
          {InputOption(),
           ParamOption(),
           {"--output", "FILE",
            "write the results to this .npz file, or one to a .npy file ('-': standard output); "
            "of\n"
            "several programs, to this folder"},
           ForceOption(),
           RandomOption(),
           BackendOption(),
           {"--threads",
            "N",
            "number of threads; the default, 0, means all; results do not depend on it",
            {},
            IntegerRange{0, 4096}},
           {"--replicas",
            "R",
            "number of replicas; the default is the module's replica_count",
            {},
            IntegerRange{1, kMaxDevices}},
           {"--partitions",
            "P",
            "number of partitions; the default is the module's num_partitions",
            {},
            IntegerRange{1, kMaxDevices}},
           MeshOption(),
           {"--infeed", "FILE", ".npy or .npz file with data for infeed; may be repeated"},
           {"--host-recv", "CHANNEL=FILE",
            ".npy or .npz file with data for recv from the host; may be repeated"},
           {"--timeout",
            "SECONDS",
            "how long a device waits for other devices before the run fails; the default is 60",
            {},
            IntegerRange{1, 1'000'000'000}},
           FunctionOption(),
           CustomCallsOption(),
           CacheOption(),
           FlushSubnormalsOption(),
           {"--save-snapshot", "FILE", "write program, arguments and result as a HloSnapshot"},
           {"--json", "", "print name, time, memory and result shapes as JSON"}}),
      1,
      INT64_MAX,
      Run};
  for (const OptionSpec& option : ExpectOptions()) command.options.push_back(option);
  for (const OptionSpec& option : ObserveOptions()) command.options.push_back(option);
  return command;
}

}  // namespace xla

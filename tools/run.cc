// SPDX-License-Identifier: Apache-2.0
// xylem run: executes a program on arrays from files.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/differences.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/host_data.h"
#include "tools/job.h"
#include "tools/json.h"
#include "tools/npz.h"
#include "tools/observe.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/sharded.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_print.h"
#include "xla/runtime/channels.h"
#include "xla/runtime/feeds.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Larger results are abbreviated on the terminal.
constexpr int64_t kMostPrinted = 64;

// Small arrays whole, large ones by their first elements.
std::string Readable(const LiteralSlice& array) {
  const Shape& shape = array.shape();
  if (!shape.IsArray()) return shape.ToString();
  if (ShapeUtil::ElementsIn(shape) <= kMostPrinted) return array.ToString();
  std::string out = absl::StrCat(shape.ToString(), " {");
  std::vector<int64_t> index(shape.rank(), 0);
  for (int i = 0; i < 8; ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ", ", array.GetAsString(index));
    for (int64_t d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
  return absl::StrCat(out, ", ... ", ShapeUtil::ElementsIn(shape) - 8, " more}");
}

// Before anything runs: the name must be that of a format that can be written.
absl::Status CheckOutput(const std::string& path, const Arguments& arguments) {
  if (FormatOfName(path) != "npy") XLA_RETURN_IF_ERROR(CheckOutputName(path, "npz"));
  return CheckBinaryTarget(path, "an archive of the results", arguments);
}

// A .npy file holds one array.
absl::Status CheckOneResult(const HloModule& module, const DeviceGrid& grid,
                            const std::string& path) {
  size_t arrays = 0;
  for (const auto& leaf : ShapeUtil::GetLeafShapes(module.entry_computation_layout().result())) {
    if (leaf.shape.IsArray()) ++arrays;
  }
  const int64_t results = IsSharded(module, grid.partitions) ? grid.replicas : grid.count();
  if (arrays == 1 && results == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": a .npy file holds one array; ",
                   results > 1 ? absl::StrCat(results, " devices return ") : "the program returns ",
                   arrays, results > 1 ? " each" : "", "; give the name of a .npz archive"));
}

absl::Status WriteOutputs(const std::string& path, const std::vector<NamedLiteral>& outputs) {
  // Outfeeds and what is sent to the host are known after the run only.
  if (FormatOfName(path) == "npy") {
    if (outputs.size() == 1) return WriteNpy(path, outputs[0].value);
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": a .npy file holds one array; there are ", outputs.size(),
                     " with what the program wrote to the host; give the name of a .npz archive"));
  }
  std::vector<std::pair<std::string, LiteralSlice>> members;
  for (const NamedLiteral& output : outputs)
    members.emplace_back(output.name, LiteralSlice(output.value));
  return WriteNpz(path, members);
}

absl::StatusOr<int> Run(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const JobRole role, JobRoleOf(arguments));
  if (role.kind == JobRole::kStarts) return StartProcesses(role);
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<RunObserver> observer, RunObserver::Create(arguments));
  bool compiled = false;
  if (observer == nullptr) {
    XLA_ASSIGN_OR_RETURN(compiled, UsesCompiler(arguments));
  }
  InterpreterOptions options;
  if (observer != nullptr) observer->Attach(options);
  options.memory_limit_bytes = UsableMemoryBytes();
  options.num_threads = static_cast<int>(arguments.GetInt("--threads", 0));
  options.wait_timeout = absl::Seconds(arguments.GetInt("--timeout", 60));
  const std::string output = arguments.Get("--output");
  if (arguments.Has("--output")) XLA_RETURN_IF_ERROR(CheckOutput(output, arguments));
  if (arguments.Has("--save-snapshot")) {
    XLA_RETURN_IF_ERROR(
        CheckBinaryTarget(arguments.Get("--save-snapshot"), "a snapshot", arguments));
  }
  XLA_ASSIGN_OR_RETURN(const ProgramFile file, LoadProgram(arguments.operands()[0], arguments));
  const HloModule* const module = file.module.get();
  XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(*module, arguments));
  if (FormatOfName(output) == "npy") XLA_RETURN_IF_ERROR(CheckOneResult(*module, grid, output));
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(*module, grid, arguments, file.arguments));
  if (arguments.Has("--save-snapshot") && grid.count() != 1) {
    return absl::InvalidArgumentError(
        "a snapshot holds the arguments and the result of one device");
  }
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  std::vector<std::vector<const Literal*>> pointers(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    for (const auto& input : inputs[device]) pointers[device].push_back(input.get());
  }
  // What programs write is kept until it is printed.
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<distributed::Job> job, JoinJob(role));
  runtime::Feeds feeds(grid.count(), std::numeric_limits<int64_t>::max());
  runtime::HostChannels channels(grid.count(), std::numeric_limits<int64_t>::max());
  XLA_RETURN_IF_ERROR(GiveInfeed(*module, grid, arguments, feeds));
  XLA_RETURN_IF_ERROR(GiveHostRecv(*module, grid, arguments, channels));
  options.feeds = &feeds;
  options.host_channels = &channels;
  options.outputs_are_kept = true;

  ProgressLine line;
  options.cancel = &Interrupted();
  options.progress = [&line](int64_t executed, const HloInstruction& current) {
    line.Show(absl::StrCat("running: ", executed, " instructions done, now ",
                           HloOpcodeString(current.opcode()).data(), " ",
                           current.shape().ToString()));
  };
  options.custom_calls = CheckCustomCalls();
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  options.custom_call_registry = &custom_calls;
  RunStatistics statistics;
  line.Show(absl::StrCat(compiled ? "compiling and running " : "running ", module->name()));
  const double start = Seconds();
  auto results =
      ExecuteReplicated(compiled, *module, grid.replicas, grid.partitions, pointers, options,
                        &statistics, {cache, {}, arguments.Has("--flush-subnormals"), job.get()});
  const double milliseconds = (Seconds() - start) * 1e3;
  line.Clear();
  if (observer != nullptr) {
    XLA_ASSIGN_OR_RETURN(const bool is_reported, observer->ReportOrigin(results.status()));
    if (is_reported) return kExitFailed;
  }
  if (!results.ok()) return results.status();
  if (job != nullptr && job->self() != 0) return kExitOk;  // process 0 speaks for all
  if (arguments.Has("--save-snapshot")) {
    XLA_ASSIGN_OR_RETURN(const std::string snapshot,
                         SnapshotToProtoBytes(*module, pointers[0], results->data()));
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--save-snapshot"), snapshot));
  }

  std::optional<Difference> difference;  // from what a snapshot recorded
  const bool is_compared = file.result.has_value() && !arguments.Has("--input");
  if (is_compared) {
    XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(*module));
    XLA_ASSIGN_OR_RETURN(difference, FindDifference((*results)[0], *file.result, errors));
  }
  XLA_ASSIGN_OR_RETURN(std::vector<NamedLiteral> outputs,
                       CollectOutputs(grid, *std::move(results), feeds, channels));
  if (observer != nullptr) XLA_RETURN_IF_ERROR(observer->Report(outputs));
  if (arguments.Has("--output")) {
    XLA_RETURN_IF_ERROR(WriteOutputs(output, outputs));
  }
  if (arguments.Has("--json")) {
    std::vector<std::string> shapes;
    for (const NamedLiteral& value : outputs) shapes.push_back(value.value.shape().ToString());
    JsonObject json;
    json.String("name", module->name())
        .Number("run_ms", milliseconds)
        .Integer("peak_bytes", statistics.peak_bytes)
        .Strings("outputs", shapes);
    if (is_compared) json.Bool("as_recorded", !difference.has_value());
    std::puts(json.ToString().c_str());
  } else if (output != "-") {
    for (const NamedLiteral& value : outputs) {
      if (!arguments.Has("--output")) {
        std::printf("%s = %s\n", value.name.c_str(), Readable(value.value).c_str());
      } else {
        std::printf("%s = %s -> %s\n", value.name.c_str(), value.value.shape().ToString().c_str(),
                    output.c_str());
      }
    }
    std::fflush(stdout);
    std::fprintf(stderr, "ran %s in %s, peak memory %s%s\n", module->name().c_str(),
                 ReadableSeconds(milliseconds / 1e3).c_str(),
                 ReadableBytes(statistics.peak_bytes).c_str(),
                 is_compared && !difference.has_value() ? "; the result is as recorded" : "");
  }
  if (!difference.has_value()) return kExitOk;
  std::fprintf(stderr, "xylem: %s: array %zu of the result differs from the recorded one %s\n",
               DisplayName(arguments.operands()[0]).c_str(), difference->leaf,
               difference->ToString("computed", "recorded").c_str());
  return kExitFailed;
}

}  // namespace

Command RunCommand() {
  Command command = {
      "run",
      "FILE",
      "execute a program on arrays from files",
      "Arguments are taken from --input in order: a .npy file is one argument, an .npz file holds\n"
      "several, matched by name (arg00, arg01, ...) or else by position. A tuple argument takes "
      "one\n"
      "array per leaf. Shapes and types must match those of the program. Results are printed, or\n"
      "written to --output as an .npz file with members out00, out01, ..., one per leaf of the "
      "result;\n"
      "where the name ends in .npy, as the one array that there is. A HloSnapshot brings the "
      "arguments\n"
      "that --input does not give; without --input its result is compared with what is computed.\n"
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
           {"--output", "FILE",
            "write the results to this .npz file, or one to a .npy file ('-': standard output)"},
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
      1,
      Run};
  for (const OptionSpec& option : ObserveOptions()) command.options.push_back(option);
  return command;
}

}  // namespace xla

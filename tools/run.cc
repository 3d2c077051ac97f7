// SPDX-License-Identifier: Apache-2.0
// xylem run: executes a program on arrays from files.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/host_data.h"
#include "tools/json.h"
#include "tools/npz.h"
#include "tools/process.h"
#include "tools/replicas.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
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

absl::StatusOr<int> Run(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const bool compiled, UsesCompiler(arguments));
  InterpreterOptions options;
  options.memory_limit_bytes = UsableMemoryBytes();
  options.num_threads = static_cast<int>(arguments.GetInt("--threads", 0));
  options.wait_timeout = absl::Seconds(arguments.GetInt("--timeout", 60));
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       LoadModule(arguments.operands()[0]));
  XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(*module, arguments));
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(*module, grid, arguments));
  std::vector<std::vector<const Literal*>> pointers(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    for (const auto& input : inputs[device]) pointers[device].push_back(input.get());
  }
  // What programs write is kept until it is printed.
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
  const double start = Seconds();
  auto results = ExecuteReplicated(compiled, *module, grid.replicas, grid.partitions, pointers,
                                   options, &statistics);
  const double milliseconds = (Seconds() - start) * 1e3;
  line.Clear();
  if (!results.ok()) return results.status();

  XLA_ASSIGN_OR_RETURN(const std::vector<NamedLiteral> outputs,
                       CollectOutputs(grid, *std::move(results), feeds, channels));
  if (arguments.Has("--output")) {
    std::vector<std::pair<std::string, LiteralSlice>> members;
    for (const NamedLiteral& output : outputs)
      members.emplace_back(output.name, LiteralSlice(output.value));
    XLA_RETURN_IF_ERROR(WriteNpz(arguments.Get("--output"), members));
  }
  if (arguments.Has("--json")) {
    std::vector<std::string> shapes;
    for (const NamedLiteral& output : outputs) shapes.push_back(output.value.shape().ToString());
    JsonObject json;
    json.String("name", module->name())
        .Number("run_ms", milliseconds)
        .Integer("peak_bytes", statistics.peak_bytes)
        .Strings("outputs", shapes);
    std::puts(json.ToString().c_str());
  } else if (arguments.Get("--output") != "-") {
    if (!arguments.Has("--output")) {
      for (const NamedLiteral& output : outputs)
        std::printf("%s = %s\n", output.name.c_str(), Readable(output.value).c_str());
    } else {
      for (const NamedLiteral& output : outputs) {
        std::printf("%s = %s -> %s\n", output.name.c_str(), output.value.shape().ToString().c_str(),
                    arguments.Get("--output").c_str());
      }
    }
    std::fprintf(stderr, "ran %s in %.1f ms, peak memory %.1f MB\n", module->name().c_str(),
                 milliseconds, static_cast<double>(statistics.peak_bytes) / 1e6);
  }
  return kExitOk;
}

}  // namespace

Command RunCommand() {
  return {
      "run",
      "FILE",
      "execute a program on arrays from files",
      "Arguments are taken from --input in order: a .npy file is one argument, an .npz file holds\n"
      "several, matched by name (arg00, arg01, ...) or else by position. A tuple argument takes "
      "one\n"
      "array per leaf. Shapes and types must match those of the program. Results are printed, or\n"
      "written to --output as an .npz file with members out00, out01, ..., one per leaf of the "
      "result.\n"
      "\n"
      "A program runs on replicas x partitions devices, as its header or --replicas and "
      "--partitions\n"
      "say. Device r * partitions + p is partition p of replica r. All devices get the same "
      "arguments,\n"
      "except for .npz members named after a device: device3/arg00 is argument 0 of device 3 "
      "only.\n"
      "Results are then named device0/out00, ...; such a file can be an input again.\n"
      "\n"
      "--infeed provides data for infeed instructions: each .npy file, or member of an .npz file, "
      "is\n"
      "one infeed, in order, for all devices, or for one if it is named device3/... The leaves of "
      "a\n"
      "tuple are members with the same name and a numeric suffix: a.0, a.1. --host-recv 5=FILE\n"
      "provides data in the same form for recv instructions with channel_id=5 and\n"
      "is_host_transfer=true. Outfeeds are printed or written as outfeed00, outfeed01, ...\n"
      "(outfeed00.0, outfeed00.1 for a tuple), sends to the host on channel 5 as channel5_00, ...",
      {{"--input", "FILE", ".npy or .npz file with arguments; may be repeated"},
       {"--output", "FILE", "write the results to this .npz file ('-': standard output)"},
       {"--random",
        "SEED",
        "generate missing arguments: uniform in [-1, 1), integers below 100",
        {},
        IntegerRange{0, INT64_MAX}},
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
       {"--infeed", "FILE", ".npy or .npz file with data for infeed; may be repeated"},
       {"--host-recv", "CHANNEL=FILE",
        ".npy or .npz file with data for recv from the host; may be repeated"},
       {"--timeout",
        "SECONDS",
        "how long a device waits for other devices before the run fails; the default is 60",
        {},
        IntegerRange{1, 1'000'000'000}},
       CustomCallsOption(),
       {"--json", "", "print name, time, memory and result shapes as JSON"}},
      1,
      1,
      Run};
}

}  // namespace xla

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
#include "absl/strings/str_format.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/host_data.h"
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

// Results of more elements are cut on the terminal.
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
  const std::string backend = arguments.Get("--backend", "interpreter");
  if (backend != "interpreter") {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown backend '", backend, "'; there is: interpreter"));
  }
  InterpreterOptions options;
  options.memory_limit_bytes = UsableMemoryBytes();
  XLA_ASSIGN_OR_RETURN(options.num_threads, arguments.GetInt("--threads", 0, 0, 4096));
  XLA_ASSIGN_OR_RETURN(const int64_t timeout, arguments.GetInt("--timeout", 60, 1, 1'000'000'000));
  options.wait_timeout = absl::Seconds(timeout);
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       LoadModule(arguments.positional()[0]));
  XLA_ASSIGN_OR_RETURN(const DeviceGrid grid, ReadDeviceGrid(*module, arguments));
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(*module, grid, arguments));
  std::vector<std::vector<const Literal*>> pointers(inputs.size());
  for (size_t device = 0; device < inputs.size(); ++device) {
    for (const auto& input : inputs[device]) pointers[device].push_back(input.get());
  }
  // What programs write must be kept until it is printed.
  runtime::Feeds feeds(grid.count(), std::numeric_limits<int64_t>::max());
  runtime::HostChannels channels(grid.count(), std::numeric_limits<int64_t>::max());
  XLA_RETURN_IF_ERROR(GiveInfeed(*module, grid, arguments, feeds));
  XLA_RETURN_IF_ERROR(GiveHostRecv(*module, grid, arguments, channels));
  options.feeds = &feeds;
  options.host_channels = &channels;

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
  auto results =
      InterpretReplicated(*module, grid.replicas, grid.partitions, pointers, options, &statistics);
  const double milliseconds = (Seconds() - start) * 1e3;
  line.Clear();
  if (!results.ok()) return results.status();

  XLA_ASSIGN_OR_RETURN(const std::vector<NamedLiteral> outputs,
                       CollectOutputs(grid, *std::move(results), feeds, channels));
  if (arguments.Has("--output")) {
    std::vector<std::pair<std::string, LiteralSlice>> members;
    for (const NamedLiteral& output : outputs)
      members.emplace_back(output.name, LiteralSlice(output.value));
    XLA_ASSIGN_OR_RETURN(const std::string bytes, ToNpz(members));
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--output"), bytes));
  }
  if (arguments.Has("--json")) {
    std::string json =
        absl::StrFormat("{\"name\": \"%s\", \"run_ms\": %.6f, \"peak_bytes\": %d, \"outputs\": [",
                        module->name(), milliseconds, statistics.peak_bytes);
    for (size_t i = 0; i < outputs.size(); ++i) {
      absl::StrAppend(&json, i == 0 ? "" : ", ", "\"", outputs[i].value.shape().ToString(), "\"");
    }
    std::puts(absl::StrCat(json, "]}").c_str());
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
    std::fprintf(stderr, "ran %s in %.1f ms, %.1f MB at the peak\n", module->name().c_str(),
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
      "Arguments come from --input, in order: each .npy file is the next argument, each .npz file "
      "holds several,\n"
      "by name (arg00, arg01, ...) or else in the archive's order. A tuple argument takes one "
      "array for each\n"
      "leaf. Shapes and types must be those of the program. Results are printed, or written to "
      "--output as an\n"
      ".npz file with members out00, out01, ...: one for each leaf of the result.\n"
      "\n"
      "A program runs on replicas x partitions devices; the module's header says how many, unless "
      "--replicas and\n"
      "--partitions do. Device r * partitions + p is partition p of replica r. All devices get the "
      "same arguments,\n"
      "but for .npz members named after one: device3/arg00 is argument 0 of device 3 alone. "
      "Results then are\n"
      "device0/out00, ... and so may be arguments again.\n"
      "\n"
      "--infeed gives data to infeed instructions: each .npy file, or member of an .npz file, is "
      "one infeed, in\n"
      "order, for all devices, or for one if it is named device3/... The leaves of a tuple are "
      "members with the same\n"
      "name but for a number behind a dot: a.0, a.1. --host-recv 5=FILE gives data in the same way "
      "to recv instructions\n"
      "with channel_id=5 and is_host_transfer=true. What outfeed writes is printed or written as "
      "outfeed00, outfeed01,\n"
      "... (outfeed00.0, outfeed00.1 for a tuple), what is sent to the host on channel 5 as "
      "channel5_00, ...",
      {{"--input", "FILE", ".npy or .npz file with arguments; may be repeated"},
       {"--output", "FILE", "write the results to this .npz file ('-': standard output)"},
       {"--random", "SEED",
        "make up the arguments not given: uniform in [-1, 1), integers below 100"},
       {"--backend", "NAME", "what runs the program: interpreter (the reference)", "interpreter"},
       {"--threads", "N", "threads to use; 0, the default: all; results do not depend on it"},
       {"--replicas", "R", "replicas to run; the default is the module's replica_count"},
       {"--partitions", "P", "partitions to run; the default is the module's num_partitions"},
       {"--infeed", "FILE", ".npy or .npz file with data for infeed; may be repeated"},
       {"--host-recv", "CHANNEL=FILE",
        ".npy or .npz file with data for recv from the host; may be repeated"},
       {"--timeout", "SECONDS",
        "how long a device waits for other devices before the run fails; 60"},
       CustomCallsOption(),
       {"--json", "", "print name, time, memory and result shapes as JSON"}},
      1,
      1,
      Run};
}

}  // namespace xla

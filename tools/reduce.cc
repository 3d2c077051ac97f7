// SPDX-License-Identifier: Apache-2.0
// xylem reduce: makes a program that shows a fault smaller.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "tools/fault_tests.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/given_arrays.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/reduction.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

// The file of the reduced program: HLO text, with inputs in an archive beside it.
absl::Status WriteReduced(const ReducibleProgram& program, const std::string& output) {
  ReducibleProgram text = program.Clone();
  text.has_arguments = false;
  std::string base = output;
  if (absl::EndsWith(base, ".hlo")) base.resize(base.size() - 4);
  XLA_RETURN_IF_ERROR(WriteProgramFile(text, base).status());
  if (!program.has_arguments || program.arguments.empty()) return absl::OkStatus();
  return WriteProgramFile(program, base).status();
}

absl::StatusOr<int> Reduce(const Arguments& arguments) {
  if (!arguments.Has("--if"))
    return absl::InvalidArgumentError("--if says what the program is reduced for");
  FaultTestOptions test_options;
  test_options.kind = arguments.Get("--if");
  test_options.baseline = arguments.Get("--baseline");
  test_options.limit = absl::Seconds(arguments.GetInt("--timeout", 60));
  if (arguments.Has("--factor") &&
      (!absl::SimpleAtod(arguments.Get("--factor"), &test_options.factor) ||
       !(test_options.factor > 0))) {
    return absl::InvalidArgumentError("--factor takes a positive number");
  }
  if (arguments.Has("--max-isa"))
    test_options.options.push_back(absl::StrCat("--max-isa=", arguments.Get("--max-isa")));
  const std::string output = arguments.Get("--output", "reduced.hlo");
  if (output == "-") return absl::InvalidArgumentError("--output takes the name of a file");
  XLA_RETURN_IF_ERROR(CheckOutputName(output, "hlo"));
  XLA_ASSIGN_OR_RETURN(test_options.folder, MakeTemporaryFolder("reduce"));
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(test_options.folder, ignored);
  };
  XLA_ASSIGN_OR_RETURN(const FaultTest test, MakeFaultTest(test_options));

  XLA_ASSIGN_OR_RETURN(ProgramFile file, LoadProgram(arguments.operands()[0], arguments));
  ReducibleProgram program;
  program.has_arguments = TestsValues(test_options.kind) || GivesArguments(arguments) ||
                          arguments.Has("--random") || !file.arguments.empty();
  if (program.has_arguments) {
    XLA_ASSIGN_OR_RETURN(
        const std::vector<DeviceArguments> inputs,
        ReadDeviceArguments(*file.module, DeviceGrid(), arguments, file.arguments));
    for (const auto& input : inputs[0]) program.arguments.push_back(input->Clone());
  }
  program.module = std::move(file.module);

  ProgressLine line(!arguments.Has("--json"));
  ReductionOptions options;
  runtime::ThreadPool pool;
  options.jobs = static_cast<int>(arguments.GetInt("--jobs", std::max(1, pool.num_threads() / 2)));
  options.cancel = &Interrupted();
  options.progress = [&line](const ReductionProgress& progress) {
    line.Show(absl::StrCat(Counted(progress.instructions, "instruction"), " left, ",
                           Counted(progress.tests, "program"),
                           " tried: ", std::string(progress.step)));
  };
  options.on_smaller = [&](const ReducibleProgram& smaller) {
    return WriteReduced(smaller, output);
  };
  const int64_t before = program.module->instruction_count();
  ReductionStatistics statistics;
  auto reduced = ReduceProgram(program, test, options, &statistics);
  line.Clear();
  if (!reduced.ok()) return reduced.status();
  XLA_RETURN_IF_ERROR(WriteReduced(*reduced, output));
  // What was written, as it will be read.
  if (!Interrupted().load()) {
    ReducibleProgram written = reduced->Clone();
    XLA_ASSIGN_OR_RETURN(written.module, LoadModule(output));
    XLA_ASSIGN_OR_RETURN(const bool is_faulty, test(written));
    if (!is_faulty) {
      return absl::InternalError(absl::StrCat(
          output, " does not show the fault, though the program that it was written from does"));
    }
  }
  const int64_t after = reduced->module->instruction_count();
  if (arguments.Has("--json")) {
    JsonObject json;
    json.Integer("instructions_before", before)
        .Integer("instructions_after", after)
        .Integer("tests", statistics.tests)
        .Bool("complete", statistics.is_complete)
        .String("output", output);
    std::puts(json.ToString().c_str());
  } else {
    std::printf("%s -> %s: %lld -> %s, %s tried%s\n", DisplayName(arguments.operands()[0]).c_str(),
                output.c_str(), static_cast<long long>(before),
                Counted(after, "instruction").c_str(), Counted(statistics.tests, "program").c_str(),
                statistics.is_complete ? "" : "; interrupted, it may become smaller still");
  }
  return statistics.is_complete ? kExitOk : kExitInterrupted;
}

}  // namespace

Command ReduceCommand() {
  return {
      "reduce",
      "FILE",
      "make a program smaller that still shows a fault",
      "Takes results, instructions, computations, elements and attributes away as long as the\n"
      "fault of --if is there, and writes the program to --output after each success: after\n"
      "Ctrl-C, `xylem reduce` goes on from that file. The faults:\n"
      "\n"
      "  crash        running the program is ended by a signal\n"
      "  differs      compiled and interpreted results differ (`xylem diff`)\n"
      "  nan          an instruction makes a NaN of numbers (`xylem run --check-nans`)\n"
      "  error:TEXT   running the program fails with a message that has this text\n"
      "  slower       it runs --factor times slower than with the command --baseline\n"
      "  SCRIPT       an executable, called with a file, exits with 0\n"
      "\n"
      "With arguments (--input, --random, or those of a HloSnapshot; always for differs and nan),\n"
      "instructions that are taken away become parameters with the values that they had, and a\n"
      "HloSnapshot with program and arguments is written beside the text.",
      {{"--if", "FAULT", "what the program is reduced for"},
       {"--output", "FILE", "where the reduced program is written; the default is reduced.hlo"},
       InputOption(),
       ParamOption(),
       RandomOption(),
       {"--jobs",
        "N",
        "programs that are tried at once; the result does not depend on it",
        {},
        IntegerRange{1, 1024}},
       {"--timeout",
        "SECONDS",
        "how long one program may take; the default is 60",
        {},
        IntegerRange{1, 1'000'000}},
       {"--baseline", "COMMAND", "the other xylem of --if slower"},
       {"--factor", "X", "of --if slower; the default is 1.5"},
       FunctionOption(),
       {"--json", "", "print the outcome as JSON"}},
      1,
      1,
      Reduce};
}

}  // namespace xla

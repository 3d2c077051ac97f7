// SPDX-License-Identifier: Apache-2.0
// xylem view: a page that shows programs as graphs.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/folder_outputs.h"
#include "tools/pass_options.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/view/graph_json.h"
#include "tools/view/measurements.h"
#include "tools/view/page.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/debugging/program_diff.h"
#include "xla/passes/pass.h"
#include "xla/passes/pipeline.h"
#include "xla/runtime/thread_pool.h"
#include "xla/service/cpu_compile_options.h"

namespace xla {
namespace {

// Keeps what each pass changed, and the program after it while all of them are small enough to be
// drawn.
class PassRecorder : public PassInstrumentation {
 public:
  PassRecorder(const HloModule& module, std::vector<JsonObject>& graphs)
      : before_(module.Clone()), graphs_(graphs) {}

  absl::Status AfterPass(std::string_view name, const HloModule& module, bool changed) override {
    if (!changed) return absl::OkStatus();
    if (Interrupted()) return absl::CancelledError("interrupted");
    std::unique_ptr<HloModule> after = module.Clone();
    const ProgramDiff diff = DiffPrograms(*before_, *after);
    if (!diff.IsEmpty()) Record(name, *after, diff);
    before_ = std::move(after);
    return absl::OkStatus();
  }

  std::vector<JsonObject> TakePasses() { return std::move(passes_); }

 private:
  static constexpr int64_t kMostDrawn = 20000;  // instructions of all programs together

  void Record(std::string_view name, const HloModule& after, const ProgramDiff& diff) {
    JsonObject& pass = passes_.emplace_back();
    pass.String("name", name).Integer("before", before_->instruction_count());
    pass.Integer("after", after.instruction_count());
    const auto found = FindPass(name, PassesOfAllRooms());
    pass.String("summary", found.ok() ? (*found)->summary : std::string_view());
    AddChanges(diff, pass);
    drawn_ += before_->instruction_count() + after.instruction_count();
    int64_t first = -1, second = -1;
    if (drawn_ <= kMostDrawn) {
      const InstructionMarks marks = MarksOf(diff);
      first = static_cast<int64_t>(graphs_.size());
      second = first + 1;
      graphs_.push_back(GraphToJson(*before_, absl::StrCat("before ", std::string(name)), marks));
      graphs_.push_back(GraphToJson(after, absl::StrCat("after ", std::string(name)), marks));
    }
    pass.Integer("beforeGraph", first).Integer("graph", second);
  }

  std::unique_ptr<HloModule> before_;
  std::vector<JsonObject>& graphs_;
  std::vector<JsonObject> passes_;
  int64_t drawn_ = 0;
};

// The program as it is compiled, with its plan and buffers, and what the passes did to it.
absl::Status AddCompiled(const HloModule& module, const Arguments& arguments,
                         std::vector<JsonObject>& graphs, JsonObject& data) {
  XLA_RETURN_IF_ERROR(CheckSizesAreKnown(module));
  XLA_RETURN_IF_ERROR(LoadCompiler());
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  runtime::ThreadPool pool;
  PassRecorder recorder(module, graphs);
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.pool = &pool;
  options.cancel = &Interrupted();
  options.custom_calls = &custom_calls;
  const bool shows_passes = arguments.Has("--passes");
  if (shows_passes) options.pipeline.instrumentations.push_back(&recorder);
  ProgressLine line;
  line.Show(absl::StrCat("compiling ", module.name()));
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module, options));
  XLA_ASSIGN_OR_RETURN(const ProgramReport report, program->Report());
  data.Integer("profileGraph", static_cast<int64_t>(graphs.size()));
  graphs.push_back(GraphToJson(program->optimized_module(), "compiled"));
  data.Object("plan", PlanToJson(report)).Object("buffers", BuffersToJson(report));
  if (shows_passes) data.Objects("passes", recorder.TakePasses());
  return absl::OkStatus();
}

absl::StatusOr<int> RunView(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.operands();
  const std::string output = arguments.Get("--output", absl::StrCat(StemOf(paths[0]), ".html"));
  XLA_RETURN_IF_ERROR(CheckOutputName(output, "html"));
  XLA_ASSIGN_OR_RETURN(const auto module, LoadModule(paths[0], true, arguments.Get("--function")));
  JsonObject data;
  std::string title = DisplayName(paths[0]);
  std::vector<JsonObject> graphs;
  const bool is_compiled =
      arguments.Has("--compiled") || arguments.Has("--passes") || arguments.Has("--profile");
  if (paths.size() == 2) {
    if (is_compiled) {
      return absl::InvalidArgumentError(
          "--compiled, --passes and --profile are for one program; two are compared as they are");
    }
    XLA_ASSIGN_OR_RETURN(const auto second,
                         LoadModule(paths[1], true, arguments.Get("--function")));
    const InstructionMarks marks = MarksOf(DiffPrograms(*module, *second));
    graphs.push_back(GraphToJson(*module, DisplayName(paths[0]), marks));
    graphs.push_back(GraphToJson(*second, DisplayName(paths[1]), marks));
    absl::StrAppend(&title, " and ", DisplayName(paths[1]));
  } else {
    graphs.push_back(GraphToJson(*module, "program"));
    if (is_compiled) XLA_RETURN_IF_ERROR(AddCompiled(*module, arguments, graphs, data));
  }
  if (arguments.Has("--profile")) {
    XLA_ASSIGN_OR_RETURN(JsonObject profile, ReadProfile(arguments.Get("--profile")));
    data.Object("profile", std::move(profile));
    data.Integer("first", static_cast<int64_t>(graphs.size()) - 1);
  }
  if (arguments.Has("--diff")) {
    XLA_ASSIGN_OR_RETURN(JsonObject errors, ReadErrors(arguments.Get("--diff")));
    data.Object("errors", std::move(errors));
  }
  data.String("title", title).Objects("graphs", graphs);
  XLA_RETURN_IF_ERROR(WritePage(output, absl::StrCat(title, " - xylem view"), data));
  if (output != "-") std::printf("%s -> %s\n", title.c_str(), output.c_str());
  return kExitOk;
}

}  // namespace

Command ViewCommand() {
  return {
      "view",
      "FILE [FILE]",
      "write a page that shows a program as a graph",
      "The page is one file, which a browser opens without network: the graph of each "
      "computation,\n"
      "with fusions and loops folded, search, the neighborhood of an instruction, groups by "
      "op_name\n"
      "or source line, colors by operation, bytes, sharding or source file. --compiled adds the\n"
      "program as it is compiled, how instructions are computed, and the buffers over time;\n"
      "--passes what each pass changed. --profile takes what `xylem profile --json` prints, for\n"
      "colors and tables by time; --diff likewise lines of JSON with \"instruction\" and "
      "\"error\", as\n"
      "`xylem diff --json` prints them. Two programs are compared: what was added, removed and\n"
      "changed.",
      {{.name = "--output",
        .value = "FILE",
        .help = "where to write; the default is the name of the first file with .html",
        .short_name = "-o"},
       {"--compiled", "", "show the program as it is compiled, its plan and its buffers, too"},
       {"--passes", "", "show what each pass of the compiler changes"},
       {"--profile", "FILE", "times, as `xylem profile --json` prints them"},
       {"--diff", "FILE", "errors, as `xylem diff --json` prints them"},
       FunctionOption(),
       CustomCallsOption()},
      1,
      2,
      RunView};
}

}  // namespace xla

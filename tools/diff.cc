// SPDX-License-Identifier: Apache-2.0
// xylem diff: finds the first instruction whose compiled value differs from the interpreter's.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "tools/color.h"
#include "tools/command.h"
#include "tools/custom_calls.h"
#include "tools/device_grid.h"
#include "tools/differences.h"
#include "tools/execute.h"
#include "tools/file_kinds.h"
#include "tools/files.h"
#include "tools/folder_outputs.h"
#include "tools/given_arrays.h"
#include "tools/json.h"
#include "tools/process.h"
#include "tools/program_files.h"
#include "tools/replicas.h"
#include "tools/sharded.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/debugging/program_diff.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool HasArrays(const Shape& shape) {
  const auto leaves = ShapeUtil::GetLeafShapes(shape);
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const auto& leaf) { return leaf.shape.IsArray(); });
}

// A value, both ways.
struct Values {
  Literal compiled, interpreted;
  std::vector<ExpectedError> errors;
};

class Bisection {
 public:
  Bisection(const HloModule& module, const std::vector<const Literal*>& arguments,
            InterpreterOptions options, const std::string& cache, bool json, bool searches,
            int64_t partitions)
      : module_(module),
        arguments_(arguments),
        options_(std::move(options)),
        cache_(cache),
        json_(json),
        searches_(searches),
        partitions_(partitions) {}

  // `recorded`: optional, what a snapshot says that the result is.
  absl::StatusOr<int> Run(const Literal* recorded) {
    const HloInstruction* const root = module_.entry_computation()->root_instruction();
    std::vector<const HloInstruction*> results = {root};
    if (root->opcode() == HloOpcode::kTuple)
      results.assign(root->operands().begin(), root->operands().end());
    size_t compared = 0;
    for (const HloInstruction* result : results) {
      if (!HasArrays(result->shape())) continue;
      ++compared;
      XLA_ASSIGN_OR_RETURN(std::optional<Difference> difference, Check(*result));
      if (!difference.has_value()) continue;
      if (searches_) return Search(*result, *std::move(difference));
      Report(*result, *difference);
      return kExitFailed;
    }
    if (recorded != nullptr) {
      XLA_ASSIGN_OR_RETURN(const Values values, Evaluate(*root));
      XLA_ASSIGN_OR_RETURN(const std::optional<Difference> difference,
                           FindDifference(values.interpreted, *recorded, values.errors));
      if (difference.has_value()) {
        if (json_) {
          std::puts(Json(*root, *difference, "interpreted", "recorded").c_str());
        } else {
          std::printf(
              "compiled and interpreted results agree, but not with the recorded one:\n"
              "  array %zu %s\n",
              difference->leaf, difference->ToString("interpreted", "recorded").c_str());
        }
        return kExitFailed;
      }
    }
    if (json_) {
      JsonObject json;
      json.Bool("agree", true).Integer("results", static_cast<int64_t>(compared));
      std::puts(json.ToString().c_str());
    } else {
      std::printf("%zu result%s%s\n", compared, compared == 1 ? " agrees" : "s agree",
                  recorded != nullptr ? ", also with what was recorded" : "");
    }
    return kExitOk;
  }

  // The error of each array that the entry computation computes, all in one run: more is in memory
  // then, and less is fused, than in a run of the program.
  absl::StatusOr<int> All() {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order,
                         module_.entry_computation()->PostOrder());
    const std::unique_ptr<HloModule> clone = module_.Clone();
    HloComputation* const entry = clone->entry_computation();
    std::vector<const HloInstruction*> shown;
    std::vector<HloInstruction*> parts;
    std::vector<Shape> shapes;
    for (const HloInstruction* instruction : order) {
      HloInstruction* const part = entry->GetInstructionWithName(instruction->name());
      if (part == nullptr || !part->shape().IsArray() || part->opcode() == HloOpcode::kParameter ||
          part->opcode() == HloOpcode::kConstant) {
        continue;
      }
      shown.push_back(instruction);
      parts.push_back(part);
      shapes.push_back(part->shape());
    }
    HloInstruction* const root = entry->AddInstruction(
        HloInstruction::Create(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), parts));
    XLA_ASSIGN_OR_RETURN(const Values values, EvaluateRoot(*clone, root, "all instructions"));
    int code = kExitOk;
    for (size_t i = 0; i < shown.size(); ++i) {
      const auto leaf = static_cast<int64_t>(i);
      const std::optional<Difference> worst = FindDifference(
          LiteralSlice(values.compiled, {leaf}), LiteralSlice(values.interpreted, {leaf}), 0);
      const double error = worst.has_value() ? worst->error : 0;
      const double limit = values.errors[i].OfElements(shapes[i].element_type());
      if (error > limit) code = kExitFailed;
      PrintError(*shown[i], error, limit);
    }
    return code;
  }

 private:
  void PrintError(const HloInstruction& instruction, double error, double limit) const {
    if (!json_) {
      std::printf("%-8s %10.3g  %s\n", error > limit ? "differs" : "agrees", error,
                  instruction.ToShortString().c_str());
      return;
    }
    JsonObject json;
    json.String("instruction", instruction.name())
        .Number("error", error)
        .Number("limit", limit)
        .Bool("agree", error <= limit);
    std::puts(json.ToString().c_str());
  }

  // The first instruction that differs, of those that a result that differs is computed from: what
  // is computed from one that differs is taken to differ as well.
  absl::StatusOr<int> Search(const HloInstruction& result, Difference difference) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> order,
                         module_.entry_computation()->PostOrder());
    absl::flat_hash_set<const HloInstruction*> needed = {&result};
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (needed.contains(*it)) needed.insert((*it)->operands().begin(), (*it)->operands().end());
    }
    std::vector<const HloInstruction*> candidates;
    for (const HloInstruction* instruction : order) {
      if (needed.contains(instruction) && instruction != &result &&
          HasArrays(instruction->shape()) && instruction->opcode() != HloOpcode::kParameter &&
          instruction->opcode() != HloOpcode::kConstant &&
          instruction->opcode() != HloOpcode::kTuple) {
        candidates.push_back(instruction);
      }
    }
    candidates.push_back(&result);
    size_t low = 0, high = candidates.size() - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      XLA_ASSIGN_OR_RETURN(std::optional<Difference> here, Check(*candidates[middle]));
      if (!json_) {
        std::printf("%-8s %s\n", here.has_value() ? "differs" : "agrees",
                    candidates[middle]->ToShortString().c_str());
      }
      std::fflush(stdout);
      if (here.has_value()) {
        difference = *std::move(here);
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    Report(*candidates[high], difference);
    return kExitFailed;
  }

  static std::string Json(const HloInstruction& instruction, const Difference& difference,
                          const std::string& first, const std::string& second) {
    JsonObject json;
    json.Bool("agree", false)
        .String("instruction", instruction.name())
        .Integer("array", static_cast<int64_t>(difference.leaf))
        .Integers("index", difference.index)
        .String(first, difference.first)
        .String(second, difference.second)
        .Number("error", difference.error);
    return json.ToString();
  }

  void Report(const HloInstruction& instruction, const Difference& difference) const {
    if (json_) {
      std::puts(Json(instruction, difference, "compiled", "interpreted").c_str());
      return;
    }
    std::printf("first difference: %s\n", instruction.ToShortString().c_str());
    const std::string part =
        instruction.shape().IsTuple() ? absl::StrCat("array ", difference.leaf, " ") : "";
    std::printf("  %s%s\n", part.c_str(), difference.ToString("compiled", "interpreted").c_str());
  }

  // The value of the instruction alone.
  absl::StatusOr<Values> Evaluate(const HloInstruction& instruction) {
    const std::unique_ptr<HloModule> clone = module_.Clone();
    HloInstruction* const root =
        clone->entry_computation()->GetInstructionWithName(instruction.name());
    if (root == nullptr) return absl::InternalError("the copy lacks an instruction");
    return EvaluateRoot(*clone, root, instruction.name());
  }

  // The value of an instruction of a copy of the program; `what`: for the terminal.
  absl::StatusOr<Values> EvaluateRoot(HloModule& clone, HloInstruction* root,
                                      const std::string& what) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    line_.Show(absl::StrCat("comparing ", what));
    HloComputation* const entry = clone.entry_computation();
    entry->set_root_instruction(root);
    clone.config().set_entry_computation_layout(entry->ComputeProgramShape());
    clone.config().input_output_alias.clear();
    clone.config().is_scheduled = false;
    InterpreterOptions options = options_;
    options.progress = [&](int64_t executed, const HloInstruction& current) {
      line_.Show(absl::StrCat("comparing ", what, ": interpreting, ", executed,
                              " instructions done, now ", current.name()));
    };
    // What is partitioned is compared with what is not.
    const std::vector<std::vector<const Literal*>> arguments = {arguments_};
    const std::vector<std::vector<const Literal*>> of_partitions(static_cast<size_t>(partitions_),
                                                                 arguments_);
    Values values;
    XLA_ASSIGN_OR_RETURN(std::vector<Literal> compiled,
                         ExecuteReplicated(true, clone, 1, partitions_, of_partitions, options,
                                           nullptr, {cache_, {}}));
    XLA_ASSIGN_OR_RETURN(std::vector<Literal> interpreted,
                         ExecuteReplicated(false, clone, 1, 1, arguments, options));
    line_.Clear();
    values.compiled = std::move(compiled[0]);
    values.interpreted = std::move(interpreted[0]);
    XLA_ASSIGN_OR_RETURN(values.errors, ExpectedErrors(clone));
    return values;
  }

  absl::StatusOr<std::optional<Difference>> Check(const HloInstruction& instruction) {
    XLA_ASSIGN_OR_RETURN(const Values values, Evaluate(instruction));
    return FindDifference(values.compiled, values.interpreted, values.errors);
  }

  const HloModule& module_;
  const std::vector<const Literal*>& arguments_;
  const InterpreterOptions options_;
  const std::string cache_;
  const bool json_, searches_;
  const int64_t partitions_;
  ProgressLine line_;
};

// The structure of two programs.
absl::StatusOr<int> DiffStructure(const Arguments& arguments) {
  for (const char* option :
       {"--input", "--param", "--random", "--partitions", "--mesh", "--results-only", "--all"}) {
    if (arguments.Has(option)) {
      return absl::InvalidArgumentError(
          absl::StrCat(option, " is for one program, which is run; two are compared as they are"));
    }
  }
  const std::string& first = arguments.operands()[0];
  const std::string& second = arguments.operands()[1];
  if (arguments.Has("--html"))
    XLA_RETURN_IF_ERROR(CheckOutputName(arguments.Get("--html"), "html"));
  XLA_ASSIGN_OR_RETURN(const auto a, LoadModule(first, true, arguments.Get("--function")));
  XLA_ASSIGN_OR_RETURN(const auto b, LoadModule(second, true, arguments.Get("--function")));
  const ProgramDiff diff = DiffPrograms(*a, *b);
  if (arguments.Has("--html")) {
    XLA_RETURN_IF_ERROR(WriteFile(arguments.Get("--html"),
                                  DiffToHtml(diff, DisplayName(first), DisplayName(second))));
  }
  if (arguments.Has("--json")) {
    const auto names = [](const std::vector<const HloInstruction*>& instructions) {
      std::vector<std::string> list;
      for (const HloInstruction* instruction : instructions) list.push_back(instruction->name());
      return list;
    };
    std::vector<JsonObject> changed;
    for (const ChangedInstruction& change : diff.changed) {
      changed.emplace_back()
          .String("first", change.first->name())
          .String("second", change.second->name())
          .Bool("shape", change.shape)
          .Bool("attributes", change.attributes)
          .Bool("called", change.called)
          .Integers("operands", change.operands);
    }
    JsonObject json;
    json.Bool("agree", diff.IsEmpty())
        .Integer("matched", diff.matched)
        .Objects("changed", changed)
        .Strings("removed", names(diff.removed))
        .Strings("added", names(diff.added));
    std::puts(json.ToString().c_str());
  } else {
    const std::string text = DiffToText(diff);
    XLA_RETURN_IF_ERROR(
        WriteFile("-", UsesColor(arguments, STDOUT_FILENO) ? ColoredDifference(text) : text));
  }
  return diff.IsEmpty() ? kExitOk : kExitFailed;
}

// One program, compiled and interpreted.
absl::StatusOr<int> DiffRuns(const std::string& path, const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const ProgramFile file, LoadProgram(path, arguments));
  const HloModule& module = *file.module;
  XLA_RETURN_IF_ERROR(LoadCompiler());
  XLA_ASSIGN_OR_RETURN(const DeviceGrid devices, ReadDeviceGrid(module, arguments));
  if (devices.count() != 1 && (devices.replicas != 1 || !IsSharded(module, devices.partitions))) {
    return absl::InvalidArgumentError(
        "programs of several devices are compared only if they have shardings");
  }
  XLA_RETURN_IF_ERROR(InlineAllCalls(file.module.get()).status());
  const DeviceGrid grid;
  XLA_ASSIGN_OR_RETURN(const std::vector<DeviceArguments> inputs,
                       ReadDeviceArguments(module, grid, arguments, file.arguments));
  std::vector<const Literal*> pointers;
  for (const auto& input : inputs[0]) pointers.push_back(input.get());
  InterpreterOptions options;
  options.num_threads = static_cast<int>(arguments.GetInt("--threads", 0));
  options.cancel = &Interrupted();
  options.custom_calls = CheckCustomCalls();
  XLA_ASSIGN_OR_RETURN(const CustomCallRegistry custom_calls, LoadCustomCalls(arguments));
  options.custom_call_registry = &custom_calls;
  XLA_ASSIGN_OR_RETURN(const std::string cache, CacheOf(arguments));
  const bool is_recorded = file.result.has_value() && !GivesArguments(arguments);
  Bisection bisection(module, pointers, std::move(options), cache, arguments.Has("--json"),
                      !arguments.Has("--results-only"), devices.partitions);
  return arguments.Has("--all") ? bisection.All()
                                : bisection.Run(is_recorded ? &*file.result : nullptr);
}

absl::StatusOr<int> Diff(const Arguments& arguments) {
  const size_t count = arguments.operands().size();
  if (count == 2 && !arguments.Has("--each")) return DiffStructure(arguments);
  if (arguments.Has("--html")) return absl::InvalidArgumentError("--html goes with two programs");
  return count == 1 ? DiffRuns(arguments.operands()[0], arguments)
                    : ForEachFile(arguments, [&](size_t i) {
                        return DiffRuns(arguments.operands()[i], arguments);
                      });
}

}  // namespace

Command DiffCommand() {
  return {
      "diff",
      "FILE...",
      "find the first instruction whose compiled value differs from the interpreter's, or compare "
      "two programs",
      "Two programs are compared by their structure: what is the same, has changed, is in one of\n"
      "them only, whatever instructions are called and in which order they stand.\n"
      "\n"
      "With one program, each of three or more, or each of two with --each: runs the program on "
      "the interpreter and compiled, with arguments from "
      "--input and\n"
      "--random as in `xylem run`, and searches by bisection for the first instruction of the\n"
      "entry computation whose values differ by more than rounding explains; two NaNs agree.\n"
      "A program with shardings is partitioned before it is compiled, and compared with what it\n"
      "computes undivided; --partitions and --mesh say on how many devices. A HloSnapshot brings\n"
      "its arguments, and its result is compared, too. The exit code is 0 if there is no\n"
      "difference.",
      {InputOption(),
       ParamOption(),
       RandomOption(),
       {"--threads",
        "N",
        "number of threads; the default, 0, means all",
        {},
        IntegerRange{0, 4096}},
       {"--partitions",
        "P",
        "number of partitions of a program with shardings; the default is what the module says",
        {},
        IntegerRange{1, kMaxDevices}},
       MeshOption(),
       FunctionOption(),
       CustomCallsOption(),
       CacheOption(),
       {"--all", "", "print the error of each instruction of the entry computation"},
       {"--each", "", "run each of two programs, too, rather than compare them"},
       {"--html", "FILE", "of two programs: write the differences as a page"},
       {"--results-only", "", "compare the results, without a search for what differs first"},
       {"--json", "", "print the outcome as JSON"}},
      1,
      INT64_MAX,
      Diff};
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// What each instruction of the programs of tests/variants computes, and how that changes with the
// instruction; compiled, it is the same.
#include "tests/variants/values.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/interp/bounded_run.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "tests/variants/text_variants.h"
#include "xla/cpu/program.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_comparison.h"
#include "xla/passes/dce.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

namespace xla::testing {
namespace {

struct Outcome {
  bool is_valid = false;
  std::string interpreted;
  std::string difference;  // what the compiled program gives, if it is something else
};

absl::StatusOr<Literal> RunCompiled(const HloModule& module,
                                    const std::vector<const Literal*>& arguments) {
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module));
  runtime::ThreadPool pool(1);
  runtime::ExecutionContext context;
  context.pool = &pool;
  context.wait_timeout = absl::Milliseconds(100);
  CpuRunOptions options;
  options.memory_limit_bytes = 64 << 20;
  return program->Run(arguments, context, nullptr, options);
}

Outcome OutcomeOf(const std::string& text, bool compiled) {
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok() || !VerifyModule(**module).ok() || !EliminateDeadCode(module->get()).ok())
    return {};
  Outcome outcome{true, "", ""};
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : (*module)->entry_computation()->parameter_instructions()) {
    if (ShapeUtil::ByteSizeOf(parameter->shape()) > 1 << 16) return {true, "large", ""};
    auto argument = NumberedArgument(parameter->shape(), parameter->parameter_number());
    if (!argument.ok()) return {true, "no argument", ""};
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  BoundedOptions bounded(/*most_reports=*/10);
  bounded.options.wait_timeout = absl::Milliseconds(100);
  const auto interpreted = Interpret(**module, pointers, bounded.options);
  outcome.interpreted = interpreted.ok()
                            ? RoundedValue(*interpreted)
                            : OneLine(RoundedNumbers(interpreted.status().message()), 160);
  if (!compiled || !interpreted.ok()) return outcome;
  const auto result = RunCompiled(**module, pointers);
  if (!result.ok()) {
    outcome.difference = OneLine(result.status().message(), 120);
  } else if (!literal_comparison::EqualDynamicShapesAndDimensions(*interpreted, *result).ok() ||
             !literal_comparison::Near(*interpreted, *result, ErrorSpec{1e-4, 1e-4}).ok()) {
    outcome.difference = OneLine(RoundedValue(*result), 120);
  }
  return outcome;
}

// Of each instruction its value; for each of its variants a fingerprint of the same. One of
// `compiled_one_of` programs is compiled as well.
void ExpectValues(const std::string& name, const std::string& text, size_t compiled_one_of,
                  std::vector<std::string>* lines) {
  const ProgramLines program(text);
  lines->push_back(absl::StrCat("== ", name));
  const auto add = [&](const std::string& title, const Outcome& outcome, bool whole) {
    if (!outcome.is_valid) return;
    lines->push_back(absl::StrCat(
        title, ": ", whole ? OneLine(outcome.interpreted, 240) : Fingerprint(outcome.interpreted),
        outcome.difference.empty() ? "" : " | compiled: ", outcome.difference));
  };
  for (size_t i = 0; i < program.size(); ++i) {
    if (program.IsInstruction(i))
      add(program.NameAt(i), OutcomeOf(program.UpTo(i), /*compiled=*/true), true);
  }
  for (const Variant& variant :
       TextVariants(text).Make([](absl::string_view line) { return !absl::StartsWith(line, "//"); },
                               /*characters=*/false)) {
    const ProgramLines changed(variant.text);
    if (!changed.IsInstruction(variant.line - 1)) continue;
    const size_t number = std::stoul(Fingerprint(variant.change), nullptr, 16);
    add(OneLine(variant.change),
        OutcomeOf(changed.UpTo(variant.line - 1), number % compiled_one_of == 0), false);
  }
}

TEST(Values, Programs) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  std::vector<std::string> lines;
  for (const std::string name : {"attributes", "dynamic", "equality", "syntax", "syntax_details"}) {
    ExpectValues(name, ReadWholeFile(VariantsPath(absl::StrCat("programs/", name, ".hlo"))), 4,
                 &lines);
  }
  ExpectLines("values", lines);
}

// What the examples of docs/operations.md compute on the way to their checks.
TEST(Values, Operations) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  std::vector<std::string> lines;
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo"))
    ExpectValues(path.stem().string(), ReadWholeFile(path.string()), 32, &lines);
  ExpectLines("values_of_operations", lines);
}

// An instruction alone, its operands parameters.
class Alone {
 public:
  // `line` is the instruction's in the text of the program.
  Alone(const std::string& text, const std::string& line, const HloInstruction& instruction)
      : before_(text.substr(0, text.find("\nENTRY"))), result_(instruction.shape().ToString()) {
    before_ = absl::StrCat("HloModule alone",
                           before_.substr(before_.find('\n', before_.find("HloModule"))));
    const std::string call =
        absl::StrCat(" ", std::string(HloOpcodeString(instruction.opcode())), "(");
    const size_t open = line.find(call, line.find(" = ") + 2);
    if (open == std::string::npos) return;
    size_t end = open + call.size();
    for (int depth = 1; end < line.size() && depth > 0; ++end)
      depth += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0;
    call_ = call;
    attributes_ = line.substr(end);
    for (const HloInstruction* operand : instruction.operands())
      operands_.push_back(operand->shape());
  }
  bool ok() const { return !call_.empty(); }
  const std::vector<Shape>& operands() const { return operands_; }

  // With operands of other shapes; the result is what is inferred from them.
  std::string With(const std::vector<Shape>& operands) const {
    std::string text = Program(operands, result_);
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (!module.ok()) return text;
    const HloInstruction& root = *(*module)->entry_computation()->root_instruction();
    const auto inferred = InferInstructionShape(root, root.shape());
    return inferred.ok() ? Program(operands, inferred->ToString()) : text;
  }

 private:
  std::string Program(const std::vector<Shape>& operands, const std::string& result) const {
    std::string text = absl::StrCat(before_, "\nENTRY alone {\n"), names;
    for (size_t i = 0; i < operands.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", operands[i].ToString(), " parameter(", i, ")\n");
      absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
    }
    return absl::StrCat(text, "  ROOT r = ", result, call_, names, ")", attributes_, "\n}\n");
  }

  std::string before_, call_, attributes_, result_;
  std::vector<Shape> operands_;
};

// Outcomes of an instruction with each dimension of each operand dynamic, and with all.
void AddDynamicSizes(const Alone& alone, size_t compiled_one_of, std::vector<std::string>* lines) {
  const auto add = [&](const std::string& change, const std::vector<Shape>& operands) {
    const std::string text = alone.With(operands);
    const auto module = ParseAndReturnUnverifiedModule(text);
    const absl::Status status = module.ok() ? VerifyModule(**module) : module.status();
    if (!status.ok()) {
      lines->push_back(absl::StrCat("  ", change, ": ", OneLine(status.message(), 100)));
      return;
    }
    const size_t number = std::stoul(Fingerprint(text), nullptr, 16);
    const Outcome outcome = OutcomeOf(text, number % compiled_one_of == 0);
    lines->push_back(
        absl::StrCat("  ", change, ": ", OneLine(outcome.interpreted, 100), " ",
                     Fingerprint(outcome.interpreted),
                     outcome.difference.empty() ? "" : " | compiled: ", outcome.difference));
  };
  std::vector<Shape> all = alone.operands();
  add("fixed", all);
  for (size_t k = 0; k < all.size(); ++k) {
    if (!all[k].IsArray()) continue;
    for (int d = 0; d < static_cast<int>(all[k].rank()); ++d) {
      std::vector<Shape> one = alone.operands();
      one[k].set_dynamic_dimension(d, true);
      all[k].set_dynamic_dimension(d, true);
      add(absl::StrCat(k, ".", d), one);
    }
  }
  add("all", all);
}

TEST(Values, DynamicSizes) {
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "without a compiler";
  std::vector<std::string> lines;
  const auto add_program = [&](const std::string& text, const std::string& only) {
    const auto module = ParseAndReturnUnverifiedModule(text);
    ASSERT_OK(module);
    const ProgramLines program(text);
    for (size_t i = 0; i < program.size(); ++i) {
      if (!program.IsInstruction(i)) continue;
      const HloInstruction* instruction =
          (*module)->entry_computation()->GetInstructionWithName(program.NameAt(i));
      if (instruction == nullptr || instruction->operand_count() == 0) continue;
      if (!only.empty() && HloOpcodeString(instruction->opcode()) != only) continue;
      const Alone alone(text, program.LineAt(i), *instruction);
      if (!alone.ok()) continue;
      lines.push_back(absl::StrCat(instruction->name()));
      AddDynamicSizes(alone, 4, &lines);
    }
  };
  add_program(ReadWholeFile(VariantsPath("programs/attributes.hlo")), "");
  for (const auto& path : FilesOf(absl::StrCat(XYLEM_SOURCE_DIR, "/tests/operations"), ".hlo")) {
    lines.push_back(absl::StrCat("== ", path.stem().string()));
    add_program(ReadWholeFile(path.string()), path.stem().string());
  }
  ExpectLines("values_of_dynamic_sizes", lines);
}

}  // namespace
}  // namespace xla::testing

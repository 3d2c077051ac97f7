// SPDX-License-Identifier: Apache-2.0
// What a program computes on numbered arguments, interpreted and compiled; programs of a single
// instruction.
#ifndef TESTS_VARIANTS_ALONE_H_
#define TESTS_VARIANTS_ALONE_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/interp/bounded_run.h"
#include "tests/variants/expected.h"
#include "tests/variants/values.h"
#include "xla/cpu/program.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_comparison.h"
#include "xla/passes/dce.h"
#include "xla/primitive_util.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/thread_pool.h"
#include "xla/shape_util.h"

namespace xla::testing {

struct Outcome {
  bool is_valid = false;
  std::string interpreted;
  std::string difference;  // what the compiled program gives, if it is something else
};

inline absl::StatusOr<Literal> CompileAndRun(const HloModule& module,
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

// How far compiled results may be from interpreted ones, which add in another order.
inline double ToleranceOf(const Shape& shape) {
  double tolerance = 1e-4;
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(shape)) {
    if (!primitive_util::IsFloatingPointType(leaf.shape.element_type())) continue;
    const int bits = primitive_util::BitWidth(leaf.shape.element_type());
    tolerance = std::max(tolerance, bits <= 8 ? 1.0 : bits <= 16 ? 0.05 : 1e-4);
  }
  return tolerance;
}

inline Outcome OutcomeOf(const std::string& text, bool compiled) {
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
  const auto result = CompileAndRun(**module, pointers);
  const double tolerance = ToleranceOf(interpreted->shape());
  if (!result.ok()) {
    outcome.difference = OneLine(result.status().message(), 120);
  } else if (!literal_comparison::EqualDynamicShapesAndDimensions(*interpreted, *result).ok() ||
             !literal_comparison::Near(*interpreted, *result, ErrorSpec{tolerance, tolerance})
                  .ok()) {
    outcome.difference = OneLine(RoundedValue(*result), 120);
  }
  return outcome;
}

// An instruction alone, its operands parameters.
class Alone {
 public:
  // `line` is the instruction's in the text of the program.
  Alone(const std::string& text, const std::string& line, const HloInstruction& instruction)
      : before_(text.substr(0, text.find("\nENTRY"))), result_(instruction.shape()) {
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
  const Shape& result() const { return result_; }

  // With operands of other shapes; the result is what is inferred from them.
  std::string With(const std::vector<Shape>& operands) const {
    std::string text = Program(operands, result_.ToString());
    const auto module = ParseAndReturnUnverifiedModule(text);
    if (!module.ok()) return text;
    const HloInstruction& root = *(*module)->entry_computation()->root_instruction();
    const auto inferred = InferInstructionShape(root, root.shape());
    return inferred.ok() ? Program(operands, inferred->ToString()) : text;
  }

  std::string Program(const std::vector<Shape>& operands, const std::string& result) const {
    std::string text = absl::StrCat(before_, "\nENTRY alone {\n"), names;
    for (size_t i = 0; i < operands.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", operands[i].ToString(/*print_layout=*/true),
                      " parameter(", i, ")\n");
      absl::StrAppend(&names, i == 0 ? "" : ", ", "p", i);
    }
    return absl::StrCat(text, "  ROOT r = ", result, call_, names, ")", attributes_, "\n}\n");
  }

 private:
  std::string before_, call_, attributes_;
  Shape result_;
  std::vector<Shape> operands_;
};

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_ALONE_H_

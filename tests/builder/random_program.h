// SPDX-License-Identifier: Apache-2.0
// What must hold of every program that random calls make. For fuzzers and tests.
#ifndef TESTS_BUILDER_RANDOM_PROGRAM_H_
#define TESTS_BUILDER_RANDOM_PROGRAM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/builder/random_calls.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/util.h"

namespace xla::testing {

// Small numbers 0, 1, 2, .. of the shape, zeros where sizes are dynamic.
inline absl::StatusOr<Literal> RandomProgramArgument(const Shape& shape) {
  if (!shape.IsArray() || !shape.is_static() || ShapeUtil::ElementsIn(shape) > 1000) {
    return Literal::CreateFromShape(shape);
  }
  std::vector<int32_t> numbers(static_cast<size_t>(ShapeUtil::ElementsIn(shape)));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i % 7);
  absl::StatusOr<Literal> converted =
      LiteralUtil::CreateR1<int32_t>(numbers).Convert(shape.element_type());
  if (!converted.ok()) return converted.status();
  return converted->Reshape(shape.dimensions());
}

// A run may fail, but not crash, and what it returns has the shape of the program's result.
inline absl::Status CheckRun(const HloModule& module) {
  const ProgramShape signature = module.entry_computation()->ComputeProgramShape();
  std::vector<Literal> arguments;
  for (const Shape& parameter : signature.parameters()) {
    bool runs = true;
    ShapeUtil::ForEachSubshape(parameter, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsArray() && part.is_unbounded_dynamic()) runs = false;
      if (part.IsArray() && ShapeUtil::ByteSizeOf(part) > 1 << 20) runs = false;
    });
    if (!runs) return absl::OkStatus();
    absl::StatusOr<Literal> argument = RandomProgramArgument(parameter);
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  // Loops need not end: stopped after a few tenths of a second.
  std::atomic<bool> cancel = false;
  int ticks = 0;
  InterpreterOptions options;
  options.num_threads = 1;
  options.memory_limit_bytes = 64 << 20;
  options.cancel = &cancel;
  options.wait_timeout = absl::Milliseconds(100);
  options.progress = [&](int64_t, const HloInstruction&) {
    if (++ticks > 2) cancel = true;
  };
  // Checks of programs that check themselves may fail; what comes after them runs too.
  for (const auto& [target, check] : CheckCustomCalls()) {
    options.custom_calls.emplace_back(
        target, [check = check](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                                Literal* result) {
          (void)check(call, operands, result);
          return absl::OkStatus();
        });
  }
  int64_t replicas = module.config().replica_count, partitions = module.config().num_partitions;
  if (replicas > 4 || partitions > 4) replicas = partitions = 1;
  const std::vector<std::vector<const Literal*>> inputs(static_cast<size_t>(replicas * partitions),
                                                        pointers);
  const auto results = InterpretReplicated(module, replicas, partitions, inputs, options);
  if (!results.ok()) return absl::OkStatus();
  for (const Literal& result : *results) {
    if (ShapeUtil::Compatible(result.shape(), signature.result())) continue;
    return InternalStrCat("The run gave ", ShapeUtil::HumanString(result.shape()), ", not ",
                          ShapeUtil::HumanString(signature.result()), ".");
  }
  return absl::OkStatus();
}

// OK if the bytes make no program. Else it verifies, is the same after the way through its proto
// and through its text, and runs.
inline absl::Status CheckRandomProgram(const uint8_t* data, size_t size, bool run) {
  const absl::StatusOr<XlaComputation> program = RandomCalls(data, size).MakeProgram();
  if (!program.ok()) {
    return program.status().message().empty() ? InternalStrCat("An error without words.")
                                              : absl::OkStatus();
  }
  const absl::StatusOr<std::shared_ptr<const HloModule>> module = program->module();
  if (!module.ok()) return module.status();
  HloPrintOptions options;
  options.syntax_sugar_async_ops = false;
  const std::string text = ModuleToString(**module, options);
  const auto check = [&](const char* what, const absl::Status& status) {
    return status.ok() ? status
                       : InternalStrCat(what, ": ", std::string(status.message()), "\n", text);
  };
  absl::Status status = check("verified", VerifyModule(**module));
  if (!status.ok()) return status;
  const auto read = CreateModuleFromProto(program->proto());
  status = check("read", read.status());
  if (status.ok()) status = check("equal", (*read)->CheckEqual(**module));
  if (!status.ok()) return status;
  // The padding of a scalar has no form that parses, here or in XLA; "-0" is read as an integer.
  for (const char* lost : {"padding=,", "padding=\n", "(-0)", "-0,", "-0}"})
    if (absl::StrContains(text, lost)) return status;
  // The parser gives an operation the frontend attributes of its async-start, as XLA's does.
  if (absl::StrContains(text, "async-start(") && absl::StrContains(text, "frontend_attributes"))
    return status;
  const auto parsed = ParseAndReturnUnverifiedModule(text);
  status = check("parsed", parsed.status());
  if (status.ok()) status = check("equal after parsing", (*parsed)->CheckEqual(**module));
  if (status.ok())
    status = check("short", ParseAndReturnUnverifiedModule(ModuleToString(**module)).status());
  if (!status.ok() || !run) return status;
  return check("run", CheckRun(**module));
}

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_PROGRAM_H_

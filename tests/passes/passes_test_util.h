// SPDX-License-Identifier: Apache-2.0
// What the tests of passes share: programs run on random inputs before and after.
#ifndef XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_
#define XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::testing {

// The instruction of that name; null if there is none.
inline HloInstruction* FindInstruction(const HloModule& module, const std::string& name) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction;
    }
  }
  return nullptr;
}

// Small numbers, halves among floating-point ones; zeros of both signs, infinities and NaN turn up.
inline Literal RandomLiteral(const Shape& shape, std::mt19937_64& random) {
  if (shape.IsTuple()) {
    std::vector<Literal> parts;
    for (const Shape& part : shape.tuple_shapes()) parts.push_back(RandomLiteral(part, random));
    return LiteralUtil::MakeTupleOwned(std::move(parts));
  }
  if (shape.IsToken()) return LiteralUtil::CreateToken();
  Literal wide(ShapeUtil::MakeShape(F64, shape.dimensions()));
  for (double& value : wide.data<double>()) {
    const uint64_t draw = random();
    switch (draw % 16) {
      case 0:
        value = -0.0;
        break;
      case 1:
        value = primitive_util::IsFloatingPointType(shape.element_type())
                    ? std::numeric_limits<double>::infinity()
                    : 1;
        break;
      case 2:
        value = primitive_util::IsFloatingPointType(shape.element_type())
                    ? std::numeric_limits<double>::quiet_NaN()
                    : 0;
        break;
      default:
        value = static_cast<double>(static_cast<int64_t>(draw >> 40) % 16 - 4) / 2;
    }
  }
  return wide.Convert(shape.element_type()).value();
}

// Both programs, run on the same random inputs three times, give the same bits (NaN equals NaN).
inline absl::Status ComputeTheSame(const HloModule& before, const HloModule& after) {
  InterpreterOptions options;
  options.custom_calls = CheckCustomCalls();
  std::mt19937_64 random(1);
  for (int round = 0; round < 3; ++round) {
    std::vector<Literal> arguments;
    for (const HloInstruction* parameter : before.entry_computation()->parameter_instructions()) {
      arguments.push_back(RandomLiteral(parameter->shape(), random));
    }
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    XLA_ASSIGN_OR_RETURN(const Literal expected, Interpret(before, pointers, options));
    XLA_ASSIGN_OR_RETURN(const Literal got, Interpret(after, pointers, options));
    if (expected.ToString() != got.ToString()) {
      return absl::InternalError(
          absl::StrCat("results differ: before ", expected.ToString(), ", after ", got.ToString()));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::testing

#endif  // XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_

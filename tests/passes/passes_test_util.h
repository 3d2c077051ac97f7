// SPDX-License-Identifier: Apache-2.0
// What the tests of passes share: programs run on random inputs before and after.
#ifndef XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_
#define XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
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
  Literal value = wide.Convert(shape.element_type()).value();
  if (!shape.is_dynamic()) return value;
  Literal sized(shape);
  std::memcpy(sized.untyped_data(), value.untyped_data(), static_cast<size_t>(value.size_bytes()));
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d))
      sized.SetDynamicSize(d, static_cast<int32_t>(random() % (shape.dimensions(d) + 1)));
  }
  return sized;
}

// The value in the static form of its shape (xla/passes/dynamic_shapes.h), and back.
inline Literal ToStaticForm(const Literal& value) {
  const Shape& shape = value.shape();
  std::vector<Literal> parts;
  if (shape.IsTuple()) {
    for (int i = 0; i < shape.tuple_shapes_size(); ++i)
      parts.push_back(ToStaticForm(LiteralSlice(value, {i}).Clone()));
    return LiteralUtil::MakeTupleOwned(std::move(parts));
  }
  if (!shape.is_dynamic()) return value.Clone();
  Literal array(Shape(shape.element_type(), shape.dimensions()));
  std::memcpy(array.untyped_data(), value.untyped_data(), static_cast<size_t>(array.size_bytes()));
  parts.push_back(std::move(array));
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d))
      parts.push_back(LiteralUtil::CreateR0<int32_t>(value.GetDynamicSize(d)));
  }
  return LiteralUtil::MakeTupleOwned(std::move(parts));
}

inline Literal FromStaticForm(const Literal& form, const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Literal> parts;
    for (int i = 0; i < shape.tuple_shapes_size(); ++i)
      parts.push_back(FromStaticForm(LiteralSlice(form, {i}).Clone(), shape.tuple_shapes(i)));
    return LiteralUtil::MakeTupleOwned(std::move(parts));
  }
  if (!shape.is_dynamic()) return form.Clone();
  Literal value(shape);
  std::memcpy(value.untyped_data(), form.untyped_data({0}),
              static_cast<size_t>(form.size_bytes({0})));
  int64_t part = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    value.SetDynamicSize(d, *static_cast<const int32_t*>(form.untyped_data({part++})));
  }
  return value;
}

// What the compiler's own custom calls do: those that the interpreter need not know.
inline std::vector<std::pair<std::string, CustomCallHandler>> CustomCallsOfPasses() {
  std::vector<std::pair<std::string, CustomCallHandler>> calls = CheckCustomCalls();
  calls.emplace_back(
      kCheckSizeTarget,
      [](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
         Literal* result) -> absl::Status {
        const auto size = operands[0].Get<int32_t>({});
        int64_t bound = -1;
        if (!absl::SimpleAtoi(call.extras().backend_config, &bound) || size < 0 || size > bound)
          return absl::InvalidArgumentError(absl::StrCat("size ", size, " beyond ", bound));
        result->Set<int32_t>({}, size);
        return absl::OkStatus();
      });
  // One sparse dimension, f32 values and s32 positions.
  calls.emplace_back(kWholeKernelTarget,
                     [](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                        Literal* result) -> absl::Status {
                       const std::vector<std::string> numbers =
                           absl::StrSplit(call.extras().backend_config, ',');
                       int64_t dimension = 0, block = 0;
                       if (!absl::SimpleAtoi(numbers.at(0), &dimension) ||
                           !absl::SimpleAtoi(numbers.at(1), &block))
                         return absl::InternalError("no sparse dimension");
                       *result = Literal::CreateFromShape(result->shape());
                       const Shape& shape = operands[0].shape();
                       ShapeUtil::ForEachIndex(shape, [&](absl::Span<const int64_t> index) {
                         std::vector<int64_t> to(index.begin(), index.end());
                         int64_t& at = to[static_cast<size_t>(dimension)];
                         at = at * block + operands[1].Get<int32_t>(index);
                         result->Set<float>(to, operands[0].Get<float>(index));
                         return true;
                       });
                       return absl::OkStatus();
                     });
  return calls;
}

// Both programs, run on the same random inputs, give the same bits (NaN equals NaN). `after` may
// have the static forms of the parameters and the result of `before`.
inline absl::Status ComputeTheSame(const HloModule& before, const HloModule& after,
                                   int rounds = 3) {
  InterpreterOptions options;
  options.custom_calls = CustomCallsOfPasses();
  std::mt19937_64 random(1);
  const Shape& result_shape = before.entry_computation()->root_instruction()->shape();
  for (int round = 0; round < rounds; ++round) {
    std::vector<Literal> arguments;
    for (const HloInstruction* parameter : before.entry_computation()->parameter_instructions()) {
      arguments.push_back(RandomLiteral(parameter->shape(), random));
    }
    std::vector<const Literal*> pointers;
    for (const Literal& argument : arguments) pointers.push_back(&argument);
    XLA_ASSIGN_OR_RETURN(const Literal expected, Interpret(before, pointers, options));
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Shape& taken =
          after.entry_computation()->parameter_instruction(static_cast<int64_t>(i))->shape();
      if (!ShapeUtil::Compatible(taken, arguments[i].shape()))
        arguments[i] = ToStaticForm(arguments[i]);
    }
    XLA_ASSIGN_OR_RETURN(Literal got, Interpret(after, pointers, options));
    if (!ShapeUtil::Compatible(got.shape(), expected.shape()))
      got = FromStaticForm(got, result_shape);
    if (expected.ToString() != got.ToString()) {
      return absl::InternalError(
          absl::StrCat("results differ: before ", expected.ToString(), ", after ", got.ToString()));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::testing

#endif  // XYLEM_TESTS_PASSES_PASSES_TEST_UTIL_H_

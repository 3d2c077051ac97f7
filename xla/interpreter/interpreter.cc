// SPDX-License-Identifier: Apache-2.0
// Entry point of the interpreter: arguments in, result out.
#include "xla/interpreter/interpreter.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/literal_io.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether a literal of shape `actual` can be the argument `expected`: the same arrays, where a
// dimension that is dynamic may be smaller than its bound. Layouts do not matter.
bool Accepts(const Shape& expected, const Shape& actual) {
  if (expected.IsTuple()) {
    if (!actual.IsTuple() || expected.tuple_shapes_size() != actual.tuple_shapes_size())
      return false;
    for (int i = 0; i < expected.tuple_shapes_size(); ++i) {
      if (!Accepts(expected.tuple_shapes(i), actual.tuple_shapes(i))) return false;
    }
    return true;
  }
  if (expected.element_type() != actual.element_type() || expected.rank() != actual.rank())
    return false;
  for (int i = 0; i < expected.rank(); ++i) {
    const bool fits = expected.is_dynamic_dimension(i)
                          ? actual.dimensions(i) <= expected.dimensions(i)
                          : actual.dimensions(i) == expected.dimensions(i);
    if (!fits) return false;
  }
  return true;
}

// Bytes of all arrays, at their bounds.
absl::StatusOr<int64_t> TotalBytes(const Shape& shape) {
  int64_t total = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(const int64_t bytes, TotalBytes(element));
      if (__builtin_add_overflow(total, bytes, &total)) {
        return absl::ResourceExhaustedError(
            absl::StrCat("the size of ", shape.ToString(), " overflows"));
      }
    }
    return total;
  }
  return shape.IsArray() ? CheckedByteSize(shape) : total;
}

// Bytes of arguments and results, which lie in literals, counted while it lives.
class CountedBytes {
 public:
  explicit CountedBytes(MemoryBudget& budget) : budget_(budget) {}
  ~CountedBytes() { budget_.Give(bytes_); }
  absl::Status Add(const Shape& shape) {
    XLA_ASSIGN_OR_RETURN(const int64_t bytes, TotalBytes(shape));
    if (!budget_.Take(bytes)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("arguments and results of ", bytes, " bytes, ", shape.ToString(),
                       ", would pass the memory limit of ", budget_.limit(), " bytes"));
    }
    bytes_ += bytes;
    return absl::OkStatus();
  }

 private:
  MemoryBudget& budget_;
  int64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<Literal> Interpret(const HloModule& module,
                                  absl::Span<const Literal* const> arguments,
                                  const InterpreterOptions& options, RunStatistics* statistics) {
  const HloComputation* entry = module.entry_computation();
  if (entry == nullptr || entry->root_instruction() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has no entry computation"));
  }
  if (static_cast<int64_t>(arguments.size()) != entry->num_parameters()) {
    return absl::InvalidArgumentError(absl::StrCat("module ", module.name(), " takes ",
                                                   entry->num_parameters(), " arguments; ",
                                                   arguments.size(), " were given"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const HloInstruction* parameter = entry->parameter_instruction(static_cast<int64_t>(i));
    if (parameter == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("the entry computation does not declare parameter ", i));
    }
    if (!Accepts(parameter->shape(), arguments[i]->shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "argument ", i, " has shape ", arguments[i]->shape().ToString(), ", but parameter ",
          parameter->name(), " has shape ", parameter->shape().ToString()));
    }
  }

  EvalState state(module, options);
  XLA_RETURN_IF_ERROR(state.Prepare());
  CountedBytes counted(state.budget());
  EvalContext ctx(&state);
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = entry->parameter_instruction(static_cast<int64_t>(i))->shape();
    XLA_RETURN_IF_ERROR(counted.Add(arguments[i]->shape()));
    XLA_ASSIGN_OR_RETURN(Value value, ValueFromLiteral(ctx, shape, *arguments[i]));
    values.push_back(std::move(value));
  }

  XLA_ASSIGN_OR_RETURN(const Value value, ctx.Call(*entry, absl::MakeSpan(values)));

  Shape result_shape = entry->root_instruction()->shape();
  if (module.config().entry_computation_layout.has_value() &&
      ShapeUtil::Compatible(module.entry_computation_layout().result(), result_shape)) {
    result_shape = module.entry_computation_layout().result();
  }
  XLA_RETURN_IF_ERROR(counted.Add(result_shape));
  XLA_ASSIGN_OR_RETURN(Literal result, LiteralFromValue(ctx, result_shape, value));
  if (statistics != nullptr) {
    statistics->peak_bytes = state.budget().peak_bytes();
    statistics->instructions = state.executed();
  }
  return result;
}

std::vector<HloOpcode> UnsupportedOpcodes(const HloModule& module) {
  absl::flat_hash_set<HloOpcode> seen;
  std::vector<HloOpcode> missing;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (GetEvalFunction(instruction->opcode()) == nullptr &&
          seen.insert(instruction->opcode()).second) {
        missing.push_back(instruction->opcode());
      }
    }
  }
  return missing;
}

}  // namespace xla

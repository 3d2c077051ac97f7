// SPDX-License-Identifier: Apache-2.0
// PatternMatchParseWhileLoop: a copy of the loop, with what is known of its initial state written
// as constants, is simplified until loop analysis recognizes it.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal_util.h"
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/calls.h"
#include "xla/passes/cse.h"
#include "xla/passes/dce.h"
#include "xla/passes/loop_analysis.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Loops that the bound of a loop may depend on, one after the other or one in the other.
constexpr int kMaxDepth = 8;

std::optional<ParsedWhileLoop> Parse(const HloInstruction& loop, int depth);

// The while whose body contains `instruction`, if it is the body's only caller.
const HloInstruction* EnclosingLoop(const HloInstruction& instruction) {
  const HloComputation* body = instruction.parent();
  if (body == nullptr || body->caller_count() != 1) return nullptr;
  const std::optional<HloInstruction*> loop = body->GetUniqueCaller(HloOpcode::kWhile);
  return loop.has_value() && (*loop)->while_body() == body ? *loop : nullptr;
}

// Whether the body passes the element on as it is.
bool IsInvariant(const HloInstruction& loop, int64_t element) {
  const HloInstruction* next = loop.while_body()->root_instruction();
  if (next->opcode() != HloOpcode::kTuple) return false;
  next = next->operand(element);
  return next->opcode() == HloOpcode::kGetTupleElement && next->tuple_index() == element &&
         next->operand(0)->opcode() == HloOpcode::kParameter;
}

// The value of a scalar: of constants, the counter that a loop before left behind, or what an
// enclosing loop started with and does not change.
std::optional<Literal> KnownScalar(const HloInstruction& scalar, int depth) {
  Literal value;
  HloEvaluator evaluator;
  if (evaluator.TryEvaluate(&scalar, &value, /*recursively_evaluate_nonconstant_operands=*/true)) {
    return value;
  }
  if (depth == 0 || scalar.opcode() != HloOpcode::kGetTupleElement) return std::nullopt;
  const HloInstruction& tuple = *scalar.operand(0);
  const int64_t element = scalar.tuple_index();
  if (tuple.opcode() == HloOpcode::kWhile) {
    const std::optional<ParsedWhileLoop> loop = Parse(tuple, depth - 1);
    if (!loop.has_value() || loop->is_dynamic()) return std::nullopt;
    const ParsedStaticWhileLoop& counted = *loop->static_while_loop;
    if (counted.induction_var_index != element) return std::nullopt;
    const int64_t last = counted.induction_var_init_value + counted.trip_count * counted.step_size;
    absl::StatusOr<Literal> converted =
        LiteralUtil::CreateR0<int64_t>(last).Convert(scalar.shape().element_type());
    return converted.ok() ? std::make_optional(*std::move(converted)) : std::nullopt;
  }
  if (tuple.opcode() != HloOpcode::kParameter) return std::nullopt;
  const HloInstruction* loop = EnclosingLoop(tuple);
  if (loop == nullptr || !IsInvariant(*loop, element) ||
      loop->operand(0)->opcode() != HloOpcode::kTuple) {
    return std::nullopt;
  }
  return KnownScalar(*loop->operand(0)->operand(element), depth - 1);
}

// A module with the loop alone; elements of its state that are not known are parameters.
std::unique_ptr<HloModule> IsolateLoop(const HloInstruction& loop, int depth) {
  auto module = std::make_unique<HloModule>("loop");
  CloneMap map;
  HloComputation* body = CloneComputation(*loop.while_body(), module.get(), &map);
  HloComputation* condition = CloneComputation(*loop.while_condition(), module.get(), &map);
  HloComputation* entry = module->AddComputation("entry");
  const HloInstruction& init = *loop.operand(0);
  std::vector<HloInstruction*> elements;
  int64_t parameters = 0;
  for (int i = 0; i < init.shape().tuple_shapes_size(); ++i) {
    const Shape& shape = init.shape().tuple_shapes(i);
    std::optional<Literal> known;
    if (init.opcode() == HloOpcode::kTuple && ShapeUtil::IsScalar(shape)) {
      known = KnownScalar(*init.operand(i), depth);
    }
    elements.push_back(entry->AddInstruction(
        known.has_value() ? HloInstruction::CreateConstant(*std::move(known))
                          : HloInstruction::CreateParameter(parameters++, shape, "state")));
  }
  HloInstruction* tuple = entry->AddInstruction(HloInstruction::CreateTuple(elements));
  entry->set_root_instruction(
      entry->AddInstruction(HloInstruction::CreateWhile(init.shape(), condition, body, tuple)));
  module->set_entry_computation(entry);
  module->SetDefaultEntryLayout();
  return module;
}

absl::Status RemoveCopies(HloModule* module) {
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kCopy) continue;
      XLA_RETURN_IF_ERROR(instruction->ReplaceAllUsesWith(instruction->operand(0)));
    }
  }
  return absl::OkStatus();
}

absl::Status Simplify(HloModule* module) {
  XLA_RETURN_IF_ERROR(RemoveCopies(module));
  XLA_RETURN_IF_ERROR(RunInlineCalls(module).status());
  XLA_RETURN_IF_ERROR(SimplifyAlgebra(module).status());
  XLA_RETURN_IF_ERROR(EliminateCommonSubexpressions(module).status());
  return EliminateDeadCode(module).status();
}

// The element of the parameter that an instruction is, through copies.
std::optional<int64_t> ElementOf(const HloInstruction* instruction) {
  while (instruction->opcode() == HloOpcode::kCopy) instruction = instruction->operand(0);
  if (instruction->opcode() != HloOpcode::kGetTupleElement) return std::nullopt;
  if (instruction->operand(0)->opcode() != HloOpcode::kParameter) return std::nullopt;
  return instruction->tuple_index();
}

// A loop that runs while a pred of its state is true, which its body sets to false.
std::optional<ParsedWhileLoop> ParseSingleTrip(const HloInstruction& loop) {
  const std::optional<int64_t> element = ElementOf(loop.while_condition()->root_instruction());
  const HloInstruction* next = loop.while_body()->root_instruction();
  if (!element.has_value() || next->opcode() != HloOpcode::kTuple) return std::nullopt;
  const HloInstruction* start = InitialElement(loop, *element);
  next = next->operand(*element);
  if (start == nullptr || !start->IsConstant() || !next->IsConstant() ||
      next->literal().Get<bool>({})) {
    return std::nullopt;
  }
  const int64_t trips = start->literal().Get<bool>({}) ? 1 : 0;
  return ParsedWhileLoop{ParsedStaticWhileLoop{.trip_count = trips,
                                               .induction_var_index = *element,
                                               .induction_var_init_value = 0,
                                               .step_size = 1,
                                               .loop_bound = 1}};
}

// Whether the condition compares an element of the state to which the body adds a constant.
bool Counts(const HloInstruction& loop) {
  const HloInstruction* condition = loop.while_condition()->root_instruction();
  const HloInstruction* next = loop.while_body()->root_instruction();
  if (condition->opcode() != HloOpcode::kCompare || next->opcode() != HloOpcode::kTuple) {
    return false;
  }
  for (const HloInstruction* operand : condition->operands()) {
    const std::optional<int64_t> element = ElementOf(operand);
    if (!element.has_value()) continue;
    const HloInstruction* step = next->operand(*element);
    if (step->opcode() != HloOpcode::kAdd) continue;
    for (int i = 0; i < 2; ++i) {
      if (ElementOf(step->operand(i)) == element && step->operand(1 - i)->IsConstant()) return true;
    }
  }
  return false;
}

std::optional<ParsedWhileLoop> Parse(const HloInstruction& while_op, int depth) {
  if (!while_op.shape().IsTuple()) return std::nullopt;
  const std::unique_ptr<HloModule> module = IsolateLoop(while_op, depth);
  if (!Simplify(module.get()).ok()) return std::nullopt;
  const HloInstruction* loop = module->entry_computation()->root_instruction();
  if (loop->opcode() != HloOpcode::kWhile) return std::nullopt;
  if (const std::optional<CountedLoop> counted = AnalyzeCountedLoop(*loop)) {
    return ParsedWhileLoop{ParsedStaticWhileLoop{.trip_count = counted->trips,
                                                 .induction_var_index = counted->counter,
                                                 .induction_var_init_value = counted->start,
                                                 .step_size = counted->step,
                                                 .loop_bound = counted->bound}};
  }
  if (auto single = ParseSingleTrip(*loop)) return single;
  return Counts(*loop) ? std::make_optional(kParsedDynamicWhileLoop) : std::nullopt;
}

}  // namespace

std::optional<ParsedWhileLoop> PatternMatchParseWhileLoop(const HloInstruction* while_op,
                                                          HloEvaluator::PrecomputedAnalyses) {
  return Parse(*while_op, kMaxDepth);
}

}  // namespace xla

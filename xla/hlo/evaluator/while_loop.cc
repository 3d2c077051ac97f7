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
#include "xla/passes/algebraic_simplifier.h"
#include "xla/passes/calls.h"
#include "xla/passes/cse.h"
#include "xla/passes/dce.h"
#include "xla/passes/loop_analysis.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// A module with the loop alone; elements of its state that are not known are parameters.
std::unique_ptr<HloModule> IsolateLoop(const HloInstruction& loop) {
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
    Literal value;
    HloEvaluator evaluator;
    const bool is_known = init.opcode() == HloOpcode::kTuple && ShapeUtil::IsScalar(shape) &&
                          evaluator.TryEvaluate(init.operand(i), &value,
                                                /*recursively_evaluate_nonconstant_operands=*/true);
    elements.push_back(entry->AddInstruction(
        is_known ? HloInstruction::CreateConstant(std::move(value))
                 : HloInstruction::CreateParameter(parameters++, shape, "state")));
  }
  HloInstruction* tuple = entry->AddInstruction(HloInstruction::CreateTuple(elements));
  entry->set_root_instruction(
      entry->AddInstruction(HloInstruction::CreateWhile(init.shape(), condition, body, tuple)));
  module->set_entry_computation(entry);
  module->SetDefaultEntryLayout();
  return module;
}

absl::Status Simplify(HloModule* module) {
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

}  // namespace

std::optional<ParsedWhileLoop> PatternMatchParseWhileLoop(const HloInstruction* while_op,
                                                          HloEvaluator::PrecomputedAnalyses) {
  if (!while_op->shape().IsTuple()) return std::nullopt;
  const std::unique_ptr<HloModule> module = IsolateLoop(*while_op);
  if (!Simplify(module.get()).ok()) return std::nullopt;
  const HloInstruction* loop = module->entry_computation()->root_instruction();
  if (loop->opcode() != HloOpcode::kWhile) return std::nullopt;
  if (const std::optional<CountedLoop> counted = AnalyzeCountedLoop(*loop)) {
    return ParsedWhileLoop{
        ParsedStaticWhileLoop{.trip_count = counted->trips,
                              .induction_var_index = counted->counter,
                              .induction_var_init_value = counted->start,
                              .step_size = counted->step,
                              .loop_bound = counted->start + counted->trips * counted->step}};
  }
  if (auto single = ParseSingleTrip(*loop)) return single;
  return Counts(*loop) ? std::make_optional(kParsedDynamicWhileLoop) : std::nullopt;
}

}  // namespace xla

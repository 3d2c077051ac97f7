// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/loop_analysis.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

std::optional<int64_t> ConstantInteger(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant || !instruction.shape().IsArray() ||
      instruction.shape().rank() != 0 ||
      !primitive_util::IsIntegralType(instruction.shape().element_type())) {
    return std::nullopt;
  }
  return instruction.literal().GetIntegralAsS64({});
}

// Returns the element of parameter 0 that the instruction reads; nullopt if it is something else.
std::optional<int64_t> StateElement(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kGetTupleElement ||
      instruction.operand(0)->opcode() != HloOpcode::kParameter) {
    return std::nullopt;
  }
  return instruction.tuple_index();
}

// Returns the value of an instruction in the condition or body that is the same in each iteration.
std::optional<int64_t> FixedInteger(const HloInstruction& loop, const std::vector<bool>& invariant,
                                    const HloInstruction& value) {
  if (const std::optional<int64_t> constant = ConstantInteger(value); constant.has_value()) {
    return constant;
  }
  const std::optional<int64_t> element = StateElement(value);
  if (!element.has_value() || !invariant[*element]) return std::nullopt;
  const HloInstruction* initial = InitialElement(loop, *element);
  return initial == nullptr ? std::nullopt : ConstantInteger(*initial);
}

ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    default:
      return direction;
  }
}

// Counts the iterations while `start + trip * step` compares with `limit` as the direction says;
// nullopt if the counter would leave its type before.
std::optional<int64_t> CountTrips(PrimitiveType type, int64_t start, int64_t step, int64_t limit,
                                  ComparisonDirection direction) {
  const __int128 distance = static_cast<__int128>(limit) - start;
  __int128 trips;
  switch (direction) {
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe: {
      const __int128 reach = distance + (direction == ComparisonDirection::kLe ? 1 : 0);
      if (reach <= 0) return 0;
      if (step <= 0) return std::nullopt;
      trips = (reach + step - 1) / step;
      break;
    }
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe: {
      const __int128 reach = -distance + (direction == ComparisonDirection::kGe ? 1 : 0);
      if (reach <= 0) return 0;
      if (step >= 0) return std::nullopt;
      trips = (reach - step - 1) / -static_cast<__int128>(step);
      break;
    }
    case ComparisonDirection::kNe:
      if (distance == 0) return 0;
      if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
      trips = distance / step;
      break;
    default:
      return std::nullopt;
  }
  const __int128 last = start + trips * step;
  const int bits = primitive_util::BitWidth(type);
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  const __int128 one = 1;
  const __int128 greatest = is_signed ? (one << (bits - 1)) - 1 : (one << bits) - 1;
  const __int128 least = is_signed ? -(one << (bits - 1)) : 0;
  if (last > greatest || last < least || trips > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(trips);
}

// Returns what the body adds to the element in each iteration.
std::optional<int64_t> StepOf(const HloInstruction& loop, const std::vector<bool>& invariant,
                              int64_t element) {
  const HloInstruction& next = *loop.while_body()->root_instruction()->operand(element);
  if (next.opcode() != HloOpcode::kAdd && next.opcode() != HloOpcode::kSubtract) {
    return std::nullopt;
  }
  if (StateElement(*next.operand(0)) == element) {
    const std::optional<int64_t> step = FixedInteger(loop, invariant, *next.operand(1));
    if (!step.has_value() || next.opcode() == HloOpcode::kAdd) return step;
    if (*step == std::numeric_limits<int64_t>::min()) return std::nullopt;
    return -*step;
  }
  if (next.opcode() == HloOpcode::kAdd && StateElement(*next.operand(1)) == element) {
    return FixedInteger(loop, invariant, *next.operand(0));
  }
  return std::nullopt;
}

}  // namespace

HloInstruction* InitialElement(const HloInstruction& loop, int64_t element) {
  HloInstruction* initial = loop.operand(0);
  return initial->opcode() == HloOpcode::kTuple ? initial->operand(element) : nullptr;
}

std::vector<bool> InvariantElements(const HloInstruction& loop) {
  std::vector<bool> invariant;
  if (!loop.shape().IsTuple()) return invariant;
  invariant.resize(static_cast<size_t>(loop.shape().tuple_shapes_size()));
  const HloInstruction* root = loop.while_body()->root_instruction();
  if (root->opcode() != HloOpcode::kTuple) return invariant;
  for (size_t i = 0; i < invariant.size(); ++i)
    invariant[i] = StateElement(*root->operand(static_cast<int64_t>(i))) == static_cast<int64_t>(i);
  return invariant;
}

std::optional<CountedLoop> AnalyzeCountedLoop(const HloInstruction& loop) {
  if (!loop.shape().IsTuple() ||
      loop.while_body()->root_instruction()->opcode() != HloOpcode::kTuple) {
    return std::nullopt;
  }
  const std::vector<bool> invariant = InvariantElements(loop);
  const HloInstruction& condition = *loop.while_condition()->root_instruction();
  if (condition.opcode() != HloOpcode::kCompare) return std::nullopt;
  ComparisonDirection direction = condition.attributes<CompareAttributes>().direction;
  const HloInstruction *counter = condition.operand(0), *limit = condition.operand(1);
  const auto varies = [&](const HloInstruction& value) {
    const std::optional<int64_t> element = StateElement(value);
    return element.has_value() && !invariant[*element];
  };
  if (!varies(*counter)) {
    std::swap(counter, limit);
    direction = Mirrored(direction);
  }
  const PrimitiveType type = counter->shape().IsArray() ? counter->shape().element_type() : TUPLE;
  if (!varies(*counter) || counter->shape().rank() != 0 || !primitive_util::IsIntegralType(type) ||
      type == U64) {
    return std::nullopt;
  }
  const int64_t element = counter->tuple_index();
  const HloInstruction* initial = InitialElement(loop, element);
  if (initial == nullptr) return std::nullopt;
  const std::optional<int64_t> start = ConstantInteger(*initial),
                               step = StepOf(loop, invariant, element),
                               end = FixedInteger(loop, invariant, *limit);
  if (!start.has_value() || !step.has_value() || !end.has_value()) return std::nullopt;
  const std::optional<int64_t> trips = CountTrips(type, *start, *step, *end, direction);
  if (!trips.has_value()) return std::nullopt;
  return CountedLoop{element, *start, *step, *trips, *end};
}

}  // namespace xla

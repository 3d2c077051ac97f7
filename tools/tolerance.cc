// SPDX-License-Identifier: Apache-2.0
#include "tools/tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// What is known of an array.
struct State {
  ExpectedError error;
  std::optional<double> value;  // of all elements: scales of 1 or 2^k, as in random numbers
  bool is_product = false;      // a compiler may add it without rounding it first
};

// One state per leaf of a shape, in the order of GetLeafShapes.
using States = std::vector<State>;

ExpectedError Sum(const ExpectedError& a, const ExpectedError& b) {
  return {a.wide + b.wide, a.narrow + b.narrow};
}
ExpectedError Max(const ExpectedError& a, const ExpectedError& b) {
  return {std::max(a.wide, b.wide), std::max(a.narrow, b.narrow)};
}
ExpectedError Times(const ExpectedError& a, double factor) {
  return {a.wide * factor, a.narrow * factor};
}

PrimitiveType RealType(PrimitiveType type) {
  return primitive_util::IsComplexType(type) ? primitive_util::ComplexComponentType(type) : type;
}

// Narrower types compute in f32 and round the result.
bool IsNarrow(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32;
}
bool IsFloating(PrimitiveType type) { return UnitRoundoff(type) > 0; }

// `times` roundings of the type in which results of `type` are computed, and one to `type`.
ExpectedError Rounding(PrimitiveType type, double times) {
  if (!IsFloating(type)) return {};
  const double u = UnitRoundoff(type);
  if (!IsNarrow(RealType(type))) return {u * u * times * times, 0};
  const double wide = UnitRoundoff(F32);
  return {wide * wide * times * times, u * u};
}

size_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  size_t count = 0;
  for (const Shape& part : shape.tuple_shapes()) count += LeafCount(part);
  return count;
}

PrimitiveType FirstType(const Shape& shape) {
  if (!shape.IsTuple()) return shape.element_type();
  return shape.tuple_shapes().empty() ? TUPLE : FirstType(shape.tuple_shapes(0));
}

// What a reduction does with its elements.
bool Accumulates(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    const HloOpcode opcode = instruction->opcode();
    if ((opcode == HloOpcode::kAdd || opcode == HloOpcode::kMultiply) &&
        IsFloating(instruction->shape().element_type()))
      return true;
  }
  return false;
}

// Relative errors of a product's factors add up; those of a sum's terms shrink with their share.
bool Multiplies(const HloInstruction& instruction) {
  if (instruction.called_computations().empty()) return false;
  for (const HloInstruction* step : instruction.called_computations().back()->instructions()) {
    if (step->opcode() == HloOpcode::kMultiply && IsFloating(step->shape().element_type()))
      return true;
  }
  return false;
}

double Elements(const Shape& shape) {
  return static_cast<double>(std::max<int64_t>(1, ShapeUtil::ElementsIn(shape)));
}

// The terms of each sum that the instruction computes; 0 if it computes none.
double SumTerms(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  const Shape& out =
      shape.IsTuple() && !shape.tuple_shapes().empty() ? shape.tuple_shapes(0) : shape;
  const auto accumulates = [&] { return Accumulates(*instruction.called_computations().back()); };
  switch (instruction.opcode()) {
    case HloOpcode::kDot: {
      double terms = 1;
      const Shape& lhs = instruction.operand(0)->shape();
      for (const int64_t d : instruction.attributes<DotAttributes>().lhs_contracting_dims)
        terms *= static_cast<double>(lhs.dimensions(d));
      return terms;
    }
    case HloOpcode::kConvolution: {
      const Shape& kernel = instruction.operand(1)->shape();
      const int64_t features =
          instruction.attributes<ConvolutionAttributes>().dim_labels.kernel_output_feature;
      return Elements(kernel) /
             static_cast<double>(std::max<int64_t>(1, kernel.dimensions(features)));
    }
    case HloOpcode::kReduce:
      return accumulates() ? Elements(instruction.operand(0)->shape()) / Elements(out) : 0;
    case HloOpcode::kReduceWindow: {
      if (!accumulates()) return 0;
      double terms = 1;
      for (const auto& dim : instruction.attributes<WindowAttributes>().window.dims)
        terms *= static_cast<double>(std::max<int64_t>(1, dim.size));
      return terms;
    }
    case HloOpcode::kScatter:
      return accumulates() ? 1 + Elements(instruction.operands().back()->shape()) / Elements(out)
                           : 0;
    case HloOpcode::kSelectAndScatter:
      return accumulates() ? 4 : 0;
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kBatchNormGrad: {
      const Shape& lhs = instruction.operand(0)->shape();
      return Elements(lhs) /
             static_cast<double>(lhs.rank() == 0 ? 1
                                                 : std::max<int64_t>(1, lhs.dimensions().back()));
    }
    default:
      return 0;
  }
}

bool IsExact(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kAddDependency:
    case HloOpcode::kAfterAll:
    case HloOpcode::kAllGather:
    case HloOpcode::kAllToAll:
    case HloOpcode::kBitcast:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBroadcast:
    case HloOpcode::kCeil:
    case HloOpcode::kClamp:
    case HloOpcode::kCollectiveBroadcast:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCompare:
    case HloOpcode::kComplex:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConstant:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicReshape:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFloor:
    case HloOpcode::kGather:
    case HloOpcode::kImag:
    case HloOpcode::kIota:
    case HloOpcode::kIsFinite:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kNegate:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kPad:
    case HloOpcode::kReal:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kRngBitGenerator:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSelect:
    case HloOpcode::kSign:
    case HloOpcode::kSlice:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kTranspose:
    case HloOpcode::kReduce:  // without sums
    case HloOpcode::kReduceWindow:
    case HloOpcode::kScatter:
    case HloOpcode::kSelectAndScatter:
      return true;
    default:
      return false;
  }
}

bool RoundsOnce(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide:
    case HloOpcode::kSqrt:
    case HloOpcode::kConvert:
    case HloOpcode::kReducePrecision:
      return true;
    default:
      return false;
  }
}

// Follows errors through the computations of a module.
class ErrorFlow {
 public:
  absl::StatusOr<States> Run(const HloComputation& computation, absl::Span<const States> arguments);

 private:
  absl::StatusOr<States> Visit(const HloInstruction& instruction,
                               absl::Span<const States* const> operands);
  absl::StatusOr<States> VisitLoop(const HloInstruction& loop, States initial);
};

// Whether a computation, or one that it calls, sums.
bool ContainsSums(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (IsFloating(FirstType(instruction->shape())) && SumTerms(*instruction) > 1) return true;
    for (const HloComputation* callee : instruction->called_computations()) {
      if (ContainsSums(*callee)) return true;
    }
  }
  return false;
}

// The largest integer constant that a condition compares with; 1 if it has none.
double Trips(const HloComputation& condition) {
  int64_t trips = 1;
  for (const HloInstruction* instruction : condition.instructions()) {
    if (instruction->opcode() != HloOpcode::kConstant || !instruction->shape().IsArray() ||
        ShapeUtil::ElementsIn(instruction->shape()) != 1)
      continue;
    const std::optional<int64_t> value = instruction->literal().GetFirstInteger();
    if (value.has_value()) trips = std::max(trips, *value);
  }
  return static_cast<double>(trips);
}

absl::StatusOr<States> ErrorFlow::VisitLoop(const HloInstruction& loop, States initial) {
  const HloComputation& body = *loop.while_body();
  // Values change from trip to trip.
  for (State& state : initial) state.value.reset();
  XLA_ASSIGN_OR_RETURN(States once, Run(body, {initial}));
  for (State& state : once) state.value.reset();
  XLA_ASSIGN_OR_RETURN(const States twice, Run(body, {once}));
  const double trips = Trips(*loop.while_condition());
  constexpr double kRemembered = 16;  // trips whose errors a loop without sums keeps
  const double growth =
      ContainsSums(body) ? std::pow(trips * trips / 2, 2) : std::min(trips, kRemembered);
  for (size_t i = 0; i < once.size(); ++i) {
    const ExpectedError first = once[i].error, second = twice[i].error;
    const bool feeds_back = second.wide > first.wide || second.narrow > first.narrow;
    once[i].error = Max(initial[i].error, feeds_back ? Times(first, growth) : first);
  }
  return once;
}

// The value of all elements of a result, where that is known from those of the operands.
std::optional<double> KnownValue(const HloInstruction& instruction,
                                 absl::Span<const States* const> operands) {
  if (instruction.opcode() == HloOpcode::kConstant) {
    const Literal& literal = instruction.literal();
    if (!IsFloating(FirstType(instruction.shape())) || !instruction.shape().IsArray() ||
        primitive_util::IsComplexType(instruction.shape().element_type()) ||
        ShapeUtil::ElementsIn(instruction.shape()) != 1)
      return std::nullopt;
    return literal.GetAsDouble(
        std::vector<int64_t>(static_cast<size_t>(literal.shape().rank()), 0));
  }
  if (operands.empty() || operands[0]->size() != 1 || !operands[0]->front().value.has_value())
    return std::nullopt;
  const double lhs = *operands[0]->front().value;
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kCopy:
    case HloOpcode::kReshape:
      return lhs;
    case HloOpcode::kSubtract:
      if (!operands[1]->front().value.has_value()) return std::nullopt;
      return lhs - *operands[1]->front().value;
    default:
      return std::nullopt;
  }
}

bool IsPowerOfTwo(const std::optional<double>& value) {
  int exponent;
  return value.has_value() && std::fabs(std::frexp(*value, &exponent)) == 0.5;
}

// Constant divisors may be inverted beforehand: products with what is rounded then differ from the
// quotients.
bool DividesByConstant(const HloInstruction& instruction,
                       absl::Span<const States* const> operands) {
  if (instruction.opcode() != HloOpcode::kDivide) return false;
  const HloInstruction* divisor = instruction.operand(1);
  while (divisor->opcode() == HloOpcode::kBroadcast || divisor->opcode() == HloOpcode::kReshape)
    divisor = divisor->operand(0);
  const bool is_constant =
      divisor->opcode() == HloOpcode::kConstant || operands[1]->front().value.has_value();
  return is_constant && !IsPowerOfTwo(operands[1]->front().value);
}

// The error that an instruction adds to that of its operands.
ExpectedError OwnError(const HloInstruction& instruction, absl::Span<const States* const> operands,
                       bool inherited_exact) {
  const HloOpcode opcode = instruction.opcode();
  const PrimitiveType type = FirstType(instruction.shape());
  const double terms = SumTerms(instruction);
  if (terms > 0) return Rounding(type, std::sqrt(terms) / (Multiplies(instruction) ? 1 : 4));
  if (opcode == HloOpcode::kFft) {
    const double points = Elements(instruction.operand(0)->shape());
    return Rounding(type, std::sqrt(std::max(1.0, std::log2(points))));
  }
  if (IsExact(opcode)) return {};
  if (!RoundsOnce(opcode)) return Rounding(type, 4);
  // One rounding of equal numbers gives equal numbers.
  bool contracts = false;
  if (opcode == HloOpcode::kAdd || opcode == HloOpcode::kSubtract) {
    for (const States* operand : operands) contracts = contracts || operand->front().is_product;
  }
  if (inherited_exact && !contracts && !DividesByConstant(instruction, operands) &&
      !primitive_util::IsComplexType(type)) {
    return {};
  }
  const PrimitiveType from = FirstType(instruction.operand(0)->shape());
  const bool widens =
      opcode == HloOpcode::kConvert && IsFloating(from) && UnitRoundoff(type) <= UnitRoundoff(from);
  return widens ? ExpectedError() : Rounding(type, 1);
}

absl::StatusOr<States> ErrorFlow::Visit(const HloInstruction& instruction,
                                        absl::Span<const States* const> operands) {
  const Shape& shape = instruction.shape();
  switch (instruction.opcode()) {
    case HloOpcode::kTuple: {
      States all;
      for (const States* operand : operands)
        all.insert(all.end(), operand->begin(), operand->end());
      return all;
    }
    case HloOpcode::kGetTupleElement: {
      const Shape& whole = instruction.operand(0)->shape();
      size_t begin = 0;
      for (int64_t i = 0; i < instruction.tuple_index(); ++i)
        begin += LeafCount(whole.tuple_shapes(i));
      const auto first = operands[0]->begin() + static_cast<std::ptrdiff_t>(begin);
      return States(first, first + static_cast<std::ptrdiff_t>(LeafCount(shape)));
    }
    case HloOpcode::kWhile:
      return VisitLoop(instruction, *operands[0]);
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kMap: {
      std::vector<States> arguments;
      for (const States* operand : operands) arguments.push_back(*operand);
      return Run(*instruction.called_computations()[0], arguments);
    }
    case HloOpcode::kConditional: {
      States worst(LeafCount(shape));
      for (size_t b = 0; b < instruction.called_computations().size(); ++b) {
        XLA_ASSIGN_OR_RETURN(const States branch,
                             Run(*instruction.called_computations()[b], {*operands[b + 1]}));
        for (size_t i = 0; i < worst.size(); ++i) {
          worst[i].error = Max(worst[i].error, branch[i].error);
          worst[i].is_product = worst[i].is_product || branch[i].is_product;
        }
      }
      return worst;
    }
    case HloOpcode::kOptimizationBarrier:
      return *operands[0];
    default:
      break;
  }

  // Errors of operands often have the same origin, so they do not add up: the worst counts. Indices
  // and predicates of floating-point results count as exact: another index is not a rounding.
  const PrimitiveType type = FirstType(shape);
  State state;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& operand = instruction.operand(static_cast<int64_t>(i))->shape();
    if (IsFloating(type) && !IsFloating(FirstType(operand))) continue;
    for (const State& leaf : *operands[i]) state.error = Max(state.error, leaf.error);
  }
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kSqrt || opcode == HloOpcode::kRsqrt) {
    state.error = Times(state.error, 0.25);  // half the relative error
  } else if ((opcode == HloOpcode::kAdd || opcode == HloOpcode::kSubtract) && IsFloating(type)) {
    // Terms of like size and independent errors, as of a residual connection.
    const ExpectedError &lhs = operands[0]->front().error, &rhs = operands[1]->front().error;
    if (!lhs.exact() && !rhs.exact()) state.error = Times(Sum(lhs, rhs), 0.5);
  }
  state.error = Sum(state.error, OwnError(instruction, operands, state.error.exact()));
  state.value = KnownValue(instruction, operands);
  if (opcode == HloOpcode::kMultiply && IsFloating(type)) {
    state.is_product =
        !IsPowerOfTwo(operands[0]->front().value) && !IsPowerOfTwo(operands[1]->front().value);
  } else if (IsExact(opcode) && !operands.empty()) {
    state.is_product = operands[0]->front().is_product;  // moved or negated
  }
  return States(LeafCount(shape), state);
}

absl::StatusOr<States> ErrorFlow::Run(const HloComputation& computation,
                                      absl::Span<const States> arguments) {
  XLA_ASSIGN_OR_RETURN(const auto order, computation.PostOrder());
  absl::flat_hash_map<const HloInstruction*, States> states;
  for (const HloInstruction* instruction : order) {
    if (instruction->opcode() == HloOpcode::kParameter) {
      const auto number = static_cast<size_t>(instruction->parameter_number());
      states[instruction] =
          number < arguments.size() ? arguments[number] : States(LeafCount(instruction->shape()));
      continue;
    }
    std::vector<const States*> operands;
    for (const HloInstruction* operand : instruction->operands())
      operands.push_back(&states.at(operand));
    XLA_ASSIGN_OR_RETURN(States result, Visit(*instruction, operands));
    states[instruction] = std::move(result);
  }
  return std::move(states.at(computation.root_instruction()));
}

}  // namespace

double UnitRoundoff(PrimitiveType type) {
  switch (RealType(type)) {
    case F64:
      return 0x1p-53;
    case F32:
      return 0x1p-24;
    case F16:
      return 0x1p-11;
    case BF16:
      return 0x1p-8;
    default:
      // 8 bits and fewer: three bits of mantissa or fewer.
      return primitive_util::IsFloatingPointType(type) ? 0x1p-3 : 0;
  }
}

double ExpectedError::OfElements(PrimitiveType type) const {
  if (exact()) return 0;
  return std::max(2 * UnitRoundoff(type), std::sqrt(2 * (wide + narrow)));
}

double ExpectedError::OfSum(int64_t count) const {
  constexpr double kDeviations = 4;
  return std::sqrt(wide) +
         kDeviations * std::sqrt(narrow / static_cast<double>(std::max<int64_t>(1, count)));
}

absl::StatusOr<std::vector<ExpectedError>> ExpectedErrors(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const States states, ErrorFlow().Run(*module.entry_computation(), {}));
  std::vector<ExpectedError> errors;
  for (const State& state : states) errors.push_back(state.error);
  return errors;
}

}  // namespace xla

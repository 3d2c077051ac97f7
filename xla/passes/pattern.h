// SPDX-License-Identifier: Apache-2.0
// Patterns of instructions, written as the expression they match:
//
//   HloInstruction *x, *y;
//   // (x * y) / y, the product used only here
//   if (Match(inst, m::Divide(m::Multiply(m::Any(&x), m::Any(&y)).WithOneUser(), m::Same(&y)))) ...
//
// Operands of commutative operations (a trait of the operation table) match in either order.
// Captures are set while matching: they mean something only when Match returns true.
#ifndef XLA_PASSES_PATTERN_H_
#define XLA_PASSES_PATTERN_H_

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

// Returns the number that all elements of a constant, or of a broadcast of one, have, for integers,
// booleans and floating-point numbers that a double holds exactly.
std::optional<double> SplatValue(const HloInstruction& instruction);

// Whether optional data changes what the instruction means or how it must be compiled: a sharding,
// a result accuracy, frontend attributes, a backend config. Metadata does not.
bool IsAnnotated(const HloInstruction& instruction);

// Whether the instruction is determined by its operands alone: it is not annotated, and has no
// control dependencies.
bool IsPlain(const HloInstruction& instruction);

// Whether the instruction is a function of single elements that is determined by its operands
// alone.
bool IsPlainElementwise(const HloInstruction& instruction);

// Whether the instruction is a broadcast of a scalar.
bool IsSplat(const HloInstruction& instruction);

namespace m {

// Any instruction.
class Any {
 public:
  explicit Any(HloInstruction** capture = nullptr) : capture_(capture) {}
  bool Matches(HloInstruction* instruction) const {
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  HloInstruction** capture_;
};

// The instruction that an earlier part of the pattern captured.
class Same {
 public:
  explicit Same(HloInstruction* const* captured) : captured_(captured) {}
  bool Matches(HloInstruction* instruction) const { return instruction == *captured_; }

 private:
  HloInstruction* const* captured_;
};

// A constant with that value in all elements, or a broadcast of one. Zero is positive unless
// written -0.0: the sign of zero counts for floating-point numbers.
class Splat {
 public:
  explicit Splat(double value, HloInstruction** capture = nullptr)
      : value_(value), capture_(capture) {}
  bool Matches(HloInstruction* instruction) const;

 private:
  double value_;
  HloInstruction** capture_;
};

// An instruction of an opcode with the given operands; if none are given, with any operands.
template <class... Operands>
class OpPattern {
 public:
  OpPattern(HloOpcode opcode, Operands... operands)
      : opcode_(opcode), operands_(std::move(operands)...) {}

  // Captures the instruction itself.
  OpPattern& As(HloInstruction** capture) {
    capture_ = capture;
    return *this;
  }
  // The value is used by one instruction only, and is not the root: replacing the user makes it
  // dead.
  OpPattern& WithOneUser() {
    one_user_ = true;
    return *this;
  }
  OpPattern& If(bool (*predicate)(const HloInstruction&)) {
    predicate_ = predicate;
    return *this;
  }

  bool Matches(HloInstruction* instruction) const {
    if (instruction->opcode() != opcode_) return false;
    if (one_user_ && (instruction->user_count() != 1 || instruction->IsRoot())) return false;
    if (predicate_ != nullptr && !predicate_(*instruction)) return false;
    if (!OperandsMatch(instruction)) return false;
    if (capture_ != nullptr) *capture_ = instruction;
    return true;
  }

 private:
  template <size_t... kIndices>
  bool InOrder(HloInstruction* instruction, std::index_sequence<kIndices...>) const {
    return (... && std::get<kIndices>(operands_).Matches(instruction->operand(kIndices)));
  }
  bool OperandsMatch(HloInstruction* instruction) const {
    constexpr size_t kCount = sizeof...(Operands);
    if constexpr (kCount > 0) {
      if (instruction->operand_count() != static_cast<int64_t>(kCount)) return false;
      if (InOrder(instruction, std::make_index_sequence<kCount>())) return true;
      if constexpr (kCount == 2) {
        return instruction->info().Has(op_traits::kCommutative) &&
               std::get<0>(operands_).Matches(instruction->operand(1)) &&
               std::get<1>(operands_).Matches(instruction->operand(0));
      }
      return false;
    }
    return true;
  }

  HloOpcode opcode_;
  std::tuple<Operands...> operands_;
  HloInstruction** capture_ = nullptr;
  bool one_user_ = false;
  bool (*predicate_)(const HloInstruction&) = nullptr;
};

template <class... Operands>
OpPattern<Operands...> Op(HloOpcode opcode, Operands... operands) {
  return OpPattern<Operands...>(opcode, std::move(operands)...);
}

// m::Add(lhs, rhs), m::Constant(), ...: one for each row of the operation table.
#define HLO_OP(stem, ...)                                                      \
  template <class... Operands>                                                 \
  OpPattern<Operands...> stem(Operands... operands) {                          \
    return OpPattern<Operands...>(HloOpcode::k##stem, std::move(operands)...); \
  }
#include "xla/hlo/ir/opcodes.def"

}  // namespace m

template <class Pattern>
bool Match(HloInstruction* instruction, const Pattern& pattern) {
  return pattern.Matches(instruction);
}

}  // namespace xla

#endif  // XLA_PASSES_PATTERN_H_

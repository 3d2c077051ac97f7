// SPDX-License-Identifier: Apache-2.0
// Patterns of instructions, under XLA's include path and with its names:
//
//   namespace m = xla::match;
//   HloInstruction *x, *y;
//   if (Match(root, m::Multiply(m::Op(&x), m::Broadcast(m::ConstantScalar(2.0))))) ...
//
// A function for each opcode (m::Add, m::Dot, ...) takes where to store the instruction (optional)
// and patterns of all operands (or none: any operands). What is stored is written only if the whole
// pattern matches.
#ifndef XLA_SERVICE_PATTERN_MATCHER_H_
#define XLA_SERVICE_PATTERN_MATCHER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {

struct MatchOption {
  bool capture = true;                 // store matched instructions
  std::ostream* explain_os = nullptr;  // why it does not match
};

namespace match {
namespace internal {

// What a match would store, and the reason why it failed.
struct State {
  std::vector<std::function<void()>> captures;
  std::string reason;
  bool Fail(std::string why) {
    reason = std::move(why);
    return false;
  }
};

}  // namespace internal

// A pattern of shapes.
class ShapePattern {
 public:
  using Test = std::function<bool(const xla::Shape&)>;
  ShapePattern IsArray() const {
    return And([](const auto& s) { return s.IsArray(); });
  }
  ShapePattern IsTuple() const {
    return And([](const auto& s) { return s.IsTuple(); });
  }
  ShapePattern IsToken() const {
    return And([](const auto& s) { return s.IsToken(); });
  }
  ShapePattern IsScalar() const {
    return And([](const auto& s) { return ShapeUtil::IsScalar(s); });
  }
  ShapePattern IsEffectiveScalar() const {
    return And([](const auto& s) { return ShapeUtil::IsEffectiveScalar(s); });
  }
  ShapePattern WithElementType(PrimitiveType type) const {
    return And([type](const auto& s) { return s.element_type() == type; });
  }
  ShapePattern WithRank(int64_t rank) const {
    return And([rank](const auto& s) { return s.IsArray() && s.rank() == rank; });
  }
  ShapePattern WithDims(absl::Span<const int64_t> dims) const {
    return And([dims = std::vector<int64_t>(dims.begin(), dims.end())](const auto& s) {
      return s.IsArray() && absl::MakeConstSpan(s.dimensions()) == absl::MakeConstSpan(dims);
    });
  }
  ShapePattern EqualTo(const xla::Shape* shape) const {
    return And([shape](const auto& s) { return ShapeUtil::Equal(s, *shape); });
  }
  ShapePattern CompatibleTo(const xla::Shape* shape) const {
    return And([shape](const auto& s) { return ShapeUtil::Compatible(s, *shape); });
  }
  ShapePattern WithLayout(absl::Span<const int64_t> minor_to_major) const {
    return And([order = std::vector<int64_t>(minor_to_major.begin(), minor_to_major.end())](
                   const auto& s) {
      return s.IsArray() && s.has_layout() &&
             absl::MakeConstSpan(s.layout().minor_to_major()) == absl::MakeConstSpan(order);
    });
  }

  bool Matches(const xla::Shape& shape) const {
    for (const Test& test : tests_) {
      if (!test(shape)) return false;
    }
    return true;
  }

 private:
  ShapePattern And(Test test) const {
    ShapePattern result = *this;
    result.tests_.push_back(std::move(test));
    return result;
  }
  std::vector<Test> tests_;
};

inline ShapePattern Shape() { return {}; }

// A pattern of instructions. Conditions are checked in the order in which they were added.
class Pattern {
 public:
  using Test = std::function<bool(const HloInstruction*, internal::State*)>;

  Pattern() = default;
  // Where the instruction is stored.
  explicit Pattern(HloInstruction** capture) : Pattern(CaptureTo(capture)) {}
  explicit Pattern(const HloInstruction** capture) : Pattern(CaptureTo(capture)) {}

  Pattern With(Test test) const {
    Pattern result = *this;
    result.tests_.push_back(std::move(test));
    return result;
  }
  Pattern WithPredicate(std::function<bool(const HloInstruction*)> predicate) const {
    return Require("does not satisfy the predicate", std::move(predicate));
  }
  Pattern WithOpcode(HloOpcode opcode) const {
    return Require(absl::StrCat("is not a ", absl::string_view(HloOpcodeString(opcode).data(),
                                                               HloOpcodeString(opcode).size())),
                   [opcode](const auto* i) { return i->opcode() == opcode; });
  }
  Pattern WithoutOpcode(HloOpcode opcode) const {
    return Require("has the excluded opcode",
                   [opcode](const auto* i) { return i->opcode() != opcode; });
  }
  Pattern WithName(absl::string_view name) const {
    return Require(absl::StrCat("is not named ", name),
                   [name = std::string(name)](const auto* i) { return i->name() == name; });
  }
  Pattern WithNumOperands(int64_t count) const {
    return Require(absl::StrCat("does not have ", count, " operands"),
                   [count](const auto* i) { return i->operand_count() == count; });
  }
  Pattern WithOperand(int64_t number, Pattern operand) const {
    return With([number, operand](const HloInstruction* i, internal::State* state) {
      if (number >= i->operand_count()) return state->Fail(absl::StrCat("no operand ", number));
      return operand.Matches(i->operand(number), state);
    });
  }
  Pattern WithOperandIfPresent(int64_t number, Pattern operand) const {
    return With([number, operand](const HloInstruction* i, internal::State* state) {
      return number >= i->operand_count() || operand.Matches(i->operand(number), state);
    });
  }
  Pattern WithShape(ShapePattern shape) const {
    return Require("has another shape",
                   [shape](const auto* i) { return shape.Matches(i->shape()); });
  }
  Pattern WithShape(PrimitiveType type, absl::Span<const int64_t> dims) const {
    return WithShape(ShapePattern().WithElementType(type).WithDims(dims));
  }
  Pattern WithShape(PrimitiveType type, absl::Span<const int64_t> dims,
                    absl::Span<const int64_t> minor_to_major) const {
    return WithShape(
        ShapePattern().WithElementType(type).WithDims(dims).WithLayout(minor_to_major));
  }
  Pattern WithShapeEqualTo(const xla::Shape* shape) const {
    return WithShape(ShapePattern().EqualTo(shape));
  }
  Pattern WithShapeCompatibleTo(const xla::Shape* shape) const {
    return WithShape(ShapePattern().CompatibleTo(shape));
  }
  Pattern WithElementType(PrimitiveType type) const {
    return WithShape(ShapePattern().WithElementType(type));
  }
  Pattern WithOneUse() const {
    return Require("is not used once", [](const auto* i) {
      if (i->user_count() != 1) return false;
      int uses = 0;
      for (const HloInstruction* operand : i->users()[0]->operands()) uses += operand == i;
      return uses == 1;
    });
  }
  Pattern WithOneUser() const {
    return Require("does not have one user", [](const auto* i) { return i->user_count() == 1; });
  }
  Pattern WithAtMostNumUser(int64_t count) const {
    return Require("has more users", [count](const auto* i) { return i->user_count() <= count; });
  }
  Pattern WithTupleIndex(int64_t index) const {
    return Require(absl::StrCat("does not have tuple index ", index), [index](const auto* i) {
      return i->opcode() == HloOpcode::kGetTupleElement && i->tuple_index() == index;
    });
  }
  Pattern WithParameterNum(int64_t number) const {
    return Require(absl::StrCat("is not parameter ", number), [number](const auto* i) {
      return i->opcode() == HloOpcode::kParameter && i->parameter_number() == number;
    });
  }
  Pattern WithCustomCallTarget(absl::string_view target) const {
    return Require(absl::StrCat("is not a custom call of ", target), [target = std::string(target)](
                                                                         const auto* i) {
      return i->opcode() == HloOpcode::kCustomCall && i->custom_call_target() == target;
    });
  }
  Pattern WithFusionKind(FusionKind kind) const {
    return Require("is not a fusion of that kind", [kind](const auto* i) {
      return i->opcode() == HloOpcode::kFusion && i->fusion_kind() == kind;
    });
  }
  Pattern WithComparisonDirection(ComparisonDirection direction) const {
    return Require("does not compare in that direction", [direction](const auto* i) {
      return i->opcode() == HloOpcode::kCompare && i->comparison_direction() == direction;
    });
  }
  Pattern IsConstant() const { return WithOpcode(HloOpcode::kConstant); }
  Pattern IsNonConstant() const { return WithoutOpcode(HloOpcode::kConstant); }
  Pattern Is(const HloInstruction* instruction) const {
    return Require("is another instruction",
                   [instruction](const auto* i) { return i == instruction; });
  }

  bool Matches(const HloInstruction* instruction, internal::State* state) const {
    if (instruction == nullptr) return state->Fail("null");
    for (const Test& test : tests_) {
      if (!test(instruction, state)) return false;
    }
    return true;
  }

 private:
  template <typename Pointer>
  static Pattern CaptureTo(Pointer* capture) {
    Pattern pattern;
    if (capture == nullptr) return pattern;
    return pattern.With([capture](const HloInstruction* i, internal::State* state) {
      state->captures.push_back([capture, i] { *capture = const_cast<HloInstruction*>(i); });
      return true;
    });
  }
  Pattern Require(std::string problem, std::function<bool(const HloInstruction*)> test) const {
    return With([problem, test = std::move(test)](const HloInstruction* i, internal::State* state) {
      return test(i) || state->Fail(absl::StrCat(i->ToShortString(), " ", problem));
    });
  }

  std::vector<Test> tests_;
};

namespace internal {

// Conditions on opcode and operands.
template <typename... Operands>
Pattern Operation(Pattern pattern, HloOpcode opcode, const Operands&... operands) {
  pattern = pattern.WithOpcode(opcode);
  if constexpr (sizeof...(Operands) > 0) {
    pattern = pattern.WithNumOperands(sizeof...(Operands));
    int64_t number = 0;
    ((pattern = pattern.WithOperand(number++, operands)), ...);
  }
  return pattern;
}

inline Pattern AnyOrder(Pattern pattern, HloOpcode opcode, Pattern a, Pattern b) {
  return pattern.WithOpcode(opcode).WithNumOperands(2).With(
      [a, b](const HloInstruction* i, State* state) {
        for (int swapped = 0; swapped < 2; ++swapped) {
          State attempt;
          if (a.Matches(i->operand(swapped), &attempt) &&
              b.Matches(i->operand(1 - swapped), &attempt)) {
            for (auto& capture : attempt.captures) state->captures.push_back(std::move(capture));
            return true;
          }
          state->reason = attempt.reason;
        }
        return false;
      });
}

template <typename T>
inline constexpr bool kIsCapture =
    std::is_convertible_v<T, HloInstruction**> || std::is_convertible_v<T, const HloInstruction**>;

}  // namespace internal

inline Pattern Op() { return Pattern(); }
inline Pattern Op(HloInstruction** capture) { return Pattern(capture); }
inline Pattern Op(const HloInstruction** capture) { return Pattern(capture); }

// One function an opcode. Those whose functions have other arguments follow below.
#define HLO_OP(stem, ...)                                                                        \
  template <typename... Operands>                                                                \
  requires(... && std::is_same_v<Operands, Pattern>) Pattern stem(const Operands&... operands) { \
    return internal::Operation(Pattern(), HloOpcode::k##stem, operands...);                      \
  }                                                                                              \
  template <typename Capture, typename... Operands>                                              \
  requires(internal::kIsCapture<Capture> && (... && std::is_same_v<Operands, Pattern>)) Pattern  \
  stem(Capture capture, const Operands&... operands) {                                           \
    return internal::Operation(Pattern(capture), HloOpcode::k##stem, operands...);               \
  }                                                                                              \
  inline Pattern stem##AnyOrder(Pattern a, Pattern b) {                                          \
    return internal::AnyOrder(Pattern(), HloOpcode::k##stem, std::move(a), std::move(b));        \
  }                                                                                              \
  template <typename Capture>                                                                    \
  requires(internal::kIsCapture<Capture>)                                                        \
      Pattern stem##AnyOrder(Capture capture, Pattern a, Pattern b) {                            \
    return internal::AnyOrder(Pattern(capture), HloOpcode::k##stem, std::move(a), std::move(b)); \
  }
#include "xla/hlo/ir/opcodes.def"

inline Pattern Parameter(int64_t number) { return Parameter().WithParameterNum(number); }
template <typename Capture>
requires(internal::kIsCapture<Capture>) Pattern Parameter(Capture capture, int64_t number) {
  return Parameter(capture).WithParameterNum(number);
}
inline Pattern GetTupleElement(Pattern operand, int64_t index) {
  return GetTupleElement(operand).WithTupleIndex(index);
}
template <typename Capture>
requires(internal::kIsCapture<Capture>) Pattern
    GetTupleElement(Capture capture, Pattern operand, int64_t index) {
  return GetTupleElement(capture, operand).WithTupleIndex(index);
}

// A scalar constant; of that value if one is given.
inline Pattern ConstantScalar() { return Constant().WithShape(ShapePattern().IsScalar()); }
inline Pattern ConstantScalar(double value) {
  return ConstantScalar().WithPredicate(
      [value](const HloInstruction* i) { return i->literal().GetAsDouble({}) == value; });
}
template <typename Capture>
requires(internal::kIsCapture<Capture>) Pattern ConstantScalar(Capture capture) {
  return Constant(capture).WithShape(ShapePattern().IsScalar());
}
// The same for arrays of one element.
inline Pattern ConstantEffectiveScalar() {
  return Constant().WithShape(ShapePattern().IsEffectiveScalar());
}
inline Pattern ConstantEffectiveScalar(double value) {
  return ConstantEffectiveScalar().WithPredicate([value](const HloInstruction* i) {
    const DimensionVector first(i->shape().rank(), 0);
    return i->literal().GetAsDouble(first) == value;
  });
}
inline Pattern NonConstant() { return Pattern().IsNonConstant(); }

// The first pattern that matches.
template <typename Item, typename... Patterns>
Pattern AnyOf(const Patterns&... patterns) {
  return Pattern().With([alternatives = std::vector<Pattern>{patterns...}](const HloInstruction* i,
                                                                           internal::State* state) {
    for (const Pattern& alternative : alternatives) {
      internal::State attempt;
      if (alternative.Matches(i, &attempt)) {
        for (auto& capture : attempt.captures) state->captures.push_back(std::move(capture));
        return true;
      }
    }
    return state->Fail("none of the alternatives matches");
  });
}

}  // namespace match

inline bool Match(const HloInstruction* instruction, const match::Pattern& pattern,
                  MatchOption option = {}) {
  match::internal::State state;
  if (!pattern.Matches(instruction, &state)) {
    if (option.explain_os != nullptr) *option.explain_os << state.reason;
    return false;
  }
  if (option.capture) {
    for (const auto& capture : state.captures) capture();
  }
  return true;
}

}  // namespace xla

#endif  // XLA_SERVICE_PATTERN_MATCHER_H_

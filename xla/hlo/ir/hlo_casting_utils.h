// SPDX-License-Identifier: Apache-2.0
// Casts of instructions to the views of hlo_instructions.h:
//
//   auto* dot = Cast<HloDotInstruction>(instruction);                    // must be a dot
//   if (auto* reduce = DynCast<HloReduceInstruction>(instruction)) ...   // null if it is none
#ifndef XLA_HLO_IR_HLO_CASTING_UTILS_H_
#define XLA_HLO_IR_HLO_CASTING_UTILS_H_

#include <concepts>
#include <type_traits>

#include "xla/base/check.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla {

template <class T>
concept InstructionView =
    std::is_base_of_v<HloInstruction, T> && !std::is_same_v<HloInstruction, T> &&
    requires(const HloInstruction* i) {
  { T::ClassOf(i) } -> std::same_as<bool>;
};

// Views add functions and nothing else to HloInstruction, so that a pointer to one is a pointer to
// the other.
template <InstructionView T>
const T* StaticCast(const HloInstruction* instruction) {
  static_assert(sizeof(T) == sizeof(HloInstruction) && !std::is_polymorphic_v<T>);
  return static_cast<const T*>(instruction);
}

// An instruction of another opcode, or null, is a programming error (checked).
template <InstructionView T>
const T* Cast(const HloInstruction* instruction) {
  XLA_CHECK(instruction != nullptr) << "cast of a null instruction";
  XLA_CHECK(T::ClassOf(instruction)) << "invalid cast of " << instruction->ToShortString();
  return StaticCast<T>(instruction);
}
template <InstructionView T>
T* Cast(HloInstruction* instruction) {
  return const_cast<T*>(Cast<T>(static_cast<const HloInstruction*>(instruction)));
}
template <InstructionView T>
const T* CastOrNull(const HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : Cast<T>(instruction);
}
template <InstructionView T>
T* CastOrNull(HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : Cast<T>(instruction);
}

// Null for an instruction of another opcode; a null instruction is a programming error (checked).
template <InstructionView T>
const T* DynCast(const HloInstruction* instruction) {
  XLA_CHECK(instruction != nullptr) << "cast of a null instruction";
  return T::ClassOf(instruction) ? StaticCast<T>(instruction) : nullptr;
}
template <InstructionView T>
T* DynCast(HloInstruction* instruction) {
  return const_cast<T*>(DynCast<T>(static_cast<const HloInstruction*>(instruction)));
}
template <InstructionView T>
const T* DynCastOrNull(const HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : DynCast<T>(instruction);
}
template <InstructionView T>
T* DynCastOrNull(HloInstruction* instruction) {
  return instruction == nullptr ? nullptr : DynCast<T>(instruction);
}

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_CASTING_UTILS_H_

// SPDX-License-Identifier: Apache-2.0
// What a program does, in order, and the values that it makes: the module after all passes, with
// tuples, reshapes and calls resolved. Buffers are assigned to values here.
#ifndef XLA_CPU_PLAN_SCHEDULE_H_
#define XLA_CPU_PLAN_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"

namespace xla::cpu {

// Where an array is while the program runs.
struct BufferSlice {
  enum class Memory : uint8_t { kScratch, kArgument, kResult, kConstant };
  Memory memory = Memory::kScratch;
  int32_t number = 0;  // of the argument leaf, result leaf or constant
  int64_t offset = 0;  // bytes
  bool operator==(const BufferSlice&) const = default;
};

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // of tokens

// An array that an instruction makes, or that arrives as an argument.
struct ScheduledValue {
  const HloInstruction* instruction = nullptr;  // that makes it
  const Shape* shape = nullptr;
  int64_t bytes = 0;
  BufferSlice slice;
  int32_t buffer = -1;  // values in the same buffer have the same place
  // Positions (ScheduledItem::position) of what makes it first and reads it last, loops included.
  int32_t begin = 0, end = 0;
};

struct ScheduledItem {
  enum class Kind : uint8_t { kInstruction, kCopy, kWhile, kConditional };
  Kind kind = Kind::kInstruction;
  const HloInstruction* instruction = nullptr;  // null for copies
  // The dot or convolution that a fusion finishes (epilogue.h). Its operands follow those of
  // the fusion.
  const HloInstruction* contraction = nullptr;
  // Leaves of operands and results. Copies: one each.
  std::vector<ValueId> operands, results;
  int32_t position = 0;
  // While: condition and body. Conditional: branches. Bodies end with copies of what they return.
  std::vector<std::vector<ScheduledItem>> bodies;
  ValueId predicate = kNoValue;  // of a while: what the condition returns
};

struct ProgramSchedule {
  const ScheduledValue& At(ValueId value) const { return values[static_cast<size_t>(value)]; }

  const HloModule* module = nullptr;
  std::vector<ScheduledValue> values;
  std::vector<ScheduledItem> items;
  std::vector<ValueId> results;  // leaves of the entry's root
  std::vector<const HloInstruction*> constants;
  int64_t scratch_bytes = 0;
  bool has_aliases = false;  // those that were asked for
};

// Whether it is an array of one element; false for tokens.
bool IsOneElement(const ProgramSchedule& schedule, ValueId value);

// Operands of a fusion whose memory its kernel writes to.
std::vector<bool> WrittenOperands(const ProgramSchedule& schedule, const ScheduledItem& item);

// A leaf of the arguments that starts out in the memory of a leaf of the result, and may be
// overwritten there. Either all that are asked for are, or, where results would have to be
// exchanged, none.
struct MemoryAlias {
  int32_t argument, result;
};

// Precondition: FlattenCalls has run. UNIMPLEMENTED for what has no schedule.
absl::StatusOr<ProgramSchedule> ScheduleProgram(const HloModule& module,
                                                absl::Span<const MemoryAlias> aliases = {});
// The same of a computation and what it calls, rather than of the entry.
absl::StatusOr<ProgramSchedule> ScheduleComputation(const HloComputation& computation,
                                                    absl::Span<const MemoryAlias> aliases = {});

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SCHEDULE_H_

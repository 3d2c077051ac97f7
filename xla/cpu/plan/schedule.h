// SPDX-License-Identifier: Apache-2.0
// The schedule of a program and its values: the module after all passes, with tuples, reshapes and
// calls resolved. Buffers are assigned to values here.
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

// The location of an array while the program runs.
struct BufferSlice {
  enum class Memory : uint8_t { kScratch, kArgument, kResult, kConstant };
  Memory memory = Memory::kScratch;
  int32_t number = 0;  // of the argument leaf, result leaf or constant
  int64_t offset = 0;  // bytes
  bool operator==(const BufferSlice&) const = default;
};

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // of tokens

// An array that an instruction produces, or an argument.
struct ScheduledValue {
  const HloInstruction* instruction = nullptr;  // that produces it
  const Shape* shape = nullptr;
  int64_t bytes = 0;
  BufferSlice slice;
  int32_t buffer = -1;  // values in the same buffer have the same slice
  // The positions (ScheduledItem::position) of its first definition and last read, including loops.
  int32_t begin = 0, end = 0;
};

struct ScheduledItem {
  enum class Kind : uint8_t { kInstruction, kCopy, kWhile, kConditional };
  Kind kind = Kind::kInstruction;
  const HloInstruction* instruction = nullptr;  // null for copies
  // The dot or convolution that a fusion finishes (epilogue.h). Its operands follow those of
  // the fusion.
  const HloInstruction* contraction = nullptr;
  // The leaves of operands and results. A copy has one of each.
  std::vector<ValueId> operands, results;
  int32_t position = 0;
  // The condition and body of a while, or the branches of a conditional. Bodies end with copies of
  // their results.
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
  bool has_aliases = false;  // as requested
};

// Whether the value is an array of one element; false for tokens.
bool IsOneElement(const ProgramSchedule& schedule, ValueId value);

// Returns the operands of a fusion whose memory its kernel writes to.
std::vector<bool> WrittenOperands(const ProgramSchedule& schedule, const ScheduledItem& item);

// A leaf of the arguments that is initially in the memory of a leaf of the result, and may be
// overwritten there. All requested aliases are honored or, if results would have to be exchanged,
// none.
struct MemoryAlias {
  int32_t argument, result;
};

// Precondition: FlattenCalls has run. UNIMPLEMENTED for what has no schedule.
absl::StatusOr<ProgramSchedule> ScheduleProgram(const HloModule& module,
                                                absl::Span<const MemoryAlias> aliases = {});
// Schedules a computation and what it calls, rather than the entry.
absl::StatusOr<ProgramSchedule> ScheduleComputation(const HloComputation& computation,
                                                    absl::Span<const MemoryAlias> aliases = {});

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_SCHEDULE_H_

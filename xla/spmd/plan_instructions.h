// SPDX-License-Identifier: Apache-2.0
// What the planner reads from single instructions: which collective they are, how often they loop,
// where they come from.
#ifndef XLA_SPMD_PLAN_INSTRUCTIONS_H_
#define XLA_SPMD_PLAN_INSTRUCTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/spmd/plan_collectives.h"

namespace xla::spmd {

// nullopt for what is no collective. Starts count as theirs.
std::optional<CollectiveKind> KindOfCollective(HloOpcode opcode);

// Bytes that the instruction brings from its device; of all-gather those of the result.
double CollectiveBytes(const HloInstruction& collective, CollectiveKind kind, int64_t group_size);

// Iterations of a loop, by XLA's annotation known_trip_count or by its counter.
std::optional<int64_t> KnownTrips(const HloInstruction& loop);

// The innermost frame of the user's program that the metadata name, "file.py:12", or the
// framework's name of the operation.
std::string SourceOf(const HloInstruction& instruction);
// A collective that a partitioner made may have no source of its own: that of its operand, or of
// the first instruction that uses it.
std::string SourceOfCollective(const HloInstruction& collective);

// Whether a computation that is called runs as a part of the program, step by step.
bool RunsCallees(const HloInstruction& instruction);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_INSTRUCTIONS_H_

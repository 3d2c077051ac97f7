// SPDX-License-Identifier: Apache-2.0
// The exchange of operands between the devices of a group, for all collectives. Private to the
// collectives' files.
#ifndef XLA_INTERPRETER_COLLECTIVE_H_
#define XLA_INTERPRETER_COLLECTIVE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/passes/collective_group.h"

namespace xla::interpreter {

using Values = std::vector<Value>;

// Computes the results of all devices of the group from their operands, both in order of rank. The
// last device to arrive calls it once for all, while the others wait.
using CombineFunction =
    absl::FunctionRef<absl::StatusOr<std::vector<Values>>(absl::Span<const Values* const> inputs)>;

// The group of this device, which may be empty; computed once per run.
absl::StatusOr<const DeviceGroup*> GroupOf(EvalContext& ctx, const HloInstruction& inst);
// An error if the device is in no group.
absl::StatusOr<const DeviceGroup*> OwnGroupOf(EvalContext& ctx, const HloInstruction& inst);

// Meets the other devices of the group; returns the result of `combine` for this device.
absl::StatusOr<Values> Exchange(EvalContext& ctx, const HloInstruction& inst,
                                const DeviceGroup& group, absl::Span<Value> operands,
                                CombineFunction combine);

// One array for an array shape, a tuple for a tuple shape.
Value WithResultShape(const Shape& shape, Values values);

// Gives each device of the group the same results.
std::vector<Values> ForAll(const DeviceGroup& group, Values results);

// INVALID_ARGUMENT if the dynamic sizes of operand i differ between devices.
absl::Status ExpectSameSizes(const DeviceGroup& group, absl::Span<const Values* const> inputs,
                             size_t i);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_COLLECTIVE_H_

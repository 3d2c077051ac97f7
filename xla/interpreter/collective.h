// SPDX-License-Identifier: Apache-2.0
// What collectives share: the exchange of operands between the devices of a group. Private to the
// collectives' files.
#ifndef XLA_INTERPRETER_COLLECTIVE_H_
#define XLA_INTERPRETER_COLLECTIVE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/collective_group.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"

namespace xla::interpreter {

using Values = std::vector<Value>;

// From the operands of each device of the group, in order of rank, to the results of each. Called
// once, by the device that came last; all other devices of the group wait meanwhile.
using CombineFunction =
    absl::FunctionRef<absl::StatusOr<std::vector<Values>>(absl::Span<const Values* const> inputs)>;

// The group of this device, which may be none; found once.
absl::StatusOr<const DeviceGroup*> GroupOf(EvalContext& ctx, const HloInstruction& inst);
// An error where the device is in no group.
absl::StatusOr<const DeviceGroup*> OwnGroupOf(EvalContext& ctx, const HloInstruction& inst);

// Meets the other devices of the group; what `combine` made for this one.
absl::StatusOr<Values> Exchange(EvalContext& ctx, const HloInstruction& inst,
                                const DeviceGroup& group, absl::Span<Value> operands,
                                CombineFunction combine);

// One array for an array shape, a tuple for a tuple shape.
Value WithResultShape(const Shape& shape, Values values);

// Each device of the group gets the same results.
std::vector<Values> ForAll(const DeviceGroup& group, Values results);

// INVALID_ARGUMENT if operand i has another run-time size on some device.
absl::Status ExpectSameSizes(const DeviceGroup& group, absl::Span<const Values* const> inputs,
                             size_t i);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_COLLECTIVE_H_

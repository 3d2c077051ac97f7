// SPDX-License-Identifier: Apache-2.0
// What reduce and reduce-window begin with, where parts of them are combined, or where they get
// elements that must not count.
#ifndef XLA_SPMD_REDUCTION_START_H_
#define XLA_SPMD_REDUCTION_START_H_

#include <cstddef>
#include <optional>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::spmd {

// The operation that combines two elements of an input; none if it is no single one of both.
std::optional<HloOpcode> OperationOf(const HloInstruction& reduction, size_t input);

// Whether the initial value changes nothing if it is combined with more than once: that of sums and
// products may be another than 0 and 1.
bool MayRepeatStart(const HloInstruction& reduction, size_t input);

// Whether a reduction of one input may be made of the results of shards, each begun with
// NeutralElement.
bool MayCombineParts(const HloInstruction& reduce);

// An element that changes nothing: the initial value, but of sums and products that may not repeat
// it 0 and 1. Other functions are taken to begin with what changes nothing.
HloInstruction* NeutralElement(const HloInstruction& reduction, size_t input);

}  // namespace xla::spmd

#endif  // XLA_SPMD_REDUCTION_START_H_

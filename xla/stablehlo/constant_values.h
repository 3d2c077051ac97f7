// SPDX-License-Identifier: Apache-2.0
// The values of small integer arrays that follow from constants: the shapes that dynamic programs
// compute.
#ifndef XLA_STABLEHLO_CONSTANT_VALUES_H_
#define XLA_STABLEHLO_CONSTANT_VALUES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::stablehlo {

// In row-major order; none if the array is not of integers or booleans, has more than 64 elements,
// or does not follow from constants.
std::optional<std::vector<int64_t>> ConstantValues(const HloInstruction& instruction);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_CONSTANT_VALUES_H_

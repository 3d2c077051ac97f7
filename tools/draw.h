// SPDX-License-Identifier: Apache-2.0
// Reproducible input data: arrays filled from splitmix64 (Steele, Lea, Flood 2014).
#ifndef XYLEM_TOOLS_DRAW_H_
#define XYLEM_TOOLS_DRAW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/literal.h"

namespace xla {

enum class DrawKind : uint8_t {
  kUniform,  // (draw >> 40) * 2^-23 - 1 in f32, converted to the type; integers: as kInteger
  kInteger,  // draw % limit
};

// Row-major; draw i is the splitmix64 output of the state seed + (i + 1) * 0x9E3779B97F4A7C15. Real
// and imaginary part of a complex element are consecutive draws.
absl::StatusOr<Literal> DrawLiteral(const Shape& shape, uint64_t seed, DrawKind kind,
                                    uint64_t limit);

}  // namespace xla

#endif  // XYLEM_TOOLS_DRAW_H_

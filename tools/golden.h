// SPDX-License-Identifier: Apache-2.0
// golden.json: how the arguments of a program are drawn, and samples of the results of a reference
// implementation. Parsed by nlohmann/json, which only golden.cc includes.
#ifndef XYLEM_TOOLS_GOLDEN_H_
#define XYLEM_TOOLS_GOLDEN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/draw.h"
#include "xla/shape.h"
#include "xla/types.h"

namespace xla {

struct GoldenArgument {
  Shape shape;
  uint64_t seed = 0;
  DrawKind kind = DrawKind::kUniform;
  uint64_t limit = 0;  // of kInteger
};

// A recorded element. Integers are exact in `integer` (u64 modulo 2^64), others in `value`.
struct GoldenSample {
  int64_t index = 0;  // row-major
  complex128 value;
  int64_t integer = 0;
};

struct GoldenOutput {
  Shape shape;
  double l1 = 0;    // the sum of absolute values
  double linf = 0;  // the largest absolute value
  std::vector<GoldenSample> samples;
};

struct Golden {
  std::vector<GoldenArgument> arguments;
  std::vector<GoldenOutput> outputs;
};

// Errors name the position in the text, or the member.
absl::StatusOr<Golden> ParseGolden(std::string_view json);

}  // namespace xla

#endif  // XYLEM_TOOLS_GOLDEN_H_

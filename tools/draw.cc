// SPDX-License-Identifier: Apache-2.0
#include "tools/draw.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

uint64_t Draw(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

float Uniform(uint64_t draw) { return static_cast<float>(draw >> 40) * 0x1p-23f - 1.0f; }

}  // namespace

absl::StatusOr<Literal> DrawLiteral(const Shape& shape, uint64_t seed, DrawKind kind,
                                    uint64_t limit) {
  if (!shape.IsArray() || shape.is_unbounded_dynamic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make up a value of shape ", shape.ToString()));
  }
  const PrimitiveType type = shape.element_type();
  const bool is_complex = primitive_util::IsComplexType(type);
  const bool is_float = primitive_util::IsFloatingPointType(type) || is_complex;
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(ShapeUtil::MakeShapeWithDescendingLayout(
                                            type, shape.dimensions())));
  // Drawn in the widest type of the kind and converted, a block at a time.
  constexpr int64_t kBlock = 4096;
  std::vector<uint64_t> integers;
  std::vector<float> floats;
  auto* out = static_cast<char*>(literal.untyped_data());
  const int64_t count = literal.element_count();
  const int64_t width = ShapeUtil::ByteSizeOfPrimitiveType(type);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    if (!is_float || kind == DrawKind::kInteger) {
      integers.resize(n);
      for (int64_t i = 0; i < n; ++i) {
        integers[i] = Draw(seed, begin + i) % (limit == 0 ? 1 : limit);
      }
      ConvertElements(U64, integers.data(), type, out + begin * width, n);
      continue;
    }
    const int64_t parts = is_complex ? 2 : 1;
    floats.resize(n * parts);
    for (int64_t i = 0; i < n * parts; ++i) floats[i] = Uniform(Draw(seed, begin * parts + i));
    ConvertElements(is_complex ? C64 : F32, floats.data(), type, out + begin * width, n);
  }
  return shape.is_static() ? std::move(literal) : literal.ToBoundedDynamic(shape);
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "tools/draw.h"

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
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
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make up a value of shape ", shape.ToString()));
  }
  const PrimitiveType type = shape.element_type();
  const bool is_complex = primitive_util::IsComplexType(type);
  const bool is_float = primitive_util::IsFloatingPointType(type) || is_complex;
  const PrimitiveType drawn = !is_float || kind == DrawKind::kInteger ? U64
                              : is_complex                            ? C64
                                                                      : F32;
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(ShapeUtil::MakeShapeWithDescendingLayout(
                                            drawn, shape.dimensions())));
  if (drawn == U64) {
    uint64_t i = 0;
    for (uint64_t& value : literal.data<uint64_t>())
      value = Draw(seed, i++) % (limit == 0 ? 1 : limit);
  } else if (drawn == C64) {
    uint64_t i = 0;
    for (complex64& value : literal.data<complex64>()) {
      value = {Uniform(Draw(seed, i)), Uniform(Draw(seed, i + 1))};
      i += 2;
    }
  } else {
    uint64_t i = 0;
    for (float& value : literal.data<float>()) value = Uniform(Draw(seed, i++));
  }
  if (type != drawn) {
    XLA_ASSIGN_OR_RETURN(literal, literal.Convert(type));
  }
  return shape.is_static() ? std::move(literal) : literal.ToBoundedDynamic(shape);
}

}  // namespace xla

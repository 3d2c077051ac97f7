// SPDX-License-Identifier: Apache-2.0
// Expands scaled-dot to products with the scales and a dot, in f32 (f64 for f64 results).
#include <cstdint>
#include <utility>
#include <vector>

#include "xla/passes/expand.h"
#include "xla/passes/rewriter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

HloInstruction* InType(HloInstruction* value, PrimitiveType type, Rewriter& rewriter) {
  if (value->shape().element_type() == type) return value;
  return rewriter.Create(HloOpcode::kConvert, ShapeUtil::ChangeElementType(value->shape(), type),
                         {value});
}

// Whether each dimension of the scale divides that of the operand; a scalar scales all.
bool DividesOperand(const Shape& scale, const Shape& operand) {
  if (!scale.is_static() || !operand.is_static()) return false;
  if (scale.rank() == 0) return true;
  if (scale.rank() != operand.rank()) return false;
  for (int d = 0; d < scale.rank(); ++d) {
    if (scale.dimensions(d) == 0 || operand.dimensions(d) % scale.dimensions(d) != 0) return false;
  }
  return true;
}

// Repeats the scale to the size of the operand: first each element along a block dimension of its
// own, [s0, b0, s1, b1, ..], then these dimensions are joined.
HloInstruction* RepeatScale(HloInstruction* scale, const Shape& shape, Rewriter& rewriter) {
  if (scale->shape().rank() == 0) return rewriter.Create(HloOpcode::kBroadcast, shape, {scale});
  if (scale->shape().dimensions() == shape.dimensions()) return scale;
  std::vector<int64_t> sizes, places;
  for (int d = 0; d < shape.rank(); ++d) {
    places.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(scale->shape().dimensions(d));
    sizes.push_back(shape.dimensions(d) / scale->shape().dimensions(d));
  }
  HloInstruction* blocks =
      rewriter.Create(HloOpcode::kBroadcast, ShapeUtil::MakeShape(shape.element_type(), sizes),
                      {scale}, DimensionListAttributes{.dimensions = std::move(places)});
  return rewriter.Create(HloOpcode::kReshape, shape, {blocks});
}

Result ExpandScaledDot(HloInstruction* dot, Rewriter& rewriter) {
  const PrimitiveType type = dot->shape().element_type() == F64 ? F64 : F32;
  for (int64_t i = 0; i < 2; ++i) {
    const Shape &operand = dot->operand(i)->shape(), &scale = dot->operand(i + 2)->shape();
    if (!DividesOperand(scale, operand) || primitive_util::IsComplexType(operand.element_type()) ||
        primitive_util::IsComplexType(scale.element_type())) {
      return nullptr;
    }
  }
  if (primitive_util::IsComplexType(dot->shape().element_type())) return nullptr;
  HloInstruction* scaled[2];
  for (int64_t i = 0; i < 2; ++i) {
    HloInstruction* operand = InType(dot->operand(i), type, rewriter);
    HloInstruction* scale = InType(dot->operand(i + 2), type, rewriter);
    scaled[i] = rewriter.Create(HloOpcode::kMultiply, operand->shape(),
                                {operand, RepeatScale(scale, operand->shape(), rewriter)});
  }
  return rewriter.Create(HloOpcode::kDot, dot->shape(), {scaled[0], scaled[1]}, dot->attributes());
}

constexpr RewriteRule kScaledDotRules[] = {
    {"expand-scaled-dot", HloOpcode::kScaledDot, &ExpandScaledDot}};

}  // namespace

absl::StatusOr<bool> ExpandScaledDots(HloModule* module) {
  return RewriteToFixedPoint(module, kScaledDotRules);
}

}  // namespace xla

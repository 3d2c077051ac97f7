// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/identity_calls.h"

#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool HasShapeOfOnlyOperand(const HloInstruction& call) {
  return call.operand_count() == 1 && ShapeUtil::Compatible(call.operand(0)->shape(), call.shape());
}

}  // namespace

absl::string_view FaultOfAnnotation(const HloInstruction& call) {
  if (HasShapeOfOnlyOperand(call)) return "";
  return "the program is not partitioned: the result must have the shape of the only operand";
}

absl::string_view FaultOfLayoutConstraint(const HloInstruction& call) {
  return HasShapeOfOnlyOperand(call) ? "" : "the result must have the shape of the only operand";
}

absl::string_view FaultOfPin(const HloInstruction& call) {
  const auto is_same = Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer();
  if (call.operand_count() == 1 && call.operand(0)->shape().IsArray() &&
      is_same(call.operand(0)->shape(), call.shape())) {
    return "";
  }
  return "the result must have the shape of the only operand, an array";
}

}  // namespace xla

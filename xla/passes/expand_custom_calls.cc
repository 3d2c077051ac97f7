// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

absl::Status Refuse(const HloInstruction& call, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(call.ToShortString(), ": ", why));
}

Result ExpandAnnotation(HloInstruction* call, GraphBuilder&) {
  if (call->operand_count() != 1 ||
      !ShapeUtil::Compatible(call->operand(0)->shape(), call->shape())) {
    return Refuse(*call,
                  "the program is not partitioned: the result must have the shape of the "
                  "only operand");
  }
  return call->operand(0);
}

// Pin makes an array into a buffer that is updated in place, Unpin the reverse. Both are the same
// memory here: what is updated is copied if others still read it.
Result ExpandPin(HloInstruction* call, GraphBuilder& b) {
  const auto is_same = Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer();
  if (call->operand_count() != 1 || !call->operand(0)->shape().IsArray() ||
      !is_same(call->operand(0)->shape(), call->shape())) {
    return Refuse(*call, "the result must have the shape of the only operand, an array");
  }
  return b.Unary(HloOpcode::kCopy, call->operand(0));
}

// A buffer whose contents are not defined: zeros.
Result ExpandCreateBuffer(HloInstruction* call, GraphBuilder& b) {
  if (call->operand_count() != 0 || !call->shape().IsArray())
    return Refuse(*call, "CreateBuffer takes nothing and makes an array");
  return b.Zeros(call->shape());
}

Result ExpandTopK(HloInstruction* call, GraphBuilder& b) {
  const Shape& result = call->shape();
  if (call->operand_count() != 1 || !call->operand(0)->shape().IsArray() ||
      call->operand(0)->shape().rank() < 1)
    return Refuse(*call, "TopK takes one array of at least one dimension");
  if (!result.IsTuple() || result.tuple_shapes_size() != 2)
    return Refuse(*call, "the result of TopK is a tuple of values and indices");
  const Shape &values = result.tuple_shapes(0), &indices = result.tuple_shapes(1);
  const Shape& operand = call->operand(0)->shape();
  const absl::Span<const int64_t> sizes = operand.dimensions();
  const auto fits = [&](const Shape& shape) {
    return shape.IsArray() && shape.rank() == operand.rank() &&
           shape.dimensions().subspan(0, sizes.size() - 1) == sizes.subspan(0, sizes.size() - 1) &&
           shape.dimensions().back() <= sizes.back();
  };
  if (!fits(values) || !fits(indices) ||
      values.dimensions().back() != indices.dimensions().back() ||
      values.element_type() != operand.element_type()) {
    return Refuse(*call,
                  "the results of TopK have the sizes of the operand, but for the last dimension");
  }
  Shape as_s32 = result;
  as_s32.mutable_tuple_shapes(1)->set_element_type(S32);
  HloInstruction* const topk =
      b.Make(HloOpcode::kTopK, as_s32, {call->operand(0)},
             TopKAttributes{.k = values.dimensions().back(), .largest = true});
  if (indices.element_type() == S32) return topk;
  HloInstruction* const converted = b.Make(HloOpcode::kConvert, indices, {b.Element(topk, 1)});
  return b.Make(HloOpcode::kTuple, result, {b.Element(topk, 0), converted});
}

struct Expansion {
  absl::string_view target;
  Result (*expand)(HloInstruction* call, GraphBuilder& b);
};
constexpr Expansion kExpansions[] = {
    {"CreateBuffer", ExpandCreateBuffer},
    {"Pin", ExpandPin},
    {"SPMDFullToShardShape", ExpandAnnotation},
    {"SPMDShardToFullShape", ExpandAnnotation},
    {"Sharding", ExpandAnnotation},
    {"TopK", ExpandTopK},
    {"Unpin", ExpandPin},
};

}  // namespace

absl::StatusOr<bool> ExpandCustomCalls(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* call : computation->MakeInstructionPostOrder()) {
      if (call->opcode() != HloOpcode::kCustomCall) continue;
      for (const Expansion& expansion : kExpansions) {
        if (call->custom_call_target() != expansion.target) continue;
        GraphBuilder b(computation, call);
        XLA_ASSIGN_OR_RETURN(HloInstruction* const value, expansion.expand(call, b));
        XLA_RETURN_IF_ERROR(computation->ReplaceInstructionWithDifferentShape(call, value));
        changed = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/identity_calls.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

absl::Status Refuse(const HloInstruction& call, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(call.ToShortString(), ": ", why));
}

Result ExpandAnnotation(HloInstruction* call, GraphBuilder&) {
  const absl::string_view fault = FaultOfAnnotation(*call);
  return fault.empty() ? Result(call->operand(0)) : Refuse(*call, fault);
}

// Values have no layouts here: those of instructions only matter at the borders of the program.
Result ExpandLayoutConstraint(HloInstruction* call, GraphBuilder&) {
  const absl::string_view fault = FaultOfLayoutConstraint(*call);
  return fault.empty() ? Result(call->operand(0)) : Refuse(*call, fault);
}

// Pin makes an array into a buffer that is updated in place, Unpin the reverse. Both are the same
// memory here: what is updated is copied if others still read it.
Result ExpandPin(HloInstruction* call, GraphBuilder& b) {
  const absl::string_view fault = FaultOfPin(*call);
  if (!fault.empty()) return Refuse(*call, fault);
  return b.Unary(HloOpcode::kCopy, call->operand(0));
}

// A buffer whose contents are not defined: zeros.
Result ExpandCreateBuffer(HloInstruction* call, GraphBuilder& b) {
  if (call->operand_count() != 0 || !call->shape().IsArray())
    return Refuse(*call, "CreateBuffer takes nothing and makes an array");
  return b.Zeros(call->shape());
}

// Says that one operand is computed before the other, which changes no value.
Result ExpandControlDep(HloInstruction* call, GraphBuilder& b) {
  if (!call->shape().IsTuple() || call->shape().tuple_shapes_size() != 0)
    return Refuse(*call, "control_dep has no results");
  return b.Make(HloOpcode::kTuple, call->shape(), {});
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

// Text or JSON: reduction_dim = 1 : i64, "reduction_dim": 1. -1 if it is not there.
int64_t ReductionDimension(absl::string_view config) {
  const size_t found = config.find("reduction_dim");
  if (found == absl::string_view::npos) return -1;
  const size_t begin = config.find_first_of("0123456789-", found);
  if (begin == absl::string_view::npos) return -1;
  const size_t end = std::min(config.find_first_not_of("0123456789", begin), config.size());
  int64_t dimension;
  return absl::SimpleAtoi(config.substr(begin, end - begin), &dimension) ? dimension : -1;
}

// The operands are arrays, then as many initial values. Exact, as XLA's CPU compiler: sorted by the
// computation of the call, of which the first are the result.
Result ExpandApproxTopK(HloInstruction* call, GraphBuilder& b) {
  const int64_t count = call->operand_count() / 2;
  const Shape& result = call->shape();
  if (count < 1 || call->operand_count() % 2 != 0 || call->called_computations().size() != 1 ||
      !result.IsTuple() || result.tuple_shapes_size() != count) {
    return Refuse(*call,
                  "ApproxTopK takes arrays, an initial value for each and a computation that "
                  "compares, and makes a tuple of as many arrays");
  }
  const Shape& first = call->operand(0)->shape();
  const int64_t dimension = ReductionDimension(call->extras().backend_config);
  if (!first.IsArray() || dimension < 0 || dimension >= first.rank()) {
    return Refuse(*call, "ApproxTopK needs the attribute reduction_dim, a dimension");
  }
  std::vector<HloInstruction*> arrays;
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    arrays.push_back(call->mutable_operand(i));
    shapes.push_back(arrays.back()->shape());
    Shape expected = shapes.back();
    const Shape& part = result.tuple_shapes(i);
    const bool fits = part.IsArray() && expected.IsArray() && part.rank() == first.rank() &&
                      part.dimensions(static_cast<int>(dimension)) <=
                          first.dimensions(static_cast<int>(dimension));
    if (fits) {
      expected.set_dimensions(static_cast<int>(dimension),
                              part.dimensions(static_cast<int>(dimension)));
    }
    if (!fits || !ShapeUtil::Compatible(expected, part)) {
      return Refuse(*call, "the results of ApproxTopK are parts of the arrays along reduction_dim");
    }
  }
  SortAttributes attributes;
  attributes.dimensions = {dimension};
  attributes.is_stable = true;
  HloComputation* const compare = call->to_apply();
  HloInstruction* const sorted =
      b.Make(HloOpcode::kSort, count == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes), arrays,
             std::move(attributes), {&compare, 1});
  std::vector<HloInstruction*> parts;
  for (int i = 0; i < count; ++i) {
    const Shape& part = result.tuple_shapes(i);
    SliceAttributes slice;
    for (const int64_t size : part.dimensions()) {
      slice.slice.push_back({0, size, 1});
    }
    HloInstruction* const array = count == 1 ? sorted : b.Element(sorted, i);
    parts.push_back(b.Make(HloOpcode::kSlice, part, {array}, std::move(slice)));
  }
  return b.Make(HloOpcode::kTuple, result, parts);
}

struct Expansion {
  absl::string_view target;
  Result (*expand)(HloInstruction* call, GraphBuilder& b);
};
constexpr Expansion kExpansions[] = {
    {"ApproxTopK", ExpandApproxTopK},
    {"CreateBuffer", ExpandCreateBuffer},
    {"LayoutConstraint", ExpandLayoutConstraint},
    {"Pin", ExpandPin},
    {"SPMDFullToShardShape", ExpandAnnotation},
    {"SPMDShardToFullShape", ExpandAnnotation},
    {"Sharding", ExpandAnnotation},
    {"TopK", ExpandTopK},
    {"Unpin", ExpandPin},
    {"control_dep", ExpandControlDep},
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

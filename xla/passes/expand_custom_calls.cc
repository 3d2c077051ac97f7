// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/passes/custom_call_forms.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/sort_keys.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

absl::Status Refuse(const HloInstruction& call, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(call.ToShortString(), ": ", why));
}

Result ExpandAnnotation(HloInstruction* call, GraphBuilder&) {
  const absl::string_view error = ErrorOfAnnotation(*call);
  return error.empty() ? Result(call->operand(0)) : Refuse(*call, error);
}

// Values have no layouts here: layouts of instructions only matter at the boundaries of the
// program.
Result ExpandLayoutConstraint(HloInstruction* call, GraphBuilder&) {
  const absl::string_view error = ErrorOfLayoutConstraint(*call);
  return error.empty() ? Result(call->operand(0)) : Refuse(*call, error);
}

// Pin turns an array into a buffer that is updated in place, Unpin does the reverse. Both are the
// same memory here: an updated array is copied if it has other readers.
Result ExpandPin(HloInstruction* call, GraphBuilder& b) {
  const absl::string_view error = ErrorOfPin(*call);
  if (!error.empty()) return Refuse(*call, error);
  return b.Unary(HloOpcode::kCopy, call->operand(0));
}

// A buffer with undefined contents: zeros.
Result ExpandCreateBuffer(HloInstruction* call, GraphBuilder& b) {
  const absl::string_view error = ErrorOfCreateBuffer(*call);
  return error.empty() ? Result(b.Zeros(call->shape())) : Refuse(*call, error);
}

// control_dep orders two operands, dce_sink marks operands as used: neither changes a value.
Result ExpandWithoutResults(HloInstruction* call, GraphBuilder& b) {
  const absl::string_view error = ErrorOfNoResults(*call);
  if (!error.empty()) return Refuse(*call, error);
  return b.Make(HloOpcode::kTuple, call->shape(), {});
}

Result ExpandTopK(HloInstruction* call, GraphBuilder& b) {
  const absl::string_view error = ErrorOfTopK(*call);
  if (!error.empty()) return Refuse(*call, error);
  const Shape& result = call->shape();
  const Shape &values = result.tuple_shapes(0), &indices = result.tuple_shapes(1);
  Shape as_s32 = result;
  as_s32.mutable_tuple_shapes(1)->set_element_type(S32);
  HloInstruction* const topk =
      b.Make(HloOpcode::kTopK, as_s32, {call->operand(0)},
             TopKAttributes{.k = values.dimensions().back(), .largest = true});
  if (indices.element_type() == S32) return topk;
  HloInstruction* const converted = b.Make(HloOpcode::kConvert, indices, {b.Element(topk, 1)});
  return b.Make(HloOpcode::kTuple, result, {b.Element(topk, 0), converted});
}

// Returns a comparator by the total order instead of the values of floating-point numbers, which
// only differ for zeros and NaNs: there are kernels for it. Other comparators are returned
// unchanged.
HloComputation* TotalComparator(HloComputation* comparator) {
  const std::optional<ComparedOperand> compared = RecognizeComparison(*comparator);
  const HloInstruction* root = comparator->root_instruction();
  if (!compared.has_value() || compared->order != KeyOrder::kPartial ||
      !primitive_util::IsFloatingPointType(root->operand(0)->shape().element_type())) {
    return comparator;
  }
  HloComputation* const total = comparator->parent()->AddComputation(comparator->name());
  GraphBuilder b(total);
  std::vector<HloInstruction*> parameters;
  for (const HloInstruction* parameter : comparator->parameter_instructions())
    parameters.push_back(b.Add(HloInstruction::CreateParameter(
        parameter->parameter_number(), parameter->shape(), parameter->name())));
  CompareAttributes attributes = root->attributes<CompareAttributes>();
  attributes.type = ComparisonType::kFloatTotalOrder;
  const auto operand = [&](int i) {
    return parameters[static_cast<size_t>(root->operand(i)->parameter_number())];
  };
  total->set_root_instruction(
      b.Make(HloOpcode::kCompare, root->shape(), {operand(0), operand(1)}, attributes));
  return total;
}

// Sorts by the call's comparator and takes the first elements.
Result ExpandApproxTopK(HloInstruction* call, GraphBuilder& b) {
  const absl::StatusOr<int64_t> dimension = ApproxTopKDimension(*call);
  if (!dimension.ok()) return Refuse(*call, dimension.status().message());
  const int64_t count = call->operand_count() / 2;
  const Shape& result = call->shape();
  std::vector<HloInstruction*> arrays;
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i) {
    arrays.push_back(call->mutable_operand(i));
    shapes.push_back(arrays.back()->shape());
  }
  SortAttributes attributes;
  attributes.dimensions = {*dimension};
  attributes.is_stable = true;
  HloComputation* const compare = TotalComparator(call->to_apply());
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

// Linear algebra is kept: the compiler has kernels for it. Null means unchanged.
Result CheckQr(HloInstruction* call, GraphBuilder&) {
  const absl::string_view error = ErrorOfQr(*call);
  return error.empty() ? Result(nullptr) : Refuse(*call, error);
}
Result CheckHouseholderProduct(HloInstruction* call, GraphBuilder&) {
  const absl::string_view error = ErrorOfHouseholderProduct(*call);
  return error.empty() ? Result(nullptr) : Refuse(*call, error);
}
Result CheckEigh(HloInstruction* call, GraphBuilder&) {
  const absl::Status status = EighConfigOf(*call).status();
  return status.ok() ? Result(nullptr) : Refuse(*call, status.message());
}

struct Expansion {
  absl::string_view target;
  Result (*expand)(HloInstruction* call, GraphBuilder& b);
};
constexpr Expansion kExpansions[] = {
    {"ApproxTopK", ExpandApproxTopK},
    {"CreateBuffer", ExpandCreateBuffer},
    {"Eigh", CheckEigh},
    {"LayoutConstraint", ExpandLayoutConstraint},
    {"Pin", ExpandPin},
    {"ProductOfElementaryHouseholderReflectors", CheckHouseholderProduct},
    {"Qr", CheckQr},
    {"SPMDFullToShardShape", ExpandAnnotation},
    {"SPMDShardToFullShape", ExpandAnnotation},
    {"Sharding", ExpandAnnotation},
    {"TopK", ExpandTopK},
    {"Unpin", ExpandPin},
    {"control_dep", ExpandWithoutResults},
    {"dce_sink", ExpandWithoutResults},
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
        if (value == nullptr) break;
        XLA_RETURN_IF_ERROR(computation->ReplaceInstructionWithDifferentShape(call, value));
        changed = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace xla

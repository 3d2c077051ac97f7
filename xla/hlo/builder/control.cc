// SPDX-License-Identifier: Apache-2.0
// Tuples, calls, loops, branches.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/scoped_assignment.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements) {
  return builder->Record("Tuple", [&]() -> absl::StatusOr<XlaOp> {
    // The origin of a tuple is that of its elements.
    const XlaScopedOriginalValueAssignment none(builder, std::nullopt);
    XLA_ASSIGN_OR_RETURN(const XlaOp op, builder->state().Add(HloOpcode::kTuple, elements));
    XLA_ASSIGN_OR_RETURN(HloInstruction * tuple, builder->state().Find(op));
    const bool has_origin = std::any_of(tuple->operands().begin(), tuple->operands().end(),
                                        [](const HloInstruction* element) {
                                          const auto& value = element->extras().original_value;
                                          return value.has_value() && !value->is_synthetic_call;
                                        });
    if (!has_origin) return op;
    OriginalValue value(tuple->shape());
    for (int64_t i = 0; i < tuple->operand_count(); ++i) {
      const auto& element = tuple->operand(i)->extras().original_value;
      if (!element.has_value() || element->is_synthetic_call) continue;
      value.mutable_tree()->CopySubtreeFrom(OriginalValue(*element).tree(), {}, {i});
    }
    tuple->mutable_extras().original_value = value.ToTree();
    return op;
  });
}

XlaOp GetTupleElement(XlaOp tuple_data, int64_t index) {
  XlaBuilder* builder = XlaBuilder::Of({tuple_data});
  if (builder == nullptr) return XlaOp();
  return builder->Record("GetTupleElement", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(tuple_data));
    if (!shape->IsTuple()) {
      return InvalidArgument("Operand to GetTupleElement() is not a tuple; got %s",
                             ShapeUtil::HumanString(*shape));
    }
    // The element's origin, if the tuple has one; else that of the builder.
    XLA_ASSIGN_OR_RETURN(HloInstruction * tuple, builder->state().Find(tuple_data));
    std::optional<OriginalValueProto> origin = builder->original_value();
    if (const auto& whole = tuple->extras().original_value; whole.has_value()) {
      const auto element = OriginalValue(*whole).tree().Subtree({index});
      if (element.ok()) origin = OriginalValue(*element).ToProto();
    }
    const XlaScopedOriginalValueAssignment assignment(builder, std::move(origin));
    return builder->state().Add(HloOpcode::kGetTupleElement, {tuple_data},
                                TupleIndexAttributes{.index = index});
  });
}

XlaOp Call(XlaBuilder* builder, XlaComputationRef computation, absl::Span<const XlaOp> operands) {
  return builder->Record("Call", [&] {
    return builder->state().Add(HloOpcode::kCall, operands, CallAttributes{}, nullptr,
                                {&computation, 1});
  });
}

XlaOp CompositeCall(XlaBuilder* builder, XlaComputationRef computation,
                    absl::Span<const XlaOp> operands, const std::string& name,
                    std::optional<absl::string_view> attributes, std::optional<int64_t> version) {
  return builder->Record("CompositeCall", [&]() -> absl::StatusOr<XlaOp> {
    if (name.empty()) {
      return InvalidArgument(
          "A composite call op must have frontend attributes with key composite.name whose value "
          "is non-empty");
    }
    if (attributes.has_value() && attributes->empty()) {
      return InvalidArgument(
          "A composite call op must have frontend attributes with key composite.attributes whose "
          "value is default: {} or non-empty");
    }
    if (version.value_or(0) < 0) {
      return InvalidArgument(
          "A composite call op must have frontend attributes with a composite.version whose value "
          "is a non-negative integer but got: %d",
          *version);
    }
    XLA_ASSIGN_OR_RETURN(const XlaOp op, builder->state().Add(HloOpcode::kCall, operands,
                                                              CallAttributes{.is_composite = true},
                                                              nullptr, {&computation, 1}));
    XLA_ASSIGN_OR_RETURN(HloInstruction * call, builder->state().Find(op));
    auto& frontend = call->mutable_extras().frontend_attributes;
    frontend["composite.name"] = name;
    frontend["composite.attributes"] = attributes.has_value() ? std::string(*attributes) : "{}";
    frontend["composite.version"] = std::to_string(version.value_or(0));
    return op;
  });
}

XlaOp While(XlaComputationRef condition, XlaComputationRef body, XlaOp init) {
  XlaBuilder* builder = XlaBuilder::Of({init});
  if (builder == nullptr) return XlaOp();
  return builder->Record("While", [&] {
    return builder->state().Add(HloOpcode::kWhile, {init}, NoAttributes{}, nullptr,
                                {body, condition});
  });
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddConditional(
    PrimitiveType index_type, XlaOp index, absl::Span<const XlaComputationRef> branches,
    absl::Span<const XlaOp> branch_operands) {
  XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(index));
  if (!ShapeUtil::IsScalarWithElementType(*shape, index_type)) {
    return InvalidArgumentStrCat("Argument to ", index_type == PRED ? "predicated" : "indexed",
                                 "-Conditional is not a scalar of ", PrimitiveType_Name(index_type),
                                 " type (", ShapeUtil::HumanString(*shape), ").");
  }
  return Add(HloOpcode::kConditional, Concatenated({index}, branch_operands), NoAttributes{},
             nullptr, branches);
}

XlaOp Conditional(XlaOp predicate, XlaOp true_operand, XlaComputationRef true_computation,
                  XlaOp false_operand, XlaComputationRef false_computation) {
  XlaBuilder* builder = XlaBuilder::Of({predicate, true_operand, false_operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Conditional", [&] {
    const XlaComputationRef branches[] = {true_computation, false_computation};
    return builder->state().AddConditional(PRED, predicate, branches,
                                           {true_operand, false_operand});
  });
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputation* const> branch_computations,
                  absl::Span<const XlaOp> branch_operands) {
  XlaBuilder* builder = XlaBuilder::Of({branch_index});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Conditional", [&]() -> absl::StatusOr<XlaOp> {
    std::vector<XlaComputationRef> branches;
    for (const XlaComputation* computation : branch_computations) {
      if (computation == nullptr) return InvalidArgument("A branch is a null pointer.");
      branches.emplace_back(*computation);
    }
    return builder->state().AddConditional(S32, branch_index, branches, branch_operands);
  });
}

XlaOp Conditional(XlaOp branch_index, absl::Span<const XlaComputationId> branch_computations,
                  absl::Span<const XlaOp> branch_operands) {
  XlaBuilder* builder = XlaBuilder::Of({branch_index});
  if (builder == nullptr) return XlaOp();
  return builder->Record("Conditional", [&] {
    const std::vector<XlaComputationRef> branches(branch_computations.begin(),
                                                  branch_computations.end());
    return builder->state().AddConditional(S32, branch_index, branches, branch_operands);
  });
}

XlaOp OptimizationBarrier(XlaOp operand) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return XlaOp();
  return builder->Record("OptimizationBarrier", [&] {
    return builder->state().Add(HloOpcode::kOptimizationBarrier, {operand});
  });
}

}  // namespace xla

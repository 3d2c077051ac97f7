// SPDX-License-Identifier: Apache-2.0
// Tuples, calls, loops, branches.
#include <string>

#include "xla/hlo/builder/builder_state.h"
#include "xla/shape_util.h"

namespace xla {

XlaOp XlaBuilder::Tuple(absl::Span<const XlaOp> elements, CallSite site) {
  return Record("Tuple", site, [&] { return state_->Add(HloOpcode::kTuple, elements); });
}

XlaOp XlaBuilder::GetTupleElement(XlaOp tuple_data, int64_t index, CallSite site) {
  return Record("GetTupleElement", site, [&] {
    return state_->Add(HloOpcode::kGetTupleElement, {tuple_data},
                       TupleIndexAttributes{.index = index});
  });
}

XlaOp XlaBuilder::Call(XlaComputationRef computation, absl::Span<const XlaOp> operands,
                       CallSite site) {
  return Record("Call", site, [&] {
    return state_->Add(HloOpcode::kCall, operands, CallAttributes{}, nullptr, {&computation, 1});
  });
}

XlaOp XlaBuilder::CompositeCall(XlaComputationRef computation, absl::Span<const XlaOp> operands,
                                const std::string& name,
                                std::optional<absl::string_view> attributes,
                                std::optional<int64_t> version, CallSite site) {
  return Record("CompositeCall", site, [&]() -> absl::StatusOr<XlaOp> {
    if (name.empty()) return InvalidArgument("A composite must have a name.");
    if (attributes.has_value() && attributes->empty())
      return InvalidArgument("The attributes of a composite must not be empty; none are {}.");
    if (version.value_or(0) < 0)
      return InvalidArgument("The version of a composite must not be negative; got %d.", *version);
    XLA_ASSIGN_OR_RETURN(const XlaOp op, state_->Add(HloOpcode::kCall, operands,
                                                     CallAttributes{.is_composite = true}, nullptr,
                                                     {&computation, 1}));
    XLA_ASSIGN_OR_RETURN(HloInstruction * call, state_->Find(op));
    auto& frontend = call->mutable_extras().frontend_attributes;
    frontend["composite.name"] = name;
    frontend["composite.attributes"] = attributes.has_value() ? std::string(*attributes) : "{}";
    frontend["composite.version"] = std::to_string(version.value_or(0));
    return op;
  });
}

XlaOp XlaBuilder::While(XlaComputationRef condition, XlaComputationRef body, XlaOp init,
                        CallSite site) {
  return Record("While", site, [&] {
    return state_->Add(HloOpcode::kWhile, {init}, NoAttributes{}, nullptr, {body, condition});
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

XlaOp XlaBuilder::Conditional(XlaOp predicate, XlaOp true_operand,
                              XlaComputationRef true_computation, XlaOp false_operand,
                              XlaComputationRef false_computation, CallSite site) {
  return Record("Conditional", site, [&] {
    const XlaComputationRef branches[] = {true_computation, false_computation};
    return state_->AddConditional(PRED, predicate, branches, {true_operand, false_operand});
  });
}

XlaOp XlaBuilder::Conditional(XlaOp branch_index,
                              absl::Span<const XlaComputation* const> branch_computations,
                              absl::Span<const XlaOp> branch_operands, CallSite site) {
  return Record("Conditional", site, [&]() -> absl::StatusOr<XlaOp> {
    std::vector<XlaComputationRef> branches;
    for (const XlaComputation* computation : branch_computations) {
      if (computation == nullptr) return InvalidArgument("A branch is a null pointer.");
      branches.emplace_back(*computation);
    }
    return state_->AddConditional(S32, branch_index, branches, branch_operands);
  });
}

XlaOp XlaBuilder::Conditional(XlaOp branch_index,
                              absl::Span<const XlaComputationId> branch_computations,
                              absl::Span<const XlaOp> branch_operands, CallSite site) {
  return Record("Conditional", site, [&] {
    const std::vector<XlaComputationRef> branches(branch_computations.begin(),
                                                  branch_computations.end());
    return state_->AddConditional(S32, branch_index, branches, branch_operands);
  });
}

XlaOp XlaBuilder::OptimizationBarrier(XlaOp operand, CallSite site) {
  return Record("OptimizationBarrier", site,
                [&] { return state_->Add(HloOpcode::kOptimizationBarrier, {operand}); });
}

}  // namespace xla

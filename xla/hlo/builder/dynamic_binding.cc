// SPDX-License-Identifier: Apache-2.0
// Parameters whose sizes are given by other parameters.
#include "xla/hlo/builder/builder_state.h"
#include "xla/shape_util.h"

namespace xla {

absl::StatusOr<XlaOp> XlaBuilder::State::PartOf(XlaOp op, absl::Span<const int64_t> index) {
  for (const int64_t i : index) {
    XLA_ASSIGN_OR_RETURN(op,
                         Add(HloOpcode::kGetTupleElement, {op}, TupleIndexAttributes{.index = i}));
  }
  return op;
}

absl::StatusOr<int64_t> XlaBuilder::State::PositionOfParameter(int64_t number) const {
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i]->opcode() == HloOpcode::kParameter &&
        instructions[i]->parameter_number() == number) {
      return static_cast<int64_t>(i);
    }
  }
  return InvalidArgument("There is no parameter %d to bind.", number);
}

// From here on, the handle of the target refers to the parameter with its dynamic size set.
absl::Status XlaBuilder::SetDynamicBinding(int64_t dynamic_size_param_num,
                                           const ShapeIndex& dynamic_size_param_index,
                                           int64_t target_param_num,
                                           const ShapeIndex& target_param_index,
                                           int64_t target_dim) {
  const XlaOp bound = Record("SetDynamicBinding", [&]() -> absl::StatusOr<XlaOp> {
    State& s = *state_;
    XLA_ASSIGN_OR_RETURN(const int64_t size_position,
                         s.PositionOfParameter(dynamic_size_param_num));
    const auto found = s.bound_parameters.find(target_param_num);
    int64_t target_position = 0;
    if (found != s.bound_parameters.end()) {
      target_position = found->second;
    } else {
      XLA_ASSIGN_OR_RETURN(target_position, s.PositionOfParameter(target_param_num));
    }
    HloInstruction* target = s.instructions[target_position];
    if (target->user_count() > 0) {
      return InvalidArgumentStrCat("Parameter ", target_param_num,
                                   " cannot be bound: it is used already, by ",
                                   target->users()[0]->ToShortString(), ".");
    }
    const XlaOp target_op(this, s.first_handle + target_position);
    XLA_ASSIGN_OR_RETURN(const XlaOp size, s.PartOf(XlaOp(this, s.first_handle + size_position),
                                                    dynamic_size_param_index));
    // Takes the nested tuples apart down to the array, then rebuilds them.
    std::vector<XlaOp> path = {target_op};
    for (const int64_t i : target_param_index) {
      XLA_ASSIGN_OR_RETURN(const XlaOp part, s.PartOf(path.back(), {i}));
      path.push_back(part);
    }
    XLA_ASSIGN_OR_RETURN(XlaOp value, s.Add(HloOpcode::kSetDimensionSize, {path.back(), size},
                                            OneDimensionAttributes{.dimensions = {target_dim}}));
    for (size_t level = target_param_index.size(); level-- > 0;) {
      XLA_ASSIGN_OR_RETURN(const Shape* tuple, s.ShapeOf(path[level]));
      std::vector<XlaOp> elements;
      const int count = tuple->tuple_shapes_size();
      for (int i = 0; i < count; ++i) {
        if (i == target_param_index[level]) {
          elements.push_back(value);
        } else {
          XLA_ASSIGN_OR_RETURN(const XlaOp element, s.PartOf(path[level], {i}));
          elements.push_back(element);
        }
      }
      XLA_ASSIGN_OR_RETURN(value, s.Add(HloOpcode::kTuple, elements));
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * made, s.Find(value));
    s.instructions[target_position] = made;
    s.bound_parameters[target_param_num] = target_position;
    return value;
  });
  return bound.valid() ? absl::OkStatus() : first_error();
}

}  // namespace xla

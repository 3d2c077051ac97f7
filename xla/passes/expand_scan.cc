// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/expand_scan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/clone.h"
#include "xla/passes/expand.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape.dimensions()) count *= size;
  return count;
}

class ScanEmitter {
 public:
  ScanEmitter(GraphBuilder& b, const HloInstruction& scan,
              absl::Span<HloInstruction* const> operands)
      : b_(b), scan_(scan), attributes_(scan.attributes<ScanAttributes>()), operands_(operands) {}

  absl::StatusOr<std::vector<HloInstruction*>> Run(HloInstruction* steps) {
    dimension_ = attributes_.dimensions.empty() ? -1 : attributes_.dimensions[0];
    carries_ = attributes_.num_carries;
    inputs_ = static_cast<int64_t>(operands_.size()) - carries_;
    const Shape& shape = scan_.shape();
    const int64_t results = shape.IsTuple() ? shape.tuple_shapes_size() : 1;
    outputs_ = results - carries_;
    const HloComputation& function = *scan_.to_apply();
    if (dimension_ < 0 || carries_ < 0 || inputs_ < 0 || outputs_ < 0 || inputs_ + outputs_ == 0 ||
        function.num_parameters() != inputs_ + carries_) {
      return Mismatch("operands, results and computation of a scan do not match");
    }
    by_element_ = true;
    for (const HloInstruction* parameter : function.parameter_instructions()) {
      by_element_ &= parameter->shape().IsArray() && parameter->shape().rank() == 0;
    }
    const Shape& first = inputs_ > 0 ? operands_[0]->shape() : ResultShape(0);
    if (dimension_ >= first.rank()) return Mismatch("there is no such dimension");
    bound_ = first.dimensions(static_cast<int>(dimension_));

    // The state: step, steps, inputs, outputs, carries.
    std::vector<HloInstruction*> state = {b_.Scalar(S32, 0), steps};
    if (steps == nullptr) state[1] = b_.Scalar(S32, static_cast<double>(bound_));
    for (int64_t i = 0; i < inputs_; ++i) state.push_back(operands_[static_cast<size_t>(i)]);
    for (int64_t i = 0; i < outputs_; ++i) state.push_back(b_.Zeros(Static(ResultShape(i))));
    for (int64_t k = 0; k < carries_; ++k) {
      HloInstruction* const init = operands_[static_cast<size_t>(inputs_ + k)];
      const Shape carry = Static(ResultShape(outputs_ + k));
      if (ElementCount(init->shape()) == ElementCount(carry)) {
        state.push_back(b_.Reshape(init, carry.dimensions()));
      } else if (ElementCount(init->shape()) == 1) {
        state.push_back(b_.Splat(b_.Reshape(init, {}), carry.dimensions()));
      } else {
        return Mismatch("an initial value does not have the shape of its carry");
      }
      if (init->shape().element_type() != carry.element_type()) {
        return Mismatch("the computation's types differ from those of operands and results");
      }
    }
    HloInstruction* const initial = b_.Tuple(state);
    XLA_ASSIGN_OR_RETURN(HloComputation* const body, MakeBody(initial->shape()));
    HloComputation* called[] = {body, MakeCondition(initial->shape())};
    HloInstruction* const loop =
        b_.Make(HloOpcode::kWhile, initial->shape(), {initial}, NoAttributes{}, called);
    std::vector<HloInstruction*> values;
    for (int64_t i = 0; i < results; ++i) values.push_back(b_.Element(loop, 2 + inputs_ + i));
    return values;
  }

 private:
  absl::Status Mismatch(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(scan_.name(), ": ", what));
  }
  static Shape Static(const Shape& shape) {
    return Shape(shape.element_type(), shape.dimensions());
  }
  const Shape& ResultShape(int64_t i) const {
    return scan_.shape().IsTuple() ? scan_.shape().tuple_shapes(static_cast<int>(i))
                                   : scan_.shape();
  }
  HloModule* module() const { return b_.computation()->parent(); }

  HloComputation* MakeCondition(const Shape& state) const {
    HloComputation* const computation = module()->AddComputation("scan_condition");
    GraphBuilder c(computation);
    HloInstruction* const p = c.Add(HloInstruction::CreateParameter(0, state, "state"));
    computation->set_root_instruction(c.Less(c.Element(p, 0), c.Element(p, 1)));
    return computation;
  }

  absl::StatusOr<HloComputation*> MakeBody(const Shape& state) const {
    HloComputation* const computation = module()->AddComputation("scan_body");
    GraphBuilder c(computation);
    HloInstruction* const p = c.Add(HloInstruction::CreateParameter(0, state, "state"));
    HloInstruction *const step = c.Element(p, 0), *const steps = c.Element(p, 1);
    HloInstruction* const one = c.Scalar(S32, 1);
    HloInstruction* const at = attributes_.is_reverse ? c.Minus(c.Minus(steps, one), step) : step;
    HloInstruction* const zero = c.Scalar(S32, 0);
    const auto starts = [&](const Shape& shape) {
      std::vector<HloInstruction*> list(static_cast<size_t>(shape.rank()), zero);
      list[static_cast<size_t>(dimension_)] = at;
      return list;
    };
    const auto slice_sizes = [&](const Shape& shape) {
      std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
      sizes[static_cast<size_t>(dimension_)] = 1;
      return sizes;
    };
    std::vector<HloInstruction*> next = {c.Plus(step, one), steps};
    std::vector<HloInstruction*> arguments;
    for (int64_t i = 0; i < inputs_; ++i) {
      HloInstruction* const array = c.Element(p, 2 + i);
      next.push_back(array);
      arguments.push_back(
          c.DynamicSlice(array, starts(array->shape()), slice_sizes(array->shape())));
    }
    for (int64_t k = 0; k < carries_; ++k)
      arguments.push_back(c.Element(p, 2 + inputs_ + outputs_ + k));
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> values, Apply(c, arguments));
    for (int64_t i = 0; i < outputs_; ++i) {
      HloInstruction* const array = c.Element(p, 2 + inputs_ + i);
      const std::vector<int64_t> sizes = slice_sizes(array->shape());
      const Shape slice(array->shape().element_type(), sizes);
      HloInstruction* const value = values[static_cast<size_t>(i)];
      if (ElementCount(value->shape()) != ElementCount(slice) ||
          value->shape().element_type() != slice.element_type()) {
        return Mismatch("an output does not have the shape of a slice");
      }
      next.push_back(c.DynamicUpdateSlice(array, c.Reshape(value, sizes), starts(array->shape())));
    }
    for (int64_t k = 0; k < carries_; ++k) {
      const Shape& shape = state.tuple_shapes(static_cast<int>(2 + inputs_ + outputs_ + k));
      HloInstruction* const value = values[static_cast<size_t>(outputs_ + k)];
      if (ElementCount(value->shape()) != ElementCount(shape) ||
          value->shape().element_type() != shape.element_type()) {
        return Mismatch("a carry does not have the shape of a slice");
      }
      next.push_back(c.Reshape(value, shape.dimensions()));
    }
    computation->set_root_instruction(c.Tuple(next));
    return computation;
  }

  // The function of slices and carries: outputs and carries.
  absl::StatusOr<std::vector<HloInstruction*>> Apply(
      GraphBuilder& c, absl::Span<HloInstruction* const> arguments) const {
    const HloComputation& function = *scan_.to_apply();
    std::vector<HloInstruction*> values;
    const int64_t results = outputs_ + carries_;
    if (!by_element_) {
      std::vector<HloInstruction*> shaped;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const Shape& shape = function.parameter_instruction(static_cast<int64_t>(i))->shape();
        if (!shape.IsArray() || ElementCount(shape) != ElementCount(arguments[i]->shape())) {
          return Mismatch("a parameter does not have the shape of a slice");
        }
        shaped.push_back(c.Reshape(arguments[i], shape.dimensions()));
      }
      HloComputation* called[] = {scan_.to_apply()};
      HloInstruction* const call = c.Make(HloOpcode::kCall, function.root_instruction()->shape(),
                                          shaped, CallAttributes(), called);
      if (!call->shape().IsTuple()) return std::vector<HloInstruction*>{call};
      for (int64_t i = 0; i < results; ++i) values.push_back(c.Element(call, i));
      return values;
    }
    // Arrays of the dimensions of a slice; a function of scalars for each result.
    const auto sizes = arguments[0]->shape().dimensions();
    const std::vector<int64_t> dimensions(sizes.begin(), sizes.end());
    std::vector<HloInstruction*> arrays;
    for (HloInstruction* argument : arguments) {
      if (ElementCount(argument->shape()) != ElementCount(arguments[0]->shape())) {
        return Mismatch("a carry does not have the shape of a slice");
      }
      arrays.push_back(c.Reshape(argument, dimensions));
    }
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i]->shape().element_type() !=
          function.parameter_instruction(static_cast<int64_t>(i))->shape().element_type()) {
        return Mismatch("the computation's types differ from those of operands and results");
      }
    }
    for (int64_t i = 0; i < results; ++i) {
      CloneMap map;
      HloComputation* const copy = CloneComputation(function, module(), &map);
      HloInstruction* root = copy->root_instruction();
      if (root->shape().IsTuple()) {
        GraphBuilder r(copy);
        root = root->opcode() == HloOpcode::kTuple ? root->operand(i) : r.Element(root, i);
        copy->set_root_instruction(root);
      }
      HloComputation* called[] = {copy};
      std::vector<int64_t> all;
      for (size_t d = 0; d < dimensions.size(); ++d) all.push_back(static_cast<int64_t>(d));
      values.push_back(c.Make(HloOpcode::kMap, Shape(root->shape().element_type(), dimensions),
                              arrays, MapAttributes{.dimensions = all}, called));
    }
    return values;
  }

  GraphBuilder& b_;
  const HloInstruction& scan_;
  const ScanAttributes& attributes_;
  const absl::Span<HloInstruction* const> operands_;
  int64_t dimension_ = -1, carries_ = 0, inputs_ = 0, outputs_ = 0, bound_ = 0;
  bool by_element_ = true;
};

}  // namespace

absl::StatusOr<std::vector<HloInstruction*>> EmitScan(GraphBuilder& b, const HloInstruction& scan,
                                                      absl::Span<HloInstruction* const> operands,
                                                      HloInstruction* steps) {
  return ScanEmitter(b, scan, operands).Run(steps);
}

absl::StatusOr<bool> ExpandScans(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* scan : computation->MakeInstructionPostOrder()) {
      if (scan->opcode() != HloOpcode::kScan) continue;
      GraphBuilder b(computation, scan);
      const std::vector<HloInstruction*> operands(scan->operands().begin(), scan->operands().end());
      XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> results,
                           EmitScan(b, *scan, operands, /*steps=*/nullptr));
      HloInstruction* const value =
          scan->shape().IsTuple() ? b.Make(HloOpcode::kTuple, scan->shape(), results) : results[0];
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(scan, value));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla

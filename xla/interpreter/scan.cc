// SPDX-License-Identifier: Apache-2.0
// scan: a computation carried along one dimension, giving an array of outputs and the last carries.
//
// With m inputs and k carries, step i is (out_0.., carry'_0..) = f(x_0[i].., carry_0..), where x[i]
// is the slice of an input at i. The parameters of f are such slices, or scalars: then f works on
// each element of the slices alone.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/value.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

// Steps between two polls, unless their operations poll: a millisecond.
constexpr int64_t kStepsPerPoll = 1024;

// An array cut along the scanned dimension: [outer, steps, inner].
struct Sliced {
  Sliced(const Value& value, int64_t dimension)
      : bytes(primitive_util::ByteWidth(value.element_type())),
        steps(value.dimensions()[dimension]) {
    for (int64_t d = 0; d < value.rank(); ++d) {
      if (d < dimension) outer *= value.dimensions()[d];
      if (d > dimension) inner *= value.dimensions()[d];
    }
  }

  absl::Status Read(EvalContext& ctx, const Value& value, int64_t step, void* slice) const {
    return StridedCopy(ctx, bytes, {outer, inner},
                       static_cast<const char*>(value.untyped_data()) + step * inner * bytes,
                       {steps * inner, 1}, slice, {inner, 1});
  }
  absl::Status Write(EvalContext& ctx, const void* slice, int64_t step, Value& value) const {
    return StridedCopy(ctx, bytes, {outer, inner}, slice, {inner, 1},
                       static_cast<char*>(value.mutable_untyped_data()) + step * inner * bytes,
                       {steps * inner, 1});
  }

  int64_t bytes, outer = 1, steps, inner = 1;
  int64_t slice_elements() const { return outer * inner; }
};

}  // namespace

absl::StatusOr<Value> EvalScan(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<ScanAttributes>();
  const int64_t dimension = attributes.dimensions.empty() ? -1 : attributes.dimensions[0];
  const int64_t carries = attributes.num_carries,
                inputs = static_cast<int64_t>(operands.size()) - carries;
  const int64_t results_count = inst.shape().IsTuple() ? inst.shape().tuple_shapes_size() : 1;
  const int64_t outputs = results_count - carries;
  const HloComputation& computation = *inst.to_apply();
  if (dimension < 0 || carries < 0 || inputs < 0 || outputs < 0 || inputs + outputs == 0 ||
      computation.num_parameters() != inputs + carries) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            "operands, results and computation of a scan do not match");
  }
  const auto result_shape = [&](int64_t i) -> const Shape& {
    return inst.shape().IsTuple() ? inst.shape().tuple_shapes(i) : inst.shape();
  };

  std::vector<Value> results;
  for (int64_t i = 0; i < results_count; ++i) {
    XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(result_shape(i)));
    results.push_back(std::move(result));
  }
  std::vector<Sliced> in, out;
  for (int64_t i = 0; i < inputs; ++i) in.emplace_back(operands[i], dimension);
  for (int64_t i = 0; i < outputs; ++i) out.emplace_back(results[i], dimension);
  const Sliced& first = inputs > 0 ? in[0] : out[0];
  // Only slices that exist are scanned.
  const int64_t steps = inputs > 0 ? operands[0].dynamic_size(dimension) : first.steps;
  const int64_t elements = first.slice_elements();

  // Carries start in their results; an initial value may be one scalar for all elements.
  for (int64_t k = 0; k < carries; ++k) {
    Value& carry = results[outputs + k];
    const Value& init = operands[inputs + k];
    const int64_t bytes = primitive_util::ByteWidth(carry.element_type());
    if (init.element_count() == carry.element_count()) {
      std::memcpy(carry.mutable_untyped_data(), init.untyped_data(), init.byte_size());
    } else if (init.element_count() == 1) {
      XLA_RETURN_IF_ERROR(FillElements(ctx, bytes, carry.element_count(), init.untyped_data(),
                                       carry.mutable_untyped_data()));
    } else {
      return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                              "an initial value does not have the shape of its carry");
    }
  }

  bool by_element = true;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    by_element &= parameter->shape().IsArray() && parameter->shape().rank() == 0;
  }
  const ScalarFunction* function = by_element ? ctx.GetScalarFunction(computation) : nullptr;
  if (function != nullptr) {
    bool types_fit =
        function->num_inputs() == inputs + carries && function->num_outputs() == results_count;
    for (int64_t i = 0; types_fit && i < inputs; ++i)
      types_fit = function->input_type(i) == operands[i].element_type();
    for (int64_t i = 0; types_fit && i < results_count; ++i) {
      types_fit = function->output_type(i) == results[i].element_type();
    }
    for (int64_t k = 0; types_fit && k < carries; ++k) {
      types_fit = function->input_type(inputs + k) == operands[inputs + k].element_type() &&
                  function->output_type(outputs + k) == operands[inputs + k].element_type();
    }
    if (!types_fit) {
      return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                              "the computation's types differ from those of operands and results");
    }
    for (int64_t k = 0; k < carries; ++k) {
      if (results[outputs + k].element_count() != elements) {
        return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                                "a carry does not have the shape of a slice");
      }
    }
    std::vector<Value> slices;  // of inputs, then of outputs
    absl::InlinedVector<const void*, 4> f_in;
    absl::InlinedVector<void*, 4> f_out;
    for (int64_t i = 0; i < inputs + outputs; ++i) {
      const Sliced& sliced = i < inputs ? in[i] : out[i - inputs];
      XLA_ASSIGN_OR_RETURN(Value slice,
                           ctx.AllocateScratch(sliced.slice_elements() * sliced.bytes));
      slices.push_back(std::move(slice));
      if (i < inputs) {
        f_in.push_back(slices.back().untyped_data());
      } else {
        f_out.push_back(slices.back().mutable_untyped_data());
      }
    }
    for (int64_t k = 0; k < carries; ++k) {
      f_in.push_back(results[outputs + k].untyped_data());
      f_out.push_back(results[outputs + k].mutable_untyped_data());
    }
    for (int64_t s = 0; s < steps; ++s) {
      if (s % kStepsPerPoll == kStepsPerPoll - 1) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
      const int64_t step = attributes.is_reverse ? steps - 1 - s : s;
      for (int64_t i = 0; i < inputs; ++i) {
        XLA_RETURN_IF_ERROR(in[i].Read(ctx, operands[i], step, slices[i].mutable_untyped_data()));
      }
      XLA_RETURN_IF_ERROR(function->Apply(ctx, elements, f_in, absl::MakeSpan(f_out)));
      for (int64_t i = 0; i < outputs; ++i) {
        XLA_RETURN_IF_ERROR(out[i].Write(ctx, slices[inputs + i].untyped_data(), step, results[i]));
      }
    }
  } else {
    std::vector<Value> carried;
    for (int64_t k = 0; k < carries; ++k) carried.push_back(std::move(results[outputs + k]));
    for (int64_t s = 0; s < steps; ++s) {
      if (s % kStepsPerPoll == kStepsPerPoll - 1) XLA_RETURN_IF_ERROR(ctx.CheckCancelled());
      const int64_t step = attributes.is_reverse ? steps - 1 - s : s;
      std::vector<Value> arguments;
      for (int64_t i = 0; i < inputs; ++i) {
        XLA_ASSIGN_OR_RETURN(Value slice,
                             ctx.Allocate(computation.parameter_instruction(i)->shape()));
        if (slice.element_count() != in[i].slice_elements()) {
          return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                                  "a parameter does not have the shape of a slice");
        }
        XLA_RETURN_IF_ERROR(in[i].Read(ctx, operands[i], step, slice.mutable_untyped_data()));
        arguments.push_back(std::move(slice));
      }
      for (int64_t k = 0; k < carries; ++k) {
        arguments.push_back(std::move(carried[k])
                                .WithShape(computation.parameter_instruction(inputs + k)->shape()));
      }
      XLA_ASSIGN_OR_RETURN(Value stepped, ctx.Call(computation, absl::MakeSpan(arguments)));
      std::vector<Value> values;
      if (stepped.IsTuple()) {
        values = std::move(stepped).TakeElements();
      } else {
        values.push_back(std::move(stepped));
      }
      for (int64_t i = 0; i < outputs; ++i) {
        if (values[i].element_count() != out[i].slice_elements()) {
          return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                                  "an output does not have the shape of a slice");
        }
        XLA_RETURN_IF_ERROR(out[i].Write(ctx, values[i].untyped_data(), step, results[i]));
      }
      for (int64_t k = 0; k < carries; ++k) carried[k] = std::move(values[outputs + k]);
    }
    for (int64_t k = 0; k < carries; ++k) {
      results[outputs + k] = std::move(carried[k]).WithShape(result_shape(outputs + k));
    }
  }
  if (inputs > 0 && operands[0].has_dynamic_sizes()) {
    // Outputs lie beside the inputs; carries have sizes of their own.
    const DimensionVector sizes = operands[0].existing_dimensions();
    for (int64_t i = 0; i < outputs; ++i) {
      if (results[i].dimensions() == operands[0].dimensions()) SetExistingSizes(sizes, results[i]);
    }
    for (int64_t k = 0; k < carries; ++k) {
      const Value& init = operands[inputs + k];
      if (function != nullptr && init.rank() == results[outputs + k].rank())
        SetExistingSizes(init.existing_dimensions(), results[outputs + k]);
    }
  }
  if (!inst.shape().IsTuple()) return std::move(results[0]);
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter

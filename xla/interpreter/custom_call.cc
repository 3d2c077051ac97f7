// SPDX-License-Identifier: Apache-2.0
// Custom calls: copies operands to host memory in the layouts that the instruction states, calls
// the handler, and copies its results to values.
#include "xla/runtime/custom_call.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/builtin_custom_calls.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/literal_io.h"
#include "xla/literal.h"
#include "xla/runtime/execution_context.h"
#include "xla/runtime/registry_call.h"

namespace xla::interpreter {
namespace {

// --- Handlers that work on literals ----------------------------------------------------------

// A row-major literal for a host function to read; it borrows the value's memory if possible.
absl::StatusOr<std::unique_ptr<LiteralBase>> LiteralForHost(EvalContext& ctx, const Value& value) {
  Shape shape = value.shape();
  if (shape.IsArray()) {
    shape.clear_layout();
    if (!value.has_dynamic_sizes()) {
      return std::make_unique<BorrowingLiteral>(static_cast<const char*>(value.untyped_data()),
                                                shape);
    }
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromValue(ctx, shape, value));
  return std::make_unique<Literal>(std::move(literal));
}

absl::StatusOr<Value> CallOnLiterals(EvalContext& ctx, const HloInstruction& inst,
                                     const CustomCallHandler& handler, absl::Span<Value> operands) {
  std::vector<std::unique_ptr<LiteralBase>> literals;
  std::vector<LiteralSlice> slices;
  for (const Value& operand : operands) {
    XLA_ASSIGN_OR_RETURN(std::unique_ptr<LiteralBase> literal, LiteralForHost(ctx, operand));
    literals.push_back(std::move(literal));
    slices.emplace_back(*literals.back());
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(inst.shape()));
  XLA_RETURN_IF_ERROR(handler(inst, slices, &result));
  return OwnedValueFromLiteral(ctx, inst.shape(), result);
}

// --- Handlers of a registry: raw memory -----------------------------------------------------

void CollectArrays(const Value& value, std::vector<runtime::RegistryArray>& arrays) {
  if (value.IsTuple()) {
    for (const Value& element : value.elements()) CollectArrays(element, arrays);
    return;
  }
  runtime::RegistryArray array;
  array.shape = &value.shape();
  if (value.IsArray()) {
    array.data = const_cast<void*>(value.untyped_data());
    array.sizes = value.existing_dimensions();
    array.is_exclusive = value.IsUnique();
  }
  arrays.push_back(std::move(array));
}

// Arrays for the results of a shape.
absl::StatusOr<Value> AllocateResults(EvalContext& ctx, const Shape& shape,
                                      std::vector<runtime::RegistryArray>& arrays) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Value value, AllocateResults(ctx, element, arrays));
      elements.push_back(std::move(value));
    }
    return ctx.MakeTuple(shape, std::move(elements));
  }
  Value value = Value::Token(shape);
  if (shape.IsArray()) {
    XLA_ASSIGN_OR_RETURN(value, ctx.Allocate(shape));
  }
  arrays.push_back({.shape = &shape});
  if (shape.IsArray()) arrays.back().data = value.mutable_untyped_data();
  return value;
}

// The value with the sizes that the handler set.
Value WithSizes(Value value, absl::Span<const runtime::RegistryArray>& arrays) {
  if (value.IsTuple()) {
    const Shape& shape = value.shape();
    std::vector<Value> elements = std::move(value).TakeElements();
    for (Value& element : elements) element = WithSizes(std::move(element), arrays);
    return Value::Tuple(shape, std::move(elements));
  }
  for (int i = 0; value.IsArray() && i < value.shape().rank(); ++i) {
    if (value.shape().is_dynamic_dimension(i))
      value.SetDynamicSize(i, arrays[0].sizes[static_cast<size_t>(i)]);
  }
  arrays.remove_prefix(1);
  return value;
}

absl::StatusOr<Value> CallRegistry(EvalContext& ctx, const HloInstruction& inst,
                                   const CustomCallRegistry& registry, absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<CustomCallAttributes>();
  runtime::RegistryCall call;
  call.target = attributes.custom_call_target;
  call.instruction = inst.name();
  call.opaque = inst.extras().backend_config;
  call.api_version = static_cast<int>(attributes.api_version);
  call.result_shape = &inst.shape();
  call.replica_id = ctx.device().replica;
  call.partition_id = ctx.device().partition;
  const InterpreterOptions& options = ctx.state().options();
  call.device_ordinal = runtime::OrdinalOf(options.device_ordinals, ctx.device().device);
  call.run_id = options.run_id;
  if (attributes.operand_layout_constraints.has_value())
    call.operand_layouts = &*attributes.operand_layout_constraints;
  for (const OutputOperandAlias& alias : attributes.output_to_operand_aliasing)
    call.aliases.push_back({alias.output_index, alias.operand_index, alias.operand});
  for (const Value& operand : operands) {
    call.operand_shapes.push_back(&operand.shape());
    CollectArrays(operand, call.arguments);
  }
  XLA_ASSIGN_OR_RETURN(Value result, AllocateResults(ctx, inst.shape(), call.results));
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(runtime::RunRegistryCall(
      registry, call, [&](int64_t bytes) { return kernel_context.Allocate(bytes); }));
  absl::Span<const runtime::RegistryArray> arrays = call.results;
  return WithSizes(std::move(result), arrays);
}

}  // namespace

absl::StatusOr<Value> EvalCustomCall(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  const std::string& target = inst.attributes<CustomCallAttributes>().custom_call_target;
  if (const CustomCallHandler* handler = ctx.state().FindCustomCall(target)) {
    return CallOnLiterals(ctx, inst, *handler, operands);
  }
  const CustomCallRegistry* registry = ctx.state().options().custom_call_registry;
  if (registry != nullptr && registry->Contains(target)) {
    return CallRegistry(ctx, inst, *registry, operands);
  }
  if (const EvalFunction builtin = FindBuiltinCustomCall(target))
    return builtin(ctx, inst, operands);
  std::vector<std::string> known;
  if (registry != nullptr) known = registry->Targets();
  for (const auto& [name, unused] : ctx.state().options().custom_calls) known.push_back(name);
  std::sort(known.begin(), known.end());
  const bool is_typed = inst.attributes<CustomCallAttributes>().api_version ==
                        CustomCallApiVersion::API_VERSION_TYPED_FFI;
  return absl::UnimplementedError(absl::StrCat(
      is_typed ? "No FFI handler registered for" : "there is no", " custom call \"", target,
      "\"; known are: ", known.empty() ? std::string("none") : absl::StrJoin(known, ", ")));
}

}  // namespace xla::interpreter

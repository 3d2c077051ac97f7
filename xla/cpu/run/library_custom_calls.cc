// SPDX-License-Identifier: Apache-2.0
// Custom calls: handlers of the caller, on literals; handlers of a registry, on memory; and calls
// that the compiler itself makes. Calls that XLA defines have been expanded to other operations
// (xla/passes/expand_custom_calls.cc), unless a handler of the run takes precedence.
#include "xla/cpu/run/library_custom_calls.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla/base/floating_point_mode.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/kernels/movement/sparse_array.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
#include "xla/primitive_util.h"
#include "xla/runtime/custom_call.h"
#include "xla/runtime/registry_call.h"
#include "xla/runtime/registry_call_site.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Literals borrow the memory of static operands.
absl::Status CallOnLiterals(const LibraryCall& call, const CpuCustomCall& handler) {
  const HloInstruction& inst = *call.instruction;
  std::vector<std::unique_ptr<LiteralBase>> literals;
  absl::Span<char* const> leaves = call.operands;
  for (int64_t i = 0; i < inst.operand_count(); ++i) {
    Shape shape = OriginalOperandShape(inst, i);
    LayoutUtil::SetToDefaultLayout(&shape);
    if (HasDynamicArray(shape)) {
      XLA_ASSIGN_OR_RETURN(Literal literal, LiteralFromLeaves(shape, leaves));
      literals.push_back(std::make_unique<Literal>(std::move(literal)));
      continue;
    }
    const auto count = static_cast<size_t>(ShapeUtil::GetLeafCount(shape));
    const std::vector<const char*> memory(leaves.begin(),
                                          leaves.begin() + static_cast<std::ptrdiff_t>(count));
    leaves.remove_prefix(count);
    if (shape.IsTuple()) {
      literals.push_back(std::make_unique<BorrowingLiteral>(memory, shape));
    } else {
      literals.push_back(std::make_unique<BorrowingLiteral>(memory[0], shape));
    }
  }
  std::vector<LiteralSlice> slices;
  for (const auto& literal : literals) slices.emplace_back(*literal);
  Shape shape = OriginalShape(inst);
  LayoutUtil::SetToDefaultLayout(&shape);
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(shape));
  XLA_RETURN_IF_ERROR(handler(inst, slices, &result));
  absl::Span<char* const> results = call.results;
  LiteralToLeaves(result, shape, results);
  return absl::OkStatus();
}

absl::Status CallRegistry(const LibraryCall& call, const CustomCallRegistry& registry) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<CustomCallAttributes>();
  const Shape result_shape = OriginalShape(inst);
  std::vector<Shape> operand_shapes;
  for (int64_t i = 0; i < inst.operand_count(); ++i)
    operand_shapes.push_back(OriginalOperandShape(inst, i));
  runtime::RegistryCall request;
  request.target = attributes.custom_call_target;
  request.instruction = inst.name();
  request.opaque = inst.extras().backend_config;
  request.api_version = static_cast<int>(attributes.api_version);
  request.result_shape = &result_shape;
  request.replica_id = call.state->device().position.replica;
  request.partition_id = call.state->device().position.partition;
  const runtime::ExecutionContext& context = call.state->context();
  request.device_ordinal =
      runtime::OrdinalOf(context.device_ordinals, call.state->device().position.id());
  request.run_id = context.run_id;
  if (attributes.operand_layout_constraints.has_value())
    request.operand_layouts = &*attributes.operand_layout_constraints;
  for (const OutputOperandAlias& alias : attributes.output_to_operand_aliasing)
    request.aliases.push_back({alias.output_index, alias.operand_index, alias.operand});
  std::vector<LeafArray> operands, results;
  absl::Span<char* const> leaves = call.operands;
  for (const Shape& shape : operand_shapes) {
    request.operand_shapes.push_back(&shape);
    CollectLeafArrays(shape, leaves, operands);
  }
  leaves = call.results;
  CollectLeafArrays(result_shape, leaves, results);
  for (const LeafArray& operand : operands) {
    request.arguments.push_back({.shape = operand.shape, .data = operand.data});
    if (operand.shape->IsArray()) request.arguments.back().sizes = operand.existing();
  }
  for (const LeafArray& result : results)
    request.results.push_back({.shape = result.shape, .data = result.data});
  XLA_RETURN_IF_ERROR(runtime::RunRegistryCall(
      registry, request, [&](int64_t bytes) { return call.state->Allocate(bytes); }));
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].shape->IsArray()) results[i].SetSizes(request.results[i].sizes);
  }
  return absl::OkStatus();
}

absl::Status CallSite(const LibraryCall& call, const CustomCallRegistry& registry) {
  const runtime::ExecutionContext& context = call.state->context();
  const auto& position = call.state->device().position;
  const runtime::RegistryCallSite::Position at = {
      position.replica, position.partition,
      runtime::OrdinalOf(context.device_ordinals, position.id()), context.run_id};
  return call.site->Run(registry, at, call.operands, call.results);
}

absl::Status CallCheckSize(const LibraryCall& call) {
  int64_t bound = 0;
  (void)absl::SimpleAtoi(call.instruction->extras().backend_config, &bound);
  int32_t size;
  std::memcpy(&size, call.operands[0], sizeof(size));
  if (size < 0 || size > bound) {
    return absl::InvalidArgumentError(
        absl::StrCat("the size ", size, " of a dimension is not in [0, ", bound, "]"));
  }
  std::memcpy(call.results[0], &size, sizeof(size));
  return absl::OkStatus();
}

absl::Status CallWholeKernel(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const Shape &values = inst.operand(0)->shape(), &positions = inst.operand(1)->shape();
  const std::vector<std::string> numbers = absl::StrSplit(inst.extras().backend_config, ',');
  kernels::SparseArray array = {};
  array.dimensions = values.dimensions();
  (void)absl::SimpleAtoi(numbers[0], &array.dimension);
  (void)absl::SimpleAtoi(numbers[1], &array.block_size);
  array.element_bytes = primitive_util::ByteWidth(values.element_type());
  array.position_type = positions.element_type();
  return kernels::ExpandSparseArray(*call.state, array, call.operands[0], call.operands[1],
                                    call.results[0]);
}

// Returns the number of the leaf at an index; -1 if there is none.
int64_t LeafNumber(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* at = &shape;
  int64_t number = 0;
  for (const int64_t i : index) {
    if (!at->IsTuple() || i < 0 || i >= at->tuple_shapes_size()) return -1;
    for (int k = 0; k < i; ++k) number += ShapeUtil::GetLeafCount(at->tuple_shapes(k));
    at = &at->tuple_shapes(static_cast<int>(i));
  }
  return at->IsTuple() ? -1 : number;
}

}  // namespace

bool HasCustomCallHandler(const RunState& state, const HloInstruction& call) {
  const CpuCustomCalls* const handlers = state.custom_calls();
  const CustomCallRegistry* const registry = state.context().custom_calls;
  if (handlers == nullptr && registry == nullptr) return false;
  const std::string& target = call.custom_call_target();
  return (registry != nullptr && registry->Contains(target)) ||
         (handlers != nullptr &&
          std::any_of(handlers->begin(), handlers->end(),
                      [&](const auto& handler) { return handler.first == target; }));
}

std::unique_ptr<const runtime::RegistryCallSite> MakeCallSite(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return nullptr;
  const auto& attributes = instruction.attributes<CustomCallAttributes>();
  runtime::RegistryCallForm form;
  form.target = attributes.custom_call_target;
  form.instruction = instruction.name();
  form.opaque = instruction.extras().backend_config;
  form.api_version = static_cast<int>(attributes.api_version);
  form.result_shape = OriginalShape(instruction);
  ShapeUtil::ForEachMutableLeafShape(&form.result_shape, [](Shape* leaf, const ShapeIndex&) {
    if (leaf->IsArray() && !leaf->has_layout()) LayoutUtil::SetToDefaultLayout(leaf);
  });
  const auto& layouts = attributes.operand_layout_constraints;
  const auto count = static_cast<size_t>(instruction.operand_count());
  if (layouts.has_value() && layouts->size() != count) return nullptr;  // reported by each call
  std::vector<int64_t> first_leaf;
  int64_t leaves = 0;
  for (size_t i = 0; i < count; ++i) {
    Shape shape = OriginalOperandShape(instruction, static_cast<int64_t>(i));
    first_leaf.push_back(leaves);
    leaves += ShapeUtil::GetLeafCount(shape);
    if (layouts.has_value()) {
      if (!ShapeUtil::Compatible((*layouts)[i], shape)) return nullptr;
      shape = (*layouts)[i];
    } else {
      LayoutUtil::SetToDefaultLayout(&shape);
    }
    form.operand_shapes.push_back(std::move(shape));
  }
  for (const OutputOperandAlias& alias : attributes.output_to_operand_aliasing) {
    if (alias.operand < 0 || static_cast<size_t>(alias.operand) >= count) return nullptr;
    const auto operand = static_cast<size_t>(alias.operand);
    const int64_t result = LeafNumber(form.result_shape, alias.output_index);
    const int64_t argument = LeafNumber(form.operand_shapes[operand], alias.operand_index);
    if (result < 0 || argument < 0) return nullptr;
    form.aliases.emplace_back(result, first_leaf[operand] + argument);
  }
  return runtime::RegistryCallSite::Make(std::move(form));
}

absl::Status CallCustom(const LibraryCall& call) {
  const std::string& target =
      call.instruction->attributes<CustomCallAttributes>().custom_call_target;
  if (target == kCheckSizeTarget) return CallCheckSize(call);
  if (target == kWholeKernelTarget) return CallWholeKernel(call);
  // The code of others is none of the program's.
  const ScopedFloatingPointMode mode(FloatingPointMode::Ieee());
  const CpuCustomCalls* const handlers = call.state->custom_calls();
  std::vector<std::string> known;
  if (handlers != nullptr) {
    for (const auto& [name, function] : *handlers) {
      if (name == target) return CallOnLiterals(call, function);
    }
  }
  const CustomCallRegistry* const registry = call.state->context().custom_calls;
  if (registry != nullptr) {
    if (registry->Contains(target)) {
      const bool in_place = call.site != nullptr && call.site->Takes(call.operands, call.results);
      return in_place ? CallSite(call, *registry) : CallRegistry(call, *registry);
    }
    known = registry->Targets();
  }
  if (handlers != nullptr) {
    for (const auto& [name, unused] : *handlers) known.push_back(name);
  }
  std::sort(known.begin(), known.end());
  const bool is_typed = call.instruction->attributes<CustomCallAttributes>().api_version ==
                        CustomCallApiVersion::API_VERSION_TYPED_FFI;
  return absl::UnimplementedError(absl::StrCat(
      is_typed ? "No FFI handler registered for" : "there is no", " custom call \"", target,
      "\"; known are: ", known.empty() ? std::string("none") : absl::StrJoin(known, ", ")));
}

}  // namespace xla::cpu

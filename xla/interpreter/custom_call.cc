// SPDX-License-Identifier: Apache-2.0
// Custom calls: copies operands to host memory in the layouts that the instruction states, calls
// the handler, and copies its results to values.
#include "xla/runtime/custom_call.h"

#include <array>
#include <cstring>
#include <deque>
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
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

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

// Alignment of all memory that handlers get, and the size of the guards on both sides of results.
constexpr int64_t kAlignment = 64;
constexpr unsigned char kGuard = 0xA5;

// Bytes that an array of this layout takes, padding included.
absl::StatusOr<int64_t> MemoryBytes(const Shape& shape) {
  if (!shape.layout().has_padding()) return CheckedByteSize(shape);
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  for (int i = 0; i < shape.rank(); ++i) {
    bytes = MultiplyWithoutOverflow(bytes, shape.layout().padded_dimensions(i));
    if (bytes < 0) {
      return absl::ResourceExhaustedError(absl::StrCat("an array of shape ",
                                                       shape.ToString(/*print_layout=*/true),
                                                       " has more bytes than 64 bits count"));
    }
  }
  return bytes;
}

bool IsRowMajor(const Shape& shape) {
  return !shape.layout().has_padding() && LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
}

// The leaves of shapes and values, depth first; the depth of shapes is limited.
void CollectLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.IsTuple()) return leaves.push_back(&shape);
  for (const Shape& element : shape.tuple_shapes()) CollectLeaves(element, leaves);
}
void CollectLeaves(const Value& value, std::vector<const Value*>& leaves) {
  if (!value.IsTuple()) return leaves.push_back(&value);
  for (const Value& element : value.elements()) CollectLeaves(element, leaves);
}

// The number of a leaf in the order of CollectLeaves; -1 if the index is not that of a leaf.
int64_t LeafNumber(const Shape& shape, absl::Span<const int64_t> index) {
  const Shape* at = &shape;
  int64_t number = 0;
  std::vector<const Shape*> before;
  for (const int64_t i : index) {
    if (!at->IsTuple() || i < 0 || i >= at->tuple_shapes_size()) return -1;
    before.clear();
    for (int k = 0; k < i; ++k) CollectLeaves(at->tuple_shapes(k), before);
    number += static_cast<int64_t>(before.size());
    at = &at->tuple_shapes(static_cast<int>(i));
  }
  return at->IsTuple() ? -1 : number;
}

// One call. Owns everything that the frame points to.
class RegistryCall {
 public:
  RegistryCall(EvalContext& ctx, const HloInstruction& inst, absl::Span<Value> operands)
      : ctx_(ctx), inst_(inst), operands_(operands) {}

  absl::StatusOr<Value> Run(const CustomCallRegistry& registry) {
    const auto& attributes = inst_.attributes<CustomCallAttributes>();
    CustomCallFrame frame;
    frame.target = attributes.custom_call_target;
    frame.instruction = inst_.name();
    frame.opaque = inst_.extras().backend_config;
    frame.api_version = static_cast<int>(attributes.api_version);
    frame.result_shape = &inst_.shape();
    frame.replica_id = ctx_.device().replica;
    frame.partition_id = ctx_.device().partition;
    XLA_RETURN_IF_ERROR(MakeArguments(attributes, frame));
    XLA_RETURN_IF_ERROR(MakeResults(frame));
    XLA_RETURN_IF_ERROR(Alias(attributes, frame));
    XLA_RETURN_IF_ERROR(registry.Call(frame));
    XLA_RETURN_IF_ERROR(CheckGuards());
    size_t leaf = 0;
    return MakeValue(inst_.shape(), frame, leaf);
  }

 private:
  struct Block {
    Value memory;  // guard, bytes, guard
    int64_t bytes;
  };

  // The shape of a leaf with the layout of its memory.
  const Shape* WithLayout(const Shape& leaf) {
    shapes_.push_back(leaf);
    if (leaf.IsArray() && !leaf.has_layout()) LayoutUtil::SetToDefaultLayout(&shapes_.back());
    return &shapes_.back();
  }

  absl::Status MakeArguments(const CustomCallAttributes& attributes, CustomCallFrame& frame) {
    const auto& constraints = attributes.operand_layout_constraints;
    if (constraints.has_value() && constraints->size() != operands_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("operand_layout_constraints gives ",
                                                     constraints->size(), " shapes for ",
                                                     operands_.size(), " operands"));
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      Shape shape = operands_[i].shape();
      if (constraints.has_value()) {
        if (!ShapeUtil::Compatible((*constraints)[i], shape)) {
          return absl::InvalidArgumentError(
              absl::StrCat("operand_layout_constraints gives operand ", i, " the shape ",
                           (*constraints)[i].ToString(), ", but it is ", shape.ToString()));
        }
        shape = (*constraints)[i];
      } else {
        LayoutUtil::SetToDefaultLayout(&shape);
      }
      shapes_.push_back(std::move(shape));
      frame.operand_shapes.push_back(&shapes_.back());
      std::vector<const Shape*> shape_leaves;
      std::vector<const Value*> value_leaves;
      CollectLeaves(*frame.operand_shapes.back(), shape_leaves);
      CollectLeaves(operands_[i], value_leaves);
      for (size_t k = 0; k < shape_leaves.size(); ++k) {
        XLA_ASSIGN_OR_RETURN(CustomCallBuffer buffer,
                             Argument(*WithLayout(*shape_leaves[k]), *value_leaves[k]));
        frame.arguments.push_back(std::move(buffer));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<CustomCallBuffer> Argument(const Shape& shape, const Value& value) {
    CustomCallBuffer buffer = {.shape = &shape, .data = nothing_.data()};
    if (!shape.IsArray()) return buffer;
    XLA_ASSIGN_OR_RETURN(buffer.size_bytes, MemoryBytes(shape));
    for (int64_t i = 0; i < shape.rank(); ++i)
      buffer.dynamic_sizes.push_back(value.dynamic_size(i));
    if (buffer.size_bytes == 0) return buffer;
    // Handlers are told not to write; only what nothing else reads afterwards is given to them.
    if (value.IsUnique() && IsRowMajor(shape) &&
        reinterpret_cast<uintptr_t>(value.untyped_data()) % kAlignment == 0) {
      buffer.data = const_cast<void*>(value.untyped_data());
      return buffer;
    }
    XLA_ASSIGN_OR_RETURN(buffer.data, Scratch(buffer.size_bytes));
    XLA_RETURN_IF_ERROR(FillFrom(value, shape, buffer.data));
    return buffer;
  }

  absl::Status FillFrom(const Value& value, const Shape& shape, void* memory) {
    return StridedCopy(ctx_, primitive_util::ByteWidth(shape.element_type()), shape.dimensions(),
                       value.untyped_data(), RowMajorStrides(shape.dimensions()), memory,
                       LayoutStrides(shape));
  }

  // Zeroed memory between two guards.
  absl::StatusOr<void*> Scratch(int64_t bytes) {
    XLA_ASSIGN_OR_RETURN(Value scratch, ctx_.AllocateScratch(bytes + 2 * kAlignment));
    auto* memory = scratch.mutable_data<unsigned char>();
    std::memset(memory, kGuard, kAlignment);
    std::memset(memory + kAlignment, 0, static_cast<size_t>(bytes));
    std::memset(memory + kAlignment + bytes, kGuard, kAlignment);
    blocks_.push_back({std::move(scratch), bytes});
    return memory + kAlignment;
  }

  absl::Status MakeResults(CustomCallFrame& frame) {
    std::vector<const Shape*> leaves;
    CollectLeaves(inst_.shape(), leaves);
    for (const Shape* leaf : leaves) {
      const Shape& shape = *WithLayout(*leaf);
      CustomCallBuffer buffer = {.shape = &shape, .data = nothing_.data()};
      if (shape.IsArray()) {
        XLA_ASSIGN_OR_RETURN(buffer.size_bytes, MemoryBytes(shape));
        buffer.dynamic_sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
        XLA_ASSIGN_OR_RETURN(buffer.data, Scratch(buffer.size_bytes));
      }
      frame.results.push_back(std::move(buffer));
    }
    return absl::OkStatus();
  }

  // A result that aliases an operand starts with its contents. If both have the same layout, they
  // share memory.
  absl::Status Alias(const CustomCallAttributes& attributes, CustomCallFrame& frame) {
    for (const OutputOperandAlias& alias : attributes.output_to_operand_aliasing) {
      const int64_t result = LeafNumber(inst_.shape(), alias.output_index);
      int64_t argument = -1, first = 0;
      std::vector<const Value*> values;
      if (alias.operand >= 0 && alias.operand < static_cast<int64_t>(operands_.size())) {
        std::vector<const Shape*> before;
        const auto operand = static_cast<size_t>(alias.operand);
        for (size_t i = 0; i < operand; ++i) CollectLeaves(*frame.operand_shapes[i], before);
        first = static_cast<int64_t>(before.size());
        argument = LeafNumber(*frame.operand_shapes[operand], alias.operand_index);
        CollectLeaves(operands_[operand], values);
      }
      const auto at = static_cast<size_t>(argument);
      if (result < 0 || argument < 0 ||
          !ShapeUtil::Compatible(*frame.results[static_cast<size_t>(result)].shape,
                                 values[at]->shape())) {
        return absl::InvalidArgumentError(
            "output_to_operand_aliasing pairs a result with an operand of a different shape");
      }
      CustomCallBuffer& out = frame.results[static_cast<size_t>(result)];
      CustomCallBuffer& in = frame.arguments[static_cast<size_t>(first) + at];
      if (out.size_bytes == 0) continue;
      XLA_RETURN_IF_ERROR(FillFrom(*values[at], *out.shape, out.data));
      out.dynamic_sizes = in.dynamic_sizes;
      if (in.shape->layout() == out.shape->layout()) in.data = out.data;
    }
    return absl::OkStatus();
  }

  absl::Status CheckGuards() const {
    for (const Block& block : blocks_) {
      const auto* before = block.memory.data<unsigned char>();
      const unsigned char* behind = before + kAlignment + block.bytes;
      for (int64_t i = 0; i < kAlignment; ++i) {
        if (before[i] != kGuard) return Overrun("before");
        if (behind[i] != kGuard) return Overrun("behind");
      }
    }
    return absl::OkStatus();
  }
  absl::Status Overrun(const char* where) const {
    return absl::InternalError(
        absl::StrCat("custom call \"", inst_.attributes<CustomCallAttributes>().custom_call_target,
                     "\": the handler wrote ", where, " the memory of an argument or result"));
  }

  absl::StatusOr<Value> MakeValue(const Shape& shape, const CustomCallFrame& frame, size_t& leaf) {
    if (shape.IsTuple()) {
      std::vector<Value> elements;
      for (const Shape& element : shape.tuple_shapes()) {
        XLA_ASSIGN_OR_RETURN(Value value, MakeValue(element, frame, leaf));
        elements.push_back(std::move(value));
      }
      return ctx_.MakeTuple(shape, std::move(elements));
    }
    const CustomCallBuffer& buffer = frame.results[leaf++];
    if (!shape.IsArray()) return Value::Token(shape);
    XLA_ASSIGN_OR_RETURN(Value value, ctx_.Allocate(shape));
    if (buffer.size_bytes > 0) {
      XLA_RETURN_IF_ERROR(StridedCopy(ctx_, primitive_util::ByteWidth(shape.element_type()),
                                      shape.dimensions(), buffer.data, LayoutStrides(*buffer.shape),
                                      value.mutable_untyped_data(),
                                      RowMajorStrides(shape.dimensions())));
    }
    for (int i = 0; i < shape.rank(); ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t size = at < buffer.dynamic_sizes.size() ? buffer.dynamic_sizes[at] : -1;
      const bool allowed = shape.is_dynamic_dimension(i) ? size >= 0 && size <= shape.dimensions(i)
                                                         : size == shape.dimensions(i);
      if (!allowed) {
        return absl::InvalidArgumentError(absl::StrCat(
            "custom call \"", absl::string_view(frame.target.data(), frame.target.size()),
            "\": the handler set the size of dimension ", i, " of a result of shape ",
            shape.ToString(), " to ", size));
      }
      if (shape.is_dynamic_dimension(i)) value.SetDynamicSize(i, size);
    }
    return value;
  }

  EvalContext& ctx_;
  const HloInstruction& inst_;
  absl::Span<Value> operands_;
  std::deque<Shape> shapes_;  // a deque keeps addresses stable
  std::vector<Block> blocks_;
  // Buffers without bytes point here.
  alignas(kAlignment) std::array<unsigned char, kAlignment> nothing_ = {};
};

}  // namespace

absl::StatusOr<Value> EvalCustomCall(EvalContext& ctx, const HloInstruction& inst,
                                     absl::Span<Value> operands) {
  const std::string& target = inst.attributes<CustomCallAttributes>().custom_call_target;
  if (const CustomCallHandler* handler = ctx.state().FindCustomCall(target)) {
    return CallOnLiterals(ctx, inst, *handler, operands);
  }
  const CustomCallRegistry* registry = ctx.state().options().custom_call_registry;
  if (registry != nullptr && registry->Contains(target)) {
    return RegistryCall(ctx, inst, operands).Run(*registry);
  }
  if (const EvalFunction builtin = FindBuiltinCustomCall(target))
    return builtin(ctx, inst, operands);
  std::vector<std::string> known;
  if (registry != nullptr) known = registry->Targets();
  for (const auto& [name, unused] : ctx.state().options().custom_calls) known.push_back(name);
  return absl::UnimplementedError(absl::StrCat(
      "there is no custom call \"", target,
      "\"; known are: ", known.empty() ? std::string("none") : absl::StrJoin(known, ", ")));
}

}  // namespace xla::interpreter

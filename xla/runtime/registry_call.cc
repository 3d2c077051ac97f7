// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/registry_call.h"

#include <array>
#include <cstring>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/layout_strides.h"
#include "xla/layout_util.h"
#include "xla/overflow_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla::runtime {
namespace {

// Alignment of all memory that handlers get, and the size of the guards on both sides of results.
constexpr int64_t kAlignment = 64;
constexpr unsigned char kGuard = 0xA5;

// Bytes that an array of this layout takes, padding included.
absl::StatusOr<int64_t> MemoryBytes(const Shape& shape) {
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size =
        shape.layout().has_padding() ? shape.layout().padded_dimensions(i) : shape.dimensions(i);
    bytes = MultiplyWithoutOverflow(bytes, size);
    if (bytes < 0) {
      return absl::ResourceExhaustedError(absl::StrCat("an array of shape ",
                                                       shape.ToString(/*print_layout=*/true),
                                                       ": its size in bytes overflows int64"));
    }
  }
  return bytes;
}

bool IsRowMajor(const Shape& shape) {
  return !shape.layout().has_padding() && LayoutUtil::IsMonotonicWithDim0Major(shape.layout());
}

// The leaves of shapes, depth first; the depth of shapes is limited.
void CollectLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.IsTuple()) return leaves.push_back(&shape);
  for (const Shape& element : shape.tuple_shapes()) CollectLeaves(element, leaves);
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
class Caller {
 public:
  Caller(RegistryCall& call, AllocateMemory allocate) : call_(call), allocate_(allocate) {}

  absl::Status Run(const CustomCallRegistry& registry) {
    CustomCallFrame frame;
    frame.target = call_.target;
    frame.instruction = call_.instruction;
    frame.opaque = call_.opaque;
    frame.api_version = call_.api_version;
    frame.result_shape = call_.result_shape;
    frame.replica_id = call_.replica_id;
    frame.partition_id = call_.partition_id;
    frame.device_ordinal = call_.device_ordinal;
    frame.run_id = call_.run_id;
    XLA_RETURN_IF_ERROR(MakeArguments(frame));
    XLA_RETURN_IF_ERROR(MakeResults(frame));
    XLA_RETURN_IF_ERROR(Alias(frame));
    XLA_RETURN_IF_ERROR(registry.Call(frame));
    XLA_RETURN_IF_ERROR(CheckGuards());
    for (size_t i = 0; i < frame.results.size(); ++i)
      XLA_RETURN_IF_ERROR(TakeResult(frame.results[i], call_.results[i]));
    return absl::OkStatus();
  }

 private:
  struct Block {
    std::shared_ptr<void> memory;  // guard, bytes, guard
    int64_t bytes;
  };

  absl::string_view Target() const { return {call_.target.data(), call_.target.size()}; }

  // The shape of a leaf with the layout of its memory.
  const Shape* WithLayout(const Shape& leaf) {
    shapes_.push_back(leaf);
    if (leaf.IsArray() && !leaf.has_layout()) LayoutUtil::SetToDefaultLayout(&shapes_.back());
    return &shapes_.back();
  }

  absl::Status MakeArguments(CustomCallFrame& frame) {
    const std::vector<Shape>* const layouts = call_.operand_layouts;
    const size_t count = call_.operand_shapes.size();
    if (layouts != nullptr && layouts->size() != count) {
      return absl::InvalidArgumentError(absl::StrCat("operand_layout_constraints gives ",
                                                     layouts->size(), " shapes for ", count,
                                                     " operands"));
    }
    size_t next = 0;
    for (size_t i = 0; i < count; ++i) {
      Shape shape = *call_.operand_shapes[i];
      if (layouts != nullptr) {
        if (!ShapeUtil::Compatible((*layouts)[i], shape)) {
          return absl::InvalidArgumentError(
              absl::StrCat("operand_layout_constraints gives operand ", i, " the shape ",
                           (*layouts)[i].ToString(), ", but it is ", shape.ToString()));
        }
        shape = (*layouts)[i];
      } else {
        LayoutUtil::SetToDefaultLayout(&shape);
      }
      shapes_.push_back(std::move(shape));
      frame.operand_shapes.push_back(&shapes_.back());
      std::vector<const Shape*> leaves;
      CollectLeaves(*frame.operand_shapes.back(), leaves);
      for (const Shape* leaf : leaves) {
        XLA_ASSIGN_OR_RETURN(CustomCallBuffer buffer,
                             Argument(*WithLayout(*leaf), call_.arguments[next++]));
        frame.arguments.push_back(std::move(buffer));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<CustomCallBuffer> Argument(const Shape& shape, const RegistryArray& array) {
    CustomCallBuffer buffer = {.shape = &shape, .data = nothing_.data()};
    if (!shape.IsArray()) return buffer;
    XLA_ASSIGN_OR_RETURN(buffer.size_bytes, MemoryBytes(shape));
    buffer.dynamic_sizes.assign(array.sizes.begin(), array.sizes.end());
    if (buffer.size_bytes == 0) return buffer;
    // Handlers are told not to write; only what nothing else reads afterwards is given to them.
    if (array.is_exclusive && IsRowMajor(shape) &&
        reinterpret_cast<uintptr_t>(array.data) % kAlignment == 0) {
      buffer.data = array.data;
      return buffer;
    }
    XLA_ASSIGN_OR_RETURN(buffer.data, Scratch(buffer.size_bytes));
    FillFrom(array, shape, buffer.data);
    return buffer;
  }

  static void FillFrom(const RegistryArray& array, const Shape& shape, void* memory) {
    StridedCopy(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(), memory,
                StridesOfLayout(shape), array.data, DenseStrides(shape.dimensions()));
  }

  // Zeroed memory between two guards.
  absl::StatusOr<void*> Scratch(int64_t bytes) {
    XLA_ASSIGN_OR_RETURN(std::shared_ptr<void> scratch, allocate_(bytes + 2 * kAlignment));
    auto* memory = static_cast<unsigned char*>(scratch.get());
    std::memset(memory, kGuard, kAlignment);
    std::memset(memory + kAlignment, 0, static_cast<size_t>(bytes));
    std::memset(memory + kAlignment + bytes, kGuard, kAlignment);
    blocks_.push_back({std::move(scratch), bytes});
    return memory + kAlignment;
  }

  absl::Status MakeResults(CustomCallFrame& frame) {
    std::vector<const Shape*> leaves;
    CollectLeaves(*call_.result_shape, leaves);
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
  absl::Status Alias(CustomCallFrame& frame) {
    for (const RegistryCall::Alias& alias : call_.aliases) {
      const int64_t result = LeafNumber(*call_.result_shape, alias.output_index);
      int64_t argument = -1;
      if (alias.operand >= 0 && alias.operand < static_cast<int64_t>(call_.operand_shapes.size())) {
        std::vector<const Shape*> before;
        const auto operand = static_cast<size_t>(alias.operand);
        for (size_t i = 0; i < operand; ++i) CollectLeaves(*call_.operand_shapes[i], before);
        argument = LeafNumber(*call_.operand_shapes[operand], alias.operand_index);
        if (argument >= 0) argument += static_cast<int64_t>(before.size());
      }
      const auto at = static_cast<size_t>(argument);
      if (result < 0 || argument < 0 ||
          !ShapeUtil::Compatible(*frame.results[static_cast<size_t>(result)].shape,
                                 *call_.arguments[at].shape)) {
        return absl::InvalidArgumentError(
            "output_to_operand_aliasing pairs a result with an operand of a different shape");
      }
      CustomCallBuffer& out = frame.results[static_cast<size_t>(result)];
      CustomCallBuffer& in = frame.arguments[at];
      if (out.size_bytes == 0) continue;
      FillFrom(call_.arguments[at], *out.shape, out.data);
      out.dynamic_sizes = in.dynamic_sizes;
      if (in.shape->layout() == out.shape->layout()) in.data = out.data;
    }
    return absl::OkStatus();
  }

  absl::Status CheckGuards() const {
    for (const Block& block : blocks_) {
      const auto* before = static_cast<const unsigned char*>(block.memory.get());
      const unsigned char* behind = before + kAlignment + block.bytes;
      for (int64_t i = 0; i < kAlignment; ++i) {
        if (before[i] != kGuard) return Overrun("before");
        if (behind[i] != kGuard) return Overrun("behind");
      }
    }
    return absl::OkStatus();
  }
  absl::Status Overrun(const char* where) const {
    return absl::InternalError(absl::StrCat("custom call \"", Target(), "\": the handler wrote ",
                                            where, " the memory of an argument or result"));
  }

  absl::Status TakeResult(const CustomCallBuffer& buffer, RegistryArray& result) {
    const Shape& shape = *result.shape;
    if (!shape.IsArray()) return absl::OkStatus();
    if (buffer.size_bytes > 0) {
      StridedCopy(primitive_util::ByteWidth(shape.element_type()), shape.dimensions(), result.data,
                  DenseStrides(shape.dimensions()), buffer.data, StridesOfLayout(*buffer.shape));
      NormalizeSubByteElements(shape.element_type(), result.data, ShapeUtil::ElementsIn(shape));
    }
    result.sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
    for (int i = 0; i < shape.rank(); ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t size = at < buffer.dynamic_sizes.size() ? buffer.dynamic_sizes[at] : -1;
      const bool allowed = shape.is_dynamic_dimension(i) ? size >= 0 && size <= shape.dimensions(i)
                                                         : size == shape.dimensions(i);
      if (!allowed) {
        return absl::InvalidArgumentError(
            absl::StrCat("custom call \"", Target(), "\": the handler set the size of dimension ",
                         i, " of a result of shape ", shape.ToString(), " to ", size));
      }
      result.sizes[at] = size;
    }
    return absl::OkStatus();
  }

  RegistryCall& call_;
  const AllocateMemory allocate_;
  std::deque<Shape> shapes_;  // a deque keeps addresses stable
  std::vector<Block> blocks_;
  // Buffers without bytes point here.
  alignas(kAlignment) std::array<unsigned char, kAlignment> nothing_ = {};
};

}  // namespace

absl::Status RunRegistryCall(const CustomCallRegistry& registry, RegistryCall& call,
                             AllocateMemory allocate) {
  return Caller(call, allocate).Run(registry);
}

}  // namespace xla::runtime

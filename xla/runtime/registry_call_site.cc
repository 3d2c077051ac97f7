// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/registry_call_site.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/element_convert.h"
#include "xla/layout_strides.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/host_memory.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::runtime {
namespace {

constexpr uintptr_t kHandlerAlignment = 64;
// Copies beyond take longer than all the rest, and count as memory of the run.
constexpr int64_t kMostCopiedBytes = 64 << 10;

// What buffers without bytes point to.
void* Nothing() {
  alignas(kHandlerAlignment) static char nothing[kHandlerAlignment];
  return nothing;
}

// See Leaf::order.
std::vector<uint32_t> OrderOf(const Shape& shape) {
  const auto rank = static_cast<size_t>(shape.rank());
  const DimensionVector strides = DenseStrides(shape.dimensions());
  std::vector<uint32_t> order;
  DimensionVector index(rank, 0);
  for (int64_t left = ShapeUtil::ElementsIn(shape); left > 0; --left) {
    int64_t number = 0;
    for (size_t d = 0; d < rank; ++d) number += index[d] * strides[d];
    order.push_back(static_cast<uint32_t>(number));
    for (const int64_t dimension : shape.layout().minor_to_major()) {
      const auto d = static_cast<size_t>(dimension);
      if (++index[d] < shape.dimensions(static_cast<int>(d))) break;
      index[d] = 0;
    }
  }
  return order;
}

template <typename Word>
void Gather(const std::vector<uint32_t>& order, const char* from, char* to) {
  for (const uint32_t number : order) {
    std::memcpy(to, from + size_t{number} * sizeof(Word), sizeof(Word));
    to += sizeof(Word);
  }
}

template <typename Word>
void Scatter(const std::vector<uint32_t>& order, const char* from, char* to) {
  for (const uint32_t number : order) {
    std::memcpy(to + size_t{number} * sizeof(Word), from, sizeof(Word));
    from += sizeof(Word);
  }
}

struct Word16 {
  char bytes[16];
};

// Calls visit(a value of a type that has the bytes of an element).
template <typename Visit>
void WithWord(const Shape& shape, Visit visit) {
  switch (primitive_util::ByteWidth(shape.element_type())) {
    case 1:
      return visit(uint8_t());
    case 2:
      return visit(uint16_t());
    case 4:
      return visit(uint32_t());
    case 8:
      return visit(uint64_t());
    default:
      return visit(Word16());
  }
}

}  // namespace

// A frame and its handler.
struct RegistryCallSite::Ready {
  uint64_t version = 0;  // of the registry
  CustomCallFrame frame;
  BoundCustomCall bound;
  std::unique_ptr<void, decltype(&FreeHostMemory)> copies{nullptr, FreeHostMemory};

  char* CopyOf(const Leaf& leaf) const { return static_cast<char*>(copies.get()) + leaf.copy; }
};

bool RegistryCallSite::AddLeaves(const Shape& shape, std::vector<Leaf>& leaves) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (!AddLeaves(element, leaves)) return false;
    }
    return true;
  }
  Leaf& leaf = leaves.emplace_back(Leaf{&shape, 0, {}});
  if (!shape.IsArray()) return true;
  const absl::StatusOr<int64_t> bytes = ArrayBytes(shape);
  if (!bytes.ok() || shape.is_dynamic() || shape.layout().has_padding()) return false;
  leaf.bytes = *bytes;
  if (LayoutUtil::IsMonotonicWithDim0Major(shape.layout())) return true;
  if (*bytes > kMostCopiedBytes - copied_bytes_) return false;
  leaf.order = OrderOf(shape);
  leaf.copy = copied_bytes_;
  copied_bytes_ += RoundUpTo(*bytes, static_cast<int64_t>(kHandlerAlignment));
  return true;
}

RegistryCallSite::RegistryCallSite(RegistryCallForm form) : form_(std::move(form)) {}

RegistryCallSite::~RegistryCallSite() { delete spare_.load(); }

std::unique_ptr<const RegistryCallSite> RegistryCallSite::Make(RegistryCallForm form) {
  std::unique_ptr<RegistryCallSite> site(new RegistryCallSite(std::move(form)));
  for (const Shape& shape : site->form_.operand_shapes) {
    if (!site->AddLeaves(shape, site->arguments_)) return nullptr;
  }
  if (!site->AddLeaves(site->form_.result_shape, site->results_)) return nullptr;
  for (const auto& [result, argument] : site->form_.aliases) {
    if (result >= site->results_.size() || argument >= site->arguments_.size() ||
        !ShapeUtil::Compatible(*site->results_[result].shape, *site->arguments_[argument].shape) ||
        site->results_[result].order != site->arguments_[argument].order) {
      return nullptr;
    }
  }
  return site;
}

bool RegistryCallSite::Takes(absl::Span<char* const> arguments,
                             absl::Span<char* const> results) const {
  const auto is_aligned = [](const Leaf& leaf, const char* data) {
    return leaf.bytes == 0 || !leaf.order.empty() ||
           (data != nullptr && reinterpret_cast<uintptr_t>(data) % kHandlerAlignment == 0);
  };
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!is_aligned(arguments_[i], arguments[i])) return false;
  }
  for (size_t r = 0; r < results_.size(); ++r) {
    if (!is_aligned(results_[r], results[r])) return false;
    if (!results_[r].order.empty()) continue;  // written when the handler has ended
    const auto begin = reinterpret_cast<uintptr_t>(results[r]);
    const uintptr_t end = begin + static_cast<uintptr_t>(results_[r].bytes);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const auto argument = reinterpret_cast<uintptr_t>(arguments[i]);
      if (argument < end && begin < argument + static_cast<uintptr_t>(arguments_[i].bytes)) {
        return false;
      }
    }
  }
  return true;
}

absl::StatusOr<std::unique_ptr<RegistryCallSite::Ready>> RegistryCallSite::MakeReady(
    const CustomCallRegistry& registry) const {
  auto ready = std::make_unique<Ready>();
  ready->version = registry.version();
  CustomCallFrame& frame = ready->frame;
  frame.target = form_.target;
  frame.instruction = form_.instruction;
  frame.opaque = form_.opaque;
  frame.api_version = form_.api_version;
  frame.result_shape = &form_.result_shape;
  for (const Shape& shape : form_.operand_shapes) frame.operand_shapes.push_back(&shape);
  const auto add = [](const std::vector<Leaf>& leaves, std::vector<CustomCallBuffer>& buffers) {
    for (const Leaf& leaf : leaves) {
      CustomCallBuffer& buffer = buffers.emplace_back();
      buffer.shape = leaf.shape;
      buffer.data = Nothing();
      buffer.size_bytes = leaf.bytes;
      if (leaf.shape->IsArray()) {
        const absl::Span<const int64_t> sizes = leaf.shape->dimensions();
        buffer.dynamic_sizes.assign(sizes.begin(), sizes.end());
      }
    }
  };
  add(arguments_, frame.arguments);
  add(results_, frame.results);
  if (copied_bytes_ > 0) {
    ready->copies.reset(AllocateHostMemory(static_cast<size_t>(copied_bytes_)));
    if (ready->copies == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the system has no memory for ", copied_bytes_, " bytes"));
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  XLA_ASSIGN_OR_RETURN(ready->bound, registry.Bind(frame, kept_));
  return ready;
}

absl::Status RegistryCallSite::Run(const CustomCallRegistry& registry, const Position& position,
                                   absl::Span<char* const> arguments,
                                   absl::Span<char* const> results) const {
  std::unique_ptr<Ready> ready(spare_.exchange(nullptr, std::memory_order_acquire));
  if (ready == nullptr || ready->version != registry.version()) {
    XLA_ASSIGN_OR_RETURN(ready, MakeReady(registry));
  }
  CustomCallFrame& frame = ready->frame;
  frame.replica_id = position.replica_id;
  frame.partition_id = position.partition_id;
  frame.device_ordinal = position.device_ordinal;
  frame.run_id = position.run_id;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Leaf& leaf = arguments_[i];
    if (leaf.bytes == 0) continue;
    frame.arguments[i].data = arguments[i];
    if (leaf.order.empty()) continue;
    char* const copy = ready->CopyOf(leaf);
    frame.arguments[i].data = copy;
    WithWord(*leaf.shape,
             [&](auto word) { Gather<decltype(word)>(leaf.order, arguments[i], copy); });
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    const Leaf& leaf = results_[i];
    if (leaf.bytes == 0) continue;
    char* const data = leaf.order.empty() ? results[i] : ready->CopyOf(leaf);
    frame.results[i].data = data;
    std::memset(data, 0, static_cast<size_t>(leaf.bytes));
  }
  for (const auto& [result, argument] : form_.aliases) {
    const Leaf& leaf = results_[result];
    if (leaf.bytes == 0) continue;
    void* const data = frame.results[result].data;
    std::memcpy(data, frame.arguments[argument].data, static_cast<size_t>(leaf.bytes));
    frame.arguments[argument].data = data;
  }
  XLA_RETURN_IF_ERROR(ready->bound.Run(frame));
  for (size_t i = 0; i < results_.size(); ++i) {
    const Shape& shape = *results_[i].shape;
    if (!shape.IsArray()) continue;
    if (absl::MakeConstSpan(frame.results[i].dynamic_sizes) != shape.dimensions()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "custom call \"", form_.target, "\": the handler set the sizes of a result of shape ",
          shape.ToString(), ", whose dimensions are not dynamic"));
    }
    const Leaf& leaf = results_[i];
    if (!leaf.order.empty()) {
      WithWord(shape, [&](auto word) {
        Scatter<decltype(word)>(leaf.order, ready->CopyOf(leaf), results[i]);
      });
    }
    NormalizeSubByteElements(shape.element_type(), results[i], ShapeUtil::ElementsIn(shape));
  }
  delete spare_.exchange(ready.release(), std::memory_order_acq_rel);
  return absl::OkStatus();
}

}  // namespace xla::runtime

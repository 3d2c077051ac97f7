// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/registry_call_site.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/shape_util.h"

namespace xla::runtime {
namespace {

constexpr uintptr_t kHandlerAlignment = 64;

// What buffers without bytes point to.
void* Nothing() {
  alignas(kHandlerAlignment) static char nothing[kHandlerAlignment];
  return nothing;
}

// False for leaves that are not dense, row-major, and of one size.
template <typename Leaf>
bool AddLeaves(const Shape& shape, std::vector<Leaf>& leaves) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (!AddLeaves(element, leaves)) return false;
    }
    return true;
  }
  if (!shape.IsArray()) {
    leaves.push_back({&shape, 0});
    return true;
  }
  const absl::StatusOr<int64_t> bytes = ArrayBytes(shape);
  if (!bytes.ok() || shape.is_dynamic() || shape.layout().has_padding() ||
      !LayoutUtil::IsMonotonicWithDim0Major(shape.layout())) {
    return false;
  }
  leaves.push_back({&shape, *bytes});
  return true;
}

}  // namespace

// A frame and its handler.
struct RegistryCallSite::Ready {
  uint64_t version = 0;  // of the registry
  CustomCallFrame frame;
  BoundCustomCall bound;
};

RegistryCallSite::RegistryCallSite(RegistryCallForm form) : form_(std::move(form)) {}

RegistryCallSite::~RegistryCallSite() { delete spare_.load(); }

bool RegistryCallSite::CollectLeaves() {
  for (const Shape& shape : form_.operand_shapes) {
    if (!AddLeaves(shape, arguments_)) return false;
  }
  return AddLeaves(form_.result_shape, results_);
}

std::unique_ptr<const RegistryCallSite> RegistryCallSite::Make(RegistryCallForm form) {
  std::unique_ptr<RegistryCallSite> site(new RegistryCallSite(std::move(form)));
  if (!site->CollectLeaves()) return nullptr;
  for (const auto& [result, argument] : site->form_.aliases) {
    if (result >= site->results_.size() || argument >= site->arguments_.size() ||
        !ShapeUtil::Compatible(*site->results_[result].shape, *site->arguments_[argument].shape)) {
      return nullptr;
    }
  }
  return site;
}

bool RegistryCallSite::Takes(absl::Span<char* const> arguments,
                             absl::Span<char* const> results) const {
  const auto is_aligned = [](const Leaf& leaf, const char* data) {
    return leaf.bytes == 0 ||
           (data != nullptr && reinterpret_cast<uintptr_t>(data) % kHandlerAlignment == 0);
  };
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!is_aligned(arguments_[i], arguments[i])) return false;
  }
  for (size_t r = 0; r < results_.size(); ++r) {
    if (!is_aligned(results_[r], results[r])) return false;
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
    if (arguments_[i].bytes > 0) frame.arguments[i].data = arguments[i];
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    const Leaf& leaf = results_[i];
    if (leaf.bytes == 0) continue;
    frame.results[i].data = results[i];
    std::memset(results[i], 0, static_cast<size_t>(leaf.bytes));
  }
  for (const auto& [result, argument] : form_.aliases) {
    const Leaf& leaf = results_[result];
    if (leaf.bytes == 0) continue;
    std::memcpy(results[result], arguments[argument], static_cast<size_t>(leaf.bytes));
    frame.arguments[argument].data = results[result];
  }
  XLA_RETURN_IF_ERROR(ready->bound.Run(frame));
  for (size_t i = 0; i < results_.size(); ++i) {
    const Shape& shape = *results_[i].shape;
    if (!shape.IsArray()) continue;
    if (absl::MakeConstSpan(frame.results[i].dynamic_sizes) != shape.dimensions()) {
      return absl::InvalidArgumentError(
          absl::StrCat("custom call \"", form_.target, "\": the handler set the sizes of a result of shape ",
                       shape.ToString(), ", whose dimensions are not dynamic"));
    }
    NormalizeSubByteElements(shape.element_type(), results[i], ShapeUtil::ElementsIn(shape));
  }
  delete spare_.exchange(ready.release(), std::memory_order_acq_rel);
  return absl::OkStatus();
}

}  // namespace xla::runtime

// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/expand_wide_windows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/literal.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/passes/prefix_scan.h"
#include "xla/passes/split_reductions.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Smaller windows are computed element by element, with their elements in registers.
constexpr int64_t kLeastElements = 32;

// Whether the initial value changes nothing but the sign of a zero.
bool StartsFromIdentity(const HloInstruction& window) {
  const std::optional<Literal> identity = IdentityOfReducer(*window.to_apply());
  const HloInstruction& init = *window.operand(1);
  if (!identity.has_value() || !init.IsConstant() || init.shape().rank() != 0) return false;
  return init.literal() == *identity ||
         (window.to_apply()->root_instruction()->opcode() == HloOpcode::kAdd &&
          SplatValue(init) == 0.0);
}

bool MayExpand(const HloInstruction& window) {
  if (window.opcode() != HloOpcode::kReduceWindow || window.operand_count() != 2 ||
      !window.shape().IsArray() || !window.shape().is_static() ||
      !window.operand(0)->shape().is_static() || IsAnnotated(window) ||
      window.HasControlDependencies() || HasScanKernel(window) ||
      RecognizePrefixWindow(window).has_value()) {
    return false;
  }
  for (const WindowDim& dim : window.attributes<WindowAttributes>().window.dims) {
    if (dim.base_dilation != 1 || dim.padding_low < 0 || dim.padding_high < 0) return false;
  }
  return StartsFromIdentity(window);
}

double ElementsOf(absl::Span<const int64_t> sizes) {
  double elements = 1;
  for (const int64_t size : sizes) elements *= static_cast<double>(size);
  return elements;
}

// Whether an array of this many elements is not much larger than the operand and the result:
// padding may be longer than both, and is not materialized otherwise.
bool IsBounded(const HloInstruction& window, double elements) {
  return elements <= 2 * (ElementsOf(window.operand(0)->shape().dimensions()) +
                          ElementsOf(window.shape().dimensions()));
}

bool Covers(const WindowDim& dim) {
  return dim.size != 1 || dim.stride != 1 || dim.padding_low != 0 || dim.padding_high != 0;
}

// Splits a window into one for each dimension, those with larger strides first, which leave fewer
// elements.
absl::StatusOr<bool> SplitDimensions(HloInstruction* window) {
  const WindowDims& all = window->attributes<WindowAttributes>().window;
  double elements = 1;
  std::vector<size_t> order;
  for (size_t d = 0; d < all.size(); ++d) {
    elements *= static_cast<double>(all[d].size);
    if (Covers(all[d])) order.push_back(d);
  }
  if (order.size() < 2 || elements < kLeastElements) return false;
  absl::c_stable_sort(order, [&](size_t a, size_t b) { return all[a].stride > all[b].stride; });
  const auto operand = window->operand(0)->shape().dimensions();
  std::vector<int64_t> after(operand.begin(), operand.end());
  for (const size_t d : order) {
    after[d] = window->shape().dimensions(static_cast<int>(d));
    if (!IsBounded(*window, ElementsOf(after))) return false;
  }
  GraphBuilder b(window->parent(), window);
  HloInstruction* x = window->mutable_operand(0);
  for (const size_t next : order) {
    WindowAttributes attributes;
    attributes.window.dims.resize(all.size());
    attributes.window[next] = all[next];
    std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
    sizes[next] = window->shape().dimensions(static_cast<int>(next));
    HloComputation* called[] = {window->to_apply()};
    x = b.Make(HloOpcode::kReduceWindow, Shape(x->shape().element_type(), sizes),
               {x, window->mutable_operand(1)}, std::move(attributes), called);
  }
  XLA_RETURN_IF_ERROR(window->parent()->ReplaceInstruction(window, x));
  return true;
}

// Returns the dimension of a one-dimensional window for which powers of two are worthwhile.
std::optional<int64_t> WideDimension(const HloInstruction& window) {
  const WindowDims& all = window.attributes<WindowAttributes>().window;
  std::optional<int64_t> wide;
  for (size_t d = 0; d < all.size(); ++d) {
    if (!Covers(all[d])) continue;
    if (wide.has_value()) return std::nullopt;
    wide = static_cast<int64_t>(d);
  }
  if (!wide.has_value()) return std::nullopt;
  const WindowDim& dim = all[static_cast<size_t>(*wide)];
  int64_t steps = 0;
  for (int64_t size = dim.size; size > 0; size /= 2) steps += 2;
  // Each step stores and loads all elements, including those between the results.
  const bool pays = dim.size >= kLeastElements && dim.size / dim.stride > 2 * steps;
  const Shape& operand = window.operand(0)->shape();
  const auto length = static_cast<double>(operand.dimensions(static_cast<int>(*wide)));
  const double padded =
      ElementsOf(operand.dimensions()) / std::max(length, 1.0) *
      (length + static_cast<double>(dim.padding_low) + static_cast<double>(dim.padding_high));
  return pays && length > 0 && IsBounded(window, padded) ? wide : std::nullopt;
}

absl::StatusOr<bool> DoubleWindows(HloInstruction* window) {
  const std::optional<int64_t> wide = WideDimension(*window);
  if (!wide.has_value() || window->shape().dimensions(static_cast<int>(*wide)) == 0) return false;
  const WindowDims& all = window->attributes<WindowAttributes>().window;
  const WindowDim& dim = all[static_cast<size_t>(*wide)];
  const HloOpcode operation = window->to_apply()->root_instruction()->opcode();
  GraphBuilder b(window->parent(), window);
  HloInstruction* const init = window->mutable_operand(1);
  HloInstruction* x = window->mutable_operand(0);
  if (dim.padding_low != 0 || dim.padding_high != 0) {
    std::vector<PadDim> padding(all.size());
    padding[static_cast<size_t>(*wide)] = {dim.padding_low, dim.padding_high, 0};
    x = b.Pad(x, init, std::move(padding));
  }
  const auto length_of = [&](const HloInstruction* array) {
    return array->shape().dimensions(static_cast<int>(*wide));
  };
  // `elements` is the size of the current windows, one for each first element.
  int64_t elements = 1;
  // The result for the binary digits of the size so far: windows from `offset` on.
  HloInstruction* result = nullptr;
  const int64_t places = length_of(x) - (dim.size - 1) * dim.window_dilation;
  int64_t offset = 0;
  for (int64_t rest = dim.size;; rest /= 2) {
    if (rest % 2 != 0) {
      HloInstruction* const part = b.SliceAlong(x, *wide, offset, offset + places);
      result = result == nullptr ? part : b.Binary(operation, result, part);
      offset += elements * dim.window_dilation;
    }
    if (rest <= 1) break;
    const int64_t distance = elements * dim.window_dilation, length = length_of(x) - distance;
    x = b.Binary(operation, b.SliceAlong(x, *wide, 0, length),
                 b.SliceAlong(x, *wide, distance, distance + length));
    elements *= 2;
  }
  if (dim.stride != 1) {
    SliceAttributes slice;
    for (int d = 0; d < result->shape().rank(); ++d)
      slice.slice.push_back({0, result->shape().dimensions(d), d == *wide ? dim.stride : 1});
    result = b.Make(HloOpcode::kSlice,
                    Shape(window->shape().element_type(), window->shape().dimensions()), {result},
                    std::move(slice));
  }
  // A sum of zeros has the sign of the initial value.
  result = b.Binary(operation, b.Splat(init, window->shape().dimensions()), result);
  XLA_RETURN_IF_ERROR(window->parent()->ReplaceInstruction(window, result));
  return true;
}

}  // namespace

absl::StatusOr<bool> ExpandWideWindows(HloModule* module) {
  bool changed = false;
  for (auto* rewrite : {&SplitDimensions, &DoubleWindows}) {
    for (HloComputation* computation : module->computations()) {
      for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        if (!MayExpand(*instruction)) continue;
        XLA_ASSIGN_OR_RETURN(const bool rewritten, rewrite(instruction));
        changed |= rewritten;
      }
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

}  // namespace xla

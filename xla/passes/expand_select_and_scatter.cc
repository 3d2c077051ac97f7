// SPDX-License-Identifier: Apache-2.0
// Expands select-and-scatter to elementwise operations on shifted arrays: each window finds the tap
// that it selects, and each element combines the sources of the windows that selected it. Both are
// computed by vectors and divided among threads, whatever dimensions have a window.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Index = std::vector<int64_t>;

// A kernel has several instructions for each tap.
constexpr int64_t kMostTaps = 32, kFewTaps = 4;
constexpr int64_t kMostInstructions = 8;  // of a function, of which there is a copy for each tap
constexpr double kMostPadding = 16;

bool HasFewTaps(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kSelectAndScatter || !IsPlain(instruction)) return false;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().is_static() || ShapeUtil::IsZeroElementArray(operand->shape()))
      return false;
  }
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  if (instruction.operand(1)->shape().element_type() != type || instruction.shape().rank() == 0)
    return false;
  const WindowDims& window = instruction.attributes<WindowAttributes>().window;
  if (static_cast<int64_t>(window.size()) != instruction.shape().rank()) return false;
  int64_t taps = 1;
  double padded = 1;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& dim = window[d];
    if (dim.base_dilation != 1 || dim.padding_low < 0 || dim.padding_high < 0 ||
        dim.window_reversal || dim.size > kMostTaps) {
      return false;
    }
    taps *= dim.size;
    if (taps > kMostTaps) return false;
    padded *= static_cast<double>(instruction.shape().dimensions(static_cast<int>(d))) +
              static_cast<double>(dim.padding_low) + static_cast<double>(dim.padding_high);
  }
  // Padding may be much longer than both arrays.
  const auto elements = [&](int64_t i) {
    return static_cast<double>(ShapeUtil::ElementsIn(instruction.operand(i)->shape()));
  };
  if (padded > kMostPadding * (elements(0) + elements(1))) return false;
  // Without a window along the minor dimension, the kernel of the operation computes by vectors,
  // too.
  int minor = static_cast<int>(instruction.shape().rank()) - 1;
  while (minor > 0 && instruction.shape().dimensions(minor) == 1) --minor;
  if (window[static_cast<size_t>(minor)] == WindowDim() &&
      (taps > kFewTaps || primitive_util::BitWidth(type) < 32)) {
    return false;
  }
  return absl::c_all_of(instruction.called_computations(), [](const HloComputation* function) {
    return function->instruction_count() <= kMostInstructions && IsElementwiseFunction(*function);
  });
}

class SelectedSources {
 public:
  explicit SelectedSources(HloInstruction* instruction)
      : window_(instruction->attributes<WindowAttributes>().window),
        operand_(instruction->mutable_operand(0)),
        source_(instruction->mutable_operand(1)),
        init_(instruction->mutable_operand(2)),
        select_(instruction->called_computations()[0]),
        scatter_(instruction->called_computations()[1]),
        type_(operand_->shape().element_type()),
        // As wide as the elements in registers, so that vectors of both have as many lanes.
        tap_type_(primitive_util::BitWidth(type_) == 64 ? S64 : S32),
        b_(instruction->parent(), instruction) {
    int64_t count = 1;
    for (const WindowDim& dim : window_.dims) count *= dim.size;
    for (int64_t t = 0; t < count; ++t) {
      Index tap(window_.size(), 0);
      int64_t rest = t;
      for (size_t d = window_.size(); d-- > 0; rest /= window_[d].size)
        tap[d] = rest % window_[d].size;
      taps_.push_back(std::move(tap));
    }
  }

  HloInstruction* Make() {
    const absl::Span<const int64_t> elements = operand_->shape().dimensions();
    // In memory, because each element reads the windows of all taps.
    HloInstruction* selected = SelectedTaps();
    selected = b_.Make(HloOpcode::kOptimizationBarrier, selected->shape(), {selected});
    HloInstruction* const zero = b_.Scalar(type_, 0);
    HloInstruction* const none = b_.Scalar(PRED, 0);
    HloInstruction* combined = b_.Splat(init_, elements);
    // Windows in row-major order have an element as their taps in reverse order.
    for (size_t t = taps_.size(); t-- > 0;) {
      HloInstruction* const is_selected =
          b_.Compare(selected, TapNumber(t), ComparisonDirection::kEq);
      HloInstruction* const with_source =
          Apply(scatter_, type_, combined, b_.Pad(source_, zero, PlacesOf(taps_[t])));
      combined = b_.Select(b_.Pad(is_selected, none, PlacesOf(taps_[t])), with_source, combined);
    }
    return combined;
  }

 private:
  HloInstruction* Apply(HloComputation* function, PrimitiveType type, HloInstruction* a,
                        HloInstruction* b) {
    MapAttributes all;
    for (int d = 0; d < a->shape().rank(); ++d) all.dimensions.push_back(d);
    HloComputation* called[] = {function};
    return b_.Make(HloOpcode::kMap, ShapeUtil::ChangeElementType(a->shape(), type), {a, b},
                   std::move(all), called);
  }

  HloInstruction* TapNumber(size_t tap) {
    return b_.Splat(b_.Scalar(tap_type_, static_cast<double>(tap)), source_->shape().dimensions());
  }

  // Returns for each window the element that it has at the tap, of an array that is padded.
  HloInstruction* ElementsAt(HloInstruction* padded, const Index& tap) {
    SliceAttributes slice;
    for (size_t d = 0; d < tap.size(); ++d) {
      const WindowDim& dim = window_[d];
      const int64_t start = tap[d] * dim.window_dilation;
      const int64_t windows = source_->shape().dimensions(static_cast<int>(d));
      slice.slice.push_back({start, start + (windows - 1) * dim.stride + 1, dim.stride});
    }
    return b_.Make(HloOpcode::kSlice,
                   Shape(padded->shape().element_type(), source_->shape().dimensions()), {padded},
                   std::move(slice));
  }

  // Returns the padding that puts each window's number at the element that it has at the tap.
  std::vector<PadDim> PlacesOf(const Index& tap) const {
    std::vector<PadDim> padding;
    for (size_t d = 0; d < tap.size(); ++d) {
      const WindowDim& dim = window_[d];
      const int64_t size = operand_->shape().dimensions(static_cast<int>(d));
      const int64_t windows = source_->shape().dimensions(static_cast<int>(d));
      const int64_t low = tap[d] * dim.window_dilation - dim.padding_low;
      padding.push_back({low, size - low - ((windows - 1) * dim.stride + 1), dim.stride - 1});
    }
    return padding;
  }

  // Returns for each window the number of the tap that it selects, -1 for windows of padding only:
  // the first one that no later one replaces.
  HloInstruction* SelectedTaps() {
    std::vector<PadDim> padding;
    bool is_padded = false;
    for (const WindowDim& dim : window_.dims) {
      padding.push_back({dim.padding_low, dim.padding_high, 0});
      is_padded |= dim.padding_low > 0 || dim.padding_high > 0;
    }
    HloInstruction *padded = operand_, *inside = nullptr;
    if (is_padded) {
      padded = b_.Pad(operand_, b_.Scalar(type_, 0), padding);
      inside = b_.Pad(b_.Splat(b_.Scalar(PRED, 1), operand_->shape().dimensions()),
                      b_.Scalar(PRED, 0), padding);
    }
    HloInstruction *best = ElementsAt(padded, taps_[0]), *selected = TapNumber(0);
    HloInstruction* const none = b_.Splat(b_.Scalar(tap_type_, -1), source_->shape().dimensions());
    if (is_padded) selected = b_.Select(ElementsAt(inside, taps_[0]), selected, none);
    for (size_t t = 1; t < taps_.size(); ++t) {
      HloInstruction* const element = ElementsAt(padded, taps_[t]);
      HloInstruction* replaces = b_.Unary(HloOpcode::kNot, Apply(select_, PRED, best, element));
      if (is_padded) {
        HloInstruction* const is_first = b_.Compare(selected, none, ComparisonDirection::kEq);
        replaces =
            b_.And(ElementsAt(inside, taps_[t]), b_.Binary(HloOpcode::kOr, is_first, replaces));
      }
      best = b_.Select(replaces, element, best);
      selected = b_.Select(replaces, TapNumber(t), selected);
    }
    return selected;
  }

  const WindowDims& window_;
  HloInstruction* const operand_;
  HloInstruction* const source_;
  HloInstruction* const init_;
  HloComputation* const select_;
  HloComputation* const scatter_;
  const PrimitiveType type_;
  const PrimitiveType tap_type_;
  GraphBuilder b_;
  std::vector<Index> taps_;  // in row-major order
};

}  // namespace

absl::StatusOr<bool> ExpandSelectAndScatters(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!HasFewTaps(*instruction)) continue;
      HloInstruction* const expanded = SelectedSources(instruction).Make();
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(instruction, expanded));
      changed = true;
    }
  }
  if (changed) XLA_RETURN_IF_ERROR(module->RemoveUnusedComputations());
  return changed;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Expands scatters of one window to updates of slices.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/literal_util.h"
#include "xla/passes/expand.h"
#include "xla/passes/rewriter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;
using Instructions = std::vector<HloInstruction*>;

// Whether a scatter updates one window of one array.
bool HasOneWindow(const HloInstruction& scatter) {
  if (scatter.operand_count() != 3 || !scatter.shape().IsArray()) return false;
  for (const HloInstruction* operand : scatter.operands()) {
    if (!operand->shape().is_static() || ShapeUtil::IsZeroElementArray(operand->shape()))
      return false;
  }
  const auto& attributes = scatter.attributes<ScatterAttributes>();
  if (!attributes.input_batching_dims.empty()) return false;
  const int64_t numbers = static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size());
  return ShapeUtil::ElementsIn(scatter.operand(1)->shape()) == numbers;
}

// Adds the replacement of a scatter directly before it.
class WindowUpdate {
 public:
  WindowUpdate(HloInstruction* scatter, Rewriter& rewriter)
      : scatter_(*scatter),
        attributes_(scatter->attributes<ScatterAttributes>()),
        rewriter_(rewriter) {}

  // Returns the operand with its window replaced by combine(window, update) if that is within the
  // operand, otherwise unchanged.
  HloInstruction* Make() {
    HloInstruction* const operand = scatter_.operand(0);
    const Shape window = Window();
    const Instructions starts = Starts(window);
    Instructions slice_operands = {operand};
    slice_operands.insert(slice_operands.end(), starts.begin(), starts.end());
    HloInstruction* const old = rewriter_.Create(
        HloOpcode::kDynamicSlice, window, slice_operands,
        DynamicSliceAttributes{
            .dynamic_slice_sizes = {window.dimensions().begin(), window.dimensions().end()}});
    HloInstruction* update = scatter_.operand(2);
    if (update->shape().dimensions() != window.dimensions())
      update = rewriter_.Create(HloOpcode::kReshape, window, {update});
    MapAttributes all;
    for (int d = 0; d < window.rank(); ++d) all.dimensions.push_back(d);
    HloInstruction* combined = rewriter_.Create(HloOpcode::kMap, window, {old, update},
                                                std::move(all), {scatter_.to_apply()});
    if (within_ != nullptr)
      combined = rewriter_.Create(HloOpcode::kSelect, window, {within_, combined, old});
    slice_operands.insert(slice_operands.begin() + 1, combined);
    return rewriter_.Create(HloOpcode::kDynamicUpdateSlice, scatter_.shape(), slice_operands);
  }

 private:
  // Returns the shape of the part of the operand that is updated.
  Shape Window() const {
    const Shape& updates = scatter_.operand(2)->shape();
    std::vector<int64_t> sizes;
    size_t next = 0;
    for (int64_t d = 0; d < scatter_.shape().rank(); ++d) {
      const bool inserted = absl::c_linear_search(attributes_.inserted_window_dims, d);
      sizes.push_back(
          inserted ? 1
                   : updates.dimensions(static_cast<int>(attributes_.update_window_dims[next++])));
    }
    return Shape(scatter_.shape().element_type(), sizes);
  }

  // Returns the first index of the window in each dimension, as S64; sets within_ if the window may
  // not fit.
  Instructions Starts(const Shape& window) {
    const auto& indexed = attributes_.scatter_dims_to_operand_dims;
    const Shape scalar(S64, {});
    HloInstruction* const zero = Number(0);
    Instructions starts(static_cast<size_t>(window.rank()), zero);
    HloInstruction* indices = scatter_.operand(1);
    const int64_t count = static_cast<int64_t>(indexed.size());
    if (indices->shape().element_type() != S64) {
      indices = rewriter_.Create(HloOpcode::kConvert,
                                 ShapeUtil::ChangeElementType(indices->shape(), S64), {indices});
    }
    indices = rewriter_.Create(HloOpcode::kReshape, Shape(S64, {count}), {indices});
    for (int64_t i = 0; i < count; ++i) {
      const int d = static_cast<int>(indexed[static_cast<size_t>(i)]);
      HloInstruction* const element =
          rewriter_.Create(HloOpcode::kSlice, Shape(S64, {1}), {indices},
                           SliceAttributes{.slice = {{.start = i, .limit = i + 1, .stride = 1}}});
      HloInstruction* const start = rewriter_.Create(HloOpcode::kReshape, scalar, {element});
      starts[static_cast<size_t>(d)] = start;
      Require(start, zero, ComparisonDirection::kGe);
      Require(start, Number(scatter_.shape().dimensions(d) - window.dimensions(d)),
              ComparisonDirection::kLe);
    }
    return starts;
  }

  HloInstruction* Number(int64_t value) {
    return rewriter_.Constant(LiteralUtil::CreateR0<int64_t>(value));
  }

  void Require(HloInstruction* a, HloInstruction* b, ComparisonDirection direction) {
    HloInstruction* const holds = rewriter_.Create(HloOpcode::kCompare, Shape(PRED, {}), {a, b},
                                                   CompareAttributes{.direction = direction});
    within_ = within_ == nullptr
                  ? holds
                  : rewriter_.Create(HloOpcode::kAnd, holds->shape(), {within_, holds});
  }

  const HloInstruction& scatter_;
  const ScatterAttributes& attributes_;
  Rewriter& rewriter_;
  HloInstruction* within_ = nullptr;
};

Result ExpandScatter(HloInstruction* scatter, Rewriter& rewriter) {
  if (!HasOneWindow(*scatter) || !IsElementwiseFunction(*scatter->to_apply())) return nullptr;
  return WindowUpdate(scatter, rewriter).Make();
}

constexpr RewriteRule kScatterRules[] = {
    {"expand-scatter-of-one-window", HloOpcode::kScatter, &ExpandScatter}};

}  // namespace

absl::StatusOr<bool> ExpandScatters(HloModule* module) {
  return RewriteToFixedPoint(module, kScatterRules);
}

}  // namespace xla

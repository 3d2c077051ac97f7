// SPDX-License-Identifier: Apache-2.0
// Expands convolutions in which each output feature has one input feature, and few taps, to sums of
// shifted arrays: a fusion, in which short rows share vectors, and what reads the result is
// computed, too. The kernels of convolutions make products of the features of a place, of which
// there is one.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/canonicalize_contractions.h"
#include "xla/passes/expand.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Taps beyond these are faster in the kernel of convolutions, which holds several in registers:
// along one dimension, in short rows, and elsewhere.
constexpr int64_t kMostLineTaps = 25, kMostShortRowTaps = 27, kMostLongRowTaps = 12;
constexpr int64_t kShortRow = 32;

// Whether every dimension of the output is where it is in the input.
bool KeepsDimensions(const ConvDims& labels) {
  return labels.input_batch == labels.output_batch &&
         labels.input_feature == labels.output_feature &&
         labels.input_spatial == labels.output_spatial;
}

bool SuitsShiftedArrays(const HloInstruction& convolution) {
  if (!IsOrdinaryConvolution(convolution) || !IsPlain(convolution)) return false;
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  const Shape &shape = convolution.shape(), &input = convolution.operand(0)->shape(),
              &kernel = convolution.operand(1)->shape();
  for (const Shape* each : {&shape, &input, &kernel}) {
    if (ShapeUtil::IsZeroElementArray(*each) ||
        !primitive_util::IsFloatingPointType(each->element_type()) ||
        primitive_util::BitWidth(each->element_type()) < 16) {
      return false;
    }
  }
  const int64_t features = shape.dimensions(static_cast<int>(labels.output_feature));
  if (!KeepsDimensions(labels) || attributes.feature_group_count != features ||
      input.dimensions(static_cast<int>(labels.input_feature)) != features) {
    return false;
  }
  int64_t taps = 1, windows = 0;
  for (const WindowDim& dim : attributes.window.dims) {
    if (dim.stride != 1 || dim.base_dilation != 1 || dim.size > kMostShortRowTaps) return false;
    taps *= dim.size;
    windows += dim.size > 1 ? 1 : 0;
    if (taps > kMostShortRowTaps) return false;
  }
  int minor = static_cast<int>(shape.rank()) - 1;
  while (minor > 0 && shape.dimensions(minor) == 1) --minor;
  // Features along vectors have a kernel of their own.
  if (minor == labels.output_feature && features > 1) return false;
  const int64_t most = windows <= 1                           ? kMostLineTaps
                       : shape.dimensions(minor) <= kShortRow ? kMostShortRowTaps
                                                              : kMostLongRowTaps;
  return taps <= most;
}

class ShiftedSum {
 public:
  explicit ShiftedSum(HloInstruction* convolution)
      : attributes_(convolution->attributes<ConvolutionAttributes>()),
        shape_(convolution->shape()),
        type_(primitive_util::BitWidth(shape_.element_type()) < 32 ? F32 : shape_.element_type()),
        b_(convolution->parent(), convolution),
        input_(b_.Convert(convolution->mutable_operand(0), type_)),
        kernel_(b_.Convert(convolution->mutable_operand(1), type_)) {}

  HloInstruction* Make() {
    // From positive zero, which sums of negative zeros keep.
    HloInstruction* sum = b_.Splat(b_.Scalar(type_, 0), shape_.dimensions());
    std::vector<int64_t> sizes;
    for (const WindowDim& dim : attributes_.window.dims) sizes.push_back(dim.size);
    ShapeUtil::ForEachIndexNoStatus(
        ShapeUtil::MakeShape(PRED, sizes), [&](absl::Span<const int64_t> tap) {
          HloInstruction* const shifted = b_.Pad(input_, b_.Scalar(type_, 0), ShiftOf(tap));
          sum = b_.Plus(sum, b_.Times(shifted, WeightsOf(tap)));
          return true;
        });
    return b_.Convert(sum, shape_.element_type());
  }

 private:
  // Returns the weights of the tap, one for each feature, in the dimensions of the result.
  HloInstruction* WeightsOf(absl::Span<const int64_t> tap) {
    const ConvDims& labels = attributes_.dim_labels;
    const Shape& kernel = kernel_->shape();
    std::vector<int64_t> starts(static_cast<size_t>(kernel.rank()), 0),
        limits(kernel.dimensions().begin(), kernel.dimensions().end());
    for (size_t d = 0; d < tap.size(); ++d) {
      const WindowDim& dim = attributes_.window[d];
      const auto place = static_cast<size_t>(labels.kernel_spatial[d]);
      starts[place] = dim.window_reversal ? dim.size - 1 - tap[d] : tap[d];
      limits[place] = starts[place] + 1;
    }
    HloInstruction* const weights = b_.Slice(kernel_, starts, limits);
    const int64_t features = attributes_.feature_group_count;
    if (features == 1) return b_.Splat(b_.Reshape(weights, {}), shape_.dimensions());
    return b_.Broadcast(b_.Reshape(weights, {features}), shape_.dimensions(),
                        {labels.output_feature});
  }

  // Returns the padding that puts each element of the input where the tap adds it.
  std::vector<PadDim> ShiftOf(absl::Span<const int64_t> tap) const {
    std::vector<PadDim> shift(static_cast<size_t>(shape_.rank()));
    for (size_t d = 0; d < tap.size(); ++d) {
      const WindowDim& dim = attributes_.window[d];
      const int64_t place = attributes_.dim_labels.input_spatial[d];
      const int64_t low = dim.padding_low - tap[d] * dim.window_dilation;
      const auto i = static_cast<int>(place);
      shift[static_cast<size_t>(place)] = {
          low, shape_.dimensions(i) - input_->shape().dimensions(i) - low, 0};
    }
    return shift;
  }

  const ConvolutionAttributes& attributes_;
  const Shape& shape_;
  const PrimitiveType type_;  // of products and sums
  GraphBuilder b_;
  HloInstruction* const input_;
  HloInstruction* const kernel_;
};

}  // namespace

absl::StatusOr<bool> ExpandDepthwiseConvolutions(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!SuitsShiftedArrays(*instruction)) continue;
      XLA_RETURN_IF_ERROR(
          computation->ReplaceInstruction(instruction, ShiftedSum(instruction).Make()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// Convolutions whose features come before the places of an image, as PyTorch has them, are computed
// with features last where the kernels of convolutions are faster so by more than transposes cost:
// with strides, and for small images, whose rows fill few vectors.
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/passes/canonicalize_contractions.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/pattern.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Whether the attributes are those of a layer of a network, forward, whose features come first.
bool IsLayerWithFeaturesFirst(const HloInstruction& convolution) {
  if (convolution.opcode() != HloOpcode::kConvolution || IsAnnotated(convolution) ||
      convolution.HasControlDependencies() || convolution.operand_count() != 2) {
    return false;
  }
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  const PrimitiveType type = convolution.shape().element_type();
  for (const HloInstruction* operand : convolution.operands()) {
    if (!operand->shape().is_static() || operand->shape().element_type() != type) return false;
  }
  constexpr int64_t kFewestDimensions = 2;  // of images
  const int64_t minor = convolution.shape().rank() - 1;
  return (type == F32 || type == F64) && convolution.shape().is_static() &&
         attributes.kind == ConvolutionKind::CONVOLUTION_KIND_UNSET &&
         attributes.batch_group_count == 1 && labels.input_unknown.empty() &&
         labels.kernel_unknown.empty() && labels.output_unknown.empty() &&
         static_cast<int64_t>(labels.output_spatial.size()) >= kFewestDimensions &&
         labels.input_feature != minor && labels.output_feature != minor &&
         labels.input_batch != minor && labels.output_batch != minor &&
         absl::c_all_of(attributes.window.dims,
                        [](const WindowDim& dim) { return dim.base_dilation == 1; });
}

// By measurements with vectors of 8 lanes: features last took 0.2 to 0.9 of the time, with
// transposes.
bool IsFasterWithFeaturesLast(const HloInstruction& convolution) {
  constexpr int64_t kFewestElements = 1024, kMostTapsOfLayer = 64, kManyTaps = 25;
  constexpr int64_t kSmallImage = 256, kLargeImage = 400, kManyFeatures = 64, kFewFeatures = 3;
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  const Shape &shape = convolution.shape(), &input = convolution.operand(0)->shape();
  int64_t taps = 1, places = 1;
  bool has_strides = false;
  for (size_t d = 0; d < attributes.window.size(); ++d) {
    taps *= attributes.window[d].size;
    if (taps > kMostTapsOfLayer) return false;
    places *= shape.dimensions(static_cast<int>(labels.output_spatial[d]));
    has_strides |= attributes.window[d].stride > 1;
  }
  if (ShapeUtil::ElementsIn(shape) < kFewestElements) return false;
  const int64_t groups = attributes.feature_group_count;
  const int64_t from = input.dimensions(static_cast<int>(labels.input_feature)),
                to = shape.dimensions(static_cast<int>(labels.output_feature));
  if (groups > 1) return has_strides && groups == from && groups == to;
  if (taps == 1 || from * to == 1) return false;  // a product of matrices; one image or another
  if (has_strides) return taps >= kManyTaps || to < kManyFeatures || places <= kLargeImage;
  return places <= kSmallImage && from >= kFewFeatures && to >= kFewFeatures;
}

HloInstruction* WithFeaturesLast(HloInstruction* convolution) {
  GraphBuilder b(convolution->parent(), convolution);
  auto attributes = convolution->attributes<ConvolutionAttributes>();
  ConvDims& labels = attributes.dim_labels;
  // Returns the array with the dimensions of a role in this order.
  const auto ordered = [&](HloInstruction* array, int64_t first, int64_t second, bool is_kernel,
                           const std::vector<int64_t>& spatial) {
    std::vector<int64_t> order = spatial;
    if (is_kernel) {
      order.push_back(first);
    } else {
      order.insert(order.begin(), first);
    }
    order.push_back(second);
    return absl::c_is_sorted(order) ? array : b.Transpose(array, std::move(order));
  };
  HloInstruction* const input = ordered(convolution->mutable_operand(0), labels.input_batch,
                                        labels.input_feature, false, labels.input_spatial);
  HloInstruction* const kernel =
      ordered(convolution->mutable_operand(1), labels.kernel_input_feature,
              labels.kernel_output_feature, true, labels.kernel_spatial);
  // The dimension of the result that each one of the new result is.
  std::vector<int64_t> result = {labels.output_batch};
  result.insert(result.end(), labels.output_spatial.begin(), labels.output_spatial.end());
  result.push_back(labels.output_feature);
  std::vector<int64_t> sizes, back(result.size());
  for (size_t d = 0; d < result.size(); ++d) {
    sizes.push_back(convolution->shape().dimensions(static_cast<int>(result[d])));
    back[static_cast<size_t>(result[d])] = static_cast<int64_t>(d);
  }
  const auto rank = static_cast<int64_t>(result.size());
  std::vector<int64_t> images(static_cast<size_t>(rank - 2)), taps(images.size());
  std::iota(images.begin(), images.end(), 1);
  std::iota(taps.begin(), taps.end(), 0);
  labels.input_batch = labels.output_batch = 0;
  labels.input_feature = labels.output_feature = rank - 1;
  labels.input_spatial = labels.output_spatial = images;
  labels.kernel_spatial = taps;
  labels.kernel_input_feature = rank - 2;
  labels.kernel_output_feature = rank - 1;
  HloInstruction* const last = b.Make(
      HloOpcode::kConvolution, ShapeUtil::MakeShape(convolution->shape().element_type(), sizes),
      {input, kernel}, std::move(attributes));
  return b.Transpose(last, std::move(back));
}

}  // namespace

absl::StatusOr<bool> MoveFeaturesLast(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (!IsLayerWithFeaturesFirst(*instruction) || !IsFasterWithFeaturesLast(*instruction))
        continue;
      XLA_RETURN_IF_ERROR(
          computation->ReplaceInstruction(instruction, WithFeaturesLast(instruction)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla

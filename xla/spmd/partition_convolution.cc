// SPDX-License-Identifier: Apache-2.0
// Convolutions on shards: along batches, features, groups of both, space (with rows of neighbors),
// and the window, of which each partition then has some of the positions.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/shape_util.h"
#include "xla/spmd/convolution_layouts.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/util.h"

namespace xla::spmd {

// Divides the operands' shards and the window further, for one factor of `count` shards.
void Partitioner::DivideConvolution(const HloInstruction& convolution,
                                    const ConvolutionFactor& factor, int64_t count,
                                    const ConvolutionLayouts& layouts,
                                    std::vector<HloInstruction*>* operands,
                                    ConvolutionAttributes* local) {
  using Kind = ConvolutionFactor::Kind;
  HloInstruction *&input = (*operands)[0], *&kernel = (*operands)[1];
  const auto zero_of = [&](const HloInstruction* shard) {
    return Zero(input->parent(), ShapeUtil::MakeShape(shard->shape().element_type(), {}));
  };
  if (factor.kind == Kind::kGrouped) {
    (local->batch_group_count > 1 && factor.dims[0] == local->dim_labels.input_batch
         ? local->batch_group_count
         : local->feature_group_count) /= count;
  }
  if (factor.spatial < 0) return;
  WindowDim& dim = local->window[static_cast<size_t>(factor.spatial)];
  if (factor.kind == Kind::kParallel) {
    dim.size /= count;
    dim.base_dilation = dim.size;
    (dim.stride > 1 ? dim.stride : dim.window_dilation) = std::max<int64_t>(dim.size - 1, 1);
  } else if (factor.kind == Kind::kOuter) {
    dim.size /= count;
    dim.padding_low = dim.padding_high = dim.size - 1;
  } else if (factor.kind == Kind::kSpatial) {
    const Shape& full = convolution.operand(0)->shape();
    input = RowsOfWindow(
        input, layouts.arrays[0], factor.dims[0], full.dimensions(static_cast<int>(factor.dims[0])),
        convolution.shape().dimensions(static_cast<int>(factor.dims[2])), zero_of(input), dim);
  } else if (factor.kind == Kind::kWindowed) {
    kernel = FillPadding(kernel, convolution.operand(1)->shape(), layouts.arrays[1],
                         {factor.dims[1]}, zero_of(kernel));
    input = emit_.Rows(input, RowsOfWindowPart(convolution, factor, count, layouts.is_reversed),
                       layouts.arrays[0], zero_of(input));
    dim.size = CeilOfRatio(dim.size, count);
    dim.padding_low = dim.padding_high = 0;
  }
}

absl::StatusOr<bool> Partitioner::PartitionConvolution(HloInstruction* convolution) {
  if (convolution->operand_count() != 2 || ShapeUtil::IsZeroElementArray(convolution->shape()) ||
      ShapeUtil::IsZeroElementArray(convolution->operand(0)->shape()) ||
      ShapeUtil::IsZeroElementArray(convolution->operand(1)->shape())) {
    return false;
  }
  std::array<std::optional<ShardLayout>, 2> layouts;
  for (size_t i = 0; i < 2; ++i) {
    const Source source = SourceOf(convolution->mutable_operand(static_cast<int64_t>(i)));
    if (source.shard != nullptr) layouts[i] = source.layout;
  }
  const std::vector<ConvolutionFactor> factors = ConvolutionFactors(*convolution);
  const std::optional<ConvolutionLayouts> best =
      ConvolutionChoice(*convolution, factors, std::move(layouts), WantedLayout(*convolution),
                        emit_)
          .Choose();
  if (!best.has_value()) return false;
  if (absl::c_all_of(best->loops, [](const auto& s) { return s.count == 1; })) return true;

  std::vector<HloInstruction*> operands;
  for (size_t i = 0; i < 2; ++i) {
    XLA_ASSIGN_OR_RETURN(
        HloInstruction * shard,
        ShardOf(convolution->mutable_operand(static_cast<int64_t>(i)), best->arrays[i]));
    operands.push_back(WithoutPaddingFor(*convolution, i, shard, best->arrays[i]));
  }
  ConvolutionAttributes local = convolution->attributes<ConvolutionAttributes>();
  for (size_t k = 0; k < factors.size(); ++k) {
    if (best->loops[k].count > 1)
      DivideConvolution(*convolution, factors[k], best->loops[k].count, *best, &operands, &local);
  }
  HloComputation* const computation = convolution->parent();
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(convolution->shape(), best->arrays[2]));
  HloInstruction* shard =
      computation->AddInstruction(convolution->CloneWithNewOperands(shape, operands));
  *shard->mutable_attributes<ConvolutionAttributes>() = std::move(local);
  if (!best->partial.empty()) {
    shard = CombinePartial(convolution, shard,
                           ShardingStrategy{{}, best->arrays[2], best->partial, {}});
  }
  XLA_RETURN_IF_ERROR(SetResult(convolution, shard, best->arrays[2]));
  return true;
}

}  // namespace xla::spmd

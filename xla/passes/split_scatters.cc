// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "xla/literal_util.h"
#include "xla/passes/prefix_scan.h"
#include "xla/passes/rewriter.h"
#include "xla/passes/split_reductions.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Fewer updates take less time than sharing them among threads. A part has at least this many
// updates for each element of the operand, which it is initialized with and which is combined
// afterwards.
constexpr int64_t kManyUpdates = 32768, kUpdatesForElement = 4, kMostParts = 8;

// Whether a scatter updates one array of static size with windows of single elements.
bool ScattersElements(const HloInstruction& scatter) {
  if (scatter.operand_count() != 3 || !scatter.shape().IsArray()) return false;
  for (const HloInstruction* operand : scatter.operands()) {
    if (!operand->shape().is_static()) return false;
  }
  const auto& attributes = scatter.attributes<ScatterAttributes>();
  const Shape& indices = scatter.operand(1)->shape();
  return attributes.input_batching_dims.empty() && attributes.update_window_dims.empty() &&
         attributes.index_vector_dim >= indices.rank() - 1;
}

// Adds the replacement of a scatter directly before it.
class ScatterInParts {
 public:
  ScatterInParts(HloInstruction* scatter, int64_t parts, Rewriter& rewriter)
      : scatter_(*scatter),
        count_(ShapeUtil::ElementsIn(scatter->operand(2)->shape())),
        parts_(parts),
        part_((count_ + parts - 1) / parts),
        rewriter_(rewriter) {}

  // Returns null if no index can mark updates that are to be dropped.
  HloInstruction* Make(Literal identity) {
    const auto& attributes = scatter_.attributes<ScatterAttributes>();
    const auto numbers = static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size());
    HloInstruction* const indices = scatter_.operand(1);
    const PrimitiveType index_type = indices->shape().element_type();
    const bool is_filled_up = part_ * parts_ != count_;
    if (is_filled_up && primitive_util::IsUnsignedIntegralType(index_type)) return nullptr;

    HloInstruction* const none = rewriter_.Constant(std::move(identity));
    std::vector<int64_t> sizes = {parts_};
    for (const int64_t size : scatter_.shape().dimensions()) sizes.push_back(size);
    HloInstruction* const start =
        rewriter_.Create(HloOpcode::kBroadcast, Of(scatter_.shape(), sizes), {none});
    HloInstruction* const outside =
        is_filled_up ? rewriter_.Constant(LiteralUtil::MinValue(index_type)) : none;

    ScatterAttributes in_parts = attributes;
    in_parts.input_batching_dims = {0};
    in_parts.scatter_indices_batching_dims = {0};
    for (int64_t& d : in_parts.inserted_window_dims) ++d;
    for (int64_t& d : in_parts.scatter_dims_to_operand_dims) ++d;
    in_parts.index_vector_dim = 2;
    in_parts.indices_are_sorted = false;
    HloComputation* combine = scatter_.to_apply();
    HloInstruction* const partial = rewriter_.Create(
        HloOpcode::kScatter, start->shape(),
        {start, Divided(indices, numbers, outside), Divided(scatter_.operand(2), 0, none)},
        std::move(in_parts), {&combine, 1});
    HloInstruction* const updates =
        rewriter_.Create(HloOpcode::kReduce, scatter_.shape(), {partial, none},
                         DimensionListAttributes{.dimensions = {0}}, {&combine, 1});
    return rewriter_.Create(*OperationOfReducer(*combine), scatter_.shape(),
                            {scatter_.operand(0), updates});
  }

 private:
  static Shape Of(const Shape& type, const std::vector<int64_t>& sizes) {
    return ShapeUtil::MakeShape(type.element_type(), sizes);
  }

  // Divides the array of `minor` numbers for each update (0: one, without a dimension) into parts,
  // the last of which is padded.
  HloInstruction* Divided(HloInstruction* array, int64_t minor, HloInstruction* filling) {
    const Shape& type = array->shape();
    const auto sizes = [&](std::vector<int64_t> outer) {
      if (minor > 0) outer.push_back(minor);
      return outer;
    };
    if (const int64_t filled = part_ * parts_; filled != count_) {
      array = rewriter_.Create(HloOpcode::kReshape, Of(type, sizes({count_})), {array});
      PadAttributes pad;
      pad.padding = {{.low = 0, .high = filled - count_, .interior = 0}};
      if (minor > 0) pad.padding.push_back({});
      array = rewriter_.Create(HloOpcode::kPad, Of(type, sizes({filled})), {array, filling},
                               std::move(pad));
    }
    return rewriter_.Create(HloOpcode::kReshape, Of(type, sizes({parts_, part_})), {array});
  }

  const HloInstruction& scatter_;
  const int64_t count_, parts_, part_;  // updates; parts, and their updates
  Rewriter& rewriter_;
};

absl::StatusOr<HloInstruction*> SplitScatter(HloInstruction* scatter, Rewriter& rewriter) {
  if (!ScattersElements(*scatter)) return nullptr;
  const int64_t updates = ShapeUtil::ElementsIn(scatter->operand(2)->shape());
  const int64_t elements = std::max<int64_t>(ShapeUtil::ElementsIn(scatter->shape()), 1);
  const int64_t parts = std::min(kMostParts, updates / kUpdatesForElement / elements);
  if (updates < kManyUpdates || parts < 2) return nullptr;
  std::optional<Literal> identity = IdentityOfReducer(*scatter->to_apply());
  if (!identity.has_value()) return nullptr;
  // Sums of few bits stop growing when updates are half a unit in the last place: how soon depends
  // on their order.
  const HloOpcode operation = *OperationOfReducer(*scatter->to_apply());
  const PrimitiveType type = scatter->shape().element_type();
  if (primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) < 32 &&
      operation != HloOpcode::kMaximum && operation != HloOpcode::kMinimum) {
    return nullptr;
  }
  return ScatterInParts(scatter, parts, rewriter).Make(*std::move(identity));
}

constexpr RewriteRule kScatterParts[] = {{"split-scatter", HloOpcode::kScatter, &SplitScatter}};

}  // namespace

absl::StatusOr<bool> SplitScatters(HloModule* module) {
  return RewriteToFixedPoint(module, kScatterParts);
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/factor_strategies.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/passes/custom_call_forms.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/propagation/common_axes.h"
#include "xla/spmd/propagation/factor_sharding.h"
#include "xla/spmd/reduction_start.h"

namespace xla::spmd {
namespace {

using propagation::ArraySharding;
using propagation::Axes;

// Whether shards of results are what the same instruction makes of shards of the operands, where
// only factors that pass through are divided.
bool WorksOnShards(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kBroadcast:
    case HloOpcode::kCholesky:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCustomCall:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kFft:
    case HloOpcode::kPad:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReverse:
    case HloOpcode::kScaledDot:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSlice:
    case HloOpcode::kSort:
    case HloOpcode::kTopK:
    case HloOpcode::kTranspose:
    case HloOpcode::kTriangularSolve:
      return true;
    default:
      return false;
  }
}

// Whether results of shards of a factor that is reduced add up to the result.
bool HasPartialResults(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
    case HloOpcode::kRaggedDot:
    case HloOpcode::kScaledDot:
      return true;
    default:
      return instruction.opcode() == HloOpcode::kReduce && MayCombineParts(instruction);
  }
}

// Whether arrays without a factor mean the same on shards. Updates and slices have positions in
// what is divided, and sizes of groups may be of each batch.
bool MayLackFactors(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kRaggedDot:
      return instruction.operand(2)->shape().rank() == 1;
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kPad:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kSlice:
      return false;
    default:
      return true;
  }
}

// Whether another factor is major to it in some dimension: shards of it are not contiguous there.
bool IsMinor(const DimensionRelations& relations, int64_t factor) {
  for (size_t i = 0; i < relations.num_arrays(); ++i) {
    for (const DimensionFactors& dimension : relations.array(i)) {
      if (dimension[0] != factor && absl::c_linear_search(dimension, factor)) return true;
    }
  }
  return false;
}

// Whether elements change their places along a dimension that has the factor, though its size
// stays.
bool IsShifted(const HloInstruction& instruction, const DimensionRelations& relations,
               int64_t factor) {
  if (instruction.opcode() != HloOpcode::kPad) return false;
  const auto& padding = instruction.attributes<PadAttributes>().padding;
  for (size_t d = 0; d < padding.size(); ++d) {
    if (padding[d] != PadDim() && absl::c_linear_search(relations.results[0][d], factor)) {
      return true;
    }
  }
  return false;
}

// Whether elements are chosen along a dimension that has the factor: where all are, the relation
// lets it pass, as Shardy's does, though shards would choose among their own.
bool IsChosenFrom(const HloInstruction& instruction, const DimensionRelations& relations,
                  int64_t factor) {
  const auto has_factor = [&](const DimensionFactors& dimension) {
    return absl::c_linear_search(dimension, factor);
  };
  if (IsCall(instruction, "ApproxTopK") || IsCall(instruction, "PartialReduce")) {
    const absl::StatusOr<int64_t> dimension = ApproxTopKDimension(instruction);
    return !dimension.ok() || has_factor(relations.operands[0][static_cast<size_t>(*dimension)]);
  }
  const bool is_top_k = instruction.opcode() == HloOpcode::kTopK || IsCall(instruction, "TopK") ||
                        IsCall(instruction, "mhlo.topk");
  return is_top_k && has_factor(relations.operands[0].back());
}

// Whether each result is divided with the factor: shards of operands would give parts of others.
bool IsInAllResults(const DimensionRelations& relations, int64_t factor) {
  return absl::c_all_of(relations.results, [&](const ArrayFactors& array) {
    return absl::c_any_of(array, [&](const DimensionFactors& dimension) {
      return absl::c_linear_search(dimension, factor);
    });
  });
}

// The mesh of all layouts that divide something; none if there are two, or none.
std::optional<Mesh> CommonMesh(absl::Span<const ShardLayout* const> layouts) {
  std::optional<Mesh> mesh;
  for (const ShardLayout* layout : layouts) {
    if (layout == nullptr || layout->IsUndivided()) continue;
    if (mesh.has_value() && *mesh != layout->mesh) return std::nullopt;
    mesh = layout->mesh;
  }
  return mesh;
}

ArraySharding ArrayShardingOf(const ShardLayout* layout, size_t rank) {
  ArraySharding sharding = ArraySharding::Open(rank);
  for (size_t d = 0; d < rank; ++d) {
    sharding.dimensions[d].is_closed = true;
    if (layout != nullptr && !layout->IsUndivided()) sharding.dimensions[d].axes = layout->axes[d];
  }
  return sharding;
}

class Maker {
 public:
  Maker(const HloInstruction& instruction, const DimensionRelations& relations, const Mesh& mesh,
        int64_t partitions)
      : instruction_(instruction), relations_(relations), mesh_(mesh), partitions_(partitions) {
    for (size_t i = 0; i < relations.num_arrays(); ++i) {
      int64_t elements = 1;
      for (const DimensionFactors& dimension : relations.array(i)) {
        for (const int64_t factor : dimension) {
          elements *= relations.factors[static_cast<size_t>(factor)].size;
        }
      }
      sizes_.push_back(elements);
    }
  }

  // The strategy in which the factors have the axes that these layouts, null: replicated, have.
  std::optional<ShardingStrategy> Make(absl::Span<const ShardLayout* const> layouts) const {
    std::vector<ArraySharding> shardings;
    std::vector<const ArraySharding*> pointers;
    for (size_t i = 0; i < layouts.size(); ++i) {
      shardings.push_back(ArrayShardingOf(layouts[i], relations_.array(i).size()));
    }
    for (const ArraySharding& sharding : shardings) pointers.push_back(&sharding);
    const auto projection = propagation::ShardingProjection::Make(pointers, relations_, mesh_);
    std::vector<Axes> axes = propagation::CommonAxes(projection, relations_, sizes_, mesh_);
    ShardingStrategy strategy;
    strategy.partial.mesh = mesh_;
    for (size_t f = 0; f < axes.size(); ++f) {
      const DimensionFactor& factor = relations_.factors[f];
      const bool is_reduced = factor.kind == FactorKind::kReduction;
      if ((factor.kind != FactorKind::kPassThrough &&
           !(is_reduced && HasPartialResults(instruction_))) ||
          (!is_reduced && !IsInAllResults(relations_, static_cast<int64_t>(f))) ||
          (!MayLackFactors(instruction_) &&
           !propagation::IsInAllArrays(relations_, static_cast<int64_t>(f))) ||
          IsMinor(relations_, static_cast<int64_t>(f)) ||
          IsShifted(instruction_, relations_, static_cast<int64_t>(f)) ||
          IsChosenFrom(instruction_, relations_, static_cast<int64_t>(f)) || factor.size == 0 ||
          factor.size % AxesSize(axes[f], mesh_) != 0) {
        axes[f].clear();
      }
      if (!is_reduced) continue;
      for (const AxisRef& axis : axes[f]) strategy.partial.axes.push_back(axis);
    }
    SortAndMergeAxes(strategy.partial.axes, mesh_);
    bool is_divided = false;
    for (size_t i = 0; i < relations_.operands.size(); ++i) {
      ShardLayout layout = LayoutOf(relations_.operands[i], axes);
      const bool is_whole = layout.IsUndivided();
      is_divided = is_divided || !is_whole;
      strategy.operands.push_back(is_whole ? std::nullopt : std::optional(std::move(layout)));
    }
    if (!instruction_.shape().IsTuple()) {
      strategy.result = LayoutOf(relations_.results[0], axes);
      is_divided = is_divided || !strategy.result.IsUndivided();
    } else {
      for (const ArrayFactors& result : relations_.results) {
        strategy.elements.push_back(LayoutOf(result, axes));
      }
      strategy.result = strategy.elements[0];
    }
    return is_divided ? std::optional(std::move(strategy)) : std::nullopt;
  }

 private:
  ShardLayout LayoutOf(const ArrayFactors& array, const std::vector<Axes>& axes) const {
    ShardLayout layout = UndividedLayout(static_cast<int64_t>(array.size()), partitions_);
    layout.mesh = mesh_;
    for (size_t d = 0; d < array.size(); ++d) {
      layout.axes[d] = axes[static_cast<size_t>(array[d][0])];
      layout.counts[d] = AxesSize(layout.axes[d], mesh_);
    }
    return layout;
  }

  const HloInstruction& instruction_;
  const DimensionRelations& relations_;
  const Mesh& mesh_;
  const int64_t partitions_;
  std::vector<int64_t> sizes_;
};

bool IsOfArrays(const HloInstruction& instruction) {
  const auto is_array = [](const Shape& shape) { return shape.IsArray(); };
  return absl::c_all_of(instruction.operands(),
                        [](const HloInstruction* operand) { return operand->shape().IsArray(); }) &&
         (instruction.shape().IsArray() ||
          (instruction.shape().IsTuple() && instruction.shape().tuple_shapes_size() > 0 &&
           absl::c_all_of(instruction.shape().tuple_shapes(), is_array)));
}

}  // namespace

std::vector<ShardingStrategy> FactorStrategies(const HloInstruction& instruction,
                                               absl::Span<const ShardLayout* const> known,
                                               const ShardLayout* wanted, int64_t partitions) {
  // A rule that a custom call states is for propagation: whether it takes shards is not known.
  if (!WorksOnShards(instruction) || instruction.HasSideEffect() || !IsOfArrays(instruction) ||
      instruction.extras().frontend_attributes.contains(kShardingRuleAttribute)) {
    return {};
  }
  std::vector<const ShardLayout*> layouts(known.begin(), known.end());
  const size_t operands = layouts.size();
  layouts.push_back(instruction.shape().IsArray() ? wanted : nullptr);
  const std::optional<Mesh> mesh = CommonMesh(layouts);
  if (!mesh.has_value()) return {};
  const auto relations = RelateDimensions(instruction);
  if (!relations.ok() || !relations->has_value() ||
      (propagation::HasCompoundDimensions(**relations) &&
       instruction.opcode() != HloOpcode::kScaledDot) ||
      (*relations)->operands.size() != operands || (*relations)->results.empty()) {
    return {};
  }
  layouts.resize((*relations)->num_arrays(), nullptr);
  const Maker maker(instruction, **relations, *mesh, partitions);
  std::vector<ShardingStrategy> strategies;
  const auto add = [&](absl::Span<const ShardLayout* const> given) {
    if (auto strategy = maker.Make(given)) strategies.push_back(*std::move(strategy));
  };
  add(layouts);
  if (layouts[operands] == nullptr) return strategies;
  std::vector<const ShardLayout*> some = layouts;
  some[operands] = nullptr;
  add(some);
  some.assign(layouts.size(), nullptr);
  some[operands] = wanted;
  add(some);
  return strategies;
}

}  // namespace xla::spmd

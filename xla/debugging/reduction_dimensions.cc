// SPDX-License-Identifier: Apache-2.0
// Dimensions that belong together, and what changes with their size.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/debugging/reduction_edits.h"
#include "xla/hlo/dimensions/instruction_relations.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// The dimensions of all arrays of a module, in classes of those that must have the same size, and
// dimensions that are products of others.
class DimensionClasses {
 public:
  explicit DimensionClasses(const HloModule& module) {
    for (const HloComputation* computation : module.MakeComputationPostOrder()) {
      for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        AddArrays(*instruction);
      }
    }
    for (const HloComputation* computation : module.MakeComputationPostOrder()) {
      for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        Relate(*instruction);
      }
    }
  }

  // -1 if there is no such dimension.
  int64_t Class(const HloInstruction& instruction, size_t leaf, size_t dimension) {
    const auto found = first_.find(&instruction);
    if (found == first_.end() || leaf >= found->second.size()) return -1;
    const auto [first, rank] = found->second[leaf];
    return dimension < rank ? Root(first + static_cast<int64_t>(dimension)) : -1;
  }
  int64_t SizeOfClass(int64_t dimension) const { return sizes_[static_cast<size_t>(dimension)]; }

  // Sizes of classes after one of them has changed, by their roots; those that products determine
  // change, too. An error where a class would have two sizes.
  absl::StatusOr<std::map<int64_t, int64_t>> NewSizes(int64_t changed, int64_t size) {
    std::map<int64_t, int64_t> sizes = {{changed, size}};
    const auto size_of = [&](int64_t dimension) {
      const auto found = sizes.find(Root(dimension));
      return found != sizes.end() ? found->second : sizes_[static_cast<size_t>(dimension)];
    };
    for (size_t round = 0; round <= products_.size(); ++round) {
      bool is_changed = false;
      for (const auto& [product, factors] : products_) {
        int64_t value = 1;
        bool has_changed = false;
        for (const int64_t factor : factors) {
          value *= size_of(factor);
          has_changed |= sizes.contains(Root(factor));
        }
        if (size_of(product) == value || !has_changed) continue;
        if (!sizes.emplace(Root(product), value).second) {
          return absl::FailedPreconditionError("a dimension would have two sizes");
        }
        is_changed = true;
      }
      if (!is_changed) return sizes;
    }
    return absl::FailedPreconditionError("the sizes of products do not settle");
  }

 private:
  int64_t Root(int64_t dimension) {
    auto& parent = parents_[static_cast<size_t>(dimension)];
    return parent == dimension ? dimension : parent = Root(parent);
  }
  void Join(int64_t a, int64_t b) {
    if (sizes_[static_cast<size_t>(a)] == sizes_[static_cast<size_t>(b)])
      parents_[static_cast<size_t>(Root(a))] = Root(b);
  }
  int64_t Add(int64_t size) {
    parents_.push_back(static_cast<int64_t>(parents_.size()));
    sizes_.push_back(size);
    return parents_.back();
  }

  void AddArrays(const HloInstruction& instruction) {
    auto& leaves = first_[&instruction];
    for (const auto& leaf : ShapeUtil::GetLeafShapes(instruction.shape())) {
      const auto dimensions =
          leaf.shape.IsArray() ? leaf.shape.dimensions() : absl::Span<const int64_t>();
      leaves.emplace_back(static_cast<int64_t>(sizes_.size()), dimensions.size());
      for (const int64_t size : dimensions) Add(size);
    }
  }

  // Leaves [a_first, ...) of one value and [b_first, ...) of another one are the same arrays.
  void Same(const HloInstruction& a, size_t a_first, const HloInstruction& b, size_t b_first,
            size_t count) {
    const auto& of_a = first_[&a];
    const auto& of_b = first_[&b];
    for (size_t i = 0; i < count; ++i) {
      if (a_first + i >= of_a.size() || b_first + i >= of_b.size()) return;
      const auto [first, rank] = of_a[a_first + i];
      const auto [other, other_rank] = of_b[b_first + i];
      for (size_t d = 0; d < std::min(rank, other_rank); ++d)
        Join(first + static_cast<int64_t>(d), other + static_cast<int64_t>(d));
    }
  }
  void Same(const HloInstruction& a, const HloInstruction& b) {
    Same(a, 0, b, 0, first_[&a].size());
  }

  void Relate(const HloInstruction& instruction) {
    const auto& called = instruction.called_computations();
    switch (instruction.opcode()) {
      case HloOpcode::kTuple: {
        size_t leaf = 0;
        for (const HloInstruction* operand : instruction.operands()) {
          Same(*operand, 0, instruction, leaf, first_[operand].size());
          leaf += first_[operand].size();
        }
        return;
      }
      case HloOpcode::kGetTupleElement: {
        size_t leaf = 0;
        const Shape& tuple = instruction.operand(0)->shape();
        for (int64_t i = 0; i < instruction.tuple_index(); ++i)
          leaf += ShapeUtil::GetLeafShapes(tuple.tuple_shapes(static_cast<int>(i))).size();
        return Same(*instruction.operand(0), leaf, instruction, 0, first_[&instruction].size());
      }
      case HloOpcode::kWhile:
        Same(*instruction.operand(0), instruction);
        for (const HloComputation* computation : called)
          Same(*computation->parameter_instruction(0), instruction);
        return Same(*instruction.while_body()->root_instruction(), instruction);
      case HloOpcode::kConditional:
        for (size_t i = 0; i < called.size(); ++i) {
          Same(*called[i]->parameter_instruction(0),
               *instruction.operand(static_cast<int64_t>(i) + 1));
          Same(*called[i]->root_instruction(), instruction);
        }
        return;
      case HloOpcode::kCall:
      case HloOpcode::kFusion:
        for (int64_t i = 0; i < instruction.operand_count(); ++i)
          Same(*called[0]->parameter_instruction(i), *instruction.operand(i));
        return Same(*called[0]->root_instruction(), instruction);
      case HloOpcode::kOptimizationBarrier:
        return Same(*instruction.operand(0), instruction);
      default:
        return RelateByRule(instruction);
    }
  }

  void RelateByRule(const HloInstruction& instruction) {
    const auto relations = RelateDimensions(instruction);
    if (!relations.ok() || !relations->has_value()) return;
    std::vector<int64_t> factors;
    for (const DimensionFactor& factor : (*relations)->factors) factors.push_back(Add(factor.size));
    size_t array = 0;
    const auto relate = [&](const HloInstruction& value) {
      for (const auto& [first, rank] : first_[&value]) {
        if (array >= (*relations)->num_arrays()) return;
        const ArrayFactors& of_array = (*relations)->array(array++);
        for (size_t d = 0; d < std::min(rank, of_array.size()); ++d)
          RelateDimension(first + static_cast<int64_t>(d), of_array[d], factors);
      }
    };
    for (const HloInstruction* operand : instruction.operands()) relate(*operand);
    relate(instruction);
  }

  void RelateDimension(int64_t dimension, const DimensionFactors& of_dimension,
                       const std::vector<int64_t>& factors) {
    std::vector<int64_t> nodes;
    for (const int64_t factor : of_dimension) nodes.push_back(factors[static_cast<size_t>(factor)]);
    if (nodes.size() == 1) return Join(dimension, nodes[0]);
    if (!nodes.empty()) products_.emplace_back(dimension, std::move(nodes));
  }

  absl::flat_hash_map<const HloInstruction*, std::vector<std::pair<int64_t, size_t>>> first_;
  std::vector<int64_t> parents_, sizes_;
  std::vector<std::pair<int64_t, std::vector<int64_t>>> products_;
};

Shape WithSizes(const Shape& shape, const HloInstruction& instruction, size_t& leaf,
                DimensionClasses& classes, const std::map<int64_t, int64_t>& sizes) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes())
      elements.push_back(WithSizes(element, instruction, leaf, classes, sizes));
    return ShapeUtil::MakeTupleShape(elements);
  }
  const size_t number = leaf++;
  if (!shape.IsArray()) return shape;
  Shape changed = shape;
  for (size_t d = 0; d < shape.dimensions().size(); ++d) {
    const auto found = sizes.find(classes.Class(instruction, number, d));
    if (found != sizes.end()) changed.set_dimensions(static_cast<int>(d), found->second);
  }
  return changed;
}

// Attributes that repeat sizes of shapes.
void AdaptAttributes(HloInstruction& instruction, const Shape& result) {
  if (!result.IsArray()) return;
  const auto sizes = result.dimensions();
  if (auto* slice = instruction.attributes_if<SliceAttributes>()) {
    std::vector<SliceDim> dims = slice->slice;
    for (size_t d = 0; d < std::min(dims.size(), sizes.size()); ++d) {
      const int64_t operand = instruction.operand(0)->shape().dimensions(static_cast<int>(d));
      // Of the end of an operand that has become smaller, the same number of elements.
      const int64_t extent = (sizes[d] - 1) * dims[d].stride + 1;
      dims[d].start = std::max<int64_t>(0, std::min(dims[d].start, operand - extent));
      dims[d].limit = dims[d].start + extent;
    }
    instruction.mutable_attributes<SliceAttributes>()->slice = dims;
  } else if (instruction.attributes_if<DynamicSliceAttributes>() != nullptr) {
    instruction.mutable_attributes<DynamicSliceAttributes>()->dynamic_slice_sizes.assign(
        sizes.begin(), sizes.end());
  } else if (auto* gather = instruction.attributes_if<GatherAttributes>()) {
    std::vector<int64_t> slice_sizes = gather->slice_sizes;
    size_t offset = 0;
    for (size_t d = 0; d < slice_sizes.size(); ++d) {
      const auto is_in = [d](const std::vector<int64_t>& list) {
        return std::find(list.begin(), list.end(), static_cast<int64_t>(d)) != list.end();
      };
      if (is_in(gather->collapsed_slice_dims) || is_in(gather->operand_batching_dims)) continue;
      if (offset >= gather->offset_dims.size()) return;
      slice_sizes[d] = result.dimensions(static_cast<int>(gather->offset_dims[offset++]));
    }
    instruction.mutable_attributes<GatherAttributes>()->slice_sizes = slice_sizes;
  } else if (auto* convolution = instruction.attributes_if<ConvolutionAttributes>()) {
    WindowDims window = convolution->window;
    const Shape& kernel = instruction.operand(1)->shape();
    for (size_t d = 0; d < window.size(); ++d) {
      window[d].size =
          kernel.dimensions(static_cast<int>(convolution->dim_labels.kernel_spatial[d]));
    }
    instruction.mutable_attributes<ConvolutionAttributes>()->window = window;
  }
}

// The first elements in each dimension.
Literal Front(const Literal& literal, absl::Span<const int64_t> sizes) {
  return literal.Slice(std::vector<int64_t>(sizes.size(), 0), sizes);
}

}  // namespace

std::vector<Edit> ShrinkEdits(const HloModule& module) {
  DimensionClasses classes(module);
  std::vector<Edit> edits;
  std::vector<int64_t> seen;
  const auto add = [&](const HloInstruction& instruction) {
    const auto leaves = ShapeUtil::GetLeafShapes(instruction.shape());
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (!leaves[leaf].shape.IsArray()) continue;
      const auto sizes = leaves[leaf].shape.dimensions();
      for (size_t d = 0; d < sizes.size(); ++d) {
        const int64_t number = classes.Class(instruction, leaf, d);
        if (std::find(seen.begin(), seen.end(), number) != seen.end()) continue;
        seen.push_back(number);
        int64_t last = 0;
        for (const int64_t size :
             {int64_t{1}, int64_t{2}, int64_t{4}, sizes[d] / 4, sizes[d] / 2, sizes[d] - 1}) {
          if (size <= last || size >= sizes[d]) continue;
          last = size;
          edits.push_back({EditKind::kShrink,
                           {{instruction.parent()->name(), instruction.name()}},
                           {static_cast<int64_t>(leaf), static_cast<int64_t>(d)},
                           size});
        }
      }
    }
  };
  for (const HloComputation* computation : module.MakeComputationPostOrder()) {
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder())
      add(*instruction);
  }
  return edits;
}

absl::Status ShrinkDimensions(const Edit& edit, ReducibleProgram& program) {
  HloModule& module = *program.module;
  HloComputation* const of_target = module.GetComputationWithName(edit.targets[0].computation);
  const HloInstruction* const target =
      of_target == nullptr ? nullptr
                           : of_target->GetInstructionWithName(edit.targets[0].instruction);
  if (target == nullptr) return absl::FailedPreconditionError("there is no such instruction");
  DimensionClasses classes(module);
  const int64_t changed = classes.Class(*target, static_cast<size_t>(edit.elements[0]),
                                        static_cast<size_t>(edit.elements[1]));
  if (changed < 0) return absl::FailedPreconditionError("there is no such dimension");
  XLA_ASSIGN_OR_RETURN(const auto sizes, classes.NewSizes(changed, edit.argument));
  for (HloComputation* computation : module.MakeComputationPostOrder()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      size_t leaf = 0;
      const Shape wanted = WithSizes(instruction->shape(), *instruction, leaf, classes, sizes);
      if (instruction->IsConstant()) {
        if (wanted == instruction->shape()) continue;
        if (!wanted.IsArray()) return absl::FailedPreconditionError("a constant tuple");
        Literal front = Front(instruction->literal(), wanted.dimensions());
        *instruction->mutable_shape() = front.shape();
        instruction->mutable_attributes<ConstantAttributes>()->literal.literal =
            std::make_shared<const Literal>(std::move(front));
        continue;
      }
      AdaptAttributes(*instruction, wanted);
      XLA_ASSIGN_OR_RETURN(*instruction->mutable_shape(),
                           InferInstructionShape(*instruction, wanted));
    }
  }
  if (!program.has_arguments) return absl::OkStatus();
  const auto& parameters = module.entry_computation()->parameter_instructions();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& shape = parameters[i]->shape();
    if (ShapeUtil::Compatible(shape, program.arguments[i].shape())) continue;
    if (!shape.IsArray()) return absl::FailedPreconditionError("an argument is a tuple");
    program.arguments[i] = Front(program.arguments[i], shape.dimensions());
  }
  return absl::OkStatus();
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/merge_transposed_dimensions.h"

#include <cstdint>
#include <vector>

#include "xla/passes/rewriter.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using DimensionNumbers = std::vector<int64_t>;

// Groups the dimensions of the result, in order, that the transpose moves together. Those of size 1
// are omitted.
std::vector<DimensionNumbers> GroupsOf(const Shape& shape, absl::Span<const int64_t> permutation) {
  std::vector<DimensionNumbers> groups;
  // The dimension of the operand, after sizes of 1, that would extend the last group.
  int64_t next = -1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimensions(static_cast<int>(d)) == 1) continue;
    const int64_t source = permutation[static_cast<size_t>(d)];
    const auto is_one = [&](int64_t operand_dimension) {
      for (size_t i = 0; i < permutation.size(); ++i) {
        if (permutation[i] == operand_dimension) return shape.dimensions(static_cast<int>(i)) == 1;
      }
      return false;
    };
    while (next >= 0 && next < source && is_one(next)) ++next;
    if (source != next || groups.empty()) groups.emplace_back();
    groups.back().push_back(d);
    next = source + 1;
  }
  return groups;
}

absl::StatusOr<HloInstruction*> MergeDimensions(HloInstruction* transpose, Rewriter& rewriter) {
  const Shape& shape = transpose->shape();
  const absl::Span<const int64_t> permutation = transpose->dimensions();
  if (!shape.is_static() || ShapeUtil::IsZeroElementArray(shape)) return nullptr;
  const std::vector<DimensionNumbers> groups = GroupsOf(shape, permutation);
  if (groups.empty()) return nullptr;
  // The order of the groups in the operand.
  DimensionNumbers order;  // groups by their first dimension in the operand
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto first = [&](int64_t group) {
      return permutation[static_cast<size_t>(groups[static_cast<size_t>(group)][0])];
    };
    auto place = order.begin();
    while (place != order.end() && first(*place) < first(static_cast<int64_t>(g))) ++place;
    order.insert(place, static_cast<int64_t>(g));
  }
  const size_t last_of_operand = static_cast<size_t>(order.back());
  if (groups.back().size() < 2 && groups[last_of_operand].size() < 2) return nullptr;

  DimensionNumbers sizes(groups.size(), 1), operand_sizes, merged(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const int64_t d : groups[g]) sizes[g] *= shape.dimensions(static_cast<int>(d));
  }
  for (size_t i = 0; i < order.size(); ++i) {
    operand_sizes.push_back(sizes[static_cast<size_t>(order[i])]);
    merged[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  const PrimitiveType type = shape.element_type();
  HloInstruction* value = rewriter.Create(
      HloOpcode::kReshape, ShapeUtil::MakeShape(type, operand_sizes), {transpose->operand(0)});
  if (groups.size() > 1) {
    value = rewriter.Create(HloOpcode::kTranspose, ShapeUtil::MakeShape(type, sizes), {value},
                            DimensionListAttributes{.dimensions = {merged.begin(), merged.end()}});
  }
  return rewriter.Create(HloOpcode::kReshape, shape, {value});
}

constexpr RewriteRule kMergeRules[] = {
    {"merge-transposed-dimensions", HloOpcode::kTranspose, &MergeDimensions}};

}  // namespace

absl::StatusOr<bool> MergeTransposedDimensions(HloModule* module) {
  return RewriteToFixedPoint(module, kMergeRules);
}

}  // namespace xla

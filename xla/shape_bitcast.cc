// SPDX-License-Identifier: Apache-2.0
// ShapeUtil: detects reshapes and transposes that do not move any byte.
#include <algorithm>

#include "xla/base/check.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// Consecutive input dimensions [input_begin, input_end) that a reshape turns into consecutive
// output dimensions; the finest such decomposition.
struct Group {
  int64_t input_begin, input_end;
  int64_t output_begin, output_end;
};

std::vector<Group> ReshapeGroups(const Shape& input, const Shape& output) {
  const auto bounds = CommonFactors(input.dimensions(), output.dimensions());
  std::vector<Group> groups;
  for (size_t i = 1; i < bounds.size(); ++i) {
    groups.push_back(
        {bounds[i - 1].first, bounds[i].first, bounds[i - 1].second, bounds[i].second});
  }
  return groups;
}

// The order of the groups in memory, most major first; `group_of` gives the group of each
// dimension. nullopt if the dimensions of some group are not adjacent in row-major order.
// Dimensions of size 1 do not affect memory and are ignored.
std::optional<std::vector<int64_t>> GroupsInMemory(const Shape& shape,
                                                   absl::Span<const int64_t> group_of) {
  std::vector<int64_t> order;
  int64_t previous = -1;
  for (int i = shape.dimensions_size() - 1; i >= 0; --i) {
    const int64_t dimension = shape.layout().minor_to_major(i);
    if (shape.dimensions(dimension) == 1) continue;
    const int64_t group = group_of[dimension];
    if (!order.empty() && order.back() == group) {
      if (dimension < previous) return std::nullopt;
    } else {
      if (std::find(order.begin(), order.end(), group) != order.end()) return std::nullopt;
      order.push_back(group);
    }
    previous = dimension;
  }
  return order;
}

struct GroupNumbers {
  std::vector<int64_t> of_input, of_output;
};

GroupNumbers NumberGroups(const std::vector<Group>& groups, const Shape& input,
                          const Shape& output) {
  GroupNumbers numbers{std::vector<int64_t>(input.rank()), std::vector<int64_t>(output.rank())};
  for (size_t g = 0; g < groups.size(); ++g) {
    std::fill(numbers.of_input.begin() + groups[g].input_begin,
              numbers.of_input.begin() + groups[g].input_end, g);
    std::fill(numbers.of_output.begin() + groups[g].output_begin,
              numbers.of_output.begin() + groups[g].output_end, g);
  }
  return numbers;
}

// Whether elements are contiguous in the order of minor_to_major, so that the order alone
// determines their positions.
bool IsCompact(const Layout& layout) {
  return !layout.has_tiles() && !layout.has_padding() && layout.split_configs().empty() &&
         layout.tail_padding_alignment_in_elements() == 1;
}

// Whether the layouts are equal except for order and padding.
bool SameButForOrder(const Layout& a, const Layout& b) {
  Layout b_in_order_of_a = b;
  b_in_order_of_a.mutable_minor_to_major()->assign(a.minor_to_major().begin(),
                                                   a.minor_to_major().end());
  return Layout::Equal().IgnorePadding()(a, b_in_order_of_a);
}

bool ElementsAreInterchangeable(const Shape& a, const Shape& b, bool ignore_element_type) {
  return ignore_element_type ||
         (a.element_type() == b.element_type() &&
          ShapeUtil::ElementSizeInBits(a) == ShapeUtil::ElementSizeInBits(b));
}

void CheckHaveLayouts(const Shape& a, const Shape& b) {
  XLA_CHECK(a.IsArray() && b.IsArray() && a.has_layout() && b.has_layout())
      << "expected arrays with layouts, got " << a << " and " << b;
}

}  // namespace

bool ShapeUtil::TransposeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                   absl::Span<const int64_t> dimension_mapping,
                                   bool ignore_element_type) {
  CheckHaveLayouts(input_shape, output_shape);
  if (!ElementsAreInterchangeable(input_shape, output_shape, ignore_element_type)) return false;
  const Shape transposed = PermuteDimensions(dimension_mapping, input_shape);
  if (transposed.dimensions() != output_shape.dimensions()) return false;
  const Layout& layout = transposed.layout();
  if (!SameButForOrder(layout, output_shape.layout())) return false;
  if (!IsCompact(layout) || !IsCompact(output_shape.layout())) {
    return layout == output_shape.layout();
  }
  // Dimensions of size 1 may be anywhere in the order.
  return DropDegenerateDimensions(transposed).layout().minor_to_major() ==
         DropDegenerateDimensions(output_shape).layout().minor_to_major();
}

bool ShapeUtil::ReshapeIsBitcast(const Shape& input_shape, const Shape& output_shape,
                                 bool ignore_element_type) {
  CheckHaveLayouts(input_shape, output_shape);
  if (!ElementsAreInterchangeable(input_shape, output_shape, ignore_element_type)) return false;
  if (ElementsIn(input_shape) != ElementsIn(output_shape)) return false;
  if (input_shape.is_dynamic() || output_shape.is_dynamic()) {
    return Shape::Equal().IgnoreElementType()(input_shape, output_shape);
  }
  const Layout& input_layout = input_shape.layout();
  const Layout& output_layout = output_shape.layout();
  if (!IsCompact(input_layout) || !IsCompact(output_layout)) {
    return SameDimensions(input_shape, output_shape) && input_layout == output_layout;
  }
  if (!SameButForOrder(input_layout, output_layout)) return false;
  if (IsZeroElementArray(input_shape)) return true;
  const GroupNumbers numbers =
      NumberGroups(ReshapeGroups(input_shape, output_shape), input_shape, output_shape);
  const auto input_order = GroupsInMemory(input_shape, numbers.of_input);
  return input_order.has_value() && input_order == GroupsInMemory(output_shape, numbers.of_output);
}

std::optional<std::vector<int64_t>> ShapeUtil::DeduceTransposeDimensionsForBitcast(
    const Shape& input_shape, const Shape& output_shape) {
  CheckHaveLayouts(input_shape, output_shape);
  if (input_shape.rank() != output_shape.rank()) return std::nullopt;
  const absl::Span<const int64_t> from = input_shape.layout().minor_to_major();
  const absl::Span<const int64_t> to = output_shape.layout().minor_to_major();
  const auto is_bitcast = [&](absl::Span<const int64_t> dimensions) {
    return TransposeIsBitcast(input_shape, output_shape, dimensions, /*ignore_element_type=*/true);
  };
  std::vector<int64_t> dimensions(from.size());
  for (size_t i = 0; i < from.size(); ++i) dimensions[to[i]] = from[i];
  if (is_bitcast(dimensions)) return dimensions;

  // Dimensions of size 1 do not affect memory: match the others first, then these with each other.
  const auto ones_last = [](const Shape& shape, absl::Span<const int64_t> order) {
    DimensionVector sorted(order.begin(), order.end());
    std::stable_partition(sorted.begin(), sorted.end(),
                          [&](int64_t d) { return shape.dimensions(d) != 1; });
    return sorted;
  };
  const DimensionVector from_sorted = ones_last(input_shape, from);
  const DimensionVector to_sorted = ones_last(output_shape, to);
  for (size_t i = 0; i < from.size(); ++i) dimensions[to_sorted[i]] = from_sorted[i];
  if (is_bitcast(dimensions)) return dimensions;
  return std::nullopt;
}

bool ShapeUtil::IsReshapeOrTransposeBitcast(const Shape& a, const Shape& b,
                                            bool ignore_element_type) {
  if (!ElementsAreInterchangeable(a, b, ignore_element_type)) return false;
  return ReshapeIsBitcast(a, b, ignore_element_type) ||
         DeduceTransposeDimensionsForBitcast(a, b).has_value();
}

// ---- Decompositions ----

bool ShapeUtil::BitcastDecompositionTrt::IsTranspose1Identity() const {
  return IsIdentityPermutation(transpose1_dims);
}
bool ShapeUtil::BitcastDecompositionTrt::IsTranspose2Identity() const {
  return IsIdentityPermutation(transpose2_dims);
}

bool ShapeUtil::IsDecomposableBitcast(const Shape& input_shape, const Shape& output_shape) {
  return input_shape.has_layout() && output_shape.has_layout() &&
         ElementsIn(input_shape) == ElementsIn(output_shape);
}

std::optional<ShapeUtil::BitcastDecompositionTrt> ShapeUtil::DecomposeBitcastToTrt(
    const Shape& input_shape, const Shape& output_shape) {
  if (!IsDecomposableBitcast(input_shape, output_shape)) return std::nullopt;
  BitcastDecompositionTrt parts;
  const auto input_order = input_shape.layout().minor_to_major();
  parts.transpose1_dims.assign(input_order.rbegin(), input_order.rend());
  parts.transpose1_shape = MakeShapeWithDescendingLayoutAndSamePhysicalLayout(input_shape);
  parts.reshape_shape = MakeShapeWithDescendingLayoutAndSamePhysicalLayout(output_shape);
  parts.transpose2_dims = LayoutUtil::MakeLogicalToPhysical(output_shape.layout());
  return parts;
}

ShapeUtil::BitcastDecomposition ShapeUtil::DecomposeBitcast(const Shape& input_shape,
                                                            const Shape& output_shape) {
  if (!IsDecomposableBitcast(input_shape, output_shape)) return std::nullopt;
  if (ReshapeIsBitcast(input_shape, output_shape, /*ignore_element_type=*/true)) {
    return BitcastDecompositionReshape{};
  }
  if (auto dimensions = DeduceTransposeDimensionsForBitcast(input_shape, output_shape)) {
    return BitcastDecompositionTranspose{*std::move(dimensions)};
  }
  return DecomposeBitcastToTrt(input_shape, output_shape);
}

absl::StatusOr<absl::InlinedVector<int64_t, 3>> ShapeUtil::GetNormalizedLogicalTransposeShape(
    const Shape& input_shape, const Shape& output_shape, absl::Span<const int64_t> dimensions,
    absl::InlinedVector<int64_t, 3>& permutation) {
  for (const Shape* shape : {&input_shape, &output_shape}) {
    if (!LayoutUtil::IsMonotonicWithDim0Major(shape->layout())) {
      return FailedPrecondition(
          "Transpose normalization requires monotonic layouts. Layout normalization should have "
          "assigned the default layout.");
    }
  }
  // The number of each input dimension among those of a size other than 1.
  std::vector<int64_t> number(static_cast<size_t>(input_shape.rank()));
  for (int d = 1; d < input_shape.rank(); ++d) {
    number[d] = number[d - 1] + (input_shape.dimensions(d - 1) != 1 ? 1 : 0);
  }
  absl::InlinedVector<int64_t, 3> sizes;
  std::vector<int64_t> first;  // the first input dimension of each group
  int64_t previous = -2;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t size = output_shape.dimensions(static_cast<int>(i));
    if (size == 1) continue;
    const int64_t dimension = number[static_cast<size_t>(dimensions[i])];
    if (dimension == previous + 1) {
      sizes.back() *= size;
    } else {
      sizes.push_back(size);
      first.push_back(dimension);
    }
    previous = dimension;
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    first.push_back(0);
  }
  permutation.clear();
  for (const int64_t dimension : first) {
    permutation.push_back(std::count_if(first.begin(), first.end(),
                                        [&](int64_t other) { return other < dimension; }));
  }
  return sizes;
}

std::optional<Shape> ShapeUtil::AlignLayouts(const Shape& input_shape, const Shape& output_shape) {
  XLA_CHECK(input_shape.IsArray() && input_shape.has_layout() && output_shape.IsArray());
  if (ElementsIn(input_shape) != ElementsIn(output_shape)) return std::nullopt;
  Shape aligned = output_shape;
  if (!IsCompact(input_shape.layout()) || input_shape.is_dynamic() || output_shape.is_dynamic()) {
    if (!SameDimensions(input_shape, output_shape)) return std::nullopt;
    *aligned.mutable_layout() = input_shape.layout();
    return aligned;
  }
  *aligned.mutable_layout() = input_shape.layout();
  DimensionVector& minor_to_major = *aligned.mutable_layout()->mutable_minor_to_major();
  if (IsZeroElementArray(input_shape)) {
    minor_to_major =
        *LayoutUtil::MakeDescendingLayout(output_shape.rank()).mutable_minor_to_major();
    return aligned;
  }
  const std::vector<Group> groups = ReshapeGroups(input_shape, output_shape);
  const GroupNumbers numbers = NumberGroups(groups, input_shape, output_shape);
  const auto order = GroupsInMemory(input_shape, numbers.of_input);
  if (!order.has_value()) return std::nullopt;

  // From major to minor: first the dimensions of size 1, then the groups in row-major order.
  std::vector<bool> in_memory(groups.size(), false);
  for (const int64_t group : *order) in_memory[group] = true;
  DimensionVector major_to_minor;
  for (int64_t d = 0; d < output_shape.rank(); ++d) {
    if (!in_memory[numbers.of_output[d]]) major_to_minor.push_back(d);
  }
  for (const int64_t group : *order) {
    for (int64_t d = groups[group].output_begin; d < groups[group].output_end; ++d) {
      major_to_minor.push_back(d);
    }
  }
  minor_to_major.assign(major_to_minor.rbegin(), major_to_minor.rend());
  return aligned;
}

std::vector<std::pair<int64_t, int64_t>> ShapeUtil::DimensionsUnmodifiedByReshape(
    const Shape& input_shape, const Shape& output_shape) {
  std::vector<std::pair<int64_t, int64_t>> unmodified;
  if (ElementsIn(input_shape) != ElementsIn(output_shape)) return unmodified;
  if (SameDimensions(input_shape, output_shape)) {
    for (int64_t d = 0; d < input_shape.rank(); ++d) unmodified.emplace_back(d, d);
    return unmodified;
  }
  for (const Group& group : ReshapeGroups(input_shape, output_shape)) {
    if (group.input_end - group.input_begin == 1 && group.output_end - group.output_begin == 1) {
      unmodified.emplace_back(group.input_begin, group.output_begin);
    }
  }
  return unmodified;
}

std::optional<std::vector<int64_t>> ShapeUtil::ReshapeLeavesDimensionsUnmodified(
    const Shape& from_shape, const Shape& to_shape, absl::Span<const int64_t> input_dimensions) {
  const auto unmodified = DimensionsUnmodifiedByReshape(from_shape, to_shape);
  std::vector<int64_t> output_dimensions;
  for (const int64_t dimension : input_dimensions) {
    const auto it = std::find_if(unmodified.begin(), unmodified.end(),
                                 [&](const auto& pair) { return pair.first == dimension; });
    if (it == unmodified.end()) return std::nullopt;
    output_dimensions.push_back(it->second);
  }
  return output_dimensions;
}

std::optional<ShapeUtil::ShapeEqualityDescriptor> ShapeUtil::InsertedOrDeleted1SizedDimensions(
    const Shape& shape_pre, const Shape& shape_post) {
  ShapeEqualityDescriptor result;
  int64_t pre = 0, post = 0;
  while (pre < shape_pre.rank() || post < shape_post.rank()) {
    const bool pre_left = pre < shape_pre.rank(), post_left = post < shape_post.rank();
    if (pre_left && post_left && shape_pre.dimensions(pre) == shape_post.dimensions(post)) {
      ++pre;
      ++post;
    } else if (pre_left && shape_pre.dimensions(pre) == 1) {
      result.deleted_dimensions.push_back(pre++);
    } else if (post_left && shape_post.dimensions(post) == 1) {
      result.inserted_dimensions.push_back(post++);
    } else {
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace xla

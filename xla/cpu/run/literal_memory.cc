// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/run/literal_memory.h"

#include <cstring>

#include "xla/base/status_macros.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"

namespace xla::cpu {
namespace {

// Calls a function for the leaves in order, each with its index in the literal.
template <typename F>
void ForEachLeaf(const Shape& shape, absl::Span<char* const>& leaves, F&& f) {
  std::vector<LeafArray> arrays;
  CollectLeafArrays(shape, leaves, arrays);
  size_t next = 0;
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex& index) {
    if (!part.IsTuple()) f(arrays[next++], index);
  });
}

bool HasNoElements(absl::Span<const int64_t> sizes) {
  for (const int64_t size : sizes) {
    if (size == 0) return true;
  }
  return false;
}

}  // namespace

int64_t DenseArrayBytes(const Shape& shape) {
  int64_t bytes = primitive_util::ByteWidth(shape.element_type());
  for (const int64_t size : shape.dimensions()) bytes *= size;
  return bytes;
}

DimensionVector LeafArray::existing() const {
  DimensionVector result(shape->dimensions().begin(), shape->dimensions().end());
  size_t next = 0;
  for (int d = 0; d < shape->rank(); ++d) {
    if (!shape->is_dynamic_dimension(d)) continue;
    int32_t size;
    std::memcpy(&size, sizes[next++], sizeof(size));
    result[static_cast<size_t>(d)] = size;
  }
  return result;
}

void LeafArray::SetSizes(absl::Span<const int64_t> all) const {
  size_t next = 0;
  for (int d = 0; d < shape->rank(); ++d) {
    if (!shape->is_dynamic_dimension(d)) continue;
    const auto size = static_cast<int32_t>(all[static_cast<size_t>(d)]);
    std::memcpy(sizes[next++], &size, sizeof(size));
  }
}

void CollectLeafArrays(const Shape& shape, absl::Span<char* const>& leaves,
                       std::vector<LeafArray>& arrays) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) CollectLeafArrays(element, leaves, arrays);
    return;
  }
  size_t dynamic = 0;
  for (int d = 0; shape.IsArray() && d < shape.rank(); ++d)
    dynamic += shape.is_dynamic_dimension(d) ? 1 : 0;
  arrays.push_back({&shape, leaves[0], leaves.subspan(1, dynamic)});
  leaves.remove_prefix(1 + dynamic);
}

absl::StatusOr<Literal> LiteralFromLeaves(const Shape& shape, absl::Span<char* const>& leaves) {
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(shape));
  ForEachLeaf(shape, leaves, [&](const LeafArray& leaf, const ShapeIndex& index) {
    if (!leaf.shape->IsArray()) return;
    if (!HasNoElements(leaf.shape->dimensions())) {
      StridedCopy(primitive_util::ByteWidth(leaf.shape->element_type()), leaf.shape->dimensions(),
                  literal.untyped_data(index), StridesOfLayout(*leaf.shape), leaf.data,
                  DenseStrides(leaf.shape->dimensions()));
    }
    const DimensionVector sizes = leaf.existing();
    for (int d = 0; d < leaf.shape->rank(); ++d) {
      if (leaf.shape->is_dynamic_dimension(d)) {
        literal.SetDynamicSize(d, index, static_cast<int32_t>(sizes[static_cast<size_t>(d)]));
      }
    }
  });
  return literal;
}

void LiteralToLeaves(const LiteralSlice& literal, const Shape& shape,
                     absl::Span<char* const>& leaves) {
  ForEachLeaf(shape, leaves, [&](const LeafArray& leaf, const ShapeIndex& index) {
    if (!leaf.shape->IsArray()) return;
    // A literal may be smaller than the bounds of dynamic dimensions: it then fills the low corner
    // of the array.
    const Shape& given = ShapeUtil::GetSubshape(literal.shape(), index);
    if (!HasNoElements(given.dimensions())) {
      StridedCopy(primitive_util::ByteWidth(given.element_type()), given.dimensions(), leaf.data,
                  DenseStrides(leaf.shape->dimensions()), literal.untyped_data(index),
                  StridesOfLayout(given));
    }
    DimensionVector sizes;
    for (int d = 0; d < given.rank(); ++d) sizes.push_back(literal.GetDynamicSize(d, index));
    leaf.SetSizes(sizes);
  });
}

}  // namespace xla::cpu

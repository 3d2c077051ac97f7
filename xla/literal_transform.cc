// SPDX-License-Identifier: Apache-2.0
// Literals: copies between literals, and reordering of elements.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/check.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/literal_access.h"
#include "xla/permutation_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/strided_copy.h"
#include "xla/util.h"

namespace xla {
namespace {

using Piece = LiteralAccess::Piece;

// Sets the dynamic sizes of the destination to the sizes of the source.
void CopyDynamicSizes(const Piece& from, Piece* to) {
  const Shape& shape = *to->subshape;
  if (shape.is_static()) return;
  to->dynamic_sizes = std::make_unique<int64_t[]>(shape.rank());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    to->dynamic_sizes[d] =
        shape.is_dynamic_dimension(d) ? from.existing_size(d) : shape.dimensions(d);
  }
}

void CopyArray(const Piece& from, Piece* to) {
  if (LiteralAccess::SameMemory(*from.subshape, *to->subshape)) {
    std::memcpy(to->buffer, from.buffer, from.buffer_bytes());
  } else {
    LiteralAccess::CopyBox(from, *to, from.subshape->dimensions());
  }
  CopyDynamicSizes(from, to);
}

absl::Status CopyExisting(const Piece& from, Piece* to) {
  if (from.subshape->element_type() != to->subshape->element_type() ||
      from.subshape->rank() != to->subshape->rank()) {
    return InvalidArgument("Cannot copy a literal of shape %s to one of shape %s.",
                           from.subshape->ToString(), to->subshape->ToString());
  }
  DimensionVector sizes = LiteralAccess::ExistingSizes(from);
  for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::min(sizes[d], to->existing_size(d));
  LiteralAccess::CopyBox(from, *to, sizes);
  return absl::OkStatus();
}

// Pairs (from, to) of pieces of equal structure, parents first. False where the structures differ.
bool PairPieces(const Piece& from, Piece* to, std::vector<std::pair<const Piece*, Piece*>>* pairs) {
  pairs->emplace_back(&from, to);
  for (size_t next = 0; next < pairs->size(); ++next) {
    const auto [a, b] = (*pairs)[next];
    if (a->children.size() != b->children.size()) return false;
    for (size_t i = 0; i < a->children.size(); ++i)
      pairs->emplace_back(&a->children[i], &b->children[i]);
  }
  return true;
}

}  // namespace

absl::Status MutableLiteralBase::CopyFrom(const LiteralSlice& src_literal,
                                          const ShapeIndex& dest_shape_index,
                                          const ShapeIndex& src_shape_index,
                                          bool only_dynamic_bound) {
  if (!ShapeUtil::IndexIsValid(shape(), dest_shape_index) ||
      !ShapeUtil::IndexIsValid(src_literal.shape(), src_shape_index)) {
    return InvalidArgument(
        "CopyFrom: no element %s in destination shape %s, or no element %s in source shape %s.",
        dest_shape_index.ToString(), shape().ToString(), src_shape_index.ToString(),
        src_literal.shape().ToString());
  }
  const Piece& source = LiteralAccess::At(src_literal, src_shape_index);
  Piece& dest = piece(dest_shape_index);
  std::vector<std::pair<const Piece*, Piece*>> pairs;
  const bool compatible = only_dynamic_bound
                              ? ShapeUtil::EqualStructure(*dest.subshape, *source.subshape)
                              : ShapeUtil::Compatible(*dest.subshape, *source.subshape);
  if (!compatible || !PairPieces(source, &dest, &pairs)) {
    return InvalidArgument("Destination subshape incompatible with source subshape: %s vs %s",
                           dest.subshape->ToString(), source.subshape->ToString());
  }
  for (const auto& [from, to] : pairs) {
    if (!from->subshape->IsArray()) continue;
    to->state = from->state;
    if (only_dynamic_bound) {
      XLA_RETURN_IF_ERROR(CopyExisting(*from, to));
    } else {
      CopyArray(*from, to);
    }
  }
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::CopySliceFrom(const LiteralSlice& src_literal,
                                               absl::Span<const int64_t> src_base,
                                               absl::Span<const int64_t> dest_base,
                                               absl::Span<const int64_t> copy_size) {
  const Shape& from = src_literal.shape();
  const Shape& to = shape();
  // Between a scalar and an array: one element.
  if (from.IsArray() && to.IsArray() && (from.rank() == 0 || to.rank() == 0) &&
      from.rank() != to.rank() && copy_size.empty()) {
    return CopyElementFrom(src_literal, src_base, dest_base);
  }
  if (!from.IsArray() || !to.IsArray() || from.element_type() != to.element_type() ||
      from.rank() != to.rank()) {
    return InvalidArgument(
        "CopySliceFrom: source shape %s and destination shape %s differ in type or rank.",
        from.ToString(), to.ToString());
  }
  const size_t rank = from.rank();
  if (src_base.size() != rank || dest_base.size() != rank || copy_size.size() != rank) {
    return InvalidArgument(
        "CopySliceFrom: %d source and %d destination indices and %d sizes for rank %d.",
        src_base.size(), dest_base.size(), copy_size.size(), rank);
  }
  const auto fits = [](int64_t base, int64_t size, int64_t limit) {
    return base >= 0 && size >= 0 && base <= limit && size <= limit - base;
  };
  for (size_t d = 0; d < rank; ++d) {
    if (!fits(src_base[d], copy_size[d], from.dimensions(d)) ||
        !fits(dest_base[d], copy_size[d], to.dimensions(d))) {
      return InvalidArgument(
          "CopySliceFrom: size %s from index %s of shape %s to index %s of shape %s is out of "
          "bounds in dimension %d.",
          DimensionsToString(copy_size), DimensionsToString(src_base), from.ToString(),
          DimensionsToString(dest_base), to.ToString(), d);
    }
    // An index may be one past the end for a size of 0, where there is no element to point at.
    if (copy_size[d] == 0) return absl::OkStatus();
  }
  const Piece& source = LiteralAccess::Root(src_literal);
  const Piece& dest = root_piece();
  const int64_t bytes = dest.element_bytes();
  StridedCopy(bytes, copy_size, dest.buffer + dest.LinearIndex(dest_base) * bytes,
              IndexUtil::DimensionStrides(to), source.buffer + source.LinearIndex(src_base) * bytes,
              IndexUtil::DimensionStrides(from));
  return absl::OkStatus();
}

absl::Status MutableLiteralBase::CopyElementFrom(const LiteralSlice& src_literal,
                                                 absl::Span<const int64_t> src_index,
                                                 absl::Span<const int64_t> dest_index) {
  const Shape& from = src_literal.shape();
  if (!from.IsArray() || !shape().IsArray() || from.element_type() != shape().element_type()) {
    return InvalidArgument(
        "CopyElementFrom: source shape %s and destination shape %s differ in type.",
        from.ToString(), shape().ToString());
  }
  if (!IndexUtil::IndexInBounds(from, src_index) ||
      !IndexUtil::IndexInBounds(shape(), dest_index)) {
    return InvalidArgument("CopyElementFrom: no index %s in shape %s, or no index %s in shape %s.",
                           DimensionsToString(src_index), from.ToString(),
                           DimensionsToString(dest_index), shape().ToString());
  }
  const Piece& source = LiteralAccess::Root(src_literal);
  const Piece& dest = root_piece();
  const int64_t bytes = dest.element_bytes();
  std::memmove(dest.buffer + dest.LinearIndex(dest_index) * bytes,
               source.buffer + source.LinearIndex(src_index) * bytes, bytes);
  return absl::OkStatus();
}

void MutableLiteralBase::PopulateWithScalar(const LiteralBase& scalar) {
  XLA_CHECK(ShapeUtil::IsScalar(scalar.shape()))
      << "PopulateWithScalar with shape " << scalar.shape().ToString();
  const Piece& source = LiteralAccess::Root(scalar);
  ForEachPiece(root_piece(), [&](const ShapeIndex&, const Piece& p) {
    if (!p.subshape->IsArray()) return;
    p.CheckType(source.subshape->element_type());
    const DimensionVector no_strides(p.subshape->rank(), 0);
    StridedCopy(p.element_bytes(), p.subshape->dimensions(), p.buffer,
                IndexUtil::DimensionStrides(*p.subshape), source.buffer, no_strides);
  });
}

Literal LiteralBase::Clone() const {
  Literal result(shape());
  XLA_CHECK_OK(result.CopyFrom(LiteralSlice(*this)));
  return result;
}

std::unique_ptr<Literal> LiteralBase::CloneToUnique() const {
  return std::make_unique<Literal>(Clone());
}

Literal LiteralBase::Relayout(const Layout& new_layout, const ShapeIndex& shape_index) const {
  Shape new_shape = shape();
  Shape* subshape = ShapeUtil::GetMutableSubshape(&new_shape, shape_index);
  XLA_CHECK(subshape->IsArray()) << "Relayout of shape " << subshape->ToString();
  *subshape->mutable_layout() = new_layout;
  XLA_CHECK_OK(LayoutUtil::ValidateLayoutForShape(new_layout, *subshape));
  return Relayout(new_shape);
}

Literal LiteralBase::Relayout(const Shape& shape_with_layout) const {
  XLA_CHECK(ShapeUtil::Compatible(shape_with_layout, shape()))
      << "Relayout of shape " << shape().ToString() << " to " << shape_with_layout.ToString(true);
  Literal result(shape_with_layout);
  XLA_CHECK_OK(result.CopyFrom(LiteralSlice(*this)));
  return result;
}

Literal LiteralBase::ToStatic() const {
  Shape new_shape = shape();
  ShapeUtil::ForEachMutableSubshape(&new_shape, [&](Shape* subshape, const ShapeIndex& index) {
    if (!subshape->IsArray() || subshape->is_static()) return;
    const Piece& p = piece(index);
    for (int64_t d = 0; d < subshape->rank(); ++d) {
      subshape->set_dimensions(d, p.existing_size(d), /*is_dynamic=*/false);
    }
  });
  Literal result(new_shape);
  XLA_CHECK_OK(result.CopyFrom(LiteralSlice(*this), {}, {}, /*only_dynamic_bound=*/true));
  return result;
}

Literal LiteralBase::ToBoundedDynamic(const Shape& bounded_shape) const {
  XLA_CHECK(ShapeUtil::DynamicShapeIsCompatible(shape(), bounded_shape))
      << "literal of shape " << shape().ToString() << " in bounds of " << bounded_shape.ToString();
  Literal result(bounded_shape);
  std::vector<std::pair<const Piece*, Piece*>> pairs;
  XLA_CHECK(PairPieces(root_piece(), const_cast<Piece*>(&result.root_piece()), &pairs));
  for (const auto& [from, to] : pairs) {
    if (!from->subshape->IsArray()) continue;
    CopyDynamicSizes(*from, to);
    XLA_CHECK_OK(CopyExisting(*from, to));
  }
  return result;
}

absl::StatusOr<Literal> LiteralBase::Reshape(absl::Span<const int64_t> dimensions) const {
  if (!shape().IsArray())
    return InvalidArgument("Reshape does not support shape %s.", shape().ToString());
  if (shape().is_dynamic()) {
    return Unimplemented("Dynamic reshape is not implemented: literal of shape %s.",
                         shape().ToString());
  }
  XLA_ASSIGN_OR_RETURN(const Shape new_shape,
                       ShapeUtil::MakeValidatedShape(shape().element_type(), dimensions));
  if (ShapeUtil::ElementsIn(new_shape) != ShapeUtil::ElementsIn(shape())) {
    return InvalidArgument(
        "Shapes before and after Literal::Reshape have different numbers of elements: %s vs %s.",
        shape().ToString(), new_shape.ToString());
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(new_shape));
  std::vector<char> storage;
  const int64_t bytes = result.size_bytes();
  if (bytes > 0)
    std::memcpy(result.untyped_data(), LiteralAccess::RowMajorData(root_piece(), &storage), bytes);
  return result;
}

absl::StatusOr<Literal> LiteralBase::Broadcast(const Shape& result_shape,
                                               absl::Span<const int64_t> dimensions) const {
  if (!shape().IsArray() || !result_shape.IsArray() ||
      shape().element_type() != result_shape.element_type()) {
    return InvalidArgument("Broadcast only supports arrays of one element type: from %s to %s.",
                           shape().ToString(), result_shape.ToString());
  }
  if (static_cast<int64_t>(dimensions.size()) != shape().rank()) {
    return InvalidArgument(
        "Broadcast of shape %s needs one dimension number for each dimension, has %s.",
        shape().ToString(), DimensionsToString(dimensions));
  }
  XLA_ASSIGN_OR_RETURN(Literal result, Literal::Make(result_shape));
  DimensionVector strides(result_shape.rank(), 0);
  const DimensionVector own_strides = IndexUtil::DimensionStrides(shape());
  for (int64_t d = 0; d < shape().rank(); ++d) {
    const int64_t to = dimensions[d];
    if (to < 0 || to >= result_shape.rank() ||
        result_shape.dimensions(to) != shape().dimensions(d) ||
        std::count(dimensions.begin(), dimensions.end(), to) != 1) {
      return InvalidArgument(
          "Broadcast of dimension %d of shape %s to dimension %d of shape %s: sizes differ, or it "
          "is "
          "not a dimension, or it is named twice.",
          d, shape().ToString(), to, result_shape.ToString());
    }
    strides[to] = own_strides[d];
    // Elements beyond the operand's dynamic size are invalid in the result, too.
    if (shape().is_dynamic_dimension(d)) result.SetDynamicSize(to, GetDynamicSize(d));
  }
  const Piece& to = result.root_piece();
  StridedCopy(to.element_bytes(), result_shape.dimensions(), to.buffer,
              IndexUtil::DimensionStrides(*to.subshape), root_piece().buffer, strides);
  return result;
}

Literal LiteralBase::Transpose(absl::Span<const int64_t> permutation) const {
  XLA_CHECK(shape().IsArray() && static_cast<int64_t>(permutation.size()) == shape().rank() &&
            IsPermutation(permutation))
      << "transpose of shape " << shape().ToString() << " by " << DimensionsToString(permutation);
  // The memory stays the same; only the dimensions are renumbered.
  Literal result(ShapeUtil::PermuteDimensions(permutation, shape()));
  Piece& to = const_cast<Piece&>(result.root_piece());
  XLA_CHECK(to.buffer_bytes() == root_piece().buffer_bytes());
  std::memcpy(to.buffer, root_piece().buffer, to.buffer_bytes());
  if (root_piece().dynamic_sizes != nullptr) {
    to.dynamic_sizes = std::make_unique<int64_t[]>(permutation.size());
    for (size_t d = 0; d < permutation.size(); ++d) {
      to.dynamic_sizes[d] = root_piece().existing_size(permutation[d]);
    }
  }
  return result;
}

Literal LiteralBase::Slice(absl::Span<const int64_t> start_indices,
                           absl::Span<const int64_t> limit_indices) const {
  const int64_t rank = shape().rank();
  XLA_CHECK(shape().IsArray() && static_cast<int64_t>(start_indices.size()) == rank &&
            static_cast<int64_t>(limit_indices.size()) == rank)
      << "slice of shape " << shape().ToString();
  DimensionVector sizes(rank);
  for (int64_t d = 0; d < rank; ++d) {
    XLA_CHECK(0 <= start_indices[d] && start_indices[d] <= limit_indices[d] &&
              limit_indices[d] <= shape().dimensions(d))
        << "slice [" << start_indices[d] << ":" << limit_indices[d] << "] of dimension " << d
        << " of " << shape().ToString();
    sizes[d] = limit_indices[d] - start_indices[d];
  }
  Shape new_shape = ShapeUtil::MakeShapeWithDenseLayout(shape().element_type(), sizes,
                                                        shape().layout().minor_to_major());
  for (int64_t d = 0; d < rank; ++d)
    new_shape.set_dynamic_dimension(d, shape().is_dynamic_dimension(d));
  Literal result(new_shape);
  const DimensionVector zeros(rank, 0);
  XLA_CHECK_OK(result.CopySliceFrom(LiteralSlice(*this), start_indices, zeros, sizes));
  for (int64_t d = 0; d < rank; ++d) {
    if (!shape().is_dynamic_dimension(d)) continue;
    const int64_t existing =
        std::clamp<int64_t>(root_piece().existing_size(d) - start_indices[d], 0, sizes[d]);
    LiteralAccess::SetExistingSize(d, existing, &LiteralAccess::MutableRoot(result));
  }
  return result;
}

Literal LiteralBase::ReplicateElements(int64_t times) const {
  XLA_CHECK(shape().IsArray() && times >= 0) << times << " times shape " << shape().ToString();
  DimensionVector sizes = {times};
  sizes.insert(sizes.end(), shape().dimensions().begin(), shape().dimensions().end());
  DimensionVector strides = IndexUtil::DimensionStrides(shape());
  strides.insert(strides.begin(), 0);
  Shape new_shape = ShapeUtil::MakeShape(shape().element_type(), sizes);
  for (int64_t d = 0; d < shape().rank(); ++d) {
    new_shape.set_dynamic_dimension(d + 1, shape().is_dynamic_dimension(d));
  }
  Literal result(new_shape);
  StridedCopy(root_piece().element_bytes(), sizes, result.untyped_data(),
              IndexUtil::DimensionStrides(new_shape), root_piece().buffer, strides);
  for (int64_t d = 0; d < shape().rank(); ++d) {
    if (!shape().is_dynamic_dimension(d)) continue;
    LiteralAccess::SetExistingSize(d + 1, root_piece().existing_size(d),
                                   &LiteralAccess::MutableRoot(result));
  }
  return result;
}

}  // namespace xla

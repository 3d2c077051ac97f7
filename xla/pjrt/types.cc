// SPDX-License-Identifier: Apache-2.0
// Element types, shapes and layouts.
#include "xla/pjrt/types.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/pjrt/entry.h"
#include "xla/primitive_util.h"
#include "xla/runtime/buffer_view.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

// Indexed by PJRT_Buffer_Type.
constexpr PrimitiveType kTypes[] = {PRIMITIVE_TYPE_INVALID,
                                    PRED,
                                    S8,
                                    S16,
                                    S32,
                                    S64,
                                    U8,
                                    U16,
                                    U32,
                                    U64,
                                    F16,
                                    F32,
                                    F64,
                                    BF16,
                                    C64,
                                    C128,
                                    F8E5M2,
                                    F8E4M3FN,
                                    F8E4M3B11FNUZ,
                                    F8E5M2FNUZ,
                                    F8E4M3FNUZ,
                                    S4,
                                    U4,
                                    TOKEN,
                                    S2,
                                    U2,
                                    F8E4M3,
                                    F8E3M4,
                                    F8E8M0FNU,
                                    F4E2M1FN,
                                    S1,
                                    U1,
                                    F6E2M3FN,
                                    F6E3M2FN};

// Returns the layout with the given strides of dimensions larger than one.
absl::StatusOr<Layout> LayoutOfStrides(const Shape& shape,
                                       const PJRT_Buffer_MemoryLayout_Strides& strides) {
  const auto rank = static_cast<size_t>(shape.rank());
  if (strides.num_byte_strides != rank || (rank > 0 && strides.byte_strides == nullptr)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a layout of ", strides.num_byte_strides, " strides for ", shape.ToString()));
  }
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides.byte_strides[a] < strides.byte_strides[b];
  });
  int64_t expected = primitive_util::ByteWidth(shape.element_type());
  for (const int64_t d : order) {
    const int64_t size = shape.dimensions(static_cast<int>(d));
    if (size > 1 && strides.byte_strides[d] != expected) {
      return absl::UnimplementedError(
          absl::StrCat("a layout of strides with gaps, for ", shape.ToString()));
    }
    expected *= size;
  }
  return LayoutUtil::MakeLayout(order);
}

}  // namespace

PrimitiveType FromBufferType(PJRT_Buffer_Type type) {
  return type < std::size(kTypes) ? kTypes[type] : PRIMITIVE_TYPE_INVALID;
}

PJRT_Buffer_Type ToBufferType(PrimitiveType type) {
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i] == type) return static_cast<PJRT_Buffer_Type>(i);
  }
  return PJRT_Buffer_Type_INVALID;
}

absl::StatusOr<Shape> ShapeOf(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                              const PJRT_Buffer_MemoryLayout* layout) {
  const PrimitiveType element_type = FromBufferType(type);
  if (element_type == TOKEN) return ShapeUtil::MakeTokenShape();
  if (!primitive_util::IsArrayType(element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("PJRT_Buffer_Type ", type, " is not an element type of arrays"));
  }
  if (num_dims > 0) XLA_RETURN_IF_ERROR(Require({{"dims", dims}}));
  XLA_ASSIGN_OR_RETURN(Shape shape,
                       ShapeUtil::MakeValidatedShape(element_type, absl::MakeSpan(dims, num_dims)));
  LayoutUtil::SetToDefaultLayout(&shape);
  XLA_RETURN_IF_ERROR(runtime::ArrayBytes(shape).status());
  if (layout == nullptr) return shape;
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    XLA_ASSIGN_OR_RETURN(*shape.mutable_layout(), LayoutOfStrides(shape, layout->strides));
    return shape;
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout->tiled;
  if (tiled.num_tiles > 0) {
    return absl::UnimplementedError("tiled layouts are not implemented");
  }
  const absl::Span<const int64_t> order(tiled.minor_to_major, tiled.minor_to_major_size);
  std::vector<int64_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  bool is_permutation = sorted.size() == num_dims;
  for (size_t i = 0; is_permutation && i < num_dims; ++i) {
    is_permutation = sorted[i] == static_cast<int64_t>(i);
  }
  if (!is_permutation) {
    return absl::InvalidArgumentError(absl::StrCat(
        "minor_to_major is not a permutation of the dimensions of ", shape.ToString()));
  }
  *shape.mutable_layout() = LayoutUtil::MakeLayout(order);
  return shape;
}

absl::InlinedVector<int64_t, 6> ElementStrides(const Shape& array) {
  absl::InlinedVector<int64_t, 6> strides(static_cast<size_t>(array.rank()), 1);
  int64_t stride = 1;
  for (int i = 0; i < array.rank(); ++i) {
    const int64_t d = array.has_layout() ? array.layout().minor_to_major(i) : array.rank() - 1 - i;
    strides[static_cast<size_t>(d)] = stride;
    stride *= array.dimensions(static_cast<int>(d));
  }
  return strides;
}

}  // namespace xla::pjrt

// SPDX-License-Identifier: Apache-2.0
// Slices along the last dimensions, and indexing as frameworks name it.
#include "xla/hlo/builder/lib/slicing.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/lib_util.h"

namespace xla {
namespace {

using Int64List = std::vector<int64_t>;

absl::Status CheckDim(const Shape& shape, int64_t dim) {
  if (dim >= 0 && dim < shape.rank()) return absl::OkStatus();
  return InvalidArgumentStrCat("There is no dimension ", dim, " in ", ShapeUtil::HumanString(shape),
                               ".");
}

// 64-bit indices into a dimension that needs fewer bits become 32-bit ones, which are faster.
absl::StatusOr<XlaOp> NarrowIndex(XlaBuilder* b, XlaOp index, int64_t size) {
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, index));
  const bool is_wide = shape.element_type() == S64 || shape.element_type() == U64;
  if (!is_wide || size >= std::numeric_limits<uint32_t>::max()) return index;
  return ConvertElementType(index, U32);
}

}  // namespace

XlaOp DynamicStridedSlice(XlaOp input, absl::Span<const XlaOp> base_indices,
                          absl::Span<const int64_t> window_sizes,
                          absl::Span<const int64_t> strides) {
  return lib_internal::Make(
      "DynamicStridedSlice", {input}, [&](XlaBuilder*) -> absl::StatusOr<XlaOp> {
        const XlaOp window = DynamicSlice(input, base_indices, window_sizes);
        return Slice(window, Int64List(window_sizes.size(), 0), window_sizes, strides);
      });
}

XlaOp SliceInMinorDims(XlaOp x, absl::Span<const int64_t> start, absl::Span<const int64_t> end) {
  return lib_internal::Make("SliceInMinorDims", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
    const int64_t minor = static_cast<int64_t>(start.size());
    XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, minor));
    if (end.size() != start.size()) {
      return InvalidArgument("There are %u starts and %u ends.", start.size(), end.size());
    }
    const int64_t major = shape.rank() - minor;
    Int64List starts(shape.rank(), 0), limits(shape.dimensions().begin(), shape.dimensions().end());
    std::copy(start.begin(), start.end(), starts.begin() + major);
    std::copy(end.begin(), end.end(), limits.begin() + major);
    return Slice(x, starts, limits, Int64List(shape.rank(), 1));
  });
}

XlaOp UpdateSlice(XlaOp x, XlaOp update, absl::Span<const int64_t> start) {
  return lib_internal::Make(
      "UpdateSlice", {x, update}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, x));
        if (shape.rank() != static_cast<int64_t>(start.size())) {
          return InvalidArgumentStrCat("There are ", start.size(), " starts for ",
                                       ShapeUtil::HumanString(shape), ".");
        }
        std::vector<XlaOp> starts;
        for (const int64_t s : start) {
          if (s < std::numeric_limits<int32_t>::min() || s > std::numeric_limits<int32_t>::max()) {
            starts.push_back(ConstantR0<int64_t>(b, s));
          } else {
            starts.push_back(ConstantR0<int32_t>(b, static_cast<int32_t>(s)));
          }
        }
        return DynamicUpdateSlice(x, update, starts);
      });
}

XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const int64_t> start) {
  return lib_internal::Make(
      "UpdateSliceInMinorDims", {x, update}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        const int64_t minor = static_cast<int64_t>(start.size());
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, minor));
        Int64List starts(shape.rank(), 0);
        std::copy(start.begin(), start.end(), starts.begin() + (shape.rank() - minor));
        return UpdateSlice(x, update, starts);
      });
}

namespace {

// Zeros, of the type of the starts, for the dimensions before.
absl::StatusOr<std::vector<XlaOp>> StartsOfAllDims(XlaBuilder* b, XlaOp x,
                                                   absl::Span<const XlaOp> starts) {
  const int64_t minor = static_cast<int64_t>(starts.size());
  XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ShapeOfRank(b, x, minor));
  PrimitiveType type = S32;
  if (!starts.empty()) {
    XLA_ASSIGN_OR_RETURN(const Shape start, lib_internal::ArrayShape(b, starts[0]));
    type = start.element_type();
  }
  std::vector<XlaOp> all(shape.rank() - minor, Zero(b, type));
  all.insert(all.end(), starts.begin(), starts.end());
  return all;
}

}  // namespace

XlaOp DynamicSliceInMinorDims(XlaOp x, absl::Span<const XlaOp> starts,
                              absl::Span<const int64_t> sizes) {
  return lib_internal::Make(
      "DynamicSliceInMinorDims", {x}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> all, StartsOfAllDims(b, x, starts));
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, x));
        if (sizes.size() != starts.size()) {
          return InvalidArgument("There are %u starts and %u sizes.", starts.size(), sizes.size());
        }
        const auto major = shape.dimensions().subspan(0, shape.rank() - sizes.size());
        Int64List all_sizes(major.begin(), major.end());
        all_sizes.insert(all_sizes.end(), sizes.begin(), sizes.end());
        return DynamicSlice(x, all, all_sizes);
      });
}

XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, absl::Span<const XlaOp> starts) {
  return lib_internal::Make(
      "DynamicUpdateSliceInMinorDims", {x, update}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const std::vector<XlaOp> all, StartsOfAllDims(b, x, starts));
        return DynamicUpdateSlice(x, update, all);
      });
}

// --- Indexing

namespace {

// For an index and a new dimension of the input's size along dim, which stands before (after) the
// index's dimension dim: whether a place is the one that the index names.
struct Mask {
  XlaOp mask;
  Int64List sizes;       // of the mask
  Int64List index_dims;  // index dimension i is mask dimension index_dims[i]
  int64_t new_dim;       // the one of places
};

absl::StatusOr<Mask> PlacesOf(XlaBuilder* b, XlaOp index, const Shape& index_shape, int64_t size,
                              int64_t dim) {
  Mask result;
  result.new_dim = dim;
  for (int64_t i = 0; i < index_shape.rank(); ++i) {
    if (i == dim) result.sizes.push_back(size);
    result.index_dims.push_back(i < dim ? i : i + 1);
    result.sizes.push_back(index_shape.dimensions(static_cast<int>(i)));
  }
  XLA_ASSIGN_OR_RETURN(const Shape places,
                       ShapeUtil::MakeValidatedShape(index_shape.element_type(), result.sizes));
  result.mask = Eq(BroadcastInDim(index, result.sizes, result.index_dims), Iota(b, places, dim));
  return result;
}

}  // namespace

XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, bool sparse) {
  return lib_internal::Make(
      "TorchGather", {input, index}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, input));
        XLA_RETURN_IF_ERROR(CheckDim(shape, dim));
        const int64_t size = shape.dimensions(static_cast<int>(dim));
        XLA_ASSIGN_OR_RETURN(const XlaOp narrow, NarrowIndex(b, index, size));
        XLA_ASSIGN_OR_RETURN(const Shape index_shape, lib_internal::ArrayShape(b, narrow));
        if (index_shape.rank() != shape.rank()) {
          return InvalidArgumentStrCat("The index must have the rank of the input; got ",
                                       ShapeUtil::HumanString(index_shape), " and ",
                                       ShapeUtil::HumanString(shape), ".");
        }
        const PrimitiveType type = shape.element_type();
        if (!sparse) {
          XLA_ASSIGN_OR_RETURN(const Mask places, PlacesOf(b, narrow, index_shape, size, dim));
          // The input has no dimension for the index's own; it may be larger than the index
          // elsewhere.
          Int64List limits(shape.dimensions().begin(), shape.dimensions().end()), input_dims;
          for (int64_t i = 0; i < shape.rank(); ++i) {
            input_dims.push_back(i <= dim ? i : i + 1);
            if (i != dim) limits[i] = index_shape.dimensions(static_cast<int>(i));
          }
          const XlaOp part =
              Slice(input, Int64List(shape.rank(), 0), limits, Int64List(shape.rank(), 1));
          const XlaOp masked = Select(places.mask, BroadcastInDim(part, places.sizes, input_dims),
                                      Broadcast(Zero(b, type), places.sizes));
          return Reduce(masked, Zero(b, type), CreateScalarIdentityWithZeroComputation(type, b),
                        {dim});
        }
        // Full coordinates: along dim from the index, elsewhere the place itself.
        Int64List column(index_shape.dimensions().begin(), index_shape.dimensions().end());
        column.push_back(1);
        XLA_ASSIGN_OR_RETURN(const Shape column_shape,
                             ShapeUtil::MakeValidatedShape(index_shape.element_type(), column));
        std::vector<XlaOp> coordinates;
        GatherDimensionNumbers numbers;
        numbers.set_index_vector_dim(shape.rank());
        for (int64_t i = 0; i < shape.rank(); ++i) {
          coordinates.push_back(i == dim ? Reshape(narrow, column) : Iota(b, column_shape, i));
          numbers.add_collapsed_slice_dims(i);
          numbers.add_start_index_map(i);
        }
        return Gather(input, ConcatInDim(b, coordinates, shape.rank()), numbers,
                      Int64List(shape.rank(), 1));
      });
}

XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner) {
  return lib_internal::Make(
      "TorchScatterDense", {input, index, src}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, input));
        XLA_ASSIGN_OR_RETURN(const Shape index_shape, lib_internal::ArrayShape(b, index));
        XLA_RETURN_IF_ERROR(CheckDim(shape, dim));
        XLA_RETURN_IF_ERROR(CheckDim(index_shape, dim));
        XLA_ASSIGN_OR_RETURN(
            const Mask places,
            PlacesOf(b, index, index_shape, shape.dimensions(static_cast<int>(dim)), dim));
        const PrimitiveType type = shape.element_type();
        const XlaOp masked =
            Select(places.mask, BroadcastInDim(src, places.sizes, places.index_dims),
                   Broadcast(Zero(b, type), places.sizes));
        const XlaOp scattered =
            Reduce(masked, Zero(b, type), CreateScalarComputation("reducer", type, b, combiner),
                   {dim + 1});
        return combiner(input, scattered);
      });
}

XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims) {
  return lib_internal::Make(
      "TorchIndexSelect", {input, index}, [&](XlaBuilder* b) -> absl::StatusOr<XlaOp> {
        XLA_ASSIGN_OR_RETURN(const Shape shape, lib_internal::ArrayShape(b, input));
        XLA_RETURN_IF_ERROR(CheckDim(shape, dim));
        XLA_ASSIGN_OR_RETURN(XlaOp indices,
                             NarrowIndex(b, index, shape.dimensions(static_cast<int>(dim))));
        XLA_ASSIGN_OR_RETURN(const Shape index_shape, lib_internal::ArrayShape(b, indices));
        if (batch_dims < 0 || dim < batch_dims || batch_dims > index_shape.rank()) {
          return InvalidArgumentStrCat(
              "The ", batch_dims, " batch dimensions must stand before dim ", dim,
              " and in the index ", ShapeUtil::HumanString(index_shape), ".");
        }
        GatherDimensionNumbers numbers;
        numbers.set_index_vector_dim(index_shape.rank());
        Int64List slice_sizes(shape.dimensions().begin(), shape.dimensions().end());
        // Result dimensions: those of the index in place of dim, then the rest of the input's.
        for (int64_t i = 0; i < shape.rank(); ++i) {
          if (i < batch_dims) {
            numbers.add_operand_batching_dims(i);
            numbers.add_start_indices_batching_dims(i);
            slice_sizes[i] = std::min<int64_t>(slice_sizes[i], 1);
          } else if (i == dim) {
            numbers.add_collapsed_slice_dims(i);
            numbers.add_start_index_map(i);
            slice_sizes[i] = std::min<int64_t>(slice_sizes[i], 1);
          } else {
            numbers.add_offset_dims(i < dim ? i : i + index_shape.rank() - (1 + batch_dims));
          }
        }
        return Gather(input, indices, numbers, slice_sizes);
      });
}

}  // namespace xla

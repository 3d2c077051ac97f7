// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations that take positions as operands: dynamic slices, gather, scatter.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/reducer.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

using DimList = absl::Span<const int64_t>;

std::string Listed(DimList dims) { return absl::StrJoin(dims, ", "); }

// The start indices of dynamic-slice and dynamic-update-slice: a scalar for each dimension, or one
// vector.
absl::Status CheckStarts(const std::string& name, const Shape& operand,
                         absl::Span<const Shape* const> starts) {
  if (starts.size() == 1 && starts[0]->IsArray() && starts[0]->rank() == 1) {
    if (!primitive_util::IsIntegralType(starts[0]->element_type())) {
      return InvalidArgumentStrCat(name, " start indices must be of integral type; got ",
                                   Str(*starts[0]), ".");
    }
    if (!SizesCompatible(starts[0]->dimensions(0), operand.rank())) {
      return InvalidArgumentStrCat(name, " start number of dimensions ", starts[0]->dimensions(0),
                                   " (", Str(*starts[0]), ") must match rank ", operand.rank(),
                                   " of slice input (", Str(operand), ").");
    }
    return absl::OkStatus();
  }
  if (static_cast<int64_t>(starts.size()) != operand.rank()) {
    return InvalidArgumentStrCat(name, " start number of dimensions ", starts.size(),
                                 " must match rank ", operand.rank(), " of slice input (",
                                 Str(operand), ").");
  }
  for (const Shape* start : starts) {
    if (!ShapeUtil::IsScalar(*start)) {
      return InvalidArgumentStrCat(name, " indices must be scalar, not ", Str(*start), ".");
    }
    if (!primitive_util::IsIntegralType(start->element_type())) {
      return InvalidArgumentStrCat(name, " start indices must be of integral type; got ",
                                   Str(*start), ".");
    }
    if (start->element_type() != starts[0]->element_type()) {
      return InvalidArgumentStrCat(
          name, " start indices must all have the same shape, got mismatching indices with shapes ",
          Str(*starts[0]), " and ", Str(*start), ".");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInRange(absl::string_view op, absl::string_view field, DimList dims,
                          int64_t rank) {
  for (const int64_t dim : dims) {
    if (!InRange(dim, rank)) {
      return InvalidArgumentStrCat("Invalid ", field, " set in ", op, " op; valid range is [0, ",
                                   rank, "), got: ", dim, ".");
    }
  }
  return absl::OkStatus();
}

// In range, ascending, without repetition. The sentences are XLA's.
absl::Status CheckSorted(absl::string_view op, absl::string_view field, DimList dims,
                         int64_t rank) {
  XLA_RETURN_IF_ERROR(CheckInRange(op, field, dims, rank));
  if (!std::is_sorted(dims.begin(), dims.end())) {
    return InvalidArgumentStrCat(field, " in ", op, " op must be sorted; got: ", Listed(dims));
  }
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end()) {
    if (op == "gather") {
      return InvalidArgumentStrCat("Repeated dimensions not allowed in ", field,
                                   " in gather op; got: ", Listed(dims), ".");
    }
    return InvalidArgumentStrCat(field, " in ", op, " op must not repeat; got: ", Listed(dims),
                                 ".");
  }
  return absl::OkStatus();
}

// The dimensions of a gather's result that its window has.
absl::Status CheckOffsetDims(DimList dims, int64_t rank) {
  if (!std::is_sorted(dims.begin(), dims.end())) {
    return InvalidArgumentStrCat(
        "Output window dimensions in gather op must be ascending; got: ", Listed(dims), ".");
  }
  if (std::adjacent_find(dims.begin(), dims.end()) != dims.end()) {
    return InvalidArgumentStrCat(
        "Output window dimensions in gather op must not repeat; got: ", Listed(dims), ".");
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!InRange(dims[i], rank)) {
      return InvalidArgumentStrCat("Offset dimension ", i, " in gather op is out of bounds; got ",
                                   dims[i], ", but should have been in [0,", rank, ").");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDisjoint(absl::string_view op, absl::string_view a_name, DimList a,
                           absl::string_view b_name, DimList b) {
  for (const int64_t dim : a) {
    if (Contains(b, dim)) {
      return InvalidArgumentStrCat(a_name, " and ", b_name, " of ", op,
                                   " op must not share dimension ", dim, ".");
    }
  }
  return absl::OkStatus();
}

// Names of the parts of gather and scatter, which share the rules for index maps and batching.
struct IndexedAccess {
  absl::string_view op;
  absl::string_view indices_name, index_map_name, dropped_name, batching_name,
      indices_batching_name;
  DimList index_map, dropped, batching, indices_batching;
  int64_t index_vector_dim;
};

// Checks the indices and how they address the operand. The indices' dimensions, with a trailing 1
// if index_vector_dim is their rank, are returned.
absl::StatusOr<std::vector<Dim>> CheckIndices(const IndexedAccess& access, const Shape& operand,
                                              const Shape& indices) {
  if (!primitive_util::IsIntegralType(indices.element_type())) {
    return InvalidArgumentStrCat(access.op == "gather" ? "Gather" : "Scatter",
                                 " indices parameter must be an integral tensor; got ",
                                 Str(indices), ".");
  }
  if (!InRange(access.index_vector_dim, indices.rank() + 1)) {
    return InvalidArgumentStrCat(access.op == "gather" ? "Gather" : "Scatter",
                                 " index leaf dimension must be within [0, rank(",
                                 access.indices_name, ") + 1). rank(", access.indices_name, ") is ",
                                 indices.rank(), " and index leaf dimension is ",
                                 access.index_vector_dim, ".");
  }
  std::vector<Dim> dims;
  for (int64_t i = 0; i < indices.rank(); ++i) dims.push_back(DimOf(indices, i));
  if (access.index_vector_dim == indices.rank()) dims.push_back({1, false});

  const int64_t index_size = dims[access.index_vector_dim].size;
  if (!SizesCompatible(static_cast<int64_t>(access.index_map.size()), index_size)) {
    return InvalidArgumentStrCat(
        access.op == "gather" ? "Gather" : "Scatter", " op has ", access.index_map.size(),
        " elements in ", access.index_map_name,
        " and the bound of dimension index_vector_dim=", access.index_vector_dim, " of ",
        access.indices_name, " is ", index_size, ". These two numbers must be equal.");
  }
  for (size_t i = 0; i < access.index_map.size(); ++i) {
    if (!InRange(access.index_map[i], operand.rank())) {
      return InvalidArgumentStrCat("Invalid ", access.index_map_name,
                                   access.op == "gather" ? "" : " mapping", "; domain is [0, ",
                                   operand.rank(), "), got: ", i, "->", access.index_map[i], ".");
    }
  }
  if (!AllUnique(access.index_map)) {
    return InvalidArgumentStrCat(access.op == "gather" ? "Repeated dimensions are not allowed in "
                                                       : "Repeated dimensions not allowed in ",
                                 access.index_map_name, "; got: ", Listed(access.index_map), ".");
  }
  XLA_RETURN_IF_ERROR(CheckSorted(access.op, access.dropped_name, access.dropped, operand.rank()));
  XLA_RETURN_IF_ERROR(
      CheckSorted(access.op, access.batching_name, access.batching, operand.rank()));
  XLA_RETURN_IF_ERROR(CheckDisjoint(access.op, access.dropped_name, access.dropped,
                                    access.batching_name, access.batching));
  XLA_RETURN_IF_ERROR(CheckDisjoint(access.op, access.index_map_name, access.index_map,
                                    access.batching_name, access.batching));
  XLA_RETURN_IF_ERROR(CheckInRange(access.op, access.indices_batching_name, access.indices_batching,
                                   static_cast<int64_t>(dims.size())));
  if (!AllUnique(access.indices_batching)) {
    return InvalidArgumentStrCat(access.indices_batching_name, " in ", access.op,
                                 " op must not repeat; got: ", Listed(access.indices_batching),
                                 ".");
  }
  if (Contains(access.indices_batching, access.index_vector_dim)) {
    return InvalidArgumentStrCat(access.indices_batching_name, " in ", access.op,
                                 " op must not contain index_vector_dim=", access.index_vector_dim,
                                 ".");
  }
  if (access.batching.size() != access.indices_batching.size()) {
    return InvalidArgumentStrCat(access.batching_name, " and ", access.indices_batching_name,
                                 " in ", access.op,
                                 " op must be of the same size; got: ", access.batching.size(),
                                 " and ", access.indices_batching.size(), ".");
  }
  for (size_t i = 0; i < access.batching.size(); ++i) {
    const int64_t operand_size = DimOf(operand, access.batching[i]).size;
    const int64_t indices_size = dims[access.indices_batching[i]].size;
    if (!SizesCompatible(operand_size, indices_size)) {
      return InvalidArgumentStrCat("Batching dimensions of ", access.op,
                                   " op must have equal sizes; ", access.batching_name, "[", i,
                                   "] has ", operand_size, " and ", access.indices_batching_name,
                                   "[", i, "] has ", indices_size, ".");
    }
  }
  return dims;
}

// The check of one (operand, updates) pair of a scatter.
absl::Status CheckUpdates(const ScatterAttributes& attributes, const Shape& operand,
                          const Shape& updates, absl::Span<const Dim> indices) {
  const int64_t window_rank = static_cast<int64_t>(attributes.update_window_dims.size());
  const int64_t expected_rank = static_cast<int64_t>(indices.size()) - 1 + window_rank;
  if (updates.rank() != expected_rank) {
    return InvalidArgument("Updates tensor must be of rank %d; got %d.", expected_rank,
                           updates.rank());
  }
  XLA_RETURN_IF_ERROR(
      CheckSorted("scatter", "update_window_dims", attributes.update_window_dims, updates.rank()));
  const int64_t window_size = window_rank +
                              static_cast<int64_t>(attributes.inserted_window_dims.size()) +
                              static_cast<int64_t>(attributes.input_batching_dims.size());
  if (window_size != operand.rank()) {
    return InvalidArgument("Scatter op has window of size %d; doesn't match operand of rank %d.",
                           window_size, operand.rank());
  }
  const std::vector<OperandDimension> sources =
      SliceDimensions({attributes.update_window_dims, attributes.inserted_window_dims,
                       attributes.input_batching_dims, attributes.index_vector_dim},
                      updates.rank());
  for (int64_t i = 0; i < updates.rank(); ++i) {
    const int64_t bound = DimOf(updates, i).size;
    if (sources[i].operand == 0) {
      const int64_t most = DimOf(operand, sources[i].dimension).size;
      if (!IsUnbounded(most) && !IsUnbounded(bound) && bound > most) {
        return InvalidArgument(
            "Bounds of the window dimensions of updates must not exceed the bounds of the "
            "corresponding "
            "dimensions of operand. For dimension %d, updates bound is %d, operand bound is %d.",
            i, bound, most);
      }
      continue;
    }
    const int64_t expected = indices[sources[i].dimension].size;
    if (!SizesCompatible(bound, expected)) {
      return InvalidArgument(
          "Bounds of the scatter dimensions of updates must be same as the bounds of the "
          "corresponding "
          "dimensions of scatter indices. For scatter dimension %d, updates bound is %d, "
          "scatter_indices "
          "bound is %d.",
          i, bound, expected);
    }
  }
  return absl::OkStatus();
}

}  // namespace

Result InferDynamicSlice(const InferenceInput& in) {
  if (in.operands.empty()) return InvalidArgument("Dynamic slice expects at least one operand.");
  const Shape& operand = Operand(in, 0);
  const Int64s& sizes = Attrs<DynamicSliceAttributes>(in).dynamic_slice_sizes;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of dynamic slice"));
  XLA_RETURN_IF_ERROR(CheckStarts("Dynamic slice", operand, in.operands.subspan(1)));
  if (static_cast<int64_t>(sizes.size()) != operand.rank()) {
    return InvalidArgument("Dynamic slice index count does not match argument rank: %u vs %d.",
                           sizes.size(), operand.rank());
  }
  Dims dims;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const Dim dim = DimOf(operand, i);
    if (sizes[i] < 0) return InvalidArgument("Negative size index to dynamic slice: %d.", sizes[i]);
    if (!dim.IsUnbounded() && sizes[i] > dim.size) {
      return InvalidArgument("Slice dim size %d greater than dynamic slice dimension: %d.",
                             sizes[i], dim.size);
    }
    // A slice that covers a dynamic dimension is dynamic, too.
    dims.Add({sizes[i], dim.dynamic && sizes[i] > 1 && sizes[i] == dim.size});
  }
  return dims.Make(operand.element_type());
}

Result InferDynamicUpdateSlice(const InferenceInput& in) {
  if (OperandCount(in) < 2) {
    return InvalidArgument(
        "Dynamic update slice expects an operand and an update; has %d operands.",
        OperandCount(in));
  }
  const Shape& operand = Operand(in, 0);
  const Shape& update = Operand(in, 1);
  if (!operand.IsArray()) {
    return InvalidArgumentStrCat(
        "Expected array or buffer argument for operand of dynamic update slice, but got ",
        Str(operand), ".");
  }
  XLA_RETURN_IF_ERROR(ExpectArray(update, "update of dynamic update slice"));
  XLA_RETURN_IF_ERROR(CheckStarts("Dynamic update slice", operand, in.operands.subspan(2)));
  if (update.rank() != operand.rank()) {
    return InvalidArgument(
        "Dynamic update slice update rank does not match argument rank: %d vs %d.", update.rank(),
        operand.rank());
  }
  if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(operand, update)) {
    return InvalidArgumentStrCat(
        "Dynamic update slice update element type does not match argument. operand.element_type: ",
        TypeName(operand.element_type()),
        " vs update.element_type: ", TypeName(update.element_type()), ".");
  }
  Shape result = operand;
  for (int i = 0; i < operand.dimensions_size(); ++i) {
    const Dim whole = DimOf(operand, i);
    const Dim part = DimOf(update, i);
    if (!whole.IsUnbounded() && !part.IsUnbounded() && part.size > whole.size) {
      return InvalidArgument("Update dim size %d greater than dynamic slice dimension: %d.",
                             part.size, whole.size);
    }
    // An update that covers a whole dimension passes on its dynamic size.
    if (part.dynamic && part.size == whole.size) result.set_dynamic_dimension(i, true);
  }
  return result;
}

Result InferGather(const InferenceInput& in) {
  const auto& attributes = Attrs<GatherAttributes>(in);
  const Shape& operand = Operand(in, 0);
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "input tensor operand of gather op"));
  XLA_RETURN_IF_ERROR(ExpectArray(Operand(in, 1), "gather indices operand of gather op"));
  const IndexedAccess access{"gather",
                             "start_indices",
                             "start_index_map",
                             "collapsed_slice_dims",
                             "operand_batching_dims",
                             "start_indices_batching_dims",
                             attributes.start_index_map,
                             attributes.collapsed_slice_dims,
                             attributes.operand_batching_dims,
                             attributes.start_indices_batching_dims,
                             attributes.index_vector_dim};
  XLA_ASSIGN_OR_RETURN(const std::vector<Dim> indices,
                       CheckIndices(access, operand, Operand(in, 1)));

  const int64_t result_rank = static_cast<int64_t>(attributes.offset_dims.size()) +
                              static_cast<int64_t>(indices.size()) - 1;
  XLA_RETURN_IF_ERROR(CheckOffsetDims(attributes.offset_dims, result_rank));
  const Int64s& sizes = attributes.slice_sizes;
  if (static_cast<int64_t>(sizes.size()) != operand.rank()) {
    return InvalidArgument(
        "Gather op must have one slice size for every input dimension; got: len(slice_sizes)=%u, "
        "input_shape.rank=%d.",
        sizes.size(), operand.rank());
  }
  if (sizes.size() != attributes.offset_dims.size() + attributes.collapsed_slice_dims.size() +
                          attributes.operand_batching_dims.size()) {
    return InvalidArgumentStrCat(
        "All components of the offset index in a gather op must either be a offset dimension or "
        "explicitly collapsed or explicitly batched; got len(slice_sizes)=",
        sizes.size(), ", output_slice_sizes=", Joined(attributes.offset_dims),
        ", collapsed_slice_dims=", Joined(attributes.collapsed_slice_dims),
        ", operand_batching_dims=", Joined(attributes.operand_batching_dims), ".");
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t most = DimOf(operand, i).size;
    if (sizes[i] < 0 || (!IsUnbounded(most) && sizes[i] > most)) {
      return InvalidArgumentStrCat(
          "Slice size at index ", i, " in gather op is out of range, must be within [0, ",
          IsUnbounded(most) ? "?" : absl::StrCat(static_cast<uint64_t>(most) + 1), "), got ",
          sizes[i], ".");
    }
  }
  const auto drop = [&](DimList dims, absl::string_view rule) -> absl::Status {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (sizes[dims[i]] <= 1) continue;
      return InvalidArgumentStrCat("Gather op can only ", rule, " with bound 1 or 0, but bound is ",
                                   sizes[dims[i]], " for index ", dims[i], " at position ", i, ".");
    }
    return absl::OkStatus();
  };
  XLA_RETURN_IF_ERROR(drop(attributes.collapsed_slice_dims, "collapse slice dims"));
  XLA_RETURN_IF_ERROR(drop(attributes.operand_batching_dims, "have operand_batching_dims"));

  Dims dims;
  for (const OperandDimension& source :
       SliceDimensions({attributes.offset_dims, attributes.collapsed_slice_dims,
                        attributes.operand_batching_dims, attributes.index_vector_dim},
                       result_rank)) {
    if (source.operand == 1) {
      dims.Add(indices[source.dimension]);
      continue;
    }
    // Gathering a whole dynamic dimension gives a dynamic dimension.
    const Dim dim = DimOf(operand, source.dimension);
    const int64_t size = sizes[source.dimension];
    dims.Add({size, dim.dynamic && dim.size == size});
  }
  return dims.Make(operand.element_type());
}

Result InferScatter(const InferenceInput& in) {
  const auto& attributes = Attrs<ScatterAttributes>(in);
  const int64_t count = OperandCount(in) / 2;
  if (count < 1 || count * 2 + 1 != OperandCount(in)) {
    return InvalidArgument("Invalid argument count of scatter op: Expected %d, saw %d",
                           std::max<int64_t>(count, 1) * 2 + 1, OperandCount(in));
  }
  const Shape& indices_shape = Operand(in, count);
  XLA_RETURN_IF_ERROR(ExpectArray(indices_shape, "scatter indices of scatter op"));
  const IndexedAccess access{"scatter",
                             "scatter_indices",
                             "scatter_dims_to_operand_dims",
                             "inserted_window_dims",
                             "input_batching_dims",
                             "scatter_indices_batching_dims",
                             attributes.scatter_dims_to_operand_dims,
                             attributes.inserted_window_dims,
                             attributes.input_batching_dims,
                             attributes.scatter_indices_batching_dims,
                             attributes.index_vector_dim};
  std::vector<PrimitiveType> operand_types, update_types;
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = Operand(in, i);
    const Shape& updates = Operand(in, count + 1 + i);
    XLA_RETURN_IF_ERROR(ExpectArray(operand, absl::StrCat("operand ", i, " of scatter op")));
    XLA_RETURN_IF_ERROR(ExpectArray(updates, absl::StrCat("updates ", i, " of scatter op")));
    if (!ShapeUtil::CompatibleIgnoringElementType(operand, Operand(in, 0))) {
      return InvalidArgumentStrCat("All operands of scatter must have the same dimensions; got ",
                                   Str(Operand(in, 0)), " and ", Str(operand), ".");
    }
    // One step takes an element of each.
    if (!ShapeUtil::CompatibleIgnoringElementType(updates, Operand(in, count + 1))) {
      return InvalidArgumentStrCat("All updates of scatter must have the same dimensions; got ",
                                   Str(Operand(in, count + 1)), " and ", Str(updates), ".");
    }
    XLA_ASSIGN_OR_RETURN(const std::vector<Dim> indices,
                         CheckIndices(access, operand, indices_shape));
    XLA_RETURN_IF_ERROR(CheckUpdates(attributes, operand, updates, indices));
    operand_types.push_back(operand.element_type());
    update_types.push_back(updates.element_type());
    results.push_back(operand);
  }
  XLA_RETURN_IF_ERROR(CheckReducer(*in.callees[0], operand_types, update_types));
  return MaybeTuple(std::move(results));
}

}  // namespace xla::shape_inference

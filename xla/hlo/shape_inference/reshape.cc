// SPDX-License-Identifier: Apache-2.0
// Shape inference of operations that move elements by position: reshape, broadcast, slice, pad, ...
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/permutation_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

absl::Status ExpectEqualElementCount(const Shape& from, const Shape& to) {
  if (from.is_unbounded_dynamic() || to.is_unbounded_dynamic()) return absl::OkStatus();
  const int64_t from_count = ShapeUtil::ElementsIn(from);
  const int64_t to_count = ShapeUtil::ElementsIn(to);
  if (from_count == to_count) return absl::OkStatus();
  return InvalidArgumentStrCat("Reshape operation has mismatched element counts: from=", from_count,
                               " (", Str(from), ") to=", to_count, " (", Str(to), ").");
}

// Checks common to reshape and dynamic-reshape: arrays of the same element type and number of
// elements.
absl::Status ExpectReshapable(absl::string_view operation, const Shape& operand,
                              const Shape& result) {
  XLA_RETURN_IF_ERROR(ExpectArray(operand, absl::StrCat("operand of ", operation)));
  XLA_RETURN_IF_ERROR(ExpectArray(result, absl::StrCat("result of ", operation)));
  if (!ShapeUtil::SameElementType(operand, result)) {
    return InvalidArgumentStrCat("Element types of operand and result of ", operation,
                                 " differ: ", Str(operand), " and ", Str(result), ".");
  }
  return ExpectEqualElementCount(operand, result);
}

absl::Status SliceError(const std::string& rule, const Shape& operand,
                        const std::vector<SliceDim>& slice) {
  Int64s starts, limits, strides;
  for (const SliceDim& dim : slice) {
    starts.push_back(dim.start);
    limits.push_back(dim.limit);
    strides.push_back(dim.stride);
  }
  return InvalidArgumentStrCat(rule, " in slice operation; argument shape: ", Str(operand),
                               "; starts: {", Joined(starts), "}; limits: {", Joined(limits),
                               "}; strides: {", Joined(strides), "}.");
}

// The dimension of get- and set-dimension-size; its size must fit S32.
absl::StatusOr<int64_t> SizedDimension(const InferenceInput& in, absl::string_view name) {
  const Int64s& dimensions = Attrs<OneDimensionAttributes>(in).dimensions;
  if (dimensions.size() != 1) {
    return InvalidArgument("%s expects exactly one dimension; got %u.", name, dimensions.size());
  }
  const Shape& operand = Operand(in, 0);
  XLA_RETURN_IF_ERROR(ExpectArray(operand, absl::StrCat("operand of ", OpName(in.opcode))));
  if (!InRange(dimensions[0], operand.rank())) {
    return InvalidArgument("%s dimension out of bounds: %d.", name, dimensions[0]);
  }
  if (DimOf(operand, dimensions[0]).size > std::numeric_limits<int32_t>::max()) {
    return InvalidArgumentStrCat(name, "'s input shape is ", Str(operand), ", the ", dimensions[0],
                                 "th dimension exceeds the INT_MAX limit.");
  }
  return dimensions[0];
}

}  // namespace

Result InferBitcast(const InferenceInput& in) {
  // The verifier compares the byte sizes, which depend on layouts.
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  return *declared;
}

Result InferBroadcast(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Int64s& dimensions = Attrs<DimensionListAttributes>(in).dimensions;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of broadcast"));
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  XLA_RETURN_IF_ERROR(ExpectArray(*declared, "result of broadcast"));
  if (!ShapeUtil::SameElementType(operand, *declared)) {
    return InvalidArgumentStrCat("Element types of operand and result of broadcast differ: ",
                                 Str(operand), " and ", Str(*declared), ".");
  }
  if (static_cast<int64_t>(dimensions.size()) != operand.rank()) {
    return InvalidArgument(
        "Broadcast has invalid number of dimensions: %u != %d, the operand's rank.",
        dimensions.size(), operand.rank());
  }
  if (!AllUnique(dimensions)) {
    return InvalidArgumentStrCat("Broadcast dimensions must not repeat; got {", Joined(dimensions),
                                 "}.");
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (!InRange(dimensions[i], declared->rank())) {
      return InvalidArgumentStrCat("Broadcast dimension ", dimensions[i],
                                   " is out of bound for the result ", Str(*declared), ".");
    }
    if (!SizesCompatible(DimOf(operand, i).size, DimOf(*declared, dimensions[i]).size)) {
      return InvalidArgumentStrCat("Broadcast of ", Str(operand), " to ", Str(*declared),
                                   ": dimension ", i, " of the operand and dimension ",
                                   dimensions[i], " of the result differ in size.");
    }
  }
  return *declared;
}

Result InferConcatenate(const InferenceInput& in) {
  const Int64s& dimensions = Attrs<DimensionListAttributes>(in).dimensions;
  if (in.operands.empty()) return InvalidArgument("Concatenate expects at least one argument.");
  const Shape& first = Operand(in, 0);
  XLA_RETURN_IF_ERROR(ExpectArray(first, "operand of concatenation"));
  if (dimensions.size() != 1) {
    return InvalidArgument("Concatenate expects exactly one dimension; got %u.", dimensions.size());
  }
  const int64_t along = dimensions[0];
  if (!InRange(along, first.rank())) {
    return InvalidArgument("Concatenate dimension out of bounds: %d.", along);
  }
  PrimitiveType type = first.element_type();
  Dims dims(first);
  std::vector<Dim> merged;
  for (int64_t d = 0; d < first.rank(); ++d) merged.push_back(DimOf(first, d));
  for (int64_t i = 1; i < OperandCount(in); ++i) {
    const Shape& operand = Operand(in, i);
    XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of concatenation"));
    if (operand.rank() != first.rank()) {
      return InvalidArgumentStrCat("Cannot concatenate arrays with different ranks: ", first.rank(),
                                   " (", Str(first), ") vs ", operand.rank(), " (", Str(operand),
                                   ").");
    }
    if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(first, operand)) {
      return InvalidArgumentStrCat("Cannot concatenate arrays with different element types: ",
                                   TypeName(first.element_type()), " vs ",
                                   TypeName(operand.element_type()), ".");
    }
    for (int64_t d = 0; d < first.rank(); ++d) {
      const Dim dim = DimOf(operand, d);
      if (d == along) {
        // X + <=B is <=X+B; anything + ? is ?.
        if (merged[d].IsUnbounded() || dim.IsUnbounded()) {
          merged[d] = Dim::Unbounded();
          continue;
        }
        const auto sum = ConcatenatedSize(merged[d].size, dim.size);
        if (!sum.has_value())
          return InvalidArgument("Concatenate overflows the size of dimension %d.", d);
        merged[d] = {*sum, merged[d].dynamic || dim.dynamic};
        continue;
      }
      if (!SizesCompatible(DimOf(first, d).size, dim.size)) {
        return InvalidArgumentStrCat(
            "Cannot concatenate arrays that differ in dimensions other than the one being "
            "concatenated. "
            "Dimension ",
            d, " in both shapes must be equal (or compatible): ", Str(first), " vs ", Str(operand),
            ".");
      }
      // Two operands may each fit the first, whose size is unknown, and not each other.
      XLA_ASSIGN_OR_RETURN(merged[d], MergeDims(d, merged[d], dim));
    }
    type = primitive_util::HigherPrecisionType(type, operand.element_type());
  }
  for (int64_t d = 0; d < first.rank(); ++d) dims.Set(d, merged[d]);
  return dims.Make(type);
}

Result InferDynamicReshape(const InferenceInput& in) {
  if (in.operands.empty()) return InvalidArgument("DynamicReshape expects at least one operand.");
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  XLA_RETURN_IF_ERROR(ExpectReshapable("dynamic-reshape", Operand(in, 0), *declared));
  if (declared->rank() + 1 != OperandCount(in)) {
    return InvalidArgumentStrCat(
        "DynamicReshape expects one size for each dimension of the result ", Str(*declared),
        "; got ", OperandCount(in) - 1, " sizes.");
  }
  for (int64_t i = 1; i < OperandCount(in); ++i) {
    if (!ShapeUtil::IsScalarWithElementType(Operand(in, i), S32)) {
      return InvalidArgumentStrCat("DynamicReshape's dim size has to be scalar S32, got ",
                                   Str(Operand(in, i)), ".");
    }
  }
  return *declared;
}

Result InferPad(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Shape& value = Operand(in, 1);
  const std::vector<PadDim>& padding = Attrs<PadAttributes>(in).padding;
  if (!operand.IsArrayExcludingBuffer())
    return InvalidArgument("Pad operation does not support tuple-shape operands.");
  if (!ShapeUtil::IsScalar(value)) {
    return InvalidArgumentStrCat("Pad operation does not support non-scalar padding values; got ",
                                 Str(value), ".");
  }
  if (static_cast<int64_t>(padding.size()) != operand.rank()) {
    return InvalidArgumentStrCat(
        "The rank of the operand and the padding configuration do not match: ", Str(operand),
        " vs ", padding.size(), " dimensions of padding.");
  }
  if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(operand, value)) {
    return InvalidArgumentStrCat("The element types of the operands to Pad do not match: ",
                                 Str(operand), " and ", Str(value), ".");
  }
  Dims dims;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const PadDim& pad = padding[i];
    if (pad.interior < 0) {
      return InvalidArgument("Interior padding cannot be negative: %d in dimension %d.",
                             pad.interior, i);
    }
    Dim dim = DimOf(operand, i);
    if (!dim.IsUnbounded()) {
      const absl::int128 size = PaddedSize(dim.size, pad.low, pad.high, pad.interior);
      if (size < 0) return InvalidArgument("Padding result in negative size for dimension %d", i);
      const auto fitting = ToSize(size);
      if (!fitting.has_value())
        return InvalidArgument("Padding overflows the size of dimension %d.", i);
      dim.size = *fitting;
    }
    dims.Add(dim);
  }
  return dims.Make(ShapeUtil::HigherPrecisionElementType(operand, value));
}

Result InferReshape(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  XLA_RETURN_IF_ERROR(ExpectReshapable("reshape", Operand(in, 0), *declared));
  const int64_t inferred_dimension = Attrs<ReshapeAttributes>(in).inferred_dimension;
  if (inferred_dimension != -1 && !InRange(inferred_dimension, declared->rank())) {
    return InvalidArgumentStrCat("Reshape's inferred_dimension=", inferred_dimension,
                                 " is out of bounds for the result ", Str(*declared), ".");
  }
  return *declared;
}

Result InferReverse(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Int64s& dimensions = Attrs<DimensionListAttributes>(in).dimensions;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of reverse"));
  if (!AllUnique(dimensions)) {
    return InvalidArgumentStrCat("a dimension number is duplicated in reverse: {",
                                 Joined(dimensions), "}");
  }
  for (const int64_t dimension : dimensions) {
    if (!InRange(dimension, operand.rank())) {
      return InvalidArgumentStrCat("One of the reverse dimensions (", dimension,
                                   ") is out-of-bounds in shape ", Str(operand), ".");
    }
  }
  return operand;
}

Result InferSlice(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const std::vector<SliceDim>& slice = Attrs<SliceAttributes>(in).slice;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of slice"));
  if (static_cast<int64_t>(slice.size()) != operand.rank()) {
    return InvalidArgument("Slice index count does not match argument rank: %u vs %d.",
                           slice.size(), operand.rank());
  }
  Dims dims;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const SliceDim& s = slice[i];
    const Dim dim = DimOf(operand, i);
    const auto error = [&](const std::string& rule) { return SliceError(rule, operand, slice); };
    if (s.start < 0) return InvalidArgument("Negative start index to slice: %d.", s.start);
    if (!dim.IsUnbounded() && s.limit > dim.size) {
      return error(absl::StrCat("limit index (", s.limit,
                                ") must be less than or equal to dimension size (", dim.size, ")"));
    }
    if (s.start > s.limit) {
      return error(absl::StrCat("limit index (", s.limit,
                                ") must be greater or equal to start index (", s.start,
                                ") in slice with positive stride"));
    }
    if (s.stride <= 0) return InvalidArgument("Stride (%d) must be positive.", s.stride);
    const int64_t size = SliceSize(s.start, s.limit, s.stride);
    // A single element of a dynamic dimension is static, and so is a slice of an unbounded one.
    dims.Add({size, size != 1 && dim.dynamic && !dim.IsUnbounded()});
  }
  return dims.Make(operand.element_type());
}

Result InferTranspose(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const Int64s& dimensions = Attrs<DimensionListAttributes>(in).dimensions;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "transpose"));
  if (static_cast<int64_t>(dimensions.size()) != operand.rank() || !IsPermutation(dimensions)) {
    return InvalidArgumentStrCat(
        "Transpose dimensions [", Joined(dimensions),
        "] are not a permutation of the operand dimensions (operand shape is ", Str(operand), ").");
  }
  // The layout is permuted with the dimensions, so that the result can share the bytes of the
  // operand.
  return ShapeUtil::PermuteDimensions(dimensions, operand);
}

Result InferGetDimensionSize(const InferenceInput& in) {
  XLA_RETURN_IF_ERROR(SizedDimension(in, "GetDimensionSize").status());
  return ScalarShape(S32);
}

Result InferSetDimensionSize(const InferenceInput& in) {
  XLA_ASSIGN_OR_RETURN(const int64_t dimension, SizedDimension(in, "SetDimensionSize"));
  if (!ShapeUtil::IsScalarWithElementType(Operand(in, 1), S32)) {
    return InvalidArgumentStrCat("SetDimensionSize's value has to be S32 scalar, got ",
                                 Str(Operand(in, 1)));
  }
  Shape result = Operand(in, 0);
  result.set_dynamic_dimension(static_cast<int>(dimension), true);
  return result;
}

}  // namespace xla::shape_inference

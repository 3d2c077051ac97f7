// SPDX-License-Identifier: Apache-2.0
// Shape inference of map, reduce and scan, and the signature of reducers.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/reducer.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

bool SameTypeUpToPrecision(PrimitiveType a, PrimitiveType b) {
  return a == b ||
         (primitive_util::IsFloatingPointType(a) && primitive_util::IsFloatingPointType(b));
}

// Parts of a result: the elements of a tuple, or the one array.
std::vector<const Shape*> Parts(const Shape& shape) {
  std::vector<const Shape*> parts;
  if (!shape.IsTuple()) return {&shape};
  for (const Shape& element : shape.tuple_shapes()) parts.push_back(&element);
  return parts;
}

// The shape of a scan's input or output: the shape of an element with the scan dimension inserted.
absl::StatusOr<Shape> Stacked(const Shape& element, int64_t scan_dimension, Dim size) {
  if (!element.IsArray() || scan_dimension > element.rank()) {
    return InvalidArgumentStrCat("Scan cannot stack ", Str(element), " along dimension ",
                                 scan_dimension, ".");
  }
  Dims dims;
  for (int64_t i = 0; i <= element.rank(); ++i) {
    if (i == scan_dimension) dims.Add(size);
    if (i < element.rank()) dims.Add(DimOf(element, i));
  }
  return dims.Make(element.element_type());
}

}  // namespace

absl::Status CheckReducer(const ProgramShape& reducer, absl::Span<const PrimitiveType> init_types,
                          absl::Span<const PrimitiveType> element_types) {
  const size_t inputs = element_types.size();
  if (static_cast<size_t>(reducer.parameters_size()) != inputs * 2) {
    return InvalidArgument("Reduction function must take %u parameters, but takes %d parameter(s).",
                           inputs * 2, reducer.parameters_size());
  }
  const Shape& result = reducer.result();
  if (result.IsArray() && inputs != 1) {
    return InvalidArgument(
        "Reduction function must produce a tuple with %u elements, but produces a scalar", inputs);
  }
  if (result.IsTuple() && static_cast<size_t>(result.tuple_shapes_size()) != inputs) {
    return InvalidArgument(
        "Reduction function must produce a tuple with %u elements, but has %d elements", inputs,
        result.tuple_shapes_size());
  }
  if (!result.IsArray() && !result.IsTuple()) {
    return InvalidArgumentStrCat(
        "Reduction function must produce a scalar or tuple of scalars, but has shape: ",
        Str(result));
  }
  const std::vector<const Shape*> accumulators = Parts(result);
  for (const Shape* accumulator : accumulators) {
    if (!ShapeUtil::IsScalar(*accumulator)) {
      return InvalidArgumentStrCat(
          "Reduction function must return a scalar or tuple of scalars but returns shape: ",
          Str(result));
    }
  }
  for (size_t i = 0; i < inputs; ++i) {
    const int index = static_cast<int>(i);
    const int element_index = static_cast<int>(inputs + i);
    const Shape& accumulator = *accumulators[i];
    const Shape& element = reducer.parameters(element_index);
    if (!ShapeUtil::Compatible(accumulator, reducer.parameters(index))) {
      return InvalidArgumentStrCat("Reduction function's ", i,
                                   "-th parameter shape differs from the result shape: ",
                                   Str(reducer.parameters(index)), " vs ", Str(accumulator));
    }
    if (!SameTypeUpToPrecision(accumulator.element_type(), init_types[i])) {
      return InvalidArgumentStrCat("Reduction function's accumulator shape at index ", i,
                                   " differs from the init_value shape: ", Str(accumulator), " vs ",
                                   Str(ScalarShape(init_types[i])));
    }
    if (!ShapeUtil::IsScalar(element) ||
        !SameTypeUpToPrecision(element.element_type(), element_types[i])) {
      return InvalidArgumentStrCat("Reduction function's ", element_index,
                                   "-th parameter shape differs from the input type element type: ",
                                   Str(element), " vs ", Str(ScalarShape(element_types[i])));
    }
    if (!SameTypeUpToPrecision(accumulator.element_type(), element.element_type())) {
      return InvalidArgumentStrCat("Reduction function's ", element_index,
                                   "-th parameter shape must match the result shape, but got ",
                                   Str(element), " vs ", Str(accumulator), ".");
    }
  }
  return absl::OkStatus();
}

std::vector<PrimitiveType> AccumulatorTypes(const ProgramShape& reducer) {
  std::vector<PrimitiveType> types;
  for (const Shape* part : Parts(reducer.result())) types.push_back(part->element_type());
  return types;
}

Result InferMap(const InferenceInput& in) {
  const Int64s& dimensions = Attrs<MapAttributes>(in).dimensions;
  const ProgramShape& function = *in.callees[0];
  if (in.operands.empty()) return InvalidArgument("Map expects at least one argument.");
  XLA_RETURN_IF_ERROR(ExpectArray(Operand(in, 0), "operand of map"));
  const Shape& shape = Operand(in, 0);
  for (const Shape* operand : in.operands) {
    XLA_RETURN_IF_ERROR(ExpectArray(*operand, "operand of map"));
    if (!ShapeUtil::CompatibleIgnoringElementType(*operand, shape)) {
      return InvalidArgumentStrCat(
          "Map operation requires all operands to have the same shape; got: ", Str(shape), ", ",
          Str(*operand), ".");
    }
  }
  // All dimensions are mapped, whatever those of an instruction that exists say.
  if (in.declared == nullptr && static_cast<int64_t>(dimensions.size()) != shape.rank()) {
    return InvalidArgument(
        "Map applied to a subset of dimensions currently not supported: arg_dimension_size: %d, "
        "requested_map_dimensions_size: %u.",
        shape.rank(), dimensions.size());
  }
  for (size_t i = 0; in.declared == nullptr && i < dimensions.size(); ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) {
      return InvalidArgumentStrCat("Map requires monotonically increasing dimension numbers; got: ",
                                   Joined(dimensions), ".");
    }
  }
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  if (!ShapeUtil::IsScalar(function.result())) {
    return InvalidArgumentStrCat(
        "Mapped computation's result has to be a scalar; got: ", Str(function.result()), ".");
  }
  for (int i = 0; i < function.parameters_size(); ++i) {
    const Shape& parameter = function.parameters(i);
    if (!ShapeUtil::IsScalar(parameter)) {
      return InvalidArgumentStrCat(
          "Mapped computation's parameter has to be a scalar; got parameter ", i,
          " shape: ", Str(parameter), ".");
    }
    if (!ShapeUtil::SameElementTypeIgnoringFpPrecision(parameter, Operand(in, i))) {
      return InvalidArgumentStrCat(
          "Mapped computation's parameter type has to match argument element type; got parameter ",
          i, " shape: ", Str(parameter), ", argument shape: ", Str(Operand(in, i)), ".");
    }
  }
  return Dims(shape).Make(function.result().element_type());
}

Result InferReduce(const InferenceInput& in) {
  const Int64s& dimensions = Attrs<DimensionListAttributes>(in).dimensions;
  const ProgramShape& reducer = *in.callees[0];
  if (OperandCount(in) < 2) {
    return InvalidArgument("Reduce must have at least 2 arguments, has %d", OperandCount(in));
  }
  if (OperandCount(in) % 2 != 0) {
    return InvalidArgument("Reduce must have an even number of arguments, has %d",
                           OperandCount(in));
  }
  const int64_t inputs = OperandCount(in) / 2;
  const Shape& first = Operand(in, 0);
  std::vector<PrimitiveType> init_types, element_types;
  for (int64_t i = 0; i < inputs; ++i) {
    XLA_RETURN_IF_ERROR(ExpectArray(Operand(in, i), "operand of reduce"));
    if (!ShapeUtil::CompatibleIgnoringElementType(first, Operand(in, i))) {
      return InvalidArgumentStrCat(
          "All reduced tensors must have compatible dimension. Tensor at index 0 has shape ",
          Str(first), ", and tensor at index ", i, " has shape ", Str(Operand(in, i)), ".");
    }
    const Shape& init = Operand(in, inputs + i);
    if (!ShapeUtil::IsScalar(init)) {
      return InvalidArgumentStrCat("Initial values of reduce must be scalars; init_value ", i,
                                   " has shape: ", Str(init), ".");
    }
    element_types.push_back(Operand(in, i).element_type());
    init_types.push_back(init.element_type());
  }
  for (const int64_t dimension : dimensions) {
    if (!InRange(dimension, first.rank())) {
      return InvalidArgumentStrCat("Reducing out-of-bounds dimension ", dimension, " in shape ",
                                   Str(first), ".");
    }
  }
  XLA_RETURN_IF_ERROR(CheckReducer(reducer, init_types, element_types));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (Contains(absl::MakeConstSpan(dimensions).first(i), dimensions[i])) {
      return InvalidArgumentStrCat("Duplicate reduction dimension: ", dimensions[i]);
    }
  }
  const std::vector<bool> reduced = Membership(dimensions, first.rank());
  Dims kept;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (reduced[d]) continue;
    Dim dim = DimOf(first, d);
    for (int64_t i = 1; i < inputs; ++i) {
      XLA_ASSIGN_OR_RETURN(dim, MergeDims(d, dim, DimOf(Operand(in, i), d)));
    }
    kept.Add(dim);
  }
  std::vector<Shape> results;
  for (const PrimitiveType type : AccumulatorTypes(reducer)) {
    XLA_ASSIGN_OR_RETURN(Shape result, kept.Make(type));
    results.push_back(std::move(result));
  }
  if (!reducer.result().IsTuple()) return std::move(results[0]);
  return ShapeUtil::MakeTupleShape(std::move(results));
}

Result InferScan(const InferenceInput& in) {
  const auto& attributes = Attrs<ScanAttributes>(in);
  const ProgramShape& function = *in.callees[0];
  const int64_t carries = attributes.num_carries;
  if (carries < 0 || carries > OperandCount(in)) {
    return InvalidArgument("Scan has %d carries but only %d operands.", carries, OperandCount(in));
  }
  const int64_t inputs = OperandCount(in) - carries;
  if (inputs == 0) return InvalidArgument("Scan expects at least one input.");
  if (attributes.dimensions.size() != 1) {
    return InvalidArgument("Scan expects exactly one dimension; got %u.",
                           attributes.dimensions.size());
  }
  const int64_t along = attributes.dimensions[0];
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  const std::vector<const Shape*> parts = Parts(function.result());
  const int64_t outputs = static_cast<int64_t>(parts.size()) - carries;
  if (outputs < 0) {
    return InvalidArgument("Scan function must return the %d carries, but returns %u values.",
                           carries, parts.size());
  }
  Dim size = Dim::Unbounded();
  for (int64_t i = 0; i < inputs; ++i) {
    const Shape& input = Operand(in, i);
    XLA_RETURN_IF_ERROR(ExpectArray(input, "operand of scan"));
    if (!InRange(along, input.rank())) {
      return InvalidArgumentStrCat("Scan dimension ", along, " is out of bounds for ", Str(input),
                                   ".");
    }
    XLA_ASSIGN_OR_RETURN(size, MergeDims(along, size, DimOf(input, along)));
    XLA_ASSIGN_OR_RETURN(const Shape expected, Stacked(function.parameters(static_cast<int>(i)),
                                                       along, DimOf(input, along)));
    if (!ShapeUtil::CompatibleIgnoringFpPrecision(expected, input)) {
      return InvalidArgumentStrCat(
          "Scan function's parameter ", i, " is ", Str(function.parameters(static_cast<int>(i))),
          ", which is not an element of the input ", Str(input), " along dimension ", along, ".");
    }
  }
  for (int64_t i = 0; i < carries; ++i) {
    const Shape& init = Operand(in, inputs + i);
    const Shape& parameter = function.parameters(static_cast<int>(inputs + i));
    const Shape& carry = *parts[outputs + i];
    if (!ShapeUtil::CompatibleIgnoringFpPrecision(init, parameter) ||
        !ShapeUtil::Compatible(parameter, carry)) {
      return InvalidArgumentStrCat("Carry ", i, " of scan must have one shape; got initial value ",
                                   Str(init), ", parameter ", Str(parameter), " and result ",
                                   Str(carry), ".");
    }
  }
  std::vector<Shape> results;
  for (int64_t i = 0; i < outputs; ++i) {
    XLA_ASSIGN_OR_RETURN(Shape stacked, Stacked(*parts[i], along, size));
    results.push_back(std::move(stacked));
  }
  for (int64_t i = 0; i < carries; ++i) results.push_back(*parts[outputs + i]);
  if (!function.result().IsTuple()) return std::move(results[0]);
  return ShapeUtil::MakeTupleShape(std::move(results));
}

}  // namespace xla::shape_inference

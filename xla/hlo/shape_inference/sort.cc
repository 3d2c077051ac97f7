// SPDX-License-Identifier: Apache-2.0
// Shape inference of sort and topk.
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/infer_util.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::shape_inference {

Result InferSort(const InferenceInput& in) {
  const Int64s& dimensions = Attrs<SortAttributes>(in).dimensions;
  const ProgramShape& compare = *in.callees[0];
  if (in.operands.empty())
    return InvalidArgument("Expected at least 1 operand for sort instruction.");
  const Shape& keys = Operand(in, 0);
  std::vector<Shape> results;
  for (int64_t i = 0; i < OperandCount(in); ++i) {
    const Shape& operand = Operand(in, i);
    XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of sort"));
    if (!ShapeUtil::CompatibleIgnoringElementType(keys, operand)) {
      return InvalidArgumentStrCat(
          "Sort keys and values dimensions must match. Keys shape is: ", Str(keys),
          ", Values shape (operand index ", i, ") is: ", Str(operand));
    }
    results.push_back(operand);
  }
  if (dimensions.size() != 1) {
    return InvalidArgument("Sort expects exactly one dimension; got %u.", dimensions.size());
  }
  if (!InRange(dimensions[0], keys.rank())) {
    return InvalidArgument(
        "Expected the sort_dimension %d of sort to be smaller than the rank %d of the operand(s).",
        dimensions[0], keys.rank());
  }
  XLA_RETURN_IF_ERROR(CheckPredResult(in, 0));
  XLA_RETURN_IF_ERROR(CheckParameterCount(in, 0));
  for (int i = 0; i < compare.parameters_size(); ++i) {
    const Shape& parameter = compare.parameters(i);
    const Shape& operand = Operand(in, i / 2);
    if (!ShapeUtil::IsScalar(parameter) ||
        !ShapeUtil::SameElementTypeIgnoringFpPrecision(parameter, operand)) {
      return InvalidArgumentStrCat(
          "Expected the ", i, "-th parameter of the compare computation of sort to have shape ",
          Str(ScalarShape(operand.element_type())), ", but got ", Str(parameter));
    }
  }
  return MaybeTuple(std::move(results));
}

Result InferTopK(const InferenceInput& in) {
  const Shape& operand = Operand(in, 0);
  const int64_t k = Attrs<TopKAttributes>(in).k;
  XLA_RETURN_IF_ERROR(ExpectArray(operand, "operand of top-k operation"));
  if (operand.rank() < 1) return InvalidArgument("TopK of a scalar is not defined.");
  const int64_t last = operand.rank() - 1;
  const Dim sorted = DimOf(operand, last);
  if (k < 0) return InvalidArgument("TopK expects k >= 0; got %d.", k);
  if (!sorted.IsUnbounded() && k > sorted.size) {
    return InvalidArgument("k=%d is larger than the last dimension of size=%d", k, sorted.size);
  }
  Dims dims(operand);
  dims.Set(last, {k, false});
  XLA_ASSIGN_OR_RETURN(Shape values, dims.Make(operand.element_type()));
  XLA_ASSIGN_OR_RETURN(Shape positions, dims.Make(S32));
  return ShapeUtil::MakeTupleShape(std::vector<Shape>{std::move(values), std::move(positions)});
}

}  // namespace xla::shape_inference

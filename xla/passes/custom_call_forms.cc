// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/custom_call_forms.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/types/span.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool HasShapeOfOnlyOperand(const HloInstruction& call) {
  return call.operand_count() == 1 && ShapeUtil::Compatible(call.operand(0)->shape(), call.shape());
}

// Text or JSON: reduction_dim = 1 : i64, "reduction_dim": 1. -1 if it is not there.
int64_t ReductionDimension(absl::string_view config) {
  const size_t found = config.find("reduction_dim");
  if (found == absl::string_view::npos) return -1;
  const size_t begin = config.find_first_of("0123456789-", found);
  if (begin == absl::string_view::npos) return -1;
  const size_t end = std::min(config.find_first_not_of("0123456789", begin), config.size());
  int64_t dimension;
  return absl::SimpleAtoi(config.substr(begin, end - begin), &dimension) ? dimension : -1;
}

}  // namespace

absl::string_view FaultOfAnnotation(const HloInstruction& call) {
  if (HasShapeOfOnlyOperand(call)) return "";
  return "the program is not partitioned: the result must have the shape of the only operand";
}

absl::string_view FaultOfLayoutConstraint(const HloInstruction& call) {
  return HasShapeOfOnlyOperand(call) ? "" : "the result must have the shape of the only operand";
}

absl::string_view FaultOfPin(const HloInstruction& call) {
  const auto is_same = Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer();
  if (call.operand_count() == 1 && call.operand(0)->shape().IsArray() &&
      is_same(call.operand(0)->shape(), call.shape())) {
    return "";
  }
  return "the result must have the shape of the only operand, an array";
}

absl::string_view FaultOfCreateBuffer(const HloInstruction& call) {
  if (call.operand_count() == 0 && call.shape().IsArray()) return "";
  return "CreateBuffer takes nothing and makes an array";
}

absl::string_view FaultOfControlDep(const HloInstruction& call) {
  return ShapeUtil::IsEmptyTuple(call.shape()) ? "" : "control_dep has no results";
}

absl::string_view FaultOfTopK(const HloInstruction& call) {
  if (call.operand_count() != 1 || !call.operand(0)->shape().IsArray() ||
      call.operand(0)->shape().rank() < 1) {
    return "TopK takes one array of at least one dimension";
  }
  const Shape &operand = call.operand(0)->shape(), &result = call.shape();
  if (!result.IsTuple() || result.tuple_shapes_size() != 2)
    return "the result of TopK is a tuple of values and indices";
  const Shape &values = result.tuple_shapes(0), &indices = result.tuple_shapes(1);
  const absl::Span<const int64_t> sizes = operand.dimensions();
  const auto fits = [&](const Shape& shape) {
    return shape.IsArray() && shape.rank() == operand.rank() &&
           shape.dimensions().subspan(0, sizes.size() - 1) == sizes.subspan(0, sizes.size() - 1) &&
           shape.dimensions().back() <= sizes.back();
  };
  if (fits(values) && fits(indices) && values.dimensions().back() == indices.dimensions().back() &&
      values.element_type() == operand.element_type()) {
    return "";
  }
  return "the results of TopK have the sizes of the operand, but for the last dimension";
}

absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call) {
  const int64_t count = call.operand_count() / 2;
  const Shape& result = call.shape();
  if (count < 1 || call.operand_count() % 2 != 0 || call.called_computations().size() != 1 ||
      !result.IsTuple() || result.tuple_shapes_size() != count) {
    return absl::InvalidArgumentError(
        "ApproxTopK takes arrays, an initial value for each and a computation that compares, and "
        "makes a tuple of as many arrays");
  }
  const Shape& first = call.operand(0)->shape();
  const int64_t dimension = ReductionDimension(call.extras().backend_config);
  if (!first.IsArray() || dimension < 0 || dimension >= first.rank()) {
    return absl::InvalidArgumentError("ApproxTopK needs the attribute reduction_dim, a dimension");
  }
  const auto d = static_cast<int>(dimension);
  for (int i = 0; i < count; ++i) {
    const Shape &array = call.operand(i)->shape(), &part = result.tuple_shapes(i);
    Shape expected = array;
    const bool fits = part.IsArray() && ShapeUtil::SameDimensions(array, first) &&
                      part.rank() == first.rank() && part.dimensions(d) <= first.dimensions(d);
    if (fits) expected.set_dimensions(d, part.dimensions(d));
    if (!fits || !ShapeUtil::Compatible(expected, part)) {
      return absl::InvalidArgumentError(
          "the results of ApproxTopK are parts of the arrays along reduction_dim");
    }
  }
  return dimension;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/custom_call_forms.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "xla/primitive_util.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

bool HasShapeOfOnlyOperand(const HloInstruction& call) {
  return call.operand_count() == 1 && ShapeUtil::Compatible(call.operand(0)->shape(), call.shape());
}

// Whether the shape is that of matrices [.., rows, columns] of numbers of at least 16 bits.
bool IsMatrix(const Shape& shape) {
  constexpr PrimitiveType kTypes[] = {F16, BF16, F32, F64, C64, C128};
  return shape.IsArray() && shape.is_static() && shape.rank() >= 2 &&
         std::find(std::begin(kTypes), std::end(kTypes), shape.element_type()) != std::end(kTypes);
}

Shape WithoutDimension(const Shape& shape, int64_t dimension) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + dimension);
  return Shape(shape.element_type(), sizes);
}

// Reads text or JSON: reduction_dim = 1 : i64, "reduction_dim": 1. Returns -1 if it is missing.
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

absl::string_view ErrorOfAnnotation(const HloInstruction& call) {
  if (HasShapeOfOnlyOperand(call)) return "";
  return "the program is not partitioned: the result must have the shape of the only operand";
}

absl::string_view ErrorOfLayoutConstraint(const HloInstruction& call) {
  return HasShapeOfOnlyOperand(call) ? "" : "the result must have the shape of the only operand";
}

absl::string_view ErrorOfPin(const HloInstruction& call) {
  const auto is_same = Shape::Equal().IgnoreDynamicDimension().IgnoreLayout().IgnoreBuffer();
  if (call.operand_count() == 1 && call.operand(0)->shape().IsArray() &&
      is_same(call.operand(0)->shape(), call.shape())) {
    return "";
  }
  return "the result must have the shape of the only operand, an array";
}

absl::string_view ErrorOfCreateBuffer(const HloInstruction& call) {
  if (call.operand_count() == 0 && call.shape().IsArray()) return "";
  return "CreateBuffer takes nothing and makes an array";
}

absl::string_view ErrorOfNoResults(const HloInstruction& call) {
  if (ShapeUtil::IsEmptyTuple(call.shape())) return "";
  return call.custom_call_target() == "dce_sink" ? "dce_sink has no results"
                                                 : "control_dep has no results";
}

absl::string_view ErrorOfTopK(const HloInstruction& call) {
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

absl::string_view ErrorOfQr(const HloInstruction& call) {
  if (call.operand_count() != 1 || !IsMatrix(call.operand(0)->shape()))
    return "Qr takes one array of matrices, floating-point or complex, of static sizes";
  const Shape& operand = call.operand(0)->shape();
  const int rank = static_cast<int>(operand.rank());
  Shape taus = WithoutDimension(operand, rank - 2);
  taus.set_dimensions(rank - 2,
                      std::min(operand.dimensions(rank - 2), operand.dimensions(rank - 1)));
  const Shape& result = call.shape();
  if (result.IsTuple() && result.tuple_shapes_size() == 2 &&
      ShapeUtil::Compatible(result.tuple_shapes(0), operand) &&
      ShapeUtil::Compatible(result.tuple_shapes(1), taus)) {
    return "";
  }
  return "the results of Qr are matrices like the operand and a row of taus for each";
}

absl::string_view ErrorOfHouseholderProduct(const HloInstruction& call) {
  if (call.operand_count() != 2 || !IsMatrix(call.operand(0)->shape()) ||
      !call.operand(1)->shape().IsArray() || !call.operand(1)->shape().is_static()) {
    return "ProductOfElementaryHouseholderReflectors takes an array of matrices, floating-point or "
           "complex, and their taus, of static sizes";
  }
  const Shape &a = call.operand(0)->shape(), &taus = call.operand(1)->shape();
  const int rank = static_cast<int>(a.rank());
  if (taus.rank() == a.rank() - 1) {
    Shape expected = WithoutDimension(a, rank - 2);
    expected.set_dimensions(rank - 2, taus.dimensions(rank - 2));
    if (ShapeUtil::Compatible(expected, taus) && ShapeUtil::Compatible(a, call.shape()) &&
        a.dimensions(rank - 2) >= a.dimensions(rank - 1) &&
        a.dimensions(rank - 1) >= taus.dimensions(rank - 2)) {
      return "";
    }
  }
  return "the matrices have at least as many rows as columns and as many columns as taus, and the "
         "result has their shape";
}

absl::StatusOr<EighConfig> EighConfigOf(const HloInstruction& call) {
  const auto error = [](absl::string_view why) { return absl::InvalidArgumentError(why); };
  if (call.operand_count() != 1 || !IsMatrix(call.operand(0)->shape()))
    return error("Eigh takes one array of matrices, floating-point or complex, of static sizes");
  const Shape& operand = call.operand(0)->shape();
  const int rank = static_cast<int>(operand.rank());
  if (operand.dimensions(rank - 2) != operand.dimensions(rank - 1))
    return error("the matrices of Eigh are square");
  Shape values = WithoutDimension(operand, rank - 2);
  if (primitive_util::IsComplexType(operand.element_type()))
    values.set_element_type(primitive_util::ComplexComponentType(operand.element_type()));
  const Shape& result = call.shape();
  if (!result.IsTuple() || result.tuple_shapes_size() != 2 ||
      !ShapeUtil::Compatible(result.tuple_shapes(0), operand) ||
      !ShapeUtil::Compatible(result.tuple_shapes(1), values)) {
    return error("the results of Eigh are matrices like the operand and real eigenvalues of each");
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(call.extras().backend_config, ',');
  EighConfig config;
  int lower, sorts;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[0], &lower) ||
      !absl::SimpleAtoi(parts[1], &sorts) || !absl::SimpleAtoi(parts[2], &config.most_sweeps) ||
      !absl::SimpleAtof(parts[3], &config.tolerance)) {
    return error("the backend_config of Eigh is \"lower,sort,sweeps,tolerance\"");
  }
  config.lower = lower != 0;
  config.sorts = sorts != 0;
  return config;
}

absl::StatusOr<int64_t> ApproxTopKDimension(const HloInstruction& call) {
  const int64_t count = call.operand_count() / 2;
  const Shape& result = call.shape();
  if (count < 1 || call.operand_count() % 2 != 0 || call.called_computations().size() != 1 ||
      !result.IsTuple() || result.tuple_shapes_size() != count) {
    return absl::InvalidArgumentError(
        "ApproxTopK takes arrays, an initial value for each and a computation that compares, and "
        "returns a tuple of as many arrays");
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
          "the results of ApproxTopK must be parts of the arrays along reduction_dim");
    }
  }
  const HloComputation& compare = *call.called_computations()[0];
  bool fits = compare.num_parameters() == 2 * count &&
              ShapeUtil::Compatible(compare.root_instruction()->shape(), Shape(PRED, {}));
  for (int64_t i = 0; fits && i < 2 * count; ++i) {
    const Shape element(call.operand(i / 2)->shape().element_type(), {});
    fits = ShapeUtil::CompatibleIgnoringFpPrecision(compare.parameter_instruction(i)->shape(),
                                                    element);
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        "the computation of ApproxTopK takes two elements of each array and returns pred[]");
  }
  return dimension;
}

}  // namespace xla

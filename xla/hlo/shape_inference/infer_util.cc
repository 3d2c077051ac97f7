// SPDX-License-Identifier: Apache-2.0
// Helpers of the shape inference rules.
#include "xla/hlo/shape_inference/infer_util.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::shape_inference {
namespace {

// Longer text is truncated, so that messages stay readable and cheap for huge tuples.
constexpr size_t kLongestText = 400;

std::string Cut(std::string text) {
  if (text.size() > kLongestText) {
    text.resize(kLongestText);
    text += "...";
  }
  return text;
}

}  // namespace

bool AllInRange(absl::Span<const int64_t> dimensions, int64_t rank) {
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [&](int64_t d) { return InRange(d, rank); });
}

bool AllUnique(absl::Span<const int64_t> dimensions) {
  if (dimensions.size() <= 8) {
    for (size_t i = 1; i < dimensions.size(); ++i) {
      if (Contains(dimensions.first(i), dimensions[i])) return false;
    }
    return true;
  }
  absl::flat_hash_set<int64_t> seen(dimensions.begin(), dimensions.end());
  return seen.size() == dimensions.size();
}

bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
}

std::vector<bool> Membership(absl::Span<const int64_t> dimensions, int64_t rank) {
  std::vector<bool> result(rank, false);
  for (const int64_t dimension : dimensions) {
    if (InRange(dimension, rank)) result[dimension] = true;
  }
  return result;
}

std::string Joined(absl::Span<const int64_t> values) { return Cut(absl::StrJoin(values, ",")); }

std::string Str(const Shape& shape) { return Cut(shape.ToString()); }
std::string Str(const ProgramShape& signature) { return Cut(signature.ToString()); }
std::string TypeName(PrimitiveType type) { return PrimitiveType_Name(type); }

absl::Status ExpectArray(const Shape& shape, absl::string_view what) {
  if (shape.IsArrayExcludingBuffer()) return absl::OkStatus();
  return InvalidArgumentStrCat("Expected array argument for ", what, ", but got ", Str(shape), ".");
}

Dims::Dims(const Shape& shape)
    : sizes_(shape.dimensions().begin(), shape.dimensions().end()),
      dynamic_(shape.dynamic_dimensions().begin(), shape.dynamic_dimensions().end()) {}

absl::StatusOr<Shape> Dims::Make(PrimitiveType type) const {
  return ShapeUtil::MakeValidatedShape(type, sizes_, dynamic_);
}

absl::StatusOr<Shape> WithElementType(const Shape& shape, PrimitiveType type) {
  if (!primitive_util::IsArrayType(type)) {
    return InvalidArgumentStrCat("Arrays cannot have elements of type ", TypeName(type), ".");
  }
  return ShapeUtil::ChangeElementType(shape, type);
}

Shape ScalarShape(PrimitiveType type) { return ShapeUtil::MakeScalarShape(type); }

absl::StatusOr<Dim> MergeDims(int64_t dimension, Dim a, Dim b) {
  if (a.IsUnbounded()) return b;
  if (b.IsUnbounded()) return a;
  if (a.size == b.size) return Dim{a.size, a.dynamic || b.dynamic};
  if (a.dynamic && b.dynamic) {
    return InvalidArgument("Mismatched bound sizes %d and %d in dimension %d", a.size, b.size,
                           dimension);
  }
  return InvalidArgument("Mismatched dimension sizes %d and %d in dimension %d", a.size, b.size,
                         dimension);
}

absl::StatusOr<const Shape*> Declared(const InferenceInput& in) {
  if (in.declared != nullptr) return in.declared;
  return InvalidArgumentStrCat("The result shape of ", OpName(in.opcode),
                               " does not follow from its operands; it must be given.");
}

absl::StatusOr<Shape> DeclaredMustBe(const InferenceInput& in, const Shape& inferred) {
  XLA_ASSIGN_OR_RETURN(const Shape* declared, Declared(in));
  if (!ShapeUtil::Compatible(*declared, inferred)) {
    return InvalidArgumentStrCat("Expected instruction to have shape equal to ", Str(inferred),
                                 ", actual shape is ", Str(*declared));
  }
  return *declared;
}

bool AcceptsType(uint32_t traits, PrimitiveType type) {
  using namespace op_traits;  // NOLINT: the traits are named without prefix, as in the table
  if ((traits & kAllElementTypes) == 0) return true;
  uint32_t needed = 0;
  if (type == PRED) {
    needed = kOnPred;
  } else if (primitive_util::IsSignedIntegralType(type)) {
    needed = kOnSigned;
  } else if (primitive_util::IsUnsignedIntegralType(type)) {
    needed = kOnUnsigned;
  } else if (primitive_util::IsFloatingPointType(type)) {
    needed = kOnFloat;
  } else if (primitive_util::IsComplexType(type)) {
    needed = kOnComplex;
  }
  return (traits & needed) != 0;
}

std::string AcceptedTypes(uint32_t traits) {
  using namespace op_traits;  // NOLINT
  std::vector<absl::string_view> names;
  if ((traits & kOnPred) != 0) names.push_back("pred");
  if ((traits & kIntegers) == kIntegers) {
    names.push_back("integral");
  } else if ((traits & kOnSigned) != 0) {
    names.push_back("signed integral");
  } else if ((traits & kOnUnsigned) != 0) {
    names.push_back("unsigned integral");
  }
  if ((traits & kOnFloat) != 0) names.push_back("floating");
  if ((traits & kOnComplex) != 0) names.push_back("complex");
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const absl::string_view separator = i == 0 ? "" : i + 1 < names.size() ? ", " : " or ";
    absl::StrAppend(&text, separator, names[i]);
  }
  return text;
}

Shape MaybeTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes[0]);
  return ShapeUtil::MakeTupleShape(std::move(shapes));
}

}  // namespace xla::shape_inference

// SPDX-License-Identifier: Apache-2.0
#include "tools/differences.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool IsNan(complex128 x) { return std::isnan(x.real()) || std::isnan(x.imag()); }

double DistanceOfReals(double a, double b) {
  if (a == b) return 0;
  const double distance = std::fabs(a - b);
  return std::isnan(distance) ? kInfinity : distance;
}

// Row-major and static. `copy` holds it unless the array is already.
LiteralSlice Dense(const LiteralSlice& array, Literal& copy) {
  const bool row_major = LayoutUtil::IsMonotonicWithDim0Major(array.shape().layout());
  if (row_major && array.shape().is_static()) return array;
  copy = array.shape().is_static() ? array.Clone() : array.ToStatic();
  if (!LayoutUtil::IsMonotonicWithDim0Major(copy.shape().layout()))
    copy = copy.Relayout(LayoutUtil::GetDefaultLayoutForShape(copy.shape()));
  return LiteralSlice(copy);
}

std::vector<int64_t> IndexOf(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int64_t d = shape.rank(); d-- > 0;) {
    index[static_cast<size_t>(d)] = linear % shape.dimensions(static_cast<int>(d));
    linear /= shape.dimensions(static_cast<int>(d));
  }
  return index;
}

// A place, by its number in row-major order, and the error there.
struct Place {
  int64_t linear = -1;
  double error = 0;
};

// Of integers and predicates: the first element whose bytes differ.
Place FirstDifferent(const char* a, const char* b, int64_t count, int64_t width) {
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(a + i * width, b + i * width, static_cast<size_t>(width)) != 0)
      return {i, kInfinity};
  }
  return {};
}

Place MostDifferent(PrimitiveType type, const char* a, const char* b, int64_t count, int64_t width,
                    double limit) {
  // Widened a block at a time: arrays may be large.
  constexpr int64_t kBlock = 4096;
  std::vector<complex128> x(static_cast<size_t>(std::min(count, kBlock))), y(x.size());
  double largest = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    ConvertElements(type, b + begin * width, C128, y.data(), n);
    for (int64_t i = 0; i < n; ++i) {
      const double magnitude = std::abs(y[static_cast<size_t>(i)]);
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
  }
  const double unit = largest > 0 ? largest : 1;
  Place worst;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    ConvertElements(type, a + begin * width, C128, x.data(), n);
    ConvertElements(type, b + begin * width, C128, y.data(), n);
    for (int64_t i = 0; i < n; ++i) {
      const double error = DistanceOf(x[static_cast<size_t>(i)], y[static_cast<size_t>(i)]) / unit;
      if (error > limit && error > worst.error) worst = {begin + i, error};
    }
  }
  return worst;
}

}  // namespace

double DistanceOf(complex128 a, complex128 b) {
  if (IsNan(a) && IsNan(b)) return 0;
  return std::hypot(DistanceOfReals(a.real(), b.real()), DistanceOfReals(a.imag(), b.imag()));
}

std::string Difference::ToString(const std::string& first_name,
                                 const std::string& second_name) const {
  std::string out = absl::StrCat("at [", absl::StrJoin(index, ","), "]: ", first_name, " ", first,
                                 ", ", second_name, " ", second);
  if (std::isfinite(error)) absl::StrAppendFormat(&out, ", %.3g of the largest element", error);
  return out;
}

std::optional<Difference> FindDifference(const LiteralSlice& first, const LiteralSlice& second,
                                         double limit) {
  for (int64_t d = 0; d < second.shape().rank(); ++d) {
    const int32_t a = first.GetDynamicSize(d), b = second.GetDynamicSize(d);
    if (a == b) continue;
    return Difference{0, {}, absl::StrCat("size ", a), absl::StrCat("size ", b), kInfinity};
  }
  Literal first_copy, second_copy;
  const LiteralSlice a = Dense(first, first_copy), b = Dense(second, second_copy);
  const PrimitiveType type = b.shape().element_type();
  const int64_t count = ShapeUtil::ElementsIn(b.shape());
  const int64_t width = ShapeUtil::ByteSizeOfPrimitiveType(type);
  const auto* const x = static_cast<const char*>(a.untyped_data());
  const auto* const y = static_cast<const char*>(b.untyped_data());
  const bool is_inexact =
      primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
  const Place place = is_inexact ? MostDifferent(type, x, y, count, width, limit)
                                 : FirstDifferent(x, y, count, width);
  if (place.linear < 0) return std::nullopt;
  const std::vector<int64_t> index = IndexOf(b.shape(), place.linear);
  return Difference{0, index, a.GetAsString(index), b.GetAsString(index), place.error};
}

absl::StatusOr<std::optional<Difference>> FindDifference(const Literal& first,
                                                         const Literal& second,
                                                         absl::Span<const ExpectedError> errors) {
  const auto leaves = ShapeUtil::GetLeafShapes(second.shape());
  if (!ShapeUtil::Compatible(first.shape(), second.shape()) || errors.size() != leaves.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a value of shape ", first.shape().ToString(),
                                                   " is compared with one of shape ",
                                                   second.shape().ToString()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].shape.IsArray()) continue;
    std::optional<Difference> difference =
        FindDifference(LiteralSlice(first, leaves[i].index), LiteralSlice(second, leaves[i].index),
                       errors[i].OfElements(leaves[i].shape.element_type()));
    if (!difference.has_value()) continue;
    difference->leaf = i;
    return difference;
  }
  return std::optional<Difference>();
}

}  // namespace xla

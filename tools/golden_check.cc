// SPDX-License-Identifier: Apache-2.0
#include "tools/golden_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/differences.h"
#include "tools/draw.h"
#include "xla/base/status_macros.h"
#include "xla/element_convert.h"
#include "xla/layout_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

struct SampleComparison {
  double worst = 0;  // largest difference of a sample, relative to the array's largest element
  int64_t worst_index = -1;
  double sum = 0;     // relative difference of the sums of absolute values
  int64_t wrong = 0;  // samples that are not equal
};

// An element as an integer: exact for integers of all types.
int64_t AsInteger(PrimitiveType type, const char* element) {
  int64_t value;
  ConvertElements(type, element, type == U64 ? U64 : S64, &value, 1);
  return value;
}

absl::StatusOr<SampleComparison> Compare(const LiteralSlice& actual, const GoldenOutput& golden) {
  Literal relayouted;  // elements are counted in row-major order
  if (!LayoutUtil::IsMonotonicWithDim0Major(actual.shape().layout())) {
    relayouted = actual.Relayout(LayoutUtil::GetDefaultLayoutForShape(actual.shape()));
  }
  const char* elements = static_cast<const char*>(
      relayouted.shape().IsArray() ? relayouted.untyped_data() : actual.untyped_data());
  const PrimitiveType type = actual.shape().element_type();
  const bool is_integer = UnitRoundoff(type) == 0;
  const int64_t count = ShapeUtil::ElementsIn(actual.shape());
  const int64_t width = ShapeUtil::ByteSizeOfPrimitiveType(type);
  // Widened a block at a time: arrays may be large.
  constexpr int64_t kBlock = 4096;
  std::vector<complex128> wide(std::min(count, kBlock));
  double l1 = 0, linf = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t n = std::min(kBlock, count - begin);
    ConvertElements(type, elements + begin * width, C128, wide.data(), n);
    for (const complex128& value : absl::MakeConstSpan(wide.data(), n)) {
      const double magnitude = value.imag() == 0 ? std::fabs(value.real()) : std::abs(value);
      l1 += magnitude;
      linf = std::max(linf, magnitude);
    }
  }
  constexpr double kLeast = std::numeric_limits<double>::min();
  const double scale = std::max(golden.linf, kLeast);
  const auto relative = [&](double a, double b, double unit) { return DistanceOf(a, b) / unit; };
  SampleComparison result;
  result.worst = relative(linf, golden.linf, scale);
  result.sum = relative(l1, golden.l1, std::max(golden.l1, kLeast));
  for (const GoldenSample& sample : golden.samples) {
    const char* element = elements + sample.index * width;
    complex128 got;
    ConvertElements(type, element, C128, &got, 1);
    const double distance = DistanceOf(got, sample.value);
    const bool equal = is_integer ? AsInteger(type, element) == sample.integer : distance == 0;
    if (equal) continue;
    ++result.wrong;
    const double error = distance / scale;
    if (error > result.worst) {
      result.worst = error;
      result.worst_index = sample.index;
    }
  }
  return result;
}

// What a result must hold to pass.
struct Limits {
  double worst = 0, sum = 0;
  int64_t wrong = 0;  // samples; floating-point types are not counted
};

Limits LimitsFor(const ExpectedError& error, const GoldenOutput& golden) {
  const PrimitiveType type = golden.shape.element_type();
  Limits limits;
  // Sums of the same numbers differ by how they are added up.
  const auto count = static_cast<double>(ShapeUtil::ElementsIn(golden.shape));
  if (UnitRoundoff(type) > 0) limits.sum = count * UnitRoundoff(F64);
  if (error.exact()) return limits;
  if (UnitRoundoff(type) > 0) {
    limits.worst = error.OfElements(type);
    // Recorded sums are of f32 or wider.
    limits.sum = std::max(error.OfSum(ShapeUtil::ElementsIn(golden.shape)), UnitRoundoff(F32));
    limits.wrong = static_cast<int64_t>(golden.samples.size());
    return limits;
  }
  // Integers that inexact numbers decide: a rounding may tip one in fifty.
  limits.worst = std::numeric_limits<double>::infinity();
  limits.sum = 1e-4;
  limits.wrong = std::max<int64_t>(1, static_cast<int64_t>(golden.samples.size()) / 50);
  return limits;
}

}  // namespace

absl::StatusOr<CheckOutcome> CompareWithGolden(const Literal& result,
                                               absl::Span<const ExpectedError> errors,
                                               const Golden& golden) {
  CheckOutcome outcome;
  const std::vector<ShapeUtil::IndexedShape> leaves = ShapeUtil::GetLeafShapes(result.shape());
  if (leaves.size() != golden.outputs.size() || errors.size() != leaves.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the program returns ", leaves.size(), " arrays; golden.json has ", golden.outputs.size()));
  }
  outcome.passed = true;
  double nearest = -1;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const GoldenOutput& expected = golden.outputs[i];
    if (!ShapeUtil::Compatible(expected.shape, leaves[i].shape)) {
      return absl::InvalidArgumentError(
          absl::StrCat("output ", i, " is ", leaves[i].shape.ToString(), "; golden.json has ",
                       expected.shape.ToString()));
    }
    XLA_ASSIGN_OR_RETURN(const SampleComparison comparison,
                         Compare(LiteralSlice(result, leaves[i].index), expected));
    const Limits limits = LimitsFor(errors[i], expected);
    const double share = comparison.worst == 0 ? 0
                         : limits.worst == 0   ? std::numeric_limits<double>::infinity()
                                               : comparison.worst / limits.worst;
    if (share > nearest) {
      nearest = share;
      outcome.worst = comparison.worst;
      outcome.limit = limits.worst;
    }
    const bool good = comparison.worst <= limits.worst && comparison.sum <= limits.sum &&
                      comparison.wrong <= limits.wrong;
    if (good || !outcome.passed) continue;
    outcome.passed = false;
    outcome.detail = absl::StrFormat(
        "output %d: largest error %.3g at index %d, limit %.3g; error of the sum %.3g, limit %.3g; "
        "%d of %d samples differ",
        i, comparison.worst, comparison.worst_index, limits.worst, comparison.sum, limits.sum,
        comparison.wrong, expected.samples.size());
  }
  return outcome;
}

absl::StatusOr<std::vector<Literal>> DrawArguments(const Golden& golden) {
  std::vector<Literal> arguments;
  for (const GoldenArgument& argument : golden.arguments) {
    XLA_ASSIGN_OR_RETURN(Literal literal,
                         DrawLiteral(argument.shape, argument.seed, argument.kind, argument.limit));
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// The checks of self-checking programs: custom calls of (actual, expected) that fail the run if the
// two differ.
//
//   check.expect_eq         equal bits; any NaN equals any NaN
//   check.expect_almost_eq  absolute difference of at most 1e-3, or the frontend attribute
//   tolerance check.expect_serialized_eq  what interpreter.probe of that probe_id recorded, in the
//   given
//                           iteration; interpreter.print writes to standard output
//   check.expect_close      at most 3 units in the last place apart, or as the frontend attributes
//                           min_ulp_difference and max_ulp_difference state
// Integers must be equal in all of them; infinities too. Both parts of a complex number are
// checked.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"
#include "xla/index_util.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/types.h"

namespace xla {
namespace {

constexpr double kAlmost = 1e-3;  // unless the frontend attribute "tolerance" states another
constexpr uint64_t kIncomparable = std::numeric_limits<uint64_t>::max();

template <typename T>
bool SameBits(T a, T b) {
  if constexpr (is_complex_v<T>) {
    return SameBits(a.real(), b.real()) && SameBits(a.imag(), b.imag());
  } else if constexpr (is_mini_float_v<T>) {
    return (isnan(a) && isnan(b)) || a.bits() == b.bits();
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  } else {
    return a == b;
  }
}

// The number of representable values from a to b; -0 and +0 count as one.
template <typename T>
uint64_t UlpDifference(T a, T b) {
  if constexpr (is_complex_v<T>) {
    return std::max(UlpDifference(a.real(), b.real()), UlpDifference(a.imag(), b.imag()));
  } else if constexpr (is_real_float_v<T>) {
    if (SameBits(a, b)) return 0;
    if (!std::isfinite(static_cast<double>(a)) || !std::isfinite(static_cast<double>(b)))
      return kIncomparable;
    const auto position = [](T value) -> int64_t {
      int64_t magnitude;
      bool negative;
      if constexpr (is_mini_float_v<T>) {
        magnitude = value.bits() & T::kMagnitudeMask;
        negative = (value.bits() & T::kSignMask) != 0;
      } else {
        using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
        const Bits bits = std::bit_cast<Bits>(value);
        magnitude = static_cast<int64_t>(bits & (~Bits{0} >> 1));
        negative = std::signbit(value);
      }
      return negative ? -magnitude : magnitude;
    };
    const int64_t x = position(a), y = position(b);
    return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                 : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
  } else {
    return a == b ? 0 : kIncomparable;
  }
}

// Infinity if the values cannot be compared.
template <typename T>
double AbsoluteDifference(T a, T b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if constexpr (is_complex_v<T>) {
    return std::max(AbsoluteDifference(a.real(), b.real()), AbsoluteDifference(a.imag(), b.imag()));
  } else if constexpr (is_real_float_v<T>) {
    if (SameBits(a, b)) return 0;
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : kInfinity;
  } else {
    return a == b ? 0 : kInfinity;
  }
}

struct UlpBounds {
  uint64_t min = 0, max = 3;
  double tolerance = kAlmost;  // of kAlmostEqual
};

absl::StatusOr<UlpBounds> UlpBoundsOf(const HloInstruction& call) {
  UlpBounds bounds;
  const auto tolerance = call.extras().frontend_attributes.find("tolerance");
  if (tolerance != call.extras().frontend_attributes.end() &&
      !absl::SimpleAtod(tolerance->second, &bounds.tolerance)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tolerance=\"", tolerance->second, "\" is not a number"));
  }
  for (const auto& [name, bound] :
       {std::pair<const char*, uint64_t*>{"min_ulp_difference", &bounds.min},
        {"max_ulp_difference", &bounds.max}}) {
    const auto& attributes = call.extras().frontend_attributes;
    const auto found = attributes.find(name);
    // -1 is the difference of numbers that cannot be compared.
    int64_t value = 0;
    if (found == attributes.end()) continue;
    if (absl::SimpleAtoi(found->second, &value)) {
      *bound = static_cast<uint64_t>(value);
    } else if (!absl::SimpleAtoi(found->second, bound)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, "=\"", found->second, "\" is not a number"));
    }
  }
  return bounds;
}

enum class Check { kEqual, kAlmostEqual, kClose };

// How far apart two elements are in the unit of the check, and whether that fails it.
struct Verdict {
  bool passes;
  double badness;
};

template <typename T>
Verdict Judge(Check check, UlpBounds bounds, T actual, T expected) {
  switch (check) {
    case Check::kEqual:
      return {SameBits(actual, expected), 0};
    case Check::kAlmostEqual: {
      const double difference = AbsoluteDifference(actual, expected);
      return {difference <= bounds.tolerance, difference};
    }
    case Check::kClose: {
      const uint64_t ulps = UlpDifference(actual, expected);
      return {ulps >= bounds.min && ulps <= bounds.max, static_cast<double>(ulps)};
    }
  }
  return {false, 0};
}

// Whether the elements of both are in the same order in memory and without gaps, so that they can
// be compared as lists.
bool LieAlike(const LiteralSlice& a, const LiteralSlice& b) {
  const Shape &x = a.shape(), &y = b.shape();
  if (x.is_dynamic() || y.is_dynamic() || x.has_layout() != y.has_layout()) return false;
  return !x.has_layout() || (x.layout() == y.layout() && !x.layout().has_padding());
}

// Fails on the worst element.
template <typename T>
absl::Status CompareElements(Check check, UlpBounds bounds, const LiteralSlice& actual,
                             const LiteralSlice& expected) {
  int64_t failures = 0, count = 0;
  Verdict worst = {true, -1};
  DimensionVector worst_index;
  if (LieAlike(actual, expected)) {
    const absl::Span<const T> values = actual.data<T>(), wanted = expected.data<T>();
    count = static_cast<int64_t>(values.size());
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(i);
      const Verdict verdict = Judge(check, bounds, values[at], wanted[at]);
      if (verdict.passes) continue;
      ++failures;
      if (verdict.badness <= worst.badness) continue;
      worst = verdict;
      worst_index = IndexUtil::LinearIndexToMultidimensionalIndex(actual.shape(), i);
    }
  } else {
    actual.EachCell<T>([&](absl::Span<const int64_t> index, T value) {
      const Verdict verdict = Judge(check, bounds, value, expected.Get<T>(index));
      ++count;
      if (verdict.passes) return;
      ++failures;
      if (verdict.badness <= worst.badness) return;
      worst = verdict;
      worst_index.assign(index.begin(), index.end());
    });
  }
  if (failures == 0) return absl::OkStatus();
  std::string message =
      absl::StrCat("check failed: ", failures, " of ", count, " elements differ; the worst at ",
                   DimensionsToString(worst_index), ": ", actual.GetAsString(worst_index),
                   ", expected ", expected.GetAsString(worst_index));
  if (check == Check::kAlmostEqual) absl::StrAppend(&message, " (off by ", worst.badness, ")");
  if (check == Check::kClose && worst.badness >= static_cast<double>(kIncomparable)) {
    absl::StrAppend(&message, " (not comparable)");
  } else if (check == Check::kClose) {
    absl::StrAppend(&message, " (off by ", worst.badness, " ulp)");
  }
  return absl::InternalError(message);
}

absl::Status RunCheck(Check check, const HloInstruction& call,
                      absl::Span<const LiteralSlice> operands) {
  if (operands.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("a check takes 2 operands, not ", operands.size()));
  }
  const LiteralSlice &actual = operands[0], &expected = operands[1];
  const Shape &actual_shape = actual.shape(), &expected_shape = expected.shape();
  if (!actual_shape.IsArray() || !expected_shape.IsArray() ||
      actual_shape.rank() != expected_shape.rank() ||
      actual_shape.element_type() != expected_shape.element_type()) {
    return absl::InvalidArgumentError(absl::StrCat("check failed: cannot compare ",
                                                   actual_shape.ToString(), " with ",
                                                   expected_shape.ToString()));
  }
  // Dynamic sizes must agree; bounds may differ.
  for (int64_t i = 0; i < actual_shape.rank(); ++i) {
    if (actual.GetDynamicSize(i) != expected.GetDynamicSize(i)) {
      return absl::InternalError(absl::StrCat("check failed: dimension ", i, " has size ",
                                              actual.GetDynamicSize(i), ", expected ",
                                              expected.GetDynamicSize(i)));
    }
  }
  XLA_ASSIGN_OR_RETURN(const UlpBounds bounds, UlpBoundsOf(call));
  return primitive_util::ArrayTypeSwitch<absl::Status>(
      [&](auto type) -> absl::Status {
        return CompareElements<primitive_util::NativeTypeOf<type>>(check, bounds, actual, expected);
      },
      actual_shape.element_type());
}

// check.eq returns whether the operands are equal; it fails the run as well if they are not.
absl::Status RunEqual(const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                      Literal* result) {
  XLA_RETURN_IF_ERROR(RunCheck(Check::kAlmostEqual, call, operands));
  if (!result->shape().IsArray() || result->shape().element_type() != PRED ||
      result->shape().rank() != 0) {
    return absl::InvalidArgumentError("the result of check.eq must be pred[]");
  }
  result->Set<bool>({}, true);
  return absl::OkStatus();
}

CustomCallHandler HandlerOf(Check check) {
  return [check](const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal*) {
    return RunCheck(check, call, operands);
  };
}

const std::string& FrontendAttribute(const HloInstruction& call, const char* name) {
  static const std::string* const none = new std::string();
  const auto& attributes = call.extras().frontend_attributes;
  const auto found = attributes.find(name);
  return found == attributes.end() ? *none : found->second;
}

// What probes recorded, by name and in order of execution.
struct Probes {
  std::mutex mutex;
  std::map<std::string, std::vector<Literal>> values;
};

absl::Status RecordProbe(Probes& probes, const HloInstruction& call,
                         absl::Span<const LiteralSlice> operands, Literal* result) {
  if (operands.size() != 1) {
    return absl::InvalidArgumentError("interpreter.probe takes one operand");
  }
  XLA_RETURN_IF_ERROR(result->CopyFrom(operands[0]));
  const std::lock_guard<std::mutex> lock(probes.mutex);
  probes.values[FrontendAttribute(call, "probe_id")].push_back(operands[0].Clone());
  return absl::OkStatus();
}

absl::Status CheckProbe(Probes& probes, const HloInstruction& call,
                        absl::Span<const LiteralSlice> operands) {
  uint64_t iteration = 0;
  const std::string& id = FrontendAttribute(call, "probe_id");
  if (operands.size() != 1 || !absl::SimpleAtoi(FrontendAttribute(call, "iteration"), &iteration)) {
    return absl::InvalidArgumentError("check.expect_serialized_eq takes one operand");
  }
  const std::lock_guard<std::mutex> lock(probes.mutex);
  const auto found = probes.values.find(id);
  if (found == probes.values.end() || iteration >= found->second.size()) {
    return absl::InternalError(
        absl::StrCat("check failed: the probe \"", id, "\" has no value ", iteration));
  }
  const LiteralSlice pair[] = {operands[0], LiteralSlice(found->second[iteration])};
  return RunCheck(Check::kEqual, call, pair);
}

// The type as the program states it, and the value.
absl::Status PrintValue(const HloInstruction& call, absl::Span<const LiteralSlice> operands) {
  for (const LiteralSlice& operand : operands) {
    const std::string text = operand.ToStringWithoutShape();
    std::printf("%s {\n  %s\n}\n", FrontendAttribute(call, "type").c_str(), text.c_str());
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::pair<std::string, CustomCallHandler>> CheckCustomCalls() {
  const auto probes = std::make_shared<Probes>();
  return {
      {"interpreter.probe",
       [probes](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                Literal* result) { return RecordProbe(*probes, call, operands, result); }},
      {"check.expect_serialized_eq",
       [probes](const HloInstruction& call, absl::Span<const LiteralSlice> operands, Literal*) {
         return CheckProbe(*probes, call, operands);
       }},
      {"check.eq", RunEqual},
      {"interpreter.print", [](const HloInstruction& call, absl::Span<const LiteralSlice> operands,
                               Literal*) { return PrintValue(call, operands); }},
      {"check.expect_eq", HandlerOf(Check::kEqual)},
      {"check.expect_close", HandlerOf(Check::kClose)},
      {"check.expect_almost_eq", HandlerOf(Check::kAlmostEqual)}};
}

}  // namespace xla

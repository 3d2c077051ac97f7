// SPDX-License-Identifier: Apache-2.0
#include "tools/expectation.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/differences.h"
#include "tools/process.h"
#include "tools/tolerance.h"
#include "xla/base/status_macros.h"
#include "xla/literal_comparison.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::StatusOr<double> BoundOf(const Arguments& arguments, const char* option) {
  double bound = 0;
  if (!arguments.Has(option)) return bound;
  if (!absl::SimpleAtod(arguments.Get(option), &bound) || !(bound >= 0) || std::isinf(bound)) {
    return absl::InvalidArgumentError(absl::StrCat(
        option, " takes a number that is not negative, not '", arguments.Get(option), "'"));
  }
  return bound;
}

// The arrays of the result, in the order in which outputs number them.
absl::StatusOr<std::vector<double>> RoundingLimits(const HloModule& module) {
  XLA_ASSIGN_OR_RETURN(const std::vector<ExpectedError> errors, ExpectedErrors(module));
  const auto leaves = ShapeUtil::GetLeafShapes(module.entry_computation_layout().result());
  std::vector<double> limits;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].shape.IsArray())
      limits.push_back(errors[i].OfElements(leaves[i].shape.element_type()));
  }
  return limits;
}

// Of an output by its name: "device3/out02". What a program writes to the host has the largest.
double LimitOf(const std::string& name, const std::vector<double>& limits) {
  absl::string_view last = name;
  last.remove_prefix(last.rfind('/') == absl::string_view::npos ? 0 : last.rfind('/') + 1);
  uint32_t number;
  if (absl::ConsumePrefix(&last, "out") && absl::SimpleAtoi(last, &number) &&
      number < limits.size()) {
    return limits[number];
  }
  return limits.empty() ? 0 : *std::max_element(limits.begin(), limits.end());
}

// How many elements differ, and where most, of a message with a line for each of the worst.
std::string Shortened(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.size() > 2) lines.resize(2);
  return absl::StrJoin(lines, ";");
}

}  // namespace

std::vector<OptionSpec> ExpectOptions() {
  return {
      {"--expect", "FILE",
       "compare the results with these (.npy, .npz, .safetensors, or a value); without --abs,\n"
       "--rel or --ulp, up to what rounding explains"},
      {"--abs", "X", "with --expect: differences of at most X are none"},
      {"--rel", "X", "with --expect: differences of at most X times the expected value are none"},
      {"--ulp",
       "N",
       "with --expect: differences of at most N units in the last place are none",
       {},
       IntegerRange{0, INT64_MAX}}};
}

absl::StatusOr<std::optional<Expectation>> Expectation::Create(const Arguments& arguments) {
  const bool has_bounds =
      arguments.Has("--abs") || arguments.Has("--rel") || arguments.Has("--ulp");
  if (!arguments.Has("--expect")) {
    if (!has_bounds) return std::optional<Expectation>();
    return absl::InvalidArgumentError("--abs, --rel and --ulp go with --expect");
  }
  std::optional<ErrorSpec> bounds;
  if (has_bounds) {
    XLA_ASSIGN_OR_RETURN(const double absolute, BoundOf(arguments, "--abs"));
    XLA_ASSIGN_OR_RETURN(const double relative, BoundOf(arguments, "--rel"));
    bounds.emplace(absolute, relative);
    bounds->ulp = arguments.GetInt("--ulp", 0);
  }
  const std::string path = arguments.Get("--expect");
  XLA_ASSIGN_OR_RETURN(ArrayFile file, ArrayFile::Open(path));
  return std::optional<Expectation>(Expectation(path, std::move(file), bounds));
}

// For each output the array of the file.
absl::StatusOr<std::vector<size_t>> Expectation::Match(
    const std::vector<NamedLiteral>& outputs) const {
  std::vector<size_t> arrays;
  for (const NamedLiteral& output : outputs) {
    for (size_t i = 0; i < file_.size(); ++i) {
      if (file_.name(i) == output.name) arrays.push_back(i);
    }
  }
  if (arrays.empty()) {
    for (size_t i = 0; i < file_.size(); ++i) arrays.push_back(i);
  }
  if (arrays.size() == outputs.size() && file_.size() == outputs.size()) return arrays;
  return absl::InvalidArgumentError(
      absl::StrCat(path_, ": it holds ", Counted(static_cast<int64_t>(file_.size()), "array"),
                   "; the program returns ", outputs.size(), " (",
                   outputs.empty() ? "" : outputs[0].name, outputs.size() > 1 ? ", ..." : "", ")"));
}

absl::StatusOr<std::vector<std::string>> Expectation::Differences(
    const HloModule& module, const std::vector<NamedLiteral>& outputs) const {
  XLA_ASSIGN_OR_RETURN(const std::vector<size_t> arrays, Match(outputs));
  std::vector<double> limits;
  if (!bounds_.has_value()) {
    XLA_ASSIGN_OR_RETURN(limits, RoundingLimits(module));
  }
  std::vector<std::string> sentences;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedLiteral& output = outputs[i];
    // Dynamic results are stored at the sizes that they have.
    const Literal computed =
        output.value.shape().is_dynamic() ? output.value.ToStatic() : output.value.Clone();
    auto expected = file_.ReadAs(arrays[i], computed.shape());
    if (absl::IsInvalidArgument(expected.status())) {
      sentences.push_back(absl::StrCat(output.name, ": ", expected.status().message()));
      continue;
    }
    XLA_RETURN_IF_ERROR(expected.status());
    if (bounds_.has_value()) {
      const absl::Status near = literal_comparison::Near(*expected, computed, *bounds_);
      if (!near.ok())
        sentences.push_back(absl::StrCat(output.name, ": ", Shortened(near.message())));
      continue;
    }
    const std::optional<Difference> difference =
        FindDifference(computed, *expected, LimitOf(output.name, limits));
    if (difference.has_value()) {
      sentences.push_back(
          absl::StrCat(output.name, " ", difference->ToString("computed", "expected")));
    }
  }
  return sentences;
}

}  // namespace xla

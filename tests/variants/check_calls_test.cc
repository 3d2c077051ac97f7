// SPDX-License-Identifier: Apache-2.0
// What custom calls that check say of every pair of values, of every type.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/interp/bounded_run.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"

namespace xla::testing {
namespace {

std::string VerdictOf(const std::string& type, const std::string& a, const std::string& b,
                      const std::string& check) {
  const std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\n  a = ", type, "[] constant(", a, ")\n  b = ", type, "[] constant(",
      b, ")\n  ROOT c = () custom-call(a, b), custom_call_target=", check, "\n}\n");
  const auto module = ParseAndReturnUnverifiedModule(text);
  if (!module.ok()) return "?";
  EXPECT_OK(VerifyModule(**module)) << text;
  BoundedOptions bounded(/*most_reports=*/10);
  bounded.options.custom_calls = CheckCustomCalls();
  const absl::Status status = Interpret(**module, {}, bounded.options).status();
  return status.ok() ? "." : absl::StrContains(status.message(), "check failed") ? "x" : "!";
}

// A row for each value, a column for each other one: a dot where the check passes.
TEST(CheckCalls, OfPairsOfValues) {
  const std::string checks[] = {
      "\"check.expect_eq\"",
      "\"check.expect_almost_eq\"",
      "\"check.expect_almost_eq\", frontend_attributes={tolerance=\"0.5\"}",
      "\"check.expect_close\"",
      "\"check.expect_close\", frontend_attributes={min_ulp_difference=\"1\", "
      "max_ulp_difference=\"2\"}",
      "\"check.expect_close\", frontend_attributes={max_ulp_difference=\"0\"}"};
  std::vector<std::string> lines;
  for (const char* type : {"pred", "s4", "u8", "s32", "u64", "f8e5m2", "f8e4m3fn", "bf16", "f16",
                           "f32", "f64", "c64", "c128"}) {
    const std::string name = type;
    std::vector<std::string> values = {"0", "1", "2", "3"};
    if (name == "pred") values = {"false", "true"};
    if (name[0] == 'f' || name[0] == 'b') {
      values = {"0", "-0", "1", "1.0000001", "1.0004", "1.25", "-1", "inf", "-inf", "nan", "-nan"};
    }
    if (name[0] == 'c')
      values = {"(0, 0)", "(0, -0)", "(1, 2)", "(1, 2.3)", "(nan, 1)", "(1, nan)", "(2, 1)"};
    for (const std::string& check : checks) {
      lines.push_back(absl::StrCat(name, " ", check));
      for (const std::string& a : values) {
        std::string verdicts;
        for (const std::string& b : values) verdicts += VerdictOf(name, a, b, check);
        lines.push_back(absl::StrCat("  ", verdicts, " ", a));
      }
    }
  }
  ExpectLines("check_calls", lines);
}

}  // namespace
}  // namespace xla::testing

// SPDX-License-Identifier: Apache-2.0
// What tests of the builder share: building, verifying, printing and running programs.
#ifndef TESTS_BUILDER_BUILDER_TEST_UTIL_H_
#define TESTS_BUILDER_BUILDER_TEST_UTIL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/test_util.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"

namespace xla::testing {

// The verified program of the builder.
inline absl::StatusOr<std::shared_ptr<const HloModule>> BuildVerified(XlaBuilder* b) {
  absl::StatusOr<XlaComputation> built = b->Build();
  if (!built.ok()) return built.status();
  absl::StatusOr<std::shared_ptr<const HloModule>> module = built->module();
  if (!module.ok()) return module.status();
  absl::Status verified = VerifyModule(**module);
  if (!verified.ok()) return verified;
  return module;
}

// The instructions of the entry computation but its parameters, without layouts, a line each; or
// the error.
inline std::string Body(XlaBuilder* b) {
  absl::StatusOr<std::shared_ptr<const HloModule>> module = BuildVerified(b);
  if (!module.ok()) return absl::StrCat("error: ", std::string(module.status().message()));
  HloPrintOptions options = HloPrintOptions::ShortParsable();
  options.include_layout_in_shapes = false;
  std::string text;
  PrintComputation(*(*module)->entry_computation(), options, &text);
  std::string body;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumePrefix(&line, "  ");
    const bool is_instruction = absl::StrContains(line, " = ");
    if (!is_instruction ||
        (absl::StrContains(line, " parameter(") && !absl::StartsWith(line, "ROOT "))) {
      continue;
    }
    absl::StrAppend(&body, body.empty() ? "" : "\n", line);
  }
  return body;
}

// The result of the program.
inline absl::StatusOr<Literal> RunProgram(XlaBuilder* b,
                                          const std::vector<const Literal*>& arguments = {}) {
  absl::StatusOr<std::shared_ptr<const HloModule>> module = BuildVerified(b);
  if (!module.ok()) return module.status();
  return Interpret(**module, arguments);
}

// add(x, y) of two scalars.
inline XlaComputation ScalarAdd(PrimitiveType type) {
  XlaBuilder b("add");
  const Shape scalar = ShapeUtil::MakeScalarShape(type);
  Add(Parameter(&b, 0, scalar, "x"), Parameter(&b, 1, scalar, "y"));
  return b.Build().value();
}

// x < y of two scalars, followed by `ignored` pairs of other scalars.
inline XlaComputation ScalarLess(PrimitiveType type, std::vector<PrimitiveType> ignored = {}) {
  XlaBuilder b("less");
  const Shape scalar = ShapeUtil::MakeScalarShape(type);
  const XlaOp x = Parameter(&b, 0, scalar, "x");
  const XlaOp y = Parameter(&b, 1, scalar, "y");
  for (size_t i = 0; i < ignored.size(); ++i) {
    const Shape other = ShapeUtil::MakeScalarShape(ignored[i]);
    Parameter(&b, static_cast<int64_t>(2 + 2 * i), other, "");
    Parameter(&b, static_cast<int64_t>(3 + 2 * i), other, "");
  }
  return b.Build(Lt(x, y)).value();
}

}  // namespace xla::testing

#endif  // TESTS_BUILDER_BUILDER_TEST_UTIL_H_

// SPDX-License-Identifier: Apache-2.0
// What comes of calls of the builder: the program and what it computes, or the error.
#ifndef TESTS_VARIANTS_BUILDER_OUTCOMES_H_
#define TESTS_VARIANTS_BUILDER_OUTCOMES_H_

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/builder/random_calls.h"
#include "tests/interp/bounded_run.h"
#include "tests/variants/expected.h"
#include "tests/variants/values.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla::testing {

// Numbers to four digits, which do not depend on the mathematical functions of the system.
inline std::string Rounded(const LiteralSlice& value) {
  std::string text;
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(value.shape())) {
    if (!leaf.shape.IsArray()) continue;
    const auto wide = LiteralSlice(value, leaf.index).Convert(C128);
    if (!wide.ok()) continue;
    for (const complex128& number : wide->data<complex128>()) {
      for (const double part : {number.real(), number.imag()}) {
        absl::StrAppend(&text, std::isnan(part) ? "nan" : absl::StrFormat("%.4g", part), " ");
      }
    }
  }
  return WithoutResidues(text);
}

inline std::string ResultOnRandomArguments(const HloModule& module) {
  if (module.config().replica_count() * module.config().num_partitions() != 1)
    return "several devices";
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    if (ShapeUtil::ByteSizeOf(parameter->shape()) > 1 << 16) return "large";
    auto argument = NumberedArgument(parameter->shape(), parameter->parameter_number());
    if (!argument.ok()) return "no argument";
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  const auto result = Interpret(module, pointers, BoundedOptions(/*most_reports=*/10).options);
  if (!result.ok()) return OneLine(result.status().message(), 120);
  return absl::StrCat("result ", Fingerprint(Rounded(*result)));
}

// Calls of the builder, and what comes of each: the program and its result, or the error.
class Library {
 public:
  // `call` gets the parameters of the shapes; what it returns is the root.
  void Add(const std::string& name, const std::vector<std::string>& shapes,
           const std::function<XlaOp(XlaBuilder&, const std::vector<XlaOp>&)>& call) {
    XlaBuilder b("m");
    std::vector<XlaOp> parameters;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const auto shape = ParseShape(shapes[i]);
      parameters.push_back(
          Parameter(&b, static_cast<int64_t>(i), shape.value(), absl::StrCat("p", i)));
    }
    const XlaOp root = call(b, parameters);
    const auto built = root.valid() ? b.Build(root) : b.Build();
    std::string outcome;
    if (!built.ok()) {
      outcome = OneLine(built.status().message());
    } else if (const auto module = built->module(); !module.ok()) {
      outcome = OneLine(module.status().message());
    } else {
      const absl::Status status = VerifyModule(**module);
      outcome =
          absl::StrCat((*module)->entry_computation()->root_instruction()->shape().ToString(),
                       " text ", Fingerprint(ModuleToString(**module, HloPrintOptions())), ", ",
                       status.ok() ? ResultOnRandomArguments(**module) : OneLine(status.message()));
    }
    lines_.push_back(absl::StrCat(name, " of ", absl::StrJoin(shapes, ", "), ": ", outcome));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

}  // namespace xla::testing

#endif  // TESTS_VARIANTS_BUILDER_OUTCOMES_H_

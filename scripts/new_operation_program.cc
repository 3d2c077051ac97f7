// SPDX-License-Identifier: Apache-2.0
// Uses the operations that docs/hacking.md adds (scripts/check_additions.py): builds a program
// with them, takes it through proto and text, verifies, interprets and compiles it, and compares
// the results.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/program.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::Status Expect(bool condition, const std::string& what) {
  return condition ? absl::OkStatus() : absl::InternalError(what);
}

absl::Status Run() {
  XlaBuilder b("new_operations");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {3}), "y");
  Roll(Hypot(x, y, /*broadcast_dimensions=*/{1}), /*dimension=*/1, /*shift=*/-1);
  XLA_ASSIGN_OR_RETURN(const XlaComputation built, b.Build());

  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> read, CreateModuleFromProto(built.proto()));
  const std::string text = ModuleToString(*read);
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module,
                       ParseAndReturnUnverifiedModule(text));
  XLA_RETURN_IF_ERROR(VerifyModule(*module));
  XLA_RETURN_IF_ERROR(Expect(ModuleToString(*module) == text, "text changes: " + text));

  const Literal xs = LiteralUtil::CreateR2<float>({{3, 5, 8}, {0, 6, 3e38f}});
  const Literal ys = LiteralUtil::CreateR1<float>({4, 12, 15});
  XLA_ASSIGN_OR_RETURN(const Literal result, Interpret(*module, {&xs, &ys}));
  const Literal expected = LiteralUtil::CreateR2<float>({{13, 17, 5}, {13.416408f, 3e38f, 4}});
  XLA_RETURN_IF_ERROR(
      Expect(result == expected, result.ToString() + " is not " + expected.ToString()));
  XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(*module));
  XLA_ASSIGN_OR_RETURN(const Literal compiled, program->Run({&xs, &ys}));
  for (int64_t i = 0; i < 6; ++i) {
    const float got = compiled.data<float>()[static_cast<size_t>(i)];
    const float want = expected.data<float>()[static_cast<size_t>(i)];
    XLA_RETURN_IF_ERROR(Expect(std::abs(got - want) <= 2e-7f * want,
                               compiled.ToString() + " is not " + expected.ToString()));
  }

  // Errors: of the builder, and of text.
  XlaBuilder bad("bad");
  Roll(Parameter(&bad, 0, ShapeUtil::MakeShape(F32, {2}), "x"), 1, 1);
  XLA_RETURN_IF_ERROR(Expect(!bad.Build().ok(), "a dimension that does not exist is accepted"));
  const auto integers = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e {\n  x = s32[] parameter(0)\n  ROOT h = s32[] hypot(x, x)\n}\n");
  XLA_RETURN_IF_ERROR(integers.status());
  return Expect(!VerifyModule(**integers).ok(), "hypot of integers is accepted");
}

}  // namespace
}  // namespace xla

int main() {
  const absl::Status status = xla::Run();
  std::puts(status.ok() ? "new operations: passed" : status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// What must hold of every program that random calls make. For fuzzers and tests.
#ifndef TESTS_BUILDER_RANDOM_PROGRAM_H_
#define TESTS_BUILDER_RANDOM_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/builder/random_calls.h"
#include "tests/interp/bounded_run.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/util.h"

namespace xla::testing {

// OK if the bytes make no program. Else it verifies, is the same after the way through its proto
// and through its text, and runs.
inline absl::Status CheckRandomProgram(const uint8_t* data, size_t size, bool run) {
  const absl::StatusOr<XlaComputation> program = RandomCalls(data, size).MakeProgram();
  if (!program.ok()) {
    return program.status().message().empty() ? InternalStrCat("An error without words.")
                                              : absl::OkStatus();
  }
  const absl::StatusOr<std::shared_ptr<const HloModule>> module = program->module();
  if (!module.ok()) return module.status();
  HloPrintOptions options;
  options.syntax_sugar_async_ops = false;
  const std::string text = ModuleToString(**module, options);
  const auto check = [&](const char* what, const absl::Status& status) {
    return status.ok() ? status
                       : InternalStrCat(what, ": ", std::string(status.message()), "\n", text);
  };
  absl::Status status = check("verified", VerifyModule(**module));
  if (!status.ok()) return status;
  const auto read = CreateModuleFromProto(program->proto());
  status = check("read", read.status());
  if (status.ok()) status = check("equal", (*read)->CheckEqual(**module));
  if (!status.ok()) return status;
  // The padding of a scalar has no form that parses, here or in XLA; "-0" is read as an integer.
  for (const char* lost : {"padding=,", "padding=\n", "(-0)", "-0,", "-0}"})
    if (absl::StrContains(text, lost)) return status;
  // The parser gives an operation the frontend attributes of its async-start, as XLA's does.
  if (absl::StrContains(text, "async-start(") && absl::StrContains(text, "frontend_attributes"))
    return status;
  const auto parsed = ParseAndReturnUnverifiedModule(text);
  status = check("parsed", parsed.status());
  if (status.ok()) status = check("equal after parsing", (*parsed)->CheckEqual(**module));
  if (status.ok())
    status = check("short", ParseAndReturnUnverifiedModule(ModuleToString(**module)).status());
  if (!status.ok() || !run) return status;
  return check("run", CheckRun(**module));
}

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_PROGRAM_H_

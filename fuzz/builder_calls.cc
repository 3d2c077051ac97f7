// SPDX-License-Identifier: Apache-2.0
// Sequences of calls of the client API, valid and not: no crash; what builds verifies, prints, and
// is the same after the way through its proto.
#include <cstddef>
#include <cstdint>

#include "tests/builder/random_calls.h"
#include "xla/base/check.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<xla::XlaComputation> program =
      xla::testing::RandomCalls(data, size).MakeProgram();
  if (!program.ok()) return 0;
  const auto module = program->module();
  XLA_CHECK(module.ok()) << module.status();
  const std::string text = xla::ModuleToString(**module);
  const absl::Status verified = xla::VerifyModule(**module);
  XLA_CHECK(verified.ok()) << verified << "\n" << text;
  const auto read = xla::CreateModuleFromProto(program->proto());
  XLA_CHECK(read.ok()) << read.status() << "\n" << text;
  const absl::Status equal = (*read)->CheckEqual(**module);
  XLA_CHECK(equal.ok()) << equal << "\n" << text;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// HLO text from anyone, run: what verifies ends in a result of the declared shape or in an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/interp/bounded_run.h"
#include "xla/base/check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  xla::HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  const auto module = xla::ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok() || !xla::VerifyModule(**module).ok()) return 0;
  const absl::Status status = xla::testing::CheckRun(**module);
  XLA_CHECK(status.ok()) << status;
  return 0;
}

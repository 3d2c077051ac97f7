// SPDX-License-Identifier: Apache-2.0
// HLO text from anyone: parse; verify; what verifies prints, parses again to an equal module, and
// prints the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "xla/base/check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  xla::HloParserOptions options;
  options.max_elided_bytes = 1 << 16;
  const auto module = xla::ParseAndReturnUnverifiedModule(text, options);
  if (!module.ok() || !xla::VerifyModule(**module).ok()) return 0;

  xla::HloPrintOptions print_options;
  print_options.print_large_constants = true;
  const std::string printed = xla::ModuleToString(**module, print_options);
  const auto again = xla::ParseAndReturnUnverifiedModule(printed, options);
  XLA_CHECK(again.ok()) << again.status() << "\nin the print\n" << printed;
  // A print may lose the sign of zero and the payload of a complex NaN; it loses nothing more the
  // second time.
  const std::string printed_again = xla::ModuleToString(**again, print_options);
  const auto third = xla::ParseAndReturnUnverifiedModule(printed_again, options);
  XLA_CHECK(third.ok()) << third.status() << "\nin the print\n" << printed_again;
  XLA_CHECK((*again)->config().is_scheduled == (*module)->config().is_scheduled);
  const absl::Status equal = (*third)->CheckEqual(**again);
  XLA_CHECK(equal.ok()) << equal << "\nof the prints\n" << printed << "\nand\n" << printed_again;
  XLA_CHECK(xla::ModuleToString(**third, print_options) == printed_again);
  return 0;
}

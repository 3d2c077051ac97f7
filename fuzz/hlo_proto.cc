// SPDX-License-Identifier: Apache-2.0
// Serialized modules from anyone: read; what is read is written, and reads back equal; what
// verifies prints, and parses to an equal module.
#include "xla/hlo/proto/hlo_proto.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "google/protobuf/stubs/logging.h"
#include "xla/base/check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace {

// What parses from the text of `module`, which verifies.
std::unique_ptr<xla::HloModule> PrintAndParse(const xla::HloModule& module) {
  xla::HloPrintOptions options;
  options.print_large_constants = true;
  const std::string text = xla::ModuleToString(module, options);
  auto parsed = xla::ParseAndReturnUnverifiedModule(text);
  XLA_CHECK(parsed.ok()) << parsed.status() << "\nin the print\n" << text;
  return *std::move(parsed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protobuf reports invalid UTF-8 on stderr, at length.
  static const bool quiet = (google::protobuf::SetLogHandler(nullptr), true);
  (void)quiet;
  const auto module =
      xla::ParseModuleFromProtoBytes(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;

  const auto proto = xla::ModuleToProto(**module);
  XLA_CHECK(proto.ok()) << proto.status();
  const auto again = xla::CreateModuleFromProto(*proto);
  XLA_CHECK(again.ok()) << again.status();
  absl::Status equal = (*again)->CheckEqual(**module);
  XLA_CHECK(equal.ok()) << equal;
  XLA_CHECK((*again)->Hash() == (*module)->Hash());

  if (!xla::VerifyModule(**module).ok()) return 0;
  // Text may lose the sign of zero and the payload of a complex NaN, and names layouts that were
  // left open; it loses nothing more the second time.
  const auto parsed = PrintAndParse(**module);
  const auto parsed_again = PrintAndParse(*parsed);
  equal = parsed_again->CheckEqual(*parsed);
  XLA_CHECK(equal.ok()) << equal;
  XLA_CHECK(parsed->instruction_count() == (*module)->instruction_count());
  return 0;
}

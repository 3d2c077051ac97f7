// SPDX-License-Identifier: Apache-2.0
// Serialized modules from anyone: read; what is read is written, and reads back equal; what
// verifies prints, and parses to an equal module.
#include "xla/hlo/proto/hlo_proto.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/proto_mutator.h"
#include "google/protobuf/stubs/logging.h"
#include "xla/base/check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace {

// A letter or '_', then letters, digits, '_', '.' and '-': what can be a key in text.
bool IsName(const std::string& key) { return !key.empty() && key == xla::SanitizeHloName(key); }

template <typename Attributes>
bool AreNames(const Attributes& attributes) {
  for (const auto& [key, value] : attributes) {
    if (!IsName(key)) return false;
  }
  return true;
}

// False for what protos can say and text cannot.
bool HasText(const xla::HloModule& module) {
  if (!AreNames(module.config().frontend_attributes)) return false;
  for (const xla::HloComputation* computation : module.computations()) {
    for (const xla::HloInstruction* instruction : computation->instructions()) {
      const xla::InstructionExtras& extras = instruction->extras();
      if (!AreNames(extras.frontend_attributes)) return false;
      // The parser compares these shapes with their layouts.
      if (instruction->opcode() == xla::HloOpcode::kAsyncUpdate &&
          !(instruction->shape() == instruction->operand(0)->shape())) {
        return false;
      }
      if (extras.statistics.has_value() && !AreNames(extras.statistics->values)) return false;
    }
  }
  return true;
}

// What parses from the text of `module`, which verifies.
std::unique_ptr<xla::HloModule> PrintAndParse(const xla::HloModule& module) {
  xla::HloPrintOptions options;
  options.print_large_constants = true;
  // XLA's short form says attributes twice where the wrapped operation has them, too.
  options.syntax_sugar_async_ops = false;
  const std::string text = xla::ModuleToString(module, options);
  xla::HloParserOptions parser_options;
  parser_options.max_elided_bytes = int64_t{1} << 62;  // layouts with much padding count as elided
  auto parsed = xla::ParseAndReturnUnverifiedModule(text, parser_options);
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

  if (!xla::VerifyModule(**module).ok() || !HasText(**module)) return 0;
  // Text may lose the sign of zero and the payload of a complex NaN, and names layouts that were
  // left open; it loses nothing more the second time.
  const auto parsed = PrintAndParse(**module);
  const auto parsed_again = PrintAndParse(*parsed);
  equal = parsed_again->CheckEqual(*parsed);
  XLA_CHECK(equal.ok()) << equal;
  XLA_CHECK(parsed->instruction_count() == (*module)->instruction_count());
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Mostly changes of fields: bytes changed at random seldom parse.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  xla::HloModuleProto proto;
  if (seed % 16 == 0 || !proto.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  xla::fuzz::ProtoMutator mutator(seed);
  for (unsigned i = 0; i < 1 + seed % 3; ++i) mutator.Mutate(&proto);
  const std::string bytes = proto.SerializeAsString();
  if (bytes.size() > max_size) return size;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

// SPDX-License-Identifier: Apache-2.0
// Serialized programs: after a header that identifies the build of the library, the program as it
// was passed, and the compiled one. On another kind of machine the former is compiled again.
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/sized_text.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/program.h"
#include "xla/runtime/build_id.h"

namespace xla::pjrt {
namespace {

constexpr std::string_view kMagic = "xylem-pjrt-executable\n";

const std::string& BuildId() {
  static const std::string id = absl::StrCat(PlatformVersion(), " ", runtime::BuildId());
  return id;
}

// Removes the next text from the front of `bytes`; returns false if they end early.
bool Take(std::string_view& bytes, std::string& text) {
  std::string_view taken;
  if (!TakeSizedText(bytes, taken)) return false;
  text = std::string(taken);
  return true;
}

}  // namespace

absl::StatusOr<std::string> SerializeProgram(const Program& program) {
  XLA_ASSIGN_OR_RETURN(const std::string compiled,
                       program.executable->Save(KeyOf(program.source, program.options)));
  std::string bytes(kMagic);
  AppendSizedText(BuildId(), bytes);
  AppendSizedText(program.source.format, bytes);
  AppendSizedText(program.source.options, bytes);
  AppendSizedText(program.source.code, bytes);
  AppendSizedText(compiled, bytes);
  return bytes;
}

absl::StatusOr<ProgramSource> DeserializeProgram(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return absl::InvalidArgumentError("these bytes are not a serialized executable of Xylem");
  }
  bytes.remove_prefix(kMagic.size());
  std::string build;
  ProgramSource source;
  if (!Take(bytes, build)) {
    return absl::InvalidArgumentError("the serialized executable ends early");
  }
  if (build != BuildId()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the executable was serialized by another build of Xylem (", build,
                     "); this is ", BuildId()));
  }
  if (!Take(bytes, source.format) || !Take(bytes, source.options) || !Take(bytes, source.code) ||
      !Take(bytes, source.compiled) || !bytes.empty()) {
    return absl::InvalidArgumentError("the serialized executable ends early, or has more bytes");
  }
  return source;
}

}  // namespace xla::pjrt

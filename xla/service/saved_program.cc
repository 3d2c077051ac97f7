// SPDX-License-Identifier: Apache-2.0
// The form of the bytes: a magic number, a checksum of all that follows, and numbers of eight bytes
// and texts, each after its size: key, target, hash of the schedule, module, numbers of lowerings
// and objects, lowerings, objects.
#include "xla/service/saved_program.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "xla/base/fnv_hash.h"
#include "xla/base/sized_text.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"

namespace xla {
namespace {

constexpr std::string_view kMagic = "xylem-program-1\n";

// Of eight bytes at a time: objects are large.
uint64_t Checksum(std::string_view bytes) {
  uint64_t hash = kFnvBasis ^ bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    bytes.copy(reinterpret_cast<char*>(&word), 8, at);
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 32;
  }
  return hash;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<uint64_t> Number() {
    uint64_t number = 0;
    if (!TakeNumber(bytes_, number)) return TooShort();
    return number;
  }
  absl::StatusOr<std::string_view> Text() {
    std::string_view text;
    if (!TakeSizedText(bytes_, text)) return TooShort();
    return text;
  }
  std::string_view rest() const { return bytes_; }

 private:
  static absl::Status TooShort() { return absl::DataLossError("a compiled program ends early"); }
  std::string_view bytes_;
};

// Reads magic number, checksum and key.
absl::StatusOr<Reader> ReaderOf(std::string_view bytes, std::string_view key) {
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return absl::DataLossError("these bytes are no compiled program of this version");
  Reader reader(bytes.substr(kMagic.size()));
  XLA_ASSIGN_OR_RETURN(const uint64_t checksum, reader.Number());
  if (checksum != Checksum(reader.rest()))
    return absl::DataLossError("the bytes of a compiled program have changed");
  XLA_ASSIGN_OR_RETURN(const std::string_view given, reader.Text());
  if (given != key) {
    return absl::FailedPreconditionError(
        "a compiled program is that of another module, or of other options");
  }
  return reader;
}

absl::StatusOr<CpuProgramParts> ReadParts(Reader reader) {
  CpuProgramParts parts;
  XLA_ASSIGN_OR_RETURN(const std::string_view target, reader.Text());
  parts.target = std::string(target);
  XLA_ASSIGN_OR_RETURN(parts.schedule_hash, reader.Number());
  XLA_ASSIGN_OR_RETURN(const std::string_view module, reader.Text());
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<HloModuleProto>(&arena);
  if (module.size() > static_cast<size_t>(INT32_MAX) ||
      !proto.ParseFromArray(module.data(), static_cast<int>(module.size()))) {
    return absl::DataLossError("the module of a compiled program cannot be read");
  }
  XLA_ASSIGN_OR_RETURN(parts.module, CreateModuleFromProto(proto));
  XLA_ASSIGN_OR_RETURN(const uint64_t lowerings, reader.Number());
  XLA_ASSIGN_OR_RETURN(const uint64_t objects, reader.Number());
  for (uint64_t i = 0; i < lowerings; ++i) {
    XLA_ASSIGN_OR_RETURN(const std::string_view text, reader.Text());
    parts.lowerings.emplace_back(text);
  }
  for (uint64_t i = 0; i < objects; ++i) {
    XLA_ASSIGN_OR_RETURN(const std::string_view object, reader.Text());
    parts.objects.emplace_back(object.begin(), object.end());
  }
  if (!reader.rest().empty())
    return absl::DataLossError("a compiled program has bytes after its end");
  return parts;
}

}  // namespace

absl::StatusOr<std::string> SaveProgram(const CpuProgram& program, std::string_view key) {
  const CpuProgramParts parts = program.Parts();
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(*parts.module));
  if (proto.ByteSizeLong() > static_cast<size_t>(INT32_MAX)) {
    return absl::ResourceExhaustedError(absl::StrCat("module ", parts.module->name(),
                                                     " is too large to be saved: it has ",
                                                     proto.ByteSizeLong(), " bytes"));
  }
  std::string content;
  AppendSizedText(key, content);
  AppendSizedText(parts.target, content);
  AppendNumber(parts.schedule_hash, content);
  AppendSizedText(proto.SerializeAsString(), content);
  AppendNumber(parts.lowerings.size(), content);
  AppendNumber(parts.objects.size(), content);
  for (const std::string& text : parts.lowerings) AppendSizedText(text, content);
  for (const std::vector<char>& object : parts.objects)
    AppendSizedText({object.data(), object.size()}, content);
  std::string bytes(kMagic);
  AppendNumber(Checksum(content), bytes);
  return bytes + content;
}

bool IsSavedProgram(std::string_view bytes, std::string_view key) {
  return ReaderOf(bytes, key).ok();
}

absl::StatusOr<std::unique_ptr<CpuProgram>> LoadProgram(const HloModule& module,
                                                        std::string_view bytes,
                                                        std::string_view key,
                                                        const CpuCompileOptions& options) {
  XLA_ASSIGN_OR_RETURN(const Reader reader, ReaderOf(bytes, key));
  XLA_ASSIGN_OR_RETURN(CpuProgramParts parts, ReadParts(reader));
  // The layouts of the module are part of it; all else is as for the source.
  const ProgramShape layout = parts.module->entry_computation_layout();
  parts.module->config() = module.config();
  parts.module->config().set_entry_computation_layout(layout);
  return CpuProgram::Load(module, std::move(parts), options);
}

}  // namespace xla

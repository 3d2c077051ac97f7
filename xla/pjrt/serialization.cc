// SPDX-License-Identifier: Apache-2.0
// Serialized programs: the program as it was passed, which is compiled again when it is loaded,
// after a header that identifies the build of the library.
#include <elf.h>
#include <link.h>

#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/pjrt/program.h"

namespace xla::pjrt {
namespace {

constexpr std::string_view kMagic = "xylem-pjrt-executable\n";

// Finds the linker's note (--build-id) in the library or program that contains this code.
int FindBuildId(dl_phdr_info* info, size_t, void* result) {
  const auto here = reinterpret_cast<uintptr_t>(&FindBuildId);
  bool is_here = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + header.p_vaddr;
    is_here = is_here || (header.p_type == PT_LOAD && here - start < header.p_memsz);
  }
  if (!is_here) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
    const char* end = at + header.p_memsz;
    while (end - at >= static_cast<ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const char* name = at + sizeof(note);
      const char* data = name + ((note.n_namesz + 3) & ~3u);
      at = data + ((note.n_descsz + 3) & ~3u);
      if (at > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        static_cast<std::string*>(result)->assign(data, note.n_descsz);
        return 1;
      }
    }
  }
  return 1;
}

const std::string& BuildId() {
  static const std::string id = [] {
    std::string bytes;
    dl_iterate_phdr(FindBuildId, &bytes);
    return absl::StrCat(PlatformVersion(), " ",
                        bytes.empty() ? "without build id" : absl::BytesToHexString(bytes));
  }();
  return id;
}

void Append(std::string_view text, std::string& bytes) {
  uint64_t size = text.size();
  for (int i = 0; i < 8; ++i, size >>= 8) bytes.push_back(static_cast<char>(size & 0xff));
  bytes.append(text);
}

// Removes the next text from the front of `bytes`; returns false if they end early.
bool Take(std::string_view& bytes, std::string& text) {
  if (bytes.size() < 8) return false;
  uint64_t size = 0;
  for (int i = 7; i >= 0; --i)
    size = size << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  bytes.remove_prefix(8);
  if (bytes.size() < size) return false;
  text = std::string(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

std::string SerializeProgram(const Program& program) {
  std::string bytes(kMagic);
  Append(BuildId(), bytes);
  Append(program.source.format, bytes);
  Append(program.source.options, bytes);
  Append(program.source.code, bytes);
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
      !bytes.empty()) {
    return absl::InvalidArgumentError("the serialized executable ends early, or has more bytes");
  }
  return source;
}

}  // namespace xla::pjrt

// SPDX-License-Identifier: Apache-2.0
#include "xla/runtime/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"

namespace xla::runtime {
namespace {

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

}  // namespace

const std::string& BuildId() {
  static const std::string id = [] {
    std::string bytes;
    dl_iterate_phdr(FindBuildId, &bytes);
    return bytes.empty() ? "without build id" : absl::BytesToHexString(bytes);
  }();
  return id;
}

}  // namespace xla::runtime

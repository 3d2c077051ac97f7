// SPDX-License-Identifier: Apache-2.0
// A loader for relocatable objects (System V ABI: ELF-64, x86-64 and AArch64 supplements).
#include "xla/cpu/codegen/native_code.h"

#include <elf.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla/base/status_macros.h"

namespace xla::cpu {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStubBytes = 16;

size_t RoundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// A jump to any address, for calls that reach only 2 GiB.
void WriteStub(char* place, const void* target) {
#if defined(__x86_64__)
  // jmp *2(%rip); the address
  const unsigned char jump[] = {0xff, 0x25, 2, 0, 0, 0, 0x66, 0x90};
#else
  // ldr x16, #8; br x16; the address
  const unsigned char jump[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};
#endif
  std::memcpy(place, jump, sizeof(jump));
  std::memcpy(place + sizeof(jump), &target, sizeof(target));
}

// Writes S + A (or what the type makes of it) at a place. False for unknown types and overflows.
bool Relocate(uint32_t type, char* place, uint64_t symbol, int64_t addend) {
  const auto at = reinterpret_cast<uint64_t>(place);
  const uint64_t value = symbol + static_cast<uint64_t>(addend);
  const auto relative = static_cast<int64_t>(value - at);
  const auto put32 = [&](uint32_t word) { std::memcpy(place, &word, sizeof(word)); };
  const auto put64 = [&](uint64_t word) { std::memcpy(place, &word, sizeof(word)); };
#if defined(__x86_64__)
  switch (type) {
    case R_X86_64_NONE:
      return true;
    case R_X86_64_64:
      put64(value);
      return true;
    case R_X86_64_PC64:
      put64(static_cast<uint64_t>(relative));
      return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      put32(static_cast<uint32_t>(relative));
      return relative == static_cast<int32_t>(relative);
    default:
      return false;
  }
#else
  uint32_t word;
  std::memcpy(&word, place, sizeof(word));
  const auto low12 = [&](int shift) {
    put32(word | static_cast<uint32_t>(((value & 0xfff) >> shift) << 10));
    return true;
  };
  switch (type) {
    case R_AARCH64_NONE:
      return true;
    case R_AARCH64_ABS64:
      put64(value);
      return true;
    case R_AARCH64_PREL64:
      put64(static_cast<uint64_t>(relative));
      return true;
    case R_AARCH64_PREL32:
      put32(static_cast<uint32_t>(relative));
      return relative == static_cast<int32_t>(relative);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      put32(word | (static_cast<uint32_t>(relative >> 2) & 0x3ffffff));
      return true;
    case R_AARCH64_ADR_PREL_PG_HI21: {
      const int64_t pages =
          (static_cast<int64_t>(value & ~0xfffull) - static_cast<int64_t>(at & ~0xfffull)) >> 12;
      put32(word | (static_cast<uint32_t>(pages & 3) << 29) |
            (static_cast<uint32_t>((pages >> 2) & 0x7ffff) << 5));
      return true;
    }
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return low12(0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return low12(1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return low12(2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return low12(3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return low12(4);
    default:
      return false;
  }
#endif
}

template <typename T>
const T* At(absl::Span<const char> object, uint64_t offset) {
  return reinterpret_cast<const T*>(object.data() + offset);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NativeCode>> NativeCode::Load(
    absl::Span<const char> object, absl::Span<const ExternalFunction> externals) {
  const auto* header = At<Elf64_Ehdr>(object, 0);
  if (object.size() < sizeof(Elf64_Ehdr) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return absl::InternalError("the compiled code is not an ELF object");
  }
  const absl::Span<const Elf64_Shdr> sections(At<Elf64_Shdr>(object, header->e_shoff),
                                              header->e_shnum);
  // Where each section lies; executable sections first, then data, each from a page on.
  std::vector<size_t> offsets(sections.size(), SIZE_MAX);
  size_t size = 0, code_bytes = 0;
  const Elf64_Shdr* symbol_table = nullptr;
  for (const bool executable : {true, false}) {
    for (size_t i = 0; i < sections.size(); ++i) {
      const Elf64_Shdr& section = sections[i];
      if (section.sh_type == SHT_SYMTAB) symbol_table = &section;
      if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == SHT_X86_64_UNWIND ||
          ((section.sh_flags & SHF_EXECINSTR) != 0) != executable) {
        continue;
      }
      size = RoundUp(size, section.sh_addralign == 0 ? 1 : section.sh_addralign);
      offsets[i] = size;
      size += section.sh_size;
    }
    if (executable) {
      // Stubs for calls follow the code.
      size = RoundUp(size, kStubBytes);
      code_bytes = size;
      size = RoundUp(size + externals.size() * kStubBytes, kPage);
    }
  }
  if (symbol_table == nullptr) return absl::InternalError("the object has no symbols");
  size = RoundUp(size + 1, kPage);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system has no memory for ", size, " bytes of code"));
  }
  std::unique_ptr<NativeCode> code(new NativeCode(static_cast<char*>(memory), size));
  char* const base = code->memory_;
  for (size_t i = 0; i < sections.size(); ++i) {
    if (offsets[i] != SIZE_MAX && sections[i].sh_type != SHT_NOBITS) {
      std::memcpy(base + offsets[i], object.data() + sections[i].sh_offset, sections[i].sh_size);
    }
  }

  const char* names = At<char>(object, sections[symbol_table->sh_link].sh_offset);
  const absl::Span<const Elf64_Sym> symbols(At<Elf64_Sym>(object, symbol_table->sh_offset),
                                            symbol_table->sh_size / sizeof(Elf64_Sym));
  std::vector<uint64_t> addresses(symbols.size(), 0);
  size_t stubs = 0;
  for (size_t i = 1; i < symbols.size(); ++i) {
    const Elf64_Sym& symbol = symbols[i];
    const char* name = names + symbol.st_name;
    if (symbol.st_shndx == SHN_UNDEF) {
      const ExternalFunction* found = nullptr;
      for (const ExternalFunction& external : externals) {
        if (external.name == name) found = &external;
      }
      if (found == nullptr) {
        if (*name == '\0' || std::strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0) continue;
        return absl::InternalError(absl::StrCat("compiled code calls an unknown function ", name));
      }
      char* const stub = base + code_bytes + kStubBytes * stubs++;
      WriteStub(stub, found->address);
      addresses[i] = reinterpret_cast<uint64_t>(stub);
    } else if (symbol.st_shndx < sections.size() && offsets[symbol.st_shndx] != SIZE_MAX) {
      char* const address = base + offsets[symbol.st_shndx] + symbol.st_value;
      addresses[i] = reinterpret_cast<uint64_t>(address);
      if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL) code->functions_[name] = address;
    }
  }
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_RELA || offsets[section.sh_info] == SIZE_MAX) continue;
    const absl::Span<const Elf64_Rela> entries(At<Elf64_Rela>(object, section.sh_offset),
                                               section.sh_size / sizeof(Elf64_Rela));
    for (const Elf64_Rela& entry : entries) {
      const auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
      if (!Relocate(type, base + offsets[section.sh_info] + entry.r_offset,
                    addresses[ELF64_R_SYM(entry.r_info)], entry.r_addend)) {
        return absl::InternalError(absl::StrCat("compiled code has a relocation of type ", type));
      }
    }
  }
  const size_t executable_bytes = RoundUp(code_bytes + externals.size() * kStubBytes, kPage);
  if (mprotect(base, executable_bytes, PROT_READ | PROT_EXEC) != 0 ||
      (size > executable_bytes &&
       mprotect(base + executable_bytes, size - executable_bytes, PROT_READ) != 0)) {
    return absl::InternalError("the system does not allow generated code");
  }
  __builtin___clear_cache(base, base + executable_bytes);
  return code;
}

NativeCode::~NativeCode() { munmap(memory_, bytes_); }

void* NativeCode::Find(std::string_view name) const {
  const auto found = functions_.find(absl::string_view(name.data(), name.size()));
  return found == functions_.end() ? nullptr : found->second;
}

}  // namespace xla::cpu

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

// Writes a jump to any address, for calls that reach only 2 GiB.
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

void Put32(char* place, uint32_t word) { std::memcpy(place, &word, sizeof(word)); }
void Put64(char* place, uint64_t word) { std::memcpy(place, &word, sizeof(word)); }

// Writes a signed number of 32 bits. Returns false if it does not fit.
bool PutSigned32(char* place, int64_t number) {
  Put32(place, static_cast<uint32_t>(number));
  return number == static_cast<int32_t>(number);
}

// Writes S + A, as the relocation type defines it, at an address. Returns false for unknown types
// and overflows.
#if defined(__x86_64__)
bool Relocate(uint32_t type, char* place, uint64_t symbol, int64_t addend) {
  const uint64_t value = symbol + static_cast<uint64_t>(addend);
  const auto relative = static_cast<int64_t>(value - reinterpret_cast<uint64_t>(place));
  switch (type) {
    case R_X86_64_NONE:
      return true;
    case R_X86_64_64:
      Put64(place, value);
      return true;
    case R_X86_64_PC64:
      Put64(place, static_cast<uint64_t>(relative));
      return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return PutSigned32(place, relative);
    default:
      return false;
  }
}
#else
bool Relocate(uint32_t type, char* place, uint64_t symbol, int64_t addend) {
  const auto at = reinterpret_cast<uint64_t>(place);
  const uint64_t value = symbol + static_cast<uint64_t>(addend);
  const auto relative = static_cast<int64_t>(value - at);
  uint32_t word;
  std::memcpy(&word, place, sizeof(word));
  const auto low12 = [&](int shift) {
    Put32(place, word | static_cast<uint32_t>(((value & 0xfff) >> shift) << 10));
    return true;
  };
  switch (type) {
    case R_AARCH64_NONE:
      return true;
    case R_AARCH64_ABS64:
      Put64(place, value);
      return true;
    case R_AARCH64_PREL64:
      Put64(place, static_cast<uint64_t>(relative));
      return true;
    case R_AARCH64_PREL32:
      return PutSigned32(place, relative);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      Put32(place, word | (static_cast<uint32_t>(relative >> 2) & 0x3ffffff));
      return true;
    case R_AARCH64_ADR_PREL_PG_HI21: {
      const int64_t pages =
          (static_cast<int64_t>(value & ~0xfffull) - static_cast<int64_t>(at & ~0xfffull)) >> 12;
      Put32(place, word | (static_cast<uint32_t>(pages & 3) << 29) |
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
}
#endif

template <typename T>
const T* At(absl::Span<const char> object, uint64_t offset) {
  return reinterpret_cast<const T*>(object.data() + offset);
}

// An object, and the layout of its sections in memory.
class ObjectLayout {
 public:
  // Executable sections first, then stubs for calls, then data, each from a page on.
  ObjectLayout(absl::Span<const char> object, absl::Span<const ExternalFunction> externals)
      : object_(object),
        externals_(externals),
        sections_(At<Elf64_Shdr>(object, At<Elf64_Ehdr>(object, 0)->e_shoff),
                  At<Elf64_Ehdr>(object, 0)->e_shnum),
        offsets_(sections_.size(), SIZE_MAX) {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB) symbol_table_ = &section;
    }
    Place(/*executable=*/true);
    size_ = stubs_ = RoundUp(size_, kStubBytes);
    size_ = executable_bytes_ = RoundUp(stubs_ + externals.size() * kStubBytes, kPage);
    Place(/*executable=*/false);
    size_ = RoundUp(size_ + 1, kPage);
  }

  bool has_symbols() const { return symbol_table_ != nullptr; }
  size_t size() const { return size_; }
  size_t executable_bytes() const { return executable_bytes_; }

  void CopySections(char* memory) const {
    for (size_t i = 0; i < sections_.size(); ++i) {
      if (offsets_[i] != SIZE_MAX && sections_[i].sh_type != SHT_NOBITS) {
        std::memcpy(memory + offsets_[i], object_.data() + sections_[i].sh_offset,
                    sections_[i].sh_size);
      }
    }
  }

  // Returns the address of each symbol; external functions are called through stubs. Adds global
  // symbols to `functions`.
  absl::StatusOr<std::vector<uint64_t>> Resolve(
      char* memory, absl::flat_hash_map<std::string, void*>& functions) const {
    const char* names = At<char>(object_, sections_[symbol_table_->sh_link].sh_offset);
    const absl::Span<const Elf64_Sym> symbols(At<Elf64_Sym>(object_, symbol_table_->sh_offset),
                                              symbol_table_->sh_size / sizeof(Elf64_Sym));
    std::vector<uint64_t> addresses(symbols.size(), 0);
    char* stub = memory + stubs_;
    for (size_t i = 1; i < symbols.size(); ++i) {
      const Elf64_Sym& symbol = symbols[i];
      const char* name = names + symbol.st_name;
      if (symbol.st_shndx == SHN_UNDEF) {
        const ExternalFunction* found = FindExternal(name);
        if (found == nullptr) {
          if (*name == '\0' || std::strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0) continue;
          return absl::InternalError(
              absl::StrCat("compiled code calls an unknown function ", name));
        }
        WriteStub(stub, found->address);
        addresses[i] = reinterpret_cast<uint64_t>(stub);
        stub += kStubBytes;
      } else if (symbol.st_shndx < sections_.size() && offsets_[symbol.st_shndx] != SIZE_MAX) {
        char* const address = memory + offsets_[symbol.st_shndx] + symbol.st_value;
        addresses[i] = reinterpret_cast<uint64_t>(address);
        if (ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL) functions[name] = address;
      }
    }
    return addresses;
  }

  // Returns the names of the global symbols that the object defines.
  std::vector<std::string> GlobalSymbols() const {
    const char* names = At<char>(object_, sections_[symbol_table_->sh_link].sh_offset);
    const absl::Span<const Elf64_Sym> symbols(At<Elf64_Sym>(object_, symbol_table_->sh_offset),
                                              symbol_table_->sh_size / sizeof(Elf64_Sym));
    std::vector<std::string> found;
    for (const Elf64_Sym& symbol : symbols) {
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
        found.emplace_back(names + symbol.st_name);
    }
    return found;
  }

  absl::Status RelocateSections(char* memory, absl::Span<const uint64_t> addresses) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA || offsets_[section.sh_info] == SIZE_MAX) continue;
      const absl::Span<const Elf64_Rela> entries(At<Elf64_Rela>(object_, section.sh_offset),
                                                 section.sh_size / sizeof(Elf64_Rela));
      for (const Elf64_Rela& entry : entries) {
        const auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
        if (!Relocate(type, memory + offsets_[section.sh_info] + entry.r_offset,
                      addresses[ELF64_R_SYM(entry.r_info)], entry.r_addend)) {
          return absl::InternalError(absl::StrCat("compiled code has a relocation of type ", type));
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  void Place(bool executable) {
    for (size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_type == SHT_X86_64_UNWIND ||
          ((section.sh_flags & SHF_EXECINSTR) != 0) != executable) {
        continue;
      }
      size_ = RoundUp(size_, section.sh_addralign == 0 ? 1 : section.sh_addralign);
      offsets_[i] = size_;
      size_ += section.sh_size;
    }
  }

  const ExternalFunction* FindExternal(const char* name) const {
    const ExternalFunction* found = nullptr;
    for (const ExternalFunction& external : externals_) {
      if (external.name == name) found = &external;
    }
    return found;
  }

  const absl::Span<const char> object_;
  const absl::Span<const ExternalFunction> externals_;
  const absl::Span<const Elf64_Shdr> sections_;
  const Elf64_Shdr* symbol_table_ = nullptr;
  std::vector<size_t> offsets_;  // by section; SIZE_MAX for those that are not loaded
  size_t size_ = 0, stubs_ = 0, executable_bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<NativeCode>> NativeCode::Load(
    absl::Span<const char> object, absl::Span<const ExternalFunction> externals) {
  const auto* header = At<Elf64_Ehdr>(object, 0);
  if (object.size() < sizeof(Elf64_Ehdr) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return absl::InternalError("the compiled code is not an ELF object");
  }
  const ObjectLayout layout(object, externals);
  if (!layout.has_symbols()) return absl::InternalError("the object has no symbols");
  const size_t size = layout.size();
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system has no memory for ", size, " bytes of code"));
  }
  std::unique_ptr<NativeCode> code(new NativeCode(static_cast<char*>(memory), size));
  char* const base = code->memory_;
  layout.CopySections(base);
  XLA_ASSIGN_OR_RETURN(const std::vector<uint64_t> addresses,
                       layout.Resolve(base, code->functions_));
  XLA_RETURN_IF_ERROR(layout.RelocateSections(base, addresses));
  const size_t executable_bytes = layout.executable_bytes();
  if (mprotect(base, executable_bytes, PROT_READ | PROT_EXEC) != 0 ||
      (size > executable_bytes &&
       mprotect(base + executable_bytes, size - executable_bytes, PROT_READ) != 0)) {
    return absl::InternalError("the system does not allow generated code");
  }
  __builtin___clear_cache(base, base + executable_bytes);
  return code;
}

absl::StatusOr<std::unique_ptr<NativeCode>> NativeCode::ListFunctions(
    absl::Span<const char> object) {
  const ObjectLayout layout(object, {});
  if (!layout.has_symbols()) return absl::InternalError("the object has no symbols");
  const std::vector<std::string> names = layout.GlobalSymbols();
  const size_t size = RoundUp(names.size() + 1, kPage);
  void* memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return absl::ResourceExhaustedError("the system has no memory left");
  std::unique_ptr<NativeCode> code(new NativeCode(static_cast<char*>(memory), size));
  for (size_t i = 0; i < names.size(); ++i) code->functions_[names[i]] = code->memory_ + i;
  return code;
}

NativeCode::~NativeCode() { munmap(memory_, bytes_); }

void* NativeCode::Find(std::string_view name) const {
  const auto found = functions_.find(absl::string_view(name.data(), name.size()));
  return found == functions_.end() ? nullptr : found->second;
}

}  // namespace xla::cpu

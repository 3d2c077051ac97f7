// SPDX-License-Identifier: Apache-2.0
// Source of the formats: System V ABI, chapter 4 (ELF), and its supplements for x86-64 and AArch64;
// ar(5) of GNU and System V.
#include "xla/aot/object_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace xla::aot {
namespace {

void AlignTo(std::string& bytes, size_t multiple) {
  bytes.resize((bytes.size() + multiple - 1) / multiple * multiple, '\0');
}

template <typename T>
void Append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A table of strings; the empty one is at 0.
class StringTable {
 public:
  uint32_t Add(std::string_view text) {
    const auto at = static_cast<uint32_t>(text_.size());
    text_.append(text).push_back('\0');
    return at;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = std::string(1, '\0');
};

// The sections of an object and where they are in its bytes. Null if it is not one.
class ObjectView {
 public:
  explicit ObjectView(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
      return;
    const auto header = Read<Elf64_Ehdr>(0);
    if (header.e_shoff > bytes.size() ||
        header.e_shnum > (bytes.size() - header.e_shoff) / sizeof(Elf64_Shdr)) {
      return;
    }
    for (size_t i = 0; i < header.e_shnum; ++i)
      sections_.push_back(Read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB && section.sh_link < sections_.size()) table_ = &section;
    }
  }

  bool has_symbols() const { return table_ != nullptr; }
  size_t symbol_count() const { return table_->sh_size / sizeof(Elf64_Sym); }
  size_t PlaceOf(size_t i) const { return table_->sh_offset + i * sizeof(Elf64_Sym); }
  Elf64_Sym SymbolAt(size_t i) const { return Read<Elf64_Sym>(PlaceOf(i)); }
  const char* NameOf(const Elf64_Sym& symbol) const {
    return bytes_.data() + sections_[table_->sh_link].sh_offset + symbol.st_name;
  }
  static bool IsGlobal(const Elf64_Sym& symbol) {
    return ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && symbol.st_shndx != SHN_UNDEF;
  }

 private:
  template <typename T>
  T Read(size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(value));
    return value;
  }

  const std::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  const Elf64_Shdr* table_ = nullptr;
};

}  // namespace

void DataObject::Align(int64_t bytes) { AlignTo(data_, static_cast<size_t>(bytes)); }

int DataObject::SymbolOf(const std::string& name) {
  const auto [found, is_new] = numbers_.try_emplace(name, static_cast<int>(symbols_.size()));
  if (is_new) {
    symbols_.push_back(name);
    places_.push_back(-1);
  }
  return found->second;
}

void DataObject::Define(const std::string& name) {
  places_[static_cast<size_t>(SymbolOf(name))] = static_cast<int64_t>(data_.size());
}

void DataObject::AddNumber(int64_t number) { Append(data_, number); }

void DataObject::AddAddress(const std::string& symbol) {
  if (!symbol.empty()) addresses_.push_back({static_cast<int64_t>(data_.size()), SymbolOf(symbol)});
  AddNumber(0);
}

void DataObject::AddBytes(absl::Span<const char> bytes) {
  data_.append(bytes.data(), bytes.size());
}

void DataObject::AddText(std::string_view text) { data_.append(text).push_back('\0'); }

std::string DataObject::Write() const {
  enum Section : uint16_t {
    kNone,
    kData,
    kRelocations,
    kSymbols,
    kStrings,
    kNames,
    kStack,
    kCount
  };
  StringTable names, strings;
  std::string symbols(sizeof(Elf64_Sym), '\0'), relocations;
  for (size_t i = 0; i < symbols_.size(); ++i) {
    Elf64_Sym symbol = {};
    symbol.st_name = strings.Add(symbols_[i]);
    const bool is_defined = places_[i] >= 0;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, is_defined ? STT_OBJECT : STT_NOTYPE);
    symbol.st_other = is_defined ? STV_HIDDEN : STV_DEFAULT;
    symbol.st_shndx = is_defined ? kData : SHN_UNDEF;
    symbol.st_value = is_defined ? static_cast<uint64_t>(places_[i]) : 0;
    Append(symbols, symbol);
  }
  const uint64_t type = machine_ == ObjectMachine::kX86 ? R_X86_64_64 : R_AARCH64_ABS64;
  for (const Address& address : addresses_) {
    Elf64_Rela relocation = {};
    relocation.r_offset = static_cast<uint64_t>(address.offset);
    relocation.r_info = ELF64_R_INFO(static_cast<uint64_t>(address.symbol + 1), type);
    Append(relocations, relocation);
  }
  Elf64_Shdr headers[kCount] = {};
  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  const auto place = [&](Section section, const char* name, uint32_t section_type,
                         const std::string& contents, uint64_t align) {
    AlignTo(bytes, align);
    Elf64_Shdr& header = headers[section];
    header.sh_name = names.Add(name);
    header.sh_type = section_type;
    header.sh_offset = bytes.size();
    header.sh_size = contents.size();
    header.sh_addralign = align;
    bytes += contents;
  };
  // With addresses, the loader writes to the data before it is protected.
  const bool has_addresses = !addresses_.empty();
  place(kData, has_addresses ? ".data.rel.ro" : ".rodata", SHT_PROGBITS, data_, 64);
  headers[kData].sh_flags = SHF_ALLOC | (has_addresses ? SHF_WRITE : 0);
  place(kRelocations, has_addresses ? ".rela.data.rel.ro" : ".rela.rodata", SHT_RELA, relocations,
        8);
  headers[kRelocations].sh_link = kSymbols;
  headers[kRelocations].sh_info = kData;
  headers[kRelocations].sh_flags = SHF_INFO_LINK;
  headers[kRelocations].sh_entsize = sizeof(Elf64_Rela);
  place(kSymbols, ".symtab", SHT_SYMTAB, symbols, 8);
  headers[kSymbols].sh_link = kStrings;
  headers[kSymbols].sh_info = 1;  // the first global symbol
  headers[kSymbols].sh_entsize = sizeof(Elf64_Sym);
  place(kStrings, ".strtab", SHT_STRTAB, strings.text(), 1);
  place(kStack, ".note.GNU-stack", SHT_PROGBITS, "", 1);
  StringTable all_names = names;
  all_names.Add(".shstrtab");
  const std::string name_text = all_names.text();
  place(kNames, ".shstrtab", SHT_STRTAB, name_text, 1);
  AlignTo(bytes, 8);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine_ == ObjectMachine::kX86 ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_shoff = bytes.size();
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kCount;
  header.e_shstrndx = kNames;
  std::memcpy(bytes.data(), &header, sizeof(header));
  bytes.append(reinterpret_cast<const char*>(headers), sizeof(headers));
  return bytes;
}

absl::Status HideSymbols(std::string& object, absl::Span<const std::string> exported) {
  const ObjectView view(object);
  if (!view.has_symbols()) return absl::InternalError("the generated object has no symbols");
  for (size_t i = 1; i < view.symbol_count(); ++i) {
    Elf64_Sym symbol = view.SymbolAt(i);
    if (!ObjectView::IsGlobal(symbol)) continue;
    if (std::find(exported.begin(), exported.end(), view.NameOf(symbol)) != exported.end())
      continue;
    symbol.st_other = STV_HIDDEN;
    std::memcpy(object.data() + view.PlaceOf(i), &symbol, sizeof(symbol));
  }
  return absl::OkStatus();
}

std::string WriteArchive(absl::Span<const ArchiveMember> members) {
  constexpr size_t kHeaderBytes = 60;
  const auto header = [](std::string_view name, size_t bytes) {
    const auto field = [](std::string_view text, size_t width) {
      std::string padded(text);
      padded.resize(width, ' ');
      return padded;
    };
    return absl::StrCat(field(name, 16), field("0", 12), field("0", 6), field("0", 6),
                        field("644", 8), field(absl::StrCat(bytes), 10), "`\n");
  };
  std::vector<std::pair<std::string, size_t>> index;  // symbols with the numbers of their members
  size_t name_bytes = 0;
  for (size_t m = 0; m < members.size(); ++m) {
    const ObjectView view(members[m].object);
    if (!view.has_symbols()) continue;
    for (size_t i = 1; i < view.symbol_count(); ++i) {
      const Elf64_Sym symbol = view.SymbolAt(i);
      if (!ObjectView::IsGlobal(symbol)) continue;
      index.emplace_back(view.NameOf(symbol), m);
      name_bytes += index.back().first.size() + 1;
    }
  }
  // Offsets of 64 bits: archives of large weights exceed 4 GiB.
  const size_t index_bytes = 8 + 8 * index.size() + name_bytes;
  const auto even = [](size_t bytes) { return bytes + bytes % 2; };
  size_t place = 8 + kHeaderBytes + even(index_bytes);
  std::vector<uint64_t> places;
  for (const ArchiveMember& member : members) {
    places.push_back(place);
    place += kHeaderBytes + even(member.object.size());
  }
  std::string archive = "!<arch>\n";
  archive.reserve(place);
  archive += header("/SYM64/", index_bytes);
  const auto append_big_endian = [&](uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8)
      archive.push_back(static_cast<char>(number >> shift));
  };
  append_big_endian(index.size());
  for (const auto& [name, member] : index) append_big_endian(places[member]);
  for (const auto& [name, member] : index) archive.append(name).push_back('\0');
  if (archive.size() % 2 != 0) archive.push_back('\n');
  for (const ArchiveMember& member : members) {
    archive += header(absl::StrCat(member.name, "/"), member.object.size());
    archive += member.object;
    if (archive.size() % 2 != 0) archive.push_back('\n');
  }
  return archive;
}

}  // namespace xla::aot

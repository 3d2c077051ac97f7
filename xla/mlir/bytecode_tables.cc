// SPDX-License-Identifier: Apache-2.0
// The sections of MLIR bytecode but the operations. Format: MLIR's "Bytecode Format" page.
#include "xla/mlir/bytecode_tables.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_builtin.h"

namespace xla::mlir {
namespace {

constexpr std::string_view kSectionNames[kNumSections] = {
    "strings",    "dialects",  "attributes and types", "offsets of attributes",
    "operations", "resources", "offsets of resources", "dialect versions",
    "properties"};

// Entries of dialects without an encoding are text, which ends with a zero byte.
std::string_view WithoutZero(std::string_view data) {
  return !data.empty() && data.back() == '\0' ? data.substr(0, data.size() - 1) : data;
}

}  // namespace

bool BytecodeTables::Read() {
  BytecodeCursor cursor(source_.text, source_.text.data(), &errors_);
  std::string_view magic;
  if (!cursor.Bytes(4, &magic) || !cursor.VarInt(&version_)) return false;
  if (version_ > kLatestVersion) {
    return cursor.Fail(absl::StrCat("bytecode version ", version_, " is newer than ",
                                    kLatestVersion, ", the latest that is known"));
  }
  if (!cursor.NullTerminated(&producer_)) return false;
  while (!cursor.AtEnd()) {
    uint8_t id;
    std::string_view content;
    if (!cursor.Section(&id, &content)) return false;
    if (id >= kNumSections) return cursor.Fail(absl::StrCat("section ", id, " is not known"));
    if (sections_[id].has_value()) {
      return cursor.Fail(
          absl::StrCat("the section of ", View(kSectionNames[id]), " is duplicated"));
    }
    sections_[id] = content;
  }
  for (const BytecodeSection id :
       {kStringSection, kDialectSection, kAttrTypeSection, kAttrTypeOffsetSection, kIrSection}) {
    if (!sections_[id].has_value()) {
      return cursor.Fail(absl::StrCat("the section of ", View(kSectionNames[id]), " is missing"));
    }
  }
  return ReadStrings() && ReadProperties() && ReadDialects() && ReadResources() && ReadOffsets();
}

absl::Status BytecodeTables::ToStatus() const {
  return absl::InvalidArgumentError(
      absl::StrCat(source_.name, ": bytecode", producer_.empty() ? "" : " of ", View(producer_),
                   ", offset ", errors_.offset, ": ", errors_.message));
}
bool BytecodeTables::StringAt(BytecodeCursor& cursor, uint64_t index, std::string_view* text) {
  if (index >= strings_.size()) return cursor.Fail("there is no such string");
  *text = strings_[static_cast<size_t>(index)];
  return true;
}
bool BytecodeTables::ResolveType(BytecodeCursor& cursor, uint64_t index, TypeRef* type) {
  return Resolve(cursor, index, types_, type, "type", [&](BytecodeEntry& entry, const auto& e) {
    return e.dialect->encoding != nullptr && e.dialect->encoding->type != nullptr
               ? e.dialect->encoding->type(entry)
               : nullptr;
  });
}
bool BytecodeTables::ResolveAttribute(BytecodeCursor& cursor, uint64_t index,
                                      AttributeRef* attribute) {
  return Resolve(
      cursor, index, attributes_, attribute, "attribute", [&](BytecodeEntry& entry, const auto& e) {
        return e.dialect->encoding != nullptr && e.dialect->encoding->attribute != nullptr
                   ? e.dialect->encoding->attribute(entry)
                   : nullptr;
      });
}
bool BytecodeTables::ResourceAt(BytecodeCursor& cursor, uint64_t index, std::string_view* key) {
  if (index >= resource_keys_.size()) return cursor.Fail("there is no such resource");
  *key = resource_keys_[static_cast<size_t>(index)];
  return true;
}

const OperationName* BytecodeTables::NameAt(BytecodeCursor& cursor, uint64_t index) {
  if (index >= names_.size()) {
    cursor.Fail("there is no such name of an operation");
    return nullptr;
  }
  Name& name = names_[static_cast<size_t>(index)];
  if (name.name == nullptr) {
    name.name = source_.Name(name.text.empty()
                                 ? std::string(name.dialect->name)
                                 : absl::StrCat(View(name.dialect->name), ".", View(name.text)),
                             dialects_);
  }
  return name.name;
}

bool BytecodeTables::ReadStrings() {
  BytecodeCursor cursor = Section(kStringSection);
  uint64_t count;
  if (!cursor.Count(&count)) return false;
  std::vector<uint64_t> sizes(static_cast<size_t>(count));
  for (uint64_t& size : sizes) {
    if (!cursor.VarInt(&size)) return false;
  }
  // Sizes are given from the last string to the first.
  const std::string_view data = cursor.rest();
  size_t end = data.size();
  strings_.resize(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > end || sizes[i] == 0) return cursor.Fail("a string exceeds its section");
    end -= static_cast<size_t>(sizes[i]);
    strings_[sizes.size() - 1 - i] = data.substr(end, static_cast<size_t>(sizes[i]) - 1);
  }
  return true;
}

bool BytecodeTables::ReadText(BytecodeCursor& cursor, std::string_view* text) {
  uint64_t index;
  return cursor.VarInt(&index) && StringAt(cursor, index, text);
}

bool BytecodeTables::ReadProperties() {
  if (!sections_[kProperties].has_value()) return true;
  BytecodeCursor cursor = Section(kProperties);
  uint64_t count;
  if (!cursor.Count(&count)) return false;
  properties_.resize(static_cast<size_t>(count));
  for (std::string_view& entry : properties_) {
    uint64_t size;
    if (!cursor.VarInt(&size) || !cursor.Bytes(size, &entry)) return false;
  }
  return true;
}

const DialectBytecode* BytecodeTables::FindEncoding(std::string_view name) const {
  if (name == "builtin") return &BuiltinBytecode();
  for (const DialectBytecode& encoding : encodings_) {
    if (encoding.dialect == name) return &encoding;
  }
  return nullptr;
}

bool BytecodeTables::ReadDialects() {
  BytecodeCursor cursor = Section(kDialectSection);
  uint64_t count;
  if (!cursor.Count(&count)) return false;
  dialect_table_.resize(static_cast<size_t>(count));
  for (Dialect& dialect : dialect_table_) {
    uint64_t index;
    bool has_version = false;
    if (version_ < kHasDialectVersions ? !cursor.VarInt(&index)
                                       : !cursor.VarIntWithFlag(&index, &has_version)) {
      return false;
    }
    if (!StringAt(cursor, index, &dialect.name)) return false;
    dialect.encoding = FindEncoding(dialect.name);
    if (!has_version) continue;
    uint8_t id;
    std::string_view content;
    if (!cursor.Section(&id, &content)) return false;
    if (id != kDialectVersions) return cursor.Fail("expected the version of a dialect");
    if (dialect.encoding == nullptr || dialect.encoding->version == nullptr) continue;
    BytecodeEntry entry(this, CursorOf(content));
    if (!dialect.encoding->version(entry)) return false;
  }
  if (version_ >= kElidesUnknownLocations) {
    uint64_t names;
    if (!cursor.VarInt(&names)) return false;
  }
  while (!cursor.AtEnd()) {
    const auto read_name = [&](const Dialect& dialect) {
      Name name;
      name.dialect = &dialect;
      uint64_t index;
      const bool ok = version_ < kHasProperties
                          ? cursor.VarInt(&index)
                          : cursor.VarIntWithFlag(&index, &name.was_registered);
      if (!ok || !StringAt(cursor, index, &name.text)) return false;
      names_.push_back(name);
      return true;
    };
    if (!ReadGroup(cursor, read_name)) return false;
  }
  return true;
}

// A dialect, a count and as many entries.
template <typename Function>
bool BytecodeTables::ReadGroup(BytecodeCursor& cursor, Function read) {
  uint64_t dialect;
  uint64_t count;
  if (!cursor.VarInt(&dialect)) return false;
  if (dialect >= dialect_table_.size()) return cursor.Fail("there is no such dialect");
  if (!cursor.Count(&count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    if (!read(dialect_table_[static_cast<size_t>(dialect)])) return false;
  }
  return true;
}

bool BytecodeTables::ReadOffsets() {
  BytecodeCursor cursor = Section(kAttrTypeOffsetSection);
  uint64_t attributes;
  uint64_t types;
  if (!cursor.Count(&attributes) || !cursor.Count(&types)) return false;
  attributes_.resize(static_cast<size_t>(attributes));
  types_.resize(static_cast<size_t>(types));
  size_t offset = 0;
  return ReadEntries(cursor, attributes_, &offset) && ReadEntries(cursor, types_, &offset);
}

template <typename T>
bool BytecodeTables::ReadEntries(BytecodeCursor& cursor, std::vector<Entry<T>>& entries,
                                 size_t* offset) {
  const std::string_view data = *sections_[kAttrTypeSection];
  size_t index = 0;
  while (index < entries.size()) {
    const auto read_entry = [&](const Dialect& dialect) {
      if (index >= entries.size()) return cursor.Fail("there are too many entries");
      Entry<T>& entry = entries[index++];
      uint64_t size;
      if (!cursor.VarIntWithFlag(&size, &entry.is_encoded)) return false;
      if (size > data.size() - *offset) return cursor.Fail("an entry exceeds its section");
      entry.dialect = &dialect;
      entry.data = data.substr(*offset, static_cast<size_t>(size));
      *offset += static_cast<size_t>(size);
      return true;
    };
    if (!ReadGroup(cursor, read_entry)) return false;
  }
  return true;
}

template <typename T, typename Function>
bool BytecodeTables::Resolve(BytecodeCursor& cursor, uint64_t index, std::vector<Entry<T>>& entries,
                             T* value, const char* what, Function read) {
  if (index >= entries.size()) return cursor.Fail(absl::StrCat("there is no such ", what));
  Entry<T>& entry = entries[static_cast<size_t>(index)];
  if (entry.value == nullptr && !ResolveEntry(cursor, entry, what, read)) return false;
  *value = entry.value;
  weight_ += entry.weight;
  return true;
}

template <typename T, typename Function>
bool BytecodeTables::ResolveEntry(BytecodeCursor& cursor, Entry<T>& entry, const char* what,
                                  Function read) {
  if (entry.is_resolving) return cursor.Fail(absl::StrCat("a ", what, " contains itself"));
  if (nesting_ >= kMaxNesting) {
    return cursor.Fail(absl::StrCat("nested deeper than ", kMaxNesting));
  }
  entry.is_resolving = true;
  Arena* const arena = context().UseArena(nullptr);  // it is shared by all functions
  ++nesting_;
  const uint64_t outer_weight = std::exchange(weight_, 1);
  if (entry.is_encoded) {
    BytecodeEntry bytes(this, CursorOf(entry.data));
    entry.value = read(bytes, entry);
    if (entry.value == nullptr && errors_.ok()) {
      bytes.Fail(absl::StrCat("the encoding of this ", what, " of dialect '",
                              View(entry.dialect->name), "' is not known"));
    }
  } else {
    entry.value = ReadTextEntry(cursor, entry.data, static_cast<T*>(nullptr));
  }
  context().UseArena(arena);
  --nesting_;
  entry.is_resolving = false;
  entry.weight = std::exchange(weight_, outer_weight);
  if (entry.weight > kMaxExpansion) {
    return cursor.Fail(
        absl::StrCat("a ", what, " expands to more than ", kMaxExpansion, " attributes and types"));
  }
  return errors_.ok() && entry.value != nullptr;
}

AttributeRef BytecodeTables::ReadTextEntry(BytecodeCursor& cursor, std::string_view data,
                                           AttributeRef*) {
  auto result = ReadAttribute(WithoutZero(data), &context(), dialects_.syntaxes());
  if (result.ok()) return *result;
  cursor.Fail(std::string(result.status().message()));
  return nullptr;
}
TypeRef BytecodeTables::ReadTextEntry(BytecodeCursor& cursor, std::string_view data, TypeRef*) {
  auto result = ReadType(WithoutZero(data), &context(), dialects_.syntaxes());
  if (result.ok()) return *result;
  cursor.Fail(std::string(result.status().message()));
  return nullptr;
}

// --- Resources ---

bool BytecodeTables::ReadResources() {
  if (!sections_[kResource].has_value() || !sections_[kResourceOffset].has_value()) return true;
  BytecodeCursor offsets = Section(kResourceOffset);
  BytecodeCursor data = Section(kResource);
  uint64_t external;
  if (!offsets.Count(&external)) return false;
  for (uint64_t i = 0; i < external; ++i) {
    std::string_view key;
    if (!ReadText(offsets, &key) || !ReadResourceGroup(offsets, data, false)) return false;
  }
  while (!offsets.AtEnd()) {
    uint64_t dialect;
    if (!offsets.VarInt(&dialect) || !ReadResourceGroup(offsets, data, true)) return false;
  }
  return true;
}

bool BytecodeTables::ReadResourceGroup(BytecodeCursor& offsets, BytecodeCursor& data,
                                       bool is_dialect) {
  uint64_t count;
  if (!offsets.Count(&count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view key;
    uint64_t size;
    uint8_t kind;  // 0: blob, 1: boolean, 2: string
    std::string_view content;
    if (!ReadText(offsets, &key) || !offsets.VarInt(&size) || !offsets.Byte(&kind) ||
        !data.Bytes(size, &content)) {
      return false;
    }
    if (!is_dialect) continue;
    resource_keys_.push_back(key);
    if (kind != 0 || content.empty()) continue;
    BytecodeCursor blob(content, source_.text.data(), &errors_);
    uint64_t alignment;
    uint64_t length;
    std::string_view bytes;
    if (!blob.VarInt(&alignment) || !blob.VarInt(&length) || !blob.Align(alignment) ||
        !blob.Bytes(length, &bytes)) {
      return false;
    }
    source_.resources.try_emplace(key, absl::MakeConstSpan(bytes.data(), bytes.size()));
  }
  return true;
}

// --- Properties ---

bool BytecodeTables::PropertiesAt(BytecodeCursor& cursor, uint64_t name, uint64_t index,
                                  absl::Span<const NamedAttribute>* attributes) {
  const auto known = decoded_.find({name, index});
  if (known != decoded_.end()) {
    *attributes = known->second;
    return true;
  }
  std::vector<NamedAttribute> decoded;
  if (!DecodeProperties(cursor, names_[static_cast<size_t>(name)], index, &decoded)) return false;
  *attributes = context().lasting_arena().Copy(decoded);
  decoded_.emplace(std::make_pair(name, index), *attributes);
  return true;
}

bool BytecodeTables::DecodeProperties(BytecodeCursor& cursor, const Name& name, uint64_t index,
                                      std::vector<NamedAttribute>* attributes) {
  if (!name.was_registered) {
    AttributeRef properties;
    if (!AttributeAt(cursor, index, &properties)) return false;
    const auto* dictionary = properties->As<DictionaryAttribute>();
    if (dictionary == nullptr) return cursor.Fail("properties must be a dictionary");
    attributes->assign(dictionary->entries.begin(), dictionary->entries.end());
    return true;
  }
  if (index >= properties_.size()) return cursor.Fail("there are no such properties");
  const DialectBytecode* encoding = name.dialect->encoding;
  if (encoding == nullptr || encoding->properties == nullptr) {
    return cursor.Fail(
        absl::StrCat("the properties of dialect '", View(name.dialect->name), "' are not known"));
  }
  BytecodeEntry entry(this, CursorOf(properties_[static_cast<size_t>(index)]));
  if (!encoding->properties(name.text, entry, attributes)) return false;
  if (entry.cursor().AtEnd()) return true;
  return entry.Fail(absl::StrCat("the properties of ", View(name.dialect->name), ".",
                                 View(name.text), " are longer than expected"));
}

// --- The contents of entries ---

Context& BytecodeEntry::context() { return tables_.context(); }
uint64_t BytecodeEntry::version() const { return tables_.version(); }

bool BytecodeEntry::SignedVarInts(std::vector<int64_t>* values) {
  uint64_t count;
  if (!cursor_.Count(&count)) return false;
  values->resize(static_cast<size_t>(count));
  for (int64_t& value : *values) {
    if (!cursor_.SignedVarInt(&value)) return false;
  }
  return true;
}

bool BytecodeEntry::Sizes(std::vector<int64_t>* sizes) {
  if (!SignedVarInts(sizes)) return false;
  for (const int64_t size : *sizes) {
    if (size < 0 && size != kDynamic) return Fail(absl::StrCat("the size ", size, " is negative"));
  }
  return true;
}

bool BytecodeEntry::Text(std::string_view* text) {
  uint64_t index;
  return cursor_.VarInt(&index) && tables_.StringAt(cursor_, index, text);
}

bool BytecodeEntry::Blob(absl::Span<const char>* bytes) {
  uint64_t size;
  std::string_view data;
  if (!cursor_.VarInt(&size) || !cursor_.Bytes(size, &data)) return false;
  *bytes = absl::MakeConstSpan(data.data(), data.size());
  return true;
}

bool BytecodeEntry::Type(TypeRef* type) {
  uint64_t index;
  return cursor_.VarInt(&index) && tables_.TypeAt(cursor_, index, type);
}

bool BytecodeEntry::Types(std::vector<TypeRef>* types) {
  uint64_t count;
  if (!cursor_.Count(&count)) return false;
  types->resize(static_cast<size_t>(count));
  for (TypeRef& type : *types) {
    if (!Type(&type)) return false;
  }
  return true;
}

bool BytecodeEntry::Attribute(AttributeRef* attribute) {
  uint64_t index;
  return cursor_.VarInt(&index) && tables_.AttributeAt(cursor_, index, attribute);
}

bool BytecodeEntry::OptionalAttribute(AttributeRef* attribute) {
  uint64_t index;
  bool is_present;
  *attribute = nullptr;
  if (!cursor_.VarIntWithFlag(&index, &is_present)) return false;
  return !is_present || tables_.AttributeAt(cursor_, index, attribute);
}

bool BytecodeEntry::Attributes(std::vector<AttributeRef>* attributes) {
  uint64_t count;
  if (!cursor_.Count(&count)) return false;
  attributes->resize(static_cast<size_t>(count));
  for (AttributeRef& attribute : *attributes) {
    if (!Attribute(&attribute)) return false;
  }
  return true;
}

bool BytecodeEntry::Bits(int width, std::vector<uint64_t>* words) {
  words->clear();
  if (width <= 8) {
    uint8_t byte;
    if (!cursor_.Byte(&byte)) return false;
    words->push_back(byte);
    return true;
  }
  uint64_t count = 1;
  if (width > 64 && !cursor_.Count(&count)) return false;
  if (count > static_cast<uint64_t>(width + 63) / 64) return Fail("an integer is too wide");
  for (uint64_t i = 0; i < count; ++i) {
    int64_t word;
    if (!cursor_.SignedVarInt(&word)) return false;
    words->push_back(static_cast<uint64_t>(word));
  }
  return true;
}

bool BytecodeEntry::ResourceKey(std::string_view* key) {
  uint64_t index;
  return cursor_.VarInt(&index) && tables_.ResourceAt(cursor_, index, key);
}

bool BytecodeEntry::IntegerOf(TypeRef type, AttributeRef* attribute) {
  if (type->kind != TypeKind::kInteger && type->kind != TypeKind::kIndex) {
    return Fail(absl::StrCat("an integer cannot be of type ", ToString(type)));
  }
  const uint32_t width = type->kind == TypeKind::kIndex ? 64 : type->width;
  std::vector<uint64_t> words;
  if (!Bits(static_cast<int>(width), &words)) return false;
  if (width <= 64) {
    *attribute = context().IntegerOf(type, static_cast<int64_t>(words[0]));
    return true;
  }
  words.resize((width + 63) / 64, 0);
  *attribute = context().arena().New<IntegerAttribute>(mlir::Attribute{AttributeKind::kInteger},
                                                       type, static_cast<int64_t>(words[0]),
                                                       context().arena().Copy(words));
  return true;
}

bool BytecodeEntry::FloatOf(TypeRef type, AttributeRef* attribute) {
  if (type->kind != TypeKind::kFloat) {
    return Fail(absl::StrCat("a float cannot be of type ", ToString(type)));
  }
  std::vector<uint64_t> words;
  const int width = GetFloatFormat(type->float_kind).width;
  if (!Bits(width, &words)) return false;
  FloatBits bits = {};
  for (size_t i = 0; i < words.size() && i < 2; ++i) bits[i] = words[i];
  if (width < 64) bits[0] &= (uint64_t{1} << width) - 1;
  *attribute = context().FloatOf(type, bits);
  return true;
}

}  // namespace xla::mlir

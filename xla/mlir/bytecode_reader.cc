// SPDX-License-Identifier: Apache-2.0
// The container of MLIR bytecode and its operations. Format: MLIR's "Bytecode Format" page.
#include "xla/mlir/bytecode_reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_builtin.h"

namespace xla::mlir {
namespace {

enum SectionId : uint8_t {
  kStringSection,
  kDialectSection,
  kAttrTypeSection,
  kAttrTypeOffsetSection,
  kIrSection,
  kResource,
  kResourceOffset,
  kDialectVersions,
  kProperties,
  kNumSections,
};

constexpr std::string_view kSectionNames[kNumSections] = {
    "strings",    "dialects",  "attributes and types", "offsets of attributes",
    "operations", "resources", "offsets of resources", "dialect versions",
    "properties"};

// What a container version added.
constexpr uint64_t kHasDialectVersions = 1;
constexpr uint64_t kHasIsolatedSections = 2;
constexpr uint64_t kHasUseListOrders = 3;
constexpr uint64_t kElidesUnknownLocations = 4;
constexpr uint64_t kHasProperties = 5;
constexpr uint64_t kLatestVersion = 6;

enum OperationMask : uint8_t {
  kMaskAttributes = 1,
  kMaskResults = 2,
  kMaskOperands = 4,
  kMaskSuccessors = 8,
  kMaskRegions = 16,
  kMaskUseListOrders = 32,
  kMaskProperties = 64,
};

struct Dialect {
  std::string_view name;
  const DialectBytecode* encoding = nullptr;
};

template <typename T>
struct Entry {
  T value = nullptr;
  const Dialect* dialect = nullptr;
  bool is_encoded = false;    // else text
  bool is_resolving = false;  // finds entries that contain themselves
  uint64_t weight = 0;        // nodes if nothing were shared
  std::string_view data;
};

struct Name {
  const Dialect* dialect = nullptr;
  std::string_view text;  // without the dialect
  bool was_registered = true;
  const OperationName* name = nullptr;
};

}  // namespace

class BytecodeReader {
 public:
  BytecodeReader(Source* source, const Dialects& dialects,
                 absl::Span<const DialectBytecode> encodings)
      : source_(*source), dialects_(dialects), encodings_(encodings) {}

  bool Read() {
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
    for (const SectionId id :
         {kStringSection, kDialectSection, kAttrTypeSection, kAttrTypeOffsetSection, kIrSection}) {
      if (!sections_[id].has_value()) {
        return cursor.Fail(absl::StrCat("the section of ", View(kSectionNames[id]), " is missing"));
      }
    }
    return ReadStrings() && ReadProperties() && ReadDialects() && ReadResources() &&
           ReadOffsets() && ReadProgram();
  }

  absl::Status ToStatus() const {
    return absl::InvalidArgumentError(
        absl::StrCat(source_.name, ": bytecode", producer_.empty() ? "" : " of ", View(producer_),
                     ", offset ", errors_.offset, ": ", errors_.message));
  }
  const BytecodeErrors& errors() const { return errors_; }

  Context& context() { return source_.context; }
  uint64_t version() const { return version_; }

  bool StringAt(BytecodeCursor& cursor, uint64_t index, std::string_view* text) {
    if (index >= strings_.size()) return cursor.Fail("there is no such string");
    *text = strings_[static_cast<size_t>(index)];
    return true;
  }
  bool TypeAt(BytecodeCursor& cursor, uint64_t index, TypeRef* type) {
    return Resolve(cursor, index, types_, type, "type", [&](BytecodeEntry& entry, const auto& e) {
      return e.dialect->encoding != nullptr && e.dialect->encoding->type != nullptr
                 ? e.dialect->encoding->type(entry)
                 : nullptr;
    });
  }
  bool AttributeAt(BytecodeCursor& cursor, uint64_t index, AttributeRef* attribute) {
    return Resolve(cursor, index, attributes_, attribute, "attribute",
                   [&](BytecodeEntry& entry, const auto& e) {
                     return e.dialect->encoding != nullptr &&
                                    e.dialect->encoding->attribute != nullptr
                                ? e.dialect->encoding->attribute(entry)
                                : nullptr;
                   });
  }
  bool ResourceAt(BytecodeCursor& cursor, uint64_t index, std::string_view* key) {
    if (index >= resource_keys_.size()) return cursor.Fail("there is no such resource");
    *key = resource_keys_[static_cast<size_t>(index)];
    return true;
  }

 private:
  using Values = std::vector<Value*>;
  struct Scope {
    Values values;
    // Operands that were used before their definition.
    absl::flat_hash_map<size_t, std::vector<Value**>> pending;
  };

  BytecodeCursor Section(SectionId id) {
    return BytecodeCursor(*sections_[id], source_.text.data(), &errors_);
  }

  // --- Tables ---

  bool ReadStrings() {
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

  bool ReadText(BytecodeCursor& cursor, std::string_view* text) {
    uint64_t index;
    return cursor.VarInt(&index) && StringAt(cursor, index, text);
  }

  bool ReadProperties() {
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

  const DialectBytecode* FindEncoding(std::string_view name) const {
    if (name == "builtin") return &BuiltinBytecode();
    for (const DialectBytecode& encoding : encodings_) {
      if (encoding.dialect == name) return &encoding;
    }
    return nullptr;
  }

  bool ReadDialects() {
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
      BytecodeEntry entry(this, BytecodeCursor(content, source_.text.data(), &errors_));
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
  bool ReadGroup(BytecodeCursor& cursor, Function read) {
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

  bool ReadOffsets() {
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
  bool ReadEntries(BytecodeCursor& cursor, std::vector<Entry<T>>& entries, size_t* offset) {
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
  bool Resolve(BytecodeCursor& cursor, uint64_t index, std::vector<Entry<T>>& entries, T* value,
               const char* what, Function read) {
    if (index >= entries.size()) return cursor.Fail(absl::StrCat("there is no such ", what));
    Entry<T>& entry = entries[static_cast<size_t>(index)];
    if (entry.value == nullptr && !ResolveEntry(cursor, entry, what, read)) return false;
    *value = entry.value;
    weight_ += entry.weight;
    return true;
  }

  template <typename T, typename Function>
  bool ResolveEntry(BytecodeCursor& cursor, Entry<T>& entry, const char* what, Function read) {
    if (entry.is_resolving) return cursor.Fail(absl::StrCat("a ", what, " contains itself"));
    if (nesting_ >= kMaxNesting) {
      return cursor.Fail(absl::StrCat("nested deeper than ", kMaxNesting));
    }
    entry.is_resolving = true;
    ++nesting_;
    const uint64_t outer_weight = std::exchange(weight_, 1);
    if (entry.is_encoded) {
      BytecodeEntry bytes(this, BytecodeCursor(entry.data, source_.text.data(), &errors_));
      entry.value = read(bytes, entry);
      if (entry.value == nullptr && errors_.ok()) {
        bytes.Fail(absl::StrCat("the encoding of this ", what, " of dialect '",
                                View(entry.dialect->name), "' is not known"));
      }
    } else {
      entry.value = ReadTextEntry(cursor, entry.data, static_cast<T*>(nullptr));
    }
    --nesting_;
    entry.is_resolving = false;
    entry.weight = std::exchange(weight_, outer_weight);
    if (entry.weight > kMaxExpansion) {
      return cursor.Fail(absl::StrCat("a ", what, " expands to more than ", kMaxExpansion,
                                      " attributes and types"));
    }
    return errors_.ok() && entry.value != nullptr;
  }

  // Entries of dialects without an encoding are text, which ends with a zero byte.
  std::string_view WithoutZero(std::string_view data) const {
    return !data.empty() && data.back() == '\0' ? data.substr(0, data.size() - 1) : data;
  }
  AttributeRef ReadTextEntry(BytecodeCursor& cursor, std::string_view data, AttributeRef*) {
    auto result = ReadAttribute(WithoutZero(data), &context(), dialects_.syntaxes());
    if (result.ok()) return *result;
    cursor.Fail(std::string(result.status().message()));
    return nullptr;
  }
  TypeRef ReadTextEntry(BytecodeCursor& cursor, std::string_view data, TypeRef*) {
    auto result = ReadType(WithoutZero(data), &context(), dialects_.syntaxes());
    if (result.ok()) return *result;
    cursor.Fail(std::string(result.status().message()));
    return nullptr;
  }

  // --- Resources ---

  bool ReadResources() {
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

  bool ReadResourceGroup(BytecodeCursor& offsets, BytecodeCursor& data, bool is_dialect) {
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

  // --- Operations ---

  bool ReadProgram() {
    BytecodeCursor cursor = Section(kIrSection);
    Region top;
    Block* block = context().arena().New<Block>();
    top.Append(block);
    scopes_.emplace_back();
    uint64_t operations;
    std::vector<Block*> blocks = {block};
    size_t next_value = 0;
    if (!ReadBlockHeader(cursor, block, &operations, &next_value) ||
        !ReadOperations(cursor, block, operations, blocks, &next_value)) {
      return false;
    }
    if (block->first == nullptr || block->first != block->last ||
        !block->first->Is("builtin.module")) {
      return cursor.Fail("expected a single module");
    }
    source_.module = block->first;
    source_.module->block = nullptr;
    return true;
  }

  bool ReadBlockHeader(BytecodeCursor& cursor, Block* block, uint64_t* operations,
                       size_t* next_value) {
    bool has_arguments;
    if (!cursor.VarIntWithFlag(operations, &has_arguments)) return false;
    if (!has_arguments) return true;
    uint64_t count;
    if (!cursor.Count(&count)) return false;
    block->arguments = context().arena().NewArray<Value>(static_cast<size_t>(count));
    for (size_t i = 0; i < block->arguments.size(); ++i) {
      Value& value = block->arguments[i];
      value.block = block;
      value.index = static_cast<uint32_t>(i);
      uint64_t type;
      bool has_location = true;
      if (version_ >= kElidesUnknownLocations ? !cursor.VarIntWithFlag(&type, &has_location)
                                              : !cursor.VarInt(&type)) {
        return false;
      }
      if (!TypeAt(cursor, type, &value.type)) return false;
      uint64_t location;  // of an argument: not kept
      if (has_location && !cursor.VarInt(&location)) return false;
    }
    if (!DefineValues(cursor, block->arguments, next_value)) return false;
    if (version_ < kHasUseListOrders) return true;
    uint8_t has_orders;
    if (!cursor.Byte(&has_orders)) return false;
    return has_orders == 0 || SkipUseListOrders(cursor, block->arguments.size());
  }

  bool SkipUseListOrders(BytecodeCursor& cursor, size_t values) {
    uint64_t count = 1;
    if (values > 1 && !cursor.Count(&count)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t unused;
      if (values > 1 && !cursor.VarInt(&unused)) return false;
      uint64_t indices;
      bool is_pairs;
      if (!cursor.VarIntWithFlag(&indices, &is_pairs)) return false;
      if (indices > cursor.left()) return cursor.Fail("a list is longer than the file");
      for (uint64_t k = 0; k < indices; ++k) {
        if (!cursor.VarInt(&unused)) return false;
      }
    }
    return true;
  }

  bool DefineValues(BytecodeCursor& cursor, absl::Span<Value> values, size_t* next_value) {
    Scope& scope = scopes_.back();
    if (values.size() > scope.values.size() - std::min(*next_value, scope.values.size())) {
      return cursor.Fail("a region defines more values than it states");
    }
    for (Value& value : values) {
      const size_t index = (*next_value)++;
      scope.values[index] = &value;
      if (scope.pending.empty()) continue;
      const auto pending = scope.pending.find(index);
      if (pending == scope.pending.end()) continue;
      for (Value** slot : pending->second) *slot = &value;
      scope.pending.erase(pending);
    }
    return true;
  }

  bool ReadOperations(BytecodeCursor& cursor, Block* block, uint64_t count,
                      const std::vector<Block*>& blocks, size_t* next_value) {
    for (uint64_t i = 0; i < count; ++i) {
      Operation* operation = ReadOperation(cursor, blocks, next_value);
      if (operation == nullptr) return false;
      block->Append(operation);
    }
    return true;
  }

  const OperationName* NameAt(BytecodeCursor& cursor, uint64_t index) {
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

  Operation* ReadOperation(BytecodeCursor& cursor, const std::vector<Block*>& blocks,
                           size_t* next_value) {
    Arena& arena = context().arena();
    const size_t offset = cursor.offset();
    uint64_t name;
    uint8_t mask;
    uint64_t location;
    if (!cursor.VarInt(&name) || !cursor.Byte(&mask) || !cursor.VarInt(&location)) return nullptr;
    const OperationName* operation_name = NameAt(cursor, name);
    if (operation_name == nullptr) return nullptr;
    Operation* operation = arena.New<Operation>();
    operation->name = operation_name;
    operation->offset = offset;
    if (!AttributeAt(cursor, location, &operation->location)) return nullptr;
    if (!ReadAttributes(cursor, names_[static_cast<size_t>(name)], mask, operation)) return nullptr;
    uint64_t count;
    if ((mask & kMaskResults) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->results = arena.NewArray<Value>(static_cast<size_t>(count));
      for (size_t i = 0; i < operation->results.size(); ++i) {
        Value& value = operation->results[i];
        value.operation = operation;
        value.index = static_cast<uint32_t>(i);
        uint64_t type;
        if (!cursor.VarInt(&type) || !TypeAt(cursor, type, &value.type)) return nullptr;
      }
    }
    if ((mask & kMaskOperands) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->operands = arena.NewArray<Value*>(static_cast<size_t>(count));
      Scope& scope = scopes_.back();
      for (Value*& operand : operation->operands) {
        uint64_t index;
        if (!cursor.VarInt(&index)) return nullptr;
        if (index >= scope.values.size()) {
          cursor.Fail("there is no such value");
          return nullptr;
        }
        operand = scope.values[static_cast<size_t>(index)];
        if (operand == nullptr) scope.pending[static_cast<size_t>(index)].push_back(&operand);
      }
    }
    if ((mask & kMaskSuccessors) != 0) {
      if (!cursor.Count(&count)) return nullptr;
      operation->successors = arena.NewArray<Block*>(static_cast<size_t>(count));
      for (Block*& successor : operation->successors) {
        uint64_t index;
        if (!cursor.VarInt(&index)) return nullptr;
        if (index >= blocks.size()) {
          cursor.Fail("there is no such block");
          return nullptr;
        }
        successor = blocks[static_cast<size_t>(index)];
      }
    }
    if (version_ >= kHasUseListOrders && (mask & kMaskUseListOrders) != 0 &&
        !SkipUseListOrders(cursor, operation->results.size())) {
      return nullptr;
    }
    uint64_t regions = 0;
    bool is_isolated = false;
    if ((mask & kMaskRegions) != 0) {
      if (!cursor.VarIntWithFlag(&regions, &is_isolated)) return nullptr;
      if (regions > cursor.left()) {
        cursor.Fail("a list is longer than the file");
        return nullptr;
      }
    }
    // Values of the top level are not counted: nothing there uses them.
    if (!scopes_.back().values.empty() && !DefineValues(cursor, operation->results, next_value)) {
      return nullptr;
    }
    if (regions > 0 && !ReadRegions(cursor, operation, regions, is_isolated)) return nullptr;
    return operation;
  }

  bool ReadAttributes(BytecodeCursor& cursor, const Name& name, uint8_t mask,
                      Operation* operation) {
    std::vector<NamedAttribute> attributes;
    AttributeRef discardable = nullptr;
    if ((mask & kMaskAttributes) != 0) {
      uint64_t index;
      if (!cursor.VarInt(&index) || !AttributeAt(cursor, index, &discardable)) return false;
      if (discardable->kind != AttributeKind::kDictionary) {
        return cursor.Fail("the attributes of an operation must be a dictionary");
      }
    }
    if ((mask & kMaskProperties) != 0) {
      uint64_t index;
      if (!cursor.VarInt(&index)) return false;
      if (!name.was_registered) {
        AttributeRef properties;
        if (!AttributeAt(cursor, index, &properties)) return false;
        const auto* dictionary = properties->As<DictionaryAttribute>();
        if (dictionary == nullptr) return cursor.Fail("properties must be a dictionary");
        attributes.assign(dictionary->entries.begin(), dictionary->entries.end());
      } else {
        if (index >= properties_.size()) return cursor.Fail("there are no such properties");
        const DialectBytecode* encoding = name.dialect->encoding;
        if (encoding == nullptr || encoding->properties == nullptr) {
          return cursor.Fail(absl::StrCat("the properties of dialect '", View(name.dialect->name),
                                          "' are not known"));
        }
        BytecodeEntry entry(this, BytecodeCursor(properties_[static_cast<size_t>(index)],
                                                 source_.text.data(), &errors_));
        if (!encoding->properties(name.text, entry, &attributes)) return false;
        if (!entry.cursor().AtEnd()) {
          return entry.Fail(absl::StrCat("the properties of ", View(name.dialect->name), ".",
                                         View(name.text), " are longer than expected"));
        }
      }
    }
    if (discardable != nullptr) {
      const auto& entries = discardable->As<DictionaryAttribute>()->entries;
      if (attributes.empty()) {
        operation->attributes = entries;  // already in the arena
        return true;
      }
      attributes.insert(attributes.end(), entries.begin(), entries.end());
    }
    operation->attributes = context().arena().Copy(attributes);
    return true;
  }

  bool ReadRegions(BytecodeCursor& cursor, Operation* operation, uint64_t count, bool is_isolated) {
    if (nesting_ >= kMaxNesting) {
      return cursor.Fail(absl::StrCat("nested deeper than ", kMaxNesting));
    }
    ++nesting_;
    BytecodeCursor own = cursor;
    BytecodeCursor* from = &cursor;
    if (is_isolated && version_ >= kHasIsolatedSections) {
      uint8_t id;
      std::string_view content;
      if (!cursor.Section(&id, &content)) return false;
      if (id != kIrSection) return cursor.Fail("expected a section of operations");
      own = BytecodeCursor(content, source_.text.data(), &errors_);
      from = &own;
    }
    if (is_isolated) scopes_.emplace_back();
    operation->regions = context().arena().NewArray<Region>(static_cast<size_t>(count));
    bool ok = true;
    for (Region& region : operation->regions) {
      region.parent = operation;
      ok = ok && ReadRegion(*from, &region);
    }
    if (ok && is_isolated && !scopes_.back().pending.empty()) {
      ok = cursor.Fail("a value is used that is not defined");
    }
    if (is_isolated) scopes_.pop_back();
    --nesting_;
    return ok;
  }

  bool ReadRegion(BytecodeCursor& cursor, Region* region) {
    uint64_t count;
    if (!cursor.Count(&count)) return false;
    if (count == 0) return true;
    uint64_t values;
    if (!cursor.Count(&values)) return false;
    std::vector<Block*> blocks(static_cast<size_t>(count));
    for (Block*& block : blocks) {
      block = context().arena().New<Block>();
      region->Append(block);
    }
    Values& table = scopes_.back().values;
    const size_t first = table.size();
    table.resize(first + static_cast<size_t>(values), nullptr);
    size_t next_value = first;
    for (Block* block : blocks) {
      uint64_t operations;
      if (!ReadBlockHeader(cursor, block, &operations, &next_value) ||
          !ReadOperations(cursor, block, operations, blocks, &next_value)) {
        return false;
      }
    }
    for (const auto& [index, slots] : scopes_.back().pending) {
      if (index >= first) return cursor.Fail("a value is used that is not defined");
    }
    scopes_.back().values.resize(first);
    return true;
  }

  Source& source_;
  const Dialects& dialects_;
  absl::Span<const DialectBytecode> encodings_;
  BytecodeErrors errors_;
  uint64_t version_ = 0;
  std::string_view producer_;
  std::optional<std::string_view> sections_[kNumSections];
  std::vector<std::string_view> strings_;
  std::vector<std::string_view> properties_;
  std::vector<Dialect> dialect_table_;
  std::vector<Name> names_;
  std::vector<Entry<AttributeRef>> attributes_;
  std::vector<Entry<TypeRef>> types_;
  std::vector<std::string_view> resource_keys_;
  std::vector<Scope> scopes_;
  int nesting_ = 0;
  uint64_t weight_ = 0;
};

// --- Entries ---

Context& BytecodeEntry::context() { return reader_.context(); }
uint64_t BytecodeEntry::version() const { return reader_.version(); }

bool BytecodeEntry::SignedVarInts(std::vector<int64_t>* values) {
  uint64_t count;
  if (!cursor_.Count(&count)) return false;
  values->resize(static_cast<size_t>(count));
  for (int64_t& value : *values) {
    if (!cursor_.SignedVarInt(&value)) return false;
  }
  return true;
}

bool BytecodeEntry::Text(std::string_view* text) {
  uint64_t index;
  return cursor_.VarInt(&index) && reader_.StringAt(cursor_, index, text);
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
  return cursor_.VarInt(&index) && reader_.TypeAt(cursor_, index, type);
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
  return cursor_.VarInt(&index) && reader_.AttributeAt(cursor_, index, attribute);
}

bool BytecodeEntry::OptionalAttribute(AttributeRef* attribute) {
  uint64_t index;
  bool is_present;
  *attribute = nullptr;
  if (!cursor_.VarIntWithFlag(&index, &is_present)) return false;
  return !is_present || reader_.AttributeAt(cursor_, index, attribute);
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
  return cursor_.VarInt(&index) && reader_.ResourceAt(cursor_, index, key);
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

absl::StatusOr<std::unique_ptr<Source>> ReadBytecode(std::string data, std::string name,
                                                     const Dialects& dialects,
                                                     absl::Span<const DialectBytecode> encodings) {
  auto source = std::make_unique<Source>();
  source->name = std::move(name);
  source->text = std::move(data);
  if (!IsBytecode(source->text)) {
    return absl::InvalidArgumentError(absl::StrCat(source->name, ": not MLIR bytecode"));
  }
  BytecodeReader reader(source.get(), dialects, encodings);
  if (!reader.Read()) return reader.ToStatus();
  return source;
}

}  // namespace xla::mlir

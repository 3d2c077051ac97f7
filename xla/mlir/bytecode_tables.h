// SPDX-License-Identifier: Apache-2.0
// The tables of MLIR bytecode: strings, dialects, names of operations, attributes and types,
// properties, resources. Attributes and types are decoded when they are used first.
#ifndef XLA_MLIR_BYTECODE_TABLES_H_
#define XLA_MLIR_BYTECODE_TABLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "xla/mlir/bytecode_cursor.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/source.h"

namespace xla::mlir {

enum BytecodeSection : uint8_t {
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

// What a container version added.
inline constexpr uint64_t kHasDialectVersions = 1;
inline constexpr uint64_t kHasIsolatedSections = 2;
inline constexpr uint64_t kHasUseListOrders = 3;
inline constexpr uint64_t kElidesUnknownLocations = 4;
inline constexpr uint64_t kHasProperties = 5;
inline constexpr uint64_t kLatestVersion = 6;

class BytecodeTables {
 public:
  BytecodeTables(Source* source, const Dialects& dialects,
                 absl::Span<const DialectBytecode> encodings)
      : source_(*source), dialects_(dialects), encodings_(encodings) {}

  // All but the operations.
  bool Read();

  BytecodeErrors& errors() { return errors_; }
  absl::Status ToStatus() const;

  Context& context() { return source_.context; }
  uint64_t version() const { return version_; }
  BytecodeCursor Section(BytecodeSection id) {
    return BytecodeCursor(*sections_[id], source_.text.data(), &errors_);
  }
  BytecodeCursor CursorOf(std::string_view content) {
    return BytecodeCursor(content, source_.text.data(), &errors_);
  }

  // --- Entries of the tables; false after an error, which `cursor` records
  bool StringAt(BytecodeCursor& cursor, uint64_t index, std::string_view* text);
  bool TypeAt(BytecodeCursor& cursor, uint64_t index, TypeRef* type) {
    if (index < types_.size() && types_[static_cast<size_t>(index)].value != nullptr) {
      const Entry<TypeRef>& entry = types_[static_cast<size_t>(index)];
      *type = entry.value;
      weight_ += entry.weight;
      return true;
    }
    return ResolveType(cursor, index, type);
  }
  bool AttributeAt(BytecodeCursor& cursor, uint64_t index, AttributeRef* attribute) {
    if (index < attributes_.size() && attributes_[static_cast<size_t>(index)].value != nullptr) {
      const Entry<AttributeRef>& entry = attributes_[static_cast<size_t>(index)];
      *attribute = entry.value;
      weight_ += entry.weight;
      return true;
    }
    return ResolveAttribute(cursor, index, attribute);
  }
  bool ResourceAt(BytecodeCursor& cursor, uint64_t index, std::string_view* key);
  // The name of an operation, null after an error.
  const OperationName* NameAt(BytecodeCursor& cursor, uint64_t index);
  // The attributes that are stored as properties `index` of an operation with the name `name`.
  // Equal ones share their memory.
  bool PropertiesAt(BytecodeCursor& cursor, uint64_t name, uint64_t index,
                    absl::Span<const NamedAttribute>* attributes);

 private:
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

  bool ReadStrings();
  bool ReadText(BytecodeCursor& cursor, std::string_view* text);
  bool ReadProperties();
  const DialectBytecode* FindEncoding(std::string_view name) const;
  bool ReadDialects();
  template <typename Function>
  bool ReadGroup(BytecodeCursor& cursor, Function read);
  bool ReadOffsets();
  template <typename T>
  bool ReadEntries(BytecodeCursor& cursor, std::vector<Entry<T>>& entries, size_t* offset);
  bool ReadResources();
  bool ReadResourceGroup(BytecodeCursor& offsets, BytecodeCursor& data, bool is_dialect);
  bool ResolveType(BytecodeCursor& cursor, uint64_t index, TypeRef* type);
  bool ResolveAttribute(BytecodeCursor& cursor, uint64_t index, AttributeRef* attribute);
  template <typename T, typename Function>
  bool Resolve(BytecodeCursor& cursor, uint64_t index, std::vector<Entry<T>>& entries, T* value,
               const char* what, Function read);
  template <typename T, typename Function>
  bool ResolveEntry(BytecodeCursor& cursor, Entry<T>& entry, const char* what, Function read);
  AttributeRef ReadTextEntry(BytecodeCursor& cursor, std::string_view data, AttributeRef*);
  TypeRef ReadTextEntry(BytecodeCursor& cursor, std::string_view data, TypeRef*);
  bool DecodeProperties(BytecodeCursor& cursor, const Name& name, uint64_t index,
                        std::vector<NamedAttribute>* attributes);

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
  // By the number of the name and that of the properties.
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, absl::Span<const NamedAttribute>> decoded_;
  int nesting_ = 0;
  uint64_t weight_ = 0;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_BYTECODE_TABLES_H_

// SPDX-License-Identifier: Apache-2.0
// Reads MLIR bytecode, container versions 0 to 6: sections in any order, isolated regions in
// sections of their own, properties, resources; orders of uses are skipped, as nothing here has
// use lists. Dialects add how their attributes, types and properties are encoded.
#ifndef XLA_MLIR_BYTECODE_READER_H_
#define XLA_MLIR_BYTECODE_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/mlir/bytecode_cursor.h"
#include "xla/mlir/source.h"

namespace xla::mlir {

class BytecodeTables;

// The bytes of one attribute, type or set of properties, whose references it resolves.
class BytecodeEntry {
 public:
  BytecodeEntry(BytecodeTables* tables, BytecodeCursor cursor)
      : tables_(*tables), cursor_(cursor) {}

  BytecodeCursor& cursor() { return cursor_; }
  Context& context();
  // Of the container.
  uint64_t version() const;
  bool ok() const { return cursor_.ok(); }
  bool Fail(std::string message) { return cursor_.Fail(std::move(message)); }

  // False after an error.
  bool VarInt(uint64_t* value) { return cursor_.VarInt(value); }
  bool SignedVarInt(int64_t* value) { return cursor_.SignedVarInt(value); }
  bool SignedVarInts(std::vector<int64_t>* values);
  // Of a type: natural numbers, and kDynamic.
  bool Sizes(std::vector<int64_t>* sizes);
  bool Text(std::string_view* text);
  bool Blob(absl::Span<const char>* bytes);
  bool Type(TypeRef* type);
  bool Types(std::vector<TypeRef>* types);
  bool Attribute(AttributeRef* attribute);
  // Null where it is absent.
  bool OptionalAttribute(AttributeRef* attribute);
  bool Attributes(std::vector<AttributeRef>* attributes);
  // An integer (the bits of a float) of the given width.
  bool Bits(int width, std::vector<uint64_t>* words);
  bool ResourceKey(std::string_view* key);
  bool IntegerOf(TypeRef type, AttributeRef* attribute);
  bool FloatOf(TypeRef type, AttributeRef* attribute);

 private:
  BytecodeTables& tables_;
  BytecodeCursor cursor_;
};

// The encodings of a dialect. Functions return null after an error.
struct DialectBytecode {
  std::string_view dialect;
  AttributeRef (*attribute)(BytecodeEntry& entry) = nullptr;
  TypeRef (*type)(BytecodeEntry& entry) = nullptr;
  // The properties of the operation `name` ("add_v1"), appended as attributes.
  bool (*properties)(std::string_view name, BytecodeEntry& entry,
                     std::vector<NamedAttribute>* attributes) = nullptr;
  // What the dialect stored about its version.
  bool (*version)(BytecodeEntry& entry) = nullptr;
};

inline bool IsBytecode(std::string_view data) { return data.substr(0, 4) == "ML\xefR"; }

absl::StatusOr<std::unique_ptr<Source>> ReadBytecode(std::string data, std::string name,
                                                     const Dialects& dialects,
                                                     absl::Span<const DialectBytecode> encodings);

}  // namespace xla::mlir

#endif  // XLA_MLIR_BYTECODE_READER_H_

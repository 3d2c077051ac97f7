// SPDX-License-Identifier: Apache-2.0
// Reads types and attributes from MLIR text: all of the builtin dialect, and those of other
// dialects through their DialectSyntax or as text.
//
//   Context context;
//   absl::StatusOr<AttributeRef> a = ReadAttribute("{x = dense<1> : tensor<2xi32>}", &context);
//
// Nesting is limited to kMaxNesting, sizes of constants to what the text holds (a splat is kept as
// one element), so memory is bounded by a small multiple of the text.
#ifndef XLA_MLIR_ATTRIBUTE_READER_H_
#define XLA_MLIR_ATTRIBUTE_READER_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/mlir/context.h"
#include "xla/mlir/text_cursor.h"

namespace xla::mlir {

// Attributes, types and regions within each other.
inline constexpr int kMaxNesting = 200;
// What one alias (or entry of bytecode) may stand for when it is written out: attributes and types.
inline constexpr uint64_t kMaxExpansion = uint64_t{1} << 20;

class AttributeReader;

// How the attributes and types of a dialect are written. A function is called after
// "#dialect.name<" (or "#dialect.name", has_body being false) and reads up to the closing '>'. It
// returns null without an error where it leaves the body to be kept as text. `attribute_text` reads
// what operations write of an attribute whose kind they know: its text without #dialect.name.
struct DialectSyntax {
  std::string_view dialect;
  AttributeRef (*attribute)(AttributeReader& reader, std::string_view name,
                            bool has_body) = nullptr;
  TypeRef (*type)(AttributeReader& reader, std::string_view name, bool has_body) = nullptr;
  AttributeRef (*attribute_text)(AttributeReader& reader, std::string_view name) = nullptr;
};

class AttributeReader {
 public:
  AttributeReader(std::string_view text, Context* context,
                  absl::Span<const DialectSyntax> dialects = {})
      : cursor_(text, &context->arena()), context_(*context), dialects_(dialects) {}

  TextCursor& cursor() { return cursor_; }
  Context& context() { return context_; }
  Arena& arena() { return context_.arena(); }

  // Null after an error.
  AttributeRef ParseAttribute();
  TypeRef ParseType();
  // Null without an error if no attribute (type) starts here.
  AttributeRef ParseOptionalAttribute();
  TypeRef ParseOptionalType();
  bool AtType();

  // --- Parts, as operations need them ---
  // An integer or float of a type that is known from elsewhere: no ": type" is read.
  const IntegerAttribute* ParseInteger(TypeRef type);
  AttributeRef ParseNumber(TypeRef type);
  bool ParseSignedInteger(int64_t* value);
  const SymbolRefAttribute* ParseSymbol();
  // An attribute of a known kind of a dialect: in full, or without #dialect.name; `is_bare`:
  // without < and > too.
  AttributeRef ParseKnown(std::string_view dialect, std::string_view name, bool is_bare);
  // {name = value, unit}
  bool ParseEntries(std::vector<NamedAttribute>* entries);
  // Types between brackets: "(type, type)".
  bool ParseTypeList(char open, char close, std::vector<TypeRef>* types);
  // "(inputs) -> results"
  TypeRef ParseFunctionType();
  // "4x?x", up to the element type.
  bool ParseSizes(bool allow_dynamic, std::vector<int64_t>* sizes);
  // loc(..)
  AttributeRef ParseLocation();
  // name = value, ... up to the closing '>'.
  bool ParseParameters(std::vector<NamedAttribute>* parameters);
  // "<elements> : type" of dense, given or known type.
  AttributeRef ParseDense(TypeRef known_type);
  const DenseArrayAttribute* ParseDenseArray();

  // --- Aliases: #name = attribute, !name = type ---
  // Called after the value was read, before anything else is; StartAlias before it.
  void StartAlias() { weight_ = 0; }
  bool DefineAttributeAlias(std::string_view name, AttributeRef value);
  bool DefineTypeAlias(std::string_view name, TypeRef value);
  // Sets what locations mean that were used before their alias was defined. Fails where one is
  // missing.
  bool ResolveLocations();

  // Counts nesting; Enter fails beyond the limit, Leave is called either way.
  bool Enter();
  void Leave() { --nesting_; }

 private:
  AttributeRef AttributeAt();
  AttributeRef WordAttribute(std::string_view word);
  AttributeRef NumberAttribute();
  AttributeRef StringWithType();
  AttributeRef ArrayAttributeAt();
  AttributeRef DictionaryAt();
  // The name after '#' or '!': of an alias, or of a dialect and what it defines. Empty, with an
  // error that says what was `expected`, if there is none or a part of it is missing.
  std::string_view AliasOrDialectName(const char* expected);
  AttributeRef DialectOrAlias();
  AttributeRef DialectAttributeNamed(std::string_view dialect, std::string_view name,
                                     bool has_body);
  AttributeRef DenseResource();
  AttributeRef Sparse();
  AttributeRef KeptText(size_t begin, char close);
  AttributeRef LocationBody();
  AttributeRef LocationFile();
  AttributeRef MakeLocation(LocationAttribute::Form form, std::string_view text,
                            absl::Span<const AttributeRef> children = {},
                            AttributeRef metadata = nullptr);

  TypeRef TypeAt();
  TypeRef SimpleType(std::string_view word);
  TypeRef Tensor();
  TypeRef Vector();
  TypeRef MemRef();
  TypeRef DialectTypeOrAlias();
  TypeRef DialectTypeNamed(std::string_view dialect, std::string_view name, bool has_body);
  TypeRef QuantizedUniform();
  bool QuantizedStorage(Type* type, QuantizedParameters* parameters);
  bool QuantizedScale(TypeRef expressed, std::vector<double>* scales,
                      std::vector<int64_t>* zero_points);
  bool QuantizedScales(TypeRef expressed, std::vector<double>* scales,
                       std::vector<int64_t>* zero_points);
  const DialectSyntax* FindDialect(std::string_view dialect) const;

  TextCursor cursor_;
  Context& context_;
  absl::Span<const DialectSyntax> dialects_;
  int nesting_ = 0;
  template <typename T>
  struct Alias {
    T value;
    uint64_t weight;  // nodes if nothing were shared
  };
  template <typename T>
  bool DefineAlias(absl::flat_hash_map<std::string_view, Alias<T>>& aliases, const char* sigil,
                   std::string_view name, T value);

  absl::flat_hash_map<std::string_view, Alias<AttributeRef>> attribute_aliases_;
  absl::flat_hash_map<std::string_view, Alias<TypeRef>> type_aliases_;
  uint64_t weight_ = 0;
  std::vector<std::pair<LocationAttribute*, size_t>> unresolved_locations_;
  // Types by their text: programs repeat few types often.
  absl::flat_hash_map<std::string_view, TypeRef> seen_types_;
  std::vector<int64_t> sizes_;  // scratch
};

// Holds one level of nesting while it exists.
class NestingScope {
 public:
  explicit NestingScope(AttributeReader* reader) : reader_(reader), ok_(reader->Enter()) {}
  NestingScope(const NestingScope&) = delete;
  NestingScope& operator=(const NestingScope&) = delete;
  ~NestingScope() { reader_->Leave(); }
  bool ok() const { return ok_; }

 private:
  AttributeReader* reader_;
  bool ok_;
};

// The whole text is one attribute (type). It must outlive the result.
absl::StatusOr<AttributeRef> ReadAttribute(std::string_view text, Context* context,
                                           absl::Span<const DialectSyntax> dialects = {});
absl::StatusOr<TypeRef> ReadType(std::string_view text, Context* context,
                                 absl::Span<const DialectSyntax> dialects = {});

}  // namespace xla::mlir

#endif  // XLA_MLIR_ATTRIBUTE_READER_H_

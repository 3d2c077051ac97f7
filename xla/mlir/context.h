// SPDX-License-Identifier: Apache-2.0
// Owns the types and attributes of one MLIR source, and makes each distinct type once.
//
// Nodes are made in the current arena. While the body of a function is read, that is an arena of
// its own, which can be freed once the function is translated; types, interned text and values are
// always in the arena of the context.
#ifndef XLA_MLIR_CONTEXT_H_
#define XLA_MLIR_CONTEXT_H_

#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "xla/mlir/arena.h"
#include "xla/mlir/attributes.h"
#include "xla/mlir/types.h"

namespace xla::mlir {

class Context {
 public:
  Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Arena& arena() { return *current_; }
  Arena& lasting_arena() { return arena_; }
  // Makes another arena the current one, which is returned. Null: that of the context.
  Arena* UseArena(Arena* arena) {
    return std::exchange(current_, arena == nullptr ? &arena_ : arena);
  }

  // The type equal to `type`; what it points to is copied where it is new.
  TypeRef Intern(const Type& type);
  // The same characters have the same address afterwards.
  std::string_view InternText(std::string_view text);

  TypeRef Integer(uint32_t width, Signedness signedness = Signedness::kSignless);
  TypeRef Float(FloatKind kind);
  TypeRef Index();
  TypeRef None();
  TypeRef Complex(TypeRef element);
  TypeRef RankedTensor(absl::Span<const int64_t> sizes, TypeRef element,
                       AttributeRef encoding = nullptr);
  TypeRef UnrankedTensor(TypeRef element);
  TypeRef Tuple(absl::Span<const TypeRef> elements);
  TypeRef Function(absl::Span<const TypeRef> inputs, absl::Span<const TypeRef> results);
  TypeRef Dialect(std::string_view dialect, std::string_view name,
                  absl::Span<const TypeRef> parameters = {}, std::string_view text = {});

  AttributeRef Unit();
  AttributeRef Bool(bool value);
  // `value` is reduced to the type's width.
  const IntegerAttribute* IntegerOf(TypeRef type, int64_t value);
  const FloatAttribute* FloatOf(TypeRef type, const FloatBits& bits);
  const StringAttribute* String(std::string_view value);
  const ArrayAttribute* Array(absl::Span<const AttributeRef> elements);
  const DictionaryAttribute* Dictionary(absl::Span<const NamedAttribute> entries);
  const SymbolRefAttribute* Symbol(std::string_view root,
                                   absl::Span<const std::string_view> nested = {});
  const TypeAttribute* TypeOf(TypeRef type);
  const DenseArrayAttribute* I64Array(absl::Span<const int64_t> values);
  const DenseArrayAttribute* BoolArray(absl::Span<const bool> values);
  const DialectAttribute* DialectOf(std::string_view dialect, std::string_view name,
                                    std::string_view text,
                                    absl::Span<const NamedAttribute> parameters = {},
                                    absl::Span<const AttributeRef> elements = {});

 private:
  struct Hash {
    size_t operator()(TypeRef type) const;
  };
  struct Equality {
    bool operator()(TypeRef a, TypeRef b) const;
  };

  Arena arena_;
  Arena* current_ = &arena_;
  absl::flat_hash_set<TypeRef, Hash, Equality> types_;
  absl::flat_hash_set<std::string_view> texts_;
  TypeRef integers_[65] = {};  // signless, by width
  TypeRef floats_[kNumFloatKinds] = {};
  AttributeRef unit_ = nullptr;
  AttributeRef booleans_[2] = {};
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_CONTEXT_H_

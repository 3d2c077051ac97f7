// SPDX-License-Identifier: Apache-2.0
// Interning of types; constructors of types and attributes.
#include "xla/mlir/context.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/hash/hash.h"

namespace xla::mlir {
namespace {

bool SameParameters(const QuantizedParameters& a, const QuantizedParameters& b) {
  // Scales are compared by their bits: a NaN must equal itself.
  return a.storage_min == b.storage_min && a.storage_max == b.storage_max &&
         a.scales.size() == b.scales.size() &&
         (a.scales.empty() ||
          std::memcmp(a.scales.data(), b.scales.data(), a.scales.size() * sizeof(double)) == 0) &&
         a.zero_points == b.zero_points && a.dimensions == b.dimensions &&
         a.block_sizes == b.block_sizes;
}

int64_t Reduce(const Type& type, int64_t value) {
  const uint32_t width = type.kind == TypeKind::kInteger ? type.width : 64;
  if (width >= 64) return value;
  if (width == 0) return 0;
  const int shift = static_cast<int>(64 - width);
  const uint64_t moved = static_cast<uint64_t>(value) << shift;
  const bool with_zeros = type.signedness == Signedness::kUnsigned ||
                          (width == 1 && type.signedness == Signedness::kSignless);
  return with_zeros ? static_cast<int64_t>(moved >> shift) : static_cast<int64_t>(moved) >> shift;
}

}  // namespace

size_t Context::Hash::operator()(TypeRef type) const {
  return absl::HashOf(static_cast<int>(type->kind), static_cast<int>(type->signedness),
                      static_cast<int>(type->float_kind), type->width, type->element, type->storage,
                      type->sizes, type->types, type->results, type->dialect, type->name,
                      type->text);
}

bool Context::Equality::operator()(TypeRef a, TypeRef b) const {
  return a->kind == b->kind && a->signedness == b->signedness && a->float_kind == b->float_kind &&
         a->width == b->width && a->element == b->element && a->storage == b->storage &&
         a->sizes == b->sizes && a->types == b->types && a->results == b->results &&
         a->dialect == b->dialect && a->name == b->name && a->text == b->text &&
         (a->encoding == b->encoding ||
          (a->encoding != nullptr && b->encoding != nullptr && Equal(a->encoding, b->encoding))) &&
         (a->quantized == b->quantized || (a->quantized != nullptr && b->quantized != nullptr &&
                                           SameParameters(*a->quantized, *b->quantized)));
}

Context::Context() = default;

TypeRef Context::Intern(const Type& type) {
  const auto found = types_.find(&type);
  if (found != types_.end()) return *found;
  Type* copy = arena_.New<Type>(type);
  if (type.encoding != nullptr) current_->Keep();
  copy->sizes = arena_.Copy(type.sizes);
  copy->types = arena_.Copy(type.types);
  copy->results = arena_.Copy(type.results);
  copy->dialect = InternText(type.dialect);
  copy->name = InternText(type.name);
  copy->text = InternText(type.text);
  if (type.quantized != nullptr) {
    QuantizedParameters parameters = *type.quantized;
    parameters.scales = arena_.Copy(parameters.scales);
    parameters.zero_points = arena_.Copy(parameters.zero_points);
    parameters.dimensions = arena_.Copy(parameters.dimensions);
    parameters.block_sizes = arena_.Copy(parameters.block_sizes);
    copy->quantized = arena_.New<QuantizedParameters>(parameters);
  }
  types_.insert(copy);
  return copy;
}

std::string_view Context::InternText(std::string_view text) {
  if (text.empty()) return {};
  const auto found = texts_.find(text);
  if (found != texts_.end()) return *found;
  const std::string_view copy = arena_.Copy(text);
  texts_.insert(copy);
  return copy;
}

TypeRef Context::Integer(uint32_t width, Signedness signedness) {
  const bool is_common = width <= 64 && signedness == Signedness::kSignless;
  if (is_common && integers_[width] != nullptr) return integers_[width];
  Type type;
  type.kind = TypeKind::kInteger;
  type.width = width;
  type.signedness = signedness;
  const TypeRef result = Intern(type);
  if (is_common) integers_[width] = result;
  return result;
}

TypeRef Context::Float(FloatKind kind) {
  TypeRef& cached = floats_[static_cast<int>(kind)];
  if (cached == nullptr) {
    Type type;
    type.kind = TypeKind::kFloat;
    type.float_kind = kind;
    cached = Intern(type);
  }
  return cached;
}

TypeRef Context::Index() {
  Type type;
  type.kind = TypeKind::kIndex;
  return Intern(type);
}

TypeRef Context::None() { return Intern(Type()); }

TypeRef Context::Complex(TypeRef element) {
  Type type;
  type.kind = TypeKind::kComplex;
  type.element = element;
  return Intern(type);
}

TypeRef Context::RankedTensor(absl::Span<const int64_t> sizes, TypeRef element,
                              AttributeRef encoding) {
  Type type;
  type.kind = TypeKind::kRankedTensor;
  type.sizes = sizes;
  type.element = element;
  type.encoding = encoding;
  return Intern(type);
}

TypeRef Context::UnrankedTensor(TypeRef element) {
  Type type;
  type.kind = TypeKind::kUnrankedTensor;
  type.element = element;
  return Intern(type);
}

TypeRef Context::Tuple(absl::Span<const TypeRef> elements) {
  Type type;
  type.kind = TypeKind::kTuple;
  type.types = elements;
  return Intern(type);
}

TypeRef Context::Function(absl::Span<const TypeRef> inputs, absl::Span<const TypeRef> results) {
  Type type;
  type.kind = TypeKind::kFunction;
  type.types = inputs;
  type.results = results;
  return Intern(type);
}

TypeRef Context::Dialect(std::string_view dialect, std::string_view name,
                         absl::Span<const TypeRef> parameters, std::string_view text) {
  Type type;
  type.kind = TypeKind::kDialect;
  type.dialect = dialect;
  type.name = name;
  type.types = parameters;
  type.text = text;
  return Intern(type);
}

AttributeRef Context::Unit() {
  if (unit_ == nullptr) unit_ = arena_.New<UnitAttribute>(Attribute{AttributeKind::kUnit});
  return unit_;
}

AttributeRef Context::Bool(bool value) {
  AttributeRef& cached = booleans_[value ? 1 : 0];
  if (cached == nullptr) {
    cached = arena_.New<IntegerAttribute>(Attribute{AttributeKind::kInteger}, Integer(1),
                                          int64_t{value}, absl::Span<const uint64_t>());
  }
  return cached;
}

const IntegerAttribute* Context::IntegerOf(TypeRef type, int64_t value) {
  return arena().New<IntegerAttribute>(Attribute{AttributeKind::kInteger}, type,
                                       Reduce(*type, value), absl::Span<const uint64_t>());
}

const FloatAttribute* Context::FloatOf(TypeRef type, const FloatBits& bits) {
  return arena().New<FloatAttribute>(Attribute{AttributeKind::kFloat}, type, bits);
}

const StringAttribute* Context::String(std::string_view value) {
  return arena().New<StringAttribute>(Attribute{AttributeKind::kString}, value, nullptr);
}

const ArrayAttribute* Context::Array(absl::Span<const AttributeRef> elements) {
  return arena().New<ArrayAttribute>(Attribute{AttributeKind::kArray}, arena().Copy(elements));
}

const DictionaryAttribute* Context::Dictionary(absl::Span<const NamedAttribute> entries) {
  return arena().New<DictionaryAttribute>(Attribute{AttributeKind::kDictionary},
                                          arena().Copy(entries));
}

const SymbolRefAttribute* Context::Symbol(std::string_view root,
                                          absl::Span<const std::string_view> nested) {
  return arena().New<SymbolRefAttribute>(Attribute{AttributeKind::kSymbolRef}, root,
                                         arena().Copy(nested));
}

const TypeAttribute* Context::TypeOf(TypeRef type) {
  return arena().New<TypeAttribute>(Attribute{AttributeKind::kType}, type);
}

const DenseArrayAttribute* Context::I64Array(absl::Span<const int64_t> values) {
  const absl::Span<const int64_t> copy = arena().Copy(values);
  return arena().New<DenseArrayAttribute>(
      Attribute{AttributeKind::kDenseArray}, Integer(64), static_cast<int64_t>(copy.size()),
      absl::MakeConstSpan(reinterpret_cast<const char*>(copy.data()), copy.size() * 8));
}

const DenseArrayAttribute* Context::BoolArray(absl::Span<const bool> values) {
  const absl::Span<const bool> copy = arena().Copy(values);
  return arena().New<DenseArrayAttribute>(
      Attribute{AttributeKind::kDenseArray}, Integer(1), static_cast<int64_t>(copy.size()),
      absl::MakeConstSpan(reinterpret_cast<const char*>(copy.data()), copy.size()));
}

const DialectAttribute* Context::DialectOf(std::string_view dialect, std::string_view name,
                                           std::string_view text,
                                           absl::Span<const NamedAttribute> parameters,
                                           absl::Span<const AttributeRef> elements) {
  return arena().New<DialectAttribute>(Attribute{AttributeKind::kDialect}, InternText(dialect),
                                       InternText(name), text, arena().Copy(parameters),
                                       arena().Copy(elements));
}

}  // namespace xla::mlir

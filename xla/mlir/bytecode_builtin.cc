// SPDX-License-Identifier: Apache-2.0
// The builtin dialect in bytecode. Codes: MLIR's BuiltinDialectBytecode.
#include "xla/mlir/bytecode_builtin.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla/base/string_view.h"
#include "xla/mlir/dense_data.h"

namespace xla::mlir {
namespace {

enum AttributeCode : uint64_t {
  kArray,
  kDictionary,
  kString,
  kStringWithType,
  kFlatSymbol,
  kSymbol,
  kTypeAttribute,
  kUnit,
  kInteger,
  kFloat,
  kCallSite,
  kFileLineColumn,
  kFused,
  kFusedWithMetadata,
  kNameLocation,
  kUnknownLocation,
  kDenseResource,
  kDenseArray,
  kDenseElements,
  kDenseStrings,
  kSparse,
  kDistinct,
  kFileLineRange,
};

enum TypeCode : uint64_t {
  kIntegerType,
  kIndexType,
  kFunctionType,
  kBF16Type,
  kF16Type,
  kF32Type,
  kF64Type,
  kF80Type,
  kF128Type,
  kComplexType,
  kMemRefType,
  kMemRefTypeWithSpace,
  kNoneType,
  kRankedTensorType,
  kRankedTensorTypeWithEncoding,
  kTupleType,
  kUnrankedMemRefType,
  kUnrankedMemRefTypeWithSpace,
  kUnrankedTensorType,
  kVectorType,
  kScalableVectorType,
};

using Form = LocationAttribute::Form;

class Decoder {
 public:
  explicit Decoder(BytecodeEntry& entry)
      : entry_(entry), context_(entry.context()), arena_(context_.arena()) {}

  AttributeRef ReadAttribute() {
    uint64_t code;
    if (!entry_.VarInt(&code)) return nullptr;
    switch (code) {
      case kArray: {
        std::vector<AttributeRef> elements;
        return entry_.Attributes(&elements) ? context_.Array(elements) : nullptr;
      }
      case kDictionary:
        return ReadDictionary();
      case kString: {
        std::string_view text;
        return entry_.Text(&text) ? context_.String(text) : nullptr;
      }
      case kStringWithType: {
        std::string_view text;
        TypeRef type;
        if (!entry_.Text(&text) || !entry_.Type(&type)) return nullptr;
        return arena_.New<StringAttribute>(Attribute{AttributeKind::kString}, text, type);
      }
      case kFlatSymbol: {
        std::string_view root;
        return ReadName(&root) ? context_.Symbol(root) : nullptr;
      }
      case kSymbol:
        return ReadSymbol();
      case kTypeAttribute: {
        TypeRef type;
        return entry_.Type(&type) ? context_.TypeOf(type) : nullptr;
      }
      case kUnit:
        return context_.Unit();
      case kInteger: {
        TypeRef type;
        AttributeRef value;
        return entry_.Type(&type) && entry_.IntegerOf(type, &value) ? value : nullptr;
      }
      case kFloat: {
        TypeRef type;
        AttributeRef value;
        return entry_.Type(&type) && entry_.FloatOf(type, &value) ? value : nullptr;
      }
      case kDenseResource: {
        TypeRef type;
        std::string_view key;
        if (!entry_.Type(&type) || !entry_.ResourceKey(&key)) return nullptr;
        return arena_.New<DenseResourceAttribute>(Attribute{AttributeKind::kDenseResource}, type,
                                                  key);
      }
      case kDenseArray:
        return ReadDenseArray();
      case kDenseElements: {
        TypeRef type;
        absl::Span<const char> bytes;
        std::string error;
        if (!entry_.Type(&type) || !entry_.Blob(&bytes)) return nullptr;
        const DenseAttribute* dense = MakeDense(type, bytes, &context_, &error);
        if (dense == nullptr) entry_.Fail(error);
        return dense;
      }
      case kDenseStrings:
        return ReadDenseStrings();
      case kSparse: {
        TypeRef type;
        AttributeRef indices;
        AttributeRef values;
        if (!entry_.Type(&type) || !entry_.Attribute(&indices) || !entry_.Attribute(&values)) {
          return nullptr;
        }
        const auto* dense = indices->As<DenseAttribute>();
        if (dense == nullptr) {
          entry_.Fail("the indices of a sparse constant must be dense");
          return nullptr;
        }
        return arena_.New<SparseAttribute>(Attribute{AttributeKind::kSparse}, type, dense, values);
      }
      case kDistinct: {
        AttributeRef inner;
        if (!entry_.Attribute(&inner)) return nullptr;
        return arena_.New<TextAttribute>(
            Attribute{AttributeKind::kText},
            arena_.Copy(std::string_view(absl::StrCat("distinct[0]<", ToString(inner), ">"))));
      }
      default:
        return ReadLocation(code);
    }
  }

  TypeRef ReadType() {
    uint64_t code;
    if (!entry_.VarInt(&code)) return nullptr;
    Type type;
    std::vector<int64_t> sizes;
    switch (code) {
      case kIntegerType: {
        uint64_t value;
        if (!entry_.VarInt(&value)) return nullptr;
        if (value >> 2 >= uint64_t{1} << 24 || value % 4 > 2) {
          entry_.Fail("an integer type is not valid");
          return nullptr;
        }
        return context_.Integer(static_cast<uint32_t>(value >> 2),
                                static_cast<Signedness>(value % 4));
      }
      case kIndexType:
        return context_.Index();
      case kFunctionType: {
        std::vector<TypeRef> inputs;
        std::vector<TypeRef> results;
        if (!entry_.Types(&inputs) || !entry_.Types(&results)) return nullptr;
        return context_.Function(inputs, results);
      }
      case kBF16Type:
        return context_.Float(FloatKind::kBF16);
      case kF16Type:
        return context_.Float(FloatKind::kF16);
      case kF32Type:
        return context_.Float(FloatKind::kF32);
      case kF64Type:
        return context_.Float(FloatKind::kF64);
      case kF80Type:
        return context_.Float(FloatKind::kF80);
      case kF128Type:
        return context_.Float(FloatKind::kF128);
      case kComplexType: {
        TypeRef element;
        return entry_.Type(&element) ? context_.Complex(element) : nullptr;
      }
      case kMemRefType:
      case kMemRefTypeWithSpace: {
        AttributeRef space = nullptr;
        AttributeRef layout;
        type.kind = TypeKind::kMemRef;
        if ((code == kMemRefTypeWithSpace && !entry_.Attribute(&space)) || !entry_.Sizes(&sizes) ||
            !entry_.Type(&type.element) || !entry_.Attribute(&layout)) {
          return nullptr;
        }
        std::string rest = absl::StrCat(", ", ToString(layout));
        if (space != nullptr) absl::StrAppend(&rest, ", ", ToString(space));
        type.sizes = sizes;
        type.text = rest;
        return context_.Intern(type);
      }
      case kNoneType:
        return context_.None();
      case kRankedTensorType:
      case kRankedTensorTypeWithEncoding: {
        AttributeRef encoding = nullptr;
        TypeRef element;
        if ((code == kRankedTensorTypeWithEncoding && !entry_.Attribute(&encoding)) ||
            !entry_.Sizes(&sizes) || !entry_.Type(&element)) {
          return nullptr;
        }
        return context_.RankedTensor(sizes, element, encoding);
      }
      case kTupleType: {
        std::vector<TypeRef> elements;
        return entry_.Types(&elements) ? context_.Tuple(elements) : nullptr;
      }
      case kUnrankedMemRefType:
      case kUnrankedMemRefTypeWithSpace: {
        AttributeRef space = nullptr;
        type.kind = TypeKind::kMemRef;
        type.name = "*";
        if ((code == kUnrankedMemRefTypeWithSpace && !entry_.Attribute(&space)) ||
            !entry_.Type(&type.element)) {
          return nullptr;
        }
        const std::string rest =
            space == nullptr ? std::string() : absl::StrCat(", ", ToString(space));
        type.text = rest;
        return context_.Intern(type);
      }
      case kUnrankedTensorType: {
        TypeRef element;
        return entry_.Type(&element) ? context_.UnrankedTensor(element) : nullptr;
      }
      case kVectorType:
        type.kind = TypeKind::kVector;
        if (!entry_.Sizes(&sizes) || !entry_.Type(&type.element)) return nullptr;
        type.sizes = sizes;
        return context_.Intern(type);
      default:
        entry_.Fail(absl::StrCat("builtin type code ", code, " is not known"));
        return nullptr;
    }
  }

 private:
  bool ReadName(std::string_view* text) {
    AttributeRef name;
    if (!entry_.Attribute(&name)) return false;
    const auto* string = name->As<StringAttribute>();
    if (string == nullptr) return entry_.Fail("expected a string");
    *text = string->value;
    return true;
  }

  AttributeRef ReadDictionary() {
    uint64_t count;
    if (!entry_.cursor().Count(&count)) return nullptr;
    std::vector<NamedAttribute> entries(static_cast<size_t>(count));
    for (NamedAttribute& named : entries) {
      if (!ReadName(&named.name) || !entry_.Attribute(&named.value)) return nullptr;
    }
    if (!CheckDistinctNames(entries, entry_.cursor())) return nullptr;
    return context_.Dictionary(entries);
  }

  AttributeRef ReadSymbol() {
    std::string_view root;
    std::vector<AttributeRef> nested;
    if (!ReadName(&root) || !entry_.Attributes(&nested)) return nullptr;
    std::vector<std::string_view> names;
    for (const AttributeRef attribute : nested) {
      const auto* symbol = attribute->As<SymbolRefAttribute>();
      if (symbol == nullptr) {
        entry_.Fail("expected a symbol");
        return nullptr;
      }
      names.push_back(symbol->root);
    }
    return context_.Symbol(root, names);
  }

  AttributeRef ReadDenseArray() {
    TypeRef element;
    uint64_t count;
    absl::Span<const char> bytes;
    if (!entry_.Type(&element) || !entry_.VarInt(&count) || !entry_.Blob(&bytes)) return nullptr;
    const int64_t width = ElementBytes(*element);
    if (width == 0 || width > 8 || bytes.size() % static_cast<size_t>(width) != 0 ||
        bytes.size() / static_cast<size_t>(width) != count) {
      entry_.Fail("the size of an array does not fit its type");
      return nullptr;
    }
    const absl::Span<uint64_t> storage = arena_.NewArray<uint64_t>((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(storage.data(), bytes.data(), bytes.size());
    return arena_.New<DenseArrayAttribute>(
        Attribute{AttributeKind::kDenseArray}, element, static_cast<int64_t>(count),
        absl::MakeConstSpan(reinterpret_cast<const char*>(storage.data()), bytes.size()));
  }

  AttributeRef ReadDenseStrings() {
    TypeRef type;
    uint64_t is_splat;
    if (!entry_.Type(&type) || !entry_.VarInt(&is_splat)) return nullptr;
    const int64_t count = is_splat != 0 ? 1 : NumElements(*type);
    if (count < 0 || static_cast<uint64_t>(count) > entry_.cursor().left()) {
      entry_.Fail("a list is longer than the file");
      return nullptr;
    }
    const absl::Span<std::string_view> strings =
        arena_.NewArray<std::string_view>(static_cast<size_t>(count));
    for (std::string_view& text : strings) {
      if (!entry_.Text(&text)) return nullptr;
    }
    return arena_.New<DenseStringsAttribute>(Attribute{AttributeKind::kDenseStrings}, is_splat != 0,
                                             type, strings);
  }

  AttributeRef MakeLocation(Form form, std::string_view text, int64_t line, int64_t column,
                            absl::Span<const AttributeRef> children, AttributeRef metadata) {
    return arena_.New<LocationAttribute>(Attribute{AttributeKind::kLocation}, form, line, column,
                                         text, metadata, arena_.Copy(children));
  }

  // A location of locations: another attribute would not print as one.
  AttributeRef MakeNested(Form form, std::string_view text, std::vector<AttributeRef> children,
                          AttributeRef metadata) {
    for (const AttributeRef child : children) {
      if (child->As<LocationAttribute>() != nullptr) continue;
      entry_.Fail("a location is made of what is not a location");
      return nullptr;
    }
    return MakeLocation(form, text, 0, 0, std::move(children), metadata);
  }

  AttributeRef ReadLocation(uint64_t code) {
    AttributeRef first;
    AttributeRef second;
    std::string_view text;
    std::vector<AttributeRef> children;
    uint64_t numbers[4] = {};
    switch (code) {
      case kUnknownLocation:
        return MakeLocation(Form::kUnknown, {}, 0, 0, {}, nullptr);
      case kCallSite:
        if (!entry_.Attribute(&first) || !entry_.Attribute(&second)) return nullptr;
        return MakeNested(Form::kCallSite, {}, {first, second}, nullptr);
      case kFileLineColumn:
        if (!ReadName(&text) || !entry_.VarInt(&numbers[0]) || !entry_.VarInt(&numbers[1])) {
          return nullptr;
        }
        return MakeLocation(Form::kFile, text, static_cast<int64_t>(numbers[0]),
                            static_cast<int64_t>(numbers[1]), {}, nullptr);
      case kFileLineRange: {
        // A count, then the line, its column, and of ranges the end: a column of the same line, or
        // a line and a column.
        uint64_t count;
        if (!ReadName(&text) || !entry_.VarInt(&count)) return nullptr;
        if (count > 4) {
          entry_.Fail(absl::StrCat("a range of a file has 4 numbers at most, not ", count));
          return nullptr;
        }
        for (uint64_t i = 0; i < count; ++i) {
          if (!entry_.VarInt(&numbers[i])) return nullptr;
        }
        const auto line = static_cast<int64_t>(numbers[0]);
        const auto column = static_cast<int64_t>(numbers[1]);
        const int64_t end_line = count == 4 ? static_cast<int64_t>(numbers[2]) : line;
        const int64_t end_column =
            count < 3 ? column : static_cast<int64_t>(numbers[count == 4 ? 3 : 2]);
        const bool is_range = end_line != line || end_column != column;
        return arena_.New<LocationAttribute>(
            Attribute{AttributeKind::kLocation}, Form::kFile, line, column, text, nullptr,
            absl::Span<const AttributeRef>(), is_range ? end_line : 0, is_range ? end_column : 0);
      }
      case kFused:
      case kFusedWithMetadata:
        if (!entry_.Attributes(&children)) return nullptr;
        if (code == kFusedWithMetadata && !entry_.Attribute(&first)) return nullptr;
        return MakeNested(Form::kFused, {}, children, code == kFusedWithMetadata ? first : nullptr);
      case kNameLocation:
        if (!ReadName(&text) || !entry_.Attribute(&first)) return nullptr;
        return MakeNested(Form::kName, text, {first}, nullptr);
      default:
        entry_.Fail(absl::StrCat("builtin attribute code ", code, " is not known"));
        return nullptr;
    }
  }

  BytecodeEntry& entry_;
  Context& context_;
  Arena& arena_;
};

AttributeRef ReadBuiltinAttribute(BytecodeEntry& entry) { return Decoder(entry).ReadAttribute(); }
TypeRef ReadBuiltinType(BytecodeEntry& entry) { return Decoder(entry).ReadType(); }

bool ReadBuiltinProperties(std::string_view name, BytecodeEntry& entry,
                           std::vector<NamedAttribute>* attributes) {
  if (name != "module") return true;
  for (const std::string_view key : {"sym_name", "sym_visibility"}) {
    AttributeRef value;
    if (!entry.OptionalAttribute(&value)) return false;
    if (value != nullptr) attributes->push_back({key, value});
  }
  return true;
}

}  // namespace

bool CheckDistinctNames(absl::Span<const NamedAttribute> attributes, BytecodeCursor& cursor) {
  std::vector<std::string_view> names;
  for (const NamedAttribute& attribute : attributes) names.push_back(attribute.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return true;
  return cursor.Fail(absl::StrCat("attribute '", View(*twice), "' is given twice"));
}

const DialectBytecode& BuiltinBytecode() {
  static constexpr DialectBytecode kBytecode = {"builtin", ReadBuiltinAttribute, ReadBuiltinType,
                                                ReadBuiltinProperties};
  return kBytecode;
}

}  // namespace xla::mlir

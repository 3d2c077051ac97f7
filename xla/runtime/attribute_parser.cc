// SPDX-License-Identifier: Apache-2.0
// Attributes of typed custom calls from the text of an MLIR dictionary attribute: those of MLIR
// that have a type of the calling convention.
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attribute_reader.h"
#include "xla/mlir/element_type.h"
#include "xla/runtime/attribute_dictionary.h"

namespace xla {
namespace {

constexpr int kMaxDepth = 64;
constexpr int64_t kMaxElements = int64_t{1} << 24;

// PRIMITIVE_TYPE_INVALID for types that custom calls do not take.
PrimitiveType ElementType(const mlir::Type& type) {
  const PrimitiveType element = mlir::PrimitiveTypeOf(type);
  switch (element) {
    case PRED:
    case S8:
    case S16:
    case S32:
    case S64:
    case U8:
    case U16:
    case U32:
    case U64:
    case F32:
    case F64:
      return type.kind == mlir::TypeKind::kIndex ? PRIMITIVE_TYPE_INVALID : element;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text, &context_), cursor_(reader_.cursor()) {}

  absl::StatusOr<AttributeDictionary> ParseAll() {
    if (cursor_.AtEnd()) return AttributeDictionary();
    AttributeDictionary::Map values;
    if (ParseDictionary(0, values) && !cursor_.AtEnd()) {
      cursor_.FailExpected("the end of the text");
    }
    if (cursor_.ok()) return AttributeDictionary(std::move(values));
    return absl::InvalidArgumentError(absl::StrCat("attributes of the custom call, position ",
                                                   cursor_.error_offset(), ": ",
                                                   cursor_.message()));
  }

 private:
  bool ParseDictionary(int depth, AttributeDictionary::Map& values) {
    if (depth >= kMaxDepth) {
      return cursor_.Fail(absl::StrCat("dictionaries are nested deeper than ", kMaxDepth));
    }
    if (!cursor_.Expect('{')) return false;
    if (cursor_.Consume('}')) return true;
    do {
      std::string_view name;
      if (cursor_.Peek('"')) {
        if (!cursor_.String(&name)) return false;
      } else {
        name = cursor_.Word();
        if (name.empty()) return cursor_.FailExpected("the name of an attribute");
      }
      if (!cursor_.Consume('=')) {
        return cursor_.FailExpected(absl::StrCat("'=' and the value of '", View(name), "'"));
      }
      AttributeValue value;
      if (!ParseValue(depth, value)) return false;
      if (!values.emplace(std::string(name), std::move(value)).second) {
        return cursor_.Fail(absl::StrCat("attribute '", View(name), "' is given twice"));
      }
    } while (cursor_.Consume(','));
    return cursor_.Expect('}');
  }

  bool ParseValue(int depth, AttributeValue& value) {
    if (cursor_.Peek('{')) {
      value.kind = AttributeValue::Kind::kDictionary;
      AttributeDictionary::Map values;
      if (!ParseDictionary(depth + 1, values)) return false;
      value.dictionary = std::make_shared<const AttributeDictionary>(std::move(values));
      return true;
    }
    const size_t begin = cursor_.offset();
    const mlir::AttributeRef attribute = reader_.ParseOptionalAttribute();
    if (!cursor_.ok()) return false;
    if (attribute == nullptr) {
      return cursor_.PeekWord().empty() ? cursor_.FailExpected("a value") : FailKind(begin);
    }
    if (const auto* string = attribute->As<mlir::StringAttribute>()) {
      value.kind = AttributeValue::Kind::kString;
      value.string = std::string(string->value);
      return true;
    }
    if (const auto* integer = attribute->As<mlir::IntegerAttribute>()) {
      return SetElements(begin, *integer->type, 1, Bytes(&integer->value, 8), value);
    }
    if (const auto* number = attribute->As<mlir::FloatAttribute>()) {
      return SetElements(begin, *number->type, 1, Bytes(number->bits.data(), 8), value);
    }
    value.kind = AttributeValue::Kind::kArray;
    if (const auto* array = attribute->As<mlir::DenseArrayAttribute>()) {
      return SetElements(begin, *array->element, array->count, array->data, value);
    }
    if (const auto* dense = attribute->As<mlir::DenseAttribute>()) {
      return SetElements(begin, *dense->type->element, mlir::NumElements(*dense->type), dense->data,
                         value);
    }
    return FailKind(begin);
  }

  bool FailKind(size_t begin) {
    cursor_.Seek(begin);
    return cursor_.FailExpected("a number, a string, true, false, array<..>, dense<..> or {..}");
  }

  static absl::Span<const char> Bytes(const void* data, size_t size) {
    return absl::MakeConstSpan(static_cast<const char*>(data), size);
  }

  // `data` holds the elements, or one that all are equal to.
  bool SetElements(size_t begin, const mlir::Type& element, int64_t count,
                   absl::Span<const char> data, AttributeValue& value) {
    value.element_type = ElementType(element);
    if (value.element_type == PRIMITIVE_TYPE_INVALID) {
      return cursor_.FailAt(
          begin, absl::StrCat("expected a type (i1, i8 to i64, ui8 to ui64, f32, f64), found ",
                              mlir::ToString(&element)));
    }
    if (count > kMaxElements) {
      return cursor_.FailAt(begin,
                            absl::StrCat("an array has more than ", kMaxElements, " elements"));
    }
    const auto width = static_cast<size_t>(mlir::ElementBytes(element));
    const size_t bytes = static_cast<size_t>(count) * width;
    value.count = count;
    value.storage.resize((bytes + 7) / 8);
    // Little endian, as the rest of the library.
    char* out = reinterpret_cast<char*>(value.storage.data());
    if (data.size() >= bytes) {
      if (bytes > 0) std::memcpy(out, data.data(), bytes);
    } else {
      for (size_t i = 0; i < bytes; i += width) std::memcpy(out + i, data.data(), width);
    }
    return true;
  }

  mlir::Context context_;
  mlir::AttributeReader reader_;
  mlir::TextCursor& cursor_;
};

}  // namespace

absl::StatusOr<AttributeDictionary> AttributeDictionary::Parse(std::string_view text) {
  return Parser(text).ParseAll();
}

}  // namespace xla

// SPDX-License-Identifier: Apache-2.0
// !quant.uniform<storage<min:max>:expressed:dimension, {scale:zero_point, ..}> in MLIR text.
#include "absl/strings/str_cat.h"
#include "xla/mlir/attribute_reader.h"

namespace xla::mlir {

using TypeNode = Type;

bool AttributeReader::QuantizedStorage(TypeNode* type, QuantizedParameters* parameters) {
  const size_t begin = cursor_.offset();
  // "u8" is written here for what is "ui8" elsewhere.
  const bool is_unsigned = cursor_.Peek('u') && TextCursor::IsDigit(cursor_.PeekChar(1));
  if (is_unsigned) {
    cursor_.Seek(begin + 1);
    int64_t width;
    if (!cursor_.Digits(&width)) return false;
    cursor_.SkipSpace();
    if (width < 1 || width > 32) return cursor_.FailAt(begin, "the storage has at most 32 bits");
    type->storage = context_.Integer(static_cast<uint32_t>(width));
    type->signedness = Signedness::kUnsigned;
  } else {
    type->storage = ParseType();
    if (type->storage == nullptr) return false;
    if (type->storage->kind != TypeKind::kInteger || type->storage->width < 1 ||
        type->storage->width > 32) {
      return cursor_.FailAt(begin, "the storage must be an integer of at most 32 bits");
    }
    if (type->storage->signedness == Signedness::kUnsigned) {
      type->signedness = Signedness::kUnsigned;
      type->storage = context_.Integer(type->storage->width);
    }
  }
  const auto [lowest, highest] = StorageRange(*type);
  parameters->storage_min = lowest;
  parameters->storage_max = highest;
  const size_t range = cursor_.offset();
  if (cursor_.Consume('<')) {
    if (!ParseSignedInteger(&parameters->storage_min) || !cursor_.Expect(':') ||
        !ParseSignedInteger(&parameters->storage_max) || !cursor_.Expect('>')) {
      return false;
    }
  }
  if (parameters->storage_min < lowest || parameters->storage_max > highest ||
      parameters->storage_min >= parameters->storage_max) {
    return cursor_.FailAt(
        range, absl::StrCat("the range of the storage must be within ", lowest, ":", highest));
  }
  return true;
}

bool AttributeReader::QuantizedScale(TypeRef expressed, std::vector<double>* scales,
                                     std::vector<int64_t>* zero_points) {
  const size_t begin = cursor_.offset();
  std::string_view spelling;
  bool is_float;
  if (!cursor_.Number(&spelling, &is_float)) return false;
  cursor_.Seek(begin);
  const AttributeRef scale = ParseNumber(context_.Float(FloatKind::kF64));
  if (scale == nullptr) return false;
  scales->push_back(scale->As<FloatAttribute>()->value());
  if (const std::string error = CheckScale(*expressed, scales->back()); !error.empty())
    return cursor_.FailAt(begin, error);
  int64_t zero_point = 0;
  if (cursor_.Consume(':') && !ParseSignedInteger(&zero_point)) return false;
  zero_points->push_back(zero_point);
  return true;
}

bool AttributeReader::QuantizedScales(TypeRef expressed, std::vector<double>* scales,
                                      std::vector<int64_t>* zero_points) {
  const NestingScope scope(this);
  if (!scope.ok() || !cursor_.Expect('{')) return false;
  do {
    const bool ok = cursor_.Peek('{') ? QuantizedScales(expressed, scales, zero_points)
                                      : QuantizedScale(expressed, scales, zero_points);
    if (!ok) return false;
  } while (cursor_.Consume(','));
  return cursor_.Expect('}');
}

TypeRef AttributeReader::QuantizedUniform() {
  const size_t begin = cursor_.offset();
  TypeNode type;
  type.kind = TypeKind::kQuantized;
  QuantizedParameters parameters;
  if (!QuantizedStorage(&type, &parameters) || !cursor_.Expect(':')) return nullptr;
  const size_t expressed = cursor_.offset();
  type.element = ParseType();
  if (type.element == nullptr) return nullptr;
  if (type.element->kind != TypeKind::kFloat) {
    cursor_.FailAt(expressed, "the expressed type must be a float");
    return nullptr;
  }
  std::vector<int64_t> dimensions;
  std::vector<int64_t> block_sizes;
  if (cursor_.Consume(':')) {
    if (cursor_.Consume('{')) {
      do {
        dimensions.push_back(0);
        block_sizes.push_back(0);
        if (!ParseSignedInteger(&dimensions.back()) || !cursor_.Expect(':') ||
            !ParseSignedInteger(&block_sizes.back())) {
          return nullptr;
        }
      } while (cursor_.Consume(','));
      if (!cursor_.Expect('}')) return nullptr;
    } else {
      dimensions.push_back(0);
      if (!ParseSignedInteger(&dimensions.back())) return nullptr;
    }
    for (const int64_t dimension : dimensions) {
      if (dimension < 0) {
        cursor_.Fail("the quantized dimension must not be negative");
        return nullptr;
      }
    }
  }
  if (!cursor_.Expect(',')) return nullptr;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  const bool ok = dimensions.empty() ? QuantizedScale(type.element, &scales, &zero_points)
                                     : QuantizedScales(type.element, &scales, &zero_points);
  if (!ok) return nullptr;
  if (!block_sizes.empty()) type.text = cursor_.Since(begin);
  if (!cursor_.Expect('>')) return nullptr;
  parameters.scales = scales;
  parameters.zero_points = zero_points;
  parameters.dimensions = dimensions;
  parameters.block_sizes = block_sizes;
  type.quantized = &parameters;
  return context_.Intern(type);
}

}  // namespace xla::mlir

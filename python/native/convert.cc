// SPDX-License-Identifier: Apache-2.0
#include "python/native/convert.h"

#include <exception>
#include <new>
#include <utility>

#include "xla/hlo/text/parser.h"
#include "xla/primitive_util.h"

namespace xla::python {

Error ErrorOf(const absl::Status& status) {
  return {static_cast<int>(status.code()), std::string(status.message())};
}

Error CurrentException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(absl::StatusCode::kResourceExhausted), "out of memory"};
  } catch (const std::exception& error) {
    return {static_cast<int>(absl::StatusCode::kInternal), error.what()};
  }
}

ShapeInfo ShapeInfoOf(const Shape& shape) {
  ShapeInfo info;
  info.text = shape.has_layout() ? shape.ToString(/*print_layout=*/true) : shape.ToString();
  info.type = shape.element_type();
  if (shape.IsTuple()) {
    info.kind = ShapeInfo::Kind::kTuple;
    for (const Shape& element : shape.tuple_shapes()) info.elements.push_back(ShapeInfoOf(element));
  } else if (shape.IsToken()) {
    info.kind = ShapeInfo::Kind::kToken;
  } else if (shape.IsArray()) {
    info.kind = ShapeInfo::Kind::kArray;
    info.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
    for (int d = 0; d < shape.rank(); ++d)
      info.dynamic_dimensions.push_back(shape.is_dynamic_dimension(d));
    if (shape.has_layout()) {
      const auto order = shape.layout().minor_to_major();
      info.minor_to_major.assign(order.begin(), order.end());
    }
  }
  return info;
}

Result<ShapeInfo> ParseShapeText(std::string_view text) {
  return Guarded([&]() -> absl::StatusOr<ShapeInfo> {
    const absl::StatusOr<Shape> shape = ParseShape(text);
    if (!shape.ok()) return shape.status();
    return ShapeInfoOf(*shape);
  });
}

std::string ElementTypeName(int type) {
  if (!PrimitiveType_IsValid(type) || type == PRIMITIVE_TYPE_INVALID) return "";
  return primitive_util::LowercasePrimitiveTypeName(static_cast<PrimitiveType>(type));
}

int ElementTypeNumber(std::string_view name) {
  const absl::StatusOr<PrimitiveType> type =
      primitive_util::StringToPrimitiveType({name.data(), name.size()});
  return type.ok() ? *type : PRIMITIVE_TYPE_INVALID;
}

}  // namespace xla::python

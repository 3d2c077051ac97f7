// SPDX-License-Identifier: Apache-2.0
// Facts and text of types.
#include "xla/mlir/types.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/string_view.h"
#include "xla/mlir/attributes.h"
#include "xla/mlir/number_text.h"

namespace xla::mlir {
namespace {

void AppendSize(std::string* out, int64_t size) {
  if (size == kDynamic) {
    out->push_back('?');
  } else {
    absl::StrAppend(out, size);
  }
}

void AppendSizes(std::string* out, absl::Span<const int64_t> sizes) {
  for (const int64_t size : sizes) {
    AppendSize(out, size);
    out->push_back('x');
  }
}

void AppendList(std::string* out, absl::Span<const TypeRef> types) {
  const char* separator = "";
  for (const TypeRef type : types) {
    out->append(separator);
    AppendTo(out, type);
    separator = ", ";
  }
}

void AppendInteger(std::string* out, const Type& type) {
  static constexpr std::string_view kPrefix[] = {"i", "si", "ui"};
  out->append(kPrefix[static_cast<int>(type.signedness)]);
  absl::StrAppend(out, type.width);
}

void AppendFunction(std::string* out, const Type& type) {
  out->push_back('(');
  AppendList(out, type.types);
  out->append(") -> ");
  const bool bare = type.results.size() == 1 && type.results[0]->kind != TypeKind::kFunction;
  if (!bare) out->push_back('(');
  AppendList(out, type.results);
  if (!bare) out->push_back(')');
}

void AppendScale(std::string* out, const QuantizedParameters& parameters, size_t i) {
  AppendFloatText(out, FloatKind::kF64, EncodeFloat(FloatKind::kF64, parameters.scales[i]));
  const int64_t zero_point = i < parameters.zero_points.size() ? parameters.zero_points[i] : 0;
  if (zero_point != 0) absl::StrAppend(out, ":", zero_point);
}

void AppendQuantized(std::string* out, const Type& type) {
  const QuantizedParameters& parameters = *type.quantized;
  if (!parameters.block_sizes.empty()) {
    absl::StrAppend(out, "!quant.uniform<", View(type.text), ">");
    return;
  }
  out->append("!quant.uniform<");
  const int64_t width = type.storage->width;
  const bool is_unsigned = type.signedness == Signedness::kUnsigned;
  absl::StrAppend(out, is_unsigned ? "u" : "i", width);
  const int64_t lowest = is_unsigned ? 0 : -(int64_t{1} << (width - 1));
  const int64_t highest = (int64_t{1} << (is_unsigned ? width : width - 1)) - 1;
  if (parameters.storage_min != lowest || parameters.storage_max != highest) {
    absl::StrAppend(out, "<", parameters.storage_min, ":", parameters.storage_max, ">");
  }
  out->push_back(':');
  AppendTo(out, type.element);
  if (parameters.dimensions.empty()) {
    out->append(", ");
    AppendScale(out, parameters, 0);
  } else {
    absl::StrAppend(out, ":", parameters.dimensions[0], ", {");
    for (size_t i = 0; i < parameters.scales.size(); ++i) {
      if (i > 0) out->append(", ");
      AppendScale(out, parameters, i);
    }
    out->push_back('}');
  }
  out->push_back('>');
}

void AppendDialect(std::string* out, const Type& type) {
  absl::StrAppend(out, "!", View(type.dialect));
  if (!type.name.empty()) absl::StrAppend(out, ".", View(type.name));
  if (!type.types.empty()) {
    out->push_back('<');
    AppendList(out, type.types);
    out->push_back('>');
  } else if (!type.text.empty() || type.name.empty()) {
    absl::StrAppend(out, "<", View(type.text), ">");
  }
}

}  // namespace

std::pair<int64_t, int64_t> StorageRange(const Type& type) {
  const uint32_t width = type.storage->width;
  const bool is_unsigned = type.signedness == Signedness::kUnsigned;
  return {is_unsigned ? 0 : -(int64_t{1} << (width - 1)),
          (int64_t{1} << (is_unsigned ? width : width - 1)) - 1};
}

std::string CheckScale(const Type& expressed, double scale) {
  const double least = SmallestPositive(expressed.float_kind);
  const double most = LargestFinite(expressed.float_kind);
  if (scale > 0 && scale >= least && scale <= most) return "";
  return absl::StrFormat("scale %e out of expressed type range [%e, %e]", scale, least, most);
}

std::string CheckQuantized(const Type& type, const QuantizedParameters& parameters) {
  const Type& storage = *type.storage;
  if (storage.kind != TypeKind::kInteger || storage.width < 1 || storage.width > 32) {
    return "the storage must be an integer of at most 32 bits";
  }
  const auto [lowest, highest] = StorageRange(type);
  if (parameters.storage_min < lowest || parameters.storage_max > highest ||
      parameters.storage_min >= parameters.storage_max) {
    return absl::StrCat("the range of the storage must be within ", lowest, ":", highest);
  }
  if (type.element->kind != TypeKind::kFloat) return "the expressed type must be a float";
  if (parameters.scales.empty() || parameters.scales.size() != parameters.zero_points.size()) {
    return "a quantized type needs a zero point for each scale";
  }
  for (const double scale : parameters.scales) {
    if (std::string error = CheckScale(*type.element, scale); !error.empty()) return error;
  }
  for (const int64_t dimension : parameters.dimensions) {
    if (dimension < 0) return "the quantized dimension must not be negative";
  }
  return "";
}

bool HasStaticSizes(const Type& type) {
  if (type.kind != TypeKind::kRankedTensor && type.kind != TypeKind::kVector) return false;
  for (const int64_t size : type.sizes) {
    if (size == kDynamic) return false;
  }
  return true;
}

int64_t NumElements(const Type& type) {
  if (!HasStaticSizes(type)) return -1;
  int64_t count = 1;
  for (const int64_t size : type.sizes) {
    if (size == 0) return 0;
  }
  for (const int64_t size : type.sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return -1;
  }
  return count;
}

int64_t ElementBytes(const Type& element) {
  switch (element.kind) {
    case TypeKind::kInteger:
      return element.width == 0 ? 1 : (static_cast<int64_t>(element.width) + 7) / 8;
    case TypeKind::kIndex:
      return 8;
    case TypeKind::kFloat:
      return (GetFloatFormat(element.float_kind).width + 7) / 8;
    case TypeKind::kComplex:
      return 2 * ElementBytes(*element.element);
    case TypeKind::kQuantized:
      return ElementBytes(*element.storage);
    default:
      return 0;
  }
}

void AppendTo(std::string* out, TypeRef type) {
  if (out->size() > kMaxTextBytes) return;
  switch (type->kind) {
    case TypeKind::kInteger:
      return AppendInteger(out, *type);
    case TypeKind::kIndex:
      out->append("index");
      return;
    case TypeKind::kFloat:
      out->append(GetFloatFormat(type->float_kind).name);
      return;
    case TypeKind::kNone:
      out->append("none");
      return;
    case TypeKind::kComplex:
      out->append("complex<");
      break;
    case TypeKind::kRankedTensor:
      out->append("tensor<");
      AppendSizes(out, type->sizes);
      break;
    case TypeKind::kUnrankedTensor:
      out->append("tensor<*x");
      break;
    case TypeKind::kVector:
      out->append("vector<");
      if (type->text.empty()) {
        AppendSizes(out, type->sizes);
      } else {
        out->append(type->text);
      }
      break;
    case TypeKind::kMemRef:
      out->append(type->name == "*" ? "memref<*x" : "memref<");
      AppendSizes(out, type->sizes);
      AppendTo(out, type->element);
      absl::StrAppend(out, View(type->text), ">");
      return;
    case TypeKind::kTuple:
      out->append("tuple<");
      AppendList(out, type->types);
      out->push_back('>');
      return;
    case TypeKind::kFunction:
      return AppendFunction(out, *type);
    case TypeKind::kQuantized:
      return AppendQuantized(out, *type);
    case TypeKind::kDialect:
      return AppendDialect(out, *type);
  }
  AppendTo(out, type->element);
  if (type->encoding != nullptr) {
    out->append(", ");
    AppendTo(out, type->encoding);
  }
  out->push_back('>');
}

std::string ToString(TypeRef type) {
  std::string out;
  AppendTo(&out, type);
  return out;
}

}  // namespace xla::mlir

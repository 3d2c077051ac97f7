// SPDX-License-Identifier: Apache-2.0
#include "xla/mlir/element_type.h"

namespace xla::mlir {
namespace {

PrimitiveType FloatType(FloatKind kind) {
  switch (kind) {
    case FloatKind::kF4E2M1FN:
      return F4E2M1FN;
    case FloatKind::kF8E3M4:
      return F8E3M4;
    case FloatKind::kF8E4M3:
      return F8E4M3;
    case FloatKind::kF8E4M3FN:
      return F8E4M3FN;
    case FloatKind::kF8E4M3FNUZ:
      return F8E4M3FNUZ;
    case FloatKind::kF8E4M3B11FNUZ:
      return F8E4M3B11FNUZ;
    case FloatKind::kF8E5M2:
      return F8E5M2;
    case FloatKind::kF8E5M2FNUZ:
      return F8E5M2FNUZ;
    case FloatKind::kF8E8M0FNU:
      return F8E8M0FNU;
    case FloatKind::kF6E2M3FN:
      return F6E2M3FN;
    case FloatKind::kF6E3M2FN:
      return F6E3M2FN;
    case FloatKind::kBF16:
      return BF16;
    case FloatKind::kF16:
      return F16;
    case FloatKind::kF32:
      return F32;
    case FloatKind::kF64:
      return F64;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

PrimitiveType IntegerType(const Type& type) {
  const bool is_unsigned = type.signedness == Signedness::kUnsigned;
  switch (type.width) {
    case 1:
      return is_unsigned ? U1 : PRED;
    case 2:
      return is_unsigned ? U2 : S2;
    case 4:
      return is_unsigned ? U4 : S4;
    case 8:
      return is_unsigned ? U8 : S8;
    case 16:
      return is_unsigned ? U16 : S16;
    case 32:
      return is_unsigned ? U32 : S32;
    case 64:
      return is_unsigned ? U64 : S64;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

}  // namespace

PrimitiveType PrimitiveTypeOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kFloat:
      return FloatType(type.float_kind);
    case TypeKind::kInteger:
      return IntegerType(type);
    case TypeKind::kIndex:
      return S64;
    case TypeKind::kComplex: {
      const PrimitiveType part = PrimitiveTypeOf(*type.element);
      return part == F32 ? C64 : part == F64 ? C128 : PRIMITIVE_TYPE_INVALID;
    }
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

}  // namespace xla::mlir

// SPDX-License-Identifier: Apache-2.0
// Element types of contractions.
#include "xla/interpreter/contraction_operands.h"

#include <complex>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/product/packing.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {

absl::StatusOr<ContractionWide> ContractionType(PrimitiveType lhs, PrimitiveType rhs,
                                                PrimitiveType result) {
  switch (kernels::ContractionWideType(lhs, rhs, result)) {
    case F32:
      return ContractionWide::kFloat;
    case F64:
      return ContractionWide::kDouble;
    case U32:
      return ContractionWide::kUint32;
    case U64:
      return ContractionWide::kUint64;
    case C64:
      return ContractionWide::kComplex64;
    case C128:
      return ContractionWide::kComplex128;
    default:
      return absl::UnimplementedError(
          absl::StrCat("products of complex numbers cannot be converted to ",
                       primitive_util::LowercasePrimitiveTypeName(result)));
  }
}

template <typename Wide>
absl::StatusOr<Value> PrepareOperand(EvalContext& ctx, const Value& operand) {
  constexpr PrimitiveType kType = primitive_util::NativeToPrimitiveType<Wide>();
  if (!is_complex_v<Wide> || operand.element_type() == kType) return operand;
  XLA_ASSIGN_OR_RETURN(Value converted,
                       ctx.Allocate(ctx.InternShape(Shape(kType, operand.dimensions()))));
  if constexpr (is_complex_v<Wide>) {
    using Part = typename Wide::value_type;
    if (const kernels::WideLoad<Wide> load = kernels::GetWideLoad<Wide>(operand.element_type());
        load != nullptr) {
      load(operand.untyped_data(), 1, operand.element_count(), converted.mutable_data<Wide>());
    } else if (const kernels::WideLoad<Part> load_part =
                   kernels::GetWideLoad<Part>(operand.element_type());
               load_part != nullptr) {
      // Integers become real parts in place, from the last one on.
      Part* parts = converted.mutable_data<Part>();
      load_part(operand.untyped_data(), 1, operand.element_count(), parts);
      Wide* out = converted.mutable_data<Wide>();
      for (int64_t i = operand.element_count() - 1; i >= 0; --i) out[i] = Wide(parts[i], 0);
    } else {
      return InvalidArgument("cannot multiply %s by complex numbers", operand.shape().ToString());
    }
  }
  converted.CopyDynamicSizesFrom(operand);
  return converted;
}

#define XLA_INSTANTIATE(Wide) \
  template absl::StatusOr<Value> PrepareOperand<Wide>(EvalContext&, const Value&);
XLA_INSTANTIATE(float)
XLA_INSTANTIATE(double)
XLA_INSTANTIATE(uint32_t)
XLA_INSTANTIATE(uint64_t)
XLA_INSTANTIATE(complex64)
XLA_INSTANTIATE(complex128)
#undef XLA_INSTANTIATE

}  // namespace xla::interpreter

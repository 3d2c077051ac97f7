// SPDX-License-Identifier: Apache-2.0
// Operands of contractions (dot, ragged-dot, convolution) in the types that kernels multiply.
#ifndef XLA_INTERPRETER_CONTRACTION_OPERANDS_H_
#define XLA_INTERPRETER_CONTRACTION_OPERANDS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla::interpreter {

// Returns the operand converted to Wide if Wide is complex; otherwise the operand itself, which the
// kernels convert while they read it.
template <typename Wide>
absl::StatusOr<Value> PrepareOperand(EvalContext& ctx, const Value& operand);

// The wide type that a contraction of these types is computed in.
enum class ContractionWide { kFloat, kDouble, kUint32, kUint64, kComplex64, kComplex128 };
absl::StatusOr<ContractionWide> ContractionType(PrimitiveType lhs, PrimitiveType rhs,
                                                PrimitiveType result);

// Calls f(Wide()) for the wide type.
template <typename F>
auto WithWideType(ContractionWide type, F&& f) {
  switch (type) {
    case ContractionWide::kFloat:
      return f(float());
    case ContractionWide::kDouble:
      return f(double());
    case ContractionWide::kUint32:
      return f(uint32_t());
    case ContractionWide::kUint64:
      return f(uint64_t());
    case ContractionWide::kComplex64:
      return f(complex64());
    case ContractionWide::kComplex128:
      break;
  }
  return f(complex128());
}

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_CONTRACTION_OPERANDS_H_

// SPDX-License-Identifier: Apache-2.0
// Values from literals of any layout, and back.
#ifndef XLA_INTERPRETER_LITERAL_IO_H_
#define XLA_INTERPRETER_LITERAL_IO_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/literal.h"

namespace xla::interpreter {

// The literal's value, as a value of `shape` (compatible with the literal's). Arrays that are
// row-major already are borrowed: the literal must outlive the value.
absl::StatusOr<Value> ValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                       const LiteralSlice& literal);

// The same, with memory of its own: the literal need not live on.
absl::StatusOr<Value> OwnedValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                            const LiteralSlice& literal);

// A literal of `shape` (compatible with the value's; its layout is kept) with the value's contents
// and dynamic sizes.
absl::StatusOr<Literal> LiteralFromValue(EvalContext& ctx, const Shape& shape, const Value& value);

// Strides in elements of an array in the order its layout gives it in memory, padded widths
// included; row-major when the shape has no layout.
DimensionVector LayoutStrides(const Shape& shape);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_LITERAL_IO_H_

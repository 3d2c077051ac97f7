// SPDX-License-Identifier: Apache-2.0
// Values from literals and buffers of any layout, and back.
#ifndef XLA_INTERPRETER_LITERAL_IO_H_
#define XLA_INTERPRETER_LITERAL_IO_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/literal.h"
#include "xla/runtime/buffer_view.h"

namespace xla::interpreter {

// The literal's value, as a value of `shape` (compatible with the literal's). Arrays that are
// row-major already are borrowed: the literal must outlive the value.
absl::StatusOr<Value> ValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                       const LiteralSlice& literal);

// The same, with memory of its own: the literal need not live on.
absl::StatusOr<Value> OwnedValueFromLiteral(EvalContext& ctx, const Shape& shape,
                                            const LiteralSlice& literal);

// The value of a constant. Arrays that are row-major already are borrowed, others are copied.
absl::StatusOr<Value> ConstantValue(const Shape& shape, const LiteralSlice& literal,
                                    MemoryBudget& budget);

// A literal of `shape` (compatible with the value's; its layout is kept) with the value's contents
// and dynamic sizes.
absl::StatusOr<Literal> LiteralFromValue(EvalContext& ctx, const Shape& shape, const Value& value);

// The value of an argument of `shape`, whose leaves are the first of `leaves`, which are removed.
// Memory that is row-major is read in place, and may be written if it is donated; it must outlive
// the value. INVALID_ARGUMENT where the memory does not fit the shape; `what` begins the message.
absl::StatusOr<Value> ValueFromViews(EvalContext& ctx, const Shape& shape, absl::string_view what,
                                     absl::Span<const runtime::ArgumentView>& leaves);

// Puts the arrays of a result of `shape` (with layouts) into memory and describes it in `leaves`:
// the memory that the caller gave, that of a donated argument, or the value's own; copied where
// neither is possible. A leaf with `donor` set must be in the memory of that argument.
absl::Status ResultToViews(EvalContext& ctx, const Shape& shape, Value value,
                           absl::Span<const runtime::ArgumentView> arguments,
                           absl::Span<runtime::ResultView> leaves);

// Whether the layout is dense and row-major, as values are.
bool IsDenseRowMajor(const Shape& shape);

// Strides in elements of an array in the order its layout gives it in memory, padded widths
// included; row-major when the shape has no layout.
DimensionVector LayoutStrides(const Shape& shape);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_LITERAL_IO_H_

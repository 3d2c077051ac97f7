// SPDX-License-Identifier: Apache-2.0
// Dynamic sizes of the results of operations whose operands have dynamic dimensions.
//
// A value holds its existing elements in the low corner of its bounds (value.h). The rules are
// those of XLA's dynamic padder.
#ifndef XLA_INTERPRETER_DYNAMIC_SIZES_H_
#define XLA_INTERPRETER_DYNAMIC_SIZES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/util.h"

namespace xla::interpreter {

// Sets the sizes of those dimensions that are dynamic in the result's shape; the others keep their
// full size.
void SetExistingSizes(absl::Span<const int64_t> sizes, Value& result);

bool AnyHasDynamicSizes(absl::Span<const Value> operands);

// The dynamic sizes of an elementwise operation on operands of equal bounds; scalars are ignored.
// In each dimension the dynamic operands decide: a size of 1 is broadcast to a greater one,
// otherwise the smallest is taken. Operands that are broadcast are replaced by copies.
absl::StatusOr<DimensionVector> JoinExistingSizes(EvalContext& ctx, absl::Span<Value> operands);

// Which elements exist, by row-major position.
std::vector<bool> ExistingElements(const Value& value);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_DYNAMIC_SIZES_H_

// SPDX-License-Identifier: Apache-2.0
// Sizes at run time of operations whose operands have dynamic dimensions.
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

// Gives the result the sizes of those dimensions that its shape has as dynamic; the others are
// whole.
void SetExistingSizes(absl::Span<const int64_t> sizes, Value& result);

bool AnyHasDynamicSizes(absl::Span<const Value> operands);

// Existing sizes of what operands of equal bounds give element by element (scalars do not count).
// In every dimension the dynamic operands decide: a size of 1 stretches to a greater one, else the
// smallest holds. Operands that stretch are replaced by their copies.
absl::StatusOr<DimensionVector> JoinExistingSizes(EvalContext& ctx, absl::Span<Value> operands);

// Which elements exist, by row-major position.
std::vector<bool> ExistingElements(const Value& value);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_DYNAMIC_SIZES_H_

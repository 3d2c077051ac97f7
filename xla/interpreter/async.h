// SPDX-License-Identifier: Apache-2.0
// Helpers for the starts of asynchronous operations.
#ifndef XLA_INTERPRETER_ASYNC_H_
#define XLA_INTERPRETER_ASYNC_H_

#include <vector>

#include "absl/status/statusor.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/shape.h"

namespace xla::interpreter {

// The result of a start: its first elements, then contexts, which are zeros and never read.
absl::StatusOr<Value> StartResult(EvalContext& ctx, const Shape& shape,
                                  std::vector<Value> elements);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_ASYNC_H_

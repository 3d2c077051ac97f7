// SPDX-License-Identifier: Apache-2.0
// Combines updates with the elements that they are scattered to.
#ifndef XLA_INTERPRETER_COMBINER_H_
#define XLA_INTERPRETER_COMBINER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"

namespace xla::interpreter {

// Not thread-safe: it owns working memory.
class Combiner {
 public:
  virtual ~Combiner() = default;
  // For i in [0, count): element operand + i * operand_stride of each operand becomes f(itself,
  // element other + i * other_stride of its updates). Offsets are in elements; the elements of one
  // call are distinct.
  virtual absl::Status Run(EvalContext& ctx, int64_t count, int64_t operand, int64_t operand_stride,
                           int64_t other, int64_t other_stride) = 0;
};

// `operands` are written in place; `updates` has as many. `function` has one parameter for each
// operand, then one for each of the updates, of the types of these. Refers to the buffers, not to
// the spans.
std::unique_ptr<Combiner> MakeCombiner(const ScalarFunction& function, absl::Span<Value> operands,
                                       absl::Span<const Value> updates);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_COMBINER_H_

// SPDX-License-Identifier: Apache-2.0
#include "xla/interpreter/constant_folding.h"

#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/passes/constant_folding.h"

namespace xla {

absl::StatusOr<bool> FoldConstantsByInterpreting(HloModule* module) {
  return FoldConstants(module, [](const HloModule& program) {
    // Little work each: not worth threads.
    InterpreterOptions options;
    options.num_threads = 1;
    return Interpret(program, {}, options);
  });
}

}  // namespace xla

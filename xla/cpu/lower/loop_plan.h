// SPDX-License-Identifier: Apache-2.0
// Plans how each loop of a schedule runs: decided once, by PlanLoops, and read by code generation,
// by the builder of thunks and by reports.
#ifndef XLA_CPU_LOWER_LOOP_PLAN_H_
#define XLA_CPU_LOWER_LOOP_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "xla/cpu/codegen/target.h"
#include "xla/cpu/lower/compiled_while.h"
#include "xla/cpu/lower/scalar_while.h"
#include "xla/cpu/plan/schedule.h"

namespace xla::cpu {

struct LoopPlan {
  enum class Kind : uint8_t {
    kThunks,    // a thunk for each item of condition and body
    kScalars,   // one function, with scalars in registers (scalar_while.h)
    kElements,  // one function, for each vector of elements (scalar_while.h)
    kCompiled,  // one function, with inner loops (compiled_while.h)
    kInlined,   // part of the function of an outer loop
  };
  Kind kind = Kind::kThunks;
  ElementwiseWhileUnits elements;             // of kElements
  std::optional<CompiledWhilePlan> function;  // of kCompiled

  // Whether a function computes the scalars of the state, by itself or after the arrays.
  bool HasScalarFunction() const {
    return kind == Kind::kScalars || (kind == Kind::kElements && !elements.finishes_scalars());
  }
};

// By the loop. Includes loops that are part of another loop's function.
using LoopPlans = std::map<const ScheduledItem*, LoopPlan>;

// Plans all loops of the schedule, which the result refers to.
LoopPlans PlanLoops(const ProgramSchedule& schedule, const Target& target);

// The plan on one line.
std::string PlanText(const LoopPlan& plan);

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_LOOP_PLAN_H_

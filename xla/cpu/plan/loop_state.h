// SPDX-License-Identifier: Apache-2.0
// Finds out which arrays of a loop's state its body changes.
#ifndef XLA_CPU_PLAN_LOOP_STATE_H_
#define XLA_CPU_PLAN_LOOP_STATE_H_

#include <vector>

#include "xla/hlo/ir/hlo_computation.h"

namespace xla::cpu {

// By leaf of the state. The body passes the others through, from its parameter to its result.
std::vector<bool> ChangedState(const HloComputation& body);

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_LOOP_STATE_H_

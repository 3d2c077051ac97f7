// SPDX-License-Identifier: Apache-2.0
// Bounds the recomputation in fused programs.
//
// A fusion computes its producers where they are used, so that several kernels may compute the same
// producer, or one kernel may compute it many times. The work of a compiled program must stay
// within kMostWork times that of its HLO: otherwise its run time could grow faster with the size of
// arrays than XLA's.
#ifndef XLA_CPU_PLAN_RECOMPUTATION_H_
#define XLA_CPU_PLAN_RECOMPUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

inline constexpr double kMostWork = 2;
// Computations with less work, about a microsecond, are not compared.
inline constexpr double kLittleWork = 4096;

// The work of a materialized instruction: for a fusion, that of everything its kernel computes,
// counted for each reader. Recomputing a value is not counted if that costs less than storing and
// loading it.
double WorkOf(const HloInstruction& instruction);

struct ComputationWork {
  std::string name;
  double before = 0, after = 0;  // fusion
};

// The work of each computation that a program runs (not of those that are applied to elements), by
// name, to be compared with that after fusion.
class WorkBeforeFusion {
 public:
  explicit WorkBeforeFusion(const HloModule& module);
  // Computations whose work is more than kMostWork times what it was.
  std::vector<ComputationWork> Exceeding(const HloModule& fused) const;

 private:
  std::vector<ComputationWork> computations_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PLAN_RECOMPUTATION_H_

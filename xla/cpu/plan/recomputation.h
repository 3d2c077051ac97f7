// SPDX-License-Identifier: Apache-2.0
// How much a fused program computes, compared with what its HLO asks for.
//
// A fusion computes its producers where they are used, so that a producer may be computed for one
// kernel and for another, or many times by one. The work of a compiled program must stay within
// kMostWork times that of its HLO, or growth with the size of arrays would differ from XLA's.
#ifndef XLA_CPU_PLAN_RECOMPUTATION_H_
#define XLA_CPU_PLAN_RECOMPUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::cpu {

inline constexpr double kMostWork = 2;
// Work that no ratio is taken of: about a microsecond.
inline constexpr double kLittleWork = 4096;

// The work of an instruction that is in memory: for a fusion, of all that its kernel computes,
// counted over all readers. Recomputation that costs less than to store and load a value is not
// counted.
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

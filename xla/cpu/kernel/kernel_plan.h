// SPDX-License-Identifier: Apache-2.0
// Plans of kernels: which strategy computes an instruction, and how its work is divided.
//
// A strategy is a class derived from KernelPlan in a pair of files of its own, with a planner: a
// function that returns the plan for a fusion, and one that says whether the strategy suits it. The
// table in strategies.cc lists them in order of preference.
#ifndef XLA_CPU_KERNEL_KERNEL_PLAN_H_
#define XLA_CPU_KERNEL_KERNEL_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xla/cpu/codegen/target.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

class KernelCode;  // kernel_code.h

// How the reductions of a fusion use vectors.
struct ReductionLanes {
  int vector_lanes = 1;  // of a vector of the fusion's elements
  bool reduces = false;
  // Whether rows are reduced in scalar code around vectors of `row_lanes`.
  bool reduces_rows = false;
  int row_lanes = 1;
  int64_t longest_across = 0;  // the longest row that is reduced in a lane of a vector
};

// The instruction that a kernel computes, and the memory of its results.
struct KernelRequest {
  const HloInstruction* instruction = nullptr;  // a fusion, or a select-and-scatter
  const Target* target = nullptr;
  std::vector<bool> is_written;  // operands that share the memory of a result
  std::vector<bool> is_unused;   // results without memory; empty: none
  // The operand whose elements a contraction passes to the kernel block by block (see epilogue.h);
  // -1 if there is none.
  int64_t epilogue_of = -1;
  const HloInstruction* contraction = nullptr;  // the contraction of that operand
  // The name of the strategy; if empty, the first one that suits the fusion.
  std::string_view strategy = {};
  // Computed by LanesOfReductions (row_loops.h) when they are first needed.
  mutable std::optional<ReductionLanes> reduction_lanes = {};

  // Of a fusion.
  const HloComputation& computation() const { return *instruction->to_apply(); }
  const HloInstruction& root() const { return *computation().root_instruction(); }
};

// The parts of PlanText.
struct PlanDescription {
  std::string kind, details, loops;
};

class KernelPlan {
 public:
  explicit KernelPlan(const KernelRequest& request)
      : instruction(request.instruction),
        is_written(request.is_written),
        is_unused(request.is_unused),
        epilogue_of(request.epilogue_of) {}
  virtual ~KernelPlan() = default;
  KernelPlan(const KernelPlan&) = delete;
  KernelPlan& operator=(const KernelPlan&) = delete;

  // Emits a loop over the units [code.begin(), code.end()).
  virtual void EmitUnits(KernelCode& code) const = 0;
  virtual PlanDescription Describe() const = 0;
  // Returns the number of elements that are computed at a time.
  virtual int64_t lanes() const = 0;

  // Of a fusion.
  const HloComputation& computation() const { return *instruction->to_apply(); }
  const HloInstruction& root() const { return *computation().root_instruction(); }
  // Whether the result is written to memory that the kernel still reads.
  bool SharesMemory() const;

  const HloInstruction* const instruction;
  // From the request. An epilogue is a function for kernels::KernelEpilogue rather than for
  // KernelThunk.
  const std::vector<bool> is_written, is_unused;
  const int64_t epilogue_of;
  // Loops test their condition at the end, so that loads can be hoisted out of them.
  bool tests_at_end = false;
  // Results are stored past the caches, which they exceed.
  bool streams = false;
  int64_t units = 0;
  int64_t chunk = 1;                 // units that a thread takes at a time
  double bytes = 0, operations = 0;  // of a whole execution, estimated
};

std::unique_ptr<const KernelPlan> PlanKernel(const KernelRequest& request);

// The plan on one line.
std::string PlanText(const KernelPlan& plan);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_KERNEL_PLAN_H_

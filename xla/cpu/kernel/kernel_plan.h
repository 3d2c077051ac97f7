// SPDX-License-Identifier: Apache-2.0
// Plans of kernels: which strategy computes a fusion, and how its work is divided.
//
// A strategy is a class derived from KernelPlan in a pair of files of its own, with a planner: a
// function that returns the plan for a fusion, and one that says whether the strategy suits it. The
// table in strategies.cc lists them in order of preference.
#ifndef XLA_CPU_KERNEL_KERNEL_PLAN_H_
#define XLA_CPU_KERNEL_KERNEL_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "xla/cpu/codegen/target.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu {

class KernelCode;  // kernel_code.h

// What a kernel has to compute, and where its results are.
struct KernelRequest {
  const HloInstruction* fusion = nullptr;
  const Target* target = nullptr;
  std::vector<bool> is_written;  // operands that are in the memory of a result
  std::vector<bool> is_unused;   // results without memory; empty: none
  // The operand whose elements a contraction gives to the kernel block by block (see epilogue.h);
  // -1 if there is none.
  int64_t epilogue_of = -1;
  const HloInstruction* contraction = nullptr;  // that one
  // The name of the strategy; empty: the first that suits the fusion.
  std::string_view strategy = {};

  const HloComputation& computation() const { return *fusion->to_apply(); }
  const HloInstruction& root() const { return *computation().root_instruction(); }
};

// What a plan says, for PlanText.
struct PlanDescription {
  std::string kind, details, loops;
};

class KernelPlan {
 public:
  explicit KernelPlan(const KernelRequest& request)
      : fusion(request.fusion),
        is_written(request.is_written),
        is_unused(request.is_unused),
        epilogue_of(request.epilogue_of) {}
  virtual ~KernelPlan() = default;
  KernelPlan(const KernelPlan&) = delete;
  KernelPlan& operator=(const KernelPlan&) = delete;

  // Emits a loop over the units [code.begin(), code.end()).
  virtual void EmitUnits(KernelCode& code) const = 0;
  virtual PlanDescription Describe() const = 0;
  // The elements that are computed at a time.
  virtual int64_t lanes() const = 0;

  const HloComputation& computation() const { return *fusion->to_apply(); }
  const HloInstruction& root() const { return *computation().root_instruction(); }
  // Whether the result is written to memory that the kernel still reads.
  bool SharesMemory() const;

  const HloInstruction* const fusion;
  // As in the request. An epilogue is a function for kernels::KernelEpilogue rather than for
  // KernelThunk.
  const std::vector<bool> is_written, is_unused;
  const int64_t epilogue_of;
  // Loops test at their end whether they go on: what all of them read is loaded once.
  bool tests_at_end = false;
  // Results are stored past the caches: they are too large for them.
  bool streams = false;
  int64_t units = 0;
  int64_t chunk = 1;                 // units for a thread at a time
  double bytes = 0, operations = 0;  // of a whole execution, estimated
};

std::unique_ptr<const KernelPlan> PlanKernel(const KernelRequest& request);

// The plan on one line.
std::string PlanText(const KernelPlan& plan);

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_KERNEL_PLAN_H_

// SPDX-License-Identifier: Apache-2.0
// The functions that are generated for a program, with their names and code.
#ifndef XLA_CPU_LOWER_GENERATED_FUNCTIONS_H_
#define XLA_CPU_LOWER_GENERATED_FUNCTIONS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/native_code.h"
#include "xla/cpu/codegen/target.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/cpu/lower/loop_plan.h"
#include "xla/cpu/plan/schedule.h"
#include "xla/cpu/run/thunk.h"

namespace xla::cpu {

// A generated kernel, shared by all items that compute the same function.
struct UniqueKernel {
  std::unique_ptr<const KernelPlan> plan;
  std::string name;
  int64_t uses = 0;
  KernelFunction function = nullptr;
  double compile_seconds = 0;
  bool is_cached = false;
};

class GeneratedFunctions {
 public:
  // Plans the functions of a schedule. Names start with the prefix.
  GeneratedFunctions(const ProgramSchedule& schedule, const Target& target, std::string prefix);
  GeneratedFunctions(const GeneratedFunctions&) = delete;
  GeneratedFunctions& operator=(const GeneratedFunctions&) = delete;

  bool empty() const;
  const LoopPlans& loops() const { return loops_; }
  // Moves the plans of the loops out.
  LoopPlans TakeLoops() { return std::move(loops_); }
  std::vector<UniqueKernel>& kernels() { return kernels_; }
  const std::vector<UniqueKernel>& kernels() const { return kernels_; }

  // Emits one of kernels().
  absl::Status EmitKernelAt(Ir& ir, size_t kernel);
  // Emits all functions but kernels.
  absl::Status EmitOthers(Ir& ir) const;

  // Appends a line for each function whose work is divided.
  void AddPlans(std::vector<std::string>& plans) const;

  // Finds kernel `k` in its code. INTERNAL if it is missing.
  absl::Status FindKernel(size_t k, const NativeCode& code);
  // Sets the code of all functions but kernels.
  void set_code(const NativeCode* code) { code_ = code; }

  // The generated functions of an item or instruction; null, or no kernel, if it has none.
  const UniqueKernel& KernelOf(const ScheduledItem& item) const {
    return kernels_[kernel_of_.at(&item)];
  }
  LoopFunction ScalarLoopOf(const ScheduledItem& loop) const { return Loop(scalar_loops_, loop); }
  LoopFunction ElementLoopOf(const ScheduledItem& loop) const { return Loop(element_loops_, loop); }
  LoopFunction CompiledLoopOf(const ScheduledItem& loop) const {
    return Loop(compiled_loops_, loop);
  }
  void* ComparatorOf(const HloInstruction& sort) const;
  // Returns the combiners of a reduction between devices, by operand; may have fewer entries than
  // operands.
  std::vector<CombinerFunction> CombinersOf(const HloInstruction& instruction) const;

 private:
  using LoopNames = std::map<const ScheduledItem*, std::string>;

  void PlanItems(absl::Span<const ScheduledItem> items);
  void PlanLoop(const ScheduledItem& loop);
  size_t FindOrPlanKernel(const ScheduledItem& item);
  void PlanCombiners(const HloInstruction& instruction);
  LoopFunction Loop(const LoopNames& names, const ScheduledItem& loop) const;

  const ProgramSchedule& schedule_;
  const Target& target_;
  const std::string prefix_;
  LoopPlans loops_;
  std::vector<UniqueKernel> kernels_;
  std::map<size_t, std::vector<size_t>> by_hash_;
  std::map<const ScheduledItem*, size_t> kernel_of_;
  std::map<const HloInstruction*, std::string> comparators_;  // of sorts
  LoopNames scalar_loops_, element_loops_, compiled_loops_;
  std::vector<const ScheduledItem*> compiled_order_;  // of compiled_loops_, by number
  // The combiners of reductions between devices, by instruction and operand.
  std::map<std::pair<const HloInstruction*, int64_t>, std::string> combiners_;
  const NativeCode* code_ = nullptr;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_LOWER_GENERATED_FUNCTIONS_H_

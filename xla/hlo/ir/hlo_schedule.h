// SPDX-License-Identifier: Apache-2.0
// The order in which the instructions of computations run. A scheduled module (HloModuleConfig::
// is_scheduled) has one: the order of its instructions. HloModule::schedule() copies it.
#ifndef XLA_HLO_IR_HLO_SCHEDULE_H_
#define XLA_HLO_IR_HLO_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "xla/base/status_fwd.h"

namespace xla {

class HloComputation;
class HloInstruction;
class HloModule;

// The instructions of one computation.
class HloInstructionSequence {
 public:
  HloInstructionSequence() = default;
  explicit HloInstructionSequence(std::vector<HloInstruction*> instructions)
      : instructions_(std::move(instructions)) {}
  const std::vector<HloInstruction*>& instructions() const { return instructions_; }
  int64_t size() const { return static_cast<int64_t>(instructions_.size()); }
  void push_back(HloInstruction* instruction) { instructions_.push_back(instruction); }

 private:
  std::vector<HloInstruction*> instructions_;
};

class HloSchedule {
 public:
  explicit HloSchedule(const HloModule* module) : module_(module) {}

  const HloModule* module() const { return module_; }
  // By the computations' unique ids.
  const std::map<int64_t, HloInstructionSequence>& sequences() const { return sequences_; }
  bool is_computation_scheduled(const HloComputation* computation) const;
  // Precondition: the computation is scheduled.
  const HloInstructionSequence& sequence(const HloComputation* computation) const;
  void set_sequence(const HloComputation* computation, HloInstructionSequence sequence);

  // Every computation but those of fusions has a sequence, which lists its instructions once, each
  // after its operands and control predecessors.
  absl::Status Verify() const;

 private:
  const HloModule* module_;
  std::map<int64_t, HloInstructionSequence> sequences_;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_SCHEDULE_H_

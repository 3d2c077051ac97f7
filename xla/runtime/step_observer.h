// SPDX-License-Identifier: Apache-2.0
// Who is told of the steps of a run, for profiles and traces.
#ifndef XLA_RUNTIME_STEP_OBSERVER_H_
#define XLA_RUNTIME_STEP_OBSERVER_H_

#include <chrono>
#include <cstdint>

namespace xla {
class HloInstruction;  // hlo/ir/hlo_instruction.h
}  // namespace xla

namespace xla::runtime {

class StepObserver {
 public:
  using Time = std::chrono::steady_clock::time_point;

  virtual ~StepObserver() = default;
  // A step begins. What begins before it ends is a part of it: a step of a loop's body, or of the
  // branch that a conditional takes. A step that fails has no end.
  virtual void OnStepBegin(int64_t /*device*/, const HloInstruction* /*instruction*/) {}
  // A step has ended. Called from the thread of the device, and so from several at once; `device`
  // is partition device % partitions of replica device / partitions. The instruction, which the
  // step computes, is of the module as it was compiled; null: a copy. Loops and conditionals end
  // after what they run.
  virtual void OnStep(int64_t device, const HloInstruction* instruction, Time begin, Time end) = 0;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_STEP_OBSERVER_H_

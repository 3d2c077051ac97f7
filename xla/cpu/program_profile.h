// SPDX-License-Identifier: Apache-2.0
// Measures how long each thunk of a run takes.
#ifndef XLA_CPU_PROGRAM_PROFILE_H_
#define XLA_CPU_PROGRAM_PROFILE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/runtime/step_observer.h"

namespace xla::cpu {

// Observes a run on one device.
class ThunkProfile final : public runtime::StepObserver {
 public:
  void OnStepBegin(int64_t device, const HloInstruction* instruction) override;
  void OnStep(int64_t device, const HloInstruction* instruction, Time begin, Time end) override;

  // Returns the measurements: a tree in preorder, the longest of siblings first.
  std::vector<CpuProgram::ProfileEntry> Entries() const;
  // Appends the first million thunks, in the order of their ends.
  void AppendEvents(std::vector<CpuProgram::ProfileEvent>& events) const;

 private:
  // The runs of a thunk within a loop or conditional, with the thunks that it runs in turn.
  struct Node {
    std::map<const HloInstruction*, std::unique_ptr<Node>> parts;
    int64_t runs = 0;
    double seconds = 0, seconds_of_parts = 0;
  };
  struct Event {
    const HloInstruction* instruction;
    double start, seconds;  // since some point in time
  };

  static CpuProgram::ProfileEntry EntryOf(const HloInstruction* instruction, const Node& node);
  static void AppendEntries(const Node& parent, int depth,
                            std::vector<CpuProgram::ProfileEntry>& entries);

  Node root_;
  std::vector<Node*> running_ = {&root_};  // from the outermost in
  std::vector<Event> events_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_PROGRAM_PROFILE_H_

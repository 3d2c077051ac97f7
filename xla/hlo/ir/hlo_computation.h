// SPDX-License-Identifier: Apache-2.0
// A function of the HLO module: a graph of instructions with numbered parameters and one root.
#ifndef XLA_HLO_IR_HLO_COMPUTATION_H_
#define XLA_HLO_IR_HLO_COMPUTATION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/shape.h"

namespace xla {

class HloModule;

class HloComputation {
 public:
  HloComputation(const HloComputation&) = delete;
  HloComputation& operator=(const HloComputation&) = delete;
  ~HloComputation();

  const std::string& name() const { return name_; }
  void SetName(std::string name) { name_ = std::move(name); }
  int64_t unique_id() const { return unique_id_; }
  HloModule* parent() const { return parent_; }
  bool IsEntryComputation() const;

  // --- Instructions, in text order (the schedule when the module is scheduled).
  int64_t instruction_count() const { return live_count_; }
  // The live instructions in order: a fresh vector of pointers, linear time.
  std::vector<HloInstruction*> instructions() const;
  // The same in order of creation (of unique_id), which a schedule leaves alone. XLA lists
  // instructions in this order.
  std::vector<HloInstruction*> instructions_by_id() const;
  // Operands before users, and control predecessors before successors. The order is that in which
  // XLA prints: for each instruction without users, in order of instructions(), what it depends on,
  // first operand first. Linear time, no recursion. A cycle is an error that names its
  // instructions.
  absl::StatusOr<std::vector<HloInstruction*>> PostOrder() const;
  // The same for a graph known to be acyclic (verified): cycles are a programming error.
  std::vector<HloInstruction*> MakeInstructionPostOrder() const;

  // Takes ownership; gives it a module-unique id and, if its name is empty or taken, a unique name.
  // Parameters must come with their number; the same number twice is an error found by the
  // verifier.
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                 std::string_view name = {});
  // Destroys an instruction that is not the root or a parameter and has no users and no control
  // dependencies.
  absl::Status RemoveInstruction(HloInstruction* instruction);
  // The same, then operands left without users and side effects.
  absl::Status RemoveInstructionAndUnusedOperands(HloInstruction* instruction);
  // All uses and control dependencies of the old one become the new one's; the old one is
  // destroyed.
  absl::Status ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* new_instruction);
  // Text order := this order (all live instructions, each once); for schedules.
  absl::Status SetInstructionOrder(const std::vector<HloInstruction*>& order);

  HloInstruction* root_instruction() const { return root_; }
  void set_root_instruction(HloInstruction* root) { root_ = root; }

  // Parameters by number; a number nobody declared is null. Numbers far beyond the number of
  // parameters are not listed (there is then a null at the end at least): the verifier finds them.
  const std::vector<HloInstruction*>& parameter_instructions() const { return parameters_; }
  HloInstruction* parameter_instruction(int64_t i) const { return parameters_[i]; }
  int64_t num_parameters() const { return static_cast<int64_t>(parameters_.size()); }

  // Parameters and result, with the instructions' layouts.
  ProgramShape ComputeProgramShape() const;

  const std::string& execution_thread() const { return execution_thread_; }  // empty: main
  void SetExecutionThread(std::string thread) { execution_thread_ = std::move(thread); }
  // Set while this is the body of a fusion instruction.
  bool IsFusionComputation() const { return is_fusion_; }
  void SetIsFusionComputation(bool is_fusion) { is_fusion_ = is_fusion; }

  // Same graph up to names, ids and instruction order (but in the order where the module is
  // scheduled); callees compared deeply. What the root does not reach is matched by structure,
  // among equals in order. Linear time.
  bool Equal(const HloComputation& other, bool layout_sensitive = true) const;
  // Consistent with Equal.
  size_t Hash() const;

 private:
  friend class HloModule;
  friend class HloInstruction;
  HloComputation(std::string name, HloModule* parent, int64_t unique_id);
  void ListParameter(HloInstruction* parameter);
  void Compact();

  std::string name_;
  int64_t unique_id_ = -1;
  HloModule* parent_ = nullptr;
  std::vector<std::unique_ptr<HloInstruction>> slots_;  // null: removed; compacted when half are
  int64_t live_count_ = 0;
  HloInstruction* root_ = nullptr;
  std::vector<HloInstruction*> parameters_;
  int64_t listed_parameters_ = 0;    // not null in parameters_
  int64_t declared_parameters_ = 0;  // parameter instructions
  // Parameters with a number too large for parameters_ as yet.
  std::map<int64_t, HloInstruction*> distant_parameters_;
  std::string execution_thread_;
  bool is_fusion_ = false;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_COMPUTATION_H_

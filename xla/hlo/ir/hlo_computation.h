// SPDX-License-Identifier: Apache-2.0
// A function of the HLO module: a graph of instructions with numbered parameters and one root.
#ifndef XLA_HLO_IR_HLO_COMPUTATION_H_
#define XLA_HLO_IR_HLO_COMPUTATION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/snapshot_list.h"
#include "xla/shape.h"

namespace xla {

class HloModule;
struct HloPrintOptions;
template <typename HloInstructionPtr>
class DfsHloVisitorBase;
namespace ir_internal {
struct CloneAccess;
}  // namespace ir_internal

class HloComputation {
 public:
  // Collects instructions for a computation that is added to a module later:
  //   HloComputation::Builder builder("entry");
  //   auto* x = builder.AddInstruction(HloInstruction::CreateParameter(0, shape, "x"));
  //   module->AddEntryComputation(builder.Build());
  class Builder {
   public:
    explicit Builder(std::string_view name);
    Builder(Builder&&) noexcept;
    ~Builder();
    HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction);
    HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                   std::string_view name);
    HloInstruction* last_added_instruction() const;
    // The root is the last instruction if null. The builder is empty afterwards.
    std::unique_ptr<HloComputation> Build(HloInstruction* root = nullptr);

   private:
    std::string name_;
    std::vector<std::unique_ptr<HloInstruction>> instructions_;
  };

  HloComputation(const HloComputation&) = delete;
  HloComputation& operator=(const HloComputation&) = delete;
  ~HloComputation();

  const std::string& name() const { return name_; }
  void SetName(std::string name) { name_ = std::move(name); }
  int64_t unique_id() const { return unique_id_; }
  HloModule* parent() const { return parent_; }
  bool IsEntryComputation() const;

  // --- Instructions, in text order (the schedule when the module is scheduled).
  //
  // Mutations keep a schedule valid: where one makes an instruction depend on a later one, the
  // latter moves (KeepScheduleValid in ir_internal.h).
  int64_t instruction_count() const { return live_count_; }
  // The live instructions in order: a fresh vector of pointers, linear time.
  SnapshotList<HloInstruction*> instructions() const;
  // The same in order of creation (of unique_id), which a schedule leaves alone. XLA lists
  // instructions in this order.
  std::vector<HloInstruction*> instructions_by_id() const;
  // Null if there is none.
  HloInstruction* GetInstructionWithName(std::string_view name) const;
  // Operands before users, and control predecessors before successors. The order is that in which
  // XLA prints: for each instruction without users, in order of instructions(), what it depends on,
  // first operand first. Linear time, no recursion. A cycle is an error that names its
  // instructions.
  absl::StatusOr<std::vector<HloInstruction*>> PostOrder() const;
  // The same for a graph known to be acyclic (verified): cycles are a programming error.
  std::vector<HloInstruction*> MakeInstructionPostOrder() const;

  // Takes ownership; gives it a module-unique id and, if its name is empty or taken, a unique name.
  // Parameters must come with their number; a duplicate number is an error found by the verifier.
  // The instruction becomes the last in text order, or stands directly before or after another one.
  HloInstruction* AddInstruction(std::unique_ptr<HloInstruction> instruction,
                                 std::string_view name = {});
  HloInstruction* InsertBefore(HloInstruction* position,
                               std::unique_ptr<HloInstruction> instruction,
                               std::string_view name = {});
  HloInstruction* InsertAfter(HloInstruction* position, std::unique_ptr<HloInstruction> instruction,
                              std::string_view name = {});

  // Removes an instruction that is not the root or a parameter and has no users and no control
  // dependencies. The object is marked dead, and freed by Cleanup or with the computation.
  absl::Status RemoveInstruction(HloInstruction* instruction);
  // The same, then operands left without users and side effects.
  absl::Status RemoveInstructionAndUnusedOperands(HloInstruction* instruction);
  // Removes a parameter without users and control dependencies; those of higher numbers move down
  // by one. The caller adapts what calls this (RemoveParameters in call_rewriting.h does both).
  absl::Status RemoveParameter(int64_t number);
  // All uses and control dependencies of the old one become the new one's; the old one is removed.
  // Shapes must be compatible, but for the second form, after which users may have to change.
  absl::Status ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* new_instruction);
  absl::Status ReplaceInstructionWithDifferentShape(HloInstruction* old_instruction,
                                                    HloInstruction* new_instruction);
  // Inserts the new instruction where the old one is, lets it inherit metadata, sharding and
  // frontend attributes, and replaces the old one by it. Returns the new one.
  absl::StatusOr<HloInstruction*> ReplaceWithNewInstruction(
      HloInstruction* old_instruction, std::unique_ptr<HloInstruction> new_instruction);
  // Replaces instructions by a fusion of them (FuseInstructions of call_rewriting.h); null if they
  // cannot be fused.
  HloInstruction* CreateFusionInstruction(absl::Span<HloInstruction* const> instructions,
                                          FusionKind kind);
  // Frees removed instructions. Pointers to them dangle from now on.
  void Cleanup();

  // Text order := this order (all live instructions, each once); for schedules.
  absl::Status SetInstructionOrder(const std::vector<HloInstruction*>& order);
  // Moves an instruction directly before another one in text order.
  void MoveBefore(HloInstruction* position, HloInstruction* instruction);

  HloInstruction* root_instruction() const { return root_; }
  void set_root_instruction(HloInstruction* root) { root_ = root; }

  // Parameters by number; a number that is not declared is null. Numbers far beyond the number of
  // parameters are not listed (there is then a null at the end at least): the verifier finds them.
  const std::vector<HloInstruction*>& parameter_instructions() const { return parameters_; }
  HloInstruction* parameter_instruction(int64_t i) const { return parameters_[i]; }
  int64_t num_parameters() const { return static_cast<int64_t>(parameters_.size()); }

  // Parameters and result, with the instructions' layouts.
  ProgramShape ComputeProgramShape() const;

  const std::string& execution_thread() const { return execution_thread_; }  // empty: main
  void SetExecutionThread(std::string thread) { execution_thread_ = std::move(thread); }

  // --- Callers
  // The instructions of this module that call this, each once, in order of their ids.
  std::vector<HloInstruction*> callers() const;
  int64_t caller_count() const;
  // The only caller with this opcode; nullopt if there are none or several.
  std::optional<HloInstruction*> GetUniqueCaller(HloOpcode opcode) const;
  // Whether this is the body of a fusion instruction.
  bool IsFusionComputation() const { return fusion_caller_count_ > 0; }

  // Same graph up to names, ids and instruction order (but in the order where the module is
  // scheduled); callees compared deeply. What the root does not reach is matched by structure,
  // among equals in order. Linear time.
  bool Equal(const HloComputation& other, bool layout_sensitive = true) const;
  bool operator==(const HloComputation& other) const { return Equal(other); }
  // Consistent with Equal.
  size_t Hash() const;

  // The computation as HLO text; defined in xla/hlo/text/printer.
  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  // Visits the instructions in post order; dfs_hlo_visitor.h defines it.
  template <typename HloInstructionPtr>
  absl::Status Accept(DfsHloVisitorBase<HloInstructionPtr>* visitor) const;

 private:
  friend class HloModule;
  friend struct ir_internal::CloneAccess;
  friend class HloInstruction;
  HloComputation(std::string name, HloModule* parent, int64_t unique_id);
  void ListParameter(HloInstruction* parameter);
  void Compact();
  // Makes a free instruction one of this computation's, before `next` in order (null: last).
  HloInstruction* Adopt(std::unique_ptr<HloInstruction> instruction, std::string_view name,
                        HloInstruction* next);
  // Removes an instruction that nothing refers to.
  void Discard(HloInstruction* instruction);
  // The order: a linked list with increasing numbers.
  void Link(HloInstruction* instruction, HloInstruction* next);
  void Unlink(HloInstruction* instruction);
  void SpreadPositions(HloInstruction* around);
  void SortSlots();
  void AddCaller(HloInstruction* caller);
  void RemoveCaller(HloInstruction* caller);
  // Ends the calls of all instructions here; before the computation is destroyed.
  void ReleaseCallees();
  void NameAndNumber(HloInstruction* added);
  // Gives a free instruction a place here, without name and id.
  void Insert(std::unique_ptr<HloInstruction> instruction, HloInstruction* next);
  // Makes this, built without a module, one of the module's: unique names and ids.
  void JoinModule(HloModule* module, std::string name, int64_t unique_id);

  std::string name_;
  int64_t unique_id_ = -1;
  HloModule* parent_ = nullptr;
  std::vector<std::unique_ptr<HloInstruction>> slots_;  // null: removed; compacted when half are
  std::vector<std::unique_ptr<HloInstruction>> removed_;
  bool slots_are_in_order_ = true;  // the order of slots_ is the text order
  HloInstruction* first_ = nullptr;
  HloInstruction* last_ = nullptr;
  int64_t live_count_ = 0;
  HloInstruction* root_ = nullptr;
  std::vector<HloInstruction*> parameters_;
  int64_t listed_parameters_ = 0;    // not null in parameters_
  int64_t declared_parameters_ = 0;  // parameter instructions
  // Parameters with a number too large for parameters_ as yet.
  std::map<int64_t, HloInstruction*> distant_parameters_;
  std::string execution_thread_;
  struct Callers;  // how often each instruction calls this
  std::unique_ptr<Callers> callers_;
  int64_t fusion_caller_count_ = 0;
};

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_COMPUTATION_H_

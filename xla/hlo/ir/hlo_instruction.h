// SPDX-License-Identifier: Apache-2.0
// One operation of an HLO computation: opcode, result shape, operands, attributes, called
// computations.
//
// Instructions live in a HloComputation, which owns them. What is special to an opcode is in its
// attribute struct (attributes.h); hlo_instructions.h has typed views of it under XLA's names:
//   auto* dot = computation->AddInstruction(HloInstruction::Create(
//       HloOpcode::kDot, shape, {lhs, rhs}, DotAttributes{.lhs_contracting_dims = {1}, ...}));
//   dot->attributes<DotAttributes>().lhs_contracting_dims
#ifndef XLA_HLO_IR_HLO_INSTRUCTION_H_
#define XLA_HLO_IR_HLO_INSTRUCTION_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla/base/boxed_optional.h"
#include "xla/base/status_fwd.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/instruction_accessors.h"  // IWYU pragma: export
#include "xla/hlo/ir/instruction_extras.h"     // IWYU pragma: export
#include "xla/hlo/ir/instruction_factories.h"  // IWYU pragma: export
#include "xla/shape.h"

namespace xla {

class HloComputation;
class HloInstruction;
class HloModule;
struct HloPrintOptions;
namespace ir_internal {
struct CloneAccess;
}  // namespace ir_internal

class HloInstruction : public InstructionFactories, public InstructionAccessors {
 public:
  using InstructionVector = absl::InlinedVector<HloInstruction*, 2>;
  using ComputationVector = absl::InlinedVector<HloComputation*, 1>;

  // A free instruction, to be given to HloComputation::AddInstruction. `attributes` left at
  // NoAttributes becomes the opcode's default struct; another opcode's struct is a programming
  // error (checked).
  static std::unique_ptr<HloInstruction> Create(HloOpcode opcode, Shape shape,
                                                absl::Span<HloInstruction* const> operands,
                                                Attributes attributes = NoAttributes{},
                                                absl::Span<HloComputation* const> called = {});
  static std::unique_ptr<HloInstruction> Create(HloOpcode opcode, Shape shape,
                                                std::initializer_list<HloInstruction*> operands,
                                                Attributes attributes = NoAttributes{},
                                                std::initializer_list<HloComputation*> called = {});
  static std::unique_ptr<HloInstruction> CreateParameter(int64_t number, Shape shape,
                                                         std::string_view name);
  static std::unique_ptr<HloInstruction> CreateConstant(Literal literal);

  HloInstruction(const HloInstruction&) = delete;
  HloInstruction& operator=(const HloInstruction&) = delete;
  ~HloInstruction();

  // --- Identity
  HloOpcode opcode() const { return opcode_; }
  const OpInfo& info() const { return GetOpInfo(opcode_); }
  // Whether an element of the result depends on the same element of each operand alone; a
  // bitcast-convert between types of different widths does not.
  static bool IsOpElementwise(HloOpcode opcode) {
    return GetOpInfo(opcode).family == OpFamily::kElementwise;
  }
  bool IsElementwise() const;
  const std::string& name() const { return name_; }  // without '%'
  // The caller must ensure uniqueness in the module (HloModule::UniqueInstructionName).
  void SetName(std::string name) { name_ = std::move(name); }
  int64_t unique_id() const { return unique_id_; }    // unique in the module, -1 while free
  HloComputation* parent() const { return parent_; }  // null while free, and once removed
  HloModule* GetModule() const;
  // Whether this was removed from its computation. The object lives until HloComputation::Cleanup,
  // so that a pass that walks a list of instructions can skip those removed on the way.
  bool IsDead() const { return is_dead_; }
  // Whether this precedes `other`, of the same computation, in text order (the schedule).
  bool ComesBefore(const HloInstruction* other) const { return position_ < other->position_; }

  const Shape& shape() const { return shape_; }
  Shape* mutable_shape() { return &shape_; }

  // --- Operands and users
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  const InstructionVector& operands() const { return operands_; }
  HloInstruction* operand(int64_t i) const { return operands_[i]; }
  HloInstruction* mutable_operand(int64_t i) const { return operands_[i]; }
  // Every user once, in order of first use (a removal moves the last one into the gap).
  const InstructionVector& users() const { return users_; }
  int64_t user_count() const { return static_cast<int64_t>(users_.size()); }
  bool IsRoot() const;
  bool IsUserOf(const HloInstruction* other) const;

  // --- Replacement. In a scheduled module, an instruction that becomes an operand of an earlier
  // one is moved in front of it, with all that it needs (HloComputation::MoveBefore).

  // Replaces operand i; shapes must be compatible.
  absl::Status ReplaceOperandWith(int64_t i, HloInstruction* new_operand);
  // Every use (and the root, if this is it) becomes `other`, of compatible shape. Uses by `other`
  // itself stay.
  absl::Status ReplaceAllUsesWith(HloInstruction* other);
  // Every use by `user` becomes `other`, of compatible shape.
  absl::Status ReplaceUseWith(HloInstruction* user, HloInstruction* other);
  // The same without the check of shapes: for rewrites that change the users' shapes or attributes
  // as well.
  absl::Status ReplaceOperandWithDifferentShape(int64_t i, HloInstruction* new_operand);
  absl::Status ReplaceAllUsesWithDifferentShape(HloInstruction* other);
  absl::Status ReplaceUseWithDifferentShape(HloInstruction* user, HloInstruction* other);
  void AppendOperand(HloInstruction* operand);
  // Drops operand i; those after it move up. The caller adapts attributes and shape.
  void RemoveOperand(int64_t i);

  // --- Attributes
  const Attributes& attributes() const { return attributes_; }
  template <class T>
  const T& attributes() const {
    return attributes_.get<T>();
  }
  template <class T>
  T* mutable_attributes() {
    return &attributes_.get<T>();
  }
  template <class T>
  const T* attributes_if() const {
    return attributes_.get_if<T>();
  }
  void set_attributes(Attributes attributes);

  // Shorthands over opcodes; a wrong opcode is a programming error.
  int64_t parameter_number() const;
  const Literal& literal() const;
  int64_t tuple_index() const;
  bool IsConstant() const { return opcode_ == HloOpcode::kConstant; }
  const std::string& custom_call_target() const {
    return attributes<CustomCallAttributes>().custom_call_target;
  }
  // For every opcode that has a `dimensions` attribute (broadcast, reduce, sort, all-gather, ...).
  absl::Span<const int64_t> dimensions() const;

  // --- Called computations, in the order of enum Callees
  const ComputationVector& called_computations() const { return called_computations_; }
  HloComputation* to_apply() const { return called_computations_[0]; }
  HloComputation* while_body() const { return called_computations_[0]; }
  HloComputation* while_condition() const { return called_computations_[1]; }
  HloComputation* select() const { return called_computations_[0]; }
  HloComputation* scatter() const { return called_computations_[1]; }
  HloComputation* branch_computation(int64_t i) const { return called_computations_[i]; }
  void set_called_computation(int64_t i, HloComputation* computation);
  void AppendCalledComputation(HloComputation* computation);

  // --- Control dependencies: this runs before `successor`.
  absl::Status AddControlDependencyTo(HloInstruction* successor);
  absl::Status RemoveControlDependencyTo(HloInstruction* successor);
  // Ends all control dependencies of this; its predecessors then run before its successors.
  absl::Status RemoveAllControlDependencies();
  // `other` takes over the control dependencies of this. Those with `other` itself end.
  absl::Status MoveControlDependenciesTo(HloInstruction* other);
  bool HasControlDependencies() const {
    return !control_predecessors().empty() || !control_successors().empty();
  }
  const std::vector<HloInstruction*>& control_predecessors() const {
    return extras().control_predecessors;
  }
  const std::vector<HloInstruction*>& control_successors() const {
    return extras().control_successors;
  }

  // --- Optional data (sharding, metadata, backend config, ...)
  const InstructionExtras& extras() const;  // an empty one if there are none
  InstructionExtras& mutable_extras();
  bool has_extras() const { return extras_ != nullptr; }
  bool has_sharding() const { return extras().sharding.has_value(); }
  // Precondition: has_sharding().
  const HloSharding& sharding() const { return *extras().sharding; }
  const std::string& raw_backend_config_string() const { return extras().backend_config; }
  void set_sharding(HloSharding sharding) { mutable_extras().sharding = std::move(sharding); }
  void clear_sharding();
  void set_raw_backend_config_string(std::string config) {
    mutable_extras().backend_config = std::move(config);
  }
  const InstructionMetadata& metadata() const;  // an empty one if there is none
  void set_metadata(InstructionMetadata metadata);
  void set_metadata_op_name(std::string name);
  // Empty if there is none.
  OriginalValuePtr original_value() const { return OriginalValuePtr(extras().original_value); }

  // --- Whole-instruction operations
  // Whether the instruction must run even if nothing uses its result: by its opcode and attributes,
  // and by the computations it calls.
  bool HasSideEffect() const;
  bool HasSideEffectNoRecurse() const;  // without called computations
  // Same opcode, attributes, shape and operands (by pointer); called computations compared deeply.
  // Names, metadata, ids do not count; sharding, result accuracy, frontend attributes and backend
  // config do.
  bool Identical(const HloInstruction& other, bool layout_sensitive = true) const;
  // Hash consistent with Identical, without operands.
  size_t Hash() const;
  // A copy with the given shape and operands: attributes, called computations (same pointers),
  // extras without control dependencies. Free until added to a computation.
  std::unique_ptr<HloInstruction> CloneWithNewOperands(
      const Shape& shape, absl::Span<HloInstruction* const> operands) const;
  // Gives an instruction that takes the place of this one, or computes a part of it, what it should
  // inherit: metadata, frontend attributes, and the sharding if it fits the shape. What it already
  // has stays.
  void SetupDerivedInstruction(HloInstruction* derived) const;

  // The instruction as one line of HLO text (long form); for error messages and debugging. Defined
  // in xla/hlo/text/printer.
  std::string ToString() const;
  std::string ToString(const HloPrintOptions& options) const;
  // "add.3 = f32[2] add(f32[2] x, f32[2] y)": short, bounded length, never fails. For error
  // messages.
  std::string ToShortString() const;

 private:
  friend class HloComputation;
  friend class HloModule;
  friend struct ir_internal::CloneAccess;
  HloInstruction(HloOpcode opcode, Shape shape);
  // One use more, one use less, of this by `user`.
  void AddUse(HloInstruction* user);
  void RemoveUse(HloInstruction* user);
  int64_t FindUser(const HloInstruction* user) const;  // position in users_, or -1
  // Takes this out of the users and control lists of others.
  void Detach();
  absl::Status CheckReplacement(const HloInstruction* other) const;
  void SetOperand(int64_t i, HloInstruction* new_operand);
  void AddControlEdgeTo(HloInstruction* successor);

  // What only instructions with many users, or with a user that uses them more than once, need.
  struct UserIndex;
  UserIndex& user_index();

  HloOpcode opcode_;
  bool is_dead_ = false;
  int32_t index_in_parent_ = -1;  // slot in the parent's list
  int64_t unique_id_ = -1;
  HloComputation* parent_ = nullptr;
  // Text order: a list of the parent's instructions, and numbers that increase along it.
  HloInstruction* previous_ = nullptr;
  HloInstruction* next_ = nullptr;
  int64_t position_ = 0;
  Shape shape_;
  InstructionVector operands_;
  InstructionVector users_;
  std::unique_ptr<UserIndex> user_index_;  // null: each user uses this once
  Attributes attributes_;
  ComputationVector called_computations_;
  std::unique_ptr<InstructionExtras> extras_;
  std::string name_;
};

// Predicates on instructions: HloPredicateIsOp<HloOpcode::kAdd, HloOpcode::kSubtract>.
template <HloOpcode... kOpcodes>
bool HloPredicateIsOp(const HloInstruction* instruction) {
  return (... || (instruction->opcode() == kOpcodes));
}
template <HloOpcode... kOpcodes>
bool HloPredicateIsNotOp(const HloInstruction* instruction) {
  return (... && (instruction->opcode() != kOpcodes));
}

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INSTRUCTION_H_

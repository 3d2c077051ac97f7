// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/schedule.h"

#include <algorithm>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/plan/buffer_assignment.h"
#include "xla/cpu/plan/loop_state.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/memory_scheduler.h"
#include "xla/cpu/plan/schedule_builder.h"
#include "xla/passes/communication.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

using Leaves = std::vector<ValueId>;
using Items = std::vector<ScheduledItem>;

class Scheduler {
 public:
  Scheduler(ScheduleBuilder& builder, absl::Span<const MemoryAlias> aliases)
      : b_(builder), aliases_(aliases) {}

  absl::Status Run(const HloComputation& entry) {
    int32_t argument = 0;
    for (const HloInstruction* parameter : entry.parameter_instructions()) {
      Leaves leaves;
      for (const Shape* shape : ShapeUtil::FlattenTupleShape(parameter->shape())) {
        const ValueId value = NewValue(parameter, *shape);
        if (value != kNoValue) {
          SetArgumentPlace(value, argument);
        }
        leaves.push_back(value);
        ++argument;
      }
      leaves_[parameter] = std::move(leaves);
    }
    XLA_RETURN_IF_ERROR(Visit(entry, b_.schedule.items));
    b_.schedule.results = leaves_[entry.root_instruction()];
    ++position_;
    for (const ValueId value : b_.schedule.results) Use(value);
    return absl::OkStatus();
  }

 private:
  void SetArgumentPlace(ValueId value, int32_t argument) {
    for (const MemoryAlias& alias : aliases_) {
      if (alias.argument != argument) continue;
      b_.in_results.emplace_back(value, alias.result);
      return;
    }
    b_.schedule.values[Position(value)].slice = {BufferSlice::Memory::kArgument, argument, 0};
    b_.lives[Position(value)].is_temporary = false;
  }

  static size_t Position(ValueId value) { return static_cast<size_t>(value); }

  ValueId NewValue(const HloInstruction* instruction, const Shape& shape) {
    if (!shape.IsArray()) return kNoValue;
    int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    for (const int64_t size : shape.dimensions()) bytes *= size;
    ScheduledValue value;
    value.instruction = instruction;
    value.shape = &shape;
    value.bytes = bytes;
    b_.schedule.values.push_back(value);
    ValueLife life;
    life.definition = position_;
    life.loop = loop_;
    b_.lives.push_back(life);
    return static_cast<ValueId>(b_.schedule.values.size()) - 1;
  }

  Leaves NewValues(const HloInstruction* instruction) {
    Leaves leaves;
    for (const Shape* shape : ShapeUtil::FlattenTupleShape(instruction->shape())) {
      const bool is_unused = LoweringOf(*instruction).IsUnused(static_cast<int64_t>(leaves.size()));
      leaves.push_back(is_unused ? kNoValue : NewValue(instruction, *shape));
    }
    return leaves;
  }

  void Use(ValueId value) {
    if (value == kNoValue) return;
    ValueLife& life = b_.lives[Position(value)];
    life.uses.push_back(position_);
    for (int32_t loop = loop_; loop != -1 && loop != life.loop && loop != life.carried_by;
         loop = b_.loops[Position(loop)].parent) {
      b_.loops[Position(loop)].outer_values.insert(value);
    }
  }

  Leaves OperandLeaves(const HloInstruction& instruction) {
    Leaves leaves;
    for (const HloInstruction* operand : instruction.operands()) {
      const Leaves& own = leaves_[operand];
      leaves.insert(leaves.end(), own.begin(), own.end());
    }
    return leaves;
  }

  absl::Status Visit(const HloComputation& computation, Items& items) {
    if (++depth_ > 500) return absl::ResourceExhaustedError("calls are nested too deeply");
    const std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
    std::vector<const HloInstruction*> instructions(order.begin(), order.end());
    // Loops update their state in place, so that bodies keep their order.
    if (loop_ < 0) instructions = OrderForMemory(std::move(instructions));
    for (const HloInstruction* instruction : ReceivesLast(std::move(instructions))) {
      XLA_RETURN_IF_ERROR(VisitInstruction(*instruction, items));
    }
    --depth_;
    return absl::OkStatus();
  }

  absl::Status VisitInstruction(const HloInstruction& instruction, Items& items) {
    const Lowering& lowering = LoweringOf(instruction);
    switch (lowering.kind) {
      case Lowering::Kind::kStructure:
        return VisitStructure(instruction, items);
      case Lowering::Kind::kForwarded:
      case Lowering::Kind::kFolded:
        leaves_[&instruction] = lowering.forwards < 0
                                    ? Leaves{kNoValue}
                                    : leaves_[instruction.operand(lowering.forwards)];
        return absl::OkStatus();
      case Lowering::Kind::kFinished:
        leaves_[&instruction] = {kNoValue};
        return absl::OkStatus();
      case Lowering::Kind::kKernel:
      case Lowering::Kind::kLibrary:
        break;
    }
    ScheduledItem item;
    item.instruction = &instruction;
    item.operands = OperandLeaves(instruction);
    item.contraction = FinishedContraction(instruction);
    if (item.contraction != nullptr) {
      const Leaves own = OperandLeaves(*item.contraction);
      item.operands.insert(item.operands.end(), own.begin(), own.end());
    }
    item.position = ++position_;
    for (const ValueId operand : item.operands) Use(operand);
    item.results = NewValues(&instruction);
    leaves_[&instruction] = item.results;
    items.push_back(std::move(item));
    return absl::OkStatus();
  }

  absl::Status VisitStructure(const HloInstruction& instruction, Items& items) {
    switch (instruction.opcode()) {
      case HloOpcode::kParameter:
        return absl::OkStatus();  // set by the caller
      case HloOpcode::kConstant: {
        Leaves leaves = NewValues(&instruction);
        if (leaves.size() != 1 && instruction.shape().IsTuple())
          return absl::InternalError(
              absl::StrCat(instruction.name(), ": a constant must not be a tuple"));
        if (leaves[0] != kNoValue) {
          b_.schedule.values[Position(leaves[0])].slice = {
              BufferSlice::Memory::kConstant, static_cast<int32_t>(b_.schedule.constants.size()),
              0};
          b_.lives[Position(leaves[0])].is_temporary = false;
          b_.schedule.constants.push_back(&instruction);
        }
        leaves_[&instruction] = std::move(leaves);
        return absl::OkStatus();
      }
      case HloOpcode::kTuple:
        leaves_[&instruction] = OperandLeaves(instruction);
        return absl::OkStatus();
      case HloOpcode::kGetTupleElement: {
        const HloInstruction* operand = instruction.operand(0);
        int64_t first = 0;
        for (int64_t i = 0; i < instruction.tuple_index(); ++i) {
          first += ShapeUtil::GetLeafCount(operand->shape().tuple_shapes(static_cast<int>(i)));
        }
        const Leaves& leaves = leaves_[operand];
        leaves_[&instruction] =
            Leaves(leaves.begin() + first,
                   leaves.begin() + first + ShapeUtil::GetLeafCount(instruction.shape()));
        return absl::OkStatus();
      }
      case HloOpcode::kAfterAll:
        leaves_[&instruction] = {kNoValue};
        return absl::OkStatus();
      case HloOpcode::kCall: {
        const HloComputation& callee = *instruction.to_apply();
        BindParameters(callee, OperandLeaves(instruction));
        XLA_RETURN_IF_ERROR(Visit(callee, items));
        leaves_[&instruction] = leaves_[callee.root_instruction()];
        return absl::OkStatus();
      }
      case HloOpcode::kWhile:
        return VisitWhile(instruction, items);
      case HloOpcode::kConditional:
        return VisitConditional(instruction, items);
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("the pass assign-lowering has not decided how to compute ",
                         instruction.ToShortString()));
    }
  }

  // Binds the leaves, in order, to the callee's parameters.
  void BindParameters(const HloComputation& callee, const Leaves& leaves) {
    auto next = leaves.begin();
    for (const HloInstruction* parameter : callee.parameter_instructions()) {
      const int64_t count = ShapeUtil::GetLeafCount(parameter->shape());
      leaves_[parameter] = Leaves(next, next + count);
      next += count;
    }
  }

  void AddCopy(ValueId from, ValueId to, Items& items) {
    ScheduledItem copy;
    copy.kind = ScheduledItem::Kind::kCopy;
    copy.operands = {from};
    copy.results = {to};
    copy.position = position_;
    items.push_back(std::move(copy));
  }

  absl::Status VisitWhile(const HloInstruction& instruction, Items& items) {
    const HloComputation& condition = *instruction.while_condition();
    const HloComputation& body = *instruction.while_body();
    const Leaves initial = leaves_[instruction.operand(0)];
    const auto loop = static_cast<int32_t>(b_.loops.size());
    b_.loops.push_back({loop_, ++position_, 0, {}});

    // Arrays that the body does not change stay where they are.
    const std::vector<bool> changes = ChangedState(body);
    Leaves state = initial;
    const std::vector<const Shape*> shapes = ShapeUtil::FlattenTupleShape(instruction.shape());
    for (size_t k = 0; k < state.size(); ++k) {
      if (state[k] == kNoValue || !changes[k]) continue;
      Use(initial[k]);
      state[k] = NewValue(&instruction, *shapes[k]);
      b_.lives[Position(state[k])].carried_by = loop;
      b_.hints.push_back({initial[k], state[k], position_});
      AddCopy(initial[k], state[k], items);
    }
    ScheduledItem item;
    item.kind = ScheduledItem::Kind::kWhile;
    item.instruction = &instruction;
    item.position = position_;
    item.bodies.resize(2);
    loop_ = loop;
    leaves_[condition.parameter_instruction(0)] = state;
    XLA_RETURN_IF_ERROR(Visit(condition, item.bodies[0]));
    item.predicate = leaves_[condition.root_instruction()][0];
    ++position_;
    Use(item.predicate);
    b_.loops[Position(loop)].condition_end = position_;
    leaves_[body.parameter_instruction(0)] = state;
    XLA_RETURN_IF_ERROR(Visit(body, item.bodies[1]));
    CopyState(leaves_[body.root_instruction()], state, instruction, item.bodies[1]);
    LoopInfo& info = b_.loops[Position(loop)];
    info.end = position_;
    loop_ = info.parent;
    for (const ValueId value : info.outer_values) {
      b_.lives[Position(value)].uses.push_back(position_);
    }
    leaves_[&instruction] = state;
    items.push_back(std::move(item));
    return absl::OkStatus();
  }

  // Copies the results of a loop's body to the state.
  void CopyState(const Leaves& next, const Leaves& state, const HloInstruction& loop,
                 Items& items) {
    const std::vector<const Shape*> shapes = ShapeUtil::FlattenTupleShape(loop.shape());
    ++position_;
    // Results that are themselves arrays of the state are first copied elsewhere.
    Leaves sources = next;
    for (size_t k = 0; k < state.size(); ++k) {
      const bool is_state = std::find(state.begin(), state.end(), next[k]) != state.end();
      if (state[k] == next[k] || state[k] == kNoValue || !is_state) continue;
      Use(next[k]);
      sources[k] = NewValue(&loop, *shapes[k]);
      AddCopy(next[k], sources[k], items);
    }
    ++position_;
    for (size_t k = 0; k < state.size(); ++k) {
      if (state[k] == next[k] || state[k] == kNoValue) continue;
      Use(sources[k]);
      b_.hints.push_back({sources[k], state[k], position_});
      AddCopy(sources[k], state[k], items);
    }
  }

  absl::Status VisitConditional(const HloInstruction& instruction, Items& items) {
    ScheduledItem item;
    item.kind = ScheduledItem::Kind::kConditional;
    item.instruction = &instruction;
    item.operands = {leaves_[instruction.operand(0)][0]};
    item.position = ++position_;
    const auto conditional = static_cast<int32_t>(b_.conditionals.size());
    b_.conditionals.push_back({std::exchange(conditional_, conditional), position_, 0, {}});
    item.results = NewValues(&instruction);
    // The operands are read and the results written between the two positions.
    Use(item.operands[0]);
    const size_t branches = instruction.called_computations().size();
    item.bodies.resize(branches);
    std::vector<MoveHint> made;  // values made in branches, rather than passed through
    for (size_t i = 0; i < branches; ++i) {
      const HloComputation& branch = *instruction.branch_computation(static_cast<int64_t>(i));
      const int32_t begin = ++position_;
      BindParameters(branch, leaves_[instruction.operand(static_cast<int64_t>(i) + 1)]);
      XLA_RETURN_IF_ERROR(Visit(branch, item.bodies[i]));
      const Leaves& leaves = leaves_[branch.root_instruction()];
      ++position_;
      for (size_t k = 0; k < leaves.size(); ++k) {
        if (leaves[k] == kNoValue) continue;
        Use(leaves[k]);
        const bool is_outer = b_.lives[Position(leaves[k])].definition < item.position;
        (is_outer ? b_.hints : made).push_back({leaves[k], item.results[k], position_});
        b_.lives[Position(item.results[k])].branch_writes.push_back(position_);
        AddCopy(leaves[k], item.results[k], item.bodies[i]);
      }
      b_.conditionals[Position(conditional)].branches.push_back({begin, position_});
    }
    b_.hints.insert(b_.hints.end(), made.begin(), made.end());
    ++position_;
    // Branches write all results, including unused ones.
    for (const ValueId result : item.results) {
      if (result != kNoValue) Use(result);
    }
    b_.conditionals[Position(conditional)].end = position_;
    conditional_ = b_.conditionals[Position(conditional)].parent;
    leaves_[&instruction] = item.results;
    items.push_back(std::move(item));
    return absl::OkStatus();
  }

  ScheduleBuilder& b_;
  const absl::Span<const MemoryAlias> aliases_;
  absl::node_hash_map<const HloInstruction*, Leaves> leaves_;  // entries stay in place
  int32_t position_ = 0;
  int32_t loop_ = -1, conditional_ = -1;
  int depth_ = 0;
};

void ListPositions(const Items& items, std::vector<const ScheduledItem*>& by_position) {
  for (const ScheduledItem& item : items) {
    if (item.kind == ScheduledItem::Kind::kInstruction) {
      const auto position = static_cast<size_t>(item.position);
      if (by_position.size() <= position) by_position.resize(position + 1, nullptr);
      by_position[position] = &item;
    }
    for (const Items& body : item.bodies) ListPositions(body, by_position);
  }
}

}  // namespace

absl::StatusOr<ProgramSchedule> ScheduleProgram(const HloModule& module,
                                                absl::Span<const MemoryAlias> aliases) {
  return ScheduleComputation(*module.entry_computation(), aliases);
}

absl::StatusOr<ProgramSchedule> ScheduleComputation(const HloComputation& computation,
                                                    absl::Span<const MemoryAlias> aliases) {
  ScheduleBuilder builder;
  builder.schedule.module = computation.parent();
  XLA_RETURN_IF_ERROR(Scheduler(builder, aliases).Run(computation));
  ListPositions(builder.schedule.items, builder.by_position);
  AssignBuffers(builder);
  // A result in the memory of another one would have to be copied before that one is written.
  for (size_t k = 0; k < builder.schedule.results.size() && !aliases.empty(); ++k) {
    const ValueId value = builder.schedule.results[k];
    if (value == kNoValue) continue;
    const BufferSlice& slice = builder.schedule.values[static_cast<size_t>(value)].slice;
    if (slice.memory != BufferSlice::Memory::kResult || slice.number == static_cast<int32_t>(k))
      continue;
    return ScheduleComputation(computation);
  }
  builder.schedule.has_aliases = !aliases.empty();
  return std::move(builder.schedule);
}

bool IsOneElement(const ProgramSchedule& schedule, ValueId value) {
  return value != kNoValue && CountOf(*schedule.At(value).shape) == 1;
}

std::vector<bool> WrittenOperands(const ProgramSchedule& schedule, const ScheduledItem& item) {
  std::vector<bool> written;
  for (const ValueId operand : item.operands) {
    bool is_written = false;
    for (const ValueId result : item.results) {
      is_written |= operand != kNoValue && result != kNoValue &&
                    schedule.At(operand).slice == schedule.At(result).slice;
    }
    written.push_back(is_written);
  }
  // Operands that must be copied first are updated in the copy.
  for (const int64_t operand : LoweringOf(*item.instruction).updated) {
    written[static_cast<size_t>(operand)] = true;
  }
  return written;
}

}  // namespace xla::cpu

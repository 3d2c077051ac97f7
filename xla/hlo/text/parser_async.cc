// SPDX-License-Identifier: Apache-2.0
// async-start, -update and -done, and their short forms: dot-start(..) wraps a dot in a computation
// of its own.
#include <utility>

#include "xla/hlo/text/parser_impl.h"

namespace xla::text {
namespace {

// The empty name stands for the thread "main".
std::string ThreadName(std::string name) { return name == "main" ? "" : std::move(name); }
std::string_view ShownThread(std::string_view name) { return name.empty() ? "main" : name; }

bool CanBeWrapped(HloOpcode opcode) {
  return opcode != HloOpcode::kParameter && opcode != HloOpcode::kConstant &&
         !HloOpcodeIsAsync(opcode);
}

}  // namespace

// The start of the chain; null for instructions that are not async.
HloInstruction* HloTextParser::AsyncStartOf(HloInstruction* instruction) {
  if (instruction->opcode() == HloOpcode::kAsyncStart) return instruction;
  if (!HloOpcodeIsAsync(instruction->opcode())) return nullptr;
  HloInstruction* const before = instruction->operand(0);
  if (before->opcode() == HloOpcode::kAsyncStart) return async_starts_[instruction] = before;
  const auto it = async_starts_.find(before);
  return it == async_starts_.end() ? nullptr : async_starts_[instruction] = it->second;
}

// All that an async operation calls runs in its thread, async operations within it included. What
// several of them call runs in that of the last one, which is therefore the first to claim it.
void HloTextParser::SetThreadsOfAsyncCalls() {
  absl::flat_hash_set<HloComputation*> claimed;
  std::vector<HloComputation*> todo;
  const auto claim = [&](const HloInstruction& instruction, const std::string& thread) {
    for (HloComputation* callee : instruction.called_computations()) {
      if (!claimed.insert(callee).second) continue;
      callee->SetExecutionThread(thread);
      todo.push_back(callee);
    }
  };
  const auto computations = module_->computations();
  for (auto computation = computations.rbegin(); computation != computations.rend();
       ++computation) {
    const std::vector<HloInstruction*> instructions = (*computation)->instructions_by_id();
    for (auto start = instructions.rbegin(); start != instructions.rend(); ++start) {
      if ((*start)->opcode() != HloOpcode::kAsyncStart) continue;
      const std::string thread = (*start)->attributes<AsyncAttributes>().async_execution_thread;
      claim(**start, thread);
      while (!todo.empty()) {
        const HloComputation* const called = todo.back();
        todo.pop_back();
        for (HloInstruction* instruction : called->instructions()) {
          if (instruction->opcode() == HloOpcode::kAsyncStart)
            instruction->mutable_attributes<AsyncAttributes>()->async_execution_thread = thread;
          claim(*instruction, thread);
        }
      }
    }
  }
}

// The computation with this operation on parameters.
HloComputation* HloTextParser::WrapOperation(std::string_view thread, InstructionDraft* wrapped) {
  HloComputation* const computation = module_->AddComputation("async_wrapped");
  for (size_t i = 0; i < wrapped->operands.size(); ++i) {
    wrapped->operands[i] = computation->AddInstruction(HloInstruction::CreateParameter(
        static_cast<int64_t>(i), wrapped->operands[i]->shape(), "async_param"));
  }
  computation->set_root_instruction(computation->AddInstruction(Build(wrapped)));
  computation->SetExecutionThread(std::string(thread));
  return computation;
}

bool HloTextParser::ParseAsync(ComputationDraft* computation, InstructionDraft* draft,
                               std::optional<HloOpcode> wrapped_opcode, CommonAttributes* common,
                               bool allow_attributes) {
  const Loc opcode_loc = loc();
  const bool is_start = draft->opcode == HloOpcode::kAsyncStart;
  draft->wraps_operation = wrapped_opcode.has_value();
  has_async_starts_ |= is_start;
  if (!ParseOperands(computation, draft)) return false;

  HloInstruction* start = nullptr;
  if (is_start) {
    if (!draft->shape.IsTuple() || draft->shape.tuple_shapes_size() < 2 ||
        !draft->shape.tuple_shapes(0).IsTuple()) {
      return TokenError(
          "AsyncStart expects the op shape to be in the form of ((async-operands), async-outputs, "
          "state).");
    }
    if (wrapped_opcode && !CanBeWrapped(*wrapped_opcode)) {
      return Error(opcode_loc, Cat("an async-start cannot wrap the operation ",
                                   HloOpcodeString(*wrapped_opcode)));
    }
  } else {
    HloInstruction* const before = draft->operands.size() == 1 ? draft->operands[0] : nullptr;
    if (before != nullptr && before->opcode() != HloOpcode::kAsyncDone)
      start = AsyncStartOf(before);
    if (start == nullptr) {
      return TokenError("AsyncUpdate and AsyncDone expect a single async op as their operand.");
    }
    if (draft->opcode == HloOpcode::kAsyncUpdate && before->shape() != draft->shape) {
      return TokenError("AsyncUpdate expects the op shape to be the same as the operand shape.");
    }
    const HloOpcode started = start->called_computations()[0]->root_instruction()->opcode();
    if (wrapped_opcode && *wrapped_opcode != started) {
      return TokenError(Cat("Expect async wrapped opcode to be ", HloOpcodeString(started),
                            ", but got ", HloOpcodeString(*wrapped_opcode)));
    }
  }

  if (is_start && wrapped_opcode) {
    // The text gives the attributes of both.
    InstructionDraft wrapped(*wrapped_opcode);
    wrapped.has_shape = true;
    wrapped.shape = draft->shape.tuple_shapes(1);
    wrapped.operands = draft->operands;
    InstructionDraft* const drafts[] = {&wrapped, draft};
    if (!CheckOperandCount(opcode_loc, wrapped) || !CheckBeforeAttributes(&wrapped) ||
        !ParseInstructionAttributes(drafts, common, allow_attributes) ||
        !CheckAfterAttributes(wrapped) || draft->has_bad_operands) {
      return false;
    }
    SetImpliedAttributes(&wrapped);
    SetImpliedShape(&wrapped);
    auto& attributes = draft->attributes.get<AsyncAttributes>();
    attributes.async_execution_thread = ThreadName(std::move(attributes.async_execution_thread));
    draft->callees[0] = WrapOperation(attributes.async_execution_thread, &wrapped);
    return true;
  }

  InstructionDraft* const drafts[] = {draft};
  if (!ParseInstructionAttributes(drafts, common, allow_attributes) || draft->has_bad_operands)
    return false;
  auto& attributes = draft->attributes.get<AsyncAttributes>();
  if (is_start) {
    attributes.async_execution_thread = ThreadName(std::move(attributes.async_execution_thread));
    HloComputation* const operation = draft->callees[0];
    operation->SetExecutionThread(attributes.async_execution_thread);
    if (!async_computations_.insert(operation).second) twice_async_ = operation;
    return true;
  }
  // Of the start; may be repeated here.
  const std::string& thread = start->attributes<AsyncAttributes>().async_execution_thread;
  if (!attributes.async_execution_thread.empty() &&
      ShownThread(thread) != attributes.async_execution_thread) {
    return TokenError(Cat("Expect async_execution_thread to be ", ShownThread(thread), ", but got ",
                          attributes.async_execution_thread));
  }
  attributes.async_execution_thread.clear();
  HloComputation* const repeated = draft->callees[0];
  if (repeated != nullptr && repeated != start->called_computations()[0]) {
    return TokenError(Cat("Expect async_wrapped_computation to be ",
                          start->called_computations()[0]->name(), ", but got ", repeated->name()));
  }
  draft->callees[0] = nullptr;
  return true;
}

}  // namespace xla::text

// SPDX-License-Identifier: Apache-2.0
// Verifier rules for operations that start and finish separately.
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// An async computation holds parameters, elements of them and one operation, or a group of sends
// and receives.
absl::Status CheckWrapped(const HloComputation& computation) {
  bool transfers_only = true, single = true;
  for (const HloInstruction* instruction : computation.instructions()) {
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
        continue;
      case HloOpcode::kSend:
      case HloOpcode::kRecv:
      case HloOpcode::kBitcast:
      case HloOpcode::kTuple:
        break;
      default:
        transfers_only = false;
    }
    if (instruction != computation.root_instruction() &&
        instruction->opcode() != HloOpcode::kGetTupleElement) {
      single = false;
    }
  }
  if (single || transfers_only) return absl::OkStatus();
  return InvalidArgument(
      "Asynchronous computation %s expected to contain only the root and parameter instructions.",
      computation.name());
}

}  // namespace

absl::Status CheckAsyncStart(const HloInstruction& instruction, const Context&) {
  const HloComputation& wrapped = *instruction.called_computations()[0];
  const std::string& thread = instruction.attributes<AsyncAttributes>().async_execution_thread;
  if (!SameThread(thread, wrapped.execution_thread())) {
    return InvalidArgument(
        "async-start expects same async thread name as wrapped computation's thread name (%s vs "
        "%s).",
        thread, wrapped.execution_thread());
  }
  // A group of collectives that are started together.
  if (instruction.extras().frontend_attributes.contains("_collectives_group"))
    return absl::OkStatus();
  return CheckWrapped(wrapped);
}

absl::Status CheckAsyncPair(const HloInstruction& instruction, const Context& context) {
  const OpInfo& info = instruction.info();
  if (info.async_role == AsyncRole::kNone) return absl::OkStatus();
  const HloOpcode start =
      info.async_role == AsyncRole::kStart ? instruction.opcode() : info.async_partner;
  const HloOpcode done = GetOpInfo(start).async_partner;
  const bool has_updates = HloOpcodeIsAsync(start);
  // A transfer may be one of several in a tuple, which an async computation returns.
  const bool is_transfer = info.Has(op_traits::kTransfer);
  if (info.async_role != AsyncRole::kStart) {
    if (has_updates) {
      XLA_RETURN_IF_ERROR(ExpectOperand(instruction, {start, HloOpcode::kAsyncUpdate}));
    } else if (is_transfer) {
      XLA_RETURN_IF_ERROR(ExpectOperand(instruction, {start, HloOpcode::kGetTupleElement}));
    } else {
      XLA_RETURN_IF_ERROR(ExpectOperand(instruction, {start}));
    }
  }
  if (info.async_role == AsyncRole::kDone) return absl::OkStatus();
  if (has_updates) return ExpectOnlyUser(instruction, {HloOpcode::kAsyncUpdate, done});
  if (!is_transfer) return ExpectOnlyUser(instruction, {done});
  // As the root of an async computation it ends with the async operation.
  if (instruction.parent() == nullptr ||
      (instruction.IsRoot() && context.async_computations.contains(instruction.parent()))) {
    return absl::OkStatus();
  }
  return ExpectOnlyUser(instruction, {done, HloOpcode::kTuple});
}

}  // namespace xla::verifier

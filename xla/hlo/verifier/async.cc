// SPDX-License-Identifier: Apache-2.0
// The verifier's rules of operations that start and finish apart.
#include "xla/base/status_macros.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

// An async computation holds parameters and one operation, or a group of sends and receives.
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
    if (instruction != computation.root_instruction()) single = false;
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
  XLA_RETURN_IF_ERROR(CheckWrapped(wrapped));
  return ExpectOnlyUser(instruction, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone});
}

absl::Status CheckAsyncUpdate(const HloInstruction& instruction, const Context&) {
  XLA_RETURN_IF_ERROR(
      ExpectOperand(instruction, {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate}));
  return ExpectOnlyUser(instruction, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone});
}

absl::Status CheckAsyncDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate});
}

absl::Status CheckCopyStart(const HloInstruction& instruction, const Context&) {
  return ExpectOnlyUser(instruction, {HloOpcode::kCopyDone});
}

absl::Status CheckCopyDone(const HloInstruction& instruction, const Context&) {
  return ExpectOperand(instruction, {HloOpcode::kCopyStart});
}

}  // namespace xla::verifier

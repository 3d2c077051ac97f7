// SPDX-License-Identifier: Apache-2.0
// send and recv: messages between devices, and between devices and the host.
//
// A send stores its data and returns at once. A recv names a message, by the order of its channel,
// and gives a context (buffer, request number, token); recv-done waits for that message. Private to
// the evaluator's own files.
#ifndef XLA_INTERPRETER_TRANSFER_H_
#define XLA_INTERPRETER_TRANSFER_H_

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/runtime/pending_receives.h"

namespace xla::interpreter {

using PendingReceives = runtime::PendingReceives<HloInstruction, Value>;

// The result of an async operation whose computation has this root, with what its recvs received.
absl::StatusOr<Value> CompleteReceives(EvalContext& ctx, const HloInstruction& root, Value value);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_TRANSFER_H_

// SPDX-License-Identifier: Apache-2.0
// Evaluation of instructions: the context that operations work in, and the table of their
// functions.
//
// Every opcode has one function, in the file of its family:
//   absl::StatusOr<Value> EvalReverse(EvalContext& ctx, const HloInstruction& inst,
//   absl::Span<Value> operands) {
//     XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
//     ...
//     XLA_RETURN_IF_ERROR(ctx.ParallelFor(rows, /*chunk=*/64, [&](int64_t begin, int64_t end) { ...
//     })); return result;
//   }
// The module is verified: shapes and attributes fit together. Run-time values may still be
// anything.
#ifndef XLA_INTERPRETER_EVALUATOR_H_
#define XLA_INTERPRETER_EVALUATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/value.h"

namespace xla {
struct InterpreterOptions;  // interpreter.h
}  // namespace xla

namespace xla::interpreter {

class EvalContext;
class EvalState;       // one run: budget, threads; eval_state.h
struct DeviceRun;      // one device's part of it; eval_state.h
struct Destination;    // memory for a result; eval_state.h
class ScalarFunction;  // callee.h

// The operands may be moved from: one that is unique (Value::IsUnique) may be overwritten and
// returned.
using EvalFunction = absl::StatusOr<Value> (*)(EvalContext& ctx, const HloInstruction& inst,
                                               absl::Span<Value> operands);

// Null: the operation is not implemented.
EvalFunction GetEvalFunction(HloOpcode opcode);

// What an operation's function may do. One per activation of a computation; not shared between
// threads: a body of ParallelFor that calls computations uses ctx.ForWorker().
class EvalContext {
 public:
  // A context without a device can do all but run computations and operations.
  explicit EvalContext(EvalState* state, DeviceRun* device = nullptr, int depth = 0,
                       bool in_worker = false)
      : state_(state), device_(device), depth_(depth), in_worker_(in_worker) {}

  // --- Memory. Contents are uninitialized; the bytes count against the run's limit.
  // The shape must outlive the value: an instruction's own, or from InternShape.
  absl::StatusOr<Value> Allocate(const Shape& shape);
  // The operand's buffer (moved out, contents kept) if it is unique and as large as `shape` needs,
  // else a new one.
  absl::StatusOr<Value> ReuseOrAllocate(const Shape& shape, Value& operand);
  // A value with the contents of `operand` that may be written: itself if unique, else a copy. For
  // operations that update in place (dynamic-update-slice, scatter).
  absl::StatusOr<Value> MakeMutable(const Shape& shape, Value&& operand);
  // Zeros; of a tuple, in all its arrays.
  absl::StatusOr<Value> AllocateZeros(const Shape& shape);
  // Working memory of `bytes`, freed with the value. Only its untyped_data means anything.
  absl::StatusOr<Value> AllocateScratch(int64_t bytes);
  // A tuple result of inst's shape from freshly made elements.
  Value MakeTuple(const Shape& shape, std::vector<Value> elements);
  // The same shape, which lives as long as the program; equal ones are kept once. Takes a lock: not
  // for inner loops.
  const Shape& InternShape(Shape shape);

  // --- Loops. Chunks are [0, chunk), [chunk, 2*chunk), ...: the partition, and so the result, does
  // not depend on the number of threads. Inside a worker the loop runs on the spot. Cancellation is
  // looked at between chunks.
  absl::Status ParallelFor(int64_t count, int64_t chunk,
                           absl::FunctionRef<void(int64_t begin, int64_t end)> body);
  // The same for bodies that can fail; the error of the lowest failing chunk.
  absl::Status ParallelForStatus(int64_t count, int64_t chunk,
                                 absl::FunctionRef<absl::Status(int64_t begin, int64_t end)> body);
  // A chunk length such that a chunk takes some 100 microseconds when an item costs about
  // `cost_per_item` nanoseconds.
  static int64_t ChunkFor(int64_t count, double cost_per_item);

  // For use inside a ParallelFor body.
  EvalContext ForWorker() const { return EvalContext(state_, device_, depth_, /*in_worker=*/true); }

  // --- Called computations
  // Runs a computation on arguments (moved from). Errors with RESOURCE_EXHAUSTED beyond
  // kMaxCallDepth.
  static constexpr int kMaxCallDepth = 1000;
  absl::StatusOr<Value> Call(const HloComputation& computation, absl::Span<Value> arguments);
  // A computation on scalars, prepared for arrays of elements; made once per program. Null if a
  // parameter is not a scalar array, or a result is neither that nor a flat tuple of them.
  const ScalarFunction* GetScalarFunction(const HloComputation& computation);

  // CANCELLED if the caller of the run wants it to stop, or another device has failed. Cheap; for
  // loops not under ParallelFor.
  absl::Status CheckCancelled();
  // Reserves `count` counters of the device's stateful random generator; returns the first.
  uint64_t TakeRandomCounters(uint64_t count);

  EvalState& state() const { return *state_; }
  bool has_device() const { return device_ != nullptr; }
  DeviceRun& device() const { return *device_; }
  int depth() const { return depth_; }
  // Where the result of the instruction that runs next is to be; null: anywhere.
  void set_destination(const Destination* destination) { destination_ = destination; }
  bool in_worker() const { return in_worker_; }

 private:
  // The memory for the result, for the one array that is allocated as the result.
  Value TakeDestination();

  EvalState* state_;
  DeviceRun* device_;
  const Destination* destination_ = nullptr;
  int depth_;
  bool in_worker_;
};

// "add.3 = f32[2] add(f32[2] x, f32[2] y): <message>", of the given code.
absl::Status InstructionError(const HloInstruction& inst, absl::StatusCode code,
                              absl::string_view message);

// The function of each operation, EvalStem for HLO_OP(Stem, ...), in the file of its family.
#define XLA_DECLARE_EVAL(name)                                             \
  absl::StatusOr<Value> name(EvalContext& ctx, const HloInstruction& inst, \
                             absl::Span<Value> operands)
#define HLO_OP(stem, ...) XLA_DECLARE_EVAL(Eval##stem);
#include "xla/hlo/ir/opcodes.def"
// Functions that several operations share (eval_table.cc).
XLA_DECLARE_EVAL(EvalElementwise);     // elementwise.cc
XLA_DECLARE_EVAL(EvalForward);         // control.cc: the operand itself
XLA_DECLARE_EVAL(EvalCollectiveDone);  // collective.cc
XLA_DECLARE_EVAL(EvalParticipantId);   // collective.cc: replica-id, partition-id
#undef XLA_DECLARE_EVAL

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_EVALUATOR_H_

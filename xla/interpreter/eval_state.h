// SPDX-License-Identifier: Apache-2.0
// One run of a program: memory, threads, communication, progress. Private to the evaluator's
// own files.
#ifndef XLA_INTERPRETER_EVAL_STATE_H_
#define XLA_INTERPRETER_EVAL_STATE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/interpreter/eval_program.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/interpreter.h"
#include "xla/interpreter/transfer.h"
#include "xla/interpreter/value.h"
#include "xla/passes/collective_group.h"
#include "xla/runtime/process_group.h"
#include "xla/runtime/rendezvous.h"
#include "xla/runtime/thread_pool.h"

namespace xla::interpreter {

// Memory that the caller gave for an array of the result.
struct Destination {
  const Shape* shape = nullptr;  // of the instruction that makes the array
  void* data = nullptr;
  int64_t capacity = 0;
};

// The state of one device in a run. Used by its thread, and by workers on its behalf where
// that is said.
struct DeviceRun {
  size_t index = 0;    // among the devices of this process
  int64_t device = 0;  // replica * num_partitions + partition
  int64_t replica = 0, partition = 0;
  std::atomic<int64_t> executed{0};         // workers too
  std::atomic<uint64_t> random_counter{0};  // workers too
  const HloInstruction* current = nullptr;
  std::chrono::steady_clock::time_point last_progress;
  // For the leaves of the result; empty: none is given.
  std::vector<Destination> destinations;
  // Arrays, and their bytes, that were copied between the caller's memory and values.
  int64_t copies = 0, copied_bytes = 0;
  // Of collectives run before.
  absl::node_hash_map<const HloInstruction*, DeviceGroup> groups;
  PendingReceives receives;
};

class EvalState {
 public:
  // The state of a run of `replicas` x `partitions` devices, which share all that is here.
  EvalState(const EvalProgram& program, int64_t replicas, int64_t partitions,
            const InterpreterOptions& options);

  absl::StatusOr<Value> Run(EvalContext& ctx, const HloComputation& computation,
                            absl::Span<Value> arguments);
  // Tells InterpreterOptions::observe, which there is.
  absl::Status Observe(EvalContext& ctx, const HloInstruction& instruction,
                       absl::Span<const Value> operands, const Value& result);
  // Cancellation, and on the thread of device 0 progress about ten times a second.
  absl::Status Poll(const EvalContext& ctx);
  absl::Status ParallelFor(const EvalContext& ctx, int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body);
  int num_threads() { return Pool().num_threads(); }
  // Counts what is written for the host, if it stays in memory until the run has ended.
  absl::Status KeepOutput(const Value& value);
  // Null: unknown.
  const CustomCallHandler* FindCustomCall(std::string_view target) const;

  const EvalProgram& program() const { return program_; }
  const InterpreterOptions& options() const { return options_; }
  MemoryBudget& budget() { return budget_; }
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  DevicePosition PositionOf(const DeviceRun& device) const {
    return {replicas_, partitions_, device.replica, device.partition};
  }
  // A single device makes it when it first communicates, on its own thread.
  runtime::Rendezvous& rendezvous() {
    if (!rendezvous_.has_value()) {
      const int64_t all = replicas_ * partitions_;
      const runtime::ProcessGroup* const processes = options_.processes;
      rendezvous_.emplace(all, processes == nullptr
                                   ? all
                                   : static_cast<int64_t>(processes->local_devices().size()));
    }
    return *rendezvous_;
  }
  // How long, and how, a device waits for others or for the host.
  runtime::WaitLimits Limits(const EvalContext& ctx);

 private:
  runtime::ThreadPool& Pool();

  const EvalProgram& program_;
  const int64_t replicas_, partitions_;
  const InterpreterOptions& options_;
  MemoryBudget budget_;
  // Messages that were not received hold values, which count in the budget: after it.
  std::optional<runtime::Rendezvous> rendezvous_;

  std::mutex mutex_;
  std::unique_ptr<runtime::ThreadPool> own_pool_;  // made by the first loop, where none was given
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_EVAL_STATE_H_

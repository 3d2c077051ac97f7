// SPDX-License-Identifier: Apache-2.0
// One run of a module: prepared computations, memory, threads, progress. Private to the evaluator's
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

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/collective_group.h"
#include "xla/interpreter/elementwise.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/interpreter.h"
#include "xla/interpreter/transfer.h"
#include "xla/interpreter/value.h"
#include "xla/runtime/rendezvous.h"
#include "xla/runtime/thread_pool.h"

namespace xla::interpreter {

// A computation prepared to run: its live instructions in order, with operands as slots of a frame
// and last uses known.
struct ComputationPlan {
  struct Operand {
    int32_t slot;      // of the frame; below 0: constant number -1 - slot
    bool is_last_use;  // the value is moved out of its slot
  };
  struct Step {
    const HloInstruction* instruction;
    EvalFunction function;
    int32_t first_operand;  // in `operands`
    int32_t operand_count;
    int32_t result_slot;  // -1: nobody wants it
    int32_t kernel;       // of `kernels`: runs instead of `function`; -1: none
  };
  std::vector<Step> steps;
  std::vector<Operand> operands;
  std::vector<Value> constants;
  std::vector<ElementwiseKernel> kernels;
  std::vector<int32_t> parameter_slots;  // -1: not used
  Operand root;
  int32_t slot_count = 0;
  int32_t max_operands = 0;
};

// What one device has of its own in a run. Used by its thread, and by workers on its behalf where
// that is said.
struct DeviceRun {
  int64_t device = 0;  // replica * num_partitions + partition
  int64_t replica = 0, partition = 0;
  std::atomic<int64_t> executed{0};         // workers too
  std::atomic<uint64_t> random_counter{0};  // workers too
  const HloInstruction* current = nullptr;
  std::chrono::steady_clock::time_point last_progress = std::chrono::steady_clock::now();
  // Of collectives run before.
  absl::node_hash_map<const HloInstruction*, DeviceGroup> groups;
  TransferState transfers;
};

class EvalState {
 public:
  // The state of a run of `replicas` x `partitions` devices, which share all that is here.
  EvalState(const HloModule& module, int64_t replicas, int64_t partitions,
            const InterpreterOptions& options);

  // Plans every computation that the entry reaches. UNIMPLEMENTED if an operation to be run is not
  // there.
  absl::Status Prepare();

  absl::StatusOr<Value> Run(EvalContext& ctx, const HloComputation& computation,
                            absl::Span<Value> arguments);
  const ScalarFunction* GetScalarFunction(const HloComputation& computation);
  const Shape& InternShape(Shape shape);
  // Cancellation, and on the thread of device 0 progress about ten times a second.
  absl::Status Poll(const EvalContext& ctx);
  absl::Status ParallelFor(const EvalContext& ctx, int64_t count, int64_t chunk,
                           absl::FunctionRef<absl::Status(int64_t, int64_t)> body);
  // Null: unknown.
  const CustomCallHandler* FindCustomCall(std::string_view target) const;

  const HloModule& module() const { return module_; }
  const InterpreterOptions& options() const { return options_; }
  MemoryBudget& budget() { return budget_; }
  int64_t replicas() const { return replicas_; }
  int64_t partitions() const { return partitions_; }
  DevicePosition PositionOf(const DeviceRun& device) const {
    return {replicas_, partitions_, device.replica, device.partition};
  }
  Rendezvous& rendezvous() { return rendezvous_; }
  // How long, and how, a device waits for others or for the host.
  WaitLimits Limits(const EvalContext& ctx);

 private:
  runtime::ThreadPool& Pool();
  absl::StatusOr<ComputationPlan> MakePlan(const HloComputation& computation);

  const HloModule& module_;
  const int64_t replicas_, partitions_;
  const InterpreterOptions& options_;
  MemoryBudget budget_;
  // Plans hold values that count in the budget: after it.
  absl::flat_hash_map<const HloComputation*, ComputationPlan> plans_;
  struct Effects {
    bool any = false;
    const HloInstruction* communication = nullptr;  // one, if any, with other devices or the host
  };
  absl::flat_hash_map<const HloComputation*, Effects> effects_;
  // Messages that nobody received hold values too.
  Rendezvous rendezvous_;

  std::mutex mutex_;
  std::unique_ptr<runtime::ThreadPool> own_pool_;  // made by the first loop, where none was given
  absl::node_hash_set<Shape> shapes_;              // addresses stay
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<ScalarFunction>> scalar_functions_;
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_EVAL_STATE_H_

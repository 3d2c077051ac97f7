// SPDX-License-Identifier: Apache-2.0
// A module prepared to run: what depends on the program alone, made once for all its runs. Private
// to the evaluator's own files.
#ifndef XLA_INTERPRETER_EVAL_PROGRAM_H_
#define XLA_INTERPRETER_EVAL_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/interpreter/callee.h"
#include "xla/interpreter/elementwise.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"

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
    int32_t result_slot;  // -1: the value is unused
    int32_t kernel;       // of `kernels`: runs instead of `function`; -1: none
    int32_t result_leaf;  // the leaf of the program's result that the value becomes; -1: none
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

// Thread-safe. The module must outlive the program.
class EvalProgram {
 public:
  // UNIMPLEMENTED if an operation to be run is not implemented.
  static absl::StatusOr<std::unique_ptr<EvalProgram>> Create(const HloModule& module);

  // What is run: the module, or a clone of it in which operations of mixed precision are resolved.
  const HloModule& module() const { return *module_; }
  const HloComputation& entry() const { return *module_->entry_computation(); }
  const ComputationPlan& plan(const HloComputation& computation) const {
    return plans_.at(&computation);
  }
  // Whether sizes may be smaller than the bounds of shapes, fixed ones too: the verifier compares
  // bounds only.
  bool has_dynamic_sizes() const { return has_dynamic_sizes_; }
  // Of constants that had to be copied to be dense and row-major.
  int64_t constant_bytes() const { return budget_.live_bytes(); }

  // Made when it is first asked for. See EvalContext.
  const ScalarFunction* GetScalarFunction(const HloComputation& computation) const;
  // The same shape, which lives as long as the program; equal ones are kept once.
  const Shape& InternShape(Shape shape) const;

 private:
  struct Effects {
    bool any = false;
    const HloInstruction* communication = nullptr;  // one, if any, with other devices or the host
  };

  EvalProgram() = default;
  absl::Status Prepare();
  absl::StatusOr<ComputationPlan> MakePlan(const HloComputation& computation);
  void MarkResults(ComputationPlan& plan) const;

  std::unique_ptr<HloModule> resolved_;
  const HloModule* module_ = nullptr;
  bool has_dynamic_sizes_ = false;
  MemoryBudget budget_{0};
  // Plans hold values that count in the budget: after it.
  absl::flat_hash_map<const HloComputation*, ComputationPlan> plans_;
  absl::flat_hash_map<const HloComputation*, Effects> effects_;

  mutable std::mutex mutex_;
  mutable absl::node_hash_set<Shape> shapes_;  // addresses stay
  mutable absl::flat_hash_map<const HloComputation*, std::unique_ptr<ScalarFunction>>
      scalar_functions_;
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_EVAL_PROGRAM_H_

// SPDX-License-Identifier: Apache-2.0
// Emits kernels: functions that compute a fusion, or a part of it.
//
//   void kernel(char** arrays, int64_t begin, int64_t end)
//
// `arrays` are the operands of the instruction, then its results, then the state of the run. The
// work is divided into numbered units, which may be computed in any order and by any number of
// threads: results do not depend on it.
#ifndef XLA_CPU_KERNEL_KERNEL_CODE_H_
#define XLA_CPU_KERNEL_KERNEL_CODE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/index.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/kernel/kernel_plan.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// The arrays that a kernel within another function reads and writes.
struct InlineKernel {
  std::vector<IrValue> arrays;          // of the fusion's operands, then of its results
  std::vector<bool> is_invariant;       // operands that nothing writes while the function runs
  ElementEmitter::Elements parameters;  // parameters whose single element is known
};

// Emits the function of a kernel. An epilogue is a function for kernels::KernelEpilogue: buffers
// from the third on are the result and the operands of the fusion.
absl::Status EmitKernel(Ir& ir, const KernelPlan& plan, const char* name);

// Emits all units of the kernel as part of the function that is being built.
absl::Status EmitInlineKernel(Ir& ir, const KernelPlan& plan, const InlineKernel& kernel);

// An element to be stored, and its address.
struct ResultElement {
  PrimitiveType type;
  Element element;
  IrValue pointer, bytes;
};
using ResultElements = std::vector<ResultElement>;

// The kernel that is being emitted, for the strategies.
class KernelCode {
 public:
  KernelCode(Ir& ir, const KernelPlan& plan) : ir_(ir), ops_(ir), plan_(plan) {}

  absl::Status EmitFunction(const char* name);
  absl::Status EmitInline(const InlineKernel& kernel);

  Ir& ir() { return ir_; }
  ElementOps& ops() { return ops_; }
  IrValue begin() const { return begin_; }  // units
  IrValue end() const { return end_; }
  const std::vector<IrValue>& operands() const { return operands_; }
  const std::vector<IrValue>& results() const { return results_; }
  void add_result(IrValue result) { results_.push_back(result); }
  // Arrays in memory, by the instructions whose results they are: the parameters of a fusion.
  ElementEmitter::Buffers& buffers() { return buffers_; }

  // Makes an emitter for vectors of `lanes`. Errors are collected: Check(emitter) records them.
  ElementEmitter MakeEmitter(int lanes);
  void Check(const ElementEmitter& emitter) { Check(emitter.status()); }
  void Check(const absl::Status& status);
  const absl::Status& status() const { return status_; }

  // Computes the elements of all results at the index, or as many as there are lanes, to be stored
  // at the index `place`. They are those of `source`, or of its operands if it is the tuple of the
  // results. `elements` are the known elements of the first results.
  ResultElements ComputeResults(ElementEmitter& emitter, const HloInstruction& source,
                                const IndexVector& index, const IndexVector& place,
                                std::vector<Element> elements = {});
  // Computes elements if the condition holds; they are undefined otherwise.
  ResultElements ComputeIf(IrValue condition, absl::FunctionRef<ResultElements()> compute);
  void Store(const ResultElements& computed, int lanes);

 private:
  void EmitUnits(const InlineKernel& kernel);

  Ir& ir_;
  ElementOps ops_;
  const KernelPlan& plan_;
  IrValue begin_ = nullptr, end_ = nullptr;
  ElementEmitter::Buffers buffers_;
  const ElementEmitter::Elements* elements_ = nullptr;
  std::vector<IrValue> operands_, results_;
  absl::Status status_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_KERNEL_KERNEL_CODE_H_

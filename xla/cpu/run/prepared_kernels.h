// SPDX-License-Identifier: Apache-2.0
// Makes prepared kernels of xla/kernels for instructions, and the thunk that runs them.
#ifndef XLA_CPU_RUN_PREPARED_KERNELS_H_
#define XLA_CPU_RUN_PREPARED_KERNELS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/cpu/run/thunk.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/kernels/kernel.h"
#include "xla/kernels/recipe.h"

namespace xla::cpu {

using SortComparator = bool (*)(void* const* buffers, const void* const* elements);

// Returns what the prepared kernel of the instruction is made from; nothing if there is none, or if
// it is one of LAPACK's. `comparator` is that of sorts whose lowering needs one, the epilogue that
// of dots and convolutions.
absl::StatusOr<std::optional<kernels::Recipe>> RecipeOf(
    const HloInstruction& instruction, SortComparator comparator,
    const kernels::KernelEpilogue& epilogue = {});

// Makes the prepared kernel of the instruction: its buffers are the operands, then the results.
// Null if there is none. `recipe` is the instruction's.
absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakePreparedKernel(
    const HloInstruction& instruction, const std::optional<kernels::Recipe>& recipe);

// Whether the prepared kernel of the instruction is chosen from several forms (kernels/forms.h);
// and these forms with their costs, the chosen one first.
bool HasForms(const HloInstruction& instruction);
std::string FormsText(const HloInstruction& instruction, const kernels::KernelEpilogue& epilogue);

// Whether the instruction is a custom call of LAPACK's: its kernel runs unless the run has a
// handler of the same name.
bool IsLapackCall(const HloInstruction& instruction);

// Whether this much scratch memory of a library kernel belongs to the thread that runs the program
// (runtime::ThreadMemory) rather than to the program: blocks to which kernels pack operands, whose
// size does not grow with the arrays.
bool UsesThreadMemory(int64_t bytes, int threads);

// Runs a prepared kernel on the pool. Its scratch memory is the thread's, or starts at
// `scratch_offset` of the program's.
class PreparedThunk final : public Thunk {
 public:
  PreparedThunk(std::unique_ptr<const kernels::Kernel> kernel,
                std::optional<kernels::Recipe> recipe, std::vector<Slot> buffers,
                int64_t scratch_offset)
      : kernel_(std::move(kernel)),
        recipe_(std::move(recipe)),
        buffers_(std::move(buffers)),
        scratch_{0, scratch_offset} {}
  absl::Status Run(RunState& state) const override;
  absl::Status Accept(ThunkVisitor& visitor) const override { return visitor.Visit(*this); }

  const std::optional<kernels::Recipe>& recipe() const { return recipe_; }
  const std::vector<Slot>& buffers() const { return buffers_; }

 private:
  const std::unique_ptr<const kernels::Kernel> kernel_;
  const std::optional<kernels::Recipe> recipe_;
  const std::vector<Slot> buffers_;
  const Slot scratch_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_PREPARED_KERNELS_H_

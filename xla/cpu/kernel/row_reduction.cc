// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/row_reduction.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/in_place.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/row_loops_emitter.h"

namespace xla::cpu {
namespace {

class RowReduction final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override {
    const HloInstruction* kept = nullptr;  // whose elements are kept in the row of the result
    const auto begin_row = [&](const IndexVector& row, ElementEmitter& vectors,
                               ElementEmitter& scalars) {
      // Threads that share a row would write to each other's parts.
      kept = loops.segments == 1 ? RowWorthKeeping(scalars) : nullptr;
      if (kept != nullptr) scalars.set_row_copy(kept, code.results()[0]);
      for (const HloInstruction* instruction : computation().MakeInstructionPostOrder()) {
        if (instruction->opcode() == HloOpcode::kReduce) scalars.Emit(instruction, row);
      }
      scalars.set_row_copy(nullptr, nullptr);
      if (scalars.has_row_copy()) code.buffers()[kept] = {{code.results()[0], false}};
      vectors.set_outer(&scalars);
    };
    EmitRowLoops(code, *this, loops,
                 {.compute =
                      [&](ElementEmitter& emitter, IndexVector index) {
                        // Loops lack minor dimensions of one element.
                        const auto rank = static_cast<size_t>(root().shape().rank());
                        index.resize(rank, emitter.math().Constant(0));
                        return code.ComputeResults(emitter, root(), index, index);
                      },
                  .begin_row = begin_row,
                  .end_row =
                      [&] {
                        if (kept != nullptr) code.buffers().erase(kept);
                      },
                  .overwrites_operands = true},
                 code.begin(), code.end());
  }

  PlanDescription Describe() const override {
    return {absl::StrCat("own rows ", tests_at_end ? "keeps matrix " : ""), "",
            RowLoopsText(loops)};
  }

  int64_t lanes() const override { return loops.MostLanes(); }

  RowLoops loops;

 private:
  // Returns the producer to keep in the output row: it feeds the last reduction and the root, and
  // recomputing it costs more than a store and a load. Earlier reductions must not read the
  // overwritten row.
  const HloInstruction* RowWorthKeeping(const ElementEmitter& emitter) const {
    constexpr int64_t kManyOperations = 12;
    if (streams) return nullptr;
    const HloInstruction* kept = nullptr;
    for (const HloInstruction* instruction : computation().MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kReduce) continue;
      const HloInstruction* row = instruction->operand(0);
      // A conversion to wider numbers for the sum only.
      if (row->opcode() == HloOpcode::kConvert && row->users().size() == 1) row = row->operand(0);
      const bool fits = row != &root() && row->users().size() > 1 && IsElementwise(*row) &&
                        row->shape().dimensions() == root().shape().dimensions() &&
                        row->shape().element_type() == root().shape().element_type() &&
                        emitter.OperationsOf(row) >= kManyOperations;
      kept = fits ? row : nullptr;
    }
    return kept != nullptr && ReadsWhatIsWritten(*instruction, is_written, kept) ? nullptr : kept;
  }
};

}  // namespace

bool ReducesOwnRows(const HloComputation& computation) {
  const HloInstruction* root = computation.root_instruction();
  if (!root->shape().IsArray() || root->opcode() == HloOpcode::kReduce) return false;
  // Instructions that depend on reductions and have fewer elements than the result.
  absl::flat_hash_set<const HloInstruction*> of_rows;
  // as large as the result
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    if (instruction->opcode() != HloOpcode::kReduce) {
      bool reads_rows = false;
      for (const HloInstruction* operand : instruction->operands())
        reads_rows |= of_rows.contains(operand);
      if (!reads_rows) continue;
      const bool keeps_rows = instruction->opcode() == HloOpcode::kBroadcast
                                  ? BroadcastsToOwnRows(*instruction)
                                  : IsElementwise(*instruction) || IsView(instruction->opcode());
      if (!keeps_rows || !instruction->shape().IsArray()) return false;
      if (CountOf(instruction->shape()) < CountOf(root->shape())) of_rows.insert(instruction);
      continue;
    }
    of_rows.insert(instruction);
    const Shape& shape = instruction->operand(0)->shape();
    if (shape.dimensions() != root->shape().dimensions() || instruction->dimensions().size() != 1 ||
        instruction->dimensions()[0] != shape.rank() - 1 || !instruction->shape().IsArray()) {
      return false;
    }
  }
  return true;
}

bool FitsRowReduction(const KernelRequest& request) {
  const HloOpcode root = request.root().opcode();
  return root != HloOpcode::kConcatenate && root != HloOpcode::kDynamicUpdateSlice &&
         ReducesOwnRows(request.computation()) && LanesOfReductions(request).reduces_rows;
}

std::unique_ptr<const KernelPlan> PlanRowReduction(const KernelRequest& request) {
  const HloInstruction& root = request.root();
  const RowFacts facts = FactsOfRows(request);
  auto plan = std::make_unique<RowReduction>(request);
  RowLoops& loops = plan->loops;
  loops.source = &root;
  loops.dimensions = LoopDimensions(request, root.shape());
  loops.lanes = loops.row_lanes = facts.row_lanes;
  if (loops.lanes > 1 && loops.dimensions.size() == static_cast<size_t>(root.shape().rank()))
    loops.parts = PartitionRows(root, loops.row_length(), loops.lanes);
  // Do not split rows that need a row reduction: every thread would repeat it.
  DivideIntoUnits(request, facts.is_for_one_thread, /*shares_rows=*/false, loops);
  plan->units = loops.units;
  plan->streams = MayStream(request.target->machine, *plan, loops);
  SetWork(request.target->machine, facts, *plan);
  return plan;
}

}  // namespace xla::cpu

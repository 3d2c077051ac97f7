// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/epilogue_loop.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/vector_loop.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

class EpilogueLoop final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  // Emits elements [first, first + count) of the result, from the values of the contraction.
  void EmitUnits(KernelCode& code) const override {
    Ir& ir = code.ir();
    code.add_result(Buffer(ir, 2));
    // The state of the run follows the operands of the fusion.
    if (!AppliesVectors(computation()))
      ir.set_run(Load(ir, ir.I64(), 3 + computation().num_parameters()));
    const IrValue first = ir.Parameter(1), end = ir.Add(first, ir.Parameter(2));
    LoadOperands(code, first);
    const auto& dims = loops.dimensions;
    if (dims.size() <= 1) {
      EmitRange(code, {}, first, end);
      return;
    }
    const IrValue length = ir.Index(dims.back());
    const IrValue last_row = ir.UDiv(ir.Sub(end, ir.Index(1)), length);
    ir.Loop(ir.UDiv(first, length), ir.Add(last_row, ir.Index(1)), 1, [&](IrValue row) {
      const IrValue base = ir.Mul(row, length);
      const IrValue from = ir.Binary("llvm.smax", ir.Sub(first, base), ir.Index(0));
      const IrValue to = ir.Binary("llvm.smin", ir.Sub(end, base), length);
      EmitRange(code,
                IndexMath(ir, 1).Delinearize({row, 0, 1},
                                             absl::MakeConstSpan(dims).first(dims.size() - 1)),
                from, to);
    });
  }

  PlanDescription Describe() const override {
    return {absl::StrCat(is_linear ? "linear " : "", tests_at_end ? "keeps matrix " : ""),
            absl::StrCat("epilogue of ", epilogue_of, " "), RowLoopsText(loops)};
  }

  int64_t lanes() const override { return loops.MostLanes(); }

  bool is_linear = false;
  RowLoops loops;

 private:
  static IrValue Load(Ir& ir, IrType type, int64_t i) {
    return ir.Load(type, ir.Offset(ir.Parameter(0), ir.Index(8 * i)), 8, true);
  }
  static IrValue Buffer(Ir& ir, int64_t i) { return Load(ir, ir.Pointer(), i); }

  void LoadOperands(KernelCode& code, IrValue first) const {
    Ir& ir = code.ir();
    for (const HloInstruction* parameter : computation().parameter_instructions()) {
      const int64_t number = parameter->parameter_number();
      if (number != epilogue_of) {
        code.buffers()[parameter] = {{Buffer(ir, 3 + number), true}};
        continue;
      }
      // Rebase the pointer so that element i of the result is at base + i.
      const int64_t bytes = primitive_util::ByteWidth(parameter->shape().element_type());
      const IrValue distance = ir.Mul(ir.Sub(ir.Index(0), first), ir.Index(bytes));
      code.buffers()[parameter] = {{ir.Offset(ir.Parameter(3), distance), false}};
    }
  }

  // Emits elements [from, to) of the row of the index, which lacks the last dimension.
  void EmitRange(KernelCode& code, IndexVector index, IrValue from, IrValue to) const {
    ElementEmitter vectors = code.MakeEmitter(loops.lanes), scalars = code.MakeEmitter(1);
    vectors.set_linear(is_linear);
    scalars.set_linear(is_linear);
    index.emplace_back();
    const auto store = [&](ElementEmitter& emitter, const IndexTerm& term) {
      ElementEmitter::Scope scope(&emitter);
      index.back() = term;
      IndexVector place = index;
      // Loops lack minor dimensions of one element.
      if (!is_linear)
        place.resize(static_cast<size_t>(root().shape().rank()), emitter.math().Constant(0));
      code.Store(code.ComputeResults(emitter, root(), place, place), emitter.lanes());
    };
    EmitLoopFromFirst(
        code.ir(), loops.lanes, from, to, [&](const IndexTerm& term) { store(vectors, term); },
        [&](const IndexTerm& term) { store(scalars, term); });
    code.Check(vectors);
    code.Check(scalars);
  }
};

}  // namespace

bool FitsEpilogueLoop(const KernelRequest& request) { return request.epilogue_of >= 0; }

std::unique_ptr<const KernelPlan> PlanEpilogueLoop(const KernelRequest& request) {
  const RowFacts facts = FactsOfRows(request);
  auto plan = std::make_unique<EpilogueLoop>(request);
  plan->is_linear = IsLinear(request.computation());
  RowLoops& loops = plan->loops;
  loops.source = &request.root();
  const Shape& shape = request.root().shape();
  loops.dimensions =
      plan->is_linear ? std::vector<int64_t>{CountOf(shape)} : LoopDimensions(request, shape);
  if (facts.applies_vectors) {
    loops.lanes = LanesOfRows(request, facts, loops);
  }
  DivideIntoUnits(request, facts.is_for_one_thread, /*shares_rows=*/true, loops);
  plan->units = loops.units;
  SetWork(request.target->machine, facts, *plan);
  return plan;
}

}  // namespace xla::cpu

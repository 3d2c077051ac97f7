// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/loop_nest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/row_loops_emitter.h"

namespace xla::cpu {
namespace {

class LoopNest final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override {
    Ir& ir = code.ir();
    int64_t first = 0;
    const auto share_of = [&](IrValue position, const RowLoops& loops) {
      return loops.units == units
                 ? position
                 : ir.UDiv(ir.Mul(position, ir.Index(loops.units)), ir.Index(units));
    };
    for (const RowLoops& loops : nest) {
      IrValue begin = code.begin(), end = code.end();
      if (shares_rows) {
        begin = share_of(begin, loops);
        end = share_of(end, loops);
      } else if (nest.size() > 1) {
        begin = ir.Binary("llvm.smax", ir.Sub(begin, ir.Index(first)), ir.Index(0));
        end = ir.Binary("llvm.smin", ir.Sub(end, ir.Index(first)), ir.Index(loops.units));
      }
      EmitRowLoops(code, *this, loops,
                   {.compute =
                        [&](ElementEmitter& emitter, IndexVector index) {
                          return Compute(code, loops, emitter, std::move(index));
                        },
                    .begin_row = [](const IndexVector&, ElementEmitter&, ElementEmitter&) {},
                    .end_row = [] {},
                    .is_linear = is_linear,
                    .overwrites_operands = updates_in_place || SharesMemory()},
                   begin, end);
      first += loops.units;
    }
  }

  PlanDescription Describe() const override {
    PlanDescription description;
    if (is_linear) absl::StrAppend(&description.kind, "linear ");
    if (joins_rows) absl::StrAppend(&description.kind, "joins rows ");
    if (shares_rows) absl::StrAppend(&description.kind, "shares rows ");
    if (updates_in_place) absl::StrAppend(&description.kind, "in place ");
    if (tests_at_end && !updates_in_place) absl::StrAppend(&description.kind, "keeps matrix ");
    for (const RowLoops& loops : nest) absl::StrAppend(&description.loops, RowLoopsText(loops));
    return description;
  }

  int64_t lanes() const override {
    int64_t most = 0;
    for (const RowLoops& loops : nest) most = std::max(most, loops.MostLanes());
    return most;
  }

  bool is_linear = false;
  // The loop goes through all elements of the array: its vectors span several short rows.
  bool joins_rows = false;
  bool updates_in_place = false;
  // All loops write to the same rows: a unit is the same share of each, so that threads do not
  // write to lines of the cache that others write to.
  bool shares_rows = false;
  std::vector<RowLoops> nest;

 private:
  ResultElements Compute(KernelCode& code, const RowLoops& loops, ElementEmitter& emitter,
                         IndexVector index) const {
    // The element of a scalar has no index; loops lack minor dimensions of one element.
    const auto rank = static_cast<size_t>(FirstShape(root()).rank());
    if (joins_rows) index = emitter.math().Delinearize(index[0], FirstShape(root()).dimensions());
    if (!is_linear) index.resize(rank, emitter.math().Constant(0));
    if (loops.first > 0) {
      IndexTerm& term = index[loops.dimensions.size() - 1];
      term = emitter.math().AddConstant(term, loops.first);
    }
    if (loops.phases > 1) return ComputePhases(code, loops, emitter, std::move(index));
    IndexVector place = index;
    if (updates_in_place) {
      AddStarts(code, emitter, place);
    } else if (loops.offset_dimension >= 0) {
      IndexTerm& term = place[static_cast<size_t>(loops.offset_dimension)];
      term = emitter.math().AddConstant(term, loops.offset);
    }
    return code.ComputeResults(emitter, *loops.source, index, place);
  }

  // Computes one vector for each phase, at indices whose remainders are known.
  ResultElements ComputePhases(KernelCode& code, const RowLoops& loops, ElementEmitter& emitter,
                               IndexVector index) const {
    const IndexMath& math = emitter.math();
    IndexVector place = index;
    IndexTerm& minor = index[loops.dimensions.size() - 1];
    const IndexTerm group = minor;
    const IndexTerm start = math.Multiply(group, loops.phases);
    std::vector<Element> elements;
    for (int64_t phase = 0; phase < loops.phases; ++phase) {
      minor = math.WithSplit(math.AddConstant(start, phase),
                             {loops.phases, 0, group, math.Constant(phase)});
      elements.push_back(code.ops().Splat(emitter.Emit(loops.source, index), emitter.lanes()));
    }
    place[loops.dimensions.size() - 1] = start;
    return code.ComputeResults(emitter, *loops.source, index, place,
                               {InterleavePairs(code.ops(), elements)});
  }

  // Like ElementOps::Interleave, but pair by pair if there are more vectors: each step takes two
  // instructions for two registers.
  static Element InterleavePairs(ElementOps& ops, const std::vector<Element>& elements) {
    if (elements.size() % 2 != 0 || elements.size() == 2) return ops.Interleave(elements);
    std::vector<Element> even, odd;
    for (size_t i = 0; i < elements.size(); ++i) (i % 2 == 0 ? even : odd).push_back(elements[i]);
    return ops.Interleave({InterleavePairs(ops, even), InterleavePairs(ops, odd)});
  }

  // Adds the starts of an update, clamped so that it is inside the array.
  void AddStarts(KernelCode& code, ElementEmitter& emitter, IndexVector& place) const {
    const Shape& shape = root().shape();
    for (size_t d = 0; d < place.size(); ++d) {
      const auto i = static_cast<int>(d);
      const HloInstruction* start = root().operand(static_cast<int64_t>(d) + 2);
      const int64_t limit = shape.dimensions(i) - root().operand(1)->shape().dimensions(i);
      if (limit == 0) continue;
      const IndexTerm term = emitter.TermOf(emitter.Emit(start, {}), start->shape().element_type());
      const IndexMath math(code.ir(), 1);
      place[d] = emitter.math().Add(place[d], math.ClampUnlessAffine(term, 0, limit + 1));
    }
  }
};

// Returns the loops with their sources and offsets.
std::vector<RowLoops> SourcesOf(const HloInstruction& root) {
  std::vector<RowLoops> nest;
  if (root.opcode() != HloOpcode::kConcatenate) {
    nest.emplace_back();
    nest.back().source = root.opcode() == HloOpcode::kDynamicUpdateSlice ? root.operand(1) : &root;
    return nest;
  }
  int64_t offset = 0;
  for (const HloInstruction* operand : root.operands()) {
    RowLoops& loops = nest.emplace_back();
    loops.source = operand;
    loops.offset_dimension = root.dimensions()[0];
    loops.offset = offset;
    offset += operand->shape().dimensions(static_cast<int>(loops.offset_dimension));
  }
  return nest;
}

// Divides the rows of the only loops into groups of `phases` elements, and the rest of the row.
void DividePhases(int64_t phases, std::vector<RowLoops>& nest) {
  constexpr int64_t kFewestGroups = 8;
  const Shape& shape = nest[0].source->shape();
  if (phases <= 1 || !shape.IsArray()) return;
  int64_t length = 1;
  for (int64_t d = shape.rank() - 1; d >= 0 && length == 1; --d)
    length = shape.dimensions(static_cast<int>(d));
  if (length < kFewestGroups * phases) return;
  nest[0].phases = phases;
  if (length % phases == 0) return;
  RowLoops rest = nest[0];
  rest.phases = 1;
  rest.first = length / phases * phases;
  nest.push_back(std::move(rest));
}

// Whether the loops write to different places of the same rows of the result.
bool WriteToTheSameRows(const std::vector<RowLoops>& nest) {
  if (nest.size() < 2) return false;
  const std::vector<int64_t>& dimensions = nest[0].dimensions;
  const auto before = static_cast<size_t>(nest[0].offset_dimension < 0
                                              ? std::max<int64_t>(std::ssize(dimensions) - 1, 0)
                                              : nest[0].offset_dimension);
  return std::any_of(dimensions.begin(), dimensions.begin() + std::min(before, dimensions.size()),
                     [](int64_t size) { return size > 1; });
}

// Whether vectors span several rows, which are shorter than vectors: dividing indices costs less
// than computing elements in short vectors.
bool JoinsShortRows(const RowFacts& facts, const LoopNest& plan) {
  constexpr double kCostlyElement = 6.5, kCostOfRead = 4;
  constexpr int64_t kEnoughRows = 16, kMostElements = int64_t{1} << 31, kFewAcross = 16;
  const Shape& shape = FirstShape(plan.root());
  if (plan.is_linear || plan.updates_in_place || plan.nest.size() != 1 ||
      plan.nest[0].phases != 1 || plan.nest[0].first != 0 || shape.rank() < 2 ||
      plan.root().shape().IsTuple() || !facts.applies_vectors || facts.reduces_rows ||
      facts.has_dot || facts.has_windows || facts.longest_across > kFewAcross) {
    return false;
  }
  // Rows that share memory are read before they are written.
  if (facts.reduces && plan.SharesMemory()) return false;
  if (PadsBetweenRows(plan.computation())) return false;
  const int64_t row = shape.dimensions().back(), count = CountOf(shape);
  // Vectors that span rows are gathered from operands whose rows are elsewhere.
  const auto reads = static_cast<double>(absl::c_count_if(
      plan.computation().instructions(),
      [](const HloInstruction* instruction) { return TakesRowsApart(*instruction); }));
  const double least = kCostlyElement + kCostOfRead * reads;
  return row >= 2 && row < facts.vector_lanes && count >= kEnoughRows * row &&
         count < kMostElements && facts.work.operations >= least * static_cast<double>(count);
}

}  // namespace

bool IsLinear(const HloComputation& computation) {
  const int64_t count = CountOf(FirstShape(*computation.root_instruction()));
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction->IsRoot() && instruction->opcode() == HloOpcode::kTuple) continue;
    if (!instruction->shape().IsArray()) return false;
    const int64_t own = CountOf(instruction->shape());
    if (own != count && own != 1) return false;
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
      case HloOpcode::kConstant:
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast:
        break;
      case HloOpcode::kBroadcast:
        if (CountOf(instruction->operand(0)->shape()) != 1 &&
            own != CountOf(instruction->operand(0)->shape()))
          return false;
        // A permutation of dimensions is a transpose.
        if (CountOf(instruction->operand(0)->shape()) != 1 &&
            !std::is_sorted(instruction->dimensions().begin(), instruction->dimensions().end()))
          return false;
        break;
      default:
        if (!IsElementwise(*instruction)) return false;
    }
  }
  return true;
}

std::unique_ptr<const KernelPlan> PlanLoopNest(const KernelRequest& request) {
  const HloInstruction& root = request.root();
  const RowFacts facts = FactsOfRows(request);
  auto plan = std::make_unique<LoopNest>(request);
  plan->is_linear = IsLinear(request.computation());
  plan->updates_in_place = root.opcode() == HloOpcode::kDynamicUpdateSlice;
  plan->nest = SourcesOf(root);
  if (plan->nest.size() == 1 && !plan->updates_in_place && !plan->is_linear)
    DividePhases(PhasesOfRows(request.computation()), plan->nest);
  plan->joins_rows = JoinsShortRows(facts, *plan);
  for (RowLoops& loops : plan->nest) {
    const Shape& shape = loops.source == &root ? FirstShape(root) : loops.source->shape();
    loops.dimensions = plan->is_linear || plan->joins_rows ? std::vector<int64_t>{CountOf(shape)}
                                                           : LoopDimensions(request, shape);
    if (loops.phases > 1) loops.dimensions.back() /= loops.phases;
    if (loops.first > 0) loops.dimensions.back() -= loops.first;
    if (facts.reduces_rows) {
      // Rows are reduced in scalar code.
      loops.row_lanes = facts.row_lanes;
    } else if (facts.applies_vectors) {
      loops.lanes = loops.first > 0 ? 1 : LanesOfRows(request, facts, loops);
    }
    if (!plan->is_linear && loops.lanes > 1 && loops.phases == 1 &&
        loops.dimensions.size() == static_cast<size_t>(shape.rank())) {
      loops.parts = PartitionRows(*loops.source, loops.row_length(), loops.lanes);
    }
    DivideIntoUnits(request, facts.is_for_one_thread, /*shares_rows=*/true, loops);
  }
  plan->shares_rows = WriteToTheSameRows(plan->nest);
  for (const RowLoops& loops : plan->nest)
    plan->units =
        plan->shares_rows ? std::max(plan->units, loops.units) : plan->units + loops.units;
  plan->streams = plan->nest.size() == 1 && !plan->updates_in_place &&
                  MayStream(request.target->machine, *plan, plan->nest[0]);
  SetWork(request.target->machine, facts, *plan);
  // The starts are computed once, not for each element.
  if (plan->updates_in_place) plan->tests_at_end = true;
  return plan;
}

}  // namespace xla::cpu

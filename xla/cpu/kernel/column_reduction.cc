// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/column_reduction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/vector_loop.h"
#include "xla/passes/split_reductions.h"

namespace xla::cpu {
namespace {

class ColumnReduction final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override;

  PlanDescription Describe() const override {
    PlanDescription description;
    description.kind = "columns ";
    if (merged_columns != 1) description.details = absl::StrCat("merged ", merged_columns, " ");
    if (rows_at_once != 1)
      absl::StrAppend(&description.details, "rows at once ", rows_at_once, " ");
    description.loops = absl::StrCat(" [", absl::StrJoin(dimensions, ","), "] lanes ", vector_lanes,
                                     " of ", std::string(HloOpcodeString(root().opcode())),
                                     SegmentsText(segments, segment_length), " units ", units);
    return description;
  }

  int64_t lanes() const override { return vector_lanes; }

  std::vector<int64_t> dimensions;  // of the result; its last `merged_columns` are one
  int64_t merged_columns = 1;
  int vector_lanes = 1;
  int64_t segments = 1, segment_length = 1;  // of the columns
  int64_t rows_at_once = 1;                  // between a load of the result and a store
};

// Emits the units of a column reduction: first the initial values, then all rows are combined with
// them, some at a time.
class ColumnReductionEmitter {
 public:
  ColumnReductionEmitter(const ColumnReduction& plan, KernelCode& code)
      : plan_(plan),
        code_(code),
        ir_(code.ir()),
        reduce_(plan.root()),
        shape_(reduce_.operand(0)->shape()),
        index_(static_cast<size_t>(shape_.rank())) {
    for (int64_t d = 0; d < shape_.rank(); ++d)
      (absl::c_linear_search(reduce_.dimensions(), d) ? reduced_ : kept_)
          .push_back(static_cast<size_t>(d));
    columns_.length = plan.dimensions.back();
    columns_.lanes = plan.vector_lanes;
  }

  void EmitUnit(IrValue unit) {
    const IndexMath math(ir_, 1);
    const IrValue row = ir_.UDiv(unit, ir_.Index(plan_.segments));
    const IrValue segment = ir_.URem(unit, ir_.Index(plan_.segments));
    columns_.first = ir_.Mul(segment, ir_.Index(plan_.segment_length));
    columns_.last = ir_.Select(ir_.ICmp(LLVMIntEQ, segment, ir_.Index(plan_.segments - 1)),
                               ir_.Index(columns_.length),
                               ir_.Add(columns_.first, ir_.Index(plan_.segment_length)));
    place_ = math.Delinearize(
        {row, 0, 1}, absl::MakeConstSpan(plan_.dimensions).first(plan_.dimensions.size() - 1));
    // If dimensions are treated as one, all of their indices but the last are 0.
    place_.resize(kept_.size(), math.Constant(0));
    for (size_t k = 0; k + 1 < kept_.size(); ++k) index_[kept_[k]] = place_[k];
    ForColumns([&](ElementEmitter& emitter) {
      std::vector<Element> initial;
      for (int64_t i = 0; i < inputs(); ++i) {
        initial.push_back(
            code_.ops().Splat(emitter.Emit(reduce_.operand(inputs() + i), {}), emitter.lanes()));
      }
      return initial;
    });
    CombineRows(0);
  }

 private:
  int64_t inputs() const { return static_cast<int64_t>(code_.results().size()); }

  using Results = absl::FunctionRef<std::vector<Element>(ElementEmitter&)>;

  // Stores results(emitter) for the columns, by vectors. Those of the last vector, which overlaps
  // with the one before, are computed before the loop stores results that it depends on.
  void ForColumns(Results results) {
    const int64_t lanes = columns_.lanes, rest = columns_.length % lanes;
    ElementEmitter emitter = code_.MakeEmitter(columns_.lanes);
    const auto run = [&](const IndexTerm& column, absl::FunctionRef<void()> body) {
      ElementEmitter::Scope scope(&emitter);
      place_.back() = index_[kept_.back()] = column;
      body();
    };
    const IndexTerm last_vector = LastVector(ir_, columns_.length, columns_.lanes);
    std::vector<Element> last;
    if (rest > 0) {
      run(last_vector, [&] {
        const Ir::Carried values = IfLastSegment([&] {
          last = results(emitter);
          return ToCarried(last);
        });
        last = FromCarried(values, last);
      });
    }
    const IrValue end = ir_.Binary("llvm.smin", columns_.last, ir_.Index(columns_.length - rest));
    ir_.Loop(columns_.first, end, lanes, [&](IrValue i) {
      run({i, 1, lanes}, [&] { Store(emitter, results(emitter)); });
    });
    if (rest > 0) {
      run(last_vector, [&] {
        IfLastSegment([&] {
          Store(emitter, last);
          return Ir::Carried();
        });
      });
    }
    code_.Check(emitter);
  }

  // Returns the values that body() returns in the last segment, in others any.
  Ir::Carried IfLastSegment(absl::FunctionRef<Ir::Carried()> body) {
    if (plan_.segments == 1) return body();
    Ir::Carried values;
    return ir_.If(
        ir_.ICmp(LLVMIntEQ, columns_.last, ir_.Index(columns_.length)),
        [&] {
          values = body();
          return values;
        },
        [&] {
          Ir::Carried others;
          for (const IrValue value : values) others.push_back(ir_.Undef(ir_.TypeOf(value)));
          return others;
        });
  }

  ElementAddress ResultAt(ElementEmitter& emitter, int64_t i) const {
    return emitter.AddressOf({code_.results()[static_cast<size_t>(i)], false},
                             ResultShape(reduce_, i), place_);
  }

  void Store(ElementEmitter& emitter, const std::vector<Element>& elements) {
    for (int64_t i = 0; i < inputs(); ++i) {
      const ElementAddress address = ResultAt(emitter, i);
      code_.ops().Store(ResultShape(reduce_, i).element_type(), elements[static_cast<size_t>(i)],
                        address.pointer, address.bytes);
    }
  }

  // Combines the results with `count` rows.
  void CombineRows(IrValue first_row, int64_t count) {
    ElementOps& ops = code_.ops();
    ForColumns([&](ElementEmitter& emitter) {
      std::vector<Element> sums;
      for (int64_t i = 0; i < inputs(); ++i) {
        sums.push_back(ops.Load(ResultShape(reduce_, i).element_type(), ResultAt(emitter, i),
                                emitter.lanes()));
      }
      for (int64_t r = 0; r < count; ++r) {
        index_[reduced_.back()] = {ir_.Add(first_row, ir_.Index(r)), 0, 1};
        for (int64_t i = 0; i < inputs(); ++i)
          sums.push_back(ops.Splat(emitter.Emit(reduce_.operand(i), index_), emitter.lanes()));
        sums = emitter.Apply(*reduce_.to_apply(), std::move(sums));
      }
      return sums;
    });
  }

  // Loops over the reduced dimensions from this one on.
  void CombineRows(size_t depth) {
    const int64_t size = SizeOf(depth);
    // The steps of an iteration, in vectors of columns.
    double steps =
        static_cast<double>((plan_.segment_length + columns_.lanes - 1) / columns_.lanes);
    for (size_t d = depth + 1; d < reduced_.size(); ++d) steps *= static_cast<double>(SizeOf(d));
    if (depth + 1 < reduced_.size()) {
      ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps), [&](IrValue i) {
        index_[reduced_[depth]] = {i, 0, 1};
        CombineRows(depth + 1);
      });
      return;
    }
    const int64_t at_once = plan_.rows_at_once, in_blocks = size / at_once * at_once;
    steps *= static_cast<double>(at_once);
    ir_.PolledLoop(ir_.Index(0), ir_.Index(in_blocks), at_once, PollInterval(size / at_once, steps),
                   [&](IrValue i) { CombineRows(i, at_once); });
    ir_.Loop(ir_.Index(in_blocks), ir_.Index(size), 1, [&](IrValue i) { CombineRows(i, 1); });
  }

  int64_t SizeOf(size_t depth) const {
    return shape_.dimensions(static_cast<int>(reduced_[depth]));
  }

  const ColumnReduction& plan_;
  KernelCode& code_;
  Ir& ir_;
  const HloInstruction& reduce_;
  const Shape& shape_;
  std::vector<size_t> kept_, reduced_;  // dimensions of the operand
  VectorRange columns_;                 // of the unit
  IndexVector place_, index_;           // in the result, and in the operand
};

void ColumnReduction::EmitUnits(KernelCode& code) const {
  ColumnReductionEmitter emitter(*this, code);
  code.ir().Loop(code.begin(), code.end(), 1, [&](IrValue unit) { emitter.EmitUnit(unit); });
}

// Returns how many of the last dimensions of a column reduction's result may be treated as one.
int64_t MergedColumns(const HloInstruction& reduce) {
  const Shape& shape = reduce.operand(0)->shape();
  const auto reduced = reduce.dimensions();
  int64_t minor = 0;
  while (minor < shape.rank() && !absl::c_linear_search(reduced, shape.rank() - 1 - minor)) ++minor;
  const auto is_in_memory = [](const HloInstruction* instruction) {
    return instruction->opcode() == HloOpcode::kParameter;
  };
  for (int64_t i = 0; i < reduce.operand_count() / 2; ++i) {
    if (!ReadsInOrder(reduce.operand(i), minor, is_in_memory)) return 1;
  }
  return std::max<int64_t>(minor, 1);
}

// Returns how many rows are combined between a load of the result and a store: more if an element
// costs little.
int64_t RowsAtOnce(const KernelRequest& request) {
  const int64_t results = CountOf(FirstShape(request.root()));
  double cost = 0;
  for (const HloInstruction* instruction : request.computation().instructions()) {
    if (CountOf(FirstShape(*instruction)) > results) cost += VectorCost(*instruction);
  }
  const int64_t most = cost < 4 ? 8 : cost < 12 ? 4 : 1;
  // No rows are left over, where that is possible with at least half as many.
  const HloInstruction& reduce = request.root();
  const absl::Span<const int64_t> reduced = reduce.dimensions();
  const int64_t rows =
      reduce.operand(0)->shape().dimensions(static_cast<int>(*absl::c_max_element(reduced)));
  for (int64_t count = most; 2 * count >= most; --count)
    if (rows % count == 0) return count;
  return most;
}

}  // namespace

bool IsColumnReduction(const HloInstruction& reduce) {
  constexpr int64_t kLeastRows = 16, kLeastColumns = 8;
  const Shape& shape = reduce.operand(0)->shape();
  if (shape.rank() < 2 || shape.dimensions().back() < kLeastColumns) return false;
  int64_t rows = 1;
  for (const int64_t d : reduce.dimensions()) {
    if (d == shape.rank() - 1) return false;
    rows *= shape.dimensions(static_cast<int>(d));
  }
  return rows >= kLeastRows;
}

bool FitsColumnReduction(const KernelRequest& request) {
  return request.root().opcode() == HloOpcode::kReduce && IsColumnReduction(request.root());
}

std::unique_ptr<const KernelPlan> PlanColumnReduction(const KernelRequest& request) {
  const HloInstruction& reduce = request.root();
  auto plan = std::make_unique<ColumnReduction>(request);
  const Shape& shape = FirstShape(reduce);
  plan->dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  plan->merged_columns = MergedColumns(reduce);
  for (int64_t d = 1; d < plan->merged_columns; ++d) {
    const int64_t minor = plan->dimensions.back();
    plan->dimensions.pop_back();
    plan->dimensions.back() *= minor;
  }
  const int64_t columns = plan->dimensions.back(), rows = CountOf(shape) / columns;
  const Machine& machine = request.target->machine;
  int lanes = machine.Lanes(LargestElementBytes(request.computation()));
  while (lanes > columns) lanes /= 2;
  plan->vector_lanes = lanes;
  // Whole pages of long rows are read at a time, but for less if there were too few units for all
  // cores. Each column is added up in one order however they are divided.
  constexpr int64_t kLongRow = 4096, kLongest = 1024, kShortest = 128, kUnitsOfCore = 2;
  const int64_t longest =
      std::clamp(columns * rows / (kUnitsOfCore * machine.cores), kShortest, kLongest);
  const int64_t wanted =
      columns >= kLongRow ? longest : std::clamp<int64_t>(columns / 8, 4 * lanes, kLongest);
  plan->segment_length = (wanted + lanes - 1) / lanes * lanes;
  // Each has a whole vector; the last has the rest, too.
  const int64_t in_vectors = columns / lanes * lanes;
  plan->segments = (in_vectors + plan->segment_length - 1) / plan->segment_length;
  plan->units = rows * plan->segments;
  const KernelWork work = EstimateWork(*request.instruction, request.contraction);
  plan->bytes = work.bytes;
  plan->operations = work.operations;
  plan->rows_at_once = RowsAtOnce(request);
  // Columns are farther apart in memory than elements of rows.
  const double nanoseconds =
      plan->bytes / machine.memory_bytes_per_nanosecond + plan->operations / lanes;
  const bool is_for_one_thread =
      !machine.IsWorthAThread(nanoseconds) || HasOrder(*reduce.to_apply());
  plan->chunk = is_for_one_thread ? std::max<int64_t>(plan->units, 1) : 1;
  return plan;
}

}  // namespace xla::cpu

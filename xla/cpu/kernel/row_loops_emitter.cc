// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/row_loops_emitter.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/vector_loop.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Whether the code of an element is short enough for a second copy.
bool IsCheap(const KernelPlan& plan) {
  constexpr double kFewOperations = 4;
  return plan.operations <= kFewOperations * static_cast<double>(CountOf(FirstShape(plan.root())));
}

// Whether indices along a row are divided, which is simpler if vectors start at multiples of their
// length.
bool SplitsRows(const KernelPlan& plan) {
  const auto& instructions = plan.computation().instructions();
  return std::any_of(instructions.begin(), instructions.end(),
                     [](const auto* instruction) { return IsView(instruction->opcode()); });
}

class RowLoopsEmitter {
 public:
  RowLoopsEmitter(KernelCode& code, const KernelPlan& plan, const RowLoops& loops,
                  const RowLoopsBody& body)
      : code_(code), ir_(code.ir()), plan_(plan), loops_(loops), body_(body) {}

  void Emit(IrValue begin, IrValue end) {
    ir_.Loop(begin, end, 1, [&](IrValue unit) {
      loops_.rows_per_unit > 1 ? EmitGroupOfRows(unit) : EmitUnit(unit);
    });
  }

 private:
  // Emits several rows with the same index of all dimensions but the last two.
  void EmitGroupOfRows(IrValue unit) {
    const auto& dims = loops_.dimensions;
    const int64_t rows = dims[dims.size() - 2];
    const int64_t groups = (rows + loops_.rows_per_unit - 1) / loops_.rows_per_unit;
    IrValue outer = unit, group = ir_.Index(0);
    if (groups > 1) {
      outer = ir_.UDiv(unit, ir_.Index(groups));
      group = ir_.URem(unit, ir_.Index(groups));
    }
    const IrValue first = ir_.Mul(group, ir_.Index(loops_.rows_per_unit));
    IrValue last = ir_.Index(rows);
    if (groups > 1) {
      last = ir_.Add(first, ir_.Index(loops_.rows_per_unit));
      if (rows % loops_.rows_per_unit != 0) last = ir_.Binary("llvm.smin", last, ir_.Index(rows));
    }
    const IndexVector outer_index = IndexMath(ir_, 1).Delinearize(
        {outer, 0, 1}, absl::MakeConstSpan(dims).first(dims.size() - 2));
    ir_.Loop(first, last, 1, [&](IrValue row) {
      IndexVector index = outer_index;
      index.push_back({row, 0, 1});
      EmitRow(std::move(index), ir_.Index(0));
    });
  }

  // Emits a row, or a segment of one.
  void EmitUnit(IrValue unit) {
    const auto& dims = loops_.dimensions;
    IrValue row = unit, segment = ir_.Index(0);
    if (loops_.segments > 1) {
      row = ir_.UDiv(unit, ir_.Index(loops_.segments));
      segment = ir_.URem(unit, ir_.Index(loops_.segments));
    }
    if (loops_.rows_together > 1) {
      const IrValue together = ir_.Index(loops_.rows_together);
      segment = ir_.URem(ir_.UDiv(unit, together), ir_.Index(loops_.segments));
      row = ir_.Add(
          ir_.Mul(ir_.UDiv(unit, ir_.Index(loops_.segments * loops_.rows_together)), together),
          ir_.URem(unit, together));
    }
    IndexVector index;
    if (dims.size() > 1) {
      index = IndexMath(ir_, 1).Delinearize({row, 0, 1},
                                            absl::MakeConstSpan(dims).first(dims.size() - 1));
    }
    EmitRow(std::move(index), segment);
  }

  // Emits a segment of the row of the index, which lacks the last dimension.
  void EmitRow(IndexVector index, IrValue segment) {
    ElementEmitter vectors = code_.MakeEmitter(loops_.lanes), scalars = code_.MakeEmitter(1);
    vectors.set_linear(body_.is_linear);
    scalars.set_linear(body_.is_linear);
    scalars.set_row_lanes(loops_.row_lanes);
    if (loops_.dimensions.empty()) {
      StoreAt(scalars, index);
      code_.Check(scalars);
      return;
    }
    body_.begin_row(index, vectors, scalars);
    EmitSegment(std::move(index), segment, vectors, scalars);
    body_.end_row();
  }

  void EmitSegment(IndexVector index, IrValue segment, ElementEmitter& vectors,
                   ElementEmitter& scalars) {
    index.emplace_back();
    VectorRange range;
    range.length = loops_.row_length();
    range.lanes = loops_.lanes;
    range.first = ir_.Mul(segment, ir_.Index(loops_.segment_length));
    range.last = ir_.Index(range.length);
    if (loops_.segments > 1) {
      range.is_last = ir_.ICmp(LLVMIntEQ, segment, ir_.Index(loops_.segments - 1));
      range.last = ir_.Add(range.first, ir_.Index(loops_.segment_length));
      if (range.length % loops_.segment_length != 0)
        range.last = ir_.Select(range.is_last, ir_.Index(range.length), range.last);
    }
    if (!loops_.parts.empty()) {
      EmitParts(std::move(index), range, vectors, scalars);
      return;
    }
    if (loops_.lanes == 1) {
      ir_.Loop(range.first, range.last, 1, [&](IrValue i) {
        ElementEmitter::Scope scope(&scalars);
        index.back() = {i, 0, 1};
        StoreAt(scalars, index);
      });
      code_.Check(scalars);
      return;
    }
    EmitVectors(std::move(index), range, vectors);
  }

  void EmitVectors(IndexVector index, const VectorRange& range, ElementEmitter& vectors) {
    const bool splits_rows = !body_.is_linear && SplitsRows(plan_);
    const TailPolicy tail = range.length % range.lanes == 0            ? TailPolicy::kNone
                            : body_.overwrites_operands || splits_rows ? TailPolicy::kOverlapFirst
                                                                       : TailPolicy::kClamped;
    ResultElements last;
    if (tail == TailPolicy::kOverlapFirst) {
      const auto compute = [&] {
        ElementEmitter::Scope scope(&vectors);
        index.back() = LastVector(ir_, range.length, range.lanes);
        return body_.compute(vectors, index);
      };
      last = range.is_last == nullptr ? compute() : code_.ComputeIf(range.is_last, compute);
    }
    // Short rows of cheap elements need no loop.
    const bool is_short =
        loops_.segments == 1 && range.length <= 2 * int64_t{range.lanes} && IsCheap(plan_);
    EmitVectorLoop(ir_, range, tail, is_short, [&](const IndexTerm& term) {
      ElementEmitter::Scope scope(&vectors);
      index.back() = term;
      StoreAt(vectors, index);
    });
    code_.Check(vectors);
    if (last.empty()) return;
    const auto store = [&] { code_.Store(last, vectors.lanes()); };
    if (range.is_last == nullptr) {
      store();
    } else {
      ir_.If(range.is_last, store);
    }
  }

  // Emits vectors within the parts of the row, and the rest in scalar code.
  void EmitParts(IndexVector index, const VectorRange& range, ElementEmitter& vectors,
                 ElementEmitter& scalars) {
    std::vector<LoopPartition> rest;  // between the vectors
    int64_t covered = 0;
    for (const LoopPartition& part : loops_.parts) {
      if (covered < part.begin) rest.push_back({covered, part.begin});
      if (part.repeats == 1) {
        covered = VectorEnd(part);
        EmitVectorsOfPart(part, index, range, ir_.Index(0), vectors);
      } else {
        covered = part.all_end();
        EmitRepeats(part, index, range, vectors, scalars);
      }
    }
    code_.Check(vectors);
    if (covered < range.length) rest.push_back({covered, range.length});
    EmitRest(rest, range, index, scalars);
  }

  bool IsWholeRow() const { return loops_.segments == 1; }

  // Whether the last vector of a part may recompute some elements: nothing that it reads has been
  // overwritten.
  bool PartsOverlap() const { return IsWholeRow() && !body_.overwrites_operands; }

  int64_t ElementsInVectors(const LoopPartition& part) const {
    return (part.end - part.begin) / loops_.lanes * loops_.lanes;
  }
  // Returns the end of the vectors in the first repeat of a part.
  int64_t VectorEnd(const LoopPartition& part) const {
    return PartsOverlap() ? part.end : part.begin + ElementsInVectors(part);
  }

  // Emits the repeats of a part that overlap with the range.
  void EmitRepeats(const LoopPartition& part, const IndexVector& index, const VectorRange& range,
                   ElementEmitter& vectors, ElementEmitter& scalars) {
    IrValue from = ir_.Index(0), to = ir_.Index(part.repeats);
    if (!IsWholeRow()) {
      const auto repeats_in = [&](IrValue elements) {
        return ir_.UDiv(ir_.Binary("llvm.smax", elements, ir_.Index(0)), ir_.Index(part.period));
      };
      from = repeats_in(ir_.Sub(range.first, ir_.Index(part.begin)));
      to = ir_.Binary("llvm.smin", to,
                      repeats_in(ir_.Add(range.last, ir_.Index(part.period - 1 - part.begin))));
    }
    const int64_t in_vectors = ElementsInVectors(part);
    ir_.Loop(from, to, 1, [&](IrValue repeat) {
      EmitVectorsOfPart(part, index, range, repeat, vectors);
      if (PartsOverlap() || in_vectors == part.period) return;
      // Emits the rest of the repeat, which is too short for a vector.
      const IrValue start = ir_.Add(ir_.Index(part.begin), ir_.Mul(repeat, ir_.Index(part.period)));
      const IrValue begin =
          ir_.Binary("llvm.smax", range.first, ir_.Add(start, ir_.Index(in_vectors)));
      const IrValue end =
          ir_.Binary("llvm.smin", range.last, ir_.Add(start, ir_.Index(part.period)));
      ir_.Loop(begin, end, 1, [&](IrValue i) { StoreScalar(index, i, scalars); });
    });
  }

  // Emits the vectors of one repeat of a part that start within the range.
  void EmitVectorsOfPart(const LoopPartition& part, IndexVector index, const VectorRange& range,
                         IrValue repeat, ElementEmitter& vectors) {
    const int64_t lanes = range.lanes, in_vectors = ElementsInVectors(part), end = VectorEnd(part);
    const IrValue start = ir_.Mul(repeat, ir_.Index(part.end - part.begin));  // of the repeat
    IrValue from = ir_.Index(part.begin), to = ir_.Index(end);
    if (!IsWholeRow()) {
      const IrValue before = ir_.Binary(
          "llvm.smax", ir_.Sub(ir_.Sub(range.first, start), ir_.Index(part.begin)), ir_.Index(0));
      const IrValue skipped = ir_.UDiv(ir_.Add(before, ir_.Index(lanes - 1)), ir_.Index(lanes));
      from = ir_.Add(from, ir_.Mul(skipped, ir_.Index(lanes)));
      to = ir_.Binary("llvm.smin", ir_.Sub(range.last, start), to);
    }
    int64_t align = std::gcd(part.begin, lanes);
    // Vectors are aligned to multiples of their length, except for the first and the last: others
    // would cross cache lines.
    const bool is_shifted =
        PartsOverlap() && part.repeats == 1 && part.begin % lanes != 0 && in_vectors > 0;
    if (is_shifted) from = ir_.Index(part.begin / lanes * lanes);
    ir_.Loop(from, to, lanes, [&](IrValue i) {
      ElementEmitter::Scope scope(&vectors);
      if (is_shifted) i = ir_.Binary("llvm.smax", i, ir_.Index(part.begin));
      if (is_shifted || part.begin + in_vectors < end) {
        i = ir_.Binary("llvm.smin", i, ir_.Index(end - lanes));
        align = std::gcd(align, end - lanes);
      }
      IndexTerm term = {i, 1, align, nullptr, part.begin, end - 1};
      if (part.period > 0) {
        const IndexMath& math = vectors.math();
        const int64_t row = FloorOfRatio(part.begin - part.origin, part.period);
        const int64_t row_start = part.origin + row * part.period;
        IndexSplit split = {part.period, part.origin, math.AddConstant({repeat, 0, 1}, row),
                            math.AddConstant(term, -row_start)};
        if (part.repeats > 1) term = {ir_.Add(i, start), 1, std::gcd(align, part.period)};
        term = math.WithSplit(std::move(term), std::move(split));
      }
      index.back() = std::move(term);
      StoreAt(vectors, index);
    });
  }

  void StoreScalar(IndexVector index, IrValue i, ElementEmitter& scalars) {
    ElementEmitter::Scope scope(&scalars);
    index.back() = {i, 0, 1};
    StoreAt(scalars, index);
  }

  // Emits the elements between the vectors of parts, in one loop.
  void EmitRest(const std::vector<LoopPartition>& rest, const VectorRange& range,
                const IndexVector& index, ElementEmitter& scalars) {
    int64_t count = 0;
    for (const LoopPartition& part : rest) count += part.end - part.begin;
    if (count == 0) return;
    ir_.Loop(ir_.Index(0), ir_.Index(count), 1, [&](IrValue k) {
      IrValue i = ir_.Add(k, ir_.Index(rest[0].begin));
      int64_t before = 0;
      for (size_t r = 0; r + 1 < rest.size(); ++r) {
        before += rest[r].end - rest[r].begin;
        i = ir_.Select(ir_.ICmp(LLVMIntSLT, k, ir_.Index(before)), i,
                       ir_.Add(k, ir_.Index(rest[r + 1].begin - before)));
      }
      const auto store = [&] { StoreScalar(index, i, scalars); };
      if (IsWholeRow()) {
        store();
        return;
      }
      ir_.If(ir_.And(ir_.ICmp(LLVMIntSLE, range.first, i), ir_.ICmp(LLVMIntSLT, i, range.last)),
             store);
    });
    code_.Check(scalars);
  }

  // Computes the element, or as many as there are lanes, and stores it.
  void StoreAt(ElementEmitter& emitter, const IndexVector& index) {
    code_.Store(body_.compute(emitter, index), emitter.lanes());
  }

  KernelCode& code_;
  Ir& ir_;
  const KernelPlan& plan_;
  const RowLoops& loops_;
  const RowLoopsBody& body_;
};

}  // namespace

void EmitRowLoops(KernelCode& code, const KernelPlan& plan, const RowLoops& loops,
                  const RowLoopsBody& body, IrValue begin, IrValue end) {
  RowLoopsEmitter(code, plan, loops, body).Emit(begin, end);
}

}  // namespace xla::cpu

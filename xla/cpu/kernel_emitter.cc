// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel_emitter.h"

#include <algorithm>
#include <numeric>

#include "xla/base/status_macros.h"
#include "xla/cpu/applied.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/elementwise.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/cpu/scatter_emitter.h"
#include "xla/cpu/transpose_emitter.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

class KernelEmitter {
 public:
  KernelEmitter(Ir& ir, const KernelPlan& plan) : ir_(ir), ops_(ir), plan_(plan) {}

  absl::Status Emit(const char* name) {
    if (plan_.epilogue_of >= 0) return EmitEpilogue(name);
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    const auto load = [&](IrType type, size_t i) {
      return ir_.Load(type, ir_.Offset(ir_.Parameter(0), ir_.Index(static_cast<int64_t>(8 * i))), 8,
                      true);
    };
    InlineKernel kernel;
    const size_t arrays = plan_.is_written.size() + static_cast<size_t>(ResultCount());
    for (size_t i = 0; i < arrays; ++i) kernel.arrays.push_back(load(ir_.Pointer(), i));
    kernel.is_invariant.assign(plan_.is_written.size(), true);
    // Behind the arrays: the state of the run.
    ir_.set_run(load(ir_.I64(), arrays));
    begin_ = ir_.Parameter(1);
    end_ = ir_.Parameter(2);
    EmitUnits(kernel);
    ir_.Return();
    return status_;
  }

  absl::Status EmitInline(const InlineKernel& kernel) {
    begin_ = ir_.Index(0);
    end_ = ir_.Index(plan_.units);
    elements_ = &kernel.parameters;
    EmitUnits(kernel);
    ir_.set_tests_at_end(false);
    return status_;
  }

 private:
  int64_t ResultCount() const {
    const Shape& shape = plan_.fusion->to_apply()->root_instruction()->shape();
    return shape.IsTuple() ? shape.tuple_shapes_size() : 1;
  }

  ElementEmitter MakeEmitter(int lanes) {
    ElementEmitter emitter(ops_, buffers_, lanes);
    emitter.set_elements(elements_);
    return emitter;
  }

  void EmitUnits(const InlineKernel& kernel) {
    size_t next = 0;
    for (const HloInstruction* parameter : plan_.fusion->to_apply()->parameter_instructions()) {
      const bool is_invariant = kernel.is_invariant[next] && !plan_.is_written[next];
      buffers_[parameter] = {{kernel.arrays[next], is_invariant}};
      ++next;
    }
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    results_.assign(kernel.arrays.begin() + static_cast<int64_t>(next), kernel.arrays.end());
    ir_.set_tests_at_end(plan_.keeps_matrix);
    if (plan_.transposes) {
      const auto source = buffers_.find(root->operand(0));
      ElementEmitter rows = MakeEmitter(plan_.regions[0].lanes);
      EmitTranspose(plan_, ops_, rows,
                    source == buffers_.end() ? nullptr : source->second[0].pointer, results_[0],
                    begin_, end_);
      Check(rows);
      if (plan_.streams) ir_.FinishStreaming();
      return;
    }
    if (root->opcode() == HloOpcode::kScatter) {
      ElementEmitter vectors = MakeEmitter(plan_.regions[0].lanes), scalars = MakeEmitter(1);
      EmitScatter(plan_, ops_, vectors, scalars, results_, begin_, end_);
      Check(vectors);
      Check(scalars);
      return;
    }
    if (plan_.reduces_columns) {
      EmitColumnReduction(plan_.regions[0]);
      return;
    }
    int64_t first = 0;
    for (const KernelRegion& region : plan_.regions) {
      IrValue begin = begin_, end = end_;
      if (plan_.regions.size() > 1) {
        begin = ir_.Binary("llvm.smax", ir_.Sub(begin, ir_.Index(first)), ir_.Index(0));
        end = ir_.Binary("llvm.smin", ir_.Sub(end, ir_.Index(first)), ir_.Index(region.units));
      }
      EmitRegion(region, begin, end);
      first += region.units;
    }
    if (plan_.streams) ir_.FinishStreaming();
  }

  // void name(void* const* buffers, int64_t first, int64_t count, const void* values)
  absl::Status EmitEpilogue(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.Pointer()};
    ir_.StartFunction(name, parameters);
    const auto buffer = [&](int64_t i) {
      return ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * i)), 8, true);
    };
    results_.push_back(buffer(2));
    if (!AppliesVectors(*plan_.fusion->to_apply())) {
      // Behind the operands of the fusion: the state of the run.
      const int64_t behind = 3 + plan_.fusion->to_apply()->num_parameters();
      ir_.set_run(
          ir_.Load(ir_.I64(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * behind)), 8, true));
    }
    const IrValue first = ir_.Parameter(1), end = ir_.Add(first, ir_.Parameter(2));
    for (const HloInstruction* parameter : plan_.fusion->to_apply()->parameter_instructions()) {
      const int64_t number = parameter->parameter_number();
      if (number != plan_.epilogue_of) {
        buffers_[parameter] = {{buffer(3 + number), true}};
        continue;
      }
      // The array that would have the values where they belong.
      const int64_t bytes = primitive_util::ByteWidth(parameter->shape().element_type());
      const IrValue distance = ir_.Mul(ir_.Sub(ir_.Index(0), first), ir_.Index(bytes));
      buffers_[parameter] = {{ir_.Offset(ir_.Parameter(3), distance), false}};
    }
    const KernelRegion& region = plan_.regions[0];
    const auto& dims = region.dimensions;
    if (dims.size() <= 1) {
      EmitRange(region, {}, first, end);
    } else {
      const IndexMath math(ir_, 1);
      const IrValue length = ir_.Index(dims.back());
      const IrValue last_row = ir_.UDiv(ir_.Sub(end, ir_.Index(1)), length);
      ir_.Loop(ir_.UDiv(first, length), ir_.Add(last_row, ir_.Index(1)), 1, [&](IrValue row) {
        const IrValue base = ir_.Mul(row, length);
        const IrValue from = ir_.Binary("llvm.smax", ir_.Sub(first, base), ir_.Index(0));
        const IrValue to = ir_.Binary("llvm.smin", ir_.Sub(end, base), length);
        EmitRange(region,
                  math.Delinearize({row, 0, 1}, absl::MakeConstSpan(dims).first(dims.size() - 1)),
                  from, to);
      });
    }
    ir_.Return();
    return status_;
  }

  // Elements [from, to) of the row of the index, which lacks the last dimension.
  void EmitRange(const KernelRegion& region, IndexVector index, IrValue from, IrValue to) {
    ElementEmitter vectors = MakeEmitter(region.lanes), scalars = MakeEmitter(1);
    vectors.set_linear(plan_.is_linear);
    scalars.set_linear(plan_.is_linear);
    index.emplace_back();
    IrValue rest = from;
    if (region.lanes > 1) {
      const IrValue in_vectors = ir_.And(ir_.Sub(to, from), ir_.Index(-int64_t{region.lanes}));
      rest = ir_.Add(from, in_vectors);
      ir_.Loop(from, rest, region.lanes, [&](IrValue i) {
        ElementEmitter::Scope scope(&vectors);
        index.back() = {i, 1, region.lanes};
        StoreAt(region, vectors, index);
      });
      Check(vectors);
    }
    ir_.Loop(rest, to, 1, [&](IrValue i) {
      ElementEmitter::Scope scope(&scalars);
      index.back() = {i, 0, 1};
      StoreAt(region, scalars, index);
    });
    Check(scalars);
  }

  void EmitRegion(const KernelRegion& region, IrValue begin, IrValue end) {
    const IndexMath math(ir_, 1);
    const auto& dims = region.dimensions;
    ir_.Loop(begin, end, 1, [&](IrValue unit) {
      if (region.rows_per_unit > 1) {
        const int64_t rows = dims[dims.size() - 2];
        const int64_t groups = (rows + region.rows_per_unit - 1) / region.rows_per_unit;
        IrValue outer = unit, group = ir_.Index(0);
        if (groups > 1) {
          outer = ir_.UDiv(unit, ir_.Index(groups));
          group = ir_.URem(unit, ir_.Index(groups));
        }
        const IrValue first = ir_.Mul(group, ir_.Index(region.rows_per_unit));
        IrValue last = ir_.Index(rows);
        if (groups > 1) {
          last = ir_.Add(first, ir_.Index(region.rows_per_unit));
          if (rows % region.rows_per_unit != 0)
            last = ir_.Binary("llvm.smin", last, ir_.Index(rows));
        }
        const IndexVector outer_index =
            math.Delinearize({outer, 0, 1}, absl::MakeConstSpan(dims).first(dims.size() - 2));
        ir_.Loop(first, last, 1, [&](IrValue row) {
          IndexVector index = outer_index;
          index.push_back({row, 0, 1});
          EmitRow(region, std::move(index), ir_.Index(0));
        });
        return;
      }
      IrValue row = unit, segment = ir_.Index(0);
      if (region.segments > 1) {
        row = ir_.UDiv(unit, ir_.Index(region.segments));
        segment = ir_.URem(unit, ir_.Index(region.segments));
      }
      if (region.rows_together > 1) {
        const IrValue together = ir_.Index(region.rows_together);
        segment = ir_.URem(ir_.UDiv(unit, together), ir_.Index(region.segments));
        row = ir_.Add(
            ir_.Mul(ir_.UDiv(unit, ir_.Index(region.segments * region.rows_together)), together),
            ir_.URem(unit, together));
      }
      IndexVector index;
      if (dims.size() > 1) {
        index = math.Delinearize({row, 0, 1}, absl::MakeConstSpan(dims).first(dims.size() - 1));
      }
      EmitRow(region, std::move(index), segment);
    });
  }

  // A segment of the row of the index, which lacks the last dimension.
  void EmitRow(const KernelRegion& region, IndexVector index, IrValue segment) {
    ElementEmitter vectors = MakeEmitter(region.lanes), scalars = MakeEmitter(1);
    vectors.set_linear(plan_.is_linear);
    scalars.set_linear(plan_.is_linear);
    scalars.set_row_lanes(region.row_lanes);
    if (region.dimensions.empty()) {
      StoreAt(region, scalars, index);
      Check(scalars);
      return;
    }
    const HloInstruction* kept = nullptr;  // in the row of the result
    if (plan_.reduces_own_rows) {
      // Threads that share a row would write to each other's parts.
      if (region.segments == 1) kept = RowWorthKeeping(scalars);
      if (kept != nullptr) scalars.set_row_copy(kept, results_[0]);
      for (const HloInstruction* instruction :
           plan_.fusion->to_apply()->MakeInstructionPostOrder()) {
        if (instruction->opcode() == HloOpcode::kReduce) scalars.Emit(instruction, index);
      }
      scalars.set_row_copy(nullptr, nullptr);
      if (scalars.has_row_copy()) buffers_[kept] = {{results_[0], false}};
      vectors.set_outer(&scalars);
    }
    EmitSegment(region, std::move(index), segment, vectors, scalars);
    if (kept != nullptr) buffers_.erase(kept);
  }

  // What a reduction reads and the result is computed from again, if it costs more than to store
  // and load it: the row of the result holds it meanwhile. Nothing but the last reduction may need
  // what is overwritten.
  const HloInstruction* RowWorthKeeping(const ElementEmitter& emitter) const {
    constexpr int64_t kManyOperations = 12;
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    if (plan_.streams) return nullptr;
    const HloInstruction* kept = nullptr;
    for (const HloInstruction* instruction : plan_.fusion->to_apply()->MakeInstructionPostOrder()) {
      if (instruction->opcode() != HloOpcode::kReduce) continue;
      const HloInstruction* row = instruction->operand(0);
      // Wider numbers for the sum only.
      if (row->opcode() == HloOpcode::kConvert && row->users().size() == 1) row = row->operand(0);
      const bool fits = row != root && row->users().size() > 1 && IsElementwise(*row) &&
                        row->shape().dimensions() == root->shape().dimensions() &&
                        row->shape().element_type() == root->shape().element_type() &&
                        emitter.OperationsOf(row) >= kManyOperations;
      kept = fits ? row : nullptr;
    }
    return kept != nullptr && ReadsWhatIsWritten(plan_, kept) ? nullptr : kept;
  }

  // Segments of the row of the index, which lacks the last dimension.
  void EmitSegment(const KernelRegion& region, IndexVector index, IrValue segment,
                   ElementEmitter& vectors, ElementEmitter& scalars) {
    index.emplace_back();
    const int64_t length = region.dimensions.back(), lanes = region.lanes;
    const IrValue first = ir_.Mul(segment, ir_.Index(region.segment_length));
    IrValue last = ir_.Index(length);
    IrValue is_last = nullptr;  // nullptr: there is one segment
    if (region.segments > 1) {
      is_last = ir_.ICmp(LLVMIntEQ, segment, ir_.Index(region.segments - 1));
      last = ir_.Add(first, ir_.Index(region.segment_length));
      if (length % region.segment_length != 0) last = ir_.Select(is_last, ir_.Index(length), last);
    }
    if (!region.parts.empty()) {
      EmitParts(region, std::move(index), first, last, vectors, scalars);
      return;
    }
    if (lanes == 1) {
      ir_.Loop(first, last, 1, [&](IrValue i) {
        ElementEmitter::Scope scope(&scalars);
        index.back() = {i, 0, 1};
        StoreAt(region, scalars, index);
      });
      Check(scalars);
      return;
    }
    // The last vector of a row that is no multiple of the lanes computes some elements again.
    const int64_t last_vector = length - lanes;
    const bool is_ragged = length % lanes != 0;
    const bool is_clamped = is_ragged && !WritesOwnOperands() && !SplitsRows();
    ResultElements rest;
    if (is_ragged && !is_clamped) {
      // Read before the other vectors are written, which may be where they read.
      const auto compute = [&] {
        ElementEmitter::Scope scope(&vectors);
        index.back() = {ir_.Index(last_vector), 1, std::gcd(last_vector, lanes)};
        return ComputeAt(region, vectors, index);
      };
      rest = is_last == nullptr ? compute() : ComputeIf(is_last, compute);
    }
    IrValue vector_end = last;
    if (is_ragged && !is_clamped) {
      vector_end = ir_.Index(length / lanes * lanes);
      if (region.segments > 1) vector_end = ir_.Binary("llvm.smin", last, vector_end);
    }
    // Short rows of what is cheap: without a loop.
    const bool is_short = region.segments == 1 && length <= 2 * lanes && IsCheap();
    if (is_short) {
      for (int64_t i = 0; i + (is_clamped ? 0 : lanes - 1) < length; i += lanes) {
        ElementEmitter::Scope scope(&vectors);
        const int64_t start = std::min(i, last_vector);
        index.back() = {ir_.Index(start), 1, std::gcd(start, lanes)};
        StoreAt(region, vectors, index);
      }
    } else {
      ir_.Loop(first, vector_end, lanes, [&](IrValue i) {
        ElementEmitter::Scope scope(&vectors);
        index.back() = {i, 1, lanes};
        if (is_clamped) {
          index.back() = {ir_.Binary("llvm.smin", i, ir_.Index(last_vector)), 1,
                          std::gcd(last_vector, lanes)};
        }
        StoreAt(region, vectors, index);
      });
    }
    Check(vectors);
    if (rest.empty()) return;
    const auto store = [&] { Store(rest, vectors.lanes()); };
    if (is_last == nullptr) {
      store();
    } else {
      ir_.If(is_last, store);
    }
  }

  // Vectors of one repeat of a part that start within [first, last).
  void EmitPart(const KernelRegion& region, const RowPart& part, IndexVector index, IrValue first,
                IrValue last, IrValue repeat, ElementEmitter& vectors) {
    const int64_t lanes = region.lanes;
    const bool is_whole_row = region.segments == 1, overlaps = is_whole_row && !WritesOwnOperands();
    const int64_t in_vectors = (part.end - part.begin) / lanes * lanes;
    const int64_t end = overlaps ? part.end : part.begin + in_vectors;
    const IrValue start = ir_.Mul(repeat, ir_.Index(part.end - part.begin));  // of the repeat
    IrValue from = ir_.Index(part.begin), to = ir_.Index(end);
    if (!is_whole_row) {
      const IrValue before = ir_.Binary(
          "llvm.smax", ir_.Sub(ir_.Sub(first, start), ir_.Index(part.begin)), ir_.Index(0));
      const IrValue skipped = ir_.UDiv(ir_.Add(before, ir_.Index(lanes - 1)), ir_.Index(lanes));
      from = ir_.Add(from, ir_.Mul(skipped, ir_.Index(lanes)));
      to = ir_.Binary("llvm.smin", ir_.Sub(last, start), to);
    }
    int64_t align = std::gcd(part.begin, lanes);
    // At multiples of their length, except for the first and the last: others cross cache lines.
    const bool is_shifted =
        overlaps && part.repeats == 1 && part.begin % lanes != 0 && in_vectors > 0;
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
      StoreAt(region, vectors, index);
    });
    Check(vectors);
  }

  // Of the row from `first` to `last`: vectors within the region's parts, the rest in scalar code.
  void EmitParts(const KernelRegion& region, IndexVector index, IrValue first, IrValue last,
                 ElementEmitter& vectors, ElementEmitter& scalars) {
    const int64_t lanes = region.lanes;
    const bool is_whole_row = region.segments == 1;
    // The last vector of a part may compute some elements again, if nothing that it reads has been
    // written meanwhile.
    const bool overlaps = is_whole_row && !WritesOwnOperands();
    std::vector<RowPart> rest;  // between the vectors
    int64_t covered = 0;
    for (const RowPart& part : region.parts) {
      const int64_t in_vectors = (part.end - part.begin) / lanes * lanes;
      if (covered < part.begin) rest.push_back({covered, part.begin});
      covered = part.repeats > 1 ? part.all_end() : overlaps ? part.end : part.begin + in_vectors;
      if (part.repeats == 1) {
        EmitPart(region, part, index, first, last, ir_.Index(0), vectors);
        continue;
      }
      // Repeats that the segment has elements of.
      IrValue from = ir_.Index(0), to = ir_.Index(part.repeats);
      if (!is_whole_row) {
        const auto repeats_in = [&](IrValue elements) {
          return ir_.UDiv(ir_.Binary("llvm.smax", elements, ir_.Index(0)), ir_.Index(part.period));
        };
        from = repeats_in(ir_.Sub(first, ir_.Index(part.begin)));
        to = ir_.Binary("llvm.smin", to,
                        repeats_in(ir_.Add(last, ir_.Index(part.period - 1 - part.begin))));
      }
      ir_.Loop(from, to, 1, [&](IrValue repeat) {
        EmitPart(region, part, index, first, last, repeat, vectors);
        if (overlaps || in_vectors == part.period) return;
        // What is too short for a vector at the end of the repeat.
        const IrValue start =
            ir_.Add(ir_.Index(part.begin), ir_.Mul(repeat, ir_.Index(part.period)));
        const IrValue begin = ir_.Binary("llvm.smax", first, ir_.Add(start, ir_.Index(in_vectors)));
        const IrValue end = ir_.Binary("llvm.smin", last, ir_.Add(start, ir_.Index(part.period)));
        ir_.Loop(begin, end, 1, [&](IrValue i) {
          ElementEmitter::Scope scope(&scalars);
          index.back() = {i, 0, 1};
          StoreAt(region, scalars, index);
        });
      });
    }
    const int64_t length = region.dimensions.back();
    if (covered < length) rest.push_back({covered, length});
    int64_t count = 0;
    for (const RowPart& part : rest) count += part.end - part.begin;
    if (count == 0) return;
    // One loop for all of them.
    ir_.Loop(ir_.Index(0), ir_.Index(count), 1, [&](IrValue k) {
      IrValue i = ir_.Add(k, ir_.Index(rest[0].begin));
      int64_t before = 0;
      for (size_t r = 0; r + 1 < rest.size(); ++r) {
        before += rest[r].end - rest[r].begin;
        i = ir_.Select(ir_.ICmp(LLVMIntSLT, k, ir_.Index(before)), i,
                       ir_.Add(k, ir_.Index(rest[r + 1].begin - before)));
      }
      const auto store = [&] {
        ElementEmitter::Scope scope(&scalars);
        index.back() = {i, 0, 1};
        StoreAt(region, scalars, index);
      };
      if (is_whole_row) {
        store();
        return;
      }
      ir_.If(ir_.And(ir_.ICmp(LLVMIntSLE, first, i), ir_.ICmp(LLVMIntSLT, i, last)), store);
    });
    Check(scalars);
  }

  // A unit is a range of columns: first the initial values, then all rows are combined with them,
  // some at a time.
  void EmitColumnReduction(const KernelRegion& region) {
    const HloInstruction* root = region.source;
    const auto inputs = static_cast<int64_t>(results_.size());
    const Shape& shape = root->operand(0)->shape();
    const auto& reduced = root->dimensions();
    const int64_t columns = region.dimensions.back(), lanes = region.lanes;
    std::vector<size_t> kept, loops;  // dimensions of the operand
    for (size_t d = 0; d < static_cast<size_t>(shape.rank()); ++d) {
      const bool is_reduced =
          std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) != reduced.end();
      (is_reduced ? loops : kept).push_back(d);
    }
    const IndexMath math(ir_, 1);
    ir_.Loop(begin_, end_, 1, [&](IrValue unit) {
      const IrValue row = ir_.UDiv(unit, ir_.Index(region.segments));
      const IrValue first =
          ir_.Mul(ir_.URem(unit, ir_.Index(region.segments)), ir_.Index(region.segment_length));
      const IrValue last = ir_.Binary("llvm.smin", ir_.Add(first, ir_.Index(region.segment_length)),
                                      ir_.Index(columns));
      IndexVector place = math.Delinearize(
          {row, 0, 1}, absl::MakeConstSpan(region.dimensions).first(region.dimensions.size() - 1));
      // Those that are seen as one: all but the last are 0.
      place.resize(kept.size(), math.Constant(0));
      IndexVector index(static_cast<size_t>(shape.rank()));
      for (size_t k = 0; k + 1 < kept.size(); ++k) index[kept[k]] = place[k];

      // Calls body(emitter) for the columns, in vectors and then one by one.
      const auto for_columns = [&](auto&& body) {
        const auto range = [&](IrValue from, IrValue to, int64_t step) {
          ElementEmitter emitter = MakeEmitter(static_cast<int>(step));
          ir_.Loop(from, to, step, [&](IrValue i) {
            ElementEmitter::Scope scope(&emitter);
            place.back() = {i, step > 1 ? 1 : 0, step};
            index[kept.back()] = place.back();
            body(emitter);
          });
          Check(emitter);
        };
        const int64_t in_vectors = lanes > 1 ? columns / lanes * lanes : 0;
        if (in_vectors > 0) {
          range(first, ir_.Binary("llvm.smin", last, ir_.Index(in_vectors)), lanes);
        }
        if (in_vectors < columns) {
          range(ir_.Binary("llvm.smax", first, ir_.Index(in_vectors)), last, 1);
        }
      };
      const auto result_at = [&](ElementEmitter& emitter, int64_t i) {
        return emitter.AddressOf({results_[static_cast<size_t>(i)], false}, TypeOfResult(*root, i),
                                 place);
      };
      const auto store = [&](ElementEmitter& emitter, const std::vector<Element>& elements) {
        for (int64_t i = 0; i < inputs; ++i) {
          const ElementAddress address = result_at(emitter, i);
          ops_.Store(TypeOfResult(*root, i).element_type(),
                     ops_.Splat(elements[static_cast<size_t>(i)], emitter.lanes()), address.pointer,
                     address.bytes);
        }
      };
      for_columns([&](ElementEmitter& emitter) {
        std::vector<Element> initial;
        for (int64_t i = 0; i < inputs; ++i) {
          initial.push_back(emitter.Emit(root->operand(inputs + i), {}));
        }
        store(emitter, initial);
      });
      const auto combine_rows = [&](IrValue first_row, int64_t count) {
        for_columns([&](ElementEmitter& emitter) {
          std::vector<Element> sums;
          for (int64_t i = 0; i < inputs; ++i) {
            sums.push_back(ops_.Load(TypeOfResult(*root, i).element_type(), result_at(emitter, i),
                                     emitter.lanes()));
          }
          for (int64_t r = 0; r < count; ++r) {
            index[loops.back()] = {ir_.Add(first_row, ir_.Index(r)), 0, 1};
            for (int64_t i = 0; i < inputs; ++i) {
              sums.push_back(ops_.Splat(emitter.Emit(root->operand(i), index), emitter.lanes()));
            }
            sums = emitter.Apply(*root->to_apply(), std::move(sums));
          }
          store(emitter, sums);
        });
      };
      const auto level = [&](const auto& self, size_t depth) -> void {
        const int64_t size = shape.dimensions(static_cast<int>(loops[depth]));
        // Of an iteration, of vectors of columns.
        double steps = static_cast<double>((region.segment_length + lanes - 1) / lanes);
        for (size_t d = depth + 1; d < loops.size(); ++d)
          steps *= static_cast<double>(shape.dimensions(static_cast<int>(loops[d])));
        if (depth + 1 < loops.size()) {
          ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps),
                         [&](IrValue i) {
                           index[loops[depth]] = {i, 0, 1};
                           self(self, depth + 1);
                         });
          return;
        }
        const int64_t in_blocks = size / plan_.rows_at_once * plan_.rows_at_once;
        steps *= static_cast<double>(plan_.rows_at_once);
        ir_.PolledLoop(ir_.Index(0), ir_.Index(in_blocks), plan_.rows_at_once,
                       PollInterval(size / plan_.rows_at_once, steps),
                       [&](IrValue i) { combine_rows(i, plan_.rows_at_once); });
        ir_.Loop(ir_.Index(in_blocks), ir_.Index(size), 1, [&](IrValue i) { combine_rows(i, 1); });
      };
      level(level, 0);
    });
  }

  static const Shape& TypeOfResult(const HloInstruction& root, int64_t i) {
    return root.shape().IsTuple() ? root.shape().tuple_shapes(static_cast<int>(i)) : root.shape();
  }

  void Check(const ElementEmitter& emitter) {
    if (status_.ok()) status_ = emitter.status();
  }

  // What is to be stored for one result, and where.
  struct ResultElement {
    PrimitiveType type;
    Element element;
    IrValue pointer, bytes;
  };
  using ResultElements = std::vector<ResultElement>;

  // Computes the element of each result, or as many as there are lanes.
  ResultElements ComputeAt(const KernelRegion& region, ElementEmitter& emitter, IndexVector index) {
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    const Shape& shape = FirstShape(*root);
    // The element of a scalar has no index; regions lack minor dimensions of one element.
    if (!plan_.is_linear)
      index.resize(static_cast<size_t>(shape.rank()), emitter.math().Constant(0));
    if (region.first > 0) {
      IndexTerm& term = index[region.dimensions.size() - 1];
      term = emitter.math().AddConstant(term, region.first);
    }
    IndexVector place = index;
    if (plan_.updates_in_place) {
      // Starts are limited so that the update is inside.
      for (size_t d = 0; d < place.size(); ++d) {
        const auto i = static_cast<int>(d);
        const HloInstruction* start = root->operand(static_cast<int64_t>(d) + 2);
        const int64_t limit = shape.dimensions(i) - root->operand(1)->shape().dimensions(i);
        if (limit == 0) continue;
        Element value = emitter.Emit(start, {});
        const IndexTerm term = emitter.TermOf(value, start->shape().element_type());
        const IndexMath math(ir_, 1);
        place[d] = emitter.math().Add(place[d], math.ClampUnlessAffine(term, 0, limit + 1));
      }
    } else if (region.offset_dimension >= 0) {
      IndexTerm& term = place[static_cast<size_t>(region.offset_dimension)];
      term = emitter.math().AddConstant(term, region.offset);
    }
    std::vector<Element> elements;
    if (region.phases > 1) {
      // As many vectors as phases, of indices whose remainders are known.
      const IndexMath& math = emitter.math();
      IndexTerm& minor = index[region.dimensions.size() - 1];
      const IndexTerm group = minor;
      const IndexTerm start = math.Multiply(group, region.phases);
      for (int64_t phase = 0; phase < region.phases; ++phase) {
        minor = math.WithSplit(math.AddConstant(start, phase),
                               {region.phases, 0, group, math.Constant(phase)});
        elements.push_back(ops_.Splat(emitter.Emit(root, index), emitter.lanes()));
      }
      place[region.dimensions.size() - 1] = start;
      elements = {InterleavePairs(elements)};
    } else if (plan_.columns > 0) {
      for (int64_t column = 0; column < plan_.columns; ++column) {
        index.back() = emitter.math().Constant(column);
        elements.push_back(ops_.Splat(emitter.Emit(root, index), emitter.lanes()));
      }
      elements = {ops_.Interleave(elements)};
    } else if (plan_.interleaves) {
      for (const HloInstruction* column : root->operands())
        elements.push_back(ops_.Splat(emitter.Emit(column, index), emitter.lanes()));
      if (static_cast<int>(elements.size()) > emitter.lanes() / 2 && emitter.lanes() > 8)
        return TransposeColumns(emitter, elements, place);
      elements = {ops_.Interleave(elements)};
    }
    for (size_t i = elements.size(); i < results_.size(); ++i) {
      Element element;
      if (root->opcode() == HloOpcode::kTuple) {
        element = emitter.Emit(root->operand(static_cast<int64_t>(i)), index);
      } else {
        element = emitter.Emit(region.source, index, static_cast<int>(i));
      }
      elements.push_back(ops_.Splat(element, emitter.lanes()));
    }
    ResultElements computed;
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!plan_.is_unused.empty() && plan_.is_unused[i]) continue;
      const Shape& result_shape =
          root->shape().IsTuple() ? root->shape().tuple_shapes(static_cast<int>(i)) : root->shape();
      const ElementAddress address = emitter.AddressOf({results_[i], false}, result_shape, place);
      computed.push_back(
          {result_shape.element_type(), elements[i], address.pointer, address.bytes});
    }
    return computed;
  }

  // As ElementOps::Interleave, pair by pair where there are more: each step takes two instructions
  // for two registers.
  Element InterleavePairs(const std::vector<Element>& elements) {
    if (elements.size() % 2 != 0 || elements.size() == 2) return ops_.Interleave(elements);
    std::vector<Element> even, odd;
    for (size_t i = 0; i < elements.size(); ++i) (i % 2 == 0 ? even : odd).push_back(elements[i]);
    return ops_.Interleave({InterleavePairs(even), InterleavePairs(odd)});
  }

  // The rows that vectors of columns are parts of. Rows are shorter than vectors, and stored in two
  // parts that overlap.
  ResultElements TransposeColumns(ElementEmitter& emitter, const std::vector<Element>& columns,
                                  const IndexVector& place) {
    const Shape& shape = FirstShape(*plan_.fusion->to_apply()->root_instruction());
    const ElementAddress address = emitter.AddressOf({results_[0], false}, shape, place);
    const IrValue first_row = ir_.Offset(address.pointer, address.bytes);
    const auto count = static_cast<int64_t>(columns.size());
    const int lanes = emitter.lanes(), half = lanes / 2;
    std::vector<IrValue> rows;
    for (const Element& column : columns) rows.push_back(column.re);
    while (static_cast<int>(rows.size()) < lanes)
      rows.push_back(ir_.Undef(ir_.TypeOf(columns[0].re)));
    TransposeRows(ir_, rows);
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    ResultElements parts;
    for (int64_t r = 0; r < lanes; ++r) {
      for (const int64_t first : {int64_t{0}, count - half}) {
        std::vector<int> order(static_cast<size_t>(half));
        std::iota(order.begin(), order.end(), static_cast<int>(first));
        const IrValue row = rows[static_cast<size_t>(r)];
        parts.push_back({shape.element_type(),
                         {ir_.Shuffle(row, row, order)},
                         first_row,
                         ir_.Index((r * count + first) * bytes)});
      }
    }
    return parts;
  }

  // The same where the condition holds; undefined values elsewhere.
  ResultElements ComputeIf(IrValue condition, absl::FunctionRef<ResultElements()> compute) {
    ResultElements computed;
    const auto fields = [&] {
      std::vector<IrValue*> all;
      for (ResultElement& result : computed) {
        for (IrValue* value :
             {&result.element.re, &result.element.im, &result.pointer, &result.bytes}) {
          if (*value != nullptr) all.push_back(value);
        }
      }
      return all;
    };
    Ir::Carried undefined;
    const Ir::Carried values = ir_.If(
        condition,
        [&] {
          computed = compute();
          Ir::Carried inside;
          for (const IrValue* value : fields()) {
            inside.push_back(*value);
            undefined.push_back(ir_.Undef(ir_.TypeOf(*value)));
          }
          return inside;
        },
        [&] { return undefined; });
    size_t next = 0;
    for (IrValue* value : fields()) *value = values[next++];
    return computed;
  }

  void Store(const ResultElements& computed, int lanes) {
    for (const ResultElement& result : computed) {
      ops_.Store(result.type, result.element, result.pointer, result.bytes,
                 plan_.streams && lanes > 1);
    }
  }

  // Computes the element, or as many as there are lanes, and stores it.
  void StoreAt(const KernelRegion& region, ElementEmitter& emitter, IndexVector index) {
    Store(ComputeAt(region, emitter, std::move(index)), emitter.lanes());
  }

  // Whether a second copy of the code of an element is small.
  bool IsCheap() const {
    constexpr double kFewOperations = 4;
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    return plan_.operations <= kFewOperations * static_cast<double>(CountOf(FirstShape(*root)));
  }

  // Whether a result is written where the kernel still reads.
  bool WritesOwnOperands() const {
    return plan_.updates_in_place || plan_.reduces_own_rows ||
           std::find(plan_.is_written.begin(), plan_.is_written.end(), true) !=
               plan_.is_written.end();
  }

  // Whether indices along a row are divided, which is simpler where vectors start at multiples of
  // their length.
  bool SplitsRows() const {
    if (plan_.is_linear) return false;
    const auto& instructions = plan_.fusion->to_apply()->instructions();
    return std::any_of(instructions.begin(), instructions.end(), [](const auto* instruction) {
      return instruction->opcode() == HloOpcode::kReshape ||
             instruction->opcode() == HloOpcode::kBitcast;
    });
  }

  Ir& ir_;
  ElementOps ops_;
  const KernelPlan& plan_;
  IrValue begin_ = nullptr, end_ = nullptr;  // units
  ElementEmitter::Buffers buffers_;
  const ElementEmitter::Elements* elements_ = nullptr;
  std::vector<IrValue> results_;
  absl::Status status_;
};

}  // namespace

absl::Status EmitKernel(Ir& ir, const KernelPlan& plan, const char* name) {
  return KernelEmitter(ir, plan).Emit(name);
}

absl::Status EmitInlineKernel(Ir& ir, const KernelPlan& plan, const InlineKernel& kernel) {
  return KernelEmitter(ir, plan).EmitInline(kernel);
}

}  // namespace xla::cpu

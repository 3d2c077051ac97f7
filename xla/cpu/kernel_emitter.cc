// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel_emitter.h"

#include <algorithm>
#include <numeric>

#include "xla/base/status_macros.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/elementwise.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

class KernelEmitter {
 public:
  KernelEmitter(Ir& ir, const KernelPlan& plan) : ir_(ir), ops_(ir), plan_(plan) {}

  absl::Status Emit(const char* name) {
    if (plan_.epilogue_of >= 0) return EmitEpilogue(name);
    const HloInstruction& fusion = *plan_.fusion;
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64()};
    ir_.StartFunction(name, parameters);
    const auto array = [&](int64_t i) {
      return ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * i)), 8, true);
    };
    int64_t next = 0;
    for (const HloInstruction* parameter : fusion.to_apply()->parameter_instructions()) {
      const bool is_invariant = !plan_.is_written[static_cast<size_t>(next)];
      buffers_[parameter] = {{array(next), is_invariant}};
      ++next;
    }
    const HloInstruction* root = fusion.to_apply()->root_instruction();
    const int results = root->shape().IsTuple() ? root->shape().tuple_shapes_size() : 1;
    for (int i = 0; i < results; ++i) results_.push_back(array(next + i));
    // Behind the arrays: the state of the run.
    ir_.set_run(ir_.Load(ir_.I64(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * (next + results))),
                         8, true));
    if (plan_.transposes) {
      EmitTranspose(plan_.regions[0]);
      if (plan_.streams) ir_.FinishStreaming();
      ir_.Return();
      return absl::OkStatus();
    }
    if (root->opcode() == HloOpcode::kScatter) {
      EmitScatter(plan_.regions[0]);
      ir_.Return();
      return status_;
    }
    if (plan_.reduces_columns) {
      EmitColumnReduction(plan_.regions[0]);
      ir_.Return();
      return status_;
    }
    int64_t first = 0;
    for (const KernelRegion& region : plan_.regions) {
      IrValue begin = ir_.Parameter(1), end = ir_.Parameter(2);
      if (plan_.regions.size() > 1) {
        begin = ir_.Binary("llvm.smax", ir_.Sub(begin, ir_.Index(first)), ir_.Index(0));
        end = ir_.Binary("llvm.smin", ir_.Sub(end, ir_.Index(first)), ir_.Index(region.units));
      }
      EmitRegion(region, begin, end);
      first += region.units;
    }
    if (plan_.streams) ir_.FinishStreaming();
    ir_.Return();
    return status_;
  }

 private:
  // void name(void* const* buffers, int64_t first, int64_t count, const void* values)
  absl::Status EmitEpilogue(const char* name) {
    const IrType parameters[] = {ir_.Pointer(), ir_.I64(), ir_.I64(), ir_.Pointer()};
    ir_.StartFunction(name, parameters);
    const auto buffer = [&](int64_t i) {
      return ir_.Load(ir_.Pointer(), ir_.Offset(ir_.Parameter(0), ir_.Index(8 * i)), 8, true);
    };
    results_.push_back(buffer(2));
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
    ElementEmitter vectors(ops_, buffers_, region.lanes), scalars(ops_, buffers_, 1);
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
      IndexVector index;
      if (dims.size() > 1) {
        index = math.Delinearize({row, 0, 1}, absl::MakeConstSpan(dims).first(dims.size() - 1));
      }
      EmitRow(region, std::move(index), segment);
    });
  }

  // A segment of the row of the index, which lacks the last dimension.
  void EmitRow(const KernelRegion& region, IndexVector index, IrValue segment) {
    ElementEmitter vectors(ops_, buffers_, region.lanes), scalars(ops_, buffers_, 1);
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
    if (region.segments > 1) {
      last = ir_.Add(first, ir_.Index(region.segment_length));
      if (length % region.segment_length != 0)
        last = ir_.Binary("llvm.smin", last, ir_.Index(length));
    }
    if (!region.parts.empty()) {
      EmitParts(region, std::move(index), first, last, vectors, scalars);
      return;
    }
    const int64_t in_vectors = lanes > 1 ? length / lanes * lanes : 0;
    if (lanes > 1) {
      IrValue vector_end = last;
      if (in_vectors != length) {
        vector_end = region.segments > 1 ? ir_.Binary("llvm.smin", last, ir_.Index(in_vectors))
                                         : ir_.Index(in_vectors);
      }
      ir_.Loop(first, vector_end, lanes, [&](IrValue i) {
        ElementEmitter::Scope scope(&vectors);
        index.back() = {i, 1, lanes};
        StoreAt(region, vectors, index);
      });
      Check(vectors);
    }
    if (in_vectors == length) return;
    IrValue rest = first;
    if (lanes > 1) {
      rest = region.segments > 1 ? ir_.Binary("llvm.smax", first, ir_.Index(in_vectors))
                                 : ir_.Index(in_vectors);
    }
    ir_.Loop(rest, last, 1, [&](IrValue i) {
      ElementEmitter::Scope scope(&scalars);
      index.back() = {i, 0, 1};
      StoreAt(region, scalars, index);
    });
    Check(scalars);
  }

  // Of the row from `first` to `last`: vectors within the region's parts, the rest in scalar code.
  void EmitParts(const KernelRegion& region, IndexVector index, IrValue first, IrValue last,
                 ElementEmitter& vectors, ElementEmitter& scalars) {
    const int64_t lanes = region.lanes;
    const bool is_whole_row = region.segments == 1;
    // The last vector of a part may compute some elements again, if nothing that it reads has been
    // written meanwhile.
    const bool overlaps =
        is_whole_row && !plan_.updates_in_place && !plan_.reduces_own_rows &&
        std::find(plan_.is_written.begin(), plan_.is_written.end(), true) == plan_.is_written.end();
    std::vector<RowPart> rest;  // between the vectors
    int64_t covered = 0;
    for (const RowPart& part : region.parts) {
      const int64_t in_vectors = (part.end - part.begin) / lanes * lanes;
      const int64_t end = overlaps ? part.end : part.begin + in_vectors;
      if (covered < part.begin) rest.push_back({covered, part.begin});
      covered = end;
      IrValue from = ir_.Index(part.begin), to = ir_.Index(end);
      if (!is_whole_row) {
        // Vectors of the part that start within the segment.
        const IrValue before = ir_.Binary("llvm.smax", ir_.Sub(first, from), ir_.Index(0));
        const IrValue skipped = ir_.UDiv(ir_.Add(before, ir_.Index(lanes - 1)), ir_.Index(lanes));
        from = ir_.Add(from, ir_.Mul(skipped, ir_.Index(lanes)));
        to = ir_.Binary("llvm.smin", last, to);
      }
      int64_t align = std::gcd(part.begin, lanes);
      // At multiples of their length, except for the first and the last: others cross cache lines.
      const bool is_shifted = overlaps && part.begin % lanes != 0 && in_vectors > 0;
      if (is_shifted) from = ir_.Index(part.begin / lanes * lanes);
      ir_.Loop(from, to, lanes, [&](IrValue i) {
        ElementEmitter::Scope scope(&vectors);
        if (is_shifted) i = ir_.Binary("llvm.smax", i, ir_.Index(part.begin));
        if (is_shifted || part.begin + in_vectors < end) {
          i = ir_.Binary("llvm.smin", i, ir_.Index(end - lanes));
          align = std::gcd(align, end - lanes);
        }
        index.back() = {i, 1, align, nullptr, part.begin, end - 1};
        StoreAt(region, vectors, index);
      });
      Check(vectors);
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
    ir_.Loop(ir_.Parameter(1), ir_.Parameter(2), 1, [&](IrValue unit) {
      const IrValue row = ir_.UDiv(unit, ir_.Index(region.segments));
      const IrValue first =
          ir_.Mul(ir_.URem(unit, ir_.Index(region.segments)), ir_.Index(region.segment_length));
      const IrValue last = ir_.Binary("llvm.smin", ir_.Add(first, ir_.Index(region.segment_length)),
                                      ir_.Index(columns));
      IndexVector place = math.Delinearize(
          {row, 0, 1}, absl::MakeConstSpan(region.dimensions).first(region.dimensions.size() - 1));
      place.emplace_back();
      IndexVector index(static_cast<size_t>(shape.rank()));
      for (size_t k = 0; k + 1 < kept.size(); ++k) index[kept[k]] = place[k];

      // Calls body(emitter) for the columns, in vectors and then one by one.
      const auto for_columns = [&](auto&& body) {
        const auto range = [&](IrValue from, IrValue to, int64_t step) {
          ElementEmitter emitter(ops_, buffers_, static_cast<int>(step));
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

  // Every unit is a range of the minor window dimension, for all updates in order: the order of
  // updates of an element does not depend on threads.
  void EmitScatter(const KernelRegion& region) {
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    const auto& s = root->attributes<ScatterAttributes>();
    const auto inputs = static_cast<int64_t>(results_.size());
    const HloInstruction* indices = root->operand(inputs);
    const Shape& shape = root->operand(0)->shape();
    const Shape& updates = root->operand(inputs + 1)->shape();
    const auto rank = static_cast<size_t>(shape.rank());
    const auto contains = [](const std::vector<int64_t>& list, size_t value) {
      return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end();
    };
    ElementEmitter vectors(ops_, buffers_, region.lanes), scalars(ops_, buffers_, 1);
    const IndexMath& math = scalars.math();

    std::vector<size_t> scatter_dims, window_dims;  // of the updates
    for (size_t d = 0; d < static_cast<size_t>(updates.rank()); ++d) {
      (contains(s.update_window_dims, d) ? window_dims : scatter_dims).push_back(d);
    }
    std::vector<size_t> window_to_operand;
    std::vector<int64_t> window_sizes(rank, 1);
    for (size_t d = 0; d < rank; ++d) {
      if (contains(s.inserted_window_dims, d) || contains(s.input_batching_dims, d)) continue;
      window_sizes[d] = updates.dimensions(static_cast<int>(window_dims[window_to_operand.size()]));
      window_to_operand.push_back(d);
    }

    ir_.Loop(ir_.Parameter(1), ir_.Parameter(2), 1, [&](IrValue unit) {
      const IrValue first = ir_.Mul(unit, ir_.Index(region.segment_length));
      IrValue last = ir_.Add(first, ir_.Index(region.segment_length));
      if (!region.dimensions.empty()) {
        last = ir_.Binary("llvm.smin", last, ir_.Index(region.dimensions.back()));
      }
      IndexVector update_index(static_cast<size_t>(updates.rank()), math.Constant(0));
      IndexVector origin(rank, math.Constant(0));

      // Combines elements at the update index.
      const auto combine = [&](ElementEmitter& emitter) {
        IndexVector place = origin;
        for (size_t w = 0; w < window_dims.size(); ++w) {
          IndexTerm& term = place[window_to_operand[w]];
          term = emitter.math().Add(term, update_index[window_dims[w]]);
        }
        std::vector<Element> arguments;
        std::vector<ElementAddress> addresses;
        for (int64_t i = 0; i < inputs; ++i) {
          const Shape& operand_shape = root->operand(i)->shape();
          addresses.push_back(
              emitter.AddressOf({results_[static_cast<size_t>(i)], false}, operand_shape, place));
          arguments.push_back(
              ops_.Load(operand_shape.element_type(), addresses.back(), emitter.lanes()));
        }
        for (int64_t i = 0; i < inputs; ++i) {
          arguments.push_back(ops_.Splat(emitter.Emit(root->operand(inputs + 1 + i), update_index),
                                         emitter.lanes()));
        }
        const std::vector<Element> results = emitter.Apply(*root->to_apply(), std::move(arguments));
        for (size_t i = 0; i < results.size(); ++i) {
          ops_.Store(root->operand(static_cast<int64_t>(i))->shape().element_type(),
                     ops_.Splat(results[i], emitter.lanes()), addresses[i].pointer,
                     addresses[i].bytes);
        }
      };
      // Of the dimensions of a window from `w` on.
      const auto steps_within = [&](size_t w) {
        double steps = 1;
        for (; w < window_dims.size(); ++w) {
          const bool is_inner = w + 1 == window_dims.size() && !region.dimensions.empty();
          steps *= static_cast<double>(
              is_inner ? (region.segment_length + region.lanes - 1) / region.lanes
                       : updates.dimensions(static_cast<int>(window_dims[w])));
        }
        return steps;
      };
      const auto window = [&](const auto& self, size_t w) -> void {
        if (w == window_dims.size()) {
          ElementEmitter::Scope scope(&scalars);
          combine(scalars);
          return;
        }
        const size_t d = window_dims[w];
        const int64_t size = updates.dimensions(static_cast<int>(d));
        const bool is_inner = w + 1 == window_dims.size() && !region.dimensions.empty();
        if (!is_inner) {
          ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps_within(w + 1)),
                         [&](IrValue i) {
                           update_index[d] = {i, 0, 1};
                           self(self, w + 1);
                         });
          return;
        }
        const int64_t in_vectors = region.lanes > 1 ? size / region.lanes * region.lanes : 0;
        if (in_vectors > 0) {
          ir_.Loop(first, ir_.Binary("llvm.smin", last, ir_.Index(in_vectors)), region.lanes,
                   [&](IrValue i) {
                     ElementEmitter::Scope scope(&vectors);
                     update_index[d] = {i, 1, region.lanes};
                     combine(vectors);
                   });
        }
        if (in_vectors == size) return;
        ir_.Loop(ir_.Binary("llvm.smax", first, ir_.Index(in_vectors)), last, 1, [&](IrValue i) {
          ElementEmitter::Scope scope(&scalars);
          update_index[d] = {i, 0, 1};
          combine(scalars);
        });
      };
      const auto scatter = [&](const auto& self, size_t k) -> void {
        if (k < scatter_dims.size()) {
          const size_t d = scatter_dims[k];
          const int64_t size = updates.dimensions(static_cast<int>(d));
          double steps = steps_within(0);
          for (size_t inner = k + 1; inner < scatter_dims.size(); ++inner)
            steps *= static_cast<double>(updates.dimensions(static_cast<int>(scatter_dims[inner])));
          ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps),
                         [&](IrValue i) {
                           update_index[d] = {i, 0, 1};
                           self(self, k + 1);
                         });
          return;
        }
        ElementEmitter::Scope scope(&scalars);
        // The index of the update among the indices, whose vector dimension it lacks.
        const auto batch_term = [&](int64_t dim) {
          return update_index[scatter_dims[static_cast<size_t>(
              dim - (dim > s.index_vector_dim ? 1 : 0))]];
        };
        for (size_t i = 0; i < s.scatter_dims_to_operand_dims.size(); ++i) {
          IndexVector position;
          for (int64_t dim = 0; dim < indices->shape().rank(); ++dim) {
            position.push_back(dim == s.index_vector_dim ? math.Constant(static_cast<int64_t>(i))
                                                         : batch_term(dim));
          }
          const Element start =
              ops_.Convert(indices->shape().element_type(), S64, scalars.Emit(indices, position));
          origin[static_cast<size_t>(s.scatter_dims_to_operand_dims[i])] = {start.re, 0, 1};
        }
        for (size_t i = 0; i < s.input_batching_dims.size(); ++i) {
          origin[static_cast<size_t>(s.input_batching_dims[i])] =
              batch_term(s.scatter_indices_batching_dims[i]);
        }
        // Windows that are not inside as a whole are left out.
        IrValue inside = ir_.Const(ir_.I1(), int64_t{1});
        for (size_t d = 0; d < rank; ++d) {
          const int64_t limit = shape.dimensions(static_cast<int>(d)) - window_sizes[d];
          if (limit < 0) return;
          inside = ir_.And(inside, math.InRange(origin[d], 0, limit + 1));
        }
        ir_.If(inside, [&] { window(window, 0); });
      };
      scatter(scatter, 0);
    });
    Check(vectors);
    Check(scalars);
  }

  void Check(const ElementEmitter& emitter) {
    if (status_.ok()) status_ = emitter.status();
  }

  // Computes the element, or as many as there are lanes, and stores it.
  void StoreAt(const KernelRegion& region, ElementEmitter& emitter, IndexVector index) {
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    const Shape& shape = FirstShape(*root);
    // The element of a scalar has no index; regions lack minor dimensions of one element.
    if (!plan_.is_linear)
      index.resize(static_cast<size_t>(shape.rank()), emitter.math().Constant(0));
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
    for (size_t i = 0; i < results_.size(); ++i) {
      Element element;
      if (root->opcode() == HloOpcode::kTuple) {
        element = emitter.Emit(root->operand(static_cast<int64_t>(i)), index);
      } else {
        element = emitter.Emit(region.source, index, static_cast<int>(i));
      }
      elements.push_back(ops_.Splat(element, emitter.lanes()));
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!plan_.is_unused.empty() && plan_.is_unused[i]) continue;
      const Shape& result_shape =
          root->shape().IsTuple() ? root->shape().tuple_shapes(static_cast<int>(i)) : root->shape();
      const ElementAddress address = emitter.AddressOf({results_[i], false}, result_shape, place);
      ops_.Store(result_shape.element_type(), elements[i], address.pointer, address.bytes,
                 plan_.streams && emitter.lanes() > 1);
    }
  }

  // Rows of the result are the minor dimension of the operand: tiles of lanes x lanes elements are
  // read by rows, transposed in registers and written by rows. A unit is a row of tiles.
  void EmitTranspose(const KernelRegion& region) {
    const HloInstruction* root = plan_.fusion->to_apply()->root_instruction();
    const HloInstruction* operand = root->operand(0);
    const Shape& shape = root->shape();
    const auto& permutation = root->dimensions();
    const PrimitiveType type = shape.element_type();
    const int64_t bytes = primitive_util::ByteWidth(type);
    const int lanes = region.lanes;
    const auto rank = static_cast<size_t>(shape.rank());
    std::vector<int64_t> from(rank, bytes), to(rank, bytes), from_of(rank);
    for (size_t d = rank; d-- > 1;) {
      from[d - 1] = from[d] * operand->shape().dimensions(static_cast<int>(d));
      to[d - 1] = to[d] * shape.dimensions(static_cast<int>(d));
    }
    for (size_t d = 0; d < rank; ++d) from_of[d] = from[static_cast<size_t>(permutation[d])];
    // Of the result: dimension `a` is minor in the operand, `b` in the result.
    const size_t b = rank - 1;
    size_t a = 0;
    while (permutation[a] != static_cast<int64_t>(rank) - 1) ++a;
    const int64_t size_a = shape.dimensions(static_cast<int>(a)),
                  size_b = shape.dimensions().back();
    const IrType element = ir_.Int(static_cast<int>(bytes) * 8);
    const IrType vector = ir_.Vector(element, lanes);
    const IrValue source = buffers_[operand][0].pointer, target = results_[0];
    std::vector<int64_t> outer;
    std::vector<size_t> outer_dims;
    for (size_t d = 0; d < rank; ++d) {
      if (d == a || d == b) continue;
      outer.push_back(shape.dimensions(static_cast<int>(d)));
      outer_dims.push_back(d);
    }
    const int64_t tiles_b = (size_b + lanes - 1) / lanes;
    const IndexMath math(ir_, 1);
    ir_.Loop(ir_.Parameter(1), ir_.Parameter(2), 1, [&](IrValue unit) {
      const IrValue tile = ir_.URem(unit, ir_.Index(tiles_b));
      const IndexVector index = math.Delinearize({ir_.UDiv(unit, ir_.Index(tiles_b)), 0, 1}, outer);
      IrValue read = source, write = target;
      for (size_t i = 0; i < outer_dims.size(); ++i) {
        read = ir_.Offset(read, ir_.Mul(index[i].base, ir_.Index(from_of[outer_dims[i]])));
        write = ir_.Offset(write, ir_.Mul(index[i].base, ir_.Index(to[outer_dims[i]])));
      }
      const IrValue first_b = ir_.Mul(tile, ir_.Index(lanes));
      read = ir_.Offset(read, ir_.Mul(first_b, ir_.Index(from_of[b])));
      write = ir_.Offset(write, ir_.Mul(first_b, ir_.Index(bytes)));
      const auto copy_elements = [&](IrValue first_a, IrValue last_b) {
        ir_.PolledLoop(first_a, ir_.Index(size_a), 1, PollInterval(size_a, lanes), [&](IrValue i) {
          const IrValue row = ir_.Offset(read, ir_.Mul(i, ir_.Index(bytes)));
          const IrValue out = ir_.Offset(write, ir_.Mul(i, ir_.Index(to[a])));
          ir_.Loop(ir_.Index(0), last_b, 1, [&](IrValue j) {
            ir_.Store(ir_.Load(element, ir_.Offset(row, ir_.Mul(j, ir_.Index(from_of[b]))),
                               static_cast<int>(bytes)),
                      ir_.Offset(out, ir_.Mul(j, ir_.Index(bytes))), static_cast<int>(bytes));
          });
        });
      };
      const auto copy_tiles = [&] {
        const int64_t in_tiles = size_a / lanes * lanes;
        ir_.PolledLoop(
            ir_.Index(0), ir_.Index(in_tiles), lanes, PollInterval(size_a / lanes, lanes),
            [&](IrValue i) {
              std::vector<IrValue> rows;
              for (int r = 0; r < lanes; ++r) {
                const IrValue row = ir_.Offset(read, ir_.Index(r * from_of[b]));
                rows.push_back(ir_.Load(vector, ir_.Offset(row, ir_.Mul(i, ir_.Index(bytes))),
                                        static_cast<int>(bytes)));
              }
              TransposeRows(rows);
              const IrValue out = ir_.Offset(write, ir_.Mul(i, ir_.Index(to[a])));
              for (int r = 0; r < lanes; ++r) {
                ir_.Store(rows[static_cast<size_t>(r)], ir_.Offset(out, ir_.Index(r * to[a])),
                          static_cast<int>(bytes), plan_.streams);
              }
            });
        copy_elements(ir_.Index(in_tiles), ir_.Index(lanes));
      };
      if (size_b % lanes == 0) {
        copy_tiles();
        return;
      }
      const IrValue is_whole = ir_.ICmp(LLVMIntSLE, first_b, ir_.Index(size_b - lanes));
      ir_.If(is_whole, copy_tiles);
      ir_.If(ir_.Not(is_whole),
             [&] { copy_elements(ir_.Index(0), ir_.Sub(ir_.Index(size_b), first_b)); });
    });
  }

  // Exchanges blocks of half the size, then of a quarter, ... (a power of two of rows.)
  void TransposeRows(std::vector<IrValue>& rows) const {
    const int n = static_cast<int>(rows.size());
    for (int half = n / 2; half >= 1; half /= 2) {
      std::vector<int> low, high;
      for (int lane = 0; lane < n; ++lane) {
        const bool upper = (lane & half) != 0;
        low.push_back(upper ? n + lane - half : lane);
        high.push_back(upper ? n + lane : lane + half);
      }
      const auto step = static_cast<size_t>(half);
      for (size_t r = 0; r < rows.size(); ++r) {
        if ((r & step) != 0) continue;
        const IrValue a = rows[r], b = rows[r + step];
        rows[r] = ir_.Shuffle(a, b, low);
        rows[r + step] = ir_.Shuffle(a, b, high);
      }
    }
  }

  Ir& ir_;
  ElementOps ops_;
  const KernelPlan& plan_;
  ElementEmitter::Buffers buffers_;
  std::vector<IrValue> results_;
  absl::Status status_;
};

}  // namespace

absl::Status EmitComparator(Ir& ir, const HloComputation& comparator, const char* name) {
  const IrType parameters[] = {ir.Pointer(), ir.Pointer()};
  ir.StartFunction(name, parameters, ir.I8());
  ElementOps ops(ir);
  const ElementEmitter::Buffers buffers;
  ElementEmitter emitter(ops, buffers, 1);
  std::vector<Element> arguments;
  for (const HloInstruction* parameter : comparator.parameter_instructions()) {
    ElementAddress address;
    address.pointer = ir.Load(
        ir.Pointer(), ir.Offset(ir.Parameter(1), ir.Index(8 * parameter->parameter_number())), 8);
    address.bytes = ir.Index(0);
    arguments.push_back(ops.Load(parameter->shape().element_type(), address, 1));
  }
  const std::vector<Element> results = emitter.Apply(comparator, std::move(arguments));
  ir.Return(ir.ZExt(results[0].re, ir.I8()));
  return emitter.status();
}

absl::Status EmitKernel(Ir& ir, const KernelPlan& plan, const char* name) {
  return KernelEmitter(ir, plan).Emit(name);
}

}  // namespace xla::cpu

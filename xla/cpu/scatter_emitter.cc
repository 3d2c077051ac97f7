// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/scatter_emitter.h"

#include <algorithm>
#include <vector>

namespace xla::cpu {

void EmitScatter(const KernelPlan& plan, ElementOps& ops, ElementEmitter& vectors,
                 ElementEmitter& scalars, absl::Span<const IrValue> results, IrValue begin,
                 IrValue end) {
  Ir& ir = ops.ir();
  const KernelRegion& region = plan.regions[0];
  const HloInstruction* root = plan.fusion->to_apply()->root_instruction();
  const auto& s = root->attributes<ScatterAttributes>();
  const auto inputs = static_cast<int64_t>(results.size());
  const HloInstruction* indices = root->operand(inputs);
  const Shape& shape = root->operand(0)->shape();
  const Shape& updates = root->operand(inputs + 1)->shape();
  const auto rank = static_cast<size_t>(shape.rank());
  const auto contains = [](const std::vector<int64_t>& list, size_t value) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(value)) != list.end();
  };
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

  // The dimension of the indices, and of the updates, that lists the batches: one for each group of
  // units.
  const auto update_dim = [&](int64_t dim) {
    return scatter_dims[static_cast<size_t>(dim - (dim > s.index_vector_dim ? 1 : 0))];
  };
  const bool has_batches = !s.input_batching_dims.empty();
  const size_t batch_dim = has_batches ? update_dim(s.scatter_indices_batching_dims[0]) : 0;

  ir.Loop(begin, end, 1, [&](IrValue unit) {
    IrValue batch = nullptr;
    if (has_batches) {
      const IrValue segments = ir.Index(region.segments);
      batch = ir.SDiv(unit, segments);
      unit = ir.Sub(unit, ir.Mul(batch, segments));
    }
    const IrValue first = ir.Mul(unit, ir.Index(region.segment_length));
    IrValue last = ir.Add(first, ir.Index(region.segment_length));
    if (!region.dimensions.empty()) {
      last = ir.Binary("llvm.smin", last, ir.Index(region.dimensions.back()));
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
            emitter.AddressOf({results[static_cast<size_t>(i)], false}, operand_shape, place));
        arguments.push_back(
            ops.Load(operand_shape.element_type(), addresses.back(), emitter.lanes()));
      }
      for (int64_t i = 0; i < inputs; ++i) {
        arguments.push_back(
            ops.Splat(emitter.Emit(root->operand(inputs + 1 + i), update_index), emitter.lanes()));
      }
      const std::vector<Element> combined = emitter.Apply(*root->to_apply(), std::move(arguments));
      for (size_t i = 0; i < combined.size(); ++i) {
        ops.Store(root->operand(static_cast<int64_t>(i))->shape().element_type(),
                  ops.Splat(combined[i], emitter.lanes()), addresses[i].pointer,
                  addresses[i].bytes);
      }
    };
    // Of the dimensions of a window from `w` on.
    const auto steps_within = [&](size_t w) {
      double steps = 1;
      for (; w < window_dims.size(); ++w) {
        const bool is_inner = w + 1 == window_dims.size() && !region.dimensions.empty();
        steps *=
            static_cast<double>(is_inner ? (region.segment_length + region.lanes - 1) / region.lanes
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
        ir.PolledLoop(ir.Index(0), ir.Index(size), 1, PollInterval(size, steps_within(w + 1)),
                      [&](IrValue i) {
                        update_index[d] = {i, 0, 1};
                        self(self, w + 1);
                      });
        return;
      }
      const int64_t in_vectors = region.lanes > 1 ? size / region.lanes * region.lanes : 0;
      if (in_vectors > 0) {
        ir.Loop(first, ir.Binary("llvm.smin", last, ir.Index(in_vectors)), region.lanes,
                [&](IrValue i) {
                  ElementEmitter::Scope scope(&vectors);
                  update_index[d] = {i, 1, region.lanes};
                  combine(vectors);
                });
      }
      if (in_vectors == size) return;
      ir.Loop(ir.Binary("llvm.smax", first, ir.Index(in_vectors)), last, 1, [&](IrValue i) {
        ElementEmitter::Scope scope(&scalars);
        update_index[d] = {i, 0, 1};
        combine(scalars);
      });
    };
    const auto scatter = [&](const auto& self, size_t k) -> void {
      if (k < scatter_dims.size()) {
        const size_t d = scatter_dims[k];
        if (has_batches && d == batch_dim) {
          update_index[d] = {batch, 0, 1};
          self(self, k + 1);
          return;
        }
        const int64_t size = updates.dimensions(static_cast<int>(d));
        double steps = steps_within(0);
        for (size_t inner = k + 1; inner < scatter_dims.size(); ++inner)
          steps *= static_cast<double>(updates.dimensions(static_cast<int>(scatter_dims[inner])));
        ir.PolledLoop(ir.Index(0), ir.Index(size), 1, PollInterval(size, steps), [&](IrValue i) {
          update_index[d] = {i, 0, 1};
          self(self, k + 1);
        });
        return;
      }
      ElementEmitter::Scope scope(&scalars);
      // The index of the update among the indices, whose vector dimension it lacks.
      const auto batch_term = [&](int64_t dim) { return update_index[update_dim(dim)]; };
      for (size_t i = 0; i < s.scatter_dims_to_operand_dims.size(); ++i) {
        IndexVector position;
        for (int64_t dim = 0; dim < indices->shape().rank(); ++dim) {
          position.push_back(dim == s.index_vector_dim ? math.Constant(static_cast<int64_t>(i))
                                                       : batch_term(dim));
        }
        const Element start =
            ops.Convert(indices->shape().element_type(), S64, scalars.Emit(indices, position));
        origin[static_cast<size_t>(s.scatter_dims_to_operand_dims[i])] = {start.re, 0, 1};
      }
      for (size_t i = 0; i < s.input_batching_dims.size(); ++i) {
        origin[static_cast<size_t>(s.input_batching_dims[i])] =
            batch_term(s.scatter_indices_batching_dims[i]);
      }
      // Windows that are not inside as a whole are left out.
      IrValue inside = ir.Const(ir.I1(), int64_t{1});
      for (size_t d = 0; d < rank; ++d) {
        const int64_t limit = shape.dimensions(static_cast<int>(d)) - window_sizes[d];
        if (limit < 0) return;
        inside = ir.And(inside, math.InRange(origin[d], 0, limit + 1));
      }
      ir.If(inside, [&] { window(window, 0); });
    };
    scatter(scatter, 0);
  });
}

}  // namespace xla::cpu

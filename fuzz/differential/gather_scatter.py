# SPDX-License-Identifier: Apache-2.0
"""Gather and scatter with all their dimension numbers."""
import numpy as np

import values
from combiner import combiner, one_float_type, pick_reduction
from program import braces

_INDEX_TYPES = ["s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"]


class _Numbers:
  """Dimension numbers that gather and scatter share: how indices and slices lie in the operand."""

  def __init__(self, p):
    self.dims = p.sizes(p.number(1, 4), 1, 4)
    rank = len(self.dims)
    order = p.subset(range(rank), rank)
    batching = p.number(0, min(2, rank - 1)) if p.chance(40) else 0
    self.operand_batch = sorted(order[:batching])
    rest = order[batching:]
    self.index_map = rest[:p.number(1, len(rest))] if rest else []
    self.slices = [min(1, size) if d in self.operand_batch else p.number(min(1, size), size) for d, size in enumerate(self.dims)]
    self.collapsed = sorted(d for d in range(rank) if d not in self.operand_batch and self.slices[d] == 1 and p.chance(50))
    # Batch dimensions of the indices: those of the operand's batching dimensions, and free ones.
    batch_sizes = [("b", i) for i in range(batching)] + [("f", p.number(1, 3)) for _ in range(p.number(0, 2))]
    batch_sizes = [batch_sizes[i] for i in p.rng.permutation(len(batch_sizes))]
    self.batch_dims = [self.dims[self.operand_batch[v]] if kind == "b" else v for kind, v in batch_sizes]
    self.index_vector_dim = p.number(0, len(self.batch_dims))
    self.index_dims = list(self.batch_dims)
    vector = len(self.index_map)
    if vector == 1 and p.chance(40):
      self.index_vector_dim = len(self.batch_dims)  # implied
    else:
      self.index_dims.insert(self.index_vector_dim, vector)
    position = {}
    for at, (kind, v) in enumerate(batch_sizes):
      if kind == "b":
        implied = len(self.index_dims) == len(self.batch_dims)
        position[v] = at if implied or at < self.index_vector_dim else at + 1
    self.indices_batch = [position[i] for i in range(batching)]
    self.window = [self.slices[d] for d in range(rank) if d not in self.collapsed and d not in self.operand_batch]
    # Where the window dimensions stand in the result (gather) or the updates (scatter).
    total = len(self.window) + len(self.batch_dims)
    self.offset = sorted(p.subset(range(total), len(self.window)))
    self.result, window, batch = [], iter(self.window), iter(self.batch_dims)
    for d in range(total):
      self.result.append(next(window) if d in self.offset else next(batch))

  def indices(self, p):
    type_ = p.pick(_INDEX_TYPES)
    return p.input(type_, self.index_dims, p.pick(["edge", "small", "small", "small"]))


def gather(p):
  n = _Numbers(p)
  type_ = p.pick(values.ALL)
  attributes = (f"offset_dims={braces(n.offset)}, collapsed_slice_dims={braces(n.collapsed)}, "
                f"start_index_map={braces(n.index_map)}, index_vector_dim={n.index_vector_dim}, "
                f"slice_sizes={braces(n.slices)}")
  if n.operand_batch or p.chance(5):
    attributes += f", operand_batching_dims={braces(n.operand_batch)}, start_indices_batching_dims={braces(n.indices_batch)}"
  if p.chance(30):
    attributes += ", indices_are_sorted=false"
  return p.op("gather", type_, n.result, [p.input(type_, n.dims), n.indices(p)], attributes)


def scatter(p):
  n = _Numbers(p)
  count = 1 if p.chance(75) else 2
  reductions = one_float_type([pick_reduction(p, assign=True) for _ in range(count)])
  count = len(reductions)
  types = [r.type for r in reductions]
  attributes = (f"update_window_dims={braces(n.offset)}, inserted_window_dims={braces(n.collapsed)}, "
                f"scatter_dims_to_operand_dims={braces(n.index_map)}, index_vector_dim={n.index_vector_dim}")
  if n.operand_batch or p.chance(5):
    attributes += f", input_batching_dims={braces(n.operand_batch)}, scatter_indices_batching_dims={braces(n.indices_batch)}"
  if p.chance(30):
    attributes += ", indices_are_sorted=false"
  if p.chance(30):
    attributes += ", unique_indices=false"
  attributes += f", to_apply={combiner(p, reductions)}"
  operands = [r.input(p, n.dims) for r in reductions]
  updates = [r.input(p, n.result) for r in reductions]
  operands = operands + [n.indices(p)] + updates
  if count == 1:
    return p.op("scatter", types[0], n.dims, operands, attributes, rule=reductions[0].rule)
  return p.tuple_op("scatter", [(t, n.dims) for t in types], operands, attributes, [r.rule for r in reductions])

# SPDX-License-Identifier: Apache-2.0
"""lu_pivots_to_permutation by selections instead of gathers, which keep batches on their shards."""

import numpy as np

from jax import lax
from jax._src import core
from jax._src.interpreters import mlir
from jax._src.lax import linalg

from jax_xylem.names import PLATFORM


def _permutation_of_pivots(swaps, *, permutation_size):
  """As JAX's rule."""
  shape = swaps.shape[:-1] + (permutation_size,)
  if not core.is_constant_shape(swaps.shape + shape) or 0 in swaps.shape + shape:
    return linalg._generic_lu_pivots_to_permutation(swaps, permutation_size)
  last = len(shape) - 1
  spread = lambda column: lax.broadcast_in_dim(column, shape, range(last + 1))
  first = lax.slice_in_dim(swaps, 0, 1, axis=last)
  zero = spread(lax.sub(first, first))  # it varies between devices as the swaps do
  rows = lax.add(zero, lax.broadcasted_iota(np.int32, shape, last))

  def swap(i, permutation):
    row = lax.dynamic_slice_in_dim(swaps, i, 1, last)
    # As an index of an array: negative numbers count from the end. Beyond the array, the nearest
    # value is read and nothing is written.
    row = lax.select(lax.lt(row, np.int32(0)), lax.add(row, np.int32(permutation_size)), row)
    here = lax.dynamic_slice_in_dim(permutation, i, 1, last)
    nearest = lax.clamp(np.int32(0), row, np.int32(permutation_size - 1))
    there = lax.select(lax.eq(rows, spread(nearest)), permutation, zero)
    there = lax.broadcast_in_dim(lax.reduce_sum(there, (last,)), shape, range(last))
    permutation = lax.select(lax.eq(rows, lax.full(shape, i, np.int32)), there, permutation)
    return lax.select(lax.eq(rows, spread(row)), spread(here), permutation)

  return lax.fori_loop(np.int32(0), np.int32(swaps.shape[-1]), swap, rows)


def register():
  mlir.register_lowering(
      linalg.lu_pivots_to_permutation_p,
      mlir.lower_fun(_permutation_of_pivots, multiple_results=False), platform=PLATFORM)

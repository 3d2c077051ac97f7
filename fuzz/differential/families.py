# SPDX-License-Identifier: Apache-2.0
"""All families of operations, with how often each is drawn."""
import contraction
import control
import effects
import elementwise
import gather_scatter
import linear_algebra
import reduce
import reshape
import sort

# name: (weight, function that adds one operation to a program)
FAMILIES = {
    "unary": (7, elementwise.unary),
    "binary": (7, elementwise.binary),
    "compare": (3, elementwise.compare),
    "select_clamp": (2, elementwise.select_clamp),
    "convert": (6, elementwise.convert),
    "bitcast_convert": (2, elementwise.bitcast_convert),
    "reduce_precision": (2, elementwise.reduce_precision),
    "complex_parts": (2, elementwise.complex_parts),
    "data_movement": (14, reshape.any_of),
    "gather": (4, gather_scatter.gather),
    "scatter": (4, gather_scatter.scatter),
    "reduce": (5, reduce.reduce),
    "arg_max": (1, reduce.arg_max),
    "reduce_window": (5, reduce.reduce_window),
    "select_and_scatter": (2, reduce.select_and_scatter),
    "map": (1, reduce.map_),
    "scan": (1, reduce.scan),
    "dot": (5, contraction.dot),
    "dot_reals": (1, contraction.dot_reals),
    "convolution": (5, contraction.convolution),
    "ragged_dot": (0, contraction.ragged_dot),  # XLA:CPU has none
    "sort": (3, sort.sort),
    "topk": (1, sort.topk),
    "cholesky": (1, linear_algebra.cholesky),
    "triangular_solve": (1, linear_algebra.triangular_solve),
    "fft": (1, linear_algebra.fft),
    "batch_norm": (2, linear_algebra.batch_norm),
    "call_fusion": (2, control.call_or_fusion),
    "while": (2, control.while_),
    "conditional": (2, control.conditional),
    "barrier": (1, control.barrier),
    "random_bits": (2, control.random_bits),
    "dynamic": (2, control.dynamic),
    "effects": (3, effects.any_of),
}


def fill(p, only=None, count=None):
  """Adds a few operations, or so many."""
  names = [only] if only else list(FAMILIES)
  weights = [FAMILIES[n][0] for n in names]
  total = sum(weights)
  for _ in range(p.number(1, 4) if count is None else count):
    draw = p.number(0, total - 1)
    for name, weight in zip(names, weights):
      if draw < weight:
        FAMILIES[name][1](p)
        break
      draw -= weight

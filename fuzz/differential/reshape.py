# SPDX-License-Identifier: Apache-2.0
"""Movement of data: broadcast, reshape, transpose, slice, pad and the like, of every type."""
import numpy as np

import values
from program import braces


def any_of(p):
  return p.pick([broadcast, reshape, transpose, reverse, slice_, pad, concatenate, iota, dynamic_slice,
                 dynamic_update_slice, dynamic_slice, dynamic_update_slice])(p)


def _operand(p, least=0, most=4, high=4):
  type_ = p.pick(values.ALL)
  dims = p.sizes(p.number(least, most), 1, high)
  return type_, dims, p.input(type_, dims)


def broadcast(p):
  type_, dims, operand = _operand(p, 0, 3)
  extra = p.number(0, 2)
  rank = len(dims) + extra
  where = sorted(p.subset(range(rank), len(dims)))
  result = p.sizes(rank, 1, 3)
  for i, d in enumerate(where):
    result[d] = dims[i]
  if p.chance(20):  # dimensions in any order
    order = p.subset(range(len(dims)), len(dims))
    where = [where[i] for i in order]
    for i, d in enumerate(where):
      result[d] = dims[i]
  return p.op("broadcast", type_, result, [operand], f"dimensions={braces(where)}", layout=p.layout(rank))


def reshape(p):
  type_, dims, operand = _operand(p, 0, 4)
  left = int(np.prod(dims, dtype=np.int64))
  result = []
  while left > 1 and len(result) < 5:
    factors = [f for f in range(2, left + 1) if left % f == 0]
    result.append(p.pick(factors) if len(result) < 4 else left)
    left //= result[-1]
  if left == 0:
    result = p.subset([0, 1, 2])
    if 0 not in result:
      result.append(0)
  while p.chance(25):
    result.insert(p.number(0, len(result)), 1)
  return p.op("reshape", type_, result, [operand])


def transpose(p):
  type_, dims, operand = _operand(p, 0, 5, 3)
  order = [int(i) for i in p.rng.permutation(len(dims))]
  return p.op("transpose", type_, [dims[i] for i in order], [operand], f"dimensions={braces(order)}",
              layout=p.layout(len(dims)))


def reverse(p):
  type_, dims, operand = _operand(p)
  return p.op("reverse", type_, dims, [operand], f"dimensions={braces(p.subset(range(len(dims))))}")


def slice_(p):
  type_, dims, operand = _operand(p, 0, 4, 5)
  parts, result = [], []
  for size in dims:
    start = p.number(0, size)
    limit = p.number(start, size)
    stride = p.pick([1, 1, 2, 3, 5])
    parts.append(f"[{start}:{limit}]" if stride == 1 and p.chance(80) else f"[{start}:{limit}:{stride}]")
    result.append(-(-(limit - start) // stride))
  return p.op("slice", type_, result, [operand], "slice={" + ", ".join(parts) + "}")


def pad(p):
  type_, dims, operand = _operand(p, 1, 4)
  while True:
    config = [(p.number(-2, 3), p.number(-2, 3), p.pick([0, 0, 1, 2])) for _ in dims]
    result = [low + high + size + max(size - 1, 0) * interior for size, (low, high, interior) in zip(dims, config)]
    if min(result) >= 0:
      break
  text = "x".join(f"{low}_{high}" + (f"_{interior}" if interior or p.chance(20) else "") for low, high, interior in config)
  return p.op("pad", type_, result, [operand, p.input(type_, [])], f"padding={text}")


def concatenate(p):
  type_ = p.pick([t for t in values.ALL if p.mode == "evaluator" or t not in ("s2", "u2")])  # XLA's compiler aborts
  dims = p.sizes(p.number(1, 4), 1, 3)
  along = p.number(0, len(dims) - 1)
  operands, total = [], 0
  for _ in range(p.number(1, 4)):
    mine = list(dims)
    mine[along] = p.number(0 if p.chance(10) else 1, 3)
    total += mine[along]
    operands.append(p.input(type_, mine))
  dims[along] = total
  return p.op("concatenate", type_, dims, operands, f"dimensions={{{along}}}")


def iota(p):
  type_ = p.pick([t for t in values.ALL if t != "pred"])
  dims = p.sizes(p.number(1, 4), 1, 5)
  return p.op("iota", type_, dims, [], f"iota_dimension={p.number(0, len(dims) - 1)}", layout=p.layout(len(dims)))


def _starts(p, dims):
  type_ = p.pick(["s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"])
  kind = p.pick(["edge", "small", "small"])
  return [p.input(type_, [], kind) for _ in dims]


def dynamic_slice(p):
  type_, dims, operand = _operand(p, 1)
  result = [p.number(0 if p.chance(5) else min(size, 1), size) for size in dims]
  return p.op("dynamic-slice", type_, result, [operand] + _starts(p, dims), f"dynamic_slice_sizes={braces(result)}")


def dynamic_update_slice(p):
  type_, dims, operand = _operand(p, 1)
  sizes = [p.number(min(size, 1), size) for size in dims]
  return p.op("dynamic-update-slice", type_, dims, [operand, p.input(type_, sizes)] + _starts(p, dims))

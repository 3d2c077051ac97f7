# SPDX-License-Identifier: Apache-2.0
"""Reduce, reduce-window, select-and-scatter, map, scan."""
import numpy as np

import values
from combiner import Reduction, combiner, one_float_type, pick_reduction
from compare import EXACT, SIGNLESS
from program import braces


def reduce(p):
  count = 1 if p.chance(70) else p.number(2, 3)
  reductions = one_float_type([pick_reduction(p) for _ in range(count)])
  count = len(reductions)
  dims = p.sizes(p.number(1, 4), 1, 4)
  which = p.subset(range(len(dims)), p.number(1, len(dims)))
  result = [s for d, s in enumerate(dims) if d not in which]
  operands = [r.input(p, dims) for r in reductions] + [r.init(p) for r in reductions]
  attributes = f"dimensions={braces(which)}, to_apply={combiner(p, reductions)}"
  if count == 1:
    return p.op("reduce", reductions[0].type, result, operands, attributes, rule=reductions[0].rule)
  return p.tuple_op("reduce", [(r.type, result) for r in reductions], operands, attributes, [r.rule for r in reductions])


def arg_max(p):
  """A variadic reduce as frameworks write it: the largest and its first position."""
  type_ = p.pick(["f32", "f64", "s32", "u8", "bf16", "f16"])
  dims = p.sizes(p.number(1, 3), 1, 5)
  along = p.number(0, len(dims) - 1)
  result = [s for d, s in enumerate(dims) if d != along]
  index = p.op("iota", "s32", dims, [], f"iota_dimension={along}", keep=False)
  r = Reduction("maximum", type_)
  body = p.computation(f"""{{
  av = {type_}[] parameter(0)
  ai = s32[] parameter(1)
  bv = {type_}[] parameter(2)
  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT
  eq = pred[] compare(av, bv), direction=EQ
  lo = pred[] compare(ai, bi), direction=LT
  tie = pred[] and(eq, lo)
  first = pred[] or(gt, tie)
  v = {type_}[] select(first, av, bv)
  i = s32[] select(first, ai, bi)
  ROOT t = ({type_}[], s32[]) tuple(v, i)
}}""")
  operands = [p.input(type_, dims, "small"), index, r.init(p), p.constant("s32", 2**31 - 1)]
  return p.tuple_op("reduce", [(type_, result), ("s32", result)], operands,
                    f"dimensions={{{along}}}, to_apply={body}", [SIGNLESS, EXACT])


class Window:
  """A window over dims: sizes, strides, paddings, dilations, reversal; and the sizes of the result."""

  def __init__(self, p, dims, plain=False, reversal=False):
    self.rank = len(dims)
    while True:
      draw = lambda usual, high: [p.number(1, high) if p.chance(usual) else 1 for _ in dims]
      self.size = [p.number(1, 3) for _ in dims]
      self.stride = draw(40, 3)
      self.low = [p.number(-1 if not plain else 0, 2) if p.chance(40) else 0 for _ in dims]
      self.high = [p.number(-1 if not plain else 0, 2) if p.chance(40) else 0 for _ in dims]
      self.base = [1] * self.rank if plain else draw(20, 2)
      self.dilation = [1] * self.rank if plain else draw(20, 2)
      self.reversal = [int(reversal and p.chance(25)) for _ in dims]
      if plain:
        self.low = [min(l, s - 1) for l, s in zip(self.low, self.size)]
        self.high = [min(h, s - 1) for h, s in zip(self.high, self.size)]
      padded = [(d - 1) * b + 1 + l + h if d else l + h
                for d, b, l, h in zip(dims, self.base, self.low, self.high)]
      reach = [(s - 1) * w + 1 for s, w in zip(self.size, self.dilation)]
      if min(padded, default=0) < 0:
        continue
      self.result = [(n - r) // s + 1 if n >= r else 0 for n, r, s in zip(padded, reach, self.stride)]
      if all(self.result) or p.chance(5):
        break

  def text(self):
    parts = []
    join = lambda numbers: "x".join(map(str, numbers))
    if self.rank:
      parts.append("size=" + join(self.size))
    if any(s != 1 for s in self.stride):
      parts.append("stride=" + join(self.stride))
    if any(self.low) or any(self.high):
      parts.append("pad=" + join(f"{l}_{h}" for l, h in zip(self.low, self.high)))
    if any(b != 1 for b in self.base):
      parts.append("lhs_dilate=" + join(self.base))
    if any(d != 1 for d in self.dilation):
      parts.append("rhs_dilate=" + join(self.dilation))
    if any(self.reversal):
      parts.append("rhs_reversal=" + join(self.reversal))
    return "window={" + " ".join(parts) + "}"


def reduce_window(p):
  count = 1 if p.chance(80) else 2
  reductions = one_float_type([pick_reduction(p) for _ in range(count)])
  count = len(reductions)
  dims = [p.number(1, 5) for _ in range(p.number(1, 4))]
  window = Window(p, dims)
  operands = [r.input(p, dims) for r in reductions] + [r.init(p) for r in reductions]
  attributes = f"{window.text()}, to_apply={combiner(p, reductions)}"
  p.cover("reduce-window", reductions[0].type, *("window." + part.split("=")[0] for part in window.text()[8:-1].split()))
  if count == 1:
    return p.op("reduce-window", reductions[0].type, window.result, operands, attributes, rule=reductions[0].rule)
  return p.tuple_op("reduce-window", [(r.type, window.result) for r in reductions], operands, attributes,
                    [r.rule for r in reductions])


def select_and_scatter(p):
  type_ = p.pick(["f32", "f64", "s32", "u8", "s16", "f16", "bf16", "s64"])
  dims = [p.number(1, 5) for _ in range(p.number(1, 3))]
  window = Window(p, dims, plain=True)
  select = p.computation(f"""{{
  a = {type_}[] parameter(0)
  b = {type_}[] parameter(1)
  ROOT s = pred[] compare(a, b), direction={p.pick(["GE", "LE"])}
}}""")
  r = Reduction("add", type_)
  operand = p.put(type_, values.random_array(p.rng, type_, dims, p.pick(["small", "finite"])))
  operands = [operand, r.input(p, window.result), r.init(p)]
  return p.op("select-and-scatter", type_, dims, operands,
              f"{window.text()}, select={select}, scatter={combiner(p, [r])}", rule=r.rule)


def map_(p):
  dims = p.sizes(p.number(0, 3), 1, 4)
  type_ = p.pick(values.INTEGERS + values.WIDE + values.F8)
  opcode = p.pick(["add", "multiply", "subtract", "maximum"])
  body = p.computation(f"""{{
  a = {type_}[] parameter(0)
  b = {type_}[] parameter(1)
  s = {type_}[] {opcode}(a, b)
  c = pred[] compare(s, a), direction=GE
  ROOT r = {type_}[] select(c, s, b)
}}""")
  return p.op("map", type_, dims, [p.input(type_, dims), p.input(type_, dims)],
              f"dimensions={braces(range(len(dims)))}, to_apply={body}")


def scan(p):
  type_ = p.pick(values.INTEGERS + ["f32", "f64", "f16", "bf16"])
  dims = [p.number(1, 4) for _ in range(p.number(1, 3))]  # XLA's expansion slices what an empty one has not
  along = p.number(0, len(dims) - 1)
  carry = [s for d, s in enumerate(dims) if d != along]
  r = Reduction(p.pick(["add", "maximum", "minimum"]), type_)
  shape = values.shape_text(type_, carry)
  body = p.computation(f"""{{
  a = {shape} parameter(0)
  b = {shape} parameter(1)
  s = {shape} {r.opcode}(a, b)
  ROOT t = ({shape}, {shape}) tuple(s, s)
}}""")
  init = p.put(type_, np.full(carry, r.identity() if r.opcode != "add" else 1))
  return p.tuple_op("scan", [(type_, dims), (type_, carry)], [r.input(p, dims), init],
                    f"dimensions={{{along}}}, is_reverse={p.pick(['true', 'false'])}, num_carries=1, to_apply={body}",
                    [r.rule, r.rule])

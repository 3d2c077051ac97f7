# SPDX-License-Identifier: Apache-2.0
"""Computations that reduce, scatter and windows apply, and values that make their results the same in any order."""
import numpy as np

import values
from compare import EXACT, SIGNLESS

_NARROW = values.TINY + ["f16", "bf16"]


class Reduction:
  """opcode over a type; its identity; inputs whose result does not depend on the order of the steps."""

  def __init__(self, opcode, type_):
    self.opcode, self.type = opcode, type_
    # Zeros of either sign may come first in a maximum, and -0 + 0 depends on where a sum starts.
    self.rule = SIGNLESS if values.is_float(type_) or type_ in values.COMPLEX else EXACT

  def identity(self):
    if self.type == "pred":
      return self.opcode in ("and", "minimum", "multiply")
    if self.opcode == "multiply":
      return 1
    if self.opcode in ("add", "or", "xor"):
      return 0
    if values.is_integer(self.type):
      import ml_dtypes
      info = ml_dtypes.iinfo(values.TYPES[self.type])
      if self.opcode == "and":
        return -1 if self.type[0] == "s" else int(info.max)
      return int(info.min if self.opcode == "maximum" else info.max)
    lowest = -np.inf if not _finite_only(self.type) else -values.table(self.type)[-1]
    return lowest if self.opcode == "maximum" else -lowest

  def input(self, p, dims):
    if self.opcode == "multiply" and (values.is_float(self.type) or self.type in values.COMPLEX):
      return p.put(self.type, p.rng.choice([1.0, 1.0, 1.0, -1.0, 2.0, 0.5], size=dims))
    if self.opcode == "add" and (values.is_float(self.type) or self.type in values.COMPLEX):
      array = values.random_array(p.rng, self.type, dims, "small")
      if self.type in _NARROW:  # few bits: sums of ones and zeros alone stay exact
        array = p.rng.choice([0.0, 0.0, 0.0, 1.0, -1.0] if self.type in values.TINY else [0.0, 1.0, -1.0, 2.0],
                             size=dims).astype(array.dtype)
      elif p.chance(15) and array.size:
        array.reshape(-1)[p.number(0, array.size - 1)] = p.pick([np.inf, -np.inf, np.nan])
      return p.put(self.type, array)
    return p.input(self.type, dims)

  def init(self, p):
    return p.constant(self.type, np.asarray(self.identity()).astype(values.TYPES[self.type]))

  def step(self, left, right, name):
    return f"{name} = {self.type}[] {self.opcode}({left}, {right})"


def _finite_only(type_):
  with np.errstate(all="ignore"):
    return type_ in values.TINY and not np.isinf(np.array(np.inf).astype(values.TYPES[type_]).astype(np.float64))


class Assign(Reduction):
  """The last update stays. Only where updates that meet are alike; callers see to that."""

  def __init__(self, type_):
    super().__init__("assign", type_)
    self.rule = EXACT

  def step(self, left, right, name):
    return f"{name} = {self.type}[] copy({right})"

  def input(self, p, dims):
    return p.input(self.type, dims)


def pick_reduction(p, assign=False):
  opcode = p.pick(["add", "add", "maximum", "minimum", "multiply", "and", "or", "xor"])
  if opcode in ("and", "or", "xor"):
    type_ = p.pick(["pred"] + values.INTEGERS)
  elif opcode in ("maximum", "minimum"):
    type_ = p.pick(["pred"] + values.INTEGERS + values.F8 + values.WIDE)
  else:
    type_ = p.pick(values.INTEGERS + values.F8 + values.WIDE + values.COMPLEX)
  if assign and p.chance(30):
    return Assign(p.pick(values.ALL))
  return Reduction(opcode, type_)


def one_float_type(reductions):
  """XLA's compiler takes one float type an instruction."""
  first = next((r.type for r in reductions if r.type in values.FLOATS), None)
  return [r for r in reductions if r.type not in values.FLOATS or r.type == first]


def combiner(p, reductions):
  """The computation for one or several arrays at once; its name."""
  count = len(reductions)
  lines = []
  for side, letter in enumerate("ab"):
    lines += [f"  {letter}{i} = {r.type}[] parameter({side * count + i})" for i, r in enumerate(reductions)]
  steps = [r.step(f"a{i}", f"b{i}", f"r{i}") for i, r in enumerate(reductions)]
  if count == 1:
    steps[0] = "ROOT " + steps[0]
  lines += ["  " + s for s in steps]
  if count > 1:
    shapes = ", ".join(f"{r.type}[]" for r in reductions)
    names = [f"r{i}" for i in range(count)]
    lines.append(f"  ROOT t = ({shapes}) tuple({', '.join(names)})")
  for r in reductions:
    p.cover("copy" if r.opcode == "assign" else r.opcode, r.type)
  return p.computation("{\n" + "\n".join(lines) + "\n}")

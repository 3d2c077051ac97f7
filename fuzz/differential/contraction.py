# SPDX-License-Identifier: Apache-2.0
"""Dot, convolution, ragged-dot: small whole numbers, whose products and sums are exact in any order."""
import numpy as np

import values
from compare import SIGNLESS, within
from program import braces
from reduce import Window

_TYPES = values.INTEGERS + values.F8 + values.WIDE + values.COMPLEX + ["pred"]
_MIXED = ["f8e4m3fn", "f8e5m2"]


def _factor(p, type_, dims):
  if type_ == "pred":
    return p.input(type_, dims)
  if type_ in values.TINY or type_ == "bf16":
    return p.put(type_, p.rng.choice([0.0, 1.0, -1.0, 0.5, 2.0], size=dims))
  return p.put(type_, values.random_array(p.rng, type_, dims, "small"))


def _result_type(p, left, right):
  """What an operation on the two gives, where `preferred_element_type` leaves the choice."""
  if left != right:
    return p.pick(["f32", "f16", "bf16"])
  if left in values.COMPLEX or right in values.COMPLEX:
    return left
  if left in values.TINY and p.chance(80):
    return p.pick(["f32", "f16", "bf16"])
  if values.is_float(left):
    wider = {"f16": ["f16", "f32"], "bf16": ["bf16", "f32"], "f32": ["f32", "f64"]}
    return p.pick(wider.get(left, [left]))
  if values.is_integer(left) and 8 <= values.bits(left) <= 16 and p.chance(60):
    return "s32" if left[0] == "s" else "u32"
  return left


def dot(p):
  type_ = p.pick([t for t in _TYPES if t != "pred"])
  # Of the f8 types XLA multiplies these two with each other.
  other = p.pick(_MIXED) if type_ in _MIXED else type_
  batch = [p.number(1, 3) for _ in range(p.number(0, 2))]
  contracting = [p.number(0 if p.chance(5) else 1, 4) for _ in range(p.number(0, 2))]
  sides = []
  for _ in range(2):
    free = [p.number(1, 3) for _ in range(p.number(0, 2))]
    parts = [("b", i) for i in range(len(batch))] + [("c", i) for i in range(len(contracting))]
    parts += [("f", i) for i in range(len(free))]
    parts = [parts[i] for i in p.rng.permutation(len(parts))]
    sizes = {"b": batch, "c": contracting, "f": free}
    dims = [sizes[kind][i] for kind, i in parts]
    where = {part: d for d, part in enumerate(parts)}
    sides.append((dims, [where["b", i] for i in range(len(batch))], [where["c", i] for i in range(len(contracting))],
                  [dims[d] for d, (kind, _) in enumerate(parts) if kind == "f"]))
  (lhs, lb, lc, lf), (rhs, rb, rc, rf) = sides
  attributes = []
  if batch:
    attributes += [f"lhs_batch_dims={braces(lb)}", f"rhs_batch_dims={braces(rb)}"]
  attributes += [f"lhs_contracting_dims={braces(lc)}", f"rhs_contracting_dims={braces(rc)}"]
  if p.chance(20):
    attributes.append("operand_precision={" + p.pick(["default,default", "highest,highest", "high,default"]) + "}")
  return p.op("dot", _result_type(p, type_, other), batch + lf + rf, [_factor(p, type_, lhs), _factor(p, other, rhs)],
              ", ".join(attributes), rule=SIGNLESS)


def dot_reals(p):
  """Real numbers, compared within the rounding of the sum."""
  type_ = p.pick(["f32", "f64"])
  m, k, n = p.number(1, 4), p.number(1, 16), p.number(1, 4)
  left, right = p.input(type_, [m, k], "unit"), p.input(type_, [k, n], "unit")
  return p.op("dot", type_, [m, n], [left, right], "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              rule=within(k * k * values.epsilon(type_)))


def convolution(p):
  type_ = p.pick([t for t in _TYPES if t != "pred" and t not in ("s2", "u2")])
  spatial = p.number(0, 3) if p.chance(90) else 4
  groups, batch_groups = 1, 1
  if p.chance(25):
    groups = p.number(2, 3)
  elif p.chance(15):
    batch_groups = p.number(2, 3)
  space = [p.number(1, 4) for _ in range(spatial)]
  window = Window(p, space, reversal=True)
  batch, features = p.number(1, 2) * batch_groups, p.number(1, 2) * groups
  outputs = p.number(1, 2) * groups * batch_groups
  order = lambda: [int(i) for i in p.rng.permutation(spatial + 2)]
  labels = lambda a, b: [a, b] + [str(i) for i in range(spatial)]

  def arrange(first, second, sizes, letters):
    names, dims = labels(*letters), [first, second] + sizes
    o = order() if p.chance(60) else list(range(spatial + 2))
    return "".join(names[i] for i in o), [dims[i] for i in o]

  lhs_text, lhs = arrange(batch, features, space, "bf")
  rhs_text, rhs = arrange(features // groups, outputs, window.size, "io")
  out_text, out = arrange(batch // batch_groups, outputs, window.result, "bf")
  attributes = [window.text()] if spatial else []
  attributes.append(f"dim_labels={lhs_text}_{rhs_text}->{out_text}")
  if groups != 1:
    attributes.append(f"feature_group_count={groups}")
  if batch_groups != 1:
    attributes.append(f"batch_group_count={batch_groups}")
  if p.chance(15):
    attributes.append("operand_precision={" + p.pick(["default,default", "highest,highest"]) + "}")
  p.cover("convolution", type_, *("window." + part.split("=")[0] for part in window.text()[8:-1].split()))
  return p.op("convolution", _result_type(p, type_, type_), out, [_factor(p, type_, lhs), _factor(p, type_, rhs)],
              ", ".join(attributes), rule=SIGNLESS)


def ragged_dot(p):
  type_ = p.pick(["f32", "f64", "s32", "bf16"])
  m, k, n, groups = p.number(1, 6), p.number(1, 4), p.number(1, 4), p.number(1, 3)
  sizes = [0] * groups
  for _ in range(m):
    sizes[p.number(0, groups - 1)] += 1
  return p.op("ragged-dot", type_, [m, n],
              [_factor(p, type_, [m, k]), _factor(p, type_, [groups, k, n]), p.put("s32", sizes)],
              "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
              rule=SIGNLESS)

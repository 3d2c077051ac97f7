# SPDX-License-Identifier: Apache-2.0
"""While, conditional, call, fusion, tuples, barriers; random bits; dynamic dimensions."""
import numpy as np

import values
from compare import EXACT, SIGNLESS
from program import Value, braces

_EXACT_BINARY = ["add", "subtract", "multiply", "maximum", "minimum"]
_TYPES = values.INTEGERS + values.WIDE


def _body(p, shape, parameters=2):
  """A few exact operations on arrays of a shape."""
  names = [f"x{i}" for i in range(parameters)]
  lines = [f"  {n} = {shape} parameter({i})" for i, n in enumerate(names)]
  for i in range(p.number(1, 3)):
    left, right = names[-1], names[0] if i == 0 else p.pick(names)  # every value is used
    opcode = p.pick(_EXACT_BINARY)
    lines.append(f"  y{i} = {shape} {opcode}({left}, {right})")
    names.append(f"y{i}")
  lines[-1] = "  ROOT " + lines[-1].strip()
  return p.computation("{\n" + "\n".join(lines) + "\n}")


def call_or_fusion(p):
  type_, dims = p.pick(_TYPES), p.dims(0, 3, 4)
  body = _body(p, values.shape_text(type_, dims))
  operands = [p.input(type_, dims), p.input(type_, dims)]
  if p.chance(50):
    return p.op("call", type_, dims, operands, f"to_apply={body}")
  return p.op("fusion", type_, dims, operands, f"kind=kLoop, calls={body}")


def while_(p):
  type_, dims = p.pick(_TYPES), p.dims(0, 2, 3)
  shape = values.shape_text(type_, dims)
  trips = p.number(0, 5)
  opcode = p.pick(["add", "subtract", "maximum"])
  body = p.computation(f"""{{
  s = (s32[], {shape}, {shape}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  n = s32[] add(i, one)
  x = {shape} get-tuple-element(s), index=1
  y = {shape} get-tuple-element(s), index=2
  z = {shape} {opcode}(x, y)
  ROOT t = (s32[], {shape}, {shape}) tuple(n, z, x)
}}""")
  condition = p.computation(f"""{{
  s = (s32[], {shape}, {shape}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant({trips})
  ROOT c = pred[] compare(i, n), direction=LT
}}""")
  parts = [p.put("s32", 0), p.input(type_, dims, "small"), p.input(type_, dims, "small")]
  state = p.name()
  p.line(state, f"(s32[], {shape}, {shape})", "tuple", parts)
  result = Value(state, "", [])
  p.origin[state] = ("tuple", parts, "")
  return p.tuple_op("while", [("s32", []), (type_, dims), (type_, dims)], [result],
                    f"condition={condition}, body={body}")


def conditional(p):
  type_, dims = p.pick(_TYPES), p.dims(0, 2, 3)
  shape = values.shape_text(type_, dims)

  def branch():
    opcode = p.pick(["negate", "copy"]) if type_ != "pred" else "not"
    return p.computation(f"""{{
  x = {shape} parameter(0)
  ROOT y = {shape} {opcode}(x)
}}""")

  if p.chance(50):
    operands = [p.input("pred", []), p.input(type_, dims), p.input(type_, dims)]
    return p.op("conditional", type_, dims, operands, f"true_computation={branch()}, false_computation={branch()}")
  count = p.number(1, 4)
  operands = [p.input("s32", [], p.pick(["small", "edge"]))] + [p.input(type_, dims) for _ in range(count)]
  return p.op("conditional", type_, dims, operands,
              "branch_computations={" + ", ".join(branch() for _ in range(count)) + "}")


def barrier(p):
  type_, dims = p.pick(values.ALL), p.dims(0, 3, 4)
  return p.op("opt-barrier", type_, dims, [p.input(type_, dims)])


def random_bits(p):
  algorithm, state = p.pick([("rng_three_fry", 2), ("rng_philox", 2), ("rng_philox", 3)])
  type_ = p.pick(["u8", "u16", "u32", "u64"])  # signed ones become unsigned on the way through MLIR
  dims = p.dims(0, 3, 5)
  return p.tuple_op("rng-bit-generator", [("u64", [state]), (type_, dims)], [p.input("u64", [state])],
                    f"algorithm={algorithm}")


def dynamic(p):
  """An array of a size known at run time, an operation on it, and what is left of it in static arrays."""
  type_ = p.pick(["s32", "f32", "f64", "s8", "u16"])
  dims = [p.number(1, 4) for _ in range(p.number(1, 3))]
  along = p.number(0, len(dims) - 1)
  size = p.put("s32", p.number(0, dims[along]))
  bound = lambda: f"{type_}[{','.join(('<=' if d == along else '') + str(s) for d, s in enumerate(dims))}]"
  operand = p.put(type_, values.random_array(p.rng, type_, dims, "small"))
  name = p.name()
  p.line(name, bound(), "set-dimension-size", [operand, size], f"dimensions={{{along}}}")
  p.cover("set-dimension-size", type_, "dimensions")
  if p.chance(50):
    other = p.name()
    opcode = p.pick(["negate", "add", "multiply"])
    p.line(other, bound(), opcode, [name] if opcode == "negate" else [name, name])
    name = other
  value = Value(name, type_, dims)
  p.origin[name] = ("set-dimension-size", [operand, size], "")
  if p.chance(50):
    p.op("get-dimension-size", "s32", [], [value], f"dimensions={{{along}}}")
  sum_ = p.computation(f"{{\n  a = {type_}[] parameter(0)\n  b = {type_}[] parameter(1)\n  ROOT s = {type_}[] add(a, b)\n}}")
  zero = p.constant(type_, np.zeros([], values.TYPES[type_]))
  which = sorted(set(p.subset(range(len(dims)))) | {along})
  result = [s for d, s in enumerate(dims) if d not in which]
  return p.op("reduce", type_, result, [value, zero], f"dimensions={braces(which)}, to_apply={sum_}", rule=SIGNLESS)

# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations of every type."""
import numpy as np

import values
from compare import EXACT, ulps, within
from values import COMPLEX, FLOATS, INTEGERS, SIGNED

_REAL_FLOATS = [t for t in FLOATS if t != "f8e8m0fnu" and t != "f4e2m1fn"]

# opcode: (types, rule for floats)
_EXACT_UNARY = {
    "abs": SIGNED + FLOATS, "negate": INTEGERS + FLOATS + COMPLEX, "sign": SIGNED + FLOATS,
    "ceil": FLOATS, "floor": FLOATS, "round-nearest-afz": FLOATS, "round-nearest-even": FLOATS,
    "not": ["pred"] + INTEGERS, "popcnt": INTEGERS, "count-leading-zeros": INTEGERS, "copy": values.ALL,
}
# Limits in ulp for f32 and f64; narrower floats are rounded once, which moves the result by at most one.
_FUNCTIONS = {
    "exponential": 4, "exponential-minus-one": 8, "log": 4, "log-plus-one": 8, "logistic": 8, "sine": 4, "cosine": 4,
    "tan": 8, "tanh": 10, "sqrt": 1, "rsqrt": 3, "cbrt": 16, "erf": 8, "asin": 8, "acos": 8, "asinh": 8, "acosh": 8,
    "atanh": 8, "sinh": 8, "cosh": 8,
}
# XLA's compiler has none of these yet.
_NEW = ("asin", "acos", "asinh", "acosh", "atanh", "sinh", "cosh")


def _rank_and_sizes(p):
  """Shapes come from a few, so that later operations fit earlier results."""
  if not hasattr(p, "usual"):
    p.usual = [p.dims(0, 3, 4), [p.number(1, 12)]]
  return list(p.pick(p.usual))


def unary(p):
  dims = _rank_and_sizes(p)
  if p.chance(45):
    opcode = p.pick(list(_EXACT_UNARY))
    type_ = p.pick(_EXACT_UNARY[opcode])
    return p.op(opcode, type_, dims, [p.input(type_, dims)])
  opcode = p.pick(list(_FUNCTIONS))
  type_ = p.pick(_REAL_FLOATS)
  if p.chance(30) and opcode not in ("erf", "cbrt"):
    return complex_function(p, opcode, dims)
  if opcode in _NEW and (p.mode == "cpu" or type_ not in values.WIDE):
    opcode = "sine"
  limit = _FUNCTIONS[opcode] if type_ in ("f32", "f64") else 2 if opcode == "cbrt" else 1
  return p.op(opcode, type_, dims, [p.input(type_, dims)], rule=ulps(limit))


def complex_function(p, opcode, dims):
  if opcode in _NEW:
    opcode = "tanh"
  type_ = p.pick(COMPLEX)
  kind = p.pick(["finite", "unit"])
  return p.op(opcode, type_, dims, [p.input(type_, dims, kind)], rule=ulps(16))


_BINARY = {
    "add": ["pred"] + INTEGERS + FLOATS + COMPLEX, "subtract": INTEGERS + FLOATS + COMPLEX,
    "multiply": ["pred"] + INTEGERS + FLOATS + COMPLEX, "divide": INTEGERS + FLOATS + COMPLEX,
    "remainder": INTEGERS + FLOATS, "maximum": ["pred"] + INTEGERS + FLOATS, "minimum": ["pred"] + INTEGERS + FLOATS,
    "and": ["pred"] + INTEGERS, "or": ["pred"] + INTEGERS, "xor": ["pred"] + INTEGERS,
    "shift-left": INTEGERS, "shift-right-arithmetic": INTEGERS, "shift-right-logical": INTEGERS,
    "power": INTEGERS + FLOATS + COMPLEX, "atan2": FLOATS + COMPLEX,
}


def binary(p):
  opcode = p.pick(list(_BINARY))
  type_ = p.pick(_BINARY[opcode])
  dims = _rank_and_sizes(p)
  kind, rule = "edge", EXACT
  if type_ in COMPLEX and opcode not in ("add", "subtract"):
    # The relative error of a power grows with the exponent.
    kind, rule = ("unit", ulps(64)) if opcode == "power" else ("finite", ulps(16))
    if opcode == "atan2":  # a logarithm near one
      rule = within(256 * values.epsilon(type_))
  elif type_ in FLOATS and opcode in ("power", "atan2"):
    rule = ulps(16 if type_ in ("f32", "f64") else 1)
  divisor = None
  if opcode in ("divide", "remainder") and values.is_integer(type_) and p.mode == "evaluator":
    # A division by zero ends the process of XLA's evaluator.
    array = values.random_array(p.rng, type_, dims, kind)
    divisor = p.put(type_, np.where(array == np.zeros([], array.dtype), np.ones([], array.dtype), array))
  return p.op(opcode, type_, dims, [p.input(type_, dims, kind), divisor or p.input(type_, dims, kind)], rule=rule)


def compare(p):
  type_ = p.pick(values.ALL)
  dims = _rank_and_sizes(p)
  directions = ["EQ", "NE"] if type_ in COMPLEX else ["EQ", "NE", "LT", "LE", "GT", "GE"]
  attributes = f"direction={p.pick(directions)}"
  if p.chance(30):
    if type_ in FLOATS:
      attributes += ", type=" + p.pick(["FLOAT", "TOTALORDER"])
    elif type_ in INTEGERS:
      attributes += ", type=" + ("SIGNED" if type_[0] == "s" else "UNSIGNED")
  kind = p.pick(["edge", "small"])
  return p.op("compare", "pred", dims, [p.input(type_, dims, kind), p.input(type_, dims, kind)], attributes)


def select_clamp(p):
  type_ = p.pick(values.ALL)
  dims = _rank_and_sizes(p)
  if p.chance(50) or type_ in COMPLEX:
    scalar = p.chance(20)
    predicate = p.input("pred", [] if scalar else dims)
    return p.op("select", type_, dims, [predicate, p.input(type_, dims), p.input(type_, dims)])
  bounds = [] if p.chance(40) else dims
  type_ = "u8" if type_ == "pred" and p.mode == "cpu" else type_  # XLA's compiler clamps no pred
  return p.op("clamp", type_, dims, [p.input(type_, bounds), p.input(type_, dims), p.input(type_, bounds)])


def convert(p):
  source, target = p.pick(values.ALL), p.pick(values.ALL)
  if source in COMPLEX and p.mode == "evaluator":  # others end the process of XLA's evaluator, at times
    target = p.pick(values.WIDE + COMPLEX)
  dims = _rank_and_sizes(p)
  return p.op("convert", target, dims, [p.input(source, dims)])


def bitcast_convert(p):
  source = p.pick([t for t in values.ALL if t != "pred"])
  # XLA's compiler has no integers as wide as c128.
  target = source if source in COMPLEX else p.pick([t for t in values.ALL if t != "pred" and t not in COMPLEX])
  wide, narrow = values.bits(source), values.bits(target)
  dims = _rank_and_sizes(p)
  if wide > narrow:
    operand, result = dims, dims + [wide // narrow]
  elif wide < narrow:
    operand, result = dims + [narrow // wide], dims
  else:
    operand = result = dims
  return p.op("bitcast-convert", target, result, [p.input(source, operand)])


def reduce_precision(p):
  type_ = p.pick(values.WIDE)
  dims = _rank_and_sizes(p)
  exponent = p.number(1, {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}[type_] + 1)
  mantissa = p.number(0, {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[type_] + 1)
  return p.op("reduce-precision", type_, dims, [p.input(type_, dims)],
              f"exponent_bits={exponent}, mantissa_bits={mantissa}")


def complex_parts(p):
  dims = _rank_and_sizes(p)
  how = p.number(0, 4)
  type_ = p.pick(COMPLEX)
  part = values.part(type_)
  if how == 0:
    return p.op("complex", type_, dims, [p.input(part, dims), p.input(part, dims)])
  if how == 1:
    return p.op(p.pick(["real", "imag"]), part, dims, [p.input(type_, dims)])
  if how == 2:
    return p.op("abs", part, dims, [p.input(type_, dims, "finite")], rule=ulps(8))
  if how == 3:
    return p.op("sign", type_, dims, [p.input(type_, dims, "finite")], rule=ulps(16))
  float_ = p.pick(FLOATS)
  return p.op("is-finite", "pred", dims, [p.input(float_, dims)])

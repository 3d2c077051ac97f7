# SPDX-License-Identifier: Apache-2.0
"""What is left: collectives of one device, tokens, domain, stochastic-convert, dynamic-reshape."""
import numpy as np

import values
from compare import SIGNLESS
from program import Value, braces

_REDUCED = values.INTEGERS + values.WIDE


def any_of(p):
  return p.pick([identifiers, all_reduce, collective, dependency, domain, stochastic_convert, dynamic_reshape])(p)


def identifiers(p):
  return p.op(p.pick(["replica-id", "partition-id"]), "u32", [], [])


def _groups(p):
  return "replica_groups=" + p.pick(["{}", "{{0}}"])


def _sum(p, type_):
  return p.computation(f"{{\n  a = {type_}[] parameter(0)\n  b = {type_}[] parameter(1)\n  ROOT s = {type_}[] add(a, b)\n}}")


def all_reduce(p):
  type_ = p.pick([t for t in _REDUCED if values.bits(t) >= 8])
  dims = [p.number(1, 4) for _ in range(p.number(1, 3))]
  operand = p.input(type_, dims)
  if p.chance(50):
    return p.op("all-reduce", type_, dims, [operand], f"{_groups(p)}, to_apply={_sum(p, type_)}")
  return p.op("reduce-scatter", type_, dims, [operand],
              f"replica_groups={{{{0}}}}, dimensions={{{p.number(0, len(dims) - 1)}}}, to_apply={_sum(p, type_)}")


def collective(p):
  type_ = p.pick([t for t in _REDUCED if values.bits(t) >= 8])
  dims = [p.number(1, 4) for _ in range(p.number(1, 3))]
  operand, along = p.input(type_, dims), p.number(0, len(dims) - 1)
  opcode = p.pick(["all-gather", "all-to-all", "collective-permute"])
  if opcode == "collective-permute":  # a device that receives nothing has zeros
    return p.op(opcode, type_, dims, [operand], f"source_target_pairs={p.pick(['{{0,0}}', '{{0,0}}'])}")
  return p.op(opcode, type_, dims, [operand], f"replica_groups={{{{0}}}}, dimensions={{{along}}}")


def dependency(p):
  type_, dims = p.pick(values.ALL), p.dims(0, 3, 4)
  tokens = []
  for _ in range(p.number(1, 3)):
    tokens.append(p.name("t"))
    p.line(tokens[-1], "token[]", "after-all", tokens[:-1])
    p.cover("after-all", "")
  operand = p.input(type_, dims)
  name = p.name()
  p.line(name, values.shape_text(type_, dims), "add-dependency", [operand, tokens[-1]])
  p.cover("add-dependency", type_)
  value = Value(name, type_, dims)
  p.origin[name] = ("add-dependency", [operand], "")
  return p.op("copy", type_, dims, [value])


def domain(p):
  type_, dims = p.pick(values.ALL), p.dims(0, 3, 4)
  return p.op("domain", type_, dims, [p.input(type_, dims)],
              'domain={kind="sharding", entry={replicated}, exit={maximal device=0}}')


def stochastic_convert(p):
  source, random = p.pick([("f32", "u32"), ("f64", "u64"), ("f16", "u16"), ("bf16", "u16")])
  target = p.pick(["s8", "s16", "s32"])
  dims = p.dims(0, 2, 4)
  return p.op("stochastic-convert", target, dims, [p.input(source, dims), p.input(random, dims)])


def dynamic_reshape(p):
  type_ = p.pick(["s32", "f32", "f64", "s8"])
  rows, columns = p.number(1, 4), p.number(1, 4)
  operand = p.input(type_, [rows * columns], "small")
  sizes = [p.put("s32", rows), p.put("s32", columns)]
  name = p.name()
  p.line(name, f"{type_}[<={rows},<={columns}]", "dynamic-reshape", [operand] + sizes)
  p.cover("dynamic-reshape", type_)
  value = Value(name, type_, [rows, columns])
  p.origin[name] = ("dynamic-reshape", [operand] + sizes, "")
  p.op("get-dimension-size", "s32", [], [value], f"dimensions={{{p.number(0, 1)}}}")
  zero = p.constant(type_, np.zeros([], values.TYPES[type_]))
  return p.op("reduce", type_, [], [value, zero], f"dimensions={braces([0, 1])}, to_apply={_sum(p, type_)}", rule=SIGNLESS)

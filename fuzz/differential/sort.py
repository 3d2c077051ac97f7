# SPDX-License-Identifier: Apache-2.0
"""Sort with any comparator, topk."""
import values
from compare import EXACT


def sort(p):
  count = p.number(1, 3)
  # XLA's compiler sorts elements of 2 bits into nonsense.
  able = [t for t in values.ALL if p.mode == "evaluator" or t not in ("s2", "u2")]
  types = [p.pick([t for t in able if t not in values.COMPLEX])] + [p.pick(able) for _ in range(count - 1)]
  dims = p.sizes(p.number(1, 3), 1, 6)
  along = p.number(0, len(dims) - 1)
  lines = []
  for i, t in enumerate(types):
    lines += [f"  a{i} = {t}[] parameter({2 * i})", f"  b{i} = {t}[] parameter({2 * i + 1})"]
  direction = p.pick(["LT", "GT"])
  order = ", type=TOTALORDER" if types[0] in values.FLOATS else ""
  lines.append(f"  ROOT c = pred[] compare(a0, b0), direction={direction}{order}")
  body = p.computation("{\n" + "\n".join(lines) + "\n}")
  # XLA wants one layout of all operands, which literals have.
  operands = [p.input(types[0], dims, p.pick(["edge", "small"]))] + [p.input(t, dims) for t in types[1:]]
  attributes = f"dimensions={{{along}}}, is_stable=true, to_apply={body}"
  if count == 1:
    return p.op("sort", types[0], dims, operands, attributes)
  return p.tuple_op("sort", [(t, dims) for t in types], operands, attributes)


def topk(p):
  type_ = p.pick(["f32"] if p.chance(50) else ["f32", "f64", "s32", "bf16", "f16", "s8", "u32"])
  dims = [p.number(1, 3), p.number(1, 8)][-p.number(1, 2):]
  k = p.number(1, dims[-1])
  result = dims[:-1] + [k]
  return p.tuple_op("topk", [(type_, result), ("s32", result)], [p.input(type_, dims, p.pick(["small", "finite"]))],
                    f"k={k}, largest={p.pick(['true', 'true', 'false'])}")

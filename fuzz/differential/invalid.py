# SPDX-License-Identifier: Apache-2.0
"""Valid programs with one thing damaged: a shape, a type, an attribute, the operands, a called computation, an opcode."""
import re

import families
import values

_LINE = re.compile(r"^((?:ROOT )?[\w.]+ = )(.*?) ([a-z][a-z0-9-]*)\((.*)$")
_SHAPE = re.compile(r"\b(pred|[suf]\d+\w*|bf16|c64|c128)\[([\d,<=]*)\]")
_SWAPS = [
    ["add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor", "power", "atan2",
     "shift-left", "shift-right-logical", "shift-right-arithmetic", "complex"],
    ["abs", "negate", "sign", "not", "popcnt", "count-leading-zeros", "ceil", "floor", "round-nearest-even", "cosine",
     "exponential", "log", "sqrt", "rsqrt", "cbrt", "tanh", "logistic", "real", "imag", "is-finite", "copy", "erf"],
]


# XLA's parser takes any number of operands for these, and then mostly ends the process on a failed check.
_UNCOUNTED = ("dot", "rng-bit-generator")


class _Instruction:
  """The parts of a line of text."""

  def __init__(self, line):
    match = _LINE.match(line)
    self.head, self.shape, self.opcode, rest = match.groups()
    depth, end = 1, 0
    for end, c in enumerate(rest):
      depth += (c == "(") - (c == ")")
      if depth == 0:
        break
    self.operands = [o.strip() for o in rest[:end].split(",") if o.strip()]
    self.attributes = _split(rest[end + 1:].lstrip(", "))

  def text(self):
    tail = "".join(f", {a}" for a in self.attributes)
    return f"{self.head}{self.shape} {self.opcode}({', '.join(self.operands)}){tail}"


def _split(text):
  parts, depth, word = [], 0, ""
  for c in text:
    depth += (c in "{(") - (c in "})")
    if c == "," and depth == 0:
      parts.append(word.strip())
      word = ""
    else:
      word += c
  return [part for part in parts + [word.strip()] if part]


def _other_type(p, type_):
  near = {"f": values.FLOATS, "b": values.FLOATS, "s": values.INTEGERS, "u": values.INTEGERS}.get(type_[0], values.ALL)
  return p.pick([t for t in (near if p.chance(40) else values.ALL) if t != type_])


def _other_dims(p, dims):
  dims = list(dims)
  how = p.number(0, 3)
  if how == 0 or not dims:
    dims.insert(p.number(0, len(dims)), p.number(1, 3))
  elif how == 1:
    del dims[p.number(0, len(dims) - 1)]
  else:
    at = p.number(0, len(dims) - 1)
    dims[at] = max(0, dims[at] + p.pick([-1, 1, 1, 2]))
  return dims


def _damage_shape(p, text):
  """One array shape in the text, changed."""
  found = [m for m in _SHAPE.finditer(text) if "<" not in m.group(2)]
  if not found:
    return None
  match = p.pick(found)
  dims = [int(d) for d in match.group(2).split(",") if d]
  if p.chance(45):
    shape = f"{_other_type(p, match.group(1))}[{match.group(2)}]"
  else:
    shape = f"{match.group(1)}[{','.join(map(str, _other_dims(p, dims)))}]"
  return text[:match.start()] + shape + text[match.end():]


def _result_shape(p, i):
  shape = _damage_shape(p, i.shape)
  if shape is None:
    return None
  i.shape = shape
  return "result shape"


def _operand(p, i):
  """Another array in an operand's place."""
  if not i.operands:
    return None
  at = p.number(0, len(i.operands) - 1)
  known = {v.name: v for v in p.pool}
  old = known.get(i.operands[at])
  if old is None and i.operands[at] in p.arrays:
    array = p.arrays[i.operands[at]]
    type_, dims = values.NAMES[array.dtype], list(array.shape)
  elif old is not None:
    type_, dims = old.type, old.dims
  else:
    return None
  if p.chance(45):
    type_ = _other_type(p, type_)
  else:
    dims = _other_dims(p, dims)
  name = p.name("z")
  array = values.random_array(p.rng, type_, dims, "small")
  p.damaged_line = f"{name} = {values.shape_text(type_, dims)} constant({values.literal_text(type_, array)})"
  i.operands[at] = name
  return "operand"


def _operand_count(p, i):
  if i.opcode in _UNCOUNTED:
    return None
  if i.operands and p.chance(50):
    del i.operands[p.number(0, len(i.operands) - 1)]
  else:
    names = [line.split(" ")[0] for line in p.lines[:p.damaged_at]]
    if not names:
      return None
    i.operands.insert(p.number(0, len(i.operands)), p.pick(names))
  return "operand count"


def _attribute_number(p, i):
  """A number in an attribute, changed."""
  text = ", ".join(i.attributes)
  # Not the digits of names.
  found = [m for m in re.finditer(r"(?<![\w.%])-?\d+(?![\w.])", re.sub(r"(to_apply|calls|body|condition)=\w+", lambda m: "#" * len(m.group()), text))]
  if not found:
    return None
  match = p.pick(found)
  value = int(match.group()) + p.pick([-1, 1, 1, 2, -2, 7])
  if p.chance(5):
    value = p.pick([1 << 40, -(1 << 62), (1 << 63) - 1])
  i.attributes = _split(text[:match.start()] + str(value) + text[match.end():])
  return "attribute number"


def _attribute_list(p, i):
  """A number of a list in an attribute, dropped or repeated."""
  text = ", ".join(i.attributes)
  found = list(re.finditer(r"\{(\d+(?:,\d+)*)\}", text))
  if not found:
    return None
  match = p.pick(found)
  numbers = match.group(1).split(",")
  at = p.number(0, len(numbers) - 1)
  if p.chance(50):
    del numbers[at]
  else:
    numbers.insert(p.number(0, len(numbers)), numbers[at])
  i.attributes = _split(text[:match.start()] + "{" + ",".join(numbers) + "}" + text[match.end():])
  return "attribute list"


def _attribute_gone(p, i):
  if not i.attributes:
    return None
  gone = p.number(0, len(i.attributes) - 1)
  name = i.attributes[gone].split("=")[0]
  del i.attributes[gone]
  return "attribute " + name + " gone"


def _attribute_more(p, i):
  i.attributes.append(p.pick([
      "dimensions={0}", "dimensions={1,0}", "index_vector_dim=1", "direction=LT", "epsilon=0.1", "lower=true", "k=2",
      "iota_dimension=0", "lhs_contracting_dims={0}", "exponent_bits=3", "window={size=2}", "is_stable=true",
      "slice={[0:1]}", "feature_group_count=2", "index=0", "padding=1_1", "to_apply=main"]))
  return "attribute more"


def _called(p, i):
  """A shape in a computation that the program calls."""
  if not p.computations:
    return None
  at = p.number(0, len(p.computations) - 1)
  text = _damage_shape(p, p.computations[at])
  if text is None:
    return None
  p.computations[at] = text
  return "called computation"


def _opcode(p, i):
  for names in _SWAPS:
    if i.opcode in names:
      i.opcode = p.pick([n for n in names if n != i.opcode])
      return "opcode"
  return None


_DAMAGES = [_result_shape, _operand, _operand, _operand_count, _attribute_number, _attribute_number, _attribute_list,
            _attribute_gone, _attribute_more, _called, _opcode]
_LEAVES = ("constant", "parameter", "get-tuple-element")


def damaged(p, number):
  """The text of a damaged program, and what was done to it."""
  while True:
    families.fill(p, count=1)
    places = [at for at, line in enumerate(p.lines) if _LINE.match(line) and _LINE.match(line).group(3) not in _LEAVES]
    if places:
      break
  p.damaged_at, p.damaged_line = p.pick(places), None
  while True:
    instruction = _Instruction(p.lines[p.damaged_at])
    what = p.pick(_DAMAGES)(p, instruction)
    if what is not None:
      break
  p.lines[p.damaged_at] = instruction.text()
  if p.damaged_line:
    p.lines.insert(p.damaged_at, p.damaged_line)
  return _with_root(p, number), f"{instruction.opcode}: {what}"


def _with_root(p, number):
  """The text, whose root takes the results as what they claim to be: the damage shows at one place alone."""
  shapes = {}
  for line in p.lines:
    match = _LINE.match(line)
    if match:
      shapes[match.group(1).replace("ROOT ", "").split(" ")[0]] = match.group(2)
  names = [v.name for v in p.results]
  root = f"ROOT root = ({', '.join(shapes[n] for n in names)}) tuple({', '.join(names)})"
  body = "\n".join("  " + line for line in p.lines + [root])
  return f"HloModule damaged_{number}\n\n" + "\n\n".join(p.computations + [f"ENTRY main {{\n{body}\n}}\n"])

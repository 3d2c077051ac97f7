# SPDX-License-Identifier: Apache-2.0
"""A random program under construction: HLO text, inputs, and how each result is to be compared."""
import collections

import numpy as np

import values
from compare import EXACT

# name: in the text. exact: the bits are the same everywhere, so other operations may use it.
Value = collections.namedtuple("Value", "name type dims exact layout", defaults=(True, None))


class Program:
  """mode "cpu": inputs are parameters, XLA compiles; "evaluator": inputs are constants, which XLA folds."""

  def __init__(self, rng, mode):
    self.rng = rng
    self.mode = mode
    self.inputs = []  # numpy arrays of the parameters
    self.lines = []
    self.computations = []  # texts, callees first
    self.rules = []  # one for each leaf of the result
    self.results = []
    self.used = []  # (opcode, element type, attributes) of each operation
    self.pool = []  # exact values that operations may take
    self.arrays = {}  # by name: inputs, and results once they are known
    self.origin = {}  # by name of a result: (opcode, operands, attributes)
    self._names = 0

  # --- choices
  def chance(self, percent):
    return self.rng.integers(100) < percent

  def pick(self, choices):
    return choices[self.rng.integers(len(choices))]

  def number(self, low, high):
    """low..high, both included."""
    return int(self.rng.integers(low, high + 1))

  def sizes(self, rank, low=1, high=4):
    return [0 if low and self.chance(1) else self.number(low, high) for _ in range(rank)]

  def dims(self, least=0, most=4, high=4):
    return self.sizes(self.number(least, most), 1, high)

  def subset(self, items, count=None):
    """Some of the items, in random order."""
    items = list(items)
    count = self.number(0, len(items)) if count is None else count
    return [items[i] for i in self.rng.permutation(len(items))[:count]]

  def layout(self, rank, percent=15):
    """A minor-to-major order now and then."""
    return [int(i) for i in self.rng.permutation(rank)] if rank > 1 and self.chance(percent) else None

  # --- text
  def name(self, prefix="v"):
    self._names += 1
    return f"{prefix}{self._names}"

  def computation(self, signature_and_body):
    """Adds a computation, its text after the name; returns the name."""
    name = self.name("c")
    self.computations.append(f"{name} {signature_and_body}")
    return name

  def constant(self, type_, array):
    array = np.asarray(array)
    name = self.name("k")
    self.lines.append(f"{name} = {values.shape_text(type_, array.shape)} constant({values.literal_text(type_, array)})")
    self.cover("constant", type_)
    self.arrays[name] = array
    return Value(name, type_, list(array.shape))

  def put(self, type_, array):
    """An input with the given contents."""
    array = np.asarray(array).astype(values.TYPES[type_])
    if self.mode == "evaluator":
      return self.constant(type_, array)
    name = self.name("p")
    self.lines.append(f"{name} = {values.shape_text(type_, array.shape)} parameter({len(self.inputs)})")
    self.inputs.append(array)
    self.arrays[name] = array
    self.cover("parameter", type_)
    return Value(name, type_, list(array.shape))

  def input(self, type_, dims, kind="edge"):
    """An input, or at times an earlier result of the type and shape."""
    if kind == "edge" and self.chance(40):
      fitting = [v for v in self.pool if v.type == type_ and v.dims == list(dims)]
      if fitting:
        return self.pick(fitting)
    value = self.put(type_, values.random_array(self.rng, type_, dims, kind, self.mode == "cpu"))
    if kind == "edge":
      self.pool.append(value)
    return value

  def cover(self, opcode, type_, *attributes):
    self.used.append((opcode, type_, attributes))

  def op(self, opcode, type_, dims, operands, attributes="", rule=EXACT, layout=None, keep=True):
    """An operation with an array result, which becomes a result of the program if `keep`."""
    name = self.name()
    self.line(name, values.shape_text(type_, dims, layout), opcode, operands, attributes)
    exact = rule is EXACT and all(o.exact for o in operands)
    value = Value(name, type_, list(dims), exact, layout)
    self.origin[name] = (opcode, operands, attributes)
    self.cover(opcode, operands[0].type if operands else type_, *attribute_names(attributes))
    if keep:
      self.result(value, rule)
      if exact:
        self.pool.append(value)
    return value

  def tuple_op(self, opcode, shapes, operands, attributes="", rules=None, keep=True):
    """An operation with a tuple result of arrays (type, dims); each element becomes a result."""
    name = self.name()
    self.line(name, "(" + ", ".join(values.shape_text(t, d) for t, d in shapes) + ")", opcode, operands, attributes)
    self.cover(opcode, operands[0].type if operands else shapes[0][0], *attribute_names(attributes))
    elements = []
    for i, (type_, dims) in enumerate(shapes):
      rule = rules[i] if rules else EXACT
      element = Value(self.name(), type_, list(dims), rule is EXACT)
      self.origin[element.name] = (opcode, operands, attributes)
      self.lines.append(f"{element.name} = {values.shape_text(type_, dims)} get-tuple-element({name}), index={i}")
      self.cover("get-tuple-element", type_, "index")
      if keep:
        self.result(element, rule)
      elements.append(element)
    return elements

  def line(self, name, shape, opcode, operands, attributes=""):
    operands = ", ".join(o if isinstance(o, str) else o.name for o in operands)
    self.lines.append(f"{name} = {shape} {opcode}({operands}){', ' + attributes if attributes else ''}")

  def result(self, value, rule=EXACT):
    self.results.append(value)
    self.rules.append(rule)

  def depends(self, name, others):
    """Whether a result uses one of the others, at any distance."""
    todo = [o.name for o in self.origin.get(name, ("", [], ""))[1]]
    while todo:
      name = todo.pop()
      if name in others:
        return True
      todo += [o.name for o in self.origin.get(name, ("", [], ""))[1]]
    return False

  def text(self, number):
    shapes = ", ".join(values.shape_text(v.type, v.dims) for v in self.results)
    root = f"ROOT root = ({shapes}) tuple({', '.join(v.name for v in self.results)})"
    self.cover("tuple", "")
    body = "\n".join("  " + line for line in self.lines + [root])
    return f"HloModule differential_{number}\n\n" + "\n\n".join(self.computations + [f"ENTRY main {{\n{body}\n}}\n"])


def attribute_names(attributes):
  """The keys of "a={0}, b={x=1}, c=2" at the top level."""
  names, depth, word = [], 0, ""
  for c in attributes:
    if c == "{":
      depth += 1
    elif c == "}":
      depth -= 1
    elif depth == 0 and c == "=":
      names.append(word.strip())
      word = ""
    elif depth == 0 and c == ",":
      word = ""
    elif depth == 0:
      word += c
  return names


def braces(numbers):
  return "{" + ",".join(map(str, numbers)) + "}"

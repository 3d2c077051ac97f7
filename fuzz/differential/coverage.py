# SPDX-License-Identifier: Apache-2.0
"""What the compared programs held: opcodes, their attributes, element types."""
import collections

import values


class Coverage:
  def __init__(self):
    self.opcodes = collections.defaultdict(lambda: {"cpu": 0, "evaluator": 0})
    self.types = collections.defaultdict(set)
    self.attributes = collections.defaultdict(collections.Counter)

  def add(self, p):
    for opcode, type_, attributes in p.used:
      self.opcodes[opcode][p.mode] += 1
      if type_ in values.TYPES:
        self.types[opcode].add(type_)
      self.attributes[opcode].update(attributes)

  def print(self):
    print(f"{len(self.opcodes)} opcodes (times with XLA's compiler / evaluator; element types; attributes):")
    for opcode in sorted(self.opcodes):
      times = self.opcodes[opcode]
      types = " ".join(t for t in values.TYPES if t in self.types[opcode])
      if len(self.types[opcode]) == len(values.TYPES):
        types = "all"
      attributes = ", ".join(sorted(self.attributes[opcode]))
      print(f"  {opcode:24} {times['cpu']:6} / {times['evaluator']:6}  {types}{'; ' + attributes if attributes else ''}")

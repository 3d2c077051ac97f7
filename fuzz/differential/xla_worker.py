# SPDX-License-Identifier: Apache-2.0
"""XLA's side: parses, verifies, compiles and runs programs that come as frames on standard input."""
import os
import pickle
import re
import struct
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
from jaxlib import _hlo, _jax
from jaxlib import xla_client

import values


class Xla:
  def __init__(self):
    self.unknown_options = set()
    self.client = xla_client.make_cpu_client()
    self.device = self.client.devices()[0]

  def options(self, level):
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[0]]))
    options.executable_build_options.debug_options.xla_backend_optimization_level = level
    # The operations as written: no wider types between two of them, NaN kept by minimum and maximum.
    options.env_option_overrides = [
        (name, value) for name, value in (
            ("xla_allow_excess_precision", False), ("xla_cpu_enable_fast_min_max", False),
            ("xla_cpu_enable_fast_math", False), ("xla_cpu_use_fusion_emitters", False),
            ("xla_cpu_parallel_codegen_split_count", 1)) if name not in self.unknown_options]
    return options

  def compile(self, program):
    """The executable; without options that this version of XLA has not."""
    while True:
      try:
        return self.client.compile_and_load(program.encode(), xla_client.DeviceList((self.device,)),
                                            self.options(0))
      except Exception as error:
        unknown = re.search(r"No such compile option: '(\w+)'", str(error))
        if unknown is None or unknown.group(1) in self.unknown_options:
          raise
        self.unknown_options.add(unknown.group(1))

  def run(self, text, inputs):
    import jax  # takes a second, and verify needs it not
    jax.config.update("jax_enable_x64", True)
    stage = "parse"
    try:
      module = _hlo.hlo_module_from_text(text)
      stage = "convert"
      computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
      program = _jax.mlir.xla_computation_to_mlir_module(computation)
      stage = "compile"
      executable = self.compile(program)
      stage = "run"
      arguments = [jax.device_put(values.from_raw(*i), self.device) for i in inputs]
      results = [np.asarray(r) for r in executable.execute(arguments)]
    except Exception as error:  # jaxlib raises several kinds
      return stage, str(error)
    return "ok", [(values.NAMES[r.dtype], r.shape, values.raw(r)) for r in results]

  def verify(self, text):
    """What the parser, which infers shapes, MLIR's verifier and the one before compilation say."""
    stage = "parse"
    try:
      module = _hlo.hlo_module_from_text(text)
      stage = "convert"
      computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
      program = _jax.mlir.xla_computation_to_mlir_module(computation)
      back = _jax.mlir.mlir_module_to_xla_computation(program, False, False)
      stage = "compile"
      same = _facts(module.to_string()) == _facts(back.as_hlo_module().to_string())
      self.compile(program)
    except Exception as error:
      if stage == "compile" and not same and "UNIMPLEMENTED" in str(error):
        return "ok", same
      return stage, str(error)
    return "ok", same


def _facts(text):
  """What a module's instructions are, but for names and layouts: shape, opcode, operands, attributes."""
  facts = []
  for line in text.split("\n"):
    match = re.match(r" *(?:ROOT )?%?[\w.-]+ = (.*?) ([a-z][a-z0-9-]*)\((.*)$", line)
    if match is None or match.group(2) in ("tuple", "get-tuple-element", "parameter", "constant"):
      continue
    shape, opcode, rest = match.groups()
    rest = re.sub(r"(, )?(metadata|origin|frontend_attributes|sharding)=\{.*", "", rest)
    rest = re.sub(r"%[\w.-]+", "%", re.sub(r"/\*.*?\*/", "", rest))
    facts.append(re.sub(r"\]\{[^}]*\}", "]", f"{shape} {opcode}({rest}"))
  return sorted(facts)


def main():
  xla = Xla()
  reader, writer = os.fdopen(0, "rb"), os.fdopen(os.dup(1), "wb")
  os.dup2(2, 1)  # what XLA prints is no answer
  while True:
    head = reader.read(4)
    if len(head) < 4:
      return
    kind, text, inputs = pickle.loads(reader.read(struct.unpack("<I", head)[0]))
    answer = pickle.dumps(xla.verify(text) if kind == "verify" else xla.run(text, inputs))
    writer.write(struct.pack("<I", len(answer)) + answer)
    writer.flush()


if __name__ == "__main__":
  main()

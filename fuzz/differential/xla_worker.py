# SPDX-License-Identifier: Apache-2.0
"""XLA's side: parses, verifies, compiles and runs programs that come as frames on standard input."""
import os
import pickle
import struct
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax
import numpy as np
from jaxlib import _hlo, _jax
from jaxlib import xla_client

import values

jax.config.update("jax_enable_x64", True)


class Xla:
  def __init__(self):
    self.client = xla_client.make_cpu_client()
    self.device = self.client.devices()[0]

  def options(self, level, passes_only=False):
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = xla_client.DeviceAssignment.create(np.array([[0]]))
    options.executable_build_options.debug_options.xla_backend_optimization_level = level
    # The operations as written: no wider types between two of them, NaN kept by minimum and maximum.
    options.env_option_overrides = [
        ("xla_allow_excess_precision", False), ("xla_cpu_enable_fast_min_max", False),
        ("xla_cpu_enable_fast_math", False), ("xla_cpu_use_fusion_emitters", False),
        ("xla_cpu_parallel_codegen_split_count", 1)]
    return options

  def run(self, text, inputs):
    stage = "parse"
    try:
      module = _hlo.hlo_module_from_text(text)
      stage = "convert"
      computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
      program = _jax.mlir.xla_computation_to_mlir_module(computation)
      stage = "compile"
      executable = self.client.compile_and_load(program.encode(), xla_client.DeviceList((self.device,)),
                                                self.options(0))
      stage = "run"
      arguments = [jax.device_put(values.from_raw(*i), self.device) for i in inputs]
      results = [np.asarray(r) for r in executable.execute(arguments)]
    except Exception as error:  # jaxlib raises several kinds
      return stage, str(error)
    return "ok", [(values.NAMES[r.dtype], r.shape, values.raw(r)) for r in results]

  def verify(self, text):
    """What the parser, which infers shapes, and the verifier before compilation say."""
    stage = "parse"
    try:
      module = _hlo.hlo_module_from_text(text)
      stage = "verify"
      computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
      _jax.mlir.xla_computation_to_mlir_module(computation)
    except Exception as error:
      return stage, str(error)
    return "ok", []


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

# SPDX-License-Identifier: Apache-2.0
"""XLA's CPU backend, as jaxlib has it, on folders with a program and golden.json.

usage: xla_cpu.py [--seconds S] FOLDER...      prints what `xylem bench --json` prints, a line for each folder
"""
import argparse
import json
import os
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np
import ml_dtypes  # so that NumPy knows bfloat16


def random_words(seed, count):
  """The splitmix64 outputs of the states seed + k * 0x9E3779B97F4A7C15, k = 1, 2, ..; see tools/draw.h."""
  with np.errstate(over="ignore"):
    state = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
  return state ^ (state >> np.uint64(31))


def draw(argument):
  """The array that an entry of "args" in golden.json describes."""
  kind = np.dtype(argument["dtype"])
  count = int(np.prod(argument["shape"], dtype=np.int64))
  if argument["kind"] == "integer":
    return (random_words(argument["seed"], count) % np.uint64(argument["hi"])).astype(kind).reshape(argument["shape"])
  parts = 2 if kind.kind == "c" else 1
  words = random_words(argument["seed"], parts * count)
  reals = (words >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
  if parts == 2:
    reals = reals.astype(np.float64 if kind == np.complex128 else np.float32).view(kind)
  return reals.astype(kind).reshape(argument["shape"])


def read_golden(folder):
  with open(os.path.join(folder, "golden.json"), encoding="utf-8") as file:
    return json.load(file)


class Peer:
  """A client of XLA, and its programs."""

  def __init__(self, platform="cpu"):
    """`platform`: of JAX; None is the one that JAX prefers."""
    import jax
    from jaxlib import lapack, xla_client
    jax.config.update("jax_enable_x64", True)
    self.jax, self.xla_client = jax, xla_client
    self.device = jax.devices(platform)[0]
    getattr(lapack, "_lapack", lapack).initialize()  # programs call LAPACK by name

  def _stablehlo(self, folder):
    """The program as StableHLO: program.mlir, or what XLA makes of program.hlo."""
    path = os.path.join(folder, "program.mlir")
    if os.path.exists(path):
      with open(path, "rb") as file:
        return file.read()
    from jaxlib import _hlo, _jax
    with open(os.path.join(folder, "program.hlo"), encoding="utf-8") as file:
      module = _hlo.hlo_module_from_text(file.read())
    computation = _hlo.XlaComputation(module.as_serialized_hlo_module_proto())
    return _jax.mlir.xla_computation_to_mlir_module(computation).encode()

  def compile_code(self, code):
    options = self.xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.device_assignment = self.xla_client.DeviceAssignment.create(np.array([[0]]))
    devices = self.xla_client.DeviceList((self.device,))
    return self.device.client.compile_and_load(code, devices, options)

  def compile(self, folder):
    return self.compile_code(self._stablehlo(folder))

  def put(self, array):
    return self.jax.device_put(array, self.device)

  def arguments(self, folder):
    return [self.put(draw(argument)) for argument in read_golden(folder)["args"]]

  def measure(self, folder, seconds):
    """Compile and run times in milliseconds, as `xylem bench` measures them."""
    arguments = self.arguments(folder)
    # To translate HLO text to StableHLO is no part of compiling: nobody who uses XLA does.
    code = self._stablehlo(folder)
    start = time.perf_counter()
    executable = self.compile_code(code)
    compile_ms = (time.perf_counter() - start) * 1e3

    def run():
      for result in executable.execute(arguments):
        result.block_until_ready()

    run()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 5000):
      start = time.perf_counter()
      run()
      times.append((time.perf_counter() - start) * 1e3)
    return {
        "name": os.path.basename(os.path.normpath(folder)), "compile_ms": compile_ms,
        "run_ms": float(np.median(times)), "min_ms": min(times), "reps": len(times),
        "temp_bytes": executable.get_compiled_memory_stats().temp_size_in_bytes}


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--seconds", type=float, default=1.0)
  parser.add_argument("folders", nargs="+")
  arguments = parser.parse_args()
  peer = Peer()
  for folder in arguments.folders:
    print(json.dumps(peer.measure(folder, arguments.seconds)), flush=True)
  return 0


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare programs that JAX compiles and runs on Xylem and on XLA:CPU.

One process for each platform, which compiles and runs the same programs in turns with the other, and
then measures what a call of a jitted function costs, and a copy from and to NumPy; at last, how long
processes take to import JAX and to find their devices. Programs are those of folders with program.mlir or
program.hlo and golden.json, run by bench/xla_cpu.py. Needs a Python with JAX and the plugin (`make jax`).

usage: compare_jax.py [--python build-jax/bin/python] [--seconds 0.3] [--rounds 3] [PROGRAM_DIR...]
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

PLATFORMS = ("cpu", "xylem")
CALLS = ("1 argument", "1 argument, waiting", "100 arguments", "100 arguments and results")
COPIES = ("from NumPy, aligned to 64 bytes", "from NumPy, aligned to 4 bytes", "to NumPy, of a result")
STARTS = ("import jax", "import jax; jax.devices()", "import jax; jax.numpy.ones(3) + 1")


def measure_calls():
  """Microseconds of calls of jitted functions, the best of some rounds."""
  import jax

  def best(call, count=500, rounds=15):
    jax.block_until_ready(call())
    times = []
    for _ in range(rounds):
      start = time.perf_counter()
      for _ in range(count):
        result = call()
      jax.block_until_ready(result)
      times.append((time.perf_counter() - start) / count * 1e6)
    return min(times)

  x = jax.numpy.float32(1)
  many = [jax.numpy.float32(i) for i in range(100)]
  one = jax.jit(lambda x: x + 1)
  total = jax.jit(lambda *values: sum(values))
  each = jax.jit(lambda *values: [value + 1 for value in values])
  calls = (lambda: one(x), lambda: one(x).block_until_ready(), lambda: total(*many),
           lambda: each(*many))
  return dict(zip(CALLS, map(best, calls)))


def measure_copies():
  """Microseconds of copies of 64 MB between NumPy and the device, and whether memory is shared."""
  import jax
  import numpy

  def best(copy, sources):
    times, shared = [], []
    for source in sources:
      start = time.perf_counter()
      made = copy(source)
      times.append((time.perf_counter() - start) * 1e6)
      array, host = (made, source) if isinstance(source, numpy.ndarray) else (source, made)
      shared.append(array.unsafe_buffer_pointer() == host.ctypes.data)
      del made, array, host
    return min(times), all(shared)

  def aligned(offset):
    memory = numpy.ones((16 << 20) + 32, numpy.float32)
    start = -memory.ctypes.data % 64 // 4 + offset
    return memory[start:start + (16 << 20)]

  put = lambda host: jax.block_until_ready(jax.device_put(host))
  step = jax.jit(lambda x: x + 1)
  x = put(aligned(0))
  results = [jax.block_until_ready(step(x)) for _ in range(5)]
  copies = (best(put, [aligned(0) for _ in range(5)]), best(put, [aligned(1) for _ in range(5)]),
            best(numpy.asarray, results))
  return dict(zip(COPIES, copies))


def measure_starts(python, code, rounds):
  """Milliseconds of a process on each platform, in turns, the best of some rounds."""
  times = [[] for _ in PLATFORMS]
  for _ in range(rounds):
    for platform, spent in zip(PLATFORMS, times):
      start = time.perf_counter()
      subprocess.run([python, "-c", code], env={**os.environ, "JAX_PLATFORMS": platform},
                     stderr=subprocess.DEVNULL, check=True)
      spent.append((time.perf_counter() - start) * 1e3)
  return list(map(min, times))


def measure_programs():
  """A function that measures the program of a folder for some seconds."""
  sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
  import xla_cpu
  return xla_cpu.Peer(platform=None).measure


def serve():
  """Answers lines of standard input, a folder and seconds or "calls" or "copies", with JSON."""
  others = {"calls": measure_calls, "copies": measure_copies}
  programs = None
  for line in sys.stdin:
    folder, seconds = line.rstrip("\n").split("\t")
    try:
      if folder not in others and programs is None:
        programs = measure_programs()
      answer = others[folder]() if folder in others else programs(folder, float(seconds))
    except Exception as error:  # the program is reported, the others are measured
      answer = {"error": str(error).splitlines()[0]}
    print(json.dumps(answer), flush=True)


class Worker:
  def __init__(self, arguments, platform):
    self.process = subprocess.Popen(
        [arguments.python, __file__, "--serve"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "JAX_PLATFORMS": platform})

  def ask(self, folder, seconds=0):
    self.process.stdin.write(f"{folder}\t{seconds}\n")
    self.process.stdin.flush()
    line = self.process.stdout.readline()
    return json.loads(line) if line else {"error": "the process ended"}


def mean(ratios):
  return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--python", default=sys.executable)
  parser.add_argument("--seconds", type=float, default=0.3)
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
  parser.add_argument("folders", nargs="*")
  arguments = parser.parse_args()
  if arguments.serve:
    return serve()
  workers = [Worker(arguments, platform) for platform in PLATFORMS]
  runs, compiles = [], []
  if arguments.folders:
    print("| program | XLA ms | Xylem ms | ratio | XLA compiles in | Xylem in | ratio |")
    print("|---|---|---|---|---|---|---|")
  for folder in map(os.path.abspath, arguments.folders):
    name, rounds = os.path.basename(folder), []
    for _ in range(arguments.rounds):
      rounds.append([worker.ask(folder, arguments.seconds) for worker in workers])
    errors = [answer["error"] for pair in rounds for answer in pair if "error" in answer]
    if errors:
      print(f"| {name} | {errors[0][:90]} |", flush=True)
      continue
    middle = lambda key: [statistics.median(pair[i][key] for pair in rounds) for i in (0, 1)]
    (run, our_run), (compile_, our_compile) = middle("run_ms"), middle("compile_ms")
    runs.append(run / our_run)
    compiles.append(compile_ / our_compile)
    print(f"| {name} | {run:.3f} | {our_run:.3f} | {runs[-1]:.2f} | {compile_:.1f} | "
          f"{our_compile:.1f} | {compiles[-1]:.2f} |", flush=True)
  if runs:
    print(f"geometric means: run {mean(runs):.2f}, compile {mean(compiles):.2f}; slower than XLA: "
          f"{sum(ratio < 0.95 for ratio in runs)} of {len(runs)}\n")
  calls = [worker.ask("calls") for worker in workers]
  print("| call of a jitted function | XLA us | Xylem us |\n|---|---|---|")
  for call in CALLS:
    print(f"| {call} | {calls[0][call]:.2f} | {calls[1][call]:.2f} |")
  copies = [worker.ask("copies") for worker in workers]
  print("\n| 64 MB | XLA us | Xylem us |\n|---|---|---|")
  for copy in COPIES:
    print(f"| {copy} |", *(f"{us:.0f}, {'shared' if shared else 'copied'} |"
                           for us, shared in (answer[copy] for answer in copies)))
  print("\n| process | XLA ms | Xylem ms |\n|---|---|---|")
  for code in STARTS:
    times = measure_starts(arguments.python, code, arguments.rounds)
    print(f"| {code} | {times[0]:.0f} | {times[1]:.0f} |")


if __name__ == "__main__":
  main()

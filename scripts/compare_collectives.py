#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare collectives between processes of this machine: Xylem, and XLA:CPU on Gloo.

    scripts/compare_collectives.py [--processes 2 4] [--turns 5] [--bytes 8 1024 ...] [--json FILE]

Each platform has its own processes of one device, which stay; cells (a collective, a size) are measured in
turns, so that both meet the same load. A time is that of a whole call of a jitted function of one
collective, from the call until its result is there, in the process that takes longest; a turn makes
--calls of them (fewer of large ones), and the least of all turns counts, with the median of the best
turn beside it. Sizes are those of the whole array that the collective is about: what all-gather gives and
reduce-scatter takes. The Python that runs this has JAX; Xylem is that of the wheel, or of this source tree
with XYLEM_PJRT_LIBRARY=build/libxylem_pjrt.so. Exits with 1 if a cell is slower than XLA:CPU's.
"""

import argparse
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import time

PLATFORMS = ("cpu", "xylem")
KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
SIZES = (8, 1 << 10, 64 << 10, 1 << 20, 64 << 20)
PYTHON_FOLDER = pathlib.Path(__file__).resolve().parent.parent / "python"


# --- In the processes

def make_call(kind, size, mesh):
  """A function that makes a call and waits for its result."""
  import jax
  import numpy as np
  from jax.sharding import NamedSharding, PartitionSpec

  count = mesh.size
  length = max(count, size // 4 // count * count)  # of float32; each device has a part
  bodies = {
      "all-reduce": lambda x: jax.lax.psum(x, "x"),
      "all-gather": lambda x: jax.lax.all_gather(x, "x", tiled=True),
      "reduce-scatter": lambda x: jax.lax.psum_scatter(x, "x", tiled=True),
      "all-to-all": lambda x: jax.lax.all_to_all(x, "x", 0, 0, tiled=True),
      "collective-permute": lambda x: jax.lax.ppermute(x, "x", [(i, (i + 1) % count) for i in range(count)]),
  }
  own = length // count if kind == "all-gather" else length
  data = np.ones(own, np.float32)
  sharding = NamedSharding(mesh, PartitionSpec("x"))
  x = jax.make_array_from_callback((own * count,), sharding, lambda index: data)
  f = jax.jit(jax.shard_map(bodies[kind], mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec("x"),
                            check_vma=False))
  return lambda: f(x).block_until_ready()


def worker(platform, process, processes, coordinator):
  import jax
  import numpy as np
  from jax.sharding import Mesh

  if platform == "xylem":
    import jax_xylem
    jax_xylem.initialize()
  else:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
  jax.config.update("jax_platforms", platform)
  jax.distributed.initialize(coordinator, processes, process)
  mesh = Mesh(np.array(jax.devices()), ("x",))
  calls = {}
  print("ready", flush=True)
  for line in sys.stdin:
    request = json.loads(line)
    cell = (request["kind"], request["bytes"])
    call = calls.get(cell)
    if call is None:
      calls.clear()  # one cell's memory at a time
      call = calls[cell] = make_call(*cell, mesh)
      call()
      call()
    times = []
    for _ in range(request["calls"]):
      begin = time.perf_counter()
      call()
      times.append(time.perf_counter() - begin)
    print("times", json.dumps(times), flush=True)
  os._exit(0)  # JAX's own shutdown waits for all processes


# --- Outside

class Job:
  """The processes of a platform."""

  def __init__(self, platform, processes):
    with socket.socket() as probe:
      probe.bind(("localhost", 0))
      coordinator = f"localhost:{probe.getsockname()[1]}"
    env = {**os.environ, "JAX_PLATFORMS": "", "PYTHONPATH": os.pathsep.join(
        filter(None, [str(PYTHON_FOLDER), os.environ.get("PYTHONPATH")]))}
    self.children = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__, "--worker", platform, "--process", str(i),
             "--processes", str(processes), "--coordinator", coordinator],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for i in range(processes)]
    for child in self.children:
      self.read(child, "ready")

  def read(self, child, start):
    """The next line that begins so: others are of libraries."""
    while line := child.stdout.readline():
      if line.startswith(start):
        return line
    sys.exit(f"a process has ended: {child.wait()}")

  def measure(self, kind, size, calls):
    """Microseconds of each call, in the process that it took longest in."""
    for child in self.children:
      child.stdin.write(json.dumps({"kind": kind, "bytes": size, "calls": calls}) + "\n")
      child.stdin.flush()
    each = [json.loads(self.read(child, "times").removeprefix("times")) for child in self.children]
    return sorted(max(times) * 1e6 for times in zip(*each))

  def end(self):
    for child in reversed(self.children):  # the first has JAX's service
      child.kill()
    for child in self.children:
      child.wait()


def compare(processes, args):
  """The cells of so many processes."""
  jobs = {platform: Job(platform, processes) for platform in PLATFORMS}
  cells = []
  try:
    for kind in args.kinds:
      for size in args.bytes:
        calls = max(5, min(args.calls, (16 << 20) // size))
        least = {platform: math.inf for platform in PLATFORMS}
        median = dict(least)
        for turn in range(args.turns):
          for platform in PLATFORMS if turn % 2 == 0 else reversed(PLATFORMS):
            times = jobs[platform].measure(kind, size, calls)
            least[platform] = min(least[platform], times[0])
            median[platform] = min(median[platform], times[len(times) // 2])
        cell = {"processes": processes, "collective": kind, "bytes": size, "least_us": least, "median_us": median,
                "ratio": least["cpu"] / least["xylem"], "median_ratio": median["cpu"] / median["xylem"]}
        cells.append(cell)
        print(f"{processes} processes  {kind:18} {size:9} bytes   cpu {least['cpu']:10.1f} us   "
              f"xylem {least['xylem']:10.1f} us   {cell['ratio']:5.2f} times"
              f"   (medians {median['cpu']:10.1f} {median['xylem']:10.1f} {cell['median_ratio']:5.2f})",
              flush=True)
  finally:
    for job in jobs.values():
      job.end()
  return cells


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--processes", type=int, nargs="*", default=[2, 4])
  parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
  parser.add_argument("--bytes", type=int, nargs="*", default=SIZES)
  parser.add_argument("--turns", type=int, default=5)
  parser.add_argument("--calls", type=int, default=100, help="calls of a turn")
  parser.add_argument("--json", type=pathlib.Path, help="write all cells to this file")
  parser.add_argument("--worker", help=argparse.SUPPRESS)
  parser.add_argument("--process", type=int, help=argparse.SUPPRESS)
  parser.add_argument("--coordinator", help=argparse.SUPPRESS)
  args = parser.parse_args()
  if args.worker:
    worker(args.worker, args.process, args.processes[0], args.coordinator)
    return
  cells = [cell for processes in args.processes for cell in compare(processes, args)]
  if args.json:
    args.json.write_text(json.dumps(cells, indent=1) + "\n")
  mean = math.exp(sum(math.log(cell["ratio"]) for cell in cells) / len(cells))
  slower = sum(cell["ratio"] < 1 for cell in cells)
  print(f"{len(cells)} cells: geometric mean {mean:.2f} times, {slower} slower than XLA:CPU on Gloo")
  sys.exit(1 if slower else 0)


if __name__ == "__main__":
  main()

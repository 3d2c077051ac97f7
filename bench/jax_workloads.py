#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of the kinds that people write in JAX, compiled and run on Xylem and on XLA:CPU in turns.

    JAX_PLATFORMS=xylem,cpu bench/jax_workloads.py [NAME ...] [--seconds 0.2] [--rounds 3] [--json FILE]

Prints milliseconds of a call (the median of the rounds' medians) and of a compilation, and the largest difference of the
results in units of the result's largest number. The Python that runs this has JAX and the plugin (`make jax`).
"""
import argparse
import json
import math
import statistics
import time

import jax
import numpy as np

from workloads import images, sampling, sequences, simulation, tables, transformers  # noqa: F401  (these register workloads)
from workloads.common import Arrays, WORKLOADS


class Side:
  """A workload compiled for one platform."""

  def __init__(self, make, platform):
    with jax.default_device(jax.devices(platform)[0]):
      function, arguments = make(Arrays())
      self.arguments = jax.device_put(arguments, jax.devices(platform)[0])
      lowered = jax.jit(function).lower(*self.arguments)
      begin = time.perf_counter()
      self.compiled = lowered.compile()
      self.compile_ms = (time.perf_counter() - begin) * 1e3

  def run(self):
    return jax.block_until_ready(self.compiled(*self.arguments))

  def measure(self, seconds):
    """The median of milliseconds of a call."""
    self.run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
      begin = time.perf_counter()
      self.run()
      times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def difference(ours, theirs):
  """The largest difference over the largest number of each result."""
  worst = 0.0
  for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
      return math.inf
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    if a.size:
      worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))
  return worst


def compare(name, options):
  ours, theirs = Side(WORKLOADS[name], "xylem"), Side(WORKLOADS[name], "cpu")
  rounds = [(ours.measure(options.seconds), theirs.measure(options.seconds)) for _ in range(options.rounds)]
  row = dict(name=name, run_ms=statistics.median(r[0] for r in rounds), xla_run_ms=statistics.median(r[1] for r in rounds),
             compile_ms=ours.compile_ms, xla_compile_ms=theirs.compile_ms, difference=difference(ours.run(), theirs.run()))
  row["ratio"] = row["xla_run_ms"] / row["run_ms"]
  row["compile_ratio"] = row["xla_compile_ms"] / row["compile_ms"]
  return row


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
  parser.add_argument("--seconds", type=float, default=0.2, help="of a round")
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--json", metavar="FILE", help="write the rows as JSON, too")
  options = parser.parse_args()
  unknown = set(options.names) - set(WORKLOADS)
  if unknown:
    parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
  rows = []
  print(f"{'workload':30} {'XLA ms':>9} {'Xylem ms':>9} {'ratio':>6} {'XLA compile':>12} {'Xylem':>8} {'ratio':>6} difference")
  for name in options.names or WORKLOADS:
    row = compare(name, options)
    rows.append(row)
    print(f"{name:30} {row['xla_run_ms']:9.3f} {row['run_ms']:9.3f} {row['ratio']:6.2f} {row['xla_compile_ms']:12.1f} "
          f"{row['compile_ms']:8.1f} {row['compile_ratio']:6.2f} {row['difference']:.1e}", flush=True)
  mean = lambda key: statistics.geometric_mean(row[key] for row in rows)
  print(f"{len(rows)} workloads: run {mean('ratio'):.2f} times faster than XLA:CPU, compile {mean('compile_ratio'):.2f}; "
        f"slower than XLA: {sum(row['ratio'] < 0.95 for row in rows)}")
  if options.json:
    with open(options.json, "w") as file:
      json.dump(rows, file, indent=1)


if __name__ == "__main__":
  main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares programs compiled ahead of time with those that `xylem bench` compiles: run times on one thread, in turns, and sizes.

Needs a C compiler and a Python with NumPy and ml_dtypes, such as build-xla/bin/python (`make oracle`). Ends with 1 if a program is
slower ahead of time by more than --above percent.

usage: compare_aot.py [--build build] [--rounds 3] [--most-rounds 15] [--seconds 0.2] [--above 3] [--cpu] PROGRAM_DIR...

Times are the least of all rounds; where the program is slower ahead of time by more than --above percent, there are more rounds.

--cpu compares processor time: where other processes disturb, that says more than time on the clock.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from xla_cpu import draw, np, read_golden  # noqa: E402


def run(*command):
  done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
  if done.returncode:
    raise RuntimeError((done.stderr or done.stdout).strip())
  return done.stdout


def write_call(golden, path):
  """What tests/aot/run_list.c reads."""
  arguments = [draw(argument).tobytes() for argument in golden["args"]]
  results = [np.dtype(out["dtype"]).itemsize * math.prod(out["shape"]) for out in golden["outputs"]]
  with open(path, "wb") as file:
    file.write(struct.pack("<q", len(arguments) + len(results)))
    for data in arguments:
      file.write(struct.pack("<qq", len(data), 0))
    for size in results:
      file.write(struct.pack("<qq", size, 1))
    for data in arguments:
      file.write(data)


def program_of(folder):
  return next(path for path in (folder / "program.mlir", folder / "program.hlo") if path.exists())


def build(folder, arguments, scratch):
  """The linked program; the bytes of the library and of the program."""
  for old in scratch.iterdir():
    old.unlink()
  run(arguments.build / "xylem", "aot", program_of(folder), "--name", "program", "-o", scratch / "program")
  main = scratch / "main"
  run("cc", "-O2", "-s", f"-I{scratch}", ROOT / "tests/aot/run_list.c", scratch / "program.a",
      arguments.build / "libxylem_runtime.a", "-Wl,--gc-sections", "-lstdc++", "-lm", "-lpthread", "-o", main)
  write_call(read_golden(folder), scratch / "call")
  return main, (scratch / "program.a").stat().st_size, main.stat().st_size


def measure(folder, arguments, scratch):
  main, library, linked = build(folder, arguments, scratch)
  jit, aot = math.inf, math.inf
  for done in range(arguments.most_rounds):
    if done >= arguments.rounds and aot <= jit * (1 + arguments.above / 100):
      break
    ahead = run(main, scratch / "call", scratch / "output", "", arguments.seconds)
    aot = min(aot, float(ahead.split()[1 if arguments.cpu else 0]) / 1e6)
    here = run(arguments.build / "xylem", "bench", "--json", "--threads", 1, "--seconds", arguments.seconds, folder)
    jit = min(jit, json.loads(here.splitlines()[-1])["cpu_ms" if arguments.cpu else "min_ms"])
  return jit, aot, library, linked


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--most-rounds", type=int, default=15)
  parser.add_argument("--seconds", type=float, default=0.2)
  parser.add_argument("--above", type=float, default=3)
  parser.add_argument("--cpu", action="store_true")
  parser.add_argument("folders", nargs="+", type=pathlib.Path)
  arguments = parser.parse_args()
  ratios = {}
  print("| program | JIT ms | ahead of time ms | ratio | library KB | program KB |\n|---|---|---|---|---|---|")
  with tempfile.TemporaryDirectory() as scratch:
    for folder in arguments.folders:
      try:
        jit, aot, library, linked = measure(folder, arguments, pathlib.Path(scratch))
      except RuntimeError as error:
        print(f"| {folder.name} | {str(error).splitlines()[0][:100]} |", flush=True)
        continue
      ratios[folder.name] = aot / jit
      print(f"| {folder.name} | {jit:.4g} | {aot:.4g} | {aot / jit:.3f} | {library / 1000:.0f} | {linked / 1000:.0f} |", flush=True)
  slower = [f"{name} {ratio:.3f}" for name, ratio in ratios.items() if ratio > 1 + arguments.above / 100]
  if ratios:
    print(f"geometric mean {math.exp(sum(map(math.log, ratios.values())) / len(ratios)):.3f} of {len(ratios)} programs; "
          f"slower by more than {arguments.above:g} %: {', '.join(slower) or 'none'}")
  return 1 if slower or len(ratios) < len(arguments.folders) else 0


if __name__ == "__main__":
  sys.exit(main())

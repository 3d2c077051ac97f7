#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares compiled programs with XLA's CPU backend: compile times, run times, scratch memory.

Both sides run each program in turns, for some rounds; the best median of a side counts. A ratio is XLA's time over
ours: above 1, Xylem is faster. Needs a Python with jaxlib, which `make oracle` installs into build-xla/:

    make build oracle
    build-xla/bin/python bench/compare.py tests/programs/*

usage: compare.py [--ours 'build/xylem bench --json'] [--seconds 1] [--rounds 2] [--json FILE] FOLDER...
"""
import argparse
import json
import math
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import xla_cpu

SLOWER = 0.95  # a ratio below counts as slower: runs differ by some 3 %
KIB = 1024


def measure_ours(command, folder):
  done = subprocess.run(command + [folder], capture_output=True, text=True, check=False)
  lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
  if done.returncode or not lines:
    raise RuntimeError((done.stderr or done.stdout).strip() or f"exit code {done.returncode}")
  return json.loads(lines[-1])


def compare(peer, command, folder, seconds, rounds):
  """A row of the table: the best of both sides."""
  pairs = [(peer.measure(folder, seconds), measure_ours(command, folder)) for _ in range(rounds)]
  best = lambda side, key: min(pair[side][key] for pair in pairs)
  row = {"name": pairs[0][0]["name"]}
  for key in ("run_ms", "compile_ms"):
    row["xla_" + key], row["our_" + key] = best(0, key), best(1, key)
    # Times below the resolution of the clock count as a tenth of a microsecond.
    row[key[:-3] + "_ratio"] = best(0, key) / max(best(1, key), 1e-4)
  row["xla_temp_bytes"], row["our_temp_bytes"] = best(0, "temp_bytes"), best(1, "temp_bytes")
  return row


def geometric_mean(values):
  return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(rows, failed):
  runs, compiles = ([row[kind + "_ratio"] for row in rows] for kind in ("run", "compile"))
  memory = sum(row["our_temp_bytes"] > row["xla_temp_bytes"] + 4 * KIB for row in rows)
  return (f"{len(rows)} programs: run {geometric_mean(runs):.2f} times faster than XLA:CPU (geometric mean), "
          f"compile {geometric_mean(compiles):.2f}; slower than XLA: {sum(ratio < SLOWER for ratio in runs)}, "
          f"with more scratch memory: {memory}, failed: {failed}")


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--ours", help="the command to compare; a folder is appended")
  parser.add_argument("--seconds", type=float, default=1.0, help="how long each side runs a program in a round")
  parser.add_argument("--rounds", type=int, default=2)
  parser.add_argument("--json", help="also write the rows to this file")
  parser.add_argument("folders", nargs="+")
  arguments = parser.parse_args()
  command = shlex.split(arguments.ours or f"build/xylem bench --json --seconds {arguments.seconds}")
  peer, rows, failed = xla_cpu.Peer(), [], 0
  print(f"{'program':24} {'XLA ms':>10} {'ours':>10} {'ratio':>7} {'XLA compile':>12} {'ours':>9} {'ratio':>7}"
        f" {'XLA scratch KiB':>16} {'ours':>9}")
  for folder in arguments.folders:
    try:
      row = compare(peer, command, folder, arguments.seconds, arguments.rounds)
    except Exception as error:  # whatever jaxlib raises: a failure is a row, too
      failed += 1
      print(f"{os.path.basename(os.path.normpath(folder)):24} failed: {str(error).splitlines()[0][:200]}", flush=True)
      continue
    rows.append(row)
    print(f"{row['name']:24} {row['xla_run_ms']:10.4f} {row['our_run_ms']:10.4f} {row['run_ratio']:7.2f}"
          f" {row['xla_compile_ms']:12.1f} {row['our_compile_ms']:9.1f} {row['compile_ratio']:7.2f}"
          f" {row['xla_temp_bytes'] / KIB:16.0f} {row['our_temp_bytes'] / KIB:9.0f}", flush=True)
  print(summary(rows, failed))
  if arguments.json:
    with open(arguments.json, "w", encoding="utf-8") as file:
      json.dump(rows, file, indent=1)
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())

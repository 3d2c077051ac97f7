#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the reference programs, partitioned over a batch dimension, on one process and on several.

    scripts/compare_divisions.py [PROGRAM ...] [--xylem build/xylem] [--backends cpu interpreter] [--seconds 120]

Each program gets shardings that divide its batch among 8 devices (4 where it has 4 elements), and runs as
1 x 8, 2 x 4, 4 x 2 and 8 x 1 processes x devices: the results must be the same bits. Programs without a
batch dimension are named and left out, as are those that one process takes longer than --seconds for.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parent.parent
# The parameters that have the batch, and its dimension, where that is not dimension 0 of parameter 0.
BATCH = {
    "bmm_attn": ([0, 1], 0), "dus_cache": ([0, 1], 0), "ew_chain_bf16": ([0, 1], 0), "gather_rows": ([1], 0),
    "mandelbrot": ([0, 1], 0), "mlp_train_step": ([6, 7], 0), "scan_lstm": ([0], 1), "scatter_add": ([1, 2], 0),
}
WITHOUT = {
    "dispatch_mlp_tiny": "a batch of 1", "dispatch_scalar": "scalars", "gpt2s_fwd_128": "a batch of 1",
    "rng_uniform": "no array as input", "sort_1m": "one array to sort", "while_scalar_100k": "scalars",
}


def divided(text, name):
  """The text with shardings, and the number of devices."""
  parameters, dimension = BATCH.get(name, ([0], 0))
  head, entry = re.split(r"(?m)^(?=ENTRY )", text, maxsplit=1)
  devices = 8
  for number in parameters:
    match = re.search(rf"(?m)^.* = \w+\[([\d,]*)\]\S* parameter\({number}\)", entry)
    sizes = [int(size) for size in match.group(1).split(",")]
    while sizes[dimension] % devices:
      devices //= 2
    tiles = ",".join(str(devices) if d == dimension else "1" for d in range(len(sizes)))
    entry = entry[:match.end()] + f", sharding={{devices=[{tiles}]<=[{devices}]}}" + entry[match.end():]
  head = re.sub(r"^HloModule [^\s,]+", rf"\g<0>, num_partitions={devices}", head, count=1, flags=re.M)
  return head + entry, devices


def run(xylem, backend, file, output, processes, limit):
  """Seconds that it took; None if that was too long."""
  begin = time.monotonic()
  command = [xylem, "run", "--backend", backend, "--random", "1", "--output", output]
  if processes > 1:
    command += ["--processes", str(processes), "--timeout", "1800"]
  try:
    result = subprocess.run(command + [file], capture_output=True, text=True, timeout=limit)
  except subprocess.TimeoutExpired:
    return None
  if result.returncode != 0:
    raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()[-2000:]}")
  return time.monotonic() - begin


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("programs", nargs="*", metavar="PROGRAM")
  parser.add_argument("--xylem", default=str(TREE / "build/xylem"))
  parser.add_argument("--folder", default=str(TREE / "tests/programs"))
  parser.add_argument("--backends", nargs="+", default=["cpu", "interpreter"])
  parser.add_argument("--seconds", type=float, default=120)
  args = parser.parse_args()
  names = args.programs or sorted(folder.name for folder in pathlib.Path(args.folder).iterdir()
                                  if (folder / "program.hlo").exists())
  same, different, slow, without = [], [], [], []
  with tempfile.TemporaryDirectory(prefix="xylem-divisions-") as scratch:
    os.environ["TMPDIR"] = scratch
    for name in names:
      if name in WITHOUT:
        without.append(name)
        print(f"{name}: not divided ({WITHOUT[name]})", flush=True)
        continue
      text, devices = divided((pathlib.Path(args.folder) / name / "program.hlo").read_text(), name)
      file = os.path.join(scratch, f"{name}.hlo")
      pathlib.Path(file).write_text(text)
      for backend in args.backends:
        outputs = [os.path.join(scratch, f"{where}.npz") for where in ("one", "several")]
        label = f"{name}, {backend}"
        seconds = run(args.xylem, backend, file, outputs[0], 1, args.seconds)
        if seconds is None:
          slow.append(label)
          print(f"{label}: not compared, one process takes more than {args.seconds:.0f} s", flush=True)
          continue
        expected = pathlib.Path(outputs[0]).read_bytes()
        divisions = [p for p in (2, 4, 8) if p <= devices]
        wrong = []
        for processes in divisions:
          run(args.xylem, backend, file, outputs[1], processes, None)
          if pathlib.Path(outputs[1]).read_bytes() != expected:
            wrong.append(f"{processes} x {devices // processes}")
        (different if wrong else same).append(label)
        where = ", ".join(f"{p} x {devices // p}" for p in [1] + divisions)
        print(f"{label}: " + (f"OTHER BITS on {', '.join(wrong)}" if wrong else f"the same bits on {where}"), flush=True)
  print(f"{len(same)} the same, {len(different)} different, {len(slow)} too slow, {len(without)} without a batch")
  sys.exit(1 if different else 0)


if __name__ == "__main__":
  main()

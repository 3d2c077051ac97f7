#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs ahead of time for 64-bit ARM, runs them under qemu's user mode, and compares the results with this machine's.

Differences up to what rounding explains are none (`xylem run --expect`). The runtime archive is cross-compiled into build-arm64, with the
libraries of `scripts/install_deps.sh --arm64`; programs are linked statically. Exits with 77 where the cross compiler, qemu or a
module of Python (NumPy, ml_dtypes) is missing.

usage: check_aot_arm64.py [--build build] [PROGRAM_DIR...]      all of tests/programs and bench/programs by default
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPILER = "aarch64-linux-gnu-gcc"


def skip(reason):
  print(f"skipped: {reason}")
  sys.exit(77)


try:
  from compare_aot import draw, np, program_of, read_golden, run, write_call
except ImportError as missing:
  skip(f"Python has no module {missing.name}")


def find_qemu():
  return shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64") or skip("there is no qemu-aarch64-static")


def build_runtime():
  """The archive for 64-bit ARM, without the rest of the build."""
  subprocess.run(["cmake", "--preset", "arm64"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
  subprocess.run(["cmake", "--build", "--preset", "arm64", "--target", "xylem_runtime"], cwd=ROOT, check=True)
  return ROOT / "build-arm64" / "libxylem_runtime.a"


def layouts_of_results(xylem, program):
  """The dimensions of each result, from minor to major, as the program lays them out."""
  header = run(xylem, "print", program, "--to", "hlo").split("\n", 1)[0]
  results = re.search(r"entry_computation_layout=\{.*?->(.*)$", header)
  return re.findall(r"\[[^\]]*\](?:\{([\d,]*)[^}]*\})?", results.group(1)) if results else []


def read_results(golden, layouts, path):
  """The arrays that tests/aot/run_list.c wrote, by the names that `xylem run` gives them."""
  data, arrays = path.read_bytes(), {}
  for i, out in enumerate(golden["outputs"]):
    kind, count = np.dtype(out["dtype"]), int(np.prod(out["shape"], dtype=np.int64))
    order = [int(d) for d in layouts[i].split(",")][::-1] if i < len(layouts) and layouts[i] else range(len(out["shape"]))
    array = np.frombuffer(data[:kind.itemsize * count], kind).reshape([out["shape"][d] for d in order])
    arrays[f"out{i:02}"] = array.transpose(np.argsort(order)) if len(order) else array
    data = data[kind.itemsize * count:]
  return arrays


def check(folder, xylem, runtime, qemu, scratch):
  program, golden = program_of(folder), read_golden(folder)
  run(xylem, "aot", program, "--target", "aarch64", "--name", "program", "-o", scratch / "program")
  run(COMPILER, "-static", f"-I{scratch}", ROOT / "tests/aot/run_list.c", scratch / "program.a", runtime, "-Wl,--gc-sections",
      "-lstdc++", "-lm", "-lpthread", "-o", scratch / "main")
  write_call(golden, scratch / "call")
  run(qemu, scratch / "main", scratch / "call", scratch / "output")
  np.savez(scratch / "results.npz", **read_results(golden, layouts_of_results(xylem, program), scratch / "output"))
  inputs = []
  if golden["args"]:
    np.savez(scratch / "arguments.npz", **{f"arg{i:02}": draw(argument) for i, argument in enumerate(golden["args"])})
    inputs = ["--input", scratch / "arguments.npz"]
  run(xylem, "run", "--json", *inputs, "--expect", scratch / "results.npz", program)


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
  parser.add_argument("folders", nargs="*", type=pathlib.Path)
  arguments = parser.parse_args()
  if shutil.which(COMPILER) is None:
    skip(f"there is no {COMPILER}")
  qemu = find_qemu()
  folders = arguments.folders or sorted(
      path.parent for parent in ("tests/programs", "bench/programs") for path in (ROOT / parent).glob("*/golden.json"))
  runtime, failed = build_runtime(), []
  for folder in folders:
    with tempfile.TemporaryDirectory() as scratch:
      start = time.monotonic()
      try:
        check(folder, arguments.build / "xylem", runtime, qemu, pathlib.Path(scratch))
        print(f"{folder.name}: ok, {time.monotonic() - start:.1f} s", flush=True)
      except RuntimeError as error:
        print(f"{folder.name}: FAILED\n{error}", flush=True)
        failed.append(folder.name)
  print(f"{len(folders) - len(failed)} of {len(folders)} programs agree{': all but ' + ', '.join(failed) if failed else ''}")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well `xylem plan` predicts: programs on 2, 4 and 8 devices, predicted and run.

    scripts/check_plan.py build/xylem                 # calibrates for each number of devices first
    scripts/check_plan.py build/xylem --once          # with 2 devices only: 4 and 8 are predictions
    scripts/check_plan.py build/xylem --processes     # a device in each of 2, 4 and 8 processes

On a machine that others use, take several --rounds: the least prediction and the least time count.

The machine is measured by `xylem plan --calibrate`; the programs here are no part of that. Prints a
line for each program and number of devices, then the median and the largest error. The exit code is
1 only if a command fails: how large an error may be depends on how busy the machine is.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SUM = "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"


def all_of(n):
    return f"replica_groups=[1,{n}]<=[{n}], use_global_device_ids=true"


def dot(lhs, rhs, left=1, right=0):
    return f"dot({lhs}, {rhs}), lhs_contracting_dims={{{left}}}, rhs_contracting_dims={{{right}}}"


def shift(n):
    pairs = ",".join(f"{{{d},{(d + 1) % n}}}" for d in range(n))
    return f"source_target_pairs={{{pairs}}}"


def data_parallel(n):
    """A layer and the gradient of its weights, added over all devices."""
    return f"""{SUM}
ENTRY main {{
  x = f32[256,512] parameter(0)
  w = f32[512,512] parameter(1)
  y = f32[256,512] {dot("x", "w")}
  t = f32[256,512] tanh(y)
  g = f32[512,512] {dot("x", "t", 0, 0)}
  ROOT r = f32[512,512] all-reduce(g), channel_id=1, {all_of(n)}, to_apply=sum
}}"""


def tensor_parallel(n):
    """Two layers divided by columns and rows."""
    return f"""{SUM}
ENTRY main {{
  x = f32[256,512] parameter(0)
  a = f32[512,{2048 // n}] parameter(1)
  b = f32[{2048 // n},512] parameter(2)
  h = f32[256,{2048 // n}] {dot("x", "a")}
  t = f32[256,{2048 // n}] tanh(h)
  y = f32[256,512] {dot("t", "b")}
  ROOT r = f32[256,512] all-reduce(y), channel_id=1, {all_of(n)}, to_apply=sum
}}"""


def gathered_weights(n):
    """Weights in shards: gathered, used, and their gradient scattered."""
    return f"""{SUM}
ENTRY main {{
  x = f32[128,1024] parameter(0)
  s = f32[{1024 // n},1024] parameter(1)
  w = f32[1024,1024] all-gather(s), channel_id=1, {all_of(n)}, dimensions={{0}}
  y = f32[128,1024] {dot("x", "w")}
  g = f32[1024,1024] {dot("x", "y", 0, 0)}
  ROOT r = f32[{1024 // n},1024] reduce-scatter(g), channel_id=2, {all_of(n)}, dimensions={{0}}, to_apply=sum
}}"""


def experts(n):
    """Rows go to the devices of their experts and back."""
    groups = "{{" + ",".join(str(d) for d in range(n)) + "}}"
    return f"""
ENTRY main {{
  x = f32[1024,512] parameter(0)
  w = f32[512,512] parameter(1)
  e = f32[1024,512] all-to-all(x), channel_id=1, replica_groups={groups}, dimensions={{0}}
  y = f32[1024,512] {dot("e", "w")}
  ROOT r = f32[1024,512] all-to-all(y), channel_id=2, replica_groups={groups}, dimensions={{0}}
}}"""


def ring(n):
    """A product whose right side passes all devices."""
    return f"""
body {{
  s = (s32[], f32[128,256], f32[128,256], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[128,256] get-tuple-element(s), index=1
  y = f32[128,256] get-tuple-element(s), index=2
  w = f32[256,256] get-tuple-element(s), index=3
  p = f32[128,256] {dot("x", "w")}
  sum = f32[128,256] add(y, p)
  next = f32[256,256] collective-permute(w), channel_id=1, {shift(n)}
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[128,256], f32[128,256], f32[256,256]) tuple(j, x, sum, next)
}}
condition {{
  s = (s32[], f32[128,256], f32[128,256], f32[256,256]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant({2 * n})
  ROOT less = pred[] compare(i, n), direction=LT
}}
ENTRY main {{
  x = f32[128,256] parameter(0)
  w = f32[256,256] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  y = f32[128,256] broadcast(f), dimensions={{}}
  s = (s32[], f32[128,256], f32[128,256], f32[256,256]) tuple(zero, x, y, w)
  l = (s32[], f32[128,256], f32[128,256], f32[256,256]) while(s), condition=condition, body=body
  ROOT r = f32[128,256] get-tuple-element(l), index=2
}}"""


def halos(n):
    """A stencil whose first and last rows come from neighbors."""
    return f"""
ENTRY main {{
  x = f32[512,1024] parameter(0)
  last = f32[1,1024] slice(x), slice={{[511:512], [0:1024]}}
  above = f32[1,1024] collective-permute(last), channel_id=1, {shift(n)}
  rows = f32[513,1024] concatenate(above, x), dimensions={{0}}
  low = f32[512,1024] slice(rows), slice={{[0:512], [0:1024]}}
  d = f32[512,1024] subtract(x, low)
  e = f32[512,1024] multiply(d, d)
  ROOT r = f32[512,1024] exponential(e)
}}"""


def small_sums(n):
    """Many sums of a few numbers, each of which needs the one before."""
    lines = ["  v0 = f32[16] parameter(0)"]
    for i in range(32):
        root = "ROOT " if i == 31 else ""
        lines.append(
            f"  a{i} = f32[16] all-reduce(v{i}), channel_id={i + 1}, {all_of(n)}, to_apply=sum")
        lines.append(f"  {root}v{i + 1} = f32[16] tanh(a{i})")
    return SUM + "ENTRY main {\n" + "\n".join(lines) + "\n}"


def norms(n):
    """Rows divided along their length: normalized with sums of all parts."""
    return f"""{SUM}
ENTRY main {{
  x = f32[2048,512] parameter(0)
  zero = f32[] constant(0)
  s = f32[2048,512] multiply(x, x)
  p = f32[2048] reduce(s, zero), dimensions={{1}}, to_apply=sum
  a = f32[2048] all-reduce(p), channel_id=1, {all_of(n)}, to_apply=sum
  q = f32[2048] rsqrt(a)
  b = f32[2048,512] broadcast(q), dimensions={{0}}
  ROOT r = f32[2048,512] multiply(x, b)
}}"""


PROGRAMS = [
    data_parallel, tensor_parallel, gathered_weights, experts, ring, halos, small_sums, norms
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xylem", help="the command")
    parser.add_argument("--devices", default="2,4,8", help="numbers of devices")
    parser.add_argument("--once", action="store_true",
                        help="calibrate with the first number of devices only")
    parser.add_argument("--processes", action="store_true", help="a device in each process")
    parser.add_argument("--rounds", type=int, default=1,
                        help="calibrate and run so often: the least of each counts")
    options = parser.parse_args()
    counts = [int(n) for n in options.devices.split(",")]
    how = "--processes" if options.processes else "--devices"
    plans = {}  # of each program and number of devices, in all rounds
    with tempfile.TemporaryDirectory() as folder:
        machine = os.path.join(folder, "machine.txt")
        for _ in range(options.rounds):
            for n in counts:
                if n == counts[0] or not options.once:
                    run([options.xylem, "plan", "--calibrate", how, str(n), "--output", machine])
                for program in PROGRAMS:
                    path = os.path.join(folder, f"{program.__name__}.hlo")
                    with open(path, "w", encoding="utf-8") as out:
                        out.write(f"HloModule {program.__name__}, num_partitions={n}\n{program(n)}\n")
                    command = [options.xylem, "plan", path, "--mesh", f"d={n}", "--machine", machine]
                    command += ["--compiled", "--measure", "--json"]
                    if options.processes:
                        command += ["--processes", str(n)]
                    plans.setdefault((program.__name__, n), []).append(json.loads(run(command)))
    errors = []
    print(f"{'program':<18}{'devices':>8}{'predicted us':>14}{'measured us':>14}{'error':>9}")
    for (name, n), rounds in plans.items():
        predicted = min(plan["seconds"] for plan in rounds)
        measured = min(plan["measured_seconds"] for plan in rounds)
        error = predicted / measured - 1
        errors.append(abs(error))
        print(f"{name:<18}{n:>8}{predicted * 1e6:>14.1f}{measured * 1e6:>14.1f}{error * 100:>+8.0f}%")
    load = os.getloadavg()[0]
    within = sum(error <= 0.3 for error in errors)
    print(f"median error {statistics.median(errors) * 100:.0f}%, largest {max(errors) * 100:.0f}%; "
          f"{within} of {len(errors)} within 30%; load {load:.0f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()

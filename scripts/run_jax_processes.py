#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests of several processes (tests/multiprocess) on Xylem.

    scripts/run_jax_processes.py JAX_CHECKOUT --python VENV/bin/python [--files pjit_test array_test ...]

The checkout is one of github.com/jax-ml/jax at the tag of the installed jax; the Python has jax, this
package, absl-py and portpicker. A file starts --processes processes of --devices devices each. A case
has passed if it has in all of them; it is skipped if all skip it, also where JAX's tests expect a CPU
(jax_test_dut). With --platform cpu JAX's own CPUs
run instead, for comparison. Writes a table, and with --out results.json; exits with 1 if a case failed.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Of GPUs and TPUs only: pgle_test, tpu_device_test.
DEFAULT_FILES = """
all_gather_test all_reduce_test all_to_all_test array_test axis_index_test colocated_python_test
device_id_test host_callback_test key_value_store_test multihost_utils_test pjit_test pmap_test
socket_transfer_test thread_guard_test wait_barrier_test
""".split()

OUTCOME = re.compile(r"\[\s*(OK|FAILED|SKIPPED)\s*\] (\S+)")
STARTED = re.compile(r"\[\s*RUN\s*\] (\S+)")


def outcomes_of_process(log):
  """Case -> passed, failed, skipped, or crashed for one that has not ended."""
  outcomes = {}
  for line in log.splitlines():
    if started := STARTED.search(line):
      outcomes.setdefault(started.group(1), "crashed")
    elif ended := OUTCOME.search(line):
      outcomes[ended.group(2)] = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[ended.group(1)]
  return outcomes


def combined(processes):
  """What a case did in all processes together."""
  cases = {}
  for name in sorted({name for outcomes in processes for name in outcomes}):
    seen = [outcomes.get(name, "crashed") for outcomes in processes]
    for worst in ("crashed", "failed"):
      if worst in seen:
        cases[name] = worst
        break
    else:
      cases[name] = "skipped" if set(seen) == {"skipped"} else "passed"
  return cases


def run_file(args, name, folder, expect_cpu=False):
  env = dict(os.environ)
  if expect_cpu:
    env["JAX_TEST_DUT"] = "cpu"
  env.update(JAX_PLATFORMS=args.platform, JAX_NUM_CPU_DEVICES=str(args.devices),
             TEST_UNDECLARED_OUTPUTS_DIR=str(folder))
  path = pathlib.Path(args.checkout) / "tests" / "multiprocess" / f"{name}.py"
  if not path.exists():
    sys.exit(f"there is no {path}")
  command = [args.python, str(path.resolve()), f"--num_processes={args.processes}",
             f"--barrier_timeout={args.patience}", f"--initialization_timeout={args.patience}",
             f"--heartbeat_timeout={args.patience}", f"--shutdown_timeout={args.patience}"]
  if args.case:
    command += [f"--extra_test_args=-k={args.case}"]
  ended = "in time"
  with open(folder / "parent.log", "wb") as log:
    process = subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)
    try:
      process.wait(args.timeout)
    except subprocess.TimeoutExpired:
      ended = "by its time limit"
      # JAX's preemption notifier catches SIGTERM in the processes.
      os.killpg(process.pid, 9)
      process.wait()
  logs = []
  for i in range(args.processes):
    file = folder / f"jax_{i}_stderr.log"
    logs.append(file.read_text(errors="replace") if file.exists() else "")
  return combined([outcomes_of_process(log) for log in logs]), process.returncode, ended


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("checkout")
  parser.add_argument("--python", default=sys.executable)
  parser.add_argument("--files", nargs="*", default=DEFAULT_FILES)
  parser.add_argument("--case", help="only cases whose names contain this")
  parser.add_argument("--processes", type=int, default=4)
  parser.add_argument("--devices", type=int, default=2, help="of each process")
  parser.add_argument("--platform", default="xylem,cpu",
                      help="JAX_PLATFORMS of the processes; some cases also use JAX's own CPUs")
  parser.add_argument("--patience", type=int, default=200, help="seconds for JAX's barriers")
  parser.add_argument("--timeout", type=int, default=1200, help="seconds for a file")
  parser.add_argument("--out", help="a folder for results.json and the logs")
  args = parser.parse_args()

  out = pathlib.Path(args.out or tempfile.mkdtemp(prefix="jax_processes_"))
  results, failed = {}, False
  print(f"{'file':26} passed failed skipped crashed")
  totals = dict.fromkeys(("passed", "failed", "skipped", "crashed"), 0)
  for name in args.files:
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    cases, code, ended = run_file(args, name, folder)
    # What JAX skips depends on the names of platforms: once more as if this one were a CPU.
    if "skipped" in cases.values() and code == 0:
      (folder / "as_cpu").mkdir(exist_ok=True)
      again, code, ended = run_file(args, name, folder / "as_cpu", expect_cpu=True)
      cases.update({case: again[case] for case in cases if cases[case] == "skipped" and case in again})
    results[name] = {"cases": cases, "exit_code": code, "ended": ended}
    counts = {kind: list(cases.values()).count(kind) for kind in totals}
    for kind in totals:
      totals[kind] += counts[kind]
    row = "".join(f"{counts[kind]:7}" for kind in totals)
    note = "" if code == 0 else f"  exit code {code}, ended {ended}"
    print(f"{name:26}{row}{note}", flush=True)
    for case, outcome in cases.items():
      if outcome in ("failed", "crashed"):
        print(f"    {outcome}: {case}", flush=True)
    failed = failed or code != 0 or counts["failed"] > 0 or counts["crashed"] > 0 or not cases
  print(f"{'sum':26}" + "".join(f"{totals[kind]:7}" for kind in totals))
  if args.out:
    (out / "results.json").write_text(json.dumps(results, indent=1))
  print(f"logs: {out}")
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()

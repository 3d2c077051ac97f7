#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a job do when one of them fails, or does something else than the others.

    scripts/check_process_failures.py [--cases killed orders ...] [--kills 100] [--cuts 10] [--processes 4]

Seven cases; --kills times a `kill -9` of one of the processes at a random moment of a loop of runs; --cuts
times an end of the connections between two of them (by `ss -K`, which needs root).
Every process that lives must have an error within --limit seconds that names the process, or the
programs and operations that do not fit; none may hang, be ended by a signal, or have a wrong number; a
process that is merely late, or stopped for a while, is waited for, and the others say so. The Python that
runs this has JAX and Xylem.
"""

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "xylem")


# --- In the processes

def report(**fields):
  print(json.dumps(fields), flush=True)


def attempt(run):
  """The outcome of a call as a dictionary: its value or its error, and how long it took."""
  begin = time.monotonic()
  try:
    value = run()
    return {"value": value, "seconds": time.monotonic() - begin}
  except Exception as error:
    return {"error": str(error), "seconds": time.monotonic() - begin}


def worker(case, process, processes, coordinator):
  import jax
  import jax.numpy as jnp
  import numpy as np
  from jax.sharding import Mesh, NamedSharding, PartitionSpec

  if hasattr(jax.config, "jax_enable_recoverability"):
    jax.config.update("jax_enable_recoverability", True)  # JAX's service ends no process
  jax.distributed.initialize(coordinator, processes, process, initialization_timeout=300)

  def shards(mesh, length, value):
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    data = np.full(length * mesh.size, value, np.float32)
    return jax.make_array_from_callback(data.shape, sharding, lambda index: data[index])

  def over(mesh, body, out=PartitionSpec()):
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=out,
                                 check_vma=False))

  def number(array):
    return float(np.asarray(array.addressable_data(0)).ravel()[0])

  mesh = Mesh(np.array(jax.devices()), ("x",))

  def f(x):
    return jax.lax.psum(x, "x")

  def g(x):
    return jax.lax.psum(2 * x, "x")

  total = over(mesh, f)
  ones = shards(mesh, 4, 1)
  assert number(total(ones)) == processes
  last = process == processes - 1
  if case == "killed":
    if last:
      os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.2)
    report(**attempt(lambda: number(total(ones))))
    # Survivors go on without the dead one.
    rest = Mesh(np.array([d for d in jax.devices() if d.process_index != processes - 1]), ("x",))
    report(**attempt(lambda: number(over(rest, f)(shards(rest, 4, 1)))))
  elif case == "orders":
    double = over(mesh, g)
    for call in (double, total) if last else (total, double):
      report(**attempt(lambda: number(call(ones))))
  elif case == "programs":
    gather = over(mesh, lambda x: jax.lax.all_gather(x, "x", tiled=True))
    report(**attempt(lambda: number((gather if last else total)(ones))))
  elif case == "shapes":
    report(**attempt(lambda: number(total(shards(mesh, 8 if last else 4, 1)))))
  elif case == "one-sided":
    # A program that one process never enters, because it has ended with an error of its own.
    if last:
      report(error="left")
      os._exit(0)
    report(**attempt(lambda: number(total(ones))))
  elif case == "late":
    if last:
      time.sleep(8)
    scatter = over(mesh, lambda x: jax.lax.psum_scatter(x, "x", tiled=True), PartitionSpec("x"))
    report(**attempt(lambda: number(scatter(shards(mesh, processes, 1)))))
  elif case == "stopped":
    report(pid=os.getpid())
    if last:
      os.kill(os.getpid(), signal.SIGSTOP)
    report(**attempt(lambda: number(total(ones))))
  elif case == "loop":
    report(started=True)
    outcome = {}
    while "error" not in outcome:
      outcome = attempt(lambda: number(total(ones)))
      if outcome.get("value", processes) != processes:
        report(error="WRONG NUMBER", value=outcome["value"])
        os._exit(1)
    report(at=time.time(), **outcome)
  os._exit(0)  # JAX's own shutdown waits for all processes


# --- Outside

class Job:
  def __init__(self, case, processes):
    with socket.socket() as probe:
      probe.bind(("localhost", 0))
      self.port = probe.getsockname()[1]
    coordinator = f"localhost:{self.port}"
    self.children = [
        subprocess.Popen(
            [sys.executable, __file__, "--worker", case, "--process", str(i), "--processes", str(processes),
             "--coordinator", coordinator],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for i in range(processes)]

  def resume(self, process, seconds):
    """Lets a process go on that has stopped itself, so many seconds after it has."""
    child = self.children[process]
    while child.poll() is None:
      with open(f"/proc/{child.pid}/stat") as file:
        if file.read().rpartition(")")[2].split()[0] == "T":
          break
      time.sleep(0.1)
    time.sleep(seconds)
    child.send_signal(signal.SIGCONT)

  def finish(self, timeout):
    """For each process its reports, its exit code (None: it hung) and what it wrote to stderr."""
    end, results = time.monotonic() + timeout, []
    for child in self.children:
      try:
        out, err = child.communicate(timeout=max(1, end - time.monotonic()))
        code = child.returncode
      except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        code = None
      reports = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
      results.append((reports, code, err))
    return results


def need(condition, text, problems):
  if not condition:
    problems.append(text)


def check_case(case, processes, limit, timeout):
  """The problems of a case, and an error that is typical of it."""
  problems, example = [], ""
  last = processes - 1
  job = Job(case, processes)
  if case == "stopped":
    job.resume(last, 25)
  results = job.finish(timeout)
  for process, (reports, code, err) in enumerate(results):
    who = f"process {process}"
    if case in ("killed", "one-sided") and process == last:
      continue
    need(code == 0, f"{who}: exit code {code} ({err.strip().splitlines()[-1:] or ''})", problems)
    if not reports:
      problems.append(f"{who}: no report")
      continue
    first = reports[-1 if case == "stopped" else 0]
    if case == "stopped" and process != last:
      told = [line for line in err.splitlines() if "has waited" in line]
      need(told and f"process {last}" in told[0] and "all-reduce" in told[0],
           f"{who}: does not say for whom it waits: {told}", problems)
      example = example or "".join(told[:1])
    if case in ("late", "stopped"):
      need(first.get("value") == processes, f"{who}: {first}", problems)
      continue
    errors = [r for r in reports if "error" in r]
    need(errors, f"{who}: no error: {reports}", problems)
    if not errors:
      continue
    example = example or errors[0]["error"]
    need(errors[0]["seconds"] <= limit, f"{who}: after {errors[0]['seconds']:.1f} s", problems)
    text = errors[0]["error"]
    if case in ("killed", "one-sided"):
      need(f"process {last}" in text, f"{who}: does not name process {last}: {text}", problems)
    if case == "killed":
      need(len(reports) > 1 and reports[1].get("value") == processes - 1,
           f"{who}: the survivors do not go on: {reports[1:]}", problems)
    if case == "orders":
      need("jit_f" in text and "jit_g" in text, f"{who}: does not name both programs: {text}", problems)
      for r, expected in zip(reports, (2 * processes, processes) if process == last else (processes, 2 * processes)):
        need("value" not in r or r["value"] == expected, f"{who}: wrong number {r}", problems)
    if case in ("programs",):
      need("all-reduce" in text and "all-gather" in text, f"{who}: does not name both operations: {text}", problems)
    if case == "shapes":
      need("f32[4]" in text and "f32[8]" in text, f"{who}: does not name both shapes: {text}", problems)
  return problems, example


def start_loop(processes):
  """A job of processes that are in the middle of many small runs."""
  job = Job("loop", processes)
  for child in job.children:
    while line := child.stdout.readline():
      if "started" in line:
        break
  return job


def check_survivors(job, survivors, what, names, since, limit, timeout):
  """The problems of the processes that must have an error with one of these names in it."""
  problems = []
  for process, (reports, code, err) in enumerate(job.finish(timeout)):
    if process not in survivors:
      continue
    who = f"process {process} ({what})"
    need(code == 0, f"{who}: exit code {code}: {err[-500:]}", problems)
    need(reports and "error" in reports[-1], f"{who}: no error: {reports}", problems)
    if reports and "error" in reports[-1]:
      need(any(name in reports[-1]["error"] for name in names(process)), f"{who}: {reports[-1]['error']}", problems)
      seconds = reports[-1].get("at", since) - since
      need(seconds <= limit, f"{who}: after {seconds:.1f} s", problems)
  return problems


def kill_once(processes, limit, timeout, rng):
  job = start_loop(processes)
  time.sleep(rng.uniform(0, 2))
  victim = rng.randrange(processes)
  job.children[victim].kill()
  survivors = set(range(processes)) - {victim}
  return check_survivors(job, survivors, f"killed: {victim}", lambda _: [f"process {victim}"], time.time(), limit,
                         timeout)


def connections_between(first, second):
  """The two ports of each TCP connection between two processes of this machine."""
  ends = {}
  for line in subprocess.run(["ss", "-Htnp", "state", "established"], capture_output=True, text=True,
                             check=True).stdout.splitlines():
    fields = line.split()
    ports = tuple(int(address.rpartition(":")[2]) for address in fields[2:4])
    for pid in re.findall(r"pid=(\d+)", line):
      ends[ports] = int(pid)
  return [ports for ports, pid in ends.items() if pid == first and ends.get(ports[::-1]) == second]


def cut_once(processes, limit, timeout, rng):
  """Cuts what connects two processes, as a router that restarts does; JAX's service stays connected."""
  job = start_loop(processes)
  time.sleep(rng.uniform(0, 2))
  pair = rng.sample(range(processes), 2)
  connections = connections_between(*(job.children[process].pid for process in pair))
  cut = 0
  for local, remote in connections:
    if job.port in (local, remote):
      continue
    subprocess.run(["ss", "-K", "-tn", f"sport = :{local}", f"dport = :{remote}"], check=True, capture_output=True)
    cut += 1
  if cut == 0:
    sys.exit("there is nothing to cut: ss -K needs root, and a kernel with CONFIG_INET_DIAG_DESTROY")
  names = lambda process: [f"process {other}" for other in pair if other != process]
  return check_survivors(job, set(range(processes)), f"cut: {pair}", names, time.time(), limit, timeout)


CASES = ["killed", "one-sided", "orders", "programs", "shapes", "late", "stopped"]


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--cases", nargs="*", default=CASES, choices=CASES)
  parser.add_argument("--kills", type=int, default=0)
  parser.add_argument("--cuts", type=int, default=0)
  parser.add_argument("--processes", type=int, default=3)
  parser.add_argument("--limit", type=float, default=5, help="seconds until an error")
  parser.add_argument("--timeout", type=float, default=300, help="seconds until a process hangs")
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("--worker")
  parser.add_argument("--process", type=int)
  parser.add_argument("--coordinator")
  args = parser.parse_args()
  if args.worker:
    worker(args.worker, args.process, args.processes, args.coordinator)
  failed = 0
  for case in args.cases:
    problems, example = check_case(case, args.processes, args.limit, args.timeout)
    failed += bool(problems)
    print(f"{case:10} {'FAILED' if problems else 'as it should'}", flush=True)
    for line in problems or ([example] if example else []):
      print(f"    {line}", flush=True)
  rng = random.Random(args.seed)
  for what, once, times in (("kill", kill_once, args.kills), ("cut", cut_once, args.cuts)):
    for number in range(times):
      problems = once(args.processes, args.limit, args.timeout, rng)
      failed += bool(problems)
      print(f"{what} {number + 1:3} {'FAILED' if problems else 'as it should'}", flush=True)
      for line in problems:
        print(f"    {line}", flush=True)
  sys.exit(1 if failed else 0)


if __name__ == "__main__":
  main()

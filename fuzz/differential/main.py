# SPDX-License-Identifier: Apache-2.0
"""Random programs in Xylem and in XLA (jaxlib): the same results, the same programs refused.

  python fuzz/differential/main.py --worker build/differential_worker --programs 2000 --invalid 1000

Programs come from the seed and their number alone. Where the sides differ the program, its inputs and both answers are
written to the findings folder; `--only N` runs one again. Differences that docs/differences.md explains are counted by
their name. Exit code: 0 no unexplained difference, 1 some, 77 no jaxlib (the test is skipped).
"""
import argparse
import collections
import os
import sys
import time

try:
  import jaxlib  # noqa: F401
  import ml_dtypes  # noqa: F401
  import numpy as np
except ImportError as error:
  print(f"skipped: this Python has no jaxlib ({error}); set XYLEM_PYTHON to one that has")
  sys.exit(77)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import compare
import coverage
import families
import invalid
import known
import program
import sides
import values


def make_program(seed, number, only_family=None):
  rng = np.random.default_rng([seed, number])
  p = program.Program(rng, "evaluator" if rng.integers(10) < 7 else "cpu")
  families.fill(p, only_family)
  return p


def shape_of(text):
  """"f32[2,3]{1,0}" -> ("f32", (2, 3))"""
  name, rest = text.split("[", 1)
  dims = rest.split("]", 1)[0]
  return name, tuple(int(d.replace("<=", "")) for d in dims.split(",") if d)


def compare_results(p, ours, theirs):
  """The differing results, and lines that tell how they differ."""
  if len(ours) != len(theirs):
    return [], [f"{len(ours)} results, XLA {len(theirs)}"]
  found, lines = [], []
  for i, ((shape, data), (name, dims, other), rule) in enumerate(zip(ours, theirs, p.rules)):
    value = p.results[i]
    if shape_of(shape) != (name, tuple(dims)):
      lines.append(f"result {i}: {shape}, XLA {name}{list(dims)}")
      continue
    a, b = values.from_raw(name, dims, data), values.from_raw(name, dims, other)
    p.arrays[value.name] = a
    mask = compare.differences(a, b, name, rule, p.mode == "cpu").reshape(a.shape)
    if mask.any():
      found.append(known.Difference(p, value, rule, a, b, mask))
      lines.append(f"result {i} ({value.name}) {shape} rule {rule.kind}({rule.limit}), {mask.sum()} elements:")
      lines += [f"  {[int(k) for k in j]}: {a[tuple(j)]!r}, XLA {b[tuple(j)]!r}" for j in np.argwhere(mask)[:5]]
  return found, lines


class Driver:
  def __init__(self, arguments):
    self.arguments = arguments
    self.xylem, self.xla = sides.Xylem(arguments.worker, arguments.backend), sides.Xla()
    self.outcomes = collections.Counter()
    self.reasons = collections.Counter()
    self.coverage = coverage.Coverage()
    os.makedirs(arguments.findings, exist_ok=True)

  def both(self, kind, text, inputs=()):
    """Answers of the two sides; a crash is an answer too."""
    answers = []
    self.xla.ask(kind, text, inputs)
    self.xylem.ask(text, inputs, kind != "verify")
    for side in (self.xylem, self.xla):
      try:
        answers.append(side.answer())
      except sides.Crashed as crash:
        answers.append(("crash", str(crash)))
    return answers

  def finding(self, kind, number, text, inputs, lines):
    path = os.path.join(self.arguments.findings, f"{kind}_{number}.txt")
    with open(path, "w") as file:
      file.write(text + "\n")
      for i, array in enumerate(inputs):
        file.write(f"// input {i}: {values.NAMES[array.dtype]} {array.tolist()}\n")
      file.write("\n".join("// " + part for line in lines for part in str(line).split("\n")) + "\n")
    if self.arguments.only is not None or self.arguments.verbose:
      print(open(path).read())

  def count(self, outcome, reason=""):
    self.outcomes[outcome] += 1
    if reason:
      self.reasons[f"{outcome}: {reason}"] += 1

  def valid(self, number):
    p = make_program(self.arguments.seed, number, self.arguments.family)
    text = p.text(number)
    ours, theirs = self.both(p.mode, text, p.inputs)
    if theirs[0] == "ok" and ours[0] == "ok":
      found, lines = compare_results(p, ours[1], theirs[1])
      self.coverage.add(p)
      if not lines:
        return self.count("equal")
      reason = known.explains_values(found)
      if reason and all("result" not in line or "elements" in line for line in lines):
        return self.count("explained", reason)
      self.count("different")
      return self.finding("different", number, text, p.inputs, [f"mode {p.mode}"] + lines)
    if theirs[0] == "crash":
      self.finding("xla_crash", number, text, p.inputs, [ours[0], theirs])
      return self.count("XLA crashed", known.crash_reason(p))
    if ours[0] == "ok":  # XLA does not run it
      reason = known.unsupported(theirs)
      if reason:
        return self.count("XLA cannot", reason)
      self.count("XLA rejects", known.normalize(theirs[1]))
      return self.finding("xla_rejects", number, text, p.inputs, [f"mode {p.mode}", "Xylem runs it", *theirs])
    if theirs[0] == "ok":
      self.count("Xylem rejects", known.normalize(ours[1]))
      return self.finding("xylem_rejects", number, text, p.inputs, [f"mode {p.mode}", *ours, "XLA runs it"])
    self.count("both reject", known.normalize(theirs[1]))
    return self.finding("both_reject", number, text, p.inputs, [f"mode {p.mode}", *ours, *theirs])

  def invalid(self, number):
    rng = np.random.default_rng([self.arguments.seed, number, 1])
    p = program.Program(rng, "evaluator")
    text, damage = invalid.damaged(p, number)
    ours, theirs = self.both("verify", text)
    if "crash" in (ours[0], theirs[0]):
      self.finding("invalid_crash", number, text, [], [damage, ours, theirs])
      return self.count("Xylem crashed" if ours[0] == "crash" else "XLA crashed", damage)
    theirs_accept = bool(known.accepts(theirs))
    # Without allow_mixed_precision Xylem refuses what XLA refused for it.
    accepted = (ours[0] == "ok" and (theirs_accept or not known.rejects_mixed(ours, theirs)), theirs_accept)
    if accepted[0] == accepted[1]:
      changed = theirs == ("ok", False)
      return self.count(("both accept" + (", changed on the way to XLA" if changed else "")) if accepted[0] else "both reject")
    reason = known.no_verdict(ours, theirs)
    if reason:
      return self.count("no verdict", reason)
    side = "Xylem accepts" if accepted[0] else "Xylem rejects"
    reason = known.explains_verdict(ours, theirs)
    message = known.normalize((theirs if accepted[0] else ours)[1])
    if reason:
      return self.count("explained", reason)
    self.count(side, f"{damage}: {message}")
    return self.finding(side.replace(" ", "_").lower(), number, text, [], [damage, *ours, *theirs])

  def run(self, what, count, start):
    begin, self.outcomes, self.reasons = time.time(), collections.Counter(), collections.Counter()
    numbers = range(start, start + count) if self.arguments.only is None else [self.arguments.only]
    for done, number in enumerate(numbers, 1):
      what(number)
      if done % 1000 == 0:
        print(f"{done} done, {time.time() - begin:.0f} s, {dict(self.outcomes)}", flush=True)
    total = sum(self.outcomes.values())
    print(f"{total} in {time.time() - begin:.0f} s: " + ", ".join(f"{k} {v}" for k, v in self.outcomes.most_common()))
    for reason, times in self.reasons.most_common():
      print(f"  {times:6} {reason}")
    return self.outcomes


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--worker", required=True, help="the differential_worker binary")
  parser.add_argument("--backend", choices=("interpreter", "cpu"), default="interpreter",
                      help="what runs programs; cpu: compiled, at 1, 2 and 5 threads")
  parser.add_argument("--programs", type=int, default=2000, help="valid programs to run")
  parser.add_argument("--invalid", type=int, default=0, help="damaged programs to judge")
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--start", type=int, default=0, help="number of the first program")
  parser.add_argument("--only", type=int, help="run the program of this number alone, and print it if it differs")
  parser.add_argument("--family", help="make operations of this family alone")
  parser.add_argument("--findings", default="findings", help="folder for programs that differ")
  parser.add_argument("--coverage", action="store_true", help="print what the programs covered")
  parser.add_argument("--verbose", action="store_true", help="print findings")
  driver = Driver(parser.parse_args())
  bad = 0
  if driver.arguments.programs:
    print("valid programs:")
    outcomes = driver.run(driver.valid, driver.arguments.programs, driver.arguments.start)
    bad += sum(outcomes[k] for k in ("different", "XLA rejects", "Xylem rejects", "both reject"))
    if driver.arguments.coverage:
      driver.coverage.print()
  if driver.arguments.invalid:
    print("damaged programs:")
    outcomes = driver.run(driver.invalid, driver.arguments.invalid, driver.arguments.start)
    bad += sum(outcomes[k] for k in ("Xylem accepts", "Xylem rejects", "Xylem crashed"))
  driver.xylem.close()
  driver.xla.close()
  print("no unexplained difference" if bad == 0 else f"{bad} unexplained differences, in {driver.arguments.findings}")
  return 1 if bad else 0


if __name__ == "__main__":
  sys.exit(main())

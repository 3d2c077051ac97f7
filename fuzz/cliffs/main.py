# SPDX-License-Identifier: Apache-2.0
"""Searches for cliffs: random programs at growing sizes, in Xylem and in XLA:CPU, side by side in one JAX.

  python fuzz/cliffs/main.py --programs 500              run times at four sizes
  python fuzz/cliffs/main.py --minutes 20 --compile      compile times of 1, 4 and 16 times the operations
  python fuzz/cliffs/main.py --work build/xylem --programs 300
                                                         the work of compiled programs, which no noise changes

A program is a cliff where it is slower than XLA by more than a quarter (and 20 us), in this measurement and in a longer
one, or where its time grows faster than XLA's. `--number N` runs one program again, `--only IDIOM` those of one idiom.
Programs come from the seed and their number alone. Exit code: 0 no cliff, 1 some, 77 no JAX (the test is skipped).
"""
import argparse
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
MOST_RATIO = 1.25
LITTLE_MS = {"run": 0.02, "compile": 30}
# Times of a size over those of half of it, compared with XLA's.
MOST_GROWTH = 1.5


class Worker:
  """A process that a program may end, and that is started again then."""

  def __init__(self, python, seconds, options=()):
    self.command = [python, os.path.join(FOLDER, "worker.py"), *options]
    self.seconds, self.process = seconds, None

  def ask(self, **request):
    if self.process is None:
      self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
    self.process.stdin.write(json.dumps(request) + "\n")
    self.process.stdin.flush()
    if not select.select([self.process.stdout], [], [], self.seconds)[0]:
      self.close()
      return {"error": f"no answer in {self.seconds} s"}
    line = self.process.stdout.readline()
    if line:
      return json.loads(line)
    code = self.process.wait()
    self.process = None
    return {"error": f"the process ended with {code}"}

  def close(self):
    if self.process is not None:
      self.process.kill()
      self.process.wait()
      self.process = None


class Search:
  def __init__(self, arguments):
    self.arguments = arguments
    self.kind = "compile" if arguments.compile else "run"
    self.worker = Worker(arguments.python, 600, ["--texts"] if arguments.work else [])
    self.cliffs, self.errors, self.done = [], [], 0

  def ask(self, number, at, seconds, text=False):
    scale, times = (1, at) if self.kind == "compile" else (at, 1)
    return self.worker.ask(seed=self.arguments.seed, number=number, scale=scale, times=times, seconds=seconds,
                           only=self.arguments.only, text=text)

  def is_slow(self, answer):
    ours, theirs = answer[self.kind]["xylem"], answer[self.kind]["cpu"]
    return ours > MOST_RATIO * theirs + LITTLE_MS[self.kind]

  def measure(self, number):
    """Answers by size; None if the program is at fault."""
    answers = {}
    for at in self.arguments.sizes:
      answer = self.ask(number, at, self.arguments.seconds)
      if "error" in answer:
        self.errors.append((number, at, answer["error"]))
        return None
      for _ in range(2):
        if not self.is_slow(answer):
          break
        again = self.ask(number, at, 4 * self.arguments.seconds)
        if "error" not in again:
          for side in ("cpu", "xylem"):
            answer[self.kind][side] = min(answer[self.kind][side], again[self.kind][side])
      answers[at] = answer
    return answers

  def judge(self, number, answers):
    times = {side: [a[self.kind][side] for a in answers.values()] for side in ("cpu", "xylem")}
    slow = [at for at, a in answers.items() if self.is_slow(a)]
    ratios = [ours / max(theirs, 1e-6) for ours, theirs in zip(times["xylem"], times["cpu"])]
    growing = len(ratios) > 2 and times["xylem"][-1] > 50 * LITTLE_MS[self.kind] and all(
        b > MOST_GROWTH * a for a, b in zip(ratios[-3:], ratios[-2:])) and ratios[-1] > 0.5
    temporary = [max(0, a["temporary"]["xylem"] - 2 * a["temporary"]["cpu"]) for a in answers.values()]
    words = [f"{at}: {a[self.kind]['xylem']:.3f}/{a[self.kind]['cpu']:.3f}" for at, a in answers.items()]
    verdict = ("SLOW" if slow else "GROWS" if growing else
               "MEMORY" if temporary[-1] > 1 << 24 and self.kind == "run" else None)
    line = f"{number} {max(ratios):.2f} {' '.join(words)} {next(iter(answers.values()))['name']}"
    if verdict == "MEMORY":
      last = list(answers.values())[-1]["temporary"]
      line += f" temporary MB {last['xylem'] >> 20}/{last['cpu'] >> 20}"
    if verdict is not None:
      self.cliffs.append((max(ratios), verdict, line))
    if verdict is not None or self.arguments.verbose:
      print(verdict or "ok", line, flush=True)

  def check_work(self, number):
    for at in self.arguments.sizes:
      answer = self.ask(number, at, 0, text=True)
      if "error" in answer:
        self.errors.append((number, at, answer["error"]))
        return
      with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(answer["text"])
        file.flush()
        done = subprocess.run([self.arguments.work, "compile", "--check-work", file.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
      if done.returncode < 0 or "instead of" in done.stderr:
        line = f"{number} size {at} {answer['name']}: {done.stderr.strip() or done.returncode}"
        self.cliffs.append((1, "WORK", line))
        print("WORK", line, flush=True)
      elif done.returncode:
        self.errors.append((number, at, done.stderr.strip()))

  def run(self):
    end = time.monotonic() + 60 * self.arguments.minutes if self.arguments.minutes else None
    numbers = [self.arguments.number] if self.arguments.number is not None else range(
        self.arguments.first, self.arguments.first + self.arguments.programs if end is None else 1 << 60)
    for number in numbers:
      if end is not None and time.monotonic() > end:
        break
      if sys.stderr.isatty():
        print(f"\r{self.done} programs, {len(self.cliffs)} cliffs ", end="", file=sys.stderr, flush=True)
      if self.arguments.work:
        self.check_work(number)
      elif answers := self.measure(number):
        self.judge(number, answers)
      self.done += 1


def main():
  signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--first", type=int, default=0, help="number of the first program")
  parser.add_argument("--programs", type=int, default=500)
  parser.add_argument("--minutes", type=float, help="how long to search, instead of a number of programs")
  parser.add_argument("--number", type=int, help="this program only")
  parser.add_argument("--only", help="an idiom")
  parser.add_argument("--sizes", type=lambda s: [int(v) for v in s.split(",")], help="the default is 1,2,4,8")
  parser.add_argument("--seconds", type=float, default=0.1, help="how long each size runs")
  parser.add_argument("--compile", action="store_true", help="compile times; sizes are numbers of repetitions")
  parser.add_argument("--work", metavar="XYLEM", help="check the work of programs that this command compiles")
  parser.add_argument("--python", default=sys.executable, help="a Python with JAX and the plugin")
  parser.add_argument("--verbose", action="store_true", help="print programs that are no cliffs, too")
  arguments = parser.parse_args()
  if arguments.sizes is None:
    arguments.sizes = [1, 4, 16] if arguments.compile else [1, 8] if arguments.work else [1, 2, 4, 8]
  if subprocess.run([arguments.python, "-c", "import jax"], stderr=subprocess.DEVNULL).returncode:
    print(f"skipped: {arguments.python} has no JAX")
    return 77
  search = Search(arguments)
  try:
    search.run()
  except KeyboardInterrupt:
    print(f"interrupted after {search.done} programs", file=sys.stderr)
    return 130
  finally:
    search.worker.close()
  for number, at, error in search.errors:
    print(f"error {number} size {at}: {error}")
  print(f"{search.done} programs, {len(search.cliffs)} cliffs, {len(search.errors)} errors")
  return 1 if search.cliffs else 0


if __name__ == "__main__":
  sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Measures programs on both platforms of one JAX: a request in JSON on each line, and an answer."""
import json
import os
import sys
import time
import warnings

# Texts alone need no plugin.
os.environ["JAX_PLATFORMS"] = "cpu" if "--texts" in sys.argv else "cpu,xylem"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
warnings.filterwarnings("ignore")

import jax
import numpy as np

from program import Program

SIDES = ("cpu", "xylem")


def compiled(program, platform):
  """The executable, its arguments, and the milliseconds that compiling took."""
  device = jax.devices(platform)[0]
  arguments = [jax.device_put(a, device) for a in program.arguments]
  lowered = jax.jit(program.function).lower(*arguments)
  start = time.perf_counter()
  executable = lowered.compile()
  return executable, arguments, (time.perf_counter() - start) * 1e3


def memory(executable):
  analysis = executable.memory_analysis()
  return getattr(analysis, "temp_size_in_bytes", 0) if analysis is not None else 0


def measure(program, seconds):
  """The least milliseconds of a run of each side, which take turns."""
  calls, answer = {}, {"name": program.name, "compile": {}, "temporary": {}}
  for side in SIDES:
    executable, arguments, answer["compile"][side] = compiled(program, side)
    answer["temporary"][side] = memory(executable)
    calls[side] = lambda executable=executable, arguments=arguments: jax.block_until_ready(executable(*arguments))
  best, first = {}, {}
  for side, call in calls.items():
    start = time.perf_counter()
    call()
    first[side] = time.perf_counter() - start
    best[side] = first[side]
  end = time.perf_counter() + seconds
  turns = 0
  while turns < 3 or time.perf_counter() < end:
    for side, call in calls.items():
      for _ in range(max(1, min(20, int(0.01 / best[side])))):
        start = time.perf_counter()
        call()
        best[side] = min(best[side], time.perf_counter() - start)
    turns += 1
    if sum(first.values()) > 20 * seconds + 5:
      break
  answer["run"] = {side: value * 1e3 for side, value in best.items()}
  return answer


def text(program):
  return jax.jit(program.function).lower(*program.arguments).as_text()


def main():
  out = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)  # what libraries print
  for line in sys.stdin:
    request = json.loads(line)
    try:
      program = Program(request["seed"], request["number"], request["scale"], request["times"], request["only"])
      if request["text"]:
        answer = {"name": program.name, "text": text(program)}
      else:
        answer = measure(program, request["seconds"])
    except Exception as error:  # a fault of an idiom is reported as such
      answer = {"error": f"{type(error).__name__}: {error}"[:2000]}
    print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
  main()

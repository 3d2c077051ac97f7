#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times JAX's linear algebra on Xylem beside JAX's own "cpu", in one process, alternately.

    JAX_PLATFORMS=xylem,cpu python scripts/compare_linalg.py [--types f32 f64 c64] [--sizes 2 3 8 ...]

Needs a Python with jax, jaxlib and this package. Single matrices are called from Python; --loop calls
each function 1000 times in a compiled loop instead, and --batch N on N matrices at once. Prints
microseconds (least of alternating rounds) and the ratio; with --markdown a table.
"""

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg as jsl

TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
STEPS = 1000


def adjoint(a):
  return jnp.conj(jnp.swapaxes(a, -1, -2))


def definite(a):
  return a @ adjoint(a) + a.shape[-1] * jnp.eye(a.shape[-1], dtype=a.dtype)


# Name: function of a matrix, and what prepares its argument.
FUNCTIONS = {
    "cholesky": (jnp.linalg.cholesky, definite),
    "lu": (lambda a: lax.linalg.lu(a)[0], None),
    "solve": (lambda a: jnp.linalg.solve(a, a[..., :1]), None),
    "inv": (jnp.linalg.inv, None),
    "det": (jnp.linalg.det, None),
    "triangular solve": (lambda a: lax.linalg.triangular_solve(a, a, left_side=True, lower=True),
                         definite),
    "cho_solve": (lambda a: jsl.cho_solve((a, True), a[..., :1]), definite),
    "tridiagonal solve": (lambda a: lax.linalg.tridiagonal_solve(
        a[..., 0], a[..., 1] + 5, a[..., 0], a), None),
    "qr": (lambda a: jnp.linalg.qr(a)[0], None),
    "eigh": (lambda a: jnp.linalg.eigh(a)[1], definite),
    "svd": (lambda a: jnp.linalg.svd(a, full_matrices=False)[0], None),
    "svd values": (lambda a: jnp.linalg.svd(a, compute_uv=False), None),
    "eig": (lambda a: jnp.linalg.eig(a)[1], None),
    "schur": (lambda a: lax.linalg.schur(a)[0], None),
}


def in_loop(function):
  def looped(a):
    def body(_, s):
      made = function(s)
      # Depends on the result, and stays what it was.
      return s + (jnp.sum(jnp.abs(made)) * 0).astype(s.dtype)
    return lax.fori_loop(0, STEPS, body, a)
  return looped


def seconds(functions, budget):
  """The least time of each function, in turns."""
  for function in functions:
    jax.block_until_ready(function())
  best = [float("inf")] * len(functions)
  end = time.perf_counter() + budget
  rounds = 0
  while rounds < 3 or (time.perf_counter() < end and rounds < 500):
    for i, function in enumerate(functions):
      start = time.perf_counter()
      jax.block_until_ready(function())
      best[i] = min(best[i], time.perf_counter() - start)
    rounds += 1
  return best


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--types", nargs="*", default=["f32", "f64", "c64"], choices=TYPES)
  parser.add_argument("--sizes", nargs="*", type=int, default=[2, 3, 8, 32, 100, 300, 1000])
  parser.add_argument("--functions", nargs="*", default=list(FUNCTIONS), choices=FUNCTIONS)
  parser.add_argument("--batch", type=int, default=0)
  parser.add_argument("--loop", action="store_true")
  parser.add_argument("--budget", type=float, default=0.4, help="seconds of a line")
  parser.add_argument("--markdown", action="store_true")
  args = parser.parse_args()
  jax.config.update("jax_enable_x64", True)
  devices = [jax.devices(platform)[0] for platform in ("cpu", "xylem")]
  random = np.random.default_rng(0)
  if args.markdown:
    print("| function | type | size | cpu us | xylem us | ratio |\n|---|---|---|---|---|---|")
  for name in args.functions:
    function, prepare = FUNCTIONS[name]
    for type_name in args.types:
      for n in args.sizes:
        shape = (args.batch, n, n) if args.batch else (n, n)
        a = random.standard_normal(shape)
        if type_name.startswith("c"):
          a = a + 1j * random.standard_normal(shape)
        a = a.astype(TYPES[type_name])
        if prepare is not None:
          with jax.default_device(jax.devices("cpu")[0]):
            a = np.asarray(prepare(jnp.asarray(a)))
        calls = []
        for device in devices:
          compiled = jax.jit(in_loop(function) if args.loop else function)
          argument = jax.device_put(a, device)
          calls.append(lambda compiled=compiled, argument=argument: compiled(argument))
        cpu, xylem = (1e6 * t / (STEPS if args.loop else 1) for t in seconds(calls, args.budget))
        row = [name, type_name, f"{args.batch} x {n}" if args.batch else str(n), f"{cpu:.2f}",
               f"{xylem:.2f}", f"{xylem / cpu:.2f}"]
        print("| " + " | ".join(row) + " |" if args.markdown else "  ".join(
            f"{cell:>{width}}" for cell, width in zip(row, (18, 5, 12, 12, 12, 6))), flush=True)


if __name__ == "__main__":
  main()

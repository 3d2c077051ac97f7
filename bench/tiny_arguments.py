#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of functions by the size of their arguments, over the time at 0.3: some processors take long for subnormal numbers.

    JAX_PLATFORMS=xylem bench/tiny_arguments.py [FUNCTION ...] [--f64] [--step 3] [--above 1.6]

Prints the exponents (of 2) at which a function takes --above times as long. The Python that runs this has JAX, with
Xylem or without.
"""
import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

FUNCTIONS = {
    "acos": jnp.arccos, "acosh": lambda x: jnp.arccosh(1 + x), "asin": jnp.arcsin, "asinh": jnp.arcsinh,
    "atan": jnp.arctan, "atanh": jnp.arctanh, "cbrt": jnp.cbrt, "cos": jnp.cos, "cosh": jnp.cosh,
    "erf": lax.erf, "erf_inv": lax.erf_inv, "erfc": lax.erfc, "exp": jnp.exp, "expm1": jnp.expm1,
    "gelu": jax.nn.gelu, "log": jnp.log, "log1p": jnp.log1p, "logistic": jax.nn.sigmoid,
    "pow": lambda x: jnp.power(x, 1.7), "silu": jax.nn.silu, "sin": jnp.sin, "sinh": jnp.sinh,
    "softplus": jax.nn.softplus, "sqrt": jnp.sqrt, "tan": jnp.tan, "tanh": jnp.tanh,
}


def least_seconds(function, x, calls=9):
  function(x).block_until_ready()
  times = []
  for _ in range(calls):
    begin = time.perf_counter()
    function(x).block_until_ready()
    times.append(time.perf_counter() - begin)
  return min(times)


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=", ".join(FUNCTIONS))
  parser.add_argument("--f64", action="store_true")
  parser.add_argument("--step", type=int, help="of exponents; the default is 3, 20 with --f64")
  parser.add_argument("--above", type=float, default=1.6)
  parser.add_argument("--elements", type=int, default=1 << 14)
  options = parser.parse_args()
  unknown = set(options.functions) - set(FUNCTIONS)
  if unknown:
    parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(FUNCTIONS)}")
  jax.config.update("jax_enable_x64", options.f64)
  kind, least = (np.float64, -1074) if options.f64 else (np.float32, -149)
  mantissas = np.linspace(1, 2, options.elements)
  for name in options.functions or FUNCTIONS:
    function = jax.jit(FUNCTIONS[name])
    usual = least_seconds(function, jnp.full(options.elements, 0.3, kind))
    slow = []
    for exponent in range(-1, least, -(options.step or (20 if options.f64 else 3))):
      ratio = least_seconds(function, jnp.asarray(np.ldexp(mantissas, exponent).astype(kind))) / usual
      if ratio > options.above:
        slow.append(f"2^{exponent}: {ratio:.1f}")
    print(f"{name:10} {usual * 1e6:8.1f} us   {', '.join(slow)}", flush=True)


if __name__ == "__main__":
  main()

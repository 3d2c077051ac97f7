#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network for many steps, then compiles and drops many functions, and prints the
memory of the process as it goes. It must stay flat.

    JAX_PLATFORMS=xylem scripts/soak_jax.py --steps 100000 --compilations 1000

Fails if the second half of either part takes more than --limit MB on top of the first half.
"""

import argparse
import gc
import sys
import time

import jax
import jax.numpy as jnp


def resident():
  """Megabytes of this process."""
  with open("/proc/self/status") as status:
    line = next(line for line in status if line.startswith("VmRSS"))
  return int(line.split()[1]) / 1024


def train(steps):
  """Adam on a network of two layers; yields after each step."""
  sizes = (32, 128, 10)
  keys = jax.random.split(jax.random.key(0), 2)
  parameters = [
      (jax.random.normal(key, pair) * pair[0]**-0.5, jnp.zeros(pair[1]))
      for key, pair in zip(keys, zip(sizes, sizes[1:]))]
  zeros = jax.tree.map(jnp.zeros_like, parameters)
  state = (parameters, zeros, jax.tree.map(jnp.zeros_like, parameters))

  def loss(parameters, images, labels):
    (w1, b1), (w2, b2) = parameters
    logits = jax.nn.relu(images @ w1 + b1) @ w2 + b2
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])

  @jax.jit
  def step(state, key):
    parameters, mean, square = state
    images = jax.random.normal(key, (64, sizes[0]))
    labels = jnp.argmax(images[:, :sizes[-1]], axis=1)
    value, gradient = jax.value_and_grad(loss)(parameters, images, labels)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
    parameters = jax.tree.map(
        lambda p, m, s: p - 1e-3 * m / (jnp.sqrt(s) + 1e-8), parameters, mean, square)
    return (parameters, mean, square), value

  key = jax.random.key(1)
  for _ in range(steps):
    key, now = jax.random.split(key)
    state, value = step(state, now)
    yield lambda: f"loss {float(value):.4f}"


def compile_and_drop(count):
  for i in range(count):
    function = jax.jit(lambda x, i=i: jnp.tanh(x @ x + i).sum(axis=i % 2))
    function(jnp.ones((8 + i % 7, 8 + i % 7))).block_until_ready()
    del function
    if i % 50 == 49:
      jax.clear_caches()
      gc.collect()
    yield lambda: ""


def watch(name, iterator, count, limit):
  """True if the memory of the second half is that of the first."""
  sizes, start = [], time.perf_counter()
  for i, describe in enumerate(iterator, 1):
    if i % (count // 10) == 0:
      sizes.append(resident())
      print(f"{name} {i}: {sizes[-1]:.1f} MB, {time.perf_counter() - start:.0f} s {describe()}",
            flush=True)
  return max(sizes[5:]) - max(sizes[:5]) <= limit


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--steps", type=int, default=100_000)
  parser.add_argument("--compilations", type=int, default=1000)
  parser.add_argument("--limit", type=float, default=4)
  args = parser.parse_args()
  print(f"platform {jax.devices()[0].platform}: {resident():.1f} MB")
  flat = watch("step", train(args.steps), args.steps, args.limit)
  flat &= watch("compilation", compile_and_drop(args.compilations), args.compilations, args.limit)
  print("flat" if flat else "the memory grows")
  return 0 if flat else 1


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network data-parallel on processes of this machine for many steps, and prints the memory of
each as it goes. It must stay flat.

    scripts/soak_processes.py --processes 4 --steps 20000

Each process has a part of every batch; a step sums the gradients of all. Fails if the second half of the
steps takes more than --limit MB on top of the first half in some process, or if the weights of two
processes differ. The Python that runs this has JAX and Xylem.
"""

import argparse
import hashlib
import os
import socket
import subprocess
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "xylem")
from soak_jax import resident

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def train(steps, batch=64, sizes=(32, 128, 10)):
  """Adam on a network of two layers; yields the weights after each step."""
  mesh = Mesh(np.array(jax.devices()), ("data",))
  everywhere = NamedSharding(mesh, PartitionSpec())
  divided = NamedSharding(mesh, PartitionSpec("data"))

  def loss(parameters, images, labels):
    (w1, b1), (w2, b2) = parameters
    logits = jax.nn.relu(images @ w1 + b1) @ w2 + b2
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])

  def step(state, images, labels):
    parameters, mean, square = state
    gradient = jax.grad(loss)(parameters, images, labels)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
    parameters = jax.tree.map(
        lambda p, m, s: p - 1e-3 * m / (jnp.sqrt(s) + 1e-8), parameters, mean, square)
    return parameters, mean, square

  step = jax.jit(step, in_shardings=(everywhere, divided, divided), out_shardings=everywhere)
  random = np.random.default_rng(0)
  weights = [(random.normal(0, pair[0]**-0.5, pair).astype(np.float32), np.zeros(pair[1], np.float32))
             for pair in zip(sizes, sizes[1:])]
  put = lambda array, sharding: jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])
  state = jax.tree.map(lambda array: put(array, everywhere),
                       (weights, jax.tree.map(np.zeros_like, weights), jax.tree.map(np.zeros_like, weights)))
  for _ in range(steps):
    images = random.normal(size=(batch, sizes[0])).astype(np.float32)
    labels = np.argmax(images[:, :sizes[-1]], axis=1).astype(np.int32)
    state = step(state, put(images, divided), put(labels, divided))
    yield state[0]


def run(steps, limit):
  """Trains as one of the processes; returns the exit code."""
  begin, middle = time.perf_counter(), 0
  for number, weights in enumerate(train(steps), 1):
    if number % max(1, steps // 10) == 0:
      jax.block_until_ready(weights)
      middle = resident() if number <= steps // 2 else middle
      print(f"process {jax.process_index()}: {number:6} steps   {resident():8.1f} MB   "
            f"{time.perf_counter() - begin:7.1f} s", flush=True)
  digest = hashlib.sha256(b"".join(np.asarray(leaf.addressable_data(0)).tobytes()
                                   for leaf in jax.tree.leaves(weights))).hexdigest()
  print(f"weights {digest}", flush=True)
  growth = resident() - middle
  if growth > limit:
    print(f"process {jax.process_index()}: the second half took {growth:.1f} MB more", file=sys.stderr)
  jax.distributed.shutdown()
  return int(growth > limit)


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--processes", type=int, default=4)
  parser.add_argument("--steps", type=int, default=20000)
  parser.add_argument("--limit", type=float, default=8, help="megabytes")
  parser.add_argument("--process", type=int, help=argparse.SUPPRESS)
  parser.add_argument("--coordinator", help=argparse.SUPPRESS)
  args = parser.parse_args()
  if args.process is not None:
    jax.distributed.initialize(args.coordinator, args.processes, args.process)
    return run(args.steps, args.limit)
  with socket.socket() as probe:
    probe.bind(("localhost", 0))
    coordinator = f"localhost:{probe.getsockname()[1]}"
  children = [subprocess.Popen([sys.executable, "-W", "ignore", *sys.argv, f"--process={i}",
                                f"--coordinator={coordinator}"], stdout=subprocess.PIPE, text=True)
              for i in range(args.processes)]
  weights = set()
  for line in children[0].stdout:
    print(line, end="", flush=True)
    weights |= {line} if line.startswith("weights") else set()
  for child in children[1:]:
    output = child.stdout.read()
    print(output.splitlines()[-2] if output.count("\n") > 1 else output, flush=True)
    weights |= {line + "\n" for line in output.splitlines() if line.startswith("weights")}
  codes = [child.wait() for child in children]
  if len(weights) != 1:
    print("the weights differ", file=sys.stderr)
  return int(any(codes) or len(weights) != 1)


if __name__ == "__main__":
  sys.exit(main())

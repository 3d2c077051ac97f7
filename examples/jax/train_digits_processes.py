# SPDX-License-Identifier: Apache-2.0
"""Trains the network of train_digits.py on the devices of all processes: each gets a part of a batch.

    python examples/jax/train_digits_processes.py --processes 4      # starts them on this machine
    mpirun -n 4 python examples/jax/train_digits_processes.py        # JAX finds mpirun, Slurm, Kubernetes
    python examples/jax/train_digits_processes.py --devices 4        # one process, the same numbers

The loss and a fingerprint of the weights say whether two runs agree bit for bit.
"""

import argparse
import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "xylem")
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import train_digits


def start(processes):
  """Starts the processes on this machine; process 0's output is shown."""
  with socket.socket() as probe:
    probe.bind(("localhost", 0))
    coordinator = f"localhost:{probe.getsockname()[1]}"
  children = []
  for i in range(processes):
    command = [sys.executable, *sys.argv, f"--coordinator={coordinator}", f"--process={i}"]
    children.append(subprocess.Popen(command, stdout=None if i == 0 else subprocess.DEVNULL))
  codes = [child.wait() for child in children]
  return next((code for code in codes if code != 0), 0)


def train(epochs, batch):
  """The loss of the last epoch, the weights, and the seconds that it took."""
  mesh = Mesh(np.array(jax.devices()), ("data",))
  everywhere = NamedSharding(mesh, PartitionSpec())
  divided = NamedSharding(mesh, PartitionSpec("data"))
  (images, labels), _ = train_digits.load()
  params = jax.jit(train_digits.init, out_shardings=everywhere)(jax.random.key(0))
  zeros = jax.jit(lambda tree: jax.tree.map(jnp.zeros_like, tree), out_shardings=everywhere)
  mean, square = zeros(params), zeros(params)
  t = jax.jit(lambda: jnp.zeros((), jnp.int32), out_shardings=everywhere)()
  shards = lambda array: jax.make_array_from_callback(array.shape, divided, lambda index: array[index])
  order = np.random.RandomState(0)
  begin = time.perf_counter()
  for epoch in range(epochs):
    permutation = order.permutation(len(images))[: len(images) // batch * batch]
    losses = []
    for chosen in permutation.reshape(-1, batch):
      params, mean, square, t, loss = train_digits.step(
          params, mean, square, t, shards(images[chosen]), shards(labels[chosen]))
      losses.append(loss)
    total = float(sum(float(loss) for loss in losses)) / len(losses)
    if jax.process_index() == 0:
      print(f"epoch {epoch + 1}: loss {total:.6f}", flush=True)
  return total, jax.tree.map(np.asarray, params), time.perf_counter() - begin


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--processes", type=int, help="start so many on this machine")
  parser.add_argument("--devices", type=int, help="of each process")
  parser.add_argument("--coordinator", help="the address of process 0, host:port")
  parser.add_argument("--process", type=int, help="which one this is")
  parser.add_argument("--epochs", type=int, default=4)
  parser.add_argument("--batch", type=int, default=64)
  parser.add_argument("--json", help="a file for the figures")
  args = parser.parse_args()
  if args.processes and args.process is None:
    return start(args.processes)
  if args.devices:
    os.environ["XYLEM_NUM_DEVICES"] = str(args.devices)
  if args.coordinator:
    jax.distributed.initialize(args.coordinator, args.processes, args.process)
  elif any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "SLURM_JOB_ID", "JAX_COORDINATOR_ADDRESS")):
    jax.distributed.initialize()
  loss, weights, seconds = train(args.epochs, args.batch)
  digest = hashlib.sha256(b"".join(leaf.tobytes() for leaf in jax.tree.leaves(weights))).hexdigest()
  if jax.process_index() == 0:
    print(f"{jax.process_count()} processes, {jax.device_count()} devices, {seconds:.1f} s: "
          f"loss {loss!r}, weights {digest[:16]}")
    if args.json:
      pathlib.Path(args.json).write_text(json.dumps(
          {"processes": jax.process_count(), "devices": jax.device_count(), "loss": loss.hex(),
           "weights": digest, "seconds": seconds}))
  if jax.process_count() > 1:
    jax.distributed.shutdown()
  return 0


if __name__ == "__main__":
  sys.exit(main())

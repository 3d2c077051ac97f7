# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training over eight devices: shards of the batch, one all-reduce of the gradient.

    JAX_PLATFORMS=xylem XYLEM_NUM_DEVICES=8 python examples/jax/data_parallel.py

shard_map writes the communication out; the result is compared with that of one device.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def loss_of(params, x, y):
  hidden = jnp.tanh(x @ params["w1"] + params["b1"])
  return jnp.mean((hidden @ params["w2"] + params["b2"] - y) ** 2)


def update(params, gradient):
  return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)


@jax.jit
def step_on_one(params, x, y):
  loss, gradient = jax.value_and_grad(loss_of)(params, x, y)
  return update(params, gradient), loss


def make_step(mesh):
  def step(params, x, y):
    # Gradients of this device's own copy; what is summed is written out below.
    local = jax.tree.map(lambda p: jax.lax.pcast(p, "batch", to="varying"), params)
    loss, gradient = jax.value_and_grad(loss_of)(local, x, y)
    gradient = jax.lax.pmean(gradient, "batch")
    return update(params, gradient), jax.lax.pmean(loss, "batch")

  return jax.jit(jax.shard_map(
      step, mesh=mesh, in_specs=(P(), P("batch"), P("batch")), out_specs=(P(), P())))


def main():
  devices = jax.devices()
  mesh = jax.sharding.Mesh(np.array(devices), ("batch",))
  random = np.random.RandomState(0)
  x = random.randn(256, 16).astype(np.float32)
  y = np.sin(x.sum(-1, keepdims=True)).astype(np.float32)
  params = {"w1": random.randn(16, 32).astype(np.float32) * 0.3, "b1": np.zeros(32, np.float32),
            "w2": random.randn(32, 1).astype(np.float32) * 0.3, "b2": np.zeros(1, np.float32)}
  step = make_step(mesh)
  shard = lambda value: jax.device_put(value, NamedSharding(mesh, P("batch")))
  many = jax.device_put(params, NamedSharding(mesh, P()))
  xs, ys = shard(x), shard(y)
  one = params
  for i in range(100):
    many, loss = step(many, xs, ys)
    one, loss_of_one = step_on_one(one, x, y)
    if i % 20 == 0 or i == 99:
      print(f"step {i}: loss {float(loss):.5f} on {len(devices)} devices, "
            f"{float(loss_of_one):.5f} on one")
  difference = max(float(jnp.max(jnp.abs(jax.device_get(a) - jax.device_get(b))))
                   for a, b in zip(jax.tree.leaves(many), jax.tree.leaves(one)))
  print(f"greatest difference of a weight: {difference:.1e}")
  assert difference < 1e-4


if __name__ == "__main__":
  main()

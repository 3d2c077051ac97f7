# SPDX-License-Identifier: Apache-2.0
"""The list of workloads, their arguments, and parts that several of them have."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

WORKLOADS = {}


def workload(make):
  """Registers a function that returns a function of arrays and its arguments."""
  WORKLOADS[make.__name__] = make
  return make


class Arrays:
  """Random arrays of NumPy, the same on every run."""

  def __init__(self):
    self.generator = np.random.default_rng(20261128)

  def normal(self, *shape, scale=1.0, dtype=jnp.float32):
    return jnp.asarray(self.generator.normal(size=shape) * scale, dtype)

  def uniform(self, *shape, low=0.0, high=1.0):
    return jnp.asarray(self.generator.uniform(low, high, shape), jnp.float32)

  def integers(self, high, *shape):
    return jnp.asarray(self.generator.integers(0, high, shape), jnp.int32)


def rms_norm(x, weight):
  wide = x.astype(jnp.float32)
  return (wide * lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)).astype(x.dtype) * weight


def layer_norm(x):
  mean = x.mean(-1, keepdims=True)
  return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def rotary(x, position):
  half = x.shape[-1] // 2
  angle = position[:, None] * 10000.0 ** (-jnp.arange(half) / half)
  cos, sin = jnp.cos(angle)[:, None].astype(x.dtype), jnp.sin(angle)[:, None].astype(x.dtype)
  low, high = x[..., :half], x[..., half:]
  return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], -1)


def adam(parameters, gradients, first, second, step):
  first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
  second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
  update = lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)
  return jax.tree.map(update, parameters, first, second), first, second


def cross_entropy(logits, labels):
  return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1))

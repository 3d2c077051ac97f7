# SPDX-License-Identifier: Apache-2.0
"""Pairwise distances and kernels, normalizations in chains, and attention."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from draw import idiom


def squares(x, y):
  return jnp.sum((x[:, None] - y[None]) ** 2, -1)


def absolutes(x, y):
  return jnp.sum(jnp.abs(x[:, None] - y[None]), -1)


def products(x, y):
  return x @ y.T


def expanded(x, y):
  return jnp.sum(x * x, -1)[:, None] + jnp.sum(y * y, -1)[None] - 2 * x @ y.T


def largest(x, y):
  return jnp.max(jnp.abs(x[:, None] - y[None]), -1)


def gauss(d):
  return jnp.exp(-d)


def rational(d):
  return 1 / (1 + d * d)


def matern(d):
  r = jnp.sqrt(jnp.abs(d) + 1e-6)
  return (1 + r) * jnp.exp(-r)


def logarithm(d):
  return jnp.log1p(jnp.abs(d))


def same(d):
  return d


def softmax(k):
  return jax.nn.softmax(k, -1)


def column_softmax(k):
  return jax.nn.softmax(k, 0)


def by_rows(k):
  return k / (1 + jnp.sum(jnp.abs(k), -1, keepdims=True))


def both_sides(k):
  d = 1 / jnp.sqrt(1 + jnp.sum(jnp.abs(k), -1))
  return d[:, None] * k * jnp.sum(jnp.abs(k), 0)[None]


def centered(k):
  return k - jnp.mean(k, -1, keepdims=True) - jnp.mean(k, 0, keepdims=True) + jnp.mean(k)


def sum_rows(k):
  return jnp.sum(k, -1)


def lse(k):
  return jax.nn.logsumexp(k, -1)


def nearest(k):
  return jnp.argmin(k, -1), jnp.min(k, -1)


def whole(k):
  return jnp.mean(k * k)


@idiom
def pairwise(draw, scale):
  n, d = 50 * scale, draw.between(1, 40)
  distance = draw.pick(squares, absolutes, products, expanded, largest)
  kernel = draw.pick(gauss, rational, matern, logarithm, same)
  normalize = draw.pick(softmax, column_softmax, by_rows, both_sides, centered, same)
  use = draw.pick(sum_rows, lse, nearest, whole, same, "product", "mask")
  self_pairs = draw.chance(0.5)

  def function(x, y, v):
    k = normalize(kernel(distance(x, x if self_pairs else y) / d))
    if use == "product":
      return k @ v
    if use == "mask":
      return jnp.sum(jnp.where(jnp.eye(n, dtype=bool), 0, k), -1)
    return use(k)

  return function, [draw.normal(n, d), draw.normal(n, d), draw.normal(n, draw.between(1, 64))]


@idiom
def mixture(draw, scale):
  n, k, d = 500 * scale, draw.between(2, 64), draw.between(1, 16)

  def function(x, mean, log_scale):
    z = (x[:, None] - mean[None]) * jnp.exp(-log_scale)[None]
    logits = -0.5 * jnp.sum(z * z, -1) - jnp.sum(log_scale, -1)
    responsibility = jax.nn.softmax(logits, -1)
    return jnp.sum(jax.nn.logsumexp(logits, -1)), responsibility.T @ x

  return function, [draw.normal(n, d), draw.normal(k, d), draw.normal(k, d)]


@idiom
def forces(draw, scale):
  n, power = 40 * scale, draw.pick(1, 2, 3, 6)

  def energy(x):
    delta = x[:, None] - x[None]
    r2 = jnp.sum(delta * delta, -1) + jnp.eye(n)
    return jnp.sum(jnp.triu(1 / r2**power, 1))

  return draw.pick(energy, jax.grad(energy), lambda x: jax.value_and_grad(energy)(x)), [draw.normal(n, 3)]


def layer_norm(x):
  return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def rms_norm(x):
  return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5)


def unit(x):
  return x / (1e-3 + jnp.linalg.norm(x, axis=-1, keepdims=True))


def unit_columns(x):
  return x / (1e-3 + jnp.sum(jnp.abs(x), 0, keepdims=True))


def standard(x):
  return (x - x.mean()) / (x.std() + 1e-3)


def by_maximum(x):
  return x / (1 + jnp.max(jnp.abs(x), -1, keepdims=True))


NORMS = (layer_norm, rms_norm, unit, unit_columns, standard, by_maximum, softmax)
POINTWISE = (jnp.tanh, jax.nn.gelu, jax.nn.silu, jnp.exp, jnp.sin, jax.nn.relu, same, jax.nn.softplus, lax.erf)


@idiom
def norm_chain(draw, scale):
  length = draw.between(1, 12)
  steps = [(draw.pick(*NORMS), draw.pick(*POINTWISE), draw.pick("none", "add", "scale")) for _ in range(length)]

  def function(x, scales):
    first = x
    for i, (norm, pointwise, mix) in enumerate(steps):
      x = pointwise(norm(x) if mix != "scale" else norm(x) * scales[i])
      if mix == "add":
        x = x + first
    return x

  columns = draw.between(4, 700)
  return function, [draw.normal(max(1, 12000 * scale // columns), columns), draw.positive(length, columns)]


@idiom
def attention(draw, scale):
  heads, width, batch = draw.between(1, 8), draw.between(4, 64), draw.between(1, 2)
  queries = draw.pick(1, 7, 48 * scale)
  score = draw.pick("dot", "gauss", "cosine", "additive")
  mask = draw.pick("none", "causal", "window", "bias")
  norm = draw.pick(softmax, by_rows, jax.nn.sigmoid, jax.nn.relu)
  keys = 48 * scale
  dtype = draw.pick(np.float32, np.float32, jnp.bfloat16)

  def function(q, k, v, bias):
    if score == "cosine":
      q, k = unit(q), unit(k)
    if score == "gauss":
      s = -jnp.sum((q[:, :, :, None] - k[:, :, None]) ** 2, -1)
    elif score == "additive":
      s = jnp.sum(jnp.tanh(q[:, :, :, None] + k[:, :, None]), -1)
    else:
      s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(width)
    i, j = jnp.arange(queries)[:, None], jnp.arange(keys)[None]
    if mask == "causal":
      s = jnp.where(j <= i, s, -1e9)
    elif mask == "window":
      s = jnp.where(jnp.abs(i - j) < 16, s, -1e9)
    elif mask == "bias":
      s = s + bias
    return jnp.einsum("bhqk,bhkd->bhqd", norm(s), v)

  q, k = (batch, heads, queries, width), (batch, heads, keys, width)
  return function, [draw.normal(*q).astype(dtype), draw.normal(*k).astype(dtype), draw.normal(*k).astype(dtype),
                    draw.normal(queries, keys).astype(dtype)]

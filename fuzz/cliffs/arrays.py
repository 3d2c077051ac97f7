# SPDX-License-Identifier: Apache-2.0
"""Elementwise programs, reductions, movement, gathers and scatters."""
import jax
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
from jax import lax

from draw import idiom
from pairs import POINTWISE

TYPES = (np.float32, np.float32, np.float32, jnp.bfloat16, np.float16, np.float64, np.int32, np.int8, np.complex64)

SPECIAL = (special.gammaln, special.digamma, special.erf, special.erfinv, special.expit, special.i0e, special.i1e,
           special.ndtr, special.log_ndtr, special.ndtri, special.logit, special.xlogy, special.betainc,
           special.gammainc, special.zeta, special.polygamma)


@idiom
def elementwise(draw, scale):
  dtype = draw.pick(*TYPES)
  steps = [draw.pick(jnp.add, jnp.multiply, jnp.subtract, jnp.maximum, "divide", "power", "select", "unary", "integer",
                     "round") for _ in range(draw.between(1, 12))]
  unary = [draw.pick(jnp.exp, jnp.log1p, jnp.tanh, jnp.sin, jnp.cos, jnp.sqrt, jnp.cbrt, jnp.arctan, jnp.expm1, jnp.tan,
                     jnp.log, jnp.sinh, jnp.square, jnp.arcsinh, jnp.exp2) for _ in steps]
  floats = np.dtype(dtype).kind == "f" or dtype is jnp.bfloat16
  complexes = np.dtype(dtype).kind == "c"

  def function(x, y):
    z = x
    for step, f in zip(steps, unary):
      if step == "divide":
        z = z / (2 + y * y) if floats or complexes else z // 3
      elif step == "power":
        z = jnp.abs(z) ** jnp.asarray(1.5, z.dtype) if floats else z**3
      elif step == "select":
        z = jnp.where(y > 0, z, y) if not complexes else jnp.where(y.real > 0, z, y)
      elif step == "unary":
        z = f(jnp.abs(z) + 1) if floats else (jnp.exp(z * 0.1) if complexes else jnp.abs(z))
      elif step == "integer":
        z = z + jnp.floor(y) if floats else z * 2 if complexes else (z ^ y) >> 1
      elif step == "round":
        z = jnp.round(z * 10) / 10 if floats else z + 1
      else:
        z = step(z, y) if not (complexes and step is jnp.maximum) else z + y
    return z.astype(dtype)

  n = 10000 * scale
  shape = draw.pick((n,), (n // 50, 50), (n // 7, 7), (4, n // 4), (n // 100, 10, 10))
  if np.dtype(dtype).kind == "i":
    return function, [draw.integers(100, *shape).astype(dtype), draw.integers(100, *shape).astype(dtype)]
  if complexes:
    make = lambda: (draw.normal(*shape) + 1j * draw.normal(*shape)).astype(dtype)
    return function, [make(), make()]
  return function, [draw.normal(*shape).astype(dtype), draw.normal(*shape).astype(dtype)]


@idiom
def special_function(draw, scale):
  f, n = draw.pick(*SPECIAL), 2000 * scale

  def function(x):
    if f in (special.xlogy, special.gammainc):
      return f(x, 2 - x)
    if f is special.betainc:
      return f(x + 0.5, 1.5 * jnp.ones_like(x), x)
    if f is special.zeta:
      return f(x + 1.5, x + 1)
    if f is special.polygamma:
      return f(1, x + 1)
    return f(x)

  return function, [draw.positive(n) * 0.9]


@idiom
def random_numbers(draw, scale):
  n = 5000 * scale
  f = draw.pick(jax.random.normal, jax.random.uniform, jax.random.gumbel, jax.random.exponential, jax.random.laplace,
                "gamma", "permutation", "categorical", "bernoulli", "randint", "truncated", "beta", "poisson", "split")

  def function(key):
    key = jax.random.wrap_key_data(key)
    if f == "gamma":
      return jax.random.gamma(key, 2.5, (n // 10,))
    if f == "beta":
      return jax.random.beta(key, 2.5, 1.5, (n // 20,))
    if f == "poisson":
      return jax.random.poisson(key, 4.0, (n // 10,))
    if f == "permutation":
      return jax.random.permutation(key, n)
    if f == "categorical":
      return jax.random.categorical(key, jnp.arange(20.0) / 10, shape=(n // 20,))
    if f == "bernoulli":
      return jax.random.bernoulli(key, 0.3, (n,))
    if f == "randint":
      return jax.random.randint(key, (n,), 0, 1000)
    if f == "truncated":
      return jax.random.truncated_normal(key, -1.0, 1.0, (n,))
    if f == "split":
      return jax.vmap(lambda k: jax.random.normal(k, (8,)))(jax.random.split(key, n // 50))
    return f(key, (n,))

  return function, [np.array([1, 2], np.uint32)]


REDUCTIONS = (jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.prod, jnp.var, jnp.std, jnp.argmax, jnp.argmin,
              jax.nn.logsumexp, jnp.linalg.norm, jnp.any, jnp.all, jnp.count_nonzero, jnp.median, jnp.nansum, jnp.ptp)


@idiom
def reduction(draw, scale):
  reduce, axis = draw.pick(*REDUCTIONS), draw.pick(0, 1, 2, (0, 2), (1, 2), (0, 1), None)
  if reduce in (jnp.argmax, jnp.argmin, jnp.linalg.norm, jnp.median):
    axis = axis if isinstance(axis, int) else 1
  before, after = draw.pick(*POINTWISE), draw.pick("none", "subtract", "several", "compare")
  dtype = draw.pick(np.float32, np.float32, jnp.bfloat16, np.float64, np.int32, np.bool_)

  def function(x):
    if dtype in (np.int32, np.bool_):
      y = x if reduce not in (jax.nn.logsumexp, jnp.linalg.norm, jnp.median) else x.astype(np.float32)
      y = y.astype(np.int32) if reduce is jnp.ptp else y
    else:
      y = before(x)
    if after == "compare":
      return reduce(y > 0 if dtype not in (np.int32, np.bool_) else y, axis=axis) if reduce in (
          jnp.any, jnp.all, jnp.count_nonzero, jnp.sum) else reduce(y, axis=axis)
    r = reduce(y, axis=axis)
    if after == "subtract" and isinstance(axis, int) and r.dtype != np.bool_ and y.dtype != np.bool_:
      return y - jnp.expand_dims(r, axis).astype(y.dtype)
    if after == "several":
      return r, jnp.sum(y, axis=axis), jnp.max(y)
    return r

  n = 8000 * scale
  minor, major = draw.between(2, 300), draw.between(2, 30)
  shape = draw.pick((max(1, n // (minor * major)), major, minor), (major, max(1, n // (minor * major)), minor),
                    (major, minor, max(1, n // (minor * major))))
  x = draw.normal(*shape)
  return function, [(x * 10).astype(dtype) if dtype is np.int32 else x > 0.5 if dtype is np.bool_ else x.astype(dtype)]


@idiom
def movement(draw, scale):
  steps = [draw.pick("transpose", "reverse", "pad", "slice", "concatenate", "roll", "tile", "repeat", "reshape",
                     "pointwise", "diagonal", "stack", "triangle", "convert") for _ in range(draw.between(1, 6))]
  m = draw.between(3, 100)
  n = max(2, 12000 * scale // m)
  as_columns = draw.chance(0.5)

  def function(x):
    for step in steps:
      if x.size > 400000 * scale:
        x = x[::2, : x.shape[1] // 2 + 1]
      if step == "transpose":
        x = x.T
      elif step == "reverse":
        x = x[::-1, ::-1]
      elif step == "pad":
        x = jnp.pad(x, ((1, 2), (3, 0)), mode="edge" if as_columns else "constant")
      elif step == "slice":
        x = x[1:, ::2]
      elif step == "concatenate":
        x = jnp.concatenate([x, x * 2], 1)
      elif step == "roll":
        x = jnp.roll(x, 5, 0)
      elif step == "tile":
        x = jnp.tile(x, (1, 2))
      elif step == "repeat":
        x = jnp.repeat(x, 2, axis=0)
      elif step == "reshape":
        x = x.reshape(-1, 2).T if x.size % 2 == 0 else x
      elif step == "pointwise":
        x = jnp.tanh(x) + 1
      elif step == "diagonal":
        x = x + jnp.diagonal(x)[0]
      elif step == "stack":
        x = jnp.stack([x, x + 1], -1).reshape(x.shape[0], -1)
      elif step == "triangle":
        x = jnp.tril(x)
      else:
        x = x.astype(jnp.bfloat16).astype(np.float32)
    return x

  return function, [draw.normal(n, m) if as_columns else draw.normal(m, n)]


@idiom
def gather_scatter(draw, scale):
  n, k, width = 4000 * scale, 2000 * scale, draw.pick(1, 1, 3, 16, 64)
  n, k = max(8, n // width), max(8, k // width)
  kind = draw.pick("take", "set", "add", "max", "multiply", "segment_sum", "segment_max", "bincount", "histogram",
                   "embedding", "one_hot", "along", "searchsorted", "matrix", "unique", "mean_pool", "digitize", "message")
  ordered = draw.chance(0.3)

  def function(x, i, j, v):
    if kind == "take":
      return x[i] * 2
    if kind == "set":
      return x.at[i].set(v)
    if kind == "add":
      return x.at[i].add(v, indices_are_sorted=ordered)
    if kind == "max":
      return x.at[i].max(v)
    if kind == "multiply":
      return x.at[i].multiply(v)
    if kind == "segment_sum":
      return jax.ops.segment_sum(v, i, num_segments=n // 4, indices_are_sorted=ordered)
    if kind == "segment_max":
      return jax.ops.segment_max(v, i, num_segments=n // 4)
    if kind == "bincount":
      return jnp.bincount(i, length=n)
    if kind == "histogram":
      return jnp.histogram(v, bins=50)[0]
    if kind == "embedding":
      return jnp.sum(x[i.reshape(-1, 4)] if k % 4 == 0 else x[i], -2)
    if kind == "one_hot":
      return jax.nn.one_hot(i % 32, 32) @ jnp.ones((32, 8))
    if kind == "along":
      return jnp.take_along_axis(v, jnp.argsort(v, 0), 0)
    if kind == "searchsorted":
      return jnp.searchsorted(jnp.sort(x[:, 0]), v[:, 0])
    if kind == "matrix":
      return x[i, j % width]
    if kind == "unique":
      return jnp.unique(i, size=k, fill_value=0)
    if kind == "mean_pool":
      total = jax.ops.segment_sum(v, i, num_segments=n)
      return total / jnp.maximum(jax.ops.segment_sum(jnp.ones(k), i, num_segments=n), 1)[:, None]
    if kind == "digitize":
      return jnp.digitize(v[:, 0], jnp.linspace(-2, 2, 100))
    message = jnp.tanh(x[i] + x[j])
    return x + jax.ops.segment_sum(message, j, num_segments=n)

  i = draw.integers(n, k)
  return function, [draw.normal(n, width), np.sort(i) if ordered else i, draw.integers(n, k), draw.normal(k, width)]


@idiom
def one_operation(draw, scale):
  """Programs as small as users write at a prompt."""
  n = draw.pick(1, 10, 100, 1000) * scale
  f = draw.pick(jnp.sum, jnp.cumsum, jnp.sort, jnp.exp, lambda x: x @ x, lambda x: x[::-1], jnp.argmax, jnp.diff,
                lambda x: x[n // 2], lambda x: jnp.outer(x, x)[0], lambda x: jnp.linalg.norm(x), jnp.unwrap,
                lambda x: jnp.interp(x, jnp.arange(8.0), jnp.arange(8.0) ** 2), jnp.gradient, jnp.nanmean,
                lambda x: jnp.polyval(jnp.arange(6.0), x), lambda x: jnp.convolve(x, jnp.ones(5)))
  return f, [draw.normal(n + 1)]

# SPDX-License-Identifier: Apache-2.0
"""Scans, loops and branches, and what they carry."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from draw import idiom


@idiom
def recurrence(draw, scale):
  width, batch, steps = draw.between(1, 64), draw.between(1, 16), 20 * scale
  cell = draw.pick("rnn", "gru", "affine", "kalman", "elementwise")
  outputs = draw.chance(0.6)

  def function(x, h, w, u):
    def step(h, x):
      if cell == "rnn":
        h = jnp.tanh(x @ w + h @ u)
      elif cell == "gru":
        z = jax.nn.sigmoid(x @ w + h @ u)
        h = z * h + (1 - z) * jnp.tanh(x @ u + (z * h) @ w)
      elif cell == "affine":
        h = 0.9 * h + x
      elif cell == "kalman":
        gain = jnp.sum(h * h) / (1 + jnp.sum(h * h))
        h = h + gain * (x - h)
      else:
        h = jnp.sin(h) * x + jnp.cos(x)
      return h, (h if outputs else jnp.sum(h))

    return lax.scan(step, h, x)

  return function, [draw.normal(steps, batch, width), draw.normal(batch, width), draw.normal(width, width) / width,
                    draw.normal(width, width) / width]


@idiom
def carried_array(draw, scale):
  n, steps = 4000 * scale, 200
  update = draw.pick("set", "add", "cond", "where", "switch", "slice", "roll", "swap", "read", "two")

  def function(x, v):
    y = x[::2] * 2

    def body(i, carry):
      x, y = carry
      at = (i * 7919) % n
      if update == "set":
        x = x.at[at].set(v[i])
      elif update == "add":
        x = x.at[at].add(x[(at + 1) % n] * 0.5)
      elif update == "cond":
        x = lax.cond(v[i] > 0, lambda x: x.at[at].set(v[i]), lambda x: x, x)
      elif update == "where":
        x = jnp.where(v[i] > 0, x.at[at].set(v[i]), x)
      elif update == "switch":
        x = lax.switch(i % 3, [lambda x: x.at[at].set(1.), lambda x: x.at[at].add(2.), lambda x: x], x)
      elif update == "slice":
        x = lax.dynamic_update_slice(x, v[:16] + i, (at,))
      elif update == "roll":
        y = y.at[i].set(jnp.sum(lax.dynamic_slice(x, (at,), (32,))))
      elif update == "swap":
        a, b = x[at], x[i]
        x = x.at[at].set(b).at[i].set(a)
      elif update == "read":
        y = y.at[i].add(x[at])
      else:
        x, y = x.at[at].set(y[i]), y.at[i].set(x[at])
      return x, y

    return lax.fori_loop(0, steps, body, (x, y))

  return function, [draw.normal(n), draw.normal(steps)]


@idiom
def nested_scan(draw, scale):
  depth, length = draw.between(1, 5), draw.between(2, 4)
  kind = draw.pick("elementwise", "product", "sum")

  def function(x, w):
    def nest(level):
      def step(x, _):
        if level:
          return nest(level - 1)(x), None
        if kind == "elementwise":
          return jnp.sin(x) * 1.1 + x * x * 0.1, None
        if kind == "product":
          return jnp.tanh(x @ w), None
        return x - jnp.mean(x), None

      return lambda x: lax.scan(step, x, None, length=length)[0]

    return nest(depth)(x)

  n = 8 * scale
  return function, [draw.normal(n, n), draw.normal(n, n) / n]


@idiom
def solver(draw, scale):
  n = 16 * scale
  method = draw.pick("conjugate", "power", "newton", "jacobi", "sinkhorn", "runge_kutta", "bisection")

  def function(a, b):
    if method == "conjugate":
      return jax.scipy.sparse.linalg.cg(lambda x: a @ x, b, maxiter=30)[0]
    if method == "power":
      return lax.fori_loop(0, 40, lambda _, x: (lambda y: y / jnp.linalg.norm(y))(a @ x), b)
    if method == "newton":
      return lax.fori_loop(0, 12, lambda _, x: 2 * x - x @ a @ x, a.T / jnp.sum(a * a))
    if method == "jacobi":
      return lax.fori_loop(0, 50, lambda _, x: (b - (a @ x - jnp.diag(a) * x)) / jnp.diag(a), b)
    if method == "sinkhorn":
      k = jnp.exp(-jnp.abs(a))
      return lax.fori_loop(0, 30, lambda _, u: 1 / (k @ (1 / (k.T @ u))), jnp.ones(n))
    if method == "runge_kutta":
      f = lambda y: jnp.tanh(a @ y) - y

      def step(y, _):
        k1 = f(y)
        k2 = f(y + 0.05 * k1)
        k3 = f(y + 0.05 * k2)
        k4 = f(y + 0.1 * k3)
        return y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y

      return lax.scan(step, b, None, length=60)

    def bisect(c):
      def body(_, bounds):
        low, high = bounds
        mid = (low + high) / 2
        return jnp.where(mid**3 + mid < c, mid, low), jnp.where(mid**3 + mid < c, high, mid)

      return lax.fori_loop(0, 40, body, (-10 * jnp.ones_like(c), 10 * jnp.ones_like(c)))[0]

    return bisect(a)

  return function, [draw.definite(n, n), draw.normal(n)]


@idiom
def while_search(draw, scale):
  n = 1000 * scale

  def function(x, q):
    def body(state):
      i, total = state
      return i + 1, total + jnp.sum(jnp.where(x > q[i % 16], x, 0))

    return lax.while_loop(lambda s: (s[0] < 50) & (s[1] < 1e9), body, (0, jnp.float32(0)))

  return function, [draw.positive(n), draw.positive(16)]


@idiom
def associative(draw, scale):
  n, width = 500 * scale, draw.between(1, 16)
  op = draw.pick("add", "affine", "max", "matrix")

  def function(a, b):
    if op == "add":
      return lax.associative_scan(jnp.add, a)
    if op == "max":
      return lax.associative_scan(jnp.maximum, a)
    if op == "affine":
      return lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))
    m = b[:, :4].reshape(-1, 2, 2) if width >= 4 else jnp.broadcast_to(b[:, :1, None], (n, 2, 2))
    return lax.associative_scan(jnp.matmul, m * 0.5)

  return function, [draw.positive(n, width), draw.normal(n, width)]

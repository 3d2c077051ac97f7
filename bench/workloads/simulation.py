# SPDX-License-Identifier: Apache-2.0
"""Simulation and numerical mathematics."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from workloads.common import workload


@workload
def n_body_leapfrog(arrays):
  count = 256

  def run(position, velocity, mass):
    def acceleration(position):
      apart = position[None] - position[:, None]
      inverse = lax.rsqrt(jnp.sum(apart**2, -1) + 0.01)
      return jnp.einsum("ij,ijk->ik", mass * inverse**3, apart)

    def step(state, _):
      position, velocity = state
      velocity = velocity + 0.01 * acceleration(position)
      return (position + 0.01 * velocity, velocity), None

    return lax.scan(step, (position, velocity), None, length=20)[0]

  return run, (arrays.normal(count, 3), arrays.normal(count, 3), arrays.uniform(count))


@workload
def lattice_boltzmann(arrays):
  directions = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
  weights = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)

  def run(f):
    def step(f, _):
      density = f.sum(0)
      velocity = jnp.einsum("dc,dxy->cxy", directions.astype(np.float32), f) / density
      along = jnp.einsum("dc,cxy->dxy", directions.astype(np.float32), velocity)
      square = (velocity**2).sum(0)
      equilibrium = weights[:, None, None] * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * square)
      f = f + (equilibrium - f) / 0.6
      return jnp.stack([jnp.roll(f[i], tuple(directions[i]), (0, 1)) for i in range(9)]), None

    return lax.scan(step, f, None, length=10)[0]

  return run, (weights[:, None, None] * (1 + 0.1 * arrays.uniform(9, 128, 128)),)


@workload
def spectral_navier_stokes(arrays):
  n = 128

  def run(vorticity):
    k = jnp.fft.fftfreq(n, 1 / n)
    kx, ky = k[:, None], k[None, :n // 2 + 1]
    square = kx**2 + ky**2
    inverse = jnp.where(square == 0, 0, 1 / jnp.where(square == 0, 1, square))

    def step(w, _):
      spectrum = jnp.fft.rfft2(w)
      stream = spectrum * inverse
      u, v = jnp.fft.irfft2(1j * ky * stream), jnp.fft.irfft2(-1j * kx * stream)
      dx, dy = jnp.fft.irfft2(1j * kx * spectrum), jnp.fft.irfft2(1j * ky * spectrum)
      return w + 0.001 * (jnp.fft.irfft2(-1e-3 * square * spectrum) - u * dx - v * dy), None

    return lax.scan(step, vorticity, None, length=5)[0]

  return run, (arrays.normal(n, n),)


@workload
def multigrid_poisson(arrays):
  def relax(u, f):
    for _ in range(2):
      padded = jnp.pad(u, 1)
      u = 0.2 * u + 0.2 * (padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2] - f)
    return u

  def cycle(u, f):
    u = relax(u, f)
    if u.shape[0] > 8:
      padded = jnp.pad(u, 1)
      residual = f - (padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2] - 4 * u)
      half = residual.shape[0] // 2
      coarse = residual.reshape(half, 2, half, 2).sum((1, 3))
      error = cycle(jnp.zeros_like(coarse), coarse)
      u = relax(u + jnp.repeat(jnp.repeat(error, 2, 0), 2, 1), f)
    return u

  return lambda u, f: cycle(cycle(u, f), f), (jnp.zeros((256, 256)), arrays.normal(256, 256))


@workload
def neural_ode_gradient(arrays):
  make = lambda *shape: arrays.normal(*shape, scale=0.3)
  weights = (make(2, 64), make(64, 64), make(64, 2))

  def loss(weights, x, target):
    field = lambda x: jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]) @ weights[2]

    def step(x, _):
      k1 = field(x)
      k2 = field(x + 0.05 * k1)
      k3 = field(x + 0.05 * k2)
      k4 = field(x + 0.1 * k3)
      return x + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jnp.mean((lax.scan(step, x, None, length=10)[0] - target) ** 2)

  return jax.value_and_grad(loss), (weights, arrays.normal(128, 2), arrays.normal(128, 2))


@workload
def physics_informed_network(arrays):
  """Residuals of the heat equation, with second derivatives of a network, and their gradient."""
  make = lambda *shape: arrays.normal(*shape, scale=0.3)
  weights = (make(2, 32), make(32, 32), make(32, 1))

  def loss(weights, points):
    def network(x, t):
      return (jnp.tanh(jnp.tanh(jnp.stack([x, t]) @ weights[0]) @ weights[1]) @ weights[2])[0]

    def residual(point):
      x, t = point
      return jax.grad(network, 1)(x, t) - 0.1 * jax.grad(jax.grad(network))(x, t)

    return jnp.mean(jax.vmap(residual)(points) ** 2)

  return jax.value_and_grad(loss), (weights, arrays.uniform(1000, 2))


@workload
def radiance_field(arrays):
  """A NeRF: samples along rays through a network with encoded positions, composed."""
  make = lambda *shape: arrays.normal(*shape, scale=0.15)
  weights = (make(36, 64), make(64, 64), make(64, 4))

  def run(weights, origin, direction):
    depth = jnp.linspace(1.0, 4.0, 48)
    points = origin[:, None] + direction[:, None] * depth[:, None]
    angle = points[..., None] * 2.0 ** jnp.arange(6)
    x = jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1).reshape(*points.shape[:2], 36)
    out = jax.nn.relu(jax.nn.relu(x @ weights[0]) @ weights[1]) @ weights[2]
    opacity = 1 - jnp.exp(-jax.nn.softplus(out[..., 3]) * (depth[1] - depth[0]))
    through = jnp.cumprod(jnp.pad(1 - opacity[:, :-1], ((0, 0), (1, 0)), constant_values=1.0), 1)
    return jnp.sum((through * opacity)[..., None] * jax.nn.sigmoid(out[..., :3]), 1)

  return run, (weights, arrays.normal(512, 3), arrays.normal(512, 3))


@workload
def ilqr_backward_pass(arrays):
  state, control, steps = 8, 3, 60

  def run(a, b, q, r):
    def step(value, inputs):
      a, b = inputs
      gain = jnp.linalg.solve(r + b.T @ value @ b, b.T @ value @ a)
      closed = a - b @ gain
      return q + gain.T @ r @ gain + closed.T @ value @ closed, gain

    return lax.scan(step, q, (a, b), reverse=True)

  return run, (arrays.normal(steps, state, state, scale=0.3), arrays.normal(steps, state, control), jnp.eye(state),
               jnp.eye(control))


@workload
def molecular_dynamics_energy(arrays):
  """Lennard-Jones with neighbor lists, forces by a gradient."""
  count, neighbors = 2000, 32

  def energy(position, near):
    apart = position[:, None] - position[near]
    apart = apart - 10 * jnp.round(apart / 10)
    square = jnp.sum(apart**2, -1) + 0.5
    sixth = (1 / square) ** 3
    return jnp.sum(jnp.where(square < 6.25, 2 * (sixth**2 - sixth), 0))

  return jax.value_and_grad(energy), (arrays.uniform(count, 3, high=10), arrays.integers(count, count, neighbors))


@workload
def sinkhorn(arrays):
  def run(x, y):
    cost = jnp.sum((x[:, None] - y[None]) ** 2, -1) / 0.5

    def step(pair, _):
      f, g = pair
      f = -jax.nn.logsumexp(g[None] - cost, 1)
      return (f, -jax.nn.logsumexp(f[:, None] - cost, 0)), None

    (f, g), _ = lax.scan(step, (jnp.zeros(300), jnp.zeros(300)), None, length=20)
    return jnp.sum(jnp.exp(f[:, None] + g[None] - cost) * cost)

  return run, (arrays.normal(300, 2), arrays.normal(300, 2))

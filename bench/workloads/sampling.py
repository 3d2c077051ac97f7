# SPDX-License-Identifier: Apache-2.0
"""Sampling, filters and statistics."""
import jax
import jax.numpy as jnp
from jax import lax, random

from workloads.common import adam, workload


@workload
def hmc_logistic_regression(arrays):
  points, features = 1000, 20

  def run(key, x, y, start):
    density = lambda w: -jnp.sum(jax.nn.softplus(-y * (x @ w))) - 0.5 * jnp.sum(w * w)
    gradient = jax.grad(density)

    def sample(state, key):
      normal, accept = random.split(key)
      momentum = random.normal(normal, state.shape)

      def leapfrog(_, pair):
        w, p = pair
        p = p + 0.01 * gradient(w)
        w = w + 0.02 * p
        return w, p + 0.01 * gradient(w)

      w, p = lax.fori_loop(0, 10, leapfrog, (state, momentum))
      change = density(w) - density(state) - 0.5 * (p @ p - momentum @ momentum)
      state = jnp.where(jnp.log(random.uniform(accept)) < change, w, state)
      return state, state

    return lax.scan(sample, start, random.split(key, 20))[1]

  return run, (random.key_data(random.key(2)), arrays.normal(points, features), jnp.sign(arrays.normal(points)),
               jnp.zeros(features))


@workload
def particle_filter(arrays):
  count, steps = 4096, 50

  def run(key, observations):
    def step(state, inputs):
      observation, key = inputs
      move, resample = random.split(key)
      state = 0.9 * state + 2 * jnp.sin(state) + random.normal(move, state.shape)
      log = -0.5 * (observation - state) ** 2
      weight = jax.nn.softmax(log)
      positions = (random.uniform(resample) + jnp.arange(count)) / count
      state = state[jnp.searchsorted(jnp.cumsum(weight), positions).clip(0, count - 1)]
      return state, jax.nn.logsumexp(log)

    return lax.scan(step, jnp.zeros(count), (observations, random.split(key, steps)))

  return run, (random.key_data(random.key(3)), arrays.normal(steps))


@workload
def gaussian_process(arrays):
  count = 400

  def negative_log_likelihood(parameters, x, y):
    scale, noise = jnp.exp(parameters)
    square = jnp.sum((x[:, None] - x[None]) ** 2, -1)
    factor = jnp.linalg.cholesky(jnp.exp(-0.5 * square / scale**2) + (noise + 1e-3) * jnp.eye(count))
    z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * z @ z + jnp.log(jnp.diagonal(factor)).sum()

  return jax.value_and_grad(negative_log_likelihood), (jnp.zeros(2), arrays.normal(count, 3), arrays.normal(count))


@workload
def kalman_smoother(arrays):
  state, seen, steps = 6, 3, 200

  def run(transition, observe, observations):
    def forward(carry, y):
      mean, covariance = carry
      mean, covariance = transition @ mean, transition @ covariance @ transition.T + 0.1 * jnp.eye(state)
      innovation = observe @ covariance @ observe.T + 0.2 * jnp.eye(seen)
      gain = jnp.linalg.solve(innovation, observe @ covariance).T
      carry = mean + gain @ (y - observe @ mean), covariance - gain @ observe @ covariance
      return carry, carry

    _, (means, covariances) = lax.scan(forward, (jnp.zeros(state), jnp.eye(state)), observations)

    def backward(carry, inputs):
      mean, covariance = inputs
      predicted = transition @ covariance @ transition.T + 0.1 * jnp.eye(state)
      gain = jnp.linalg.solve(predicted, transition @ covariance).T
      mean = mean + gain @ (carry - transition @ mean)
      return mean, mean

    return lax.scan(backward, means[-1], (means, covariances), reverse=True)[1]

  return run, (arrays.normal(state, state, scale=0.3), arrays.normal(seen, state), arrays.normal(steps, seen))


@workload
def variational_autoencoder_step(arrays):
  make = lambda *shape: arrays.normal(*shape, scale=0.05)
  weights = (make(784, 256), make(256, 40), make(20, 256), make(256, 784))

  def loss(weights, x, key):
    mean, log = jnp.split(jax.nn.relu(x @ weights[0]) @ weights[1], 2, -1)
    z = mean + jnp.exp(0.5 * log) * random.normal(key, mean.shape)
    logits = jax.nn.relu(z @ weights[2]) @ weights[3]
    reconstruction = jnp.sum(jnp.maximum(logits, 0) - logits * x + jnp.log1p(jnp.exp(-jnp.abs(logits))), -1)
    divergence = -0.5 * jnp.sum(1 + log - mean**2 - jnp.exp(log), -1)
    return jnp.mean(reconstruction + divergence)

  def step(weights, first, second, x, key):
    return adam(weights, jax.grad(loss)(weights, x, key), first, second, 5)

  zeros = jax.tree.map(jnp.zeros_like, weights)
  return step, (weights, zeros, zeros, arrays.uniform(128, 784), random.key_data(random.key(4)))


@workload
def bootstrap_quantiles(arrays):
  def run(key, x):
    chosen = random.randint(key, (200, 2000), 0, 2000)
    return jnp.quantile(x[chosen], jnp.array([0.05, 0.5, 0.95]), axis=-1)

  return run, (random.key_data(random.key(5)), arrays.normal(2000))

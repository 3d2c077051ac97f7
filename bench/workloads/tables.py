# SPDX-License-Identifier: Apache-2.0
"""Tables, graphs, factorizations and contrastive learning."""
import jax
import jax.numpy as jnp
from jax import random

from workloads.common import cross_entropy, workload


@workload
def graph_network_step(arrays):
  nodes, edges, width = 2000, 16000, 32
  make = lambda *shape: arrays.normal(*shape, scale=0.1)

  def loss(weights, features, source, target):
    x = features
    for w_self, w_near in weights:
      message = jax.nn.relu(x[source] @ w_near)
      total = jax.ops.segment_sum(message, target, nodes)
      degree = jax.ops.segment_sum(jnp.ones(edges), target, nodes)
      x = jax.nn.relu(x @ w_self + total / jnp.maximum(degree, 1)[:, None])
    return jnp.mean(x**2)

  weights = [(make(width, width), make(width, width)) for _ in range(3)]
  return jax.value_and_grad(loss), (weights, arrays.normal(nodes, width), arrays.integers(nodes, edges),
                                    arrays.integers(nodes, edges))


@workload
def recommender_train_step(arrays):
  rows, width, fields, batch = 20000, 16, 20, 256
  make = lambda *shape: arrays.normal(*shape, scale=0.1)

  def loss(weights, ids, label):
    table, first, second = weights
    x = table[ids]
    pairs = 0.5 * jnp.sum(x.sum(1) ** 2 - (x**2).sum(1), -1)
    logit = pairs + (jax.nn.relu(x.reshape(batch, -1) @ first) @ second)[:, 0]
    return jnp.mean(jax.nn.softplus(-label * logit))

  def step(weights, ids, label):
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, jax.grad(loss)(weights, ids, label))

  return step, ((make(rows, width), make(fields * width, 64), make(64, 1)), arrays.integers(rows, batch, fields),
                jnp.sign(arrays.normal(batch)))


@workload
def gradient_boosting_histograms(arrays):
  count, features, bins = 20000, 16, 64

  def run(binned, gradient):
    index = binned + bins * jnp.arange(features)
    histogram = jax.ops.segment_sum(jnp.repeat(gradient, features), index.reshape(-1), features * bins)
    left = jnp.cumsum(histogram.reshape(features, bins), 1)
    weight = jnp.cumsum(jnp.bincount(index.reshape(-1), length=features * bins).reshape(features, bins), 1)
    gain = left**2 / (weight + 1) + (left[:, -1:] - left) ** 2 / (count - weight + 1)
    return jnp.unravel_index(gain.argmax(), gain.shape)

  return run, (arrays.integers(bins, count, features), arrays.normal(count))


@workload
def truncated_svd(arrays):
  def run(key, x):
    q = random.normal(key, (x.shape[1], 20))
    for _ in range(3):
      q, _ = jnp.linalg.qr(x.T @ (x @ q))
    u, s, vt = jnp.linalg.svd(x @ q, full_matrices=False)
    return s, jnp.abs(vt @ q.T)

  return run, (random.key_data(random.key(6)), arrays.normal(600, 300))


@workload
def contrastive_loss_gradient(arrays):
  def loss(image, text, temperature):
    image = image / jnp.linalg.norm(image, axis=-1, keepdims=True)
    text = text / jnp.linalg.norm(text, axis=-1, keepdims=True)
    logits = image @ text.T * jnp.exp(temperature)
    labels = jnp.arange(image.shape[0])
    return 0.5 * (cross_entropy(logits, labels) + cross_entropy(logits.T, labels))

  return jax.value_and_grad(loss, (0, 1, 2)), (arrays.normal(512, 128), arrays.normal(512, 128), jnp.float32(1))

# SPDX-License-Identifier: Apache-2.0
"""Networks on images, and filters of them."""
import jax
import jax.numpy as jnp
from jax import lax, random

from workloads.common import cross_entropy, layer_norm, workload


@workload
def cnn_train_step(arrays):
  make = lambda *shape: arrays.normal(*shape, scale=0.08)
  weights = (make(3, 3, 3, 32), make(3, 3, 32, 64), make(3, 3, 64, 64), make(1024, 10))

  def loss(weights, images, labels):
    x = images
    for kernel in weights[:3]:
      x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
      mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
      x = jax.nn.relu((x - mean) * lax.rsqrt(variance + 1e-5))
      x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return cross_entropy(x.reshape(x.shape[0], -1) @ weights[3], labels)

  def step(weights, momentum, images, labels):
    value, gradients = jax.value_and_grad(loss)(weights, images, labels)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return value, jax.tree.map(lambda w, m: w - 0.01 * m, weights, momentum), momentum

  return step, (weights, jax.tree.map(jnp.zeros_like, weights), arrays.normal(32, 32, 32, 3), arrays.integers(10, 32))


@workload
def mobilenet_blocks(arrays):
  make = lambda *shape: arrays.normal(*shape, scale=0.1)
  weights = [(make(1, 1, 32, 128), make(3, 3, 1, 128), make(1, 1, 128, 32), make(128, 8), make(8, 128)) for _ in range(4)]

  def run(weights, x):
    convolve = lambda x, w, groups=1: lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)
    for expand, depthwise, project, squeeze, excite in weights:
      h = jax.nn.silu(convolve(x, expand))
      h = jax.nn.silu(convolve(h, depthwise, 128))
      h = h * jax.nn.sigmoid(jax.nn.relu(h.mean((1, 2)) @ squeeze) @ excite)[:, None, None]
      x = x + convolve(h, project)
    return x

  return run, (weights, arrays.normal(2, 56, 56, 32))


@workload
def unet_denoiser(arrays):
  make = lambda *shape: arrays.normal(*shape, scale=0.05)
  weights = dict(into=make(3, 3, 3, 32), down=make(3, 3, 32, 64), middle=make(3, 3, 64, 64), up=make(3, 3, 64, 32),
                 out=make(3, 3, 64, 3), time=make(64, 64))

  def run(weights, x, t):
    convolve = lambda x, w, stride=1: lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    norm = lambda x: layer_norm(x.reshape(x.shape[0], -1, 8, x.shape[-1] // 8).swapaxes(1, 2).reshape(
        x.shape[0], 8, -1)).reshape(x.shape[0], 8, -1, x.shape[-1] // 8).swapaxes(1, 2).reshape(x.shape)
    angle = t[:, None] * 10000.0 ** (-jnp.arange(32) / 32)
    time = jax.nn.silu(jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1) @ weights["time"])
    first = jax.nn.silu(norm(convolve(x, weights["into"])))
    h = jax.nn.silu(norm(convolve(first, weights["down"], 2) + time[:, None, None]))
    h = jax.nn.silu(norm(convolve(h, weights["middle"])))
    h = jax.image.resize(h, (h.shape[0], 2 * h.shape[1], 2 * h.shape[2], 64), "nearest")
    h = jax.nn.silu(norm(convolve(h, weights["up"])))
    return convolve(jnp.concatenate([h, first], -1), weights["out"])

  return run, (weights, arrays.normal(4, 32, 32, 3), arrays.uniform(4, high=1000))


@workload
def image_augmentation(arrays):
  """Random rotation by bilinear samples, flips, contrast, cut-outs."""

  def one(image, key):
    keys = random.split(key, 5)
    angle = random.uniform(keys[0], minval=-0.3, maxval=0.3)
    y, x = jnp.mgrid[:96, :96] - 47.5
    where = jnp.stack([jnp.cos(angle) * y - jnp.sin(angle) * x, jnp.sin(angle) * y + jnp.cos(angle) * x]) + 47.5
    turned = jax.vmap(lambda c: jax.scipy.ndimage.map_coordinates(c, where, order=1), -1, -1)(image)
    turned = jnp.where(random.bernoulli(keys[1]), turned[:, ::-1], turned)
    turned = (turned - turned.mean()) * random.uniform(keys[2], minval=0.7, maxval=1.3) + turned.mean()
    top, left = random.randint(keys[3], (2,), 0, 64)
    return lax.dynamic_update_slice(turned, jnp.zeros((32, 32, 3)), (top, left, 0))

  return jax.vmap(one), (arrays.uniform(16, 96, 96, 3), random.key_data(random.split(random.key(1), 16)))


@workload
def nonmaximum_suppression(arrays):
  count = 500
  corners = arrays.uniform(count, 2, high=400)
  boxes = jnp.concatenate([corners, corners + arrays.uniform(count, 2, low=10, high=80)], -1)

  def run(boxes, scores):
    boxes = boxes[jnp.argsort(-scores)]
    top, bottom = jnp.maximum(boxes[:, None, :2], boxes[None, :, :2]), jnp.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = jnp.prod(jnp.maximum(bottom - top, 0), -1)
    area = jnp.prod(boxes[:, 2:] - boxes[:, :2], -1)
    overlap = shared / (area[:, None] + area[None] - shared) > 0.5

    def step(i, keep):
      return keep & ~(keep[i] & overlap[i] & (jnp.arange(count) > i))

    return lax.fori_loop(0, count, step, jnp.ones(count, bool))

  return run, (boxes, arrays.uniform(count))


@workload
def median_and_bilateral_filter(arrays):

  def run(image):
    padded = jnp.pad(image, 2, mode="edge")
    shifted = jnp.stack([padded[i:i + 256, j:j + 256] for i in range(5) for j in range(5)])
    weight = jnp.exp(-((shifted - image) ** 2) / 0.02)
    smooth = (weight * shifted).sum(0) / weight.sum(0)
    return jnp.median(shifted[jnp.array([6, 7, 8, 11, 12, 13, 16, 17, 18])], 0), smooth

  return run, (arrays.uniform(256, 256),)

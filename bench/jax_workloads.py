#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of the kinds that people write in JAX, compiled and run on Xylem and on XLA:CPU in turns.

    JAX_PLATFORMS=xylem,cpu bench/jax_workloads.py [NAME ...] [--seconds 0.2] [--rounds 3] [--json FILE]

Prints milliseconds of a call (the median of the rounds' medians) and of a compilation, and the largest difference of the
results in units of the result's largest number. The Python that runs this has JAX and the plugin (`make jax`).
"""
import argparse
import json
import math
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

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


# Transformers.


def llama_block(arrays, dtype, tokens):
  width, heads, groups, inner = 512, 8, 2, 1408
  size = width // heads
  make = lambda *shape: arrays.normal(*shape, scale=0.04, dtype=dtype)
  weights = (make(width, width), make(width, groups * size), make(width, groups * size), make(width, width),
             make(width, inner), make(width, inner), make(inner, width), jnp.ones(width, dtype))

  def block(weights, x):
    query, key, value, out, gate, up, down, norm = weights
    position = jnp.arange(tokens, dtype=jnp.float32)
    h = rms_norm(x, norm)
    q = rotary((h @ query).reshape(tokens, heads, size), position)
    k = rotary((h @ key).reshape(tokens, groups, size), position)
    v = (h @ value).reshape(tokens, groups, size)
    k, v = (jnp.repeat(a, heads // groups, 1) for a in (k, v))
    scores = jnp.einsum("qhd,khd->hqk", q, k).astype(jnp.float32) / math.sqrt(size)
    scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -jnp.inf)
    x = x + jnp.einsum("hqk,khd->qhd", jax.nn.softmax(scores).astype(dtype), v).reshape(tokens, width) @ out
    h = rms_norm(x, norm)
    return x + (jax.nn.silu(h @ gate) * (h @ up)) @ down

  return block, (weights, arrays.normal(tokens, width, dtype=dtype))


@workload
def llama_block_f32(arrays):
  return llama_block(arrays, jnp.float32, 256)


@workload
def llama_block_bf16(arrays):
  return llama_block(arrays, jnp.bfloat16, 256)


@workload
def llama_decode_bf16(arrays):
  """One token with a cache of keys and values of 1,024 positions, which is updated in place."""
  width, heads, length, inner = 1024, 16, 1024, 2816
  size = width // heads
  make = lambda *shape: arrays.normal(*shape, scale=0.03, dtype=jnp.bfloat16)
  weights = [make(width, 3 * width), make(width, width), make(width, 2 * inner), make(inner, width)]
  cache = make(2, heads, length, size)

  def step(weights, cache, x, position):
    qkv = (rms_norm(x, 1) @ weights[0]).reshape(3, heads, size)
    cache = lax.dynamic_update_slice(cache, qkv[1:, :, None], (0, 0, position, 0))
    scores = jnp.einsum("hd,hkd->hk", qkv[0], cache[0]).astype(jnp.float32) / math.sqrt(size)
    scores = jnp.where(jnp.arange(length) <= position, scores, -1e9)
    mixed = jnp.einsum("hk,hkd->hd", jax.nn.softmax(scores).astype(x.dtype), cache[1])
    x = x + mixed.reshape(width) @ weights[1]
    gate, up = jnp.split(rms_norm(x, 1) @ weights[2], 2)
    return x + (jax.nn.silu(gate) * up) @ weights[3], cache

  return step, (weights, cache, make(width), jnp.int32(700))


@workload
def decode_int8_weights(arrays):
  """Products of one row by int8 weights with a scale for each group of 64."""
  rows, columns, group = 2048, 2048, 64
  weights = jnp.asarray(arrays.generator.integers(-127, 127, (4, rows // group, group, columns)), jnp.int8)
  scales = arrays.uniform(4, rows // group, 1, columns, low=0.001, high=0.002)

  def run(weights, scales, x):
    for i in range(4):
      x = jnp.tanh(x @ (weights[i].astype(jnp.float32) * scales[i]).reshape(rows, columns))
    return x

  return run, (weights, scales, arrays.normal(1, rows))


@workload
def vit_forward(arrays):
  width, heads, depth = 192, 3, 4
  size = width // heads
  make = lambda *shape: arrays.normal(*shape, scale=0.05)
  weights = (make(16, 16, 3, width), make(depth, width, 3 * width), make(depth, width, width), make(depth, width, 4 * width),
             make(depth, 4 * width, width), make(width, 1000))

  def run(weights, images):
    patches, qkv_weight, out, up, down, head = weights
    x = lax.conv_general_dilated(images, patches, (16, 16), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = x.reshape(x.shape[0], -1, width)
    for i in range(depth):
      qkv = (layer_norm(x) @ qkv_weight[i]).reshape(*x.shape[:2], 3, heads, size)
      q, k, v = (qkv[:, :, j] for j in range(3))
      p = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(size))
      x = x + jnp.einsum("bhqk,bkhd->bqhd", p, v).reshape(x.shape) @ out[i]
      x = x + jax.nn.gelu(layer_norm(x) @ up[i], approximate=False) @ down[i]
    return layer_norm(x).mean(1) @ head

  return run, (weights, arrays.normal(4, 224, 224, 3))


@workload
def bert_train_step(arrays):
  """Masked language model with dropout: loss, gradients and Adam."""
  width, heads, depth, words, batch, length = 128, 4, 2, 4000, 8, 64
  size = width // heads
  make = lambda *shape: arrays.normal(*shape, scale=0.05)
  weights = dict(words=make(words, width), position=make(length, width), qkv=make(depth, width, 3 * width),
                 out=make(depth, width, width), up=make(depth, width, 4 * width), down=make(depth, 4 * width, width))

  def loss(weights, tokens, labels, key):
    x = weights["words"][tokens] + weights["position"]

    def layer(x, inputs):
      qkv_weight, out, up, down, key = inputs
      qkv = (layer_norm(x) @ qkv_weight).reshape(batch, length, 3, heads, size)
      p = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", qkv[:, :, 0], qkv[:, :, 1]) / math.sqrt(size))
      p = p * random.bernoulli(key, 0.9, p.shape) / 0.9
      x = x + jnp.einsum("bhqk,bkhd->bqhd", p, qkv[:, :, 2]).reshape(x.shape) @ out
      return x + jax.nn.gelu(layer_norm(x) @ up) @ down, None

    layers = tuple(weights[name] for name in ("qkv", "out", "up", "down")) + (random.split(key, depth),)
    x, _ = lax.scan(layer, x, layers)
    return cross_entropy(x @ weights["words"].T, labels)

  def step(weights, first, second, tokens, labels, key):
    value, gradients = jax.value_and_grad(loss)(weights, tokens, labels, key)
    return value, adam(weights, gradients, first, second, 10)

  zeros = jax.tree.map(jnp.zeros_like, weights)
  return step, (weights, zeros, zeros, arrays.integers(words, batch, length), arrays.integers(words, batch, length),
                random.key_data(random.key(0)))


@workload
def mixture_of_experts(arrays):
  tokens, width, experts, inner, capacity = 512, 128, 8, 256, 160

  def run(x, router, up, down):
    probabilities = jax.nn.softmax(x @ router)
    weight, expert = lax.top_k(probabilities, 2)
    chosen = jax.nn.one_hot(expert, experts, dtype=jnp.int32).reshape(-1, experts)
    slot = jnp.cumsum(chosen, 0) * chosen - 1
    inside = jax.nn.one_hot(slot, capacity).reshape(tokens, 2, experts, capacity)
    dispatch = inside.sum(1)
    h = jax.nn.gelu(jnp.einsum("tec,td,edf->ecf", dispatch, x, up))
    out = jnp.einsum("ecf,efd->ecd", h, down)
    return jnp.einsum("tkec,tk,ecd->td", inside, weight, out)

  return run, (arrays.normal(tokens, width), arrays.normal(width, experts), arrays.normal(experts, width, inner, scale=0.1),
               arrays.normal(experts, inner, width, scale=0.1))


# Recurrent networks and other sequences.


@workload
def gru_train_step(arrays):
  batch, length, width, inputs = 32, 40, 96, 48
  make = lambda *shape: arrays.normal(*shape, scale=0.1)
  weights = (make(inputs, 3 * width), make(width, 3 * width), make(width, 10))

  def loss(weights, sequence, labels):
    def cell(h, x):
      ru, rh, rn = jnp.split(x @ weights[0], 3, -1)
      hu, hh, hn = jnp.split(h @ weights[1], 3, -1)
      update, reset = jax.nn.sigmoid(ru + hu), jax.nn.sigmoid(rh + hh)
      new = (1 - update) * jnp.tanh(rn + reset * hn) + update * h
      return new, None

    h, _ = lax.scan(cell, jnp.zeros((batch, width)), sequence)
    return cross_entropy(h @ weights[2], labels)

  def step(weights, sequence, labels):
    gradients = jax.grad(loss)(weights, sequence, labels)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)

  return step, (weights, arrays.normal(length, batch, inputs), arrays.integers(10, batch))


@workload
def wavenet_forward(arrays):
  channels = 32
  weights = arrays.normal(8, 2, channels, 2 * channels, scale=0.1)

  def run(weights, x):
    for i in range(8):
      h = lax.conv_general_dilated(x, weights[i], (1,), [(2**i, 0)], rhs_dilation=(2**i,),
                                   dimension_numbers=("NWC", "WIO", "NWC"))
      x = x + jnp.tanh(h[..., :channels]) * jax.nn.sigmoid(h[..., channels:])
    return x

  return run, (weights, arrays.normal(4, 2000, channels))


@workload
def state_space_scan(arrays):
  """A diagonal linear recurrence by an associative scan, as in Mamba."""
  length, width, state = 512, 64, 8

  def run(x, step, a, b, c):
    decay = jnp.exp(-jax.nn.softplus(step)[..., None] * jnp.exp(a))
    drive = (step * x)[..., None] * b[:, None]
    combine = lambda left, right: (left[0] * right[0], right[0] * left[1] + right[1])
    _, states = lax.associative_scan(combine, (decay, drive))
    return jnp.einsum("lwn,ln->lw", states, c)

  return run, (arrays.normal(length, width), arrays.normal(length, width), arrays.normal(width, state),
               arrays.normal(length, state), arrays.normal(length, state))


@workload
def viterbi(arrays):
  states, length = 64, 300

  def run(transition, emission):
    def forward(score, step):
      both = score[:, None] + transition
      return both.max(0) + step, both.argmax(0)

    score, back = lax.scan(forward, emission[0], emission[1:])
    return lax.scan(lambda state, pointers: (pointers[state], state), score.argmax(), back, reverse=True)

  return run, (arrays.normal(states, states), arrays.normal(length, states))


@workload
def ctc_loss_gradient(arrays):
  batch, length, words, labels = 8, 100, 30, 20

  def loss(logits, target):
    log = jax.nn.log_softmax(logits)
    extended = jnp.stack([jnp.zeros_like(target), target], -1).reshape(batch, -1)
    emitted = jnp.take_along_axis(log, jnp.broadcast_to(extended[:, None], (batch, length, 2 * labels)), -1)
    skip = jnp.pad(extended[:, 2:] != extended[:, :-2], ((0, 0), (2, 0)))
    start = jnp.full((batch, 2 * labels), -1e5).at[:, :2].set(emitted[:, 0, :2])

    def step(alpha, emission):
      one = jnp.pad(alpha[:, :-1], ((0, 0), (1, 0)), constant_values=-1e5)
      two = jnp.where(skip, jnp.pad(alpha[:, :-2], ((0, 0), (2, 0)), constant_values=-1e5), -1e5)
      return jnp.logaddexp(jnp.logaddexp(alpha, one), two) + emission, None

    alpha, _ = lax.scan(step, start, emitted[:, 1:].swapaxes(0, 1))
    return -jnp.logaddexp(alpha[:, -1], alpha[:, -2]).mean()

  return jax.value_and_grad(loss), (arrays.normal(batch, length, words), 1 + arrays.integers(words - 1, batch, labels))


# Images.


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


# Sampling and statistics.


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


# Simulation and numerical mathematics.


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


# Tables and graphs.


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


# Measuring.


class Side:
  """A workload compiled for one platform."""

  def __init__(self, make, platform):
    with jax.default_device(jax.devices(platform)[0]):
      function, arguments = make(Arrays())
      self.arguments = jax.device_put(arguments, jax.devices(platform)[0])
      lowered = jax.jit(function).lower(*self.arguments)
      begin = time.perf_counter()
      self.compiled = lowered.compile()
      self.compile_ms = (time.perf_counter() - begin) * 1e3

  def run(self):
    return jax.block_until_ready(self.compiled(*self.arguments))

  def measure(self, seconds):
    """The median of milliseconds of a call."""
    self.run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
      begin = time.perf_counter()
      self.run()
      times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def difference(ours, theirs):
  """The largest difference over the largest number of each result."""
  worst = 0.0
  for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
      return math.inf
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    if a.size:
      worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1e-30))
  return worst


def compare(name, options):
  ours, theirs = Side(WORKLOADS[name], "xylem"), Side(WORKLOADS[name], "cpu")
  rounds = [(ours.measure(options.seconds), theirs.measure(options.seconds)) for _ in range(options.rounds)]
  row = dict(name=name, run_ms=statistics.median(r[0] for r in rounds), xla_run_ms=statistics.median(r[1] for r in rounds),
             compile_ms=ours.compile_ms, xla_compile_ms=theirs.compile_ms, difference=difference(ours.run(), theirs.run()))
  row["ratio"] = row["xla_run_ms"] / row["run_ms"]
  row["compile_ratio"] = row["xla_compile_ms"] / row["compile_ms"]
  return row


def main():
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(WORKLOADS))
  parser.add_argument("--seconds", type=float, default=0.2, help="of a round")
  parser.add_argument("--rounds", type=int, default=3)
  parser.add_argument("--json", metavar="FILE", help="write the rows as JSON, too")
  options = parser.parse_args()
  unknown = set(options.names) - set(WORKLOADS)
  if unknown:
    parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
  rows = []
  print(f"{'workload':30} {'XLA ms':>9} {'Xylem ms':>9} {'ratio':>6} {'XLA compile':>12} {'Xylem':>8} {'ratio':>6} difference")
  for name in options.names or WORKLOADS:
    row = compare(name, options)
    rows.append(row)
    print(f"{name:30} {row['xla_run_ms']:9.3f} {row['run_ms']:9.3f} {row['ratio']:6.2f} {row['xla_compile_ms']:12.1f} "
          f"{row['compile_ms']:8.1f} {row['compile_ratio']:6.2f} {row['difference']:.1e}", flush=True)
  mean = lambda key: statistics.geometric_mean(row[key] for row in rows)
  print(f"{len(rows)} workloads: run {mean('ratio'):.2f} times faster than XLA:CPU, compile {mean('compile_ratio'):.2f}; "
        f"slower than XLA: {sum(row['ratio'] < 0.95 for row in rows)}")
  if options.json:
    with open(options.json, "w") as file:
      json.dump(rows, file, indent=1)


if __name__ == "__main__":
  main()

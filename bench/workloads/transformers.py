# SPDX-License-Identifier: Apache-2.0
"""Transformers, forward and in training, and products with narrow weights."""
import math

import jax
import jax.numpy as jnp
from jax import lax, random

from workloads.common import adam, cross_entropy, layer_norm, rms_norm, rotary, workload


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

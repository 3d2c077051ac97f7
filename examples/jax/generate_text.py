# SPDX-License-Identifier: Apache-2.0
"""A character transformer: trained for a moment on a text file, then made to write, with a KV cache.

    JAX_PLATFORMS=xylem python examples/jax/generate_text.py --text docs/architecture.md

Keys and values of past characters are kept in arrays that each step updates in place, so that a
character costs the same however long the text is.
"""

import argparse
import functools
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np

WIDTH, HEADS, LAYERS, LENGTH = 64, 4, 2, 128
HEAD = WIDTH // HEADS


def init(key, alphabet):
  normal = lambda key, *shape: jax.random.normal(key, shape) * 0.1
  keys = iter(jax.random.split(key, 3 + 4 * LAYERS))
  return {
      "embed": normal(next(keys), alphabet, WIDTH), "position": normal(next(keys), LENGTH, WIDTH),
      "out": normal(next(keys), WIDTH, alphabet),
      "layers": [{
          "qkv": normal(next(keys), WIDTH, 3 * WIDTH), "mix": normal(next(keys), WIDTH, WIDTH),
          "up": normal(next(keys), WIDTH, 4 * WIDTH), "down": normal(next(keys), 4 * WIDTH, WIDTH)}
                 for _ in range(LAYERS)]}


def normalize(x):
  return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def attend(query, keys, values, mask):
  """[heads, q, head] on [heads, k, head]; mask [q, k]."""
  scores = jnp.einsum("hqd,hkd->hqk", query, keys) / np.sqrt(HEAD)
  return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), values)


def block(layer, x, start, cache, mask):
  """A layer on x [q, WIDTH], whose keys and values go into the cache from `start` on."""
  split = lambda y: y.reshape(-1, HEADS, HEAD).transpose(1, 0, 2)
  query, key, value = map(split, jnp.split(normalize(x) @ layer["qkv"], 3, axis=-1))
  keys = jax.lax.dynamic_update_slice(cache[0], key, (0, start, 0))
  values = jax.lax.dynamic_update_slice(cache[1], value, (0, start, 0))
  mixed = attend(query, keys, values, mask).transpose(1, 0, 2).reshape(-1, WIDTH)
  x = x + mixed @ layer["mix"]
  return x + jax.nn.gelu(normalize(x) @ layer["up"]) @ layer["down"], (keys, values)


def forward(params, tokens, start, caches):
  """Logits of each token, and the caches with them."""
  count = tokens.shape[0]
  x = params["embed"][tokens] + jax.lax.dynamic_slice(
      params["position"], (start, 0), (count, WIDTH))
  mask = jnp.arange(LENGTH)[None, :] <= start + jnp.arange(count)[:, None]
  after = []
  for layer, cache in zip(params["layers"], caches):
    x, cache = block(layer, x, start, cache, mask)
    after.append(cache)
  return normalize(x) @ params["out"], after


def empty_caches():
  return [(jnp.zeros((HEADS, LENGTH, HEAD)), jnp.zeros((HEADS, LENGTH, HEAD)))
          for _ in range(LAYERS)]


def loss_of(params, batch):
  def one(tokens):
    logits, _ = forward(params, tokens[:-1], 0, empty_caches())
    logp = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(logp, tokens[1:, None], axis=1).mean()
  return jax.vmap(one)(batch).mean()


@functools.partial(jax.jit, donate_argnums=(0, 1))
def train_step(params, momentum, batch):
  loss, gradient = jax.value_and_grad(loss_of)(params, batch)
  # Signs of the averaged gradient (Lion, Chen et al. 2023).
  update = jax.tree.map(lambda m, g: jnp.sign(0.9 * m + 0.1 * g), momentum, gradient)
  momentum = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g, momentum, gradient)
  return jax.tree.map(lambda p, u: p - 1e-3 * u, params, update), momentum, loss


@functools.partial(jax.jit, static_argnums=3)
def write(params, prompt, key, count):
  logits, caches = forward(params, prompt, 0, empty_caches())

  def next_token(carry, key):
    logits, caches, position = carry
    token = jax.random.categorical(key, logits / 0.8)
    logits, caches = forward(params, token[None], position, caches)
    return (logits[0], caches, position + 1), token

  start = (logits[-1], caches, jnp.int32(prompt.shape[0]))
  return jax.lax.scan(next_token, start, jax.random.split(key, count))[1]


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--text", default=__file__, help="what to learn from")
  parser.add_argument("--steps", type=int, default=200)
  parser.add_argument("--prompt", default="The ")
  args = parser.parse_args()
  text = pathlib.Path(args.text).read_text()
  alphabet = sorted(set(text + args.prompt))
  number = {character: i for i, character in enumerate(alphabet)}
  data = np.array([number[character] for character in text], np.int32)
  params = init(jax.random.key(0), len(alphabet))
  momentum = jax.tree.map(jnp.zeros_like, params)
  random = np.random.RandomState(0)
  begin = time.perf_counter()
  for step in range(args.steps):
    starts = random.randint(0, len(data) - 65, size=8)
    batch = np.stack([data[start:start + 65] for start in starts])
    params, momentum, loss = train_step(params, momentum, batch)
    if step % 50 == 0 or step == args.steps - 1:
      print(f"step {step}: loss {float(loss):.3f}", flush=True)
  print(f"{args.steps / (time.perf_counter() - begin):.1f} steps/s")
  prompt = np.array([number[character] for character in args.prompt], np.int32)
  count = LENGTH - len(prompt)
  write(params, prompt, jax.random.key(1), count).block_until_ready()
  begin = time.perf_counter()
  tokens = np.asarray(write(params, prompt, jax.random.key(2), count))
  seconds = time.perf_counter() - begin
  print(args.prompt + "".join(alphabet[token] for token in tokens))
  print(f"{count / seconds:.0f} characters/s")


if __name__ == "__main__":
  main()

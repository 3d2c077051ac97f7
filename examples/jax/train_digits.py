# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on images of handwritten digits; Adam is written out.

    JAX_PLATFORMS=xylem python examples/jax/train_digits.py

Prints loss, accuracy and images a second for each epoch. --sheet FILE draws some of the test images
with what the network takes them for.
"""

import argparse
import functools
import json
import pathlib
import time

import jax
import jax.numpy as jnp
import numpy as np

DATA = pathlib.Path(__file__).resolve().parent.parent.parent / "models" / "digits"


def load():
  """Images [n, 8, 8, 1] in 0..1 and labels [n], of training and test."""
  train = np.load(DATA / "train_inputs.npz")
  return (train["arg06"], train["arg07"]), (
      np.load(DATA / "test_images.npy"), np.load(DATA / "test_labels.npy"))


def init(key):
  k1, k2, k3 = jax.random.split(key, 3)
  he = lambda key, shape, fan_in: jax.random.normal(key, shape) * np.sqrt(2.0 / fan_in)
  return {
      "conv1": he(k1, (3, 3, 1, 16), 9), "bias1": jnp.zeros(16),
      "conv2": he(k2, (3, 3, 16, 32), 144), "bias2": jnp.zeros(32),
      "dense": he(k3, (128, 10), 128), "bias3": jnp.zeros(10)}


def forward(params, images):
  def layer(x, kernel, bias):
    x = jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = jax.nn.relu(x + bias)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

  x = layer(images, params["conv1"], params["bias1"])
  x = layer(x, params["conv2"], params["bias2"])
  return x.reshape(x.shape[0], -1) @ params["dense"] + params["bias3"]


def loss_of(params, images, labels):
  logp = jax.nn.log_softmax(forward(params, images))
  return -jnp.mean(jnp.take_along_axis(logp, labels[:, None], axis=1))


@functools.partial(jax.jit, donate_argnums=(0, 1, 2))
def step(params, mean, square, t, images, labels):
  """One step of Adam (Kingma and Ba, 2015)."""
  loss, gradient = jax.value_and_grad(loss_of)(params, images, labels)
  t = t + 1
  mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
  square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
  params = jax.tree.map(
      lambda p, m, s: p - 2e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(s / (1 - 0.999**t)) + 1e-8),
      params, mean, square)
  return params, mean, square, t, loss


@jax.jit
def predict(params, images):
  return jnp.argmax(forward(params, images), axis=-1)


def draw(path, images, predicted, labels):
  """A sheet of images as SVG; wrong answers in red."""
  parts = []
  for i, image in enumerate(images):
    x, y = 84 * (i % 8) + 8, 104 * (i // 8) + 8
    for row in range(8):
      for column in range(8):
        shade = int(255 * (1 - float(image[row, column, 0])))
        parts.append(f'<rect x="{x + 8 * column}" y="{y + 8 * row}" width="8" height="8" '
                     f'fill="rgb({shade},{shade},{shade})"/>')
    color = "black" if predicted[i] == labels[i] else "red"
    parts.append(f'<text x="{x + 32}" y="{y + 84}" text-anchor="middle" fill="{color}" '
                 f'font-family="sans-serif" font-size="16">{predicted[i]}</text>')
  height = 104 * ((len(images) + 7) // 8) + 8
  pathlib.Path(path).write_text(
      f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{height}">'
      f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--epochs", type=int, default=8)
  parser.add_argument("--batch", type=int, default=64)
  parser.add_argument("--sheet", help="an SVG file")
  parser.add_argument("--json", help="a file for the figures of the last epoch")
  args = parser.parse_args()
  (images, labels), (test_images, test_labels) = load()
  params = init(jax.random.key(0))
  # Donated one by one, so each needs memory of its own.
  mean, square = jax.tree.map(jnp.zeros_like, params), jax.tree.map(jnp.zeros_like, params)
  t = jnp.zeros((), jnp.int32)
  order = np.random.RandomState(0)
  platform = jax.devices()[0].platform
  for epoch in range(args.epochs):
    permutation = order.permutation(len(images))[: len(images) // args.batch * args.batch]
    begin, total = time.perf_counter(), 0.0
    for chosen in permutation.reshape(-1, args.batch):
      params, mean, square, t, loss = step(
          params, mean, square, t, images[chosen], labels[chosen])
      total += loss
    total = float(total) * args.batch / len(permutation)
    seconds = time.perf_counter() - begin
    predicted = np.asarray(predict(params, test_images))
    accuracy = float((predicted == test_labels).mean())
    rate = len(permutation) / seconds
    print(f"{platform}: epoch {epoch + 1}: loss {total:.4f}, accuracy {100 * accuracy:.1f} %, "
          f"{rate:.0f} img/s", flush=True)
  if args.sheet:
    draw(args.sheet, test_images[:32], predicted[:32], test_labels[:32])
    print(f"{platform}: sheet: {args.sheet}")
  if args.json:
    pathlib.Path(args.json).write_text(json.dumps(
        {"platform": platform, "loss": total, "accuracy": accuracy, "images_per_second": rate}))


if __name__ == "__main__":
  main()

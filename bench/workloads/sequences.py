# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks and other sequences."""
import jax
import jax.numpy as jnp
from jax import lax

from workloads.common import cross_entropy, workload


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

# SPDX-License-Identifier: Apache-2.0
"""A program from a seed, a number and a scale: an idiom, forward or with its gradient, once or several times."""
import jax
import jax.numpy as jnp
import numpy as np

import arrays  # noqa: F401  (these register idioms)
import kernels  # noqa: F401
import loops  # noqa: F401
import pairs  # noqa: F401
from draw import IDIOMS, Draw

# Not differentiable, or of no interest.
FORWARD_ONLY = {"random_numbers", "one_operation", "while_search"}


def _is_float(x):
  return jnp.issubdtype(x.dtype, jnp.floating)


def _gradient(function, arguments):
  """The gradient of a weighted sum of all results that are numbers, for all arguments that are."""
  numbers = tuple(i for i, a in enumerate(arguments) if _is_float(a))

  def loss(*arguments):
    total = jnp.float32(0)
    for leaf in jax.tree.leaves(function(*arguments)):
      if jnp.issubdtype(leaf.dtype, jnp.inexact):
        leaf = jnp.abs(leaf) if jnp.issubdtype(leaf.dtype, jnp.complexfloating) else leaf
        weights = jnp.cos(jnp.arange(leaf.size, dtype=np.float32)).reshape(leaf.shape)
        total += jnp.sum(leaf.astype(np.float32) * weights)
    return total

  return jax.grad(loss, argnums=numbers), numbers


def _repeated(function, times):
  """Several calls with different arguments, and the sums of their results."""

  def many(*arguments):
    total = None
    for i in range(times):
      scaled = [a * np.asarray(1 + i / 64, a.dtype) if _is_float(a) else a for a in arguments]
      results = jax.tree.leaves(function(*scaled))
      total = results if total is None else [a | b if a.dtype == bool else a + b for a, b in zip(total, results)]
    return total

  return many


class Program:
  def __init__(self, seed, number, scale, times=1, only=None):
    draw = Draw(seed, number)
    names = sorted(IDIOMS) if only is None else [only]
    name = names[draw.choices.integers(len(names))]
    wants_gradient = draw.chance(0.4) and name not in FORWARD_ONLY
    # Types of 64 bits are as JAX's users have them: mostly off.
    jax.config.update("jax_enable_x64", draw.chance(0.15))
    self.function, inputs = IDIOMS[name](draw, scale)
    # As JAX would hold them: 64-bit types only if those are enabled.
    self.arguments = [np.asarray(a, jax.dtypes.canonicalize_dtype(np.asarray(a).dtype)) for a in inputs]
    kind = "forward"
    if wants_gradient:
      gradient, numbers = _gradient(self.function, self.arguments)
      try:
        if numbers:
          jax.eval_shape(gradient, *self.arguments)
          self.function, kind = gradient, "gradient"
      except (TypeError, ValueError, NotImplementedError):
        pass  # loops without a known end, integers
    if times > 1:
      self.function = _repeated(self.function, times)
    self.name = f"{name} {kind} {' '.join(draw.names)}"

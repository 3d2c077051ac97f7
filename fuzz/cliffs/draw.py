# SPDX-License-Identifier: Apache-2.0
"""Random choices of a program, which are the same at each of its sizes, and its arguments."""
import numpy as np

IDIOMS = {}


def idiom(function):
  """Registers a function (draw, scale) -> (function of arrays, arrays). Scales are 1, 2, 4, 8."""
  IDIOMS[function.__name__] = function
  return function


class Draw:
  """Choices come from one generator, elements from another, so that sizes do not change choices."""

  def __init__(self, seed, number):
    self.choices = np.random.default_rng([seed, number])
    self.elements = np.random.default_rng([seed, number, 1])
    self.names = []

  def pick(self, *options):
    option = options[self.choices.integers(len(options))]
    self.names.append(getattr(option, "__name__", None) or str(option))
    return option

  def chance(self, probability):
    return bool(self.choices.random() < probability)

  def between(self, low, high):
    """An integer, small ones as likely as large ones."""
    value = int(round(np.exp(self.choices.uniform(np.log(low), np.log(high)))))
    self.names.append(str(value))
    return value

  def normal(self, *shape, dtype=np.float32):
    return self.elements.standard_normal(shape).astype(dtype)

  def positive(self, *shape, dtype=np.float32):
    return self.elements.uniform(0.1, 1, shape).astype(dtype)

  def integers(self, high, *shape, dtype=np.int32):
    return self.elements.integers(0, high, shape).astype(dtype)

  def definite(self, *shape):
    """Symmetric positive definite matrices, well conditioned."""
    a = self.normal(*shape)
    n = shape[-1]
    return (a @ np.swapaxes(a, -1, -2) / n + 2 * np.eye(n)).astype(np.float32)

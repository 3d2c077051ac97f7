# SPDX-License-Identifier: Apache-2.0
"""What JAX offers for programs of its own clients only."""

import functools
import types

from jax_xylem import names
from jax_xylem.names import PLATFORM


def analyze_costs_before_compiling():
  """Lowered.cost_analysis, which JAX has for its own clients only: the plugin knows costs of
  programs that it has compiled."""
  from jax._src.interpreters import pxla

  original = pxla.MeshComputation.cost_analysis

  @functools.wraps(original)
  def cost_analysis(self):
    if getattr(self.compile_args.get("backend"), "platform", None) == PLATFORM:
      return self.compile().cost_analysis()
    return original(self)

  pxla.MeshComputation.cost_analysis = cost_analysis


def use_compilation_cache():
  """JAX knows the platforms that have one by their names."""
  from jax._src import compilation_cache

  original = compilation_cache.is_cache_used

  def is_cache_used(backend):
    if getattr(backend, "platform", None) == PLATFORM:
      backend = types.SimpleNamespace(
          platform=names.CPU, supports_executable_serialization=True)
    return original(backend)

  compilation_cache.is_cache_used = is_cache_used

# SPDX-License-Identifier: Apache-2.0
"""What JAX must know of a platform that it does not come with: lowerings, donation, the cache.

The devices are CPUs, so the rules that JAX registered for "cpu" fit wherever they emit operations
of StableHLO, or calls of LAPACK, whose handlers jaxlib hands out.
"""

import dataclasses
import functools
import types

import numpy as np

from jax import lax
from jax._src import compilation_cache
from jax._src import core
from jax._src.interpreters import mlir
from jax._src.interpreters import pxla
from jax._src.lax import linalg
from jax._src.lax.control_flow import conditionals

from jax_xylem import callbacks
from jax_xylem import custom_calls
from jax_xylem import dlpack
from jax_xylem import interrupts
from jax_xylem import partitioning
from jax_xylem import replacing

PLATFORM = "xylem"

# Primitives whose "cpu" rule is preferred to the one for all platforms.
_AS_ON_CPU = (
    "cholesky", "debug_callback", "debug_print", "eig", "eigh", "geqp3", "geqrf", "hessenberg",
    "householder_product", "lu", "ormqr", "random_gamma", "schur", "select_and_scatter_add", "svd",
    "triangular_solve", "tridiagonal", "tridiagonal_solve")


class _Rules(dict):
  """The rules of this platform, else those of "cpu" where JAX has none for all platforms.

  Looked up when a program is lowered, as modules register rules when they are imported.
  """

  def _of_cpu(self, primitive):
    if str(primitive) == "call_exported":
      return _call_exported_for_cpu(mlir._lowerings[primitive])
    if str(primitive) not in _AS_ON_CPU and primitive in mlir._lowerings:
      return None
    return mlir._platform_specific_lowerings["cpu"].get(primitive)

  def __contains__(self, primitive):
    return super().__contains__(primitive) or self._of_cpu(primitive) is not None

  def __missing__(self, primitive):
    rule = self._of_cpu(primitive)
    if rule is None:
      raise KeyError(primitive)
    return rule


def _call_exported_for_cpu(entry):
  """As the rule; functions that were exported for "cpu" run on this platform, too."""
  rule = getattr(entry, "rule", entry)  # older versions of JAX hold the function itself

  def lower(ctx, *args, exported):
    if PLATFORM not in exported.platforms and "cpu" in exported.platforms:
      platforms = [PLATFORM if name == "cpu" else name for name in exported.platforms]
      exported = dataclasses.replace(exported, platforms=tuple(platforms))
    return rule(ctx, *args, exported=exported)

  return lower if entry is rule else dataclasses.replace(entry, rule=lower)


def _take_over_cpu_lowerings():
  rules = mlir._platform_specific_lowerings
  rules[PLATFORM] = _Rules(rules[PLATFORM])


def _permutation_of_pivots(swaps, *, permutation_size):
  """As JAX's rule, by selections instead of gathers, which keep batches on their shards."""
  shape = swaps.shape[:-1] + (permutation_size,)
  if not core.is_constant_shape(swaps.shape + shape) or 0 in swaps.shape + shape:
    return linalg._generic_lu_pivots_to_permutation(swaps, permutation_size)
  last = len(shape) - 1
  spread = lambda column: lax.broadcast_in_dim(column, shape, range(last + 1))
  first = lax.slice_in_dim(swaps, 0, 1, axis=last)
  zero = spread(lax.sub(first, first))  # it varies between devices as the swaps do
  rows = lax.add(zero, lax.broadcasted_iota(np.int32, shape, last))

  def swap(i, permutation):
    row = lax.dynamic_slice_in_dim(swaps, i, 1, last)
    # As an index of an array: negative numbers count from the end. Beyond the array, the nearest
    # value is read and nothing is written.
    row = lax.select(lax.lt(row, np.int32(0)), lax.add(row, np.int32(permutation_size)), row)
    here = lax.dynamic_slice_in_dim(permutation, i, 1, last)
    nearest = lax.clamp(np.int32(0), row, np.int32(permutation_size - 1))
    there = lax.select(lax.eq(rows, spread(nearest)), permutation, zero)
    there = lax.broadcast_in_dim(lax.reduce_sum(there, (last,)), shape, range(last))
    permutation = lax.select(lax.eq(rows, lax.full(shape, i, np.int32)), there, permutation)
    return lax.select(lax.eq(rows, spread(row)), spread(here), permutation)

  return lax.fori_loop(np.int32(0), np.int32(swaps.shape[-1]), swap, rows)


def _extend_platform_dependent():
  """lax.platform_dependent: without a default, the branch of "cpu" is that of this platform."""
  original = conditionals.platform_dependent

  @functools.wraps(original)
  def platform_dependent(*args, default=None, **per_platform):
    if default is None and PLATFORM not in per_platform and "cpu" in per_platform:
      per_platform[PLATFORM] = per_platform["cpu"]
    return original(*args, default=default, **per_platform)

  replacing.everywhere("platform_dependent", original, platform_dependent)


def _analyze_costs_before_compiling():
  """Lowered.cost_analysis, which JAX has for its own clients only: the plugin knows costs of
  programs that it has compiled."""
  original = pxla.MeshComputation.cost_analysis

  @functools.wraps(original)
  def cost_analysis(self):
    if getattr(self.compile_args.get("backend"), "platform", None) == PLATFORM:
      return self.compile().cost_analysis()
    return original(self)

  pxla.MeshComputation.cost_analysis = cost_analysis


def _use_compilation_cache():
  original = compilation_cache.is_cache_used

  def is_cache_used(backend):
    if getattr(backend, "platform", None) == PLATFORM:
      backend = types.SimpleNamespace(
          platform="cpu", supports_executable_serialization=True)
    return original(backend)

  compilation_cache.is_cache_used = is_cache_used


def register(c_api):
  if PLATFORM not in mlir._platforms_with_donation:
    mlir._platforms_with_donation.append(PLATFORM)
  _take_over_cpu_lowerings()
  mlir.register_lowering(
      linalg.lu_pivots_to_permutation_p,
      mlir.lower_fun(_permutation_of_pivots, multiple_results=False), platform=PLATFORM)
  _extend_platform_dependent()
  _analyze_costs_before_compiling()
  _use_compilation_cache()
  custom_calls.register(c_api)
  callbacks.register(c_api)
  interrupts.register(c_api)
  dlpack.register()
  partitioning.register()

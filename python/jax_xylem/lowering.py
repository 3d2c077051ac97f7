# SPDX-License-Identifier: Apache-2.0
"""What JAX must know of a platform that it does not come with: lowerings, donation, the cache.

The devices are CPUs, so the rules that JAX registered for "cpu" fit wherever they emit operations
of StableHLO, or calls of LAPACK, whose handlers jaxlib hands out.
"""

import functools
import types

from jax._src import compilation_cache
from jax._src.interpreters import mlir
from jax._src.lax.control_flow import conditionals

from jax_xylem import callbacks
from jax_xylem import custom_calls
from jax_xylem import dlpack
from jax_xylem import replacing

PLATFORM = "xylem"

# Primitives whose "cpu" rule is preferred to the one for all platforms.
_AS_ON_CPU = (
    "cholesky", "debug_callback", "debug_print", "eig", "eigh", "geqp3", "geqrf", "hessenberg",
    "householder_product", "lu", "ormqr", "random_gamma", "schur", "select_and_scatter_add", "svd",
    "threefry2x32", "triangular_solve", "tridiagonal", "tridiagonal_solve")


class _Rules(dict):
  """The rules of this platform, else those of "cpu" where JAX has none for all platforms.

  Looked up when a program is lowered, as modules register rules when they are imported.
  """

  def _of_cpu(self, primitive):
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


def _take_over_cpu_lowerings():
  rules = mlir._platform_specific_lowerings
  rules[PLATFORM] = _Rules(rules[PLATFORM])


def _extend_platform_dependent():
  """lax.platform_dependent: without a default, the branch of "cpu" is that of this platform."""
  original = conditionals.platform_dependent

  @functools.wraps(original)
  def platform_dependent(*args, default=None, **per_platform):
    if default is None and PLATFORM not in per_platform and "cpu" in per_platform:
      per_platform[PLATFORM] = per_platform["cpu"]
    return original(*args, default=default, **per_platform)

  replacing.everywhere("platform_dependent", original, platform_dependent)


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
  _extend_platform_dependent()
  _use_compilation_cache()
  custom_calls.register(c_api)
  callbacks.register(c_api)
  dlpack.register()

# SPDX-License-Identifier: Apache-2.0
"""Rules of lowering, and donation, for a platform that JAX does not come with.

The devices are CPUs, so the rules that JAX registered for "cpu" fit wherever they emit operations
of StableHLO, or calls of LAPACK. Where the platform is called "cpu", they are its own.
"""

import dataclasses
import functools

from jax._src.interpreters import mlir

from jax_xylem import names
from jax_xylem import replacing
from jax_xylem.names import PLATFORM

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
      return _call_exported(mlir._lowerings[primitive])
    if PLATFORM == names.CPU:
      return None
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


def _call_exported(entry):
  """As the rule; functions that were exported under the platform's other name run, too."""
  rule = getattr(entry, "rule", entry)  # older versions of JAX hold the function itself
  other = names.XYLEM if PLATFORM == names.CPU else names.CPU

  def lower(ctx, *args, exported):
    if PLATFORM not in exported.platforms and other in exported.platforms:
      platforms = [PLATFORM if name == other else name for name in exported.platforms]
      exported = dataclasses.replace(exported, platforms=tuple(platforms))
    return rule(ctx, *args, exported=exported)

  return lower if entry is rule else dataclasses.replace(entry, rule=lower)


def take_over_rules_of_cpu():
  rules = mlir._platform_specific_lowerings
  rules[PLATFORM] = _Rules(rules[PLATFORM])


def donate():
  if PLATFORM not in mlir._platforms_with_donation:
    mlir._platforms_with_donation.append(PLATFORM)


def extend_platform_dependent():
  """lax.platform_dependent: without a default, the branch of "cpu" is that of this platform."""
  from jax._src.lax.control_flow import conditionals

  if PLATFORM == names.CPU:
    return
  original = conditionals.platform_dependent

  @functools.wraps(original)
  def platform_dependent(*args, default=None, **per_platform):
    if default is None and PLATFORM not in per_platform and "cpu" in per_platform:
      per_platform[PLATFORM] = per_platform["cpu"]
    return original(*args, default=default, **per_platform)

  replacing.everywhere("platform_dependent", original, platform_dependent)

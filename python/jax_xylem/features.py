# SPDX-License-Identifier: Apache-2.0
"""What the package adds to JAX, feature by feature.

JAX has few stable interfaces for platforms, so most features hold on to names of jax._src. A JAX
that lacks one of them, as one that does not exist yet may, costs the feature that needs it and no
other: modules are imported step by step, and what fails is said once, with the versions.
"""

import importlib
import logging

logger = logging.getLogger("jax_xylem")

# (what a user misses without it, the module of this package, its function). The order is free.
_STEPS = (
    ("donated arguments", "lowering", "donate"),
    ("the lowering rules of cpu", "lowering", "take_over_rules_of_cpu"),
    ("lax.platform_dependent by the branch of cpu", "lowering", "extend_platform_dependent"),
    ("LU decompositions of sharded batches", "pivots", "register"),
    ("Lowered.cost_analysis", "programs", "analyze_costs_before_compiling"),
    ("the persistent compilation cache", "programs", "use_compilation_cache"),
    ("custom calls (jax.ffi)", "custom_calls", "register"),
    ("types of custom calls (jax.ffi)", "custom_calls", "register_types"),
    ("host callbacks", "callbacks", "register"),
    ("Ctrl-C while a result is awaited", "interrupts", "register"),
    ("DLPack", "dlpack", "register"),
    ("custom_partitioning", "partitioning", "register"),
    ("jax.extend.xla", "transforms", "register"),
)


class Report:
  """Features that are left out, each with the first reason."""

  def __init__(self):
    self._missing = {}

  def leave_out(self, feature, reason):
    if isinstance(reason, BaseException):
      reason = f"{type(reason).__name__}: {reason}"
    self._missing.setdefault(feature, []).append(" ".join(str(reason).split())[:300])

  def attempt(self, feature, function, *args):
    """Calls the function; an error costs the feature only."""
    try:
      return function(*args)
    except Exception as error:  # pylint: disable=broad-except
      self.leave_out(feature, error)
      return None

  def __str__(self):
    def entry(feature, reasons):
      more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
      return f"{feature} ({reasons[0]}{more})"

    return "; ".join(entry(*item) for item in self._missing.items())

  def warn(self):
    if self._missing:
      logger.warning("%s: not available: %s", versions(), self)


def versions():
  """"jax-xylem 0.1.0 with jax 0.12.0, jaxlib 0.12.0"; what cannot be asked is "unknown"."""
  import jax_xylem

  def version(module):
    try:
      return importlib.import_module(module).__version__
    except Exception:  # pylint: disable=broad-except
      return "unknown"

  return (f"jax-xylem {jax_xylem.__version__} with jax {version('jax.version')}, "
          f"jaxlib {version('jaxlib.version')}")


def register(c_api):
  """Adds all features that this JAX has a place for; one warning names the others."""
  report = Report()

  def step(module, function):
    function = getattr(importlib.import_module(f"jax_xylem.{module}"), function)
    takes = function.__code__.co_varnames[:function.__code__.co_argcount]
    given = {"c_api": c_api, "report": report}
    function(**{name: given[name] for name in takes})

  for feature, module, function in _STEPS:
    report.attempt(feature, step, module, function)
  report.warn()

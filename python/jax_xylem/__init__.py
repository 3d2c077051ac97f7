# SPDX-License-Identifier: Apache-2.0
"""Xylem for JAX: the platform "xylem", or "cpu" in place of JAX's own.

JAX finds this package by its entry point and calls initialize(). Programs need no import of it:

    JAX_PLATFORMS=xylem python train.py
    XYLEM_PLATFORM_NAME=cpu python train.py
"""

import os
import re
import threading

from jax_xylem import names

__version__ = "0.1.0"

_lock = threading.Lock()
_initialized = False
_platform_name = None
_num_devices = None
_use_compiler = None


def library_path():
  """The plugin: that of the package xylem, or the one that XYLEM_PJRT_LIBRARY names (development)."""
  override = os.environ.get("XYLEM_PJRT_LIBRARY")
  if override:
    return override
  import xylem

  return xylem.plugin_path()


def set_platform_name(name):
  """By which name JAX knows the platform: "xylem" (the default), or "cpu", in place of JAX's own.

  Call it before JAX looks for its devices. Without it XYLEM_PLATFORM_NAME counts.
  """
  global _platform_name
  names.checked(name)
  with _lock:
    if _initialized and name != names.PLATFORM:
      raise RuntimeError("set_platform_name must be called before JAX looks for its devices")
    _platform_name = name


def set_num_devices(count):
  """How many devices the platform has. Call it before JAX makes its first array.

  Without it XYLEM_NUM_DEVICES counts, or JAX's option jax_num_cpu_devices, or what XLA_FLAGS says of
  devices of the host; else there is one.
  """
  global _num_devices
  _num_devices = int(count)


def use_compiler(value):
  """Whether programs are compiled to machine code (the default) or all run by the interpreter.

  Call it before JAX makes its first array.
  """
  global _use_compiler
  _use_compiler = bool(value)


def _job_options():
  """What the plugin needs to know of a job of several processes besides what JAX tells it."""
  from jax._src import distributed

  state = distributed.global_state
  if getattr(state, "client", None) is None or not (getattr(state, "num_processes", 1) or 1) > 1:
    return {}
  import jax

  options = {}
  if getattr(state, "coordinator_address", None):
    options["coordinator_address"] = state.coordinator_address
  if getattr(jax.config, "jax_cpu_collectives_implementation", None) == "mpi":
    options["transport"] = "mpi"
  return options


def _options():
  import jax

  options = {"platform_name": names.PLATFORM, **_job_options()}
  if _use_compiler is not None:
    options["compiler"] = _use_compiler
  if _num_devices is not None:
    return {**options, "num_devices": _num_devices}
  if os.environ.get("XYLEM_NUM_DEVICES"):
    return options  # the plugin reads it
  count = getattr(jax.config, "jax_num_cpu_devices", -1)
  if not count or count < 0:  # programs that were written for JAX's CPUs set this one
    flag = re.findall(r"--xla_force_host_platform_device_count=(\d+)(?!\S)",
                      os.environ.get("XLA_FLAGS", ""))
    count = int(flag[-1]) if flag else 0
  return {**options, "num_devices": int(count)} if count > 0 else options


def _register_backend():
  """Tells JAX of the plugin; returns its table of functions."""
  path = library_path()
  if not os.path.exists(path):
    raise RuntimeError(f"the plugin is not at {path}")
  names.PLATFORM = names.checked(
      _platform_name or os.environ.get("XYLEM_PLATFORM_NAME") or names.XYLEM)
  from jax._src import xla_bridge

  c_api = xla_bridge.register_plugin(
      names.XYLEM, priority=50, library_path=path, options=_options)
  if names.PLATFORM == names.CPU:
    _take_the_place_of_cpu(xla_bridge, c_api)
  return c_api


def _take_the_place_of_cpu(xla_bridge, c_api):
  """The backend that was registered as "xylem" becomes "cpu"; JAX's own is not made."""
  own = xla_bridge._backend_factories.pop(names.XYLEM)
  topologies = getattr(xla_bridge, "_topology_factories", {})
  xla_bridge.register_backend_factory(
      names.CPU, own.factory, priority=0, fail_quietly=False,
      make_topology=topologies.pop(names.XYLEM, None), c_api=c_api)
  # JAX_PLATFORMS=xylem and jax.devices("xylem") mean it as well.
  getattr(xla_bridge, "_alias_to_platforms", {}).setdefault(names.XYLEM, [names.CPU])


def initialize():
  """Registers the platform with JAX. JAX calls this; a second call does nothing."""
  global _initialized
  from jax_xylem import features

  with _lock:
    if _initialized:
      return
    try:
      c_api = _register_backend()
    except Exception as error:  # JAX would print a traceback, and go on without the platform.
      features.logger.warning("%s: the platform %s cannot be registered: %s: %s",
                              features.versions(), names.PLATFORM, type(error).__name__, error)
      return
    _initialized = True
    features.register(c_api)

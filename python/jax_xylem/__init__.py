# SPDX-License-Identifier: Apache-2.0
"""Xylem for JAX: the platform "xylem".

JAX finds this package by its entry point and calls initialize(). Programs need no import of it:

    JAX_PLATFORMS=xylem python train.py
"""

import os
import re
import threading

__version__ = "0.1.0"
PLATFORM = "xylem"

_lock = threading.Lock()
_initialized = False
_num_devices = None
_use_compiler = None


def library_path():
  """The plugin: beside this file in a wheel, else where XYLEM_PJRT_LIBRARY says (development)."""
  override = os.environ.get("XYLEM_PJRT_LIBRARY")
  if override:
    return override
  return os.path.join(os.path.dirname(__file__), "libxylem_pjrt.so")


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


def _options():
  import jax

  options = {} if _use_compiler is None else {"compiler": _use_compiler}
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


def initialize():
  """Registers the platform with JAX. JAX calls this; a second call does nothing."""
  global _initialized
  with _lock:
    if _initialized:
      return
    path = library_path()
    if not os.path.exists(path):
      raise RuntimeError(f"the Xylem plugin is not at {path}")
    from jax._src import xla_bridge

    c_api = xla_bridge.register_plugin(
        PLATFORM, priority=50, library_path=path, options=_options)
    from jax_xylem import lowering

    lowering.register(c_api)
    _initialized = True

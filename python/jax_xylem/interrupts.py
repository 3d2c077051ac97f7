# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C: what waits for a program listens to signals, and a program that was waited for ends.

Signals that arrive while the plugin itself runs or waits on the main thread are its own business
(xla/pjrt/python.h). JAX waits in jaxlib, which listens to signals, but leaves the program running:
later programs, and the end of the interpreter, would wait for a loop that does not end.
"""

import atexit
import ctypes
import functools

from jax._src import api
from jax._src import array
from jax._src import compiler
from jax._src import dispatch

from jax_xylem import abi
from jax_xylem import replacing

# What a program may take after Ctrl-C: training steps, whose arguments were donated, leave their
# results behind.
GRACE_SECONDS = 1.0


class _EndRuns(ctypes.Structure):
  _fields_ = [("struct_size", abi.SIZE), ("extension_start", abi.P),
              ("grace_seconds", ctypes.c_double), ("spares_effects", ctypes.c_bool),
              ("ends_compilations", ctypes.c_bool), ("is_last", ctypes.c_bool)]


def _ending(function, end_runs, **kinds):
  """The function, a wait; Ctrl-C ends the programs in flight, too."""

  @functools.wraps(function, assigned=("__name__", "__doc__"))  # it may be one of C++
  def wait(*args, **kwargs):
    try:
      return function(*args, **kwargs)
    except KeyboardInterrupt:
      end_runs(GRACE_SECONDS, **kinds)
      raise

  return wait


def _listening_value(original):
  """ArrayImpl._value: before JAX 0.11 its wait does not listen to signals."""

  @functools.wraps(original.fget)
  def value(self):
    if getattr(self, "_npy_value", None) is None and not self.is_deleted() and not self.is_ready():
      self.block_until_ready()
    return original.fget(self)

  return property(value)


def register(c_api):
  plugin = abi.Api(c_api)
  function = plugin.extension(abi.PYTHON_EXTENSION)[1]

  def end_runs(grace_seconds, spares_effects=False, ends_compilations=False, is_last=False):
    plugin.call(function, _EndRuns(ctypes.sizeof(_EndRuns), None, grace_seconds, spares_effects,
                                   ends_compilations, is_last))

  def end():
    """Nobody sees results any more; what has effects ends by itself."""
    try:
      dispatch.wait_for_tokens()
    except KeyboardInterrupt:
      end_runs(0, ends_compilations=True, is_last=True)
      raise
    except Exception:  # JAX waits once more, and reports it.
      pass
    end_runs(0, spares_effects=True, ends_compilations=True, is_last=True)

  array.ArrayImpl.block_until_ready = _ending(array.ArrayImpl.block_until_ready, end_runs)
  array.ArrayImpl._value = _listening_value(array.ArrayImpl._value)
  original = api.block_until_ready
  replacing.everywhere("block_until_ready", original, _ending(original, end_runs))
  for name in ("backend_compile", "backend_compile_and_load"):
    original = getattr(compiler, name, None)
    if original is not None:
      replacing.everywhere(name, original, _ending(original, end_runs, ends_compilations=True))
  atexit.register(end)

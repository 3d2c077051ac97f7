# SPDX-License-Identifier: Apache-2.0
"""Xylem: programs of HLO and StableHLO, compiled and run on arrays of NumPy.

    import xylem
    y = xylem.load("model.mlir")(x)

The builder is xylem.builder. The package also has the command `xylem` (also `python -m xylem`), and
the plugin through which JAX runs on it: JAX finds that by itself (package jax_xylem); other clients of
PJRT open plugin_path().
"""

import os

__version__ = "0.1.0"

__all__ = [
    "HloComputation", "HloInstruction", "HloModule", "Program", "Shape", "XlaOp", "XylemError",
    "command_path", "compile", "diff", "from_dlpack", "load", "loads", "passes", "plugin_path",
]

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def command_path():
  """The file of the command."""
  return os.path.join(_FOLDER, "bin", "xylem")


def plugin_path():
  """The file of the PJRT plugin."""
  return os.path.join(_FOLDER, "lib", "libxylem_pjrt.so")


def __getattr__(name):
  """What is imported when it is first used: `import xylem` alone loads no library."""
  import importlib  # not at the top: the command imports this package, too

  errors = importlib.import_module("xylem._errors")
  if name == "builder":
    found = importlib.import_module("xylem.builder")
  elif name in errors.__all__:
    found = getattr(errors, name)
  elif name in __all__:
    found = getattr(importlib.import_module("xylem._programs"), name)
  else:
    raise AttributeError(f"module 'xylem' has no attribute {name!r}")
  globals()[name] = found  # next time without this function
  return found


def __dir__():
  return sorted({*globals(), *__all__, "builder"})

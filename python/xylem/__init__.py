# SPDX-License-Identifier: Apache-2.0
"""Xylem: the command `xylem` (also `python -m xylem`), and the plugin through which JAX runs on it.

JAX finds the plugin by itself (package jax_xylem); other clients of PJRT open plugin_path().
"""

import os

__version__ = "0.1.0"

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def command_path():
  """The file of the command."""
  return os.path.join(_FOLDER, "bin", "xylem")


def plugin_path():
  """The file of the PJRT plugin."""
  return os.path.join(_FOLDER, "lib", "libxylem_pjrt.so")

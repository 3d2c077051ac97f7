# SPDX-License-Identifier: Apache-2.0
"""Functions of JAX that this package extends."""

import sys


def everywhere(name, original, replacement):
  """In all modules that hold the function under its name: some were imported before the plugin."""
  for module in list(sys.modules.values()):
    if getattr(module, "__dict__", {}).get(name) is original:
      setattr(module, name, replacement)
